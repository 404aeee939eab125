//! `verbatim fidelity`: its sums are those of the ledgers of the single conversions, counted row by
//! row by another way.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use common::{ID, Place};
use serde_json::Value;

/// The counts of a ledger's rows: of the source by fate, and of the target: all, and made ones.
fn counted(ledger: &Value) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut add = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
    for row in ledger["source"].as_array().unwrap() {
        add(row["fate"].as_str().unwrap());
        add("fields");
    }
    for row in ledger["target"].as_array().unwrap() {
        add("values");
        if row["origin"] == "made" {
            add("made");
        }
    }
    counts
}

#[test]
fn the_matrix_has_the_sums_of_the_ledgers() {
    let place = Place::with_sessions();
    let ran = place.run(&["fidelity", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let matrix: Value = serde_json::from_str(&ran.out).unwrap();
    let list = place.run(&["list", "--json"]).out;
    let list: Value = serde_json::from_str(&list).unwrap();
    let ids: Vec<&str> = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    let pairs = matrix["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    for pair in pairs {
        let to = pair["to"].as_str().unwrap();
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for id in &ids {
            let (out, books) = (format!("{to}-{id}/"), format!("{to}-{id}.json"));
            let args = ["convert", id, "--to", to, "-o", &out, "--ledger", &books];
            let ran = place.run(&args);
            assert_eq!(ran.code, 0, "{}", ran.err);
            let ledger = std::fs::read_to_string(place.path().join(&books)).unwrap();
            for (what, count) in counted(&serde_json::from_str(&ledger).unwrap()) {
                *sums.entry(what).or_default() += count;
            }
        }
        for (what, sum) in sums {
            assert_eq!(pair[&what], sum, "{to}: {what}");
        }
        assert_eq!(pair["sessions"], 2);
    }
}

/// The sums change with the session: a table that is written by hand would not.
#[test]
fn another_answer_is_more_conversation() {
    let place = Place::with_sessions();
    let row = |place: &Place| {
        let ran = place.run(&["fidelity", "--json", "--from", "claude-code", "--to", "codex"]);
        let matrix: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(matrix["pairs"].as_array().unwrap().len(), 1);
        matrix["pairs"][0].clone()
    };
    let before = row(&place);
    let text = std::fs::read_to_string(place.session()).unwrap();
    let line = text.lines().last().unwrap();
    let more = line.replace(&format!("{ID}-6"), &format!("{ID}-7"));
    let more = more.replace(&format!("{ID}-5"), &format!("{ID}-6")).replace("msg_3", "msg_4");
    std::fs::write(place.session(), format!("{text}{more}\n")).unwrap();
    let after = row(&place);
    let count = |row: &Value, what: &str| row[what].as_u64().unwrap();
    assert_eq!(count(&after, "conversation"), count(&before, "conversation") + 1);
    assert_eq!(after["dropped_conversation"], before["dropped_conversation"]);
    assert!(count(&after, "carried") > count(&before, "carried"));
}

#[test]
fn what_was_not_read_is_said() {
    let place = Place::with_sessions();
    let ran = place.run(&["fidelity", "--from", "nobody"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = place.run(&["fidelity", "nowhere"]);
    assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
}
