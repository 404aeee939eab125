//! Which counters count. Since late 2026 each answer has a record. Before that a process writes its
//! sums when it ends, by model; of a process that was killed only the output of its answers is
//! known. A process is what is between the beginning, the resumptions and the ends of processes.
//!
//! Versions that write records write sums of the whole session when they end: behind a record no
//! sum counts.

use meaning::usage::{Inner, Part, Terms, Tokens, answer_key};
use session::{EventIx, EventRef, Kind, NO_EVENT, Node, Session, Slot, value};

use super::{case, map, names};

const START: &str = "session.start";
const RESUME: &str = "session.resume";
const SHUTDOWN: &str = "session.shutdown";

/// The source of the usage of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Records,
    Sums,
    Outputs,
}

/// The processes of a session: the place behind each, and what its usage is known by.
fn processes(session: &Session) -> Vec<(EventIx, Known)> {
    let mut processes = Vec::new();
    let (mut known, mut recorded) = (Known::Outputs, false);
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        match event.case.name {
            START | RESUME => {
                processes.push((event.index, known));
                known = Known::Outputs;
            }
            SHUTDOWN => {
                let told = sums(event).is_some_and(|sums| !sums.is_empty());
                if told && !recorded {
                    known = Known::Sums;
                }
                processes.push((event.index + 1, known));
                known = Known::Outputs;
            }
            _ if case::USAGE_RECORD.is(event) => (known, recorded) = (Known::Records, true),
            _ => {}
        }
    }
    processes.push((EventIx::MAX, known));
    processes
}

fn of(processes: &[(EventIx, Known)], event: EventIx) -> Known {
    let at = processes.partition_point(|(end, _)| *end <= event);
    processes.get(at).map_or(Known::Outputs, |(_, known)| *known)
}

/// Whether an event may have the counter of an answer: the thought before it has it.
fn is_answer(event: &EventRef<'_>) -> bool {
    matches!(event.kind, Kind::Assistant | Kind::Reasoning)
}

/// Labels the counter of each answer: it counts where nothing else does.
pub(super) fn label(session: &mut Session) {
    let processes = processes(session);
    let mut labels = Vec::new();
    for event in session.events().filter(is_answer) {
        let named = |at: &usize| event.name(event.fields()[*at]) == map::LABELLED.as_bytes();
        for at in (0..event.fields().len()).filter(named) {
            let counts = of(&processes, event.index) == Known::Outputs;
            labels.push((event.index, at, if counts { Slot::TokensOut } else { Slot::Native }));
        }
    }
    for (event, field, slot) in labels {
        session.label(event, field, slot);
    }
}

/// The sums of a process, if its answers have no records; and the usage of a compaction, which
/// neither a record nor a newer sum has.
pub(super) fn inner(event: EventRef<'_>) -> Vec<Inner> {
    match event.case.name {
        SHUTDOWN => {}
        _ if case::COMPACTED.is(event) => {}
        _ => return Vec::new(),
    }
    let processes = processes(event.session());
    let known = of(&processes, event.index);
    let told = match event.case.name {
        SHUTDOWN if known == Known::Sums => sums(event).unwrap_or_default(),
        SHUTDOWN => Vec::new(),
        _ if known == Known::Sums => Vec::new(),
        _ => compaction(event).into_iter().collect(),
    };
    // Sums alone are of no answer; beside answers that are known they are counted like one.
    let is_sum = |(_, known): &(EventIx, Known)| *known == Known::Sums;
    let begun = processes.iter().filter(|(end, _)| *end != 0);
    let alone = event.case.name == SHUTDOWN
        && begun.clone().any(is_sum)
        && !event.session().events().any(|event| event.field(Slot::TokensOut).is_some());
    let part = if alone { Part::Whole } else { Part::Main };
    let id = event.text(Slot::Id).unwrap_or_default();
    let answer = answer_key(&id, None, event.time());
    let inner = |(number, (model, tokens)): (usize, (String, Tokens))| Inner {
        answer: Some(answer),
        number: Some(number),
        model: Some(model).filter(|model| !model.is_empty()),
        tokens,
        cost: None,
        part,
        terms: Terms::default(),
    };
    told.into_iter().enumerate().map(inner).collect()
}

/// The sums at the end of a process: each model with its tokens.
fn sums(event: EventRef<'_>) -> Option<Vec<(String, Tokens)>> {
    value::look(event.bytes(), |line| {
        let models = line.at(names::METRICS)?.members();
        let told = models.filter_map(|model| {
            let usage = tokens(model.value.at(names::MODEL_USAGE)?);
            (usage.total() > 0).then(|| (value::unescape(model.name).into_owned(), usage))
        });
        Some(told.collect())
    })
}

fn compaction(event: EventRef<'_>) -> Option<(String, Tokens)> {
    value::look(event.bytes(), |line| {
        let used = line.at(names::COMPACTION)?;
        let model = value::text_at(used, names::MODEL).unwrap_or_default();
        Some((model, tokens(used)))
    })
}

/// Counters of any generation. The input has what was read from a cache and written to one.
fn tokens(usage: Node<'_>) -> Tokens {
    let number = |path: &[&str]| value::number(usage.at(path)?.raw());
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| number(path));
    let (cache_read, cache_write) = (first(&names::CACHE_READ), number(names::CACHE_WRITE));
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    Tokens {
        input: first(&names::INPUT_TOKENS).map(|input| input.saturating_sub(cached)),
        cache_read,
        cache_write,
        output: first(&names::OUTPUT_TOKENS),
        reasoning: number(names::REASONING_TOKENS),
        ..Tokens::default()
    }
}
