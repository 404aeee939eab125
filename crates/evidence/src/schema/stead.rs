//! The stead session document: its published schema, and what its authors' rules say beyond it.

use std::collections::HashSet;

use session::{Instant, Node, Scan, value};

use super::json::JsonSchema;
use super::{ERRORS, SchemaError, Verdict};

/// Judges a stead session document, 0.1.0: the JSON Schema; and if that is met, that no uid stands
/// twice, that `sequence` counts the events from 0 without a gap, and that they stand in the
/// canonical order: time (to the microsecond), then `main` before other streams, then line.
#[must_use]
pub fn stead_session(document: &[u8]) -> Verdict {
    let verdict = JsonSchema::stead().validate(document);
    if !verdict.ok() {
        return verdict;
    }
    let mut scan = Scan::new();
    match scan.read(document, 0) {
        Ok(doc) => beyond(doc.root()),
        Err(_) => verdict,
    }
}

/// The rules that the schema cannot say.
fn beyond(root: Node<'_>) -> Verdict {
    let mut verdict = Verdict { errors: Vec::new(), more: false };
    let mut break_rule = |at: Option<Node<'_>>, event: Node<'_>, path: String, rule: &str, hint| {
        verdict.more |= verdict.errors.len() == ERRORS;
        if verdict.errors.len() < ERRORS {
            let offset = u64::from(at.unwrap_or(event).span().start);
            verdict.errors.push(SchemaError { path, offset, rule: rule.to_owned(), hint });
        }
    };
    let mut seen = HashSet::new();
    let mut before = None;
    let events = root.at(&["events"]).into_iter().flat_map(Node::elements);
    for (number, event) in (0u64..).zip(events) {
        let uid = event.at(&["event_uid"]);
        if !seen.insert(uid.and_then(|uid| value::text(uid.raw()))) {
            let path = format!("$.events[{number}].event_uid");
            break_rule(uid, event, path, "an event's uid is its own", "it stands twice".into());
        }
        let sequence = event.at(&["sequence"]);
        let counted = sequence.and_then(|sequence| value::number(sequence.raw()));
        if counted != Some(number) {
            let path = format!("$.events[{number}].sequence");
            let hint = format!("it should be {number}");
            break_rule(sequence, event, path, "sequence counts the events from 0", hint);
        }
        let rank = rank(event);
        if before.is_some_and(|before| rank < before) {
            let path = format!("$.events[{number}]");
            let hint = "it belongs before the event before it".to_owned();
            let rule = "events stand by timestamp, then `main` first, then line_number";
            break_rule(None, event, path, rule, hint);
        }
        before = Some(rank);
    }
    verdict
}

fn rank(event: Node<'_>) -> (Option<Instant>, bool, u64) {
    let time = event.word(&["timestamp"]).map(value::unescape);
    let line = event.at(&["line_number"]).and_then(|line| value::number(line.raw()));
    let time = time.and_then(|time| Instant::of_text(&time));
    (time, event.word(&["stream_id"]) != Some(b"main"), line.unwrap_or_default())
}
