//! Token counters made comparable across agents, each answer counted once.
//!
//! Agents count differently: some include what a cache gave in the input, some keep reasoning
//! beside the output. A format states how it counts as a [`Convention`]; the arithmetic is here,
//! once. Rewound and superseded answers count: their tokens were spent.

use crate::json::span::Span;
use crate::json::value;
use crate::label::event::Field;
use crate::label::slot::Slot;
use crate::session::EventRef;

mod answers;
mod key;

pub use answers::{Count, Part, Verdict, counts};
pub use key::Key;

/// How a format's counters are to be read.
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    /// The input counter includes what was read from a cache.
    pub input_includes_cache: bool,
    /// The output counter includes the reasoning, where no total says whether it does: builds of
    /// one agent differ.
    pub output_includes_reasoning: fn(EventRef<'_>) -> bool,
    /// Forks copy answers under new ids: two answers are one where all that they say is one, and
    /// when they and their prompts were made.
    pub forks_rename: bool,
    /// The answers of other models that a record tells of beside its own.
    pub inner: fn(EventRef<'_>) -> Vec<Inner>,
    /// The tokens that a record tells of the session as a whole.
    pub whole: fn(EventRef<'_>) -> Option<u64>,
}

impl Convention {
    /// Input without the cache, output with reasoning, ids that are kept, nothing told beside.
    pub const PLAIN: Self = Self {
        input_includes_cache: false,
        output_includes_reasoning: |_| true,
        forks_rename: false,
        inner: |_| Vec::new(),
        whole: |_| None,
    };
}

/// An answer that the record of another one tells of.
#[derive(Clone, Debug)]
pub struct Inner {
    /// Its name: the same wherever the answer is told.
    pub name: String,
    /// The model that answered.
    pub model: Option<String>,
    /// What was spent.
    pub tokens: Tokens,
    /// Whose it is.
    pub part: Part,
}

/// Tokens, comparable across agents. `None`: the agent did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Input that no cache gave, nor took.
    pub input: Option<u64>,
    /// Input read from a cache.
    pub cache_read: Option<u64>,
    /// Input written to a cache.
    pub cache_write: Option<u64>,
    /// Output, reasoning included.
    pub output: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning: Option<u64>,
    /// What tools used up beside that.
    pub tool: Option<u64>,
    /// A sum of which the agent tells no parts.
    pub unsplit: Option<u64>,
}

impl Tokens {
    /// All of it: input, cache, output and tools, and what is told as a sum alone.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { input, cache_read, cache_write, output, tool, unsplit, reasoning: _ } = *self;
        [input, cache_read, cache_write, output, tool, unsplit]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    }

    /// What came since an earlier running total; `None` where a counter has gone back, so that the
    /// two are no totals of one count.
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
            output: less(self.output, earlier.output)?,
            reasoning: less(self.reasoning, earlier.reasoning)?,
            tool: less(self.tool, earlier.tool)?,
            unsplit: less(self.unsplit, earlier.unsplit)?,
        })
    }

    /// Adds counter by counter; what neither knows stays unknown.
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
            output: add(self.output, other.output),
            reasoning: add(self.reasoning, other.reasoning),
            tool: add(self.tool, other.tool),
            unsplit: add(self.unsplit, other.unsplit),
        }
    }
}

/// The counters of an event that stand within `container`.
#[must_use]
pub fn tokens(event: EventRef<'_>, container: Span, convention: Convention) -> Tokens {
    let counter = |slot: Slot| {
        let inside = |field: &&Field| field.slot == slot && container.holds(field.value);
        let field = event.fields().iter().find(inside)?;
        value::number(event.value(*field))
    };
    let (cache_read, reasoning) = (counter(Slot::CacheRead), counter(Slot::TokensReasoning));
    let (cache_write, tool) = (counter(Slot::CacheWrite), counter(Slot::TokensTool));
    let mut input = counter(Slot::TokensIn);
    if convention.input_includes_cache {
        input = input.map(|input| input.saturating_sub(cache_read.unwrap_or(0)));
    }
    let output = counter(Slot::TokensOut);
    let mut tokens =
        Tokens { input, cache_read, cache_write, output, reasoning, tool, unsplit: None };
    let stated = includes_reasoning(&tokens, counter(Slot::TokensTotal));
    if !stated.unwrap_or_else(|| (convention.output_includes_reasoning)(event)) {
        tokens.output = output.map(|output| output.saturating_add(reasoning.unwrap_or(0)));
    }
    tokens
}

/// Does the output include the reasoning? The total that stands beside the counters tells, and a
/// part is never more than the whole.
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
