//! The traps and rules of the format reference, one by one.

use session::{EventRef, Kind, Session, Standing};

use super::CodeWhale;
use crate::claim::{Claim, Role};
use crate::format::{Format, Weight};
use crate::testing;

mod saved;
mod store;

fn sample(name: &str) -> testing::Folder {
    testing::open(&CodeWhale, &testing::samples("codewhale", name))
}

fn one(name: &str, id: &str) -> Session {
    let mut sessions = sample(name).sessions.into_values().flatten();
    sessions.find(|session| session.id == id).unwrap_or_else(|| panic!("no {id} in {name}"))
}

fn claim(path: &str, text: &str) -> Claim {
    testing::claim(&CodeWhale, path, text.as_bytes())
}

fn main(group: &str) -> Claim {
    Claim::Part { group: group.to_owned(), role: Role::Main }
}

fn beside(group: &str) -> Claim {
    Claim::Part { group: group.to_owned(), role: Role::Beside(None) }
}

/// The rules that a session violates, by line.
fn rules(session: &Session) -> Vec<(u32, Weight, &'static str)> {
    let findings = CodeWhale.data().validate.expect("rules")(session);
    let of = |it: &crate::format::Finding| (it.origin.line, it.weight, it.rule);
    findings.iter().map(of).collect()
}

fn said(session: &Session, standing: Standing) -> Vec<String> {
    let speaks = |event: &EventRef<'_>| {
        event.standing == standing && matches!(event.kind, Kind::User | Kind::Assistant)
    };
    session.top().filter(speaks).map(|event| event.said().into_owned()).collect()
}

/// A saved session with these messages (pairs of role and text), and further members.
fn document(id: &str, updated: &str, messages: &[(&str, &str)], more: &str) -> String {
    let message = |(role, text): &(&str, &str)| {
        format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}"#)
    };
    let messages = messages.iter().map(message).collect::<Vec<_>>().join(",");
    format!(
        "{{\n\"schema_version\":1,\"metadata\":{{\"id\":\"{id}\",\"updated_at\":\"{updated}\"}},\
         \"messages\":[{messages}],\"system_prompt\":null{more}}}\n"
    )
}

/// A journal entry of one text.
fn entry(id: &str, parent: &str, kind: &str, text: &str) -> String {
    format!(r#"{{"id":"{id}","parent_id":"{parent}","kind":"{kind}",{text}}}"#)
}

const AT: &str = "2026-09-21T14:13:29Z";
const LATER: &str = "2026-09-21T14:13:30Z";
