//! Turns: the prompts that begin them, and the events that belong to them.

use session::{EventIx, EventRef, Injected, Kind, Session};

use crate::conversation::{self, TalkPart};

/// A prompt and everything up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The event that opened it; `None` for the events before the first prompt.
    pub prompt: Option<EventIx>,
    /// The top-level events in source order, the prompt first.
    pub events: Vec<EventIx>,
}

/// The turns of a session's conversation, in source order. Sub-agents' events belong to the turn in
/// which they occur.
#[must_use]
pub fn turns(session: &Session) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for event in session.top().filter(|event| event.held_standing().is_conversation()) {
        let opens = opens(event);
        match turns.last_mut() {
            Some(turn) if !opens => turn.events.push(event.index),
            _ => {
                turns.push(Turn { prompt: opens.then_some(event.index), events: vec![event.index] })
            }
        }
    }
    turns
}

/// The number of a session's turns: each begins with a prompt.
#[must_use]
pub fn number_of_turns(session: &Session) -> usize {
    session.top().filter(|event| opens(*event)).count()
}

/// Whether an event opens a turn: a prompt of the session's own history, or a copied one where the
/// session holds nothing but copies. Injected text, a carrier of tool results, an empty container
/// and a sub-agent's event open none.
#[must_use]
pub fn opens(event: EventRef<'_>) -> bool {
    event.held_standing().is_conversation() && opened(event)
}

/// Whether an event opened a turn when it was written, whatever its standing is now.
#[must_use]
pub fn opened(event: EventRef<'_>) -> bool {
    event.kind == Kind::User
        && event.injected.is_none_or(|reason| reason == Injected::Task)
        && conversation::of(event).part == TalkPart::Prompt
}
