//! Token counters made comparable across agents, each answer counted once.
//!
//! Agents count differently: some include what a cache gave in the input, some keep reasoning
//! beside the output. A format states how it counts as a [`Convention`]; the arithmetic is here,
//! once. Rewound and superseded answers count: their tokens were spent.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::bundle::Span;
use crate::event::{EventIx, Field, Kind, Slot, Standing};
use crate::session::{EventRef, Session};
use crate::told::is_model;
use crate::value;

/// How a format's counters are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convention {
    /// The input counter includes what was read from a cache.
    pub input_includes_cache: bool,
    /// The output counter includes the reasoning.
    pub output_includes_reasoning: bool,
}

/// Tokens, comparable across agents. `None`: the agent did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

impl Tokens {
    /// All of it: input, cache, output and tools.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write, self.output, self.tool]
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
        }
    }
}

/// One usage that the session holds, and whether it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The event that holds it.
    pub event: EventIx,
    /// Names the answer across all sessions; `None` where the agent gave it no name.
    pub key: Option<String>,
    /// The tokens.
    pub tokens: Tokens,
    /// What it cost in US dollars, as the agent wrote it.
    pub cost: Option<f64>,
    /// The model that answered: the event's own, or the last one named before it in its stream.
    pub model: Option<String>,
    /// Why it counts or does not.
    pub verdict: Verdict,
}

/// Does a usage count?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Counted,
    /// It repeats the usage of another event of the session.
    Repeats(EventIx),
    /// It says again, or was copied from elsewhere: the event's standing.
    Standing(Standing),
    /// The running total did not move: nothing was spent.
    NothingNew,
    /// It was made by the agent itself, not by a model.
    Synthetic,
}

/// Every usage of a session, in reading order, with its verdict.
#[must_use]
pub fn counts(session: &Session, convention: Convention) -> Vec<Count> {
    let mut counts: Vec<Count> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    let mut streams: HashMap<u32, Running> = HashMap::new();
    let steps = Steps::of(session);
    for event in session.events() {
        let running = streams.entry(event.origin.member).or_default();
        if let Some(model) = event.text(Slot::Model) {
            running.model = Some(model.into_owned());
        }
        running.goes_on |= event.kind == Kind::Notice && event.field(Slot::Base).is_some();
        let Some((tokens, mut verdict)) = spent(event, running, convention) else { continue };
        if let Some(step) = steps.of_answer(event) {
            verdict = Verdict::Repeats(step);
        }
        let cost = event.text(Slot::Cost).and_then(|cost| cost.parse().ok());
        let (key, model) = (key(event), steps.model(event).or_else(|| running.model.clone()));
        let mut count = Count { event: event.index, key, tokens, cost, model, verdict };
        if count.verdict == Verdict::Counted
            && let Some(key) = count.key.clone()
        {
            settle(&mut count, &mut counts, &mut by_key, key);
        }
        counts.push(count);
    }
    counts
}

/// The steps in which answers were made, where they are notices with counters of their own. The
/// answer's counter sums them up, or repeats the last; the answer names the model.
#[derive(Default)]
struct Steps<'s> {
    /// The first step of each answer.
    first: HashMap<Cow<'s, str>, EventIx>,
    models: HashMap<Cow<'s, str>, Cow<'s, str>>,
}

impl<'s> Steps<'s> {
    fn of(session: &'s Session) -> Self {
        let mut steps = Self::default();
        for event in session.events().filter(|event| is_step(*event)) {
            let repeats = matches!(event.standing, Standing::Echo | Standing::Copied);
            if let Some(answer) = event.text(Slot::Message).filter(|_| !repeats) {
                steps.first.entry(answer).or_insert(event.index);
            }
        }
        if !steps.first.is_empty() {
            let named =
                |event: EventRef<'s>| Some((event.text(Slot::Id)?, event.text(Slot::Model)?));
            steps.models = session.events().filter_map(named).collect();
        }
        steps
    }

