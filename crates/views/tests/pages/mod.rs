//! Sessions with hostile texts in every place, and exports of sessions.
#![allow(dead_code, clippy::unwrap_used)]

mod hostile;

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{Root, bundle, scan};
use redact::{Unredacted, UnredactedFlag};
use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use verbatim_views::export::{ExportNote, html, markdown};

#[allow(unused_imports)]
pub(crate) use hostile::HOSTILE;

const NOTE: ExportNote = ExportNote { redacted: None, turns: None, bytes: false };

/// The session as a user's flag lets it out.
pub(crate) fn as_it_is(session: &Session) -> Unredacted<&Session> {
    Unredacted::of(session, UnredactedFlag::typed(true).expect("the flag"))
}

pub(crate) fn page(session: &Session) -> String {
    let mut page = Vec::new();
    html(&as_it_is(session), &NOTE, &|_| None, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

pub(crate) fn text(session: &Session) -> String {
    let mut text = Vec::new();
    markdown(&as_it_is(session), &NOTE, &|_| None, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A session of Claude Code with one text in every place.
pub(crate) fn session_of(text: &str) -> Session {
    let base = |kind: &str, id: u32, message: Value| {
        json!({
            "type": kind, "uuid": format!("u{id}"), "sessionId": "s1", "cwd": text, "version": text,
            "gitBranch": text, "timestamp": "2026-03-01T10:00:00.000Z", "message": message,
            "parentUuid": (id > 1).then(|| format!("u{}", id - 1)),
        })
    };
    let call = json!({ "type": "tool_use", "id": "t1", "name": text, "input": {
        "file_path": text, "command": text, "old_string": text, text: text } });
    let failed = json!({ "type": "tool_result", "tool_use_id": "t1", "content": text,
        "is_error": true });
    let answer = json!([
        { "type": "thinking", "thinking": text, "signature": text },
        { "type": "text", "text": text },
        call,
    ]);
    let lines = [
        json!({ "type": "summary", "summary": text, "leafUuid": "u3" }),
        base("user", 1, json!({ "role": "user", "content": text })),
        base("assistant", 2, json!({ "role": "assistant", "model": text, "content": answer })),
        base("user", 3, json!({ "role": "user", "content": [failed] })),
        json!({ "type": text, "text": text, "uuid": "u9" }),
    ];
    read(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// A session with a prompt and an answer.
pub(crate) fn answered(prompt: &str, answer: &str) -> Session {
    let line = |kind: &str, content: Value| {
        let message = json!({ "role": kind, "content": content });
        json!({ "type": kind, "uuid": kind, "sessionId": "s1", "message": message,
            "timestamp": "2026-03-01T10:00:00.000Z" })
    };
    let answer = json!([{ "type": "text", "text": answer }]);
    read(format!("{}\n{}\n", line("user", json!(prompt)), line("assistant", answer)))
}

pub(crate) fn read(lines: String) -> Session {
    let format = formats::ALL.iter().find(|format| format.name() == "claude-code").unwrap();
    let member = Member::new("s1.jsonl", Stream::Main, lines.into_bytes()).unwrap();
    format.read(Arc::new(Bundle { members: vec![member] })).swap_remove(0)
}

/// The sessions of every sample, with a text at the end of every string that is not one word.
pub(crate) fn samples_with(text: &str) -> Vec<Session> {
    let roots = [Root::named(samples::workspace().join("crates/formats/src"))];
    let mut sessions = Vec::new();
    for source in scan(formats::ALL, &roots).sources {
        let mut bundle = bundle(&source).0;
        for member in &mut bundle.members {
            let name = member.name.clone();
            let bytes = planted(member.bytes(), text);
            *member = Member::new(name, member.stream.clone(), bytes).unwrap();
        }
        sessions.extend(source.format.read(Arc::new(bundle)));
    }
    sessions
}

/// The places of the items that a page must have, each with whether it is a prompt, by the document
/// of `show --json` alone: each live or compacted part of the conversation, and each result without
/// a call that is there. What a hidden event holds is hidden with it.
pub(crate) fn expected(document: &Value) -> Vec<(String, bool)> {
    let member = |at: &Value| at["name"].as_str().unwrap().to_owned();
    let members = document["session"]["members"].as_array().unwrap();
    let members: Vec<String> = members.iter().map(member).collect();
    let mut seen = BTreeMap::new();
    let mut places = Vec::new();
    for event in document["events"].as_array().unwrap() {
        let word = |name: &str| event[name].as_str().unwrap_or_default();
        let within = event["parent"].as_u64().is_none_or(|parent| seen[&parent]);
        let visible = within && matches!(word("standing"), "live" | "compacted");
        seen.insert(event["event"].as_u64().unwrap(), visible);
        let answers = event["answers"].as_u64();
        let said = match (word("kind"), word("part")) {
            ("tool-result", _) => answers.is_none(),
            ("reasoning", "sealed") => true,
            (_, part) => matches!(
                part,
                "prompt"
                    | "picture"
                    | "answer"
                    | "thought"
                    | "call"
                    | "report"
                    | "task"
                    | "summary"
                    | "told"
                    | "expansion"
            ),
        };
        if visible && said {
            let (_, place) = word("address").rsplit_once('/').unwrap();
            let place = match members.iter().position(|name| name == word("member")).unwrap() {
                0 => format!("e-{place}"),
                member => format!("e-{member}-{place}"),
            };
            places.push((place, word("part") == "prompt"));
        }
    }
    places
}

fn planted(bytes: &[u8], text: &str) -> Vec<u8> {
    if let Ok(mut whole) = serde_json::from_slice::<Value>(bytes) {
        plant(&mut whole, text);
        return whole.to_string().into_bytes();
    }
    let mut out = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                plant(&mut value, text);
                out.extend(value.to_string().into_bytes());
            }
            Err(_) => out.extend(line),
        }
        out.push(b'\n');
    }
    out
}

fn plant(value: &mut Value, text: &str) {
    match value {
        Value::String(own) => {
            if let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(own)
            {
                plant(&mut inner, text);
                *own = inner.to_string();
            } else if own.contains([' ', '/', '\n']) && !own.contains("base64") {
                own.push_str(&format!(" {text}\n\n{text}"));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| plant(value, text)),
        Value::Object(all) => all.values_mut().for_each(|value| plant(value, text)),
        _ => {}
    }
}

/// An invented session for pictures of a page: a question, an edit, a test that fails, an answer.
pub(crate) fn pictured() -> Session {
    let line = |kind: &str, id: u32, content: Value| {
        let message = json!({ "role": kind, "model": "claude-opus-4-6", "content": content });
        json!({ "type": kind, "uuid": format!("u{id}"), "sessionId": "5f1e7f1e",
            "cwd": "/home/ana/shop", "version": "2.1.81", "message": message,
            "timestamp": format!("2026-03-01T10:{:02}:{:02}.000Z", id / 4, id * 13 % 60) })
    };
    let call = |id: &str, name: &str, input: Value| {
        let kind = "tool_use";
        json!([{ "type": kind, "id": id, "name": name, "input": input }])
    };
    let told = |id: &str, text: &str, bad: bool| {
        let kind = "tool_result";
        json!([{ "type": kind, "tool_use_id": id, "content": text, "is_error": bad }])
    };
    let edit = json!({ "file_path": "/home/ana/shop/src/billing/vat.rs",
        "old_string": "pub fn vat(net: u64) -> u64 {\n    net * 19 / 100\n}",
        "new_string": "/// The tax on a net price, rounded half up.\n\
            pub fn vat(net: u64, rate: u64) -> u64 {\n    (net * rate + 50) / 100\n}" });
    let answer = "The tax is now **rounded half up**, at the rate of the country:\n\n\
        | net | rate | tax |\n|---:|---:|---:|\n| 1999 | 19 | 380 |\n| 1999 | 7 | 140 |\n\n\
        ```rust\nassert_eq!(vat(1999, 19), 380);\n```\n\nOne caller is left: `invoice.rs`.";
    let lines = [
        line("user", 1, json!("Round the tax half up, and take the rate as an argument.")),
        line("assistant", 2, call("t1", "Grep", json!({ "pattern": "vat\\(", "path": "src" }))),
        line("user", 3, told("t1", "src/billing/vat.rs:1\nsrc/billing/invoice.rs:44", false)),
        line("assistant", 4, call("t2", "Edit", edit)),
        line("user", 5, told("t2", "The file has been updated", false)),
        line("assistant", 6, call("t3", "Bash", json!({ "command": "cargo test -p shop" }))),
        line(
            "user",
            7,
            told(
                "t3",
                "Exit code 101\nerror[E0061]: this function takes 2 arguments\n  \
                 --> src/billing/invoice.rs:44:17",
                true,
            ),
        ),
        line("assistant", 8, json!([{ "type": "text", "text": answer }])),
        line("user", 9, json!("Now the invoice.")),
        line("assistant", 10, json!([{ "type": "text", "text": "Done." }])),
    ];
    read(lines.iter().map(|line| format!("{line}\n")).collect())
}
