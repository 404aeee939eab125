//! Numbers that a receipt does not have: of calls that were stopped, and beside records that could
//! not be read.

use serde_json::json;

use crate::acts::{call, claude, expect, prompt, put, receipts, result, says};
use crate::common::Place;

#[test]
fn a_call_that_was_stopped_while_it_ran_was_not_refused() {
    let place = Place::new();
    let stopped = "The user doesn't want to proceed with this tool use. The tool use was rejected. \
                   Correction to the text above: this call was stopped while running, not refused \
                   before it ran. It may have run in part or in full.";
    let mut answer = result("t1", stopped, true);
    answer["toolUseResult"] = "User rejected tool use".into();
    answer["toolDenialKind"] = "user-rejected".into();
    let lines = [
        prompt("press the apples"),
        call("t1", "Bash", json!({"command": "make juice"})),
        answer,
        says("a1", "The press stands still."),
        prompt("thanks"),
        says("a2", "Gladly."),
    ];
    let path = put(&place, &claude(&lines));
    let receipt = &receipts(&place, path.to_str().unwrap())[0];
    expect(receipt, &[("commands_executed", 1.into()), ("calls_refused", 0.into())]);
    assert_eq!(receipt["account"]["approvals_denied"]["count"], 0);
}

#[test]
fn a_record_that_could_not_be_read_leaves_no_zero() {
    let place = Place::new();
    let lines = [
        prompt("press the apples"),
        call("t1", "Bash", json!({"command": "make juice"})),
        says("a1", "Pressed."),
        prompt("thanks"),
        says("a2", "Gladly."),
    ];
    let text = claude(&lines);
    let mut whole: Vec<&str> = text.lines().collect();
    let half = &whole[1][..whole[1].len() / 2];
    whole[1] = half;
    let path = put(&place, &(whole.join("\n") + "\n"));
    let receipts = receipts(&place, path.to_str().unwrap());
    let names =
        ["commands_executed", "files_changed", "calls_refused", "approvals_denied", "tokens"];
    for name in names {
        let number = &receipts[0]["account"][name];
        assert_eq!(number["count"], "unavailable", "{name}");
        assert!(number["reason"].as_str().unwrap().contains("could not be read"), "{name}");
        let other = if name == "tokens" { 5 } else { 0 };
        assert_eq!(receipts[1]["account"][name]["count"], other, "{name}");
    }
    // The answer that could be read is a record of the sum, and no sum is said anywhere.
    assert_eq!(receipts[0]["account"]["tokens"]["records"].as_array().unwrap().len(), 1);
    assert_eq!(receipts[0]["usage_evidence"]["available"], false);
    let why = receipts[0]["usage_evidence"]["reason"].as_str().unwrap();
    assert!(why.contains("could not be read"), "{why}");
    assert_eq!(receipts[0]["usage_evidence"]["usage"], serde_json::Value::Null);
}
