//! Prompts and calls of a session, as values that need no slots.

use std::borrow::Cow;

use formats::texts::{arguments_of, text_of};
use meaning::conversation;
use session::{EventRef, NO_EVENT, Outcome, Session, UtcTime};
use views::transcript::{self, Body, Detail, SessionText, Transcript};

/// The conversation of a session: the prompts of a person, and the calls of tools.
///
/// A message with [`Kind::User`](crate::Kind::User) need not be a prompt: most agents also use it
/// for results of tools, for reminders and for summaries. These methods yield what is meant.
pub trait SessionTalk {
    /// The prompts, in source order: each opens a turn.
    fn prompts(&self) -> impl Iterator<Item = SaidPrompt<'_>>;

    /// The calls of tools with their results, in source order; those of sub-agents behind the call
    /// that started them.
    fn calls(&self) -> impl Iterator<Item = MadeCall<'_>>;

    /// All texts that `verbatim search` looks into, each with its turn, part, time and address: the
    /// title, and then those of the conversation in source order.
    fn texts(&self) -> impl Iterator<Item = SessionText<'_>>;
}

/// A prompt of a person.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SaidPrompt<'s> {
    /// Its event.
    pub event: EventRef<'s>,
    /// The number of the turn that it opens, from 1.
    pub turn: u64,
    /// The person's own words, without what the agent put around them.
    pub text: Cow<'s, str>,
    /// When it was sent.
    pub time: Option<UtcTime>,
    /// Whether the agent's own next request holds it: not if a summary has replaced it.
    pub live: bool,
}

/// A call of a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MadeCall<'s> {
    /// Its event.
    pub event: EventRef<'s>,
    /// The number of its turn, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The number of sub-agents that it is within.
    pub depth: usize,
    /// The name of the tool, as the agent calls it.
    pub name: Cow<'s, str>,
    /// The arguments as JSON, as the agent wrote them.
    pub input: Option<Cow<'s, str>>,
    /// The argument that best shows its object: a command, a path.
    pub subject: Cow<'s, str>,
    /// Its result, if there is one.
    pub result: Option<CallResult<'s>>,
    /// When it was made.
    pub started: Option<UtcTime>,
    /// Whether the agent's own next request holds it.
    pub live: bool,
}

/// The result of a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallResult<'s> {
    /// Its event.
    pub event: EventRef<'s>,
    /// The answer of the tool, as text.
    pub text: Cow<'s, str>,
    /// Its outcome; `None` if the agent does not tell.
    pub outcome: Option<Outcome>,
    /// When it was there.
    pub time: Option<UtcTime>,
}

impl MadeCall<'_> {
    /// The outcome of the call; `None` without a result, or if the agent does not tell.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.result.as_ref()?.outcome
    }

    /// When its result was there.
    #[must_use]
    pub fn ended(&self) -> Option<UtcTime> {
        self.result.as_ref()?.time
    }
}

/// The time of an event; of a part of a message, that of the message.
fn time_of(event: EventRef<'_>) -> Option<UtcTime> {
    // No agent nests deeper than a message, its parts, and theirs.
    std::iter::successors(Some(event), |event| above(*event)).take(8).find_map(EventRef::time)
}

/// The event that an event is a part of.
fn above(event: EventRef<'_>) -> Option<EventRef<'_>> {
    (event.parent != NO_EVENT).then(|| event.session().event(event.parent))
}

impl SessionTalk for Session {
    fn prompts(&self) -> impl Iterator<Item = SaidPrompt<'_>> {
        Transcript::of(self, Detail::Whole).filter_map(|item| match item.body {
            Body::Prompt(_) => Some(SaidPrompt {
                event: item.event,
                turn: item.turn,
                text: text_of(item.event),
                time: time_of(item.event),
                live: conversation::of(item.event).live,
            }),
            _ => None,
        })
    }

    fn texts(&self) -> impl Iterator<Item = SessionText<'_>> {
        transcript::texts(self)
    }

    fn calls(&self) -> impl Iterator<Item = MadeCall<'_>> {
        Transcript::of(self, Detail::Whole).filter_map(|item| {
            let Body::Call(call) = item.body else { return None };
            let result = call.answered.map(|answered| CallResult {
                event: answered.event,
                text: text_of(answered.event),
                outcome: answered.outcome,
                time: time_of(answered.event),
            });
            Some(MadeCall {
                event: item.event,
                turn: item.turn,
                depth: item.depth,
                name: call.name.unwrap_or_default(),
                input: arguments_of(item.event),
                subject: text_of(item.event),
                result,
                started: time_of(item.event),
                live: conversation::of(item.event).live,
            })
        })
    }
}
