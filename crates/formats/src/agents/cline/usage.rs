//! Which counters of a task count. The screen's items have the counters of each request in their
//! text, with the cost, and the sums of requests that a restored checkpoint took back. Without the
//! screen's file the messages' own counters count. The counters of sessions are in the tables.
//!
//! The input of a task's counters excludes the cache.

use meaning::usage::{Inner, Part, Terms, Tokens, answer_key};
use session::{EventRef, Hold, Node, Slot, value};

use super::{locate, map};
use crate::resume::last_part;

/// The answers that an event counts.
pub(super) fn inner(event: EventRef<'_>) -> Vec<Inner> {
    let counted = if std::ptr::eq(event.case, &raw const map::REQUEST) {
        let text = event.text(Slot::Content).unwrap_or_default();
        value::look(text.as_bytes(), |told| Some(request(told)))
    } else if event.field(Slot::Role).is_some() && !has_screen(event) {
        metrics(event)
    } else {
        None
    };
    let Some((tokens, cost)) = counted else { return Vec::new() };
    let model = event.text(Slot::Model).map(std::borrow::Cow::into_owned);
    let key = answer_key(&event.session().id, None, event.time());
    vec![Inner {
        answer: Some(key),
        number: Some(event.span.start as usize),
        model: model.or_else(|| used_model(event)),
        tokens,
        cost,
        part: Part::Main,
        terms: Terms::default(),
    }]
}

fn number(node: Node<'_>, name: &'static str) -> Option<u64> {
    value::number(node.at(&[name])?.raw())
}

fn request(told: Node<'_>) -> (Tokens, Option<f64>) {
    let tokens = Tokens {
        input: number(told, "tokensIn"),
        output: number(told, "tokensOut"),
        cache_read: number(told, "cacheReads"),
        cache_write: number(told, "cacheWrites"),
        ..Tokens::default()
    };
    (tokens, cost(told, &["cost"]))
}

fn cost(node: Node<'_>, path: &[&str]) -> Option<f64> {
    str::from_utf8(node.at(path)?.raw()).ok()?.parse().ok()
}

/// Whether the task has the screen's file, whose counters are more exact.
fn has_screen(event: EventRef<'_>) -> bool {
    let mut members = event.session().bundle.members.iter();
    members.any(|member| locate::SHOWN.contains(&last_part(&member.name)))
}

/// The counters of a message.
fn metrics(event: EventRef<'_>) -> Option<(Tokens, Option<f64>)> {
    let own =
        |field: &session::Field| field.hold == Hold::Own && event.is_named(*field, b"metrics");
    event.fields().iter().find(|field| own(field))?;
    value::look(event.bytes(), |message| {
        let told = message.at(map::METRICS)?;
        let tokens = Tokens {
            input: number(told, "prompt"),
            output: number(told, "completion"),
            cache_read: number(told, "cached"),
            ..Tokens::default()
        };
        Some((tokens, cost(message, &["metrics", "cost"])))
    })
}

/// The last model that the task's file about models has before an item.
fn used_model(event: EventRef<'_>) -> Option<String> {
    let used =
        event.session().events().filter(|used| std::ptr::eq(used.case, &raw const map::USED));
    let mut before = used.filter(|used| used.time() <= event.time());
    before.next_back()?.text(Slot::Model).map(std::borrow::Cow::into_owned)
}
