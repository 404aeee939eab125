//! The steps of answers, if they are notices with counters of their own. The answer's counter is
//! their sum, or repeats the last; the answer names the model and has the time.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing, UtcTime};

use crate::identity::{Key, Messages};

/// The steps of a session.
#[derive(Default)]
pub(super) struct Steps {
    messages: Messages,
    /// The first step of each answer.
    first: HashMap<Key, EventIx>,
}

impl Steps {
    /// The steps of a session. In some formats the parts of a message are values of their own.
    pub(super) fn of(session: &Session, has_parts: bool) -> Self {
        let mut steps = Self::default();
        if !has_parts && !session.events().any(is_step) {
            return steps;
        }
        let is_message = |event: &EventRef<'_>| {
            event.parent == NO_EVENT
                && event.kind != Kind::Notice
                && event.field(Slot::Message).is_none()
        };
        steps.messages = Messages::of(session.events().filter(is_message));
        for event in session.events().filter(|event| is_step(*event)) {
            let repeats = event.standing.is_copied() || event.standing == Standing::Echo;
            if let Some((_, answer)) = steps.messages.holder(event).filter(|_| !repeats) {
                steps.first.entry(answer).or_insert(event.index);
            }
        }
        steps
    }

    /// The step that an answer's counter repeats.
    pub(super) fn of_answer(&self, event: EventRef<'_>) -> Option<EventIx> {
        if self.first.is_empty() || is_step(event) {
            return None;
        }
        self.first.get(&self.messages.holder(event)?.1).copied()
    }

    /// The message that an event is, or that holds it.
    pub(super) fn message(&self, event: EventRef<'_>) -> Option<Key> {
        self.messages.holder(event).map(|(_, message)| message)
    }

    /// The answer of a step.
    fn answer<'s>(&self, step: EventRef<'s>) -> Option<EventRef<'s>> {
        if !is_step(step) {
            return None;
        }
        let (answer, _) = self.messages.holder(step)?;
        Some(step.session().event(answer))
    }

    /// The model of a step's answer.
    pub(super) fn model<'s>(&self, event: EventRef<'s>) -> Option<Cow<'s, str>> {
        self.answer(event)?.text(Slot::Model)
    }

    /// The time of an answer, also for a step that has none of its own.
    pub(super) fn time(&self, event: EventRef<'_>) -> Option<UtcTime> {
        event.time().or_else(|| self.answer(event)?.time())
    }
}

fn is_step(event: EventRef<'_>) -> bool {
    event.kind == Kind::Notice && event.field(Slot::Usage).is_some()
}
