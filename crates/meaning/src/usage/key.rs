//! Identities of answers, of fixed size whatever their ids.

use std::collections::HashMap;

use session::{EventRef, Kind, Session, Slot, UtcTime};

use super::{Convention, Tokens};
use crate::identity::{Key, digest};

/// The identity of an event's answer, if it has one. A step of an answer has its own.
pub(super) fn name(event: EventRef<'_>) -> Option<Key> {
    let name = match event.kind {
        Kind::Notice => event.text(Slot::Id).or_else(|| event.text(Slot::Message)),
        _ => event.text(Slot::Message).or_else(|| event.text(Slot::Id)),
    }?;
    (!name.is_empty()).then(|| named(&name))
}

/// The key of an agent's own name.
pub(super) fn named(name: &str) -> Key {
    Key::of(("answer", name))
}

/// The identity of an answer without a name: its session and stream, its time, and all its
/// counters. A copy of a file has the same.
pub(super) fn moment(event: EventRef<'_>, told: &[Tokens]) -> Option<Key> {
    let (session, time) = (event.session(), event.time()?);
    let stream = event.stream();
    (!session.id.is_empty()).then(|| Key::of(("moment", &session.id, stream, time.0, told)))
}

/// Texts and times of a session's messages, which a fork under new ids keeps.
#[derive(Default)]
pub(super) struct Twins {
    messages: HashMap<Key, Message>,
}

#[derive(Clone, Copy, Default)]
struct Message {
    made: Option<UtcTime>,
    prompt: Option<Key>,
    /// The sum over its parts, independent of their stored order.
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
                message.said = message.said.wrapping_add(digest(said));
            }
        }
        twins
    }

    /// The identity that all copies of an answer share, under any ids. `None` without a time:
    /// counters alone prove nothing.
    pub(super) fn twin(
        &mut self,
        event: EventRef<'_>,
        model: Option<&str>,
        tokens: Tokens,
    ) -> Option<Key> {
        if self.messages.is_empty() {
            return None;
        }
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
