//! The stead session document: its published schema, and its authors' rules beyond the schema.

use std::collections::HashSet;

use session::{Node, Scan, UtcTime, value};

use super::json::{JsonSchema, STEAD_TEXT};
use super::{ERRORS, SchemaError, Violations};
use crate::verdict::Verdict;

/// Validates a stead session document, 0.1.0, by the JSON Schema. If it is met, further rules
/// apply. No uid occurs twice. `sequence` counts the events from 0 without a gap. The events are in
/// canonical order: time (to the microsecond), then `main` before other streams, then line.
#[must_use]
pub fn stead_session(document: &[u8]) -> Verdict<Violations> {
    judge(document, JsonSchema::stead()).0
}

/// Validates by verbatim's extension of the schema, which lists more agents. Also returns the
/// document's agent, if only the extension lists it. For agents in the published list both verdicts
/// are equal.
#[must_use]
pub fn stead_session_extended(document: &[u8]) -> (Verdict<Violations>, Option<String>) {
    let (verdict, agent) = judge(document, JsonSchema::stead_extended());
    (verdict, agent.filter(|agent| !is_listed(agent)))
}

/// Path of the list of agents in the schema.
const AGENTS: &[&str] = &["properties", "source", "properties", "backend", "enum"];

/// Whether the published list has the agent.
fn is_listed(agent: &str) -> bool {
    let mut scan = Scan::strict();
    scan.read(STEAD_TEXT.as_bytes(), 0).ok().is_some_and(|schema| {
        let list = schema.root().at(AGENTS).into_iter().flat_map(Node::elements);
        list.filter_map(Node::text).any(|listed| listed == agent.as_bytes())
    })
}

/// The verdict, and the document's agent.
fn judge(document: &[u8], schema: &JsonSchema) -> (Verdict<Violations>, Option<String>) {
    let mut scan = Scan::strict();
    let Ok(doc) = scan.read(document, 0) else { return (schema.validate(document), None) };
    let root = doc.root();
    let mut violations = schema.violations(root);
    if violations.errors.is_empty() {
        violations = beyond(root);
    }
    let agent = root.word(&["source", "backend"]);
    (violations.verdict(), agent.map(|agent| value::unescape(agent).into_owned()))
}

/// The rules that the schema can't express.
fn beyond(root: Node<'_>) -> Violations {
    let mut violations = Violations::default();
    let mut break_rule = |at: Option<Node<'_>>, event: Node<'_>, path: String, rule: &str, hint| {
        violations.more |= violations.errors.len() == ERRORS;
        if violations.errors.len() < ERRORS {
            let offset = u64::from(at.unwrap_or(event).span().start);
            violations.errors.push(SchemaError { path, offset, rule: rule.to_owned(), hint });
        }
    };
    let mut seen = HashSet::new();
    let mut before = None;
    let events = root.at(&["events"]).into_iter().flat_map(Node::elements);
    for (number, event) in (0u64..).zip(events) {
        let uid = event.at(&["event_uid"]);
        if !seen.insert(uid.and_then(|uid| value::text(uid.raw()))) {
            let path = format!("$.events[{number}].event_uid");
            break_rule(uid, event, path, "an event's uid is its own", "it is there twice".into());
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
            let rule = "events are in the order of timestamp, then `main` first, then line_number";
            break_rule(None, event, path, rule, hint);
        }
        before = Some(rank);
    }
    violations
}

fn rank(event: Node<'_>) -> (Option<UtcTime>, bool, u64) {
    let time = event.word(&["timestamp"]).map(value::unescape);
    let line = event.at(&["line_number"]).and_then(|line| value::number(line.raw()));
    let time = time.and_then(|time| UtcTime::of_text(&time));
    (time, event.word(&["stream_id"]) != Some(b"main"), line.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::STEAD_EXTENDED_TEXT;

    #[test]
    fn the_extension_is_the_published_schema_with_more_agents() {
        let read = |text| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        let (published, mut ours) = (read(STEAD_TEXT), read(STEAD_EXTENDED_TEXT));
        let agents = format!("/{}", AGENTS.join("/"));
        let listed = published.pointer(&agents).cloned().expect("a list");
        let more = ours.pointer_mut(&agents).expect("a list");
        let of = |list: &serde_json::Value| list.as_array().cloned().unwrap_or_default();
        assert!(of(more).len() > of(&listed).len() && of(more).starts_with(&of(&listed)));
        *more = listed;
        for name in ["$id", "title"] {
            assert_ne!(ours[name], published[name]);
            ours[name] = published[name].clone();
        }
        assert_eq!(ours, published);
    }
}
