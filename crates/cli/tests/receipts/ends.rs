//! Ends of turns: a receipt has what a record says of it, and names that record.

use serde_json::{Value, json};

use super::acts::{self, answer, call, claude, prompt, result};
use crate::common::{self, ID, Place};

/// An answer of a version that writes no reason why it ended.
fn text(id: &str, words: &str) -> Value {
    let mut line = answer(id, json!({"type": "text", "text": words}), "");
    line["message"]["stop_reason"] = Value::Null;
    line
}

fn system(subtype: &str) -> Value {
    json!({"type": "system", "subtype": subtype, "isMeta": false, "durationMs": 61_000})
}

/// The states of the turns of a session.
fn states(lines: &[Value]) -> Vec<String> {
    let place = Place::new();
    acts::put(&place, &claude(lines));
    let state = |it: &Value| it["turn"]["status"].as_str().unwrap().to_owned();
    acts::receipts(&place, ID).iter().map(state).collect()
}

#[test]
fn a_record_that_only_a_turn_s_end_has_closes_it() {
    let by_hand = json!({"type": "user", "message": {"role": "user",
        "content": [{"type": "text", "text": "[Request interrupted by user]"}]}});
    for (lines, state) in [
        (vec![prompt("mow"), text("m1", "Mown.")], "unavailable"),
        (vec![prompt("mow"), text("m1", "Mown."), system("turn_duration")], "completed"),
        (vec![prompt("mow"), text("m1", "Mown."), system("stop_hook_summary")], "completed"),
        (vec![prompt("mow"), text("m1", "Mown."), system("api_error")], "unavailable"),
        // A hook made the model go on, and nothing says how that ended.
        (
            vec![prompt("mow"), text("m1", "No."), system("stop_hook_summary"), text("m2", "Well")],
            "unavailable",
        ),
        (
            vec![
                prompt("mow"),
                text("m1", "No."),
                system("stop_hook_summary"),
                call("c1", "Bash", json!({"command": "mow"})),
                result("c1", "mown", false),
                text("m2", "Mown."),
                system("stop_hook_summary"),
                system("turn_duration"),
            ],
            "completed",
        ),
        // A record that says how the turn ended is believed before one that says that it did.
        (
            vec![
                prompt("mow"),
                answer("m1", json!({"type": "text", "text": "I mow and"}), "max_tokens"),
                system("turn_duration"),
            ],
            "failed",
        ),
        // An error of the provider in place of an answer.
        (
            vec![prompt("mow"), {
                let mut line = text("m1", "API Error: Overloaded");
                line["isApiErrorMessage"] = true.into();
                line
            }],
            "failed",
        ),
        // Words in a prompt's place are no type of record: a person may write them.
        (vec![prompt("mow"), text("m1", "I mow"), by_hand], "unavailable"),
    ] {
        assert_eq!(states(&lines), [state], "{lines:?}");
        let more = [&lines[..], &[prompt("rake"), text("m9", "Raked.")]].concat();
        assert_eq!(states(&more)[0], state, "{more:?}");
    }
}

/// The first closing record is the end: what is written behind it changes no receipt.
#[test]
fn a_receipt_ends_with_the_record_that_closes_the_turn() {
    let place = Place::new();
    let mut lines = vec![prompt("mow"), text("m1", "Mown."), system("stop_hook_summary")];
    let whole = claude(&lines);
    acts::put(&place, &whole);
    let issued = place.run(&["receipt", ID]).out;
    let read: Value = serde_json::from_str(&issued).unwrap();
    assert_eq!(read["turn"]["status"], "completed");
    let ranges = read["evidence"]["ranges"].as_array().unwrap();
    assert_eq!(ranges.last().unwrap()["end"], whole.len() - 1, "the summary is in it");
    assert_eq!(read["turn"]["duration_ms"], 2000, "the turn lasted up to it");
    lines.push(system("turn_duration"));
    acts::put(&place, &claude(&lines));
    assert_eq!(place.run(&["receipt", ID]).out, issued);
    // A receipt of a program that read no such record is still one of this turn.
    let until = |end: usize| claude(&lines[..end]);
    acts::put(&place, &until(2));
    let older = place.run(&["receipt", ID, "--unfinished"]).out;
    assert!(older.contains("\"status\": \"unavailable\""), "{older}");
    common::put(&place.path().join("r.json"), &older);
    acts::put(&place, &claude(&lines));
    let ran = place.run(&["receipt", "--check", "r.json"]);
    assert!(ran.code == 0 && ran.out.contains("the turn is unchanged"), "{}{}", ran.out, ran.err);
    // One with another end than the source has is not a receipt of this turn.
    common::put(&place.path().join("r.json"), &issued.replace("\"completed\"", "\"failed\""));
    let ran = place.run(&["receipt", "--check", "r.json"]);
    assert!(ran.code == 1 && ran.out.contains("/turn/status"), "{}{}", ran.out, ran.err);
}

#[test]
fn the_answer_that_codex_marks_as_the_last_one_closes_a_turn() {
    let line = |kind: &str, payload: Value| {
        let time = "2026-07-04T08:00:00.000Z";
        json!({"timestamp": time, "type": kind, "payload": payload}).to_string() + "\n"
    };
    let says = |role: &str, kind: &str, text: &str, phase: &str| {
        let content = json!([{"type": kind, "text": text}]);
        let mut item = json!({"type": "message", "role": role, "content": content});
        if !phase.is_empty() {
            item["phase"] = phase.into();
        }
        line("response_item", item)
    };
    let id = "019e7000-1000-7000-8000-0000000000b7";
    let meta = line("session_meta", json!({"id": id, "cwd": "/srv/lawn", "cli_version": "0.99.0"}));
    let asked = || says("user", "input_text", "Mow the lawn", "");
    for (phases, state) in [
        (&["commentary", "final_answer"][..], "completed"),
        (&["commentary"], "unavailable"),
        (&["", ""], "unavailable"),
        (&["final_answer", "commentary"], "unavailable"),
    ] {
        let answers = phases.iter().map(|phase| says("assistant", "output_text", "Mown.", phase));
        let text: String = [meta.clone(), asked()].into_iter().chain(answers).collect();
        let place = Place::new();
        let name = format!("rollout-2026-07-04T08-00-00-{id}.jsonl");
        common::put(&place.path().join("home/.codex/sessions/2026/07/04").join(name), &text);
        let told = acts::receipts(&place, id);
        assert_eq!(told[0]["turn"]["status"], state, "{phases:?}");
    }
}
