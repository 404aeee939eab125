//! Nested answers: answers of an advisor model within another answer, and of a sub-agent within a
//! progress line.

use std::sync::LazyLock;

use meaning::usage::{Inner, Key, Part, Terms, Tokens, answer_key};
use memchr::memmem::Finder;
use session::{EventRef, Node, Slot, UtcTime, value};

use super::{counters, map};

/// The nested answers of a line.
pub(super) fn answers(event: EventRef<'_>) -> Vec<Inner> {
    let mut answers = Vec::new();
    if std::ptr::eq(event.case, &map::PROGRESS) {
        reported(event, &mut answers);
    } else if let Some(usage) = event.field(Slot::Usage) {
        let iterations = event.fields().iter().find(|field| {
            usage.value.holds(field.value) && event.is_named(**field, ITERATIONS[0].as_bytes())
        });
        let raw = iterations.map(|field| event.value(*field)).unwrap_or_default();
        let named = event.text(Slot::Message).is_some_and(|name| !name.is_empty());
        if is_advised(raw) && named {
            value::look(raw, |list| {
                advice(list, None, &mut answers);
                Some(())
            });
        }
    }
    answers
}

/// Whether an answer has advice. Most have none, and this is seen without parsing their rounds.
fn is_advised(raw: &[u8]) -> bool {
    static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(ADVISOR));
    raw.len() > ADVISOR.len() && WORD.find(raw).is_some()
}

/// The answer of a sub-agent that a progress line repeats.
fn reported(event: EventRef<'_>, answers: &mut Vec<Inner>) {
    let data = event.fields().iter().find(|field| event.is_named(**field, DATA));
    let Some(raw) = data.map(|field| event.value(*field)) else { return };
    if memchr::memmem::find(raw, b"\"usage\"").is_none() {
        return;
    }
    value::look(raw, |data| {
        let message = data.at(REPORTED)?;
        let name = value::text_at(message, ID).filter(|name| !name.is_empty())?;
        let usage = message.at(USAGE)?;
        let line = data.at(REPORTED_LINE)?;
        let time = line.at(TIMESTAMP).and_then(|time| UtcTime::read(time.raw()));
        let answer = answer_key(&name, line.at(REQUEST).map(Node::raw), time);
        let model = value::text_at(message, MODEL);
        let (tokens, part) = (tokens(usage), Part::SubAgent);
        if let Some(rounds) = usage.at(ITERATIONS).filter(|rounds| is_advised(rounds.raw())) {
            advice(rounds, Some(answer), answers);
        }
        let (answer, number, terms) = (Some(answer), None, counters::terms_of(usage));
        let written = tokens != Tokens::default();
        written
            .then(|| answers.push(Inner { answer, number, model, tokens, cost: None, part, terms }))
    });
}

/// The rounds of an answer that an advisor gave. The outer counters leave them out.
fn advice(rounds: Node<'_>, answer: Option<Key>, answers: &mut Vec<Inner>) {
    for (at, round) in rounds.elements().enumerate() {
        if round.word(map::TYPE) == Some(ADVISOR) {
            let (number, model) = (Some(at), value::text_at(round, MODEL));
            let (tokens, part, terms) = (tokens(round), Part::Advisor, Terms::default());
            answers.push(Inner { answer, number, model, tokens, cost: None, part, terms });
        }
    }
}

/// The counters of a `usage`, by its table.
fn tokens(usage: Node<'_>) -> Tokens {
    let number = |path: &[&str]| usage.at(path).and_then(|node| value::number(node.raw()));
    Tokens {
        input: number(&["input_tokens"]),
        cache_read: number(&["cache_read_input_tokens"]),
        cache_write: number(&["cache_creation_input_tokens"]),
        cache_write_hour: number(&["cache_creation", "ephemeral_1h_input_tokens"]),
        output: number(&["output_tokens"]),
        reasoning: number(&["output_tokens_details", "thinking_tokens"]),
        tool: None,
        unsplit: None,
    }
}

/// The type of an advisor's round.
const ADVISOR: &[u8] = b"advisor_message";
/// Path of the rounds in a usage.
const ITERATIONS: &[&str] = &["iterations"];
/// Content of a progress line.
const DATA: &[u8] = b"data";
/// Path of a sub-agent's message in that content.
const REPORTED: &[&str] = &["message", "message"];
/// Path of the line that has this message.
const REPORTED_LINE: &[&str] = &["message"];
const TIMESTAMP: &[&str] = &["timestamp"];
const REQUEST: &[&str] = &["requestId"];
const ID: &[&str] = &["id"];
const USAGE: &[&str] = &["usage"];
const MODEL: &[&str] = &["model"];
