//! `verbatim resume --repair`: a damaged session is placed as a mended copy with another id, and
//! the damaged one stays as it is.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{ID, Place, Ran, put};
use serde_json::Value;

/// A way in which the text of a session is damaged.
type Harm<'h> = dyn Fn(&str) -> String + 'h;

fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

fn repaired(place: &Place, id: &str, more: &[&str]) -> Ran {
    place.run(&[&["resume", id, "--repair", "--folder", "work"], more].concat())
}

fn document(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn copy_of(placed: &Value) -> (String, String) {
    let path: PathBuf =
        placed["files"].as_array().unwrap().last().unwrap()["path"].as_str().unwrap().into();
    (placed["id"].as_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
}

#[test]
fn a_healthy_session_is_refused() {
    let place = prepared();
    let ran = repaired(&place, ID, &[]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("nothing to mend"), "{}", ran.err);
    assert!(!place.path().join("home/.local").exists());
}

#[test]
fn each_damage_of_lines_is_mended_in_a_copy() {
    let half = |text: &str| text.replace("There is no paint.", "There is no \\\\ud83d paint.");
    let half = |text: &str| half(text).replace("\\\\ud83d", "\\ud83d");
    let without = |text: &str, what: &str| -> String {
        text.split_inclusive('\n').filter(|line| !line.contains(what)).collect()
    };
    let cut = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        let short = &lines[6][..lines[6].len() / 2];
        lines[6] = short;
        lines.join("\n")
    };
    let cases: [(&str, Box<Harm<'_>>); 4] = [
        ("call-without-result", Box::new(|text| without(text, "front\\nback"))),
        ("result-without-call", Box::new(|text| without(text, "paint --green"))),
        ("lone-surrogate", Box::new(half)),
        ("cut-line", Box::new(cut)),
    ];
    for (damage, harm) in cases {
        let place = prepared();
        let damaged = harm(&fs::read_to_string(place.session()).unwrap());
        fs::write(place.session(), &damaged).unwrap();
        let placed = document(&repaired(&place, ID, &["--json"]));
        let mended: Vec<&Value> = placed["mended"].as_array().unwrap().iter().collect();
        assert!(mended.iter().any(|one| one["damage"] == damage), "{damage}: {mended:?}");
        assert_eq!(placed["agent"], "claude-code", "{damage}");
        let (id, text) = copy_of(&placed);
        assert_ne!(id, ID, "{damage}");
        assert!(text.contains("Paint the **door** green"), "{damage}");
        assert_eq!(fs::read_to_string(place.session()).unwrap(), damaged, "{damage}");
        // The copy is healthy, once, and goes away again.
        assert_eq!(repaired(&place, &id, &[]).code, 1, "{damage}");
        assert_eq!(document(&repaired(&place, ID, &["--json"]))["state"], "placed-before");
        assert_eq!(place.run(&["resume", &id, "--undo"]).code, 0, "{damage}");
        let told = repaired(&place, ID, &["--dry-run"]);
        assert!(told.err.contains("mended: 1 "), "{damage}: {}", told.err);
    }
}

#[test]
fn what_was_before_an_emptied_list_is_back() {
    let place = prepared();
    let id = "0a1b2c3d-5e6f-4a5b-8c7d-9e0f1a2b3c4d";
    let said = |at: u8, kind: &str, text: &str| {
        format!(
            "{{\"id\":\"m{at}\",\"timestamp\":\"2026-11-02T10:0{at}:00.000Z\",\"type\":\"{kind}\",\
             \"content\":\"{text}\"}}\n"
        )
    };
    let head = format!(
        "{{\"sessionId\":\"{id}\",\"projectHash\":\"h\",\"startTime\":\"2026-11-02T10:00:00.000Z\",\
         \"lastUpdated\":\"2026-11-02T10:05:00.000Z\",\"kind\":\"main\"}}\n"
    );
    let wiped = "{\"$set\":{\"messages\":[],\"lastUpdated\":\"2026-11-02T10:06:00.000Z\"}}\n";
    let text = head + &said(1, "user", "Count the figs.") + &said(2, "gemini", "Nine.") + wiped;
    let log =
        place.path().join("home/.gemini/tmp/work/chats/session-2026-11-02T10-00-0a1b2c3d.jsonl");
    put(&log, &text);
    // Without `--repair` there is nothing to continue, which is said with what to do.
    for args in [&["--folder", "work"][..], &["--to", "codex", "--folder", "work", "--dry-run"]] {
        let ran = place.run(&[&["resume", id], args].concat());
        let hint = format!("line 4 emptied this conversation: `verbatim resume {id} --repair`");
        assert!(ran.err.contains(&hint), "{}", ran.err);
    }
    let placed = document(&repaired(&place, id, &["--json"]));
    assert_eq!(placed["mended"][0]["damage"], "emptied-list");
    assert_eq!(placed["mended"][0]["lines"], serde_json::json!([4]));
    let (copy, copied) = copy_of(&placed);
    assert_ne!(copy, id);
    assert!(copied.contains("Count the figs.") && copied.contains("Nine."), "{copied}");
    assert!(!copied.contains("\"messages\":[]"), "{copied}");
    assert_eq!(fs::read_to_string(&log).unwrap(), text);
}