    /// The step that an answer's counter repeats.
    fn of_answer(&self, event: EventRef<'_>) -> Option<EventIx> {
        let id = event.text(Slot::Id).filter(|_| !self.first.is_empty() && !is_step(event))?;
        self.first.get(&id).copied()
    }

    /// The model of a step's answer.
    fn model(&self, event: EventRef<'_>) -> Option<String> {
        let answer = event.text(Slot::Message).filter(|_| is_step(event))?;
        self.models.get(&answer).map(|model| model.clone().into_owned())
    }
}

fn is_step(event: EventRef<'_>) -> bool {
    event.kind == Kind::Notice && event.field(Slot::Usage).is_some()
}

/// What a stream has told so far.
#[derive(Default)]
struct Running {
    model: Option<String>,
    /// The last running total.
    total: Option<Tokens>,
    /// It goes on from another file: the first running total has what was spent there too.
    goes_on: bool,
}

/// What an event says was spent, if it says so, and whether that counts by itself.
fn spent(
    event: EventRef<'_>,
    running: &mut Running,
    convention: Convention,
) -> Option<(Tokens, Verdict)> {
    let within = |slot| event.field(slot).map(|field| tokens(event, field.value, convention));
    let mut own = within(Slot::Usage);
    let mut moved = true;
    if let Some(total) = within(Slot::UsageTotal) {
        // Where both are there, the totals decide: a line may be missing, or stand twice.
        let before = running.total.replace(total);
        let first = before.is_none() && running.goes_on && own.is_some();
        if let Some(since) = total.since(before.unwrap_or_default()).filter(|_| !first) {
            moved = since.total() > 0;
            own = Some(since);
        }
    } else if own.is_none() && event.field(Slot::TokensIn).is_some() {
        own = Some(tokens(event, event.span, convention));
    }
    let own = own.filter(|tokens| *tokens != Tokens::default())?;
    let verdict = if matches!(event.standing, Standing::Echo | Standing::Copied) {
        Verdict::Standing(event.standing)
    } else if event.text(Slot::Model).is_some_and(|model| !model.is_empty() && !is_model(&model)) {
        Verdict::Synthetic
    } else if moved {
        Verdict::Counted
    } else {
        Verdict::NothingNew
    };
    Some((own, verdict))
}

/// Of several usages of one answer, the one that saw most of it counts.
fn settle(
    count: &mut Count,
    counts: &mut [Count],
    by_key: &mut HashMap<String, usize>,
    key: String,
) {
    let place = counts.len();
    let Some(&before) = by_key.get(&key) else {
        by_key.insert(key, place);
        return;
    };
    let winner = &mut counts[before];
    if count.tokens.output > winner.tokens.output {
        winner.verdict = Verdict::Repeats(count.event);
        by_key.insert(key, place);
    } else {
        count.verdict = Verdict::Repeats(winner.event);
    }
}

/// The name of the answer that an event belongs to, if it has one. A step of an answer has its own.
#[must_use]
pub fn key(event: EventRef<'_>) -> Option<String> {
    let name = match event.kind {
        Kind::Notice => event.text(Slot::Id).or_else(|| event.text(Slot::Message)),
        _ => event.text(Slot::Message).or_else(|| event.text(Slot::Id)),
    }?;
    (!name.is_empty()).then(|| name.into_owned())
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
    let mut input = counter(Slot::TokensIn);
    if convention.input_includes_cache {
        input = input.map(|input| input.saturating_sub(cache_read.unwrap_or(0)));
    }
    let mut output = counter(Slot::TokensOut);
    if !convention.output_includes_reasoning {
        output = output.map(|output| output.saturating_add(reasoning.unwrap_or(0)));
    }
    let (cache_write, tool) = (counter(Slot::CacheWrite), counter(Slot::TokensTool));
    Tokens { input, cache_read, cache_write, output, reasoning, tool }
}
