//! Token counters, normalized across agents, each answer counted once.
//!
//! Agents count differently: some include cache reads in the input, some exclude reasoning from the
//! output. A format states its [`Convention`]; only this module computes with it. Rewound and
//! superseded answers count: their tokens were used.

use session::{EventRef, Field, Session, Slot, Slots, Span, value};

mod answers;
mod key;
mod running;
mod runs;
mod steps;
mod terms;

pub use crate::identity::Key;
pub use answers::{Count, Counting, Part, counts, is_better};
pub use runs::answer_key;
pub use terms::Terms;

/// Meaning of a format's counters.
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    /// Whether the input counter includes cache reads.
    pub input_includes_cache: bool,
    /// Whether the input counter includes cache writes.
    pub input_includes_writes: bool,
    /// Whether the output counter includes the reasoning, if no total shows it: builds of one agent
    /// differ.
    pub output_includes_reasoning: fn(EventRef<'_>) -> bool,
    /// Whether forks copy answers under new ids. Then two answers are one if their contents and
    /// times are equal, and those of their prompts.
    pub forks_rename: bool,
    /// Whether forks copy answers without a name, at a time of their own.
    pub forks_copy: bool,
    /// The answers of other models within a record.
    pub inner: fn(EventRef<'_>) -> Vec<Inner>,
    /// The token sum of the whole session in a record.
    pub whole: fn(EventRef<'_>) -> Option<u64>,
    /// The terms of service that a record states: those of its own answer, or of the answers after
    /// it in its stream. It is called only for notices and for records with counters of an answer.
    pub terms: fn(EventRef<'_>) -> Option<Terms>,
}

impl Convention {
    /// Input without cache, output with reasoning, unchanged ids, no nested answers.
    pub const PLAIN: Self = Self {
        input_includes_cache: false,
        input_includes_writes: false,
        output_includes_reasoning: |_| true,
        forks_rename: false,
        forks_copy: false,
        inner: |_| Vec::new(),
        whole: |_| None,
        terms: |_| None,
    };
}

/// An answer within the record of another one.
#[derive(Clone, Debug)]
pub struct Inner {
    /// The answer that it is, or is a part of, by [`answer_key`]; `None` for that of the record.
    pub answer: Option<Key>,
    /// Its number among the parts of that answer; `None` if it is the answer itself.
    pub number: Option<usize>,
    /// The model that answered.
    pub model: Option<String>,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost in US dollars, as the agent wrote it.
    pub cost: Option<f64>,
    /// Its part.
    pub part: Part,
    /// The terms on which it was served.
    pub terms: Terms,
}

/// Tokens, normalized across agents. `None` means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Input without cache reads and writes.
    pub input: Option<u64>,
    /// Input read from a cache.
    pub cache_read: Option<u64>,
    /// Input written to a cache.
    pub cache_write: Option<u64>,
    /// The part of the writes that the cache keeps for an hour: it costs more.
    pub cache_write_hour: Option<u64>,
    /// Output, reasoning included.
    pub output: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning: Option<u64>,
    /// Tokens used by tools, in addition.
    pub tool: Option<u64>,
    /// A sum that the agent does not split into kinds.
    pub unsplit: Option<u64>,
}

impl Tokens {
    /// The sum of input, cache, output, tools and unsplit tokens.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { input, cache_read, cache_write, output, tool, unsplit, .. } = *self;
        [input, cache_read, cache_write, output, tool, unsplit]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    }

    /// The same sum; `None` if nothing of it is known.
    #[must_use]
    pub fn known_total(&self) -> Option<u64> {
        let Self { input, cache_read, cache_write, output, tool, unsplit, .. } = *self;
        let known = [input, cache_read, cache_write, output, tool, unsplit];
        known.iter().any(Option::is_some).then(|| self.total())
    }

    /// The difference to an earlier running total; `None` if a counter has fallen, so that the two
    /// belong to different counts.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Self> {
        let less = |now: Option<u64>, then: Option<u64>| match (now, then) {
            (Some(now), Some(then)) => now.checked_sub(then).map(Some),
            (now, _) => Some(now),
        };
        Some(Self {
            input: less(self.input, earlier.input)?,
            cache_read: less(self.cache_read, earlier.cache_read)?,
            cache_write: less(self.cache_write, earlier.cache_write)?,
            cache_write_hour: less(self.cache_write_hour, earlier.cache_write_hour)?,
            output: less(self.output, earlier.output)?,
            reasoning: less(self.reasoning, earlier.reasoning)?,
            tool: less(self.tool, earlier.tool)?,
            unsplit: less(self.unsplit, earlier.unsplit)?,
        })
    }

    /// Adds counter by counter. A counter unknown to both stays unknown.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (known, None) | (None, known) => known,
        };
        Self {
            input: add(self.input, other.input),
            cache_read: add(self.cache_read, other.cache_read),
            cache_write: add(self.cache_write, other.cache_write),
            cache_write_hour: add(self.cache_write_hour, other.cache_write_hour),
            output: add(self.output, other.output),
            reasoning: add(self.reasoning, other.reasoning),
            tool: add(self.tool, other.tool),
            unsplit: add(self.unsplit, other.unsplit),
        }
    }
}

