//! Receipts of living sessions: what is written behind a turn, and another name of the file, change
//! nothing; what is written into it does.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::acts::{self, claude, prompt, says};
use crate::common::{self, ID, Place};

/// Checks a receipt: the exit code, and what is printed.
fn check(place: &Place, text: &str) -> (i32, String) {
    common::put(&place.path().join("r.json"), text);
    let ran = place.run(&["receipt", "--check", "r.json"]);
    (ran.code, ran.out + &ran.err)
}

fn receipt(place: &Place, turn: &str) -> String {
    let ran = place.run(&["receipt", ID, "--turn", turn]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

fn lines() -> Vec<Value> {
    vec![
        prompt("plant a pear"),
        says("m1", "It is planted."),
        prompt("and a plum"),
        says("m2", "Planted too."),
    ]
}

#[test]
fn a_session_that_goes_on_keeps_its_receipts() {
    let place = Place::new();
    let mut all = lines();
    let path = acts::put(&place, &claude(&all));
    let (first, second) = (receipt(&place, "1"), receipt(&place, "2"));
    for more in [
        json!({"type": "custom-title", "customTitle": "Fruit", "sessionId": ID}),
        prompt("and a fig"),
        says("m3", "No."),
    ] {
        all.push(more);
        acts::put(&place, &claude(&all));
        for (turn, issued) in [("1", &first), ("2", &second)] {
            assert_eq!(receipt(&place, turn), *issued, "the receipt itself is the same");
            let (code, said) = check(&place, issued);
            assert!(code == 0 && said.contains("the turn is unchanged"), "{said}");
        }
    }
    // Another name of the file, another version of the program.
    std::fs::rename(&path, path.with_file_name("5f1e7f1e-0000-4000-8000-000000000000.jsonl"))
        .unwrap();
    let other = first.replace("\"version\": \"", "\"version\": \"0.");
    let (code, said) = check(&place, &other);
    assert!(code == 0 && said.contains("verbatim 0."), "{said}");
}

#[test]
fn a_turn_that_changed_or_is_gone_fails() {
    let place = Place::new();
    let path = acts::put(&place, &claude(&lines()));
    let issued = receipt(&place, "1");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("It is planted.", "It was planted.")).unwrap();
    let (code, said) = check(&place, &issued);
    assert!(code == 1 && said.contains("the turn changed"), "{said}");
    std::fs::write(&path, &text).unwrap();
    for (name, from, to) in [
        ("number", "\"turn_number\": 1", "\"turn_number\": 2"),
        ("place", "\"start\": 0", "\"start\": 1"),
        ("zero", "\"zero_by\": \"assistant\"", "\"zero_by\": \"nothing\""),
        ("status", "\"completed\"", "\"failed\""),
    ] {
        let changed = issued.replacen(from, to, 1);
        assert_ne!(changed, issued, "{name}");
        let (code, said) = check(&place, &changed);
        assert!(code == 1 && said.contains("the turn changed"), "{name}: {said}");
    }
    // A receipt that contradicts itself is refused without its source.
    let contradiction =
        issued.replacen("\"command_execution_count\": 0", "\"command_execution_count\": 4", 1);
    let (code, said) = check(&place, &contradiction);
    assert!(code == 1 && said.contains("`command_execution_count` is not"), "{said}");
    let gone =
        issued.replace("line-0", "line-77").replace("\"turn_number\": 1", "\"turn_number\": 9");
    let (code, said) = check(&place, &gone);
    assert!(code == 1 && said.contains("the turn is gone"), "{said}");
    let (code, said) = check(&place, "[]");
    assert!(code == 1 && said.contains("has no receipt"), "{said}");
    // Two sessions whose ids begin alike: no answer is taken for the other one.
    let short = issued.replace(ID, &ID[..30]);
    let twin = text.replace(ID, &format!("{}ffffff", &ID[..30]));
    common::put(&path.with_file_name(format!("{}ffffff.jsonl", &ID[..30])), &twin);
    let (code, said) = check(&place, &short);
    assert!(code == 1 && said.contains("can't be read"), "{said}");
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let (code, said) = check(&place, &issued);
    assert!(code == 0 && said.contains("the session is not at hand"), "{said}");
}

/// A document that its agent writes anew as a whole.
fn document(place: &Place, texts: &[&str], updated: &str) -> PathBuf {
    let message = |(at, text): (usize, &&str)| {
        let kind = if at % 2 == 0 { "user" } else { "gemini" };
        json!({"id": format!("m{at}"), "type": kind, "content": text,
            "timestamp": format!("2026-05-04T08:00:{at:02}.000Z")})
    };
    let messages: Vec<Value> = texts.iter().enumerate().map(message).collect();
    let whole = json!({
        "sessionId": "0e0e0e0e-0000-4000-8000-000000000001", "projectHash": "0".repeat(64),
        "startTime": "2026-05-04T08:00:00.000Z", "lastUpdated": updated, "messages": messages,
    });
    let folder = place.path().join("home/.gemini/tmp").join("0".repeat(64)).join("chats");
    let path = folder.join("session-2026-05-04T08-00-0e0e0e0e.json");
    common::put(&path, &serde_json::to_string_pretty(&whole).unwrap());
    path
}

#[test]
fn a_document_that_is_written_anew_is_compared_by_its_records() {
    let place = Place::new();
    let path = document(&place, &["plums", "yes", "figs", "no"], "2026-05-04T08:01:00.000Z");
    let path = path.to_str().unwrap();
    let issued = place.run(&["receipt", path, "--turn", "1"]).out;
    assert_eq!(check(&place, &issued).0, 0);
    document(&place, &["plums", "yes", "figs", "no", "nuts"], "2026-05-04T09:00:00.100Z");
    let (code, said) = check(&place, &issued);
    assert!(code == 0 && said.contains("the turn is unchanged"), "{said}");
    assert!(said.contains("written anew"), "{said}");
    document(&place, &["plums", "no", "figs", "no", "nuts"], "2026-05-04T09:00:00.100Z");
    let (code, said) = check(&place, &issued);
    assert!(code == 1 && said.contains("the turn changed"), "{said}");
}

#[test]
fn without_a_turn_the_last_one_that_has_ended_is_taken() {
    let place = Place::new();
    let mut all = lines();
    all.pop();
    acts::put(&place, &claude(&all));
    let ran = place.run(&["receipt", ID, "-o", "out/r.json"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{}", ran.err);
    assert!(ran.err.contains("This is the receipt of turn 1."), "{}", ran.err);
    let written = std::fs::read_to_string(place.path().join("out/r.json")).unwrap();
    assert_eq!(written, receipt(&place, "1"));
    assert_eq!(place.run(&["receipt", ID, "-o", "out/r.json"]).code, 2, "it is there");
    assert_eq!(place.run(&["receipt", ID, "--turn", "last"]).code, 1, "it has not ended");
}

/// The receipts that were issued by version 0 of the schema, and those of the store.
#[test]
fn receipts_of_version_0_still_check() {
    let place = Place::new();
    let published = samples::workspace().join("schemas/receipts/v0");
    for (name, folder, _) in crate::SESSIONS {
        let folder = crate::formats().join(folder);
        let file = published.join(format!("session-{name}.json"));
        let (file, folder) = (file.to_str().unwrap(), folder.to_str().unwrap());
        let ran = place.run(&["receipt", "--check", file, "--in", folder]);
        assert!(
            ran.code == 0 && ran.out.contains("is unchanged"),
            "{name}: {}{}",
            ran.out,
            ran.err
        );
        let changed = std::fs::read_to_string(file).unwrap();
        for (from, to) in [
            ("\"tool_call_count\": ", "\"tool_call_count\": 7"),
            ("\"command_execution_count\": ", "\"command_execution_count\": 7"),
            ("\"start\": ", "\"start\": 9999"),
        ] {
            common::put(&place.path().join("c.json"), &changed.replacen(from, to, 1));
            let ran = place.run(&["receipt", "--check", "c.json", "--in", folder]);
            assert_eq!(ran.code, 1, "{name} {from}: {}", ran.out);
        }
    }
    let (store, file) = (crate::store(), published.join("store-failed.json"));
    let (store, file) = (store.to_str().unwrap(), file.to_str().unwrap());
    let ran = place.run(&["receipt", "--check", file, "--in", store]);
    assert!(ran.code == 0 && ran.out.contains("is unchanged"), "{}{}", ran.out, ran.err);
}
