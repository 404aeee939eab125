//! Names of answers, of one size whatever an agent calls them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::label::slot::{Kind, Slot};
use crate::label::time::Instant;
use crate::session::{EventRef, Session};

use super::{Convention, Tokens};

/// What an answer is called, as 128 bits: two are equal where all that made them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u64; 2]);

impl Key {
    /// The key that something makes.
    #[must_use]
    pub fn of(what: impl Hash) -> Self {
        let half = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            (seed, &what).hash(&mut hasher);
            hasher.finish()
        };
        Self([half(1), half(2)])
    }
}

/// The name of the answer that an event belongs to, if it has one. A step of an answer has its own.
pub(super) fn name(event: EventRef<'_>) -> Option<Key> {
    let name = match event.kind {
        Kind::Notice => event.text(Slot::Id).or_else(|| event.text(Slot::Message)),
        _ => event.text(Slot::Message).or_else(|| event.text(Slot::Id)),
    }?;
    (!name.is_empty()).then(|| named(&name))
}

/// The key of a name that an agent gave.
pub(super) fn named(name: &str) -> Key {
    Key::of(("answer", name))
}

/// What tells an answer without a name: the session and stream that it is in, its moment, and all
/// the counters that stand there. A copy of a file has all of them.
pub(super) fn moment(event: EventRef<'_>, told: &[Tokens]) -> Option<Key> {
    let (session, time) = (event.session(), event.time()?);
    let stream = format!("{:?}", event.stream());
    (!session.id.is_empty()).then(|| Key::of(("moment", &session.id, stream, time.0, told)))
}

/// What the messages of a session say, and when they were made: what a fork under new ids keeps.
#[derive(Default)]
pub(super) struct Twins {
    messages: HashMap<Key, Message>,
}

#[derive(Clone, Copy, Default)]
struct Message {
    made: Option<Instant>,
    prompt: Option<Key>,
    /// The sum of what its parts say: the order in which they are stored is no matter.
    said: u64,
    steps: u64,
}

impl Twins {
    pub(super) fn of(session: &Session, convention: Convention) -> Self {
        let mut twins = Self::default();
        if !convention.forks_rename {
            return twins;
        }
        for event in session.events() {
            let of = event.text(Slot::Message).or_else(|| event.text(Slot::Id));
            let Some(of) = of.filter(|name| !name.is_empty()) else { continue };
            let message = twins.messages.entry(named(&of)).or_default();
            if event.field(Slot::Message).is_none() {
                message.made = event.time().or(message.made);
                message.prompt = event.text(Slot::Parent).as_deref().map(named).or(message.prompt);
            }
            if let Some(said) = event.raw(Slot::Content) {
                let Key([half, _]) = Key::of(said);
                message.said = message.said.wrapping_add(half);
            }
        }
        twins
    }

    /// What is one in all copies of an answer, under whatever ids. Nothing where it does not say
    /// when it was made: counters alone prove nothing.
    pub(super) fn twin(
        &mut self,
        event: EventRef<'_>,
        model: Option<&str>,
        tokens: Tokens,
    ) -> Option<Key> {
        let of = event.text(Slot::Message).or_else(|| event.text(Slot::Id))?;
        let message = self.messages.get_mut(&named(&of))?;
        message.steps += 1;
        let (said, step, made) = (message.said, message.steps, message.made?.0);
        let prompt = message.prompt.and_then(|prompt| self.messages.get(&prompt));
        let prompt = prompt.map(|prompt| (prompt.said, prompt.made.map(|made| made.0)));
        let cost = event.raw(Slot::Cost);
        Some(Key::of(("twin", (made, said, step), prompt, model, tokens, cost)))
    }
}
