//! Nested answers: answers of an advisor model within another answer, and of a sub-agent within a
//! progress line.

use meaning::usage::{Inner, Part, Tokens};
use session::{EventRef, Node, Slot, value};

use super::map;

/// The nested answers of a line.
pub(super) fn answers(event: EventRef<'_>) -> Vec<Inner> {
    let mut answers = Vec::new();
    if std::ptr::eq(event.case, &map::PROGRESS) {
        reported(event, &mut answers);
    } else if let Some(usage) = event.field(Slot::Usage) {
        let iterations = event.fields().iter().find(|field| {
            usage.value.holds(field.value) && event.name(**field) == ITERATIONS[0].as_bytes()
        });
        let raw = iterations.map(|field| event.value(*field)).unwrap_or_default();
        let name = event.text(Slot::Message).unwrap_or_default();
        if is_advised(raw) && !name.is_empty() {
            value::look(raw, |list| {
                advice(list, &name, &mut answers);
                Some(())
            });
        }
    }
    answers
}

/// Whether an answer has advice. Most have none, and this is seen without parsing their rounds.
fn is_advised(raw: &[u8]) -> bool {
    memchr::memmem::find(raw, ADVISOR).is_some()
}

/// The answer of a sub-agent that a progress line repeats.
fn reported(event: EventRef<'_>, answers: &mut Vec<Inner>) {
    let data = event.fields().iter().find(|field| event.name(**field) == DATA);
    let Some(raw) = data.map(|field| event.value(*field)) else { return };
    if memchr::memmem::find(raw, b"\"usage\"").is_none() {
        return;
    }
    value::look(raw, |data| {
        let message = data.at(REPORTED)?;
        let name = value::text_at(message, ID).filter(|name| !name.is_empty())?;
        let usage = message.at(USAGE)?;
        let model = value::text_at(message, MODEL);
        let (tokens, part) = (tokens(usage), Part::SubAgent);
        if let Some(rounds) = usage.at(ITERATIONS).filter(|rounds| is_advised(rounds.raw())) {
            advice(rounds, &name, answers);
        }
        let written = tokens != Tokens::default();
        written.then(|| answers.push(Inner { name, model, tokens, part }))
    });
}

/// The rounds of an answer that an advisor gave. The outer counters leave them out.
fn advice(rounds: Node<'_>, name: &str, answers: &mut Vec<Inner>) {
    for (at, round) in rounds.elements().enumerate() {
        if round.word(map::TYPE) == Some(ADVISOR) {
            let (name, model) = (format!("{name} advice {at}"), value::text_at(round, MODEL));
            answers.push(Inner { name, model, tokens: tokens(round), part: Part::Advisor });
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
const ID: &[&str] = &["id"];
const USAGE: &[&str] = &["usage"];
const MODEL: &[&str] = &["model"];