/// The counters of an event within `container`.
#[must_use]
pub fn tokens(event: EventRef<'_>, container: Span, convention: Convention) -> Tokens {
    // The first field of each slot counts, also if it is no number.
    let mut counters: [Option<Option<u64>>; COUNTERS.len()] = [None; COUNTERS.len()];
    for field in event.fields().iter().filter(|field| COUNTED.has(field.slot)) {
        let Some(at) = COUNTERS.iter().position(|slot| *slot == field.slot) else { continue };
        if counters[at].is_none() && container.holds(field.value) {
            let number = value::number(event.value(*field));
            counters[at] = Some(number.filter(|number| *number != ABSENT));
        }
    }
    let [input, output, cache_read, cache_write, cache_write_hour, reasoning, tool, total] =
        counters.map(Option::flatten);
    let mut input = input;
    if convention.input_includes_cache {
        input = input.map(|input| input.saturating_sub(cache_read.unwrap_or(0)));
    }
    if convention.input_includes_writes {
        input = input.map(|input| input.saturating_sub(cache_write.unwrap_or(0)));
    }
    let mut tokens = Tokens {
        input,
        cache_read,
        cache_write,
        cache_write_hour,
        output,
        reasoning,
        tool,
        unsplit: None,
    };
    let stated = includes_reasoning(&tokens, total);
    if !stated.unwrap_or_else(|| (convention.output_includes_reasoning)(event)) {
        tokens.output = output.map(|output| output.saturating_add(reasoning.unwrap_or(0)));
    }
    tokens
}

/// The counters of a session that are no number of tokens: beyond 64 bits, negative, a fraction, no
/// number at all. No sum has them. `null` means that there is no counter.
#[must_use]
pub fn unreadable(session: &Session) -> Vec<(EventRef<'_>, Field)> {
    let mut found = Vec::new();
    for event in session.events() {
        for field in event.fields().iter().filter(|field| COUNTED.has(field.slot)) {
            let raw = event.value(*field);
            if raw != b"null" && value::number(raw).is_none_or(|number| number == ABSENT) {
                found.push((event, *field));
            }
        }
    }
    found
}

/// The slots of counters.
const COUNTERS: [Slot; 8] = [
    Slot::TokensIn,
    Slot::TokensOut,
    Slot::CacheRead,
    Slot::CacheWrite,
    Slot::CacheWriteHour,
    Slot::TokensReasoning,
    Slot::TokensTool,
    Slot::TokensTotal,
];

/// The same as a set.
const COUNTED: Slots = Slots::of(&COUNTERS);

/// The number that means none in compact records: no real counter is so large.
pub const ABSENT: u64 = u64::MAX;

/// Whether the output includes the reasoning. The total beside the counters shows it, and a part is
/// never more than the whole.
fn includes_reasoning(tokens: &Tokens, total: Option<u64>) -> Option<bool> {
    let (output, reasoning) = (tokens.output?, tokens.reasoning?);
    let with = tokens.total();
    match total {
        _ if reasoning > output => Some(false),
        Some(total) if total == with => Some(true),
        Some(total) if total == with.saturating_add(reasoning) => Some(false),
        _ => None,
    }
}
