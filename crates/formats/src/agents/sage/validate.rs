//! Validation: the rules that Sage's own schema document states for a message ("Validation").
//!
//! A message is valid if `role` is one of `user`, `assistant`, `system`; `content` is a string that
//! is not empty; `timestamp` is ISO 8601 (optional, but recommended).

use session::{EventRef, Kind, Session, Slot, UtcTime, value};

use super::map;
use crate::format::{Finding, Weight};

const ROLES: [&str; 3] = ["user", "assistant", "system"];

/// The session's violations of a rule, in reading order.
pub(super) fn validate(session: &Session) -> Vec<Finding> {
    let mut findings = Vec::new();
    for event in session.events() {
        let mut broken = |weight, rule| {
            findings.push(Finding { origin: event.origin, span: event.span, weight, rule });
        };
        if event.kind == Kind::Opaque {
            broken(Weight::Error, "a line is one JSON object");
        } else if event.case.top {
            message(event, &mut broken);
        } else if std::ptr::eq(event.case, &session::STRANGE) {
            broken(Weight::Error, "a line is a message with `role` and `content`");
        }
    }
    findings
}

fn message(event: EventRef<'_>, broken: &mut dyn FnMut(Weight, &'static str)) {
    if !event.text(Slot::Role).is_some_and(|role| ROLES.contains(&&*role)) {
        broken(Weight::Error, "`role` is one of \"user\", \"assistant\", \"system\"");
    }
    let said = event.raw(Slot::Content).or_else(|| event.raw(Slot::Output));
    if !said.is_some_and(|said| said.first() == Some(&b'"') && said.len() > 2) {
        broken(Weight::Error, "`content` is a string that is not empty");
    }
    let name = map::TIMESTAMP.concat();
    let time = event.fields().iter().find(|field| event.is_named(**field, name.as_bytes()));
    match time.map(|field| event.value(*field)) {
        None => broken(Weight::Advice, "`timestamp` is recommended"),
        Some(raw) if value::text(raw).is_some_and(|text| raw[0] == b'"' && is_iso_8601(&text)) => {}
        Some(_) => broken(Weight::Error, "`timestamp` is an ISO 8601 time"),
    }
}

/// Whether a text is a date, or a time with or without an offset.
fn is_iso_8601(text: &str) -> bool {
    ["", "Z", "T00:00:00Z"].iter().any(|rest| UtcTime::of_text(&format!("{text}{rest}")).is_some())
}
