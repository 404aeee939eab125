//! Cases of the record: every fact broken once, then subtle cases.

use ciborium::Value;
use verbatim_evidence::schema::RECORD as RULE;
use verbatim_evidence::value::Encoding;

use crate::facts::{CBOR_ONLY, Facts, MESSAGE, Member, Need, PLACES, RECORD, Type, samples};
use crate::suite::{Case, at, cbor, json};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (facts, path) in PLACES {
        let place = place(facts, path);
        let mut add = |what: &str, map: Value, right: bool, why: &str, cbor_only: bool| {
            let document = within(facts, path, map);
            let id = format!("{place}/{what}");
            push(&mut cases, &id, &document, right, why, cbor_only);
        };
        add("full", facts.full(), true, "every member", false);
        add("minimal", facts.minimal(), true, "what must be there and nothing else", false);
        let mut more = facts.full();
        *at(&mut more, &["x-other"]) = 1.into();
        let why = if facts.open { "the map is open" } else { "the map is closed" };
        add("other-key", more, facts.open, why, false);
        let mut keyed = facts.full();
        members(&mut keyed).push((5.into(), 1.into()));
        add("integer-key", keyed, false, "keys are texts", true);
        for (i, Member(key, need, of)) in facts.members.iter().enumerate() {
            let mut without = facts.full();
            members(&mut without).remove(i);
            let why = if *need == Need::May { "an optional member" } else { "a required member" };
            let why = format!("{why} is left out");
            add(&format!("{key}/absent"), without, *need == Need::May, &why, false);
            for (name, sample) in samples() {
                let mut wrong = facts.minimal();
                *at(&mut wrong, &[key]) = sample;
                let right = of.accepts(name);
                let why = format!("{key} is {name}");
                let special = CBOR_ONLY.contains(&name);
                add(&format!("{key}/{name}"), wrong, right, &why, special);
            }
            for (name, value, right) in words(of) {
                let mut other = facts.minimal();
                *at(&mut other, &[key]) = value;
                let why = format!("{key} is the word {name}");
                add(&format!("{key}/word-{name}"), other, right, &why, false);
            }
        }
    }
    cases
}

/// A name for the place of a map.
fn place(facts: &Facts, path: &[&str]) -> String {
    let deep = path.iter().filter(|step| **step == "children").count();
    let inside = if facts.name == "vcs" && path.len() > 1 { "environment-" } else { "" };
    format!("{inside}{}{}", facts.name, if deep > 0 { "-nested" } else { "" })
}

/// Words that a word type allows, and similar ones that it refuses.
fn words(of: &Type) -> Vec<(String, Value, bool)> {
    let Type::Word(words) = of else { return Vec::new() };
    let right = words.iter().map(|word| ((*word).to_owned(), true));
    let first = words[0];
    let upper = format!("{}{}", first[..1].to_uppercase(), &first[1..]);
    let wrong = [upper, first.replace('-', "_") + "_", String::new(), format!("{first} ")];
    let all = right.chain(wrong.into_iter().map(|word| (word, false)));
    all.map(|(word, right)| (word.replace(' ', "+"), Value::Text(word), right)).collect()
}

fn members(map: &mut Value) -> &mut Vec<(Value, Value)> {
    match map {
        Value::Map(members) => members,
        _ => unreachable!("facts are maps"),
    }
}

/// A record with the map at its place, and only required members around it.
fn within(facts: &Facts, path: &[&str], map: Value) -> Value {
    let mut record = if path.is_empty() { return map } else { RECORD.minimal() };
    let mut around = &RECORD;
    for depth in 0..path.len() {
        let here = at(&mut record, &path[..depth]);
        let last = depth + 1 == path.len();
        if path[depth] == "0" {
            let inner = if last { facts.minimal() } else { around.minimal() };
            *here = Value::Array(vec![inner]);
            continue;
        }
        let step = around.members.iter().find(|Member(key, ..)| *key == path[depth]);
        let Some(Member(_, _, of)) = step else { unreachable!("{path:?}") };
        around = match of {
            Type::One(inner) | Type::Many(inner) => inner,
            _ => &MESSAGE,
        };
        if matches!(of, Type::One(_)) {
            *at(&mut record, &path[..=depth]) = around.minimal();
        } else {
            *at(&mut record, &path[..=depth]) = Value::Array(Vec::new());
        }
    }
    *at(&mut record, path) = map;
    record
}

/// Adds a document in JSON, and in CBOR if that adds something new.
fn push(
    cases: &mut Vec<Case>,
    id: &str,
    document: &Value,
    right: bool,
    why: &str,
    cbor_only: bool,
) {
    let both = id.ends_with("/full") || id.ends_with("/minimal") || id.ends_with("/absent");
    let case = |encoding, document| Case {
        id: id.to_owned(),
        rule: RULE,
        encoding,
        document,
        draft: right,
        ours: right,
        why: why.to_owned(),
    };
    if !cbor_only && let Some(json) = json(document) {
        cases.push(case(Encoding::Json, json.into_bytes()));
    }
    if cbor_only || both {
        cases.push(case(Encoding::Cbor, cbor(document)));
    }
}
