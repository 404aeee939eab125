//! Turns: the prompts that begin them, and the events that belong to them.

use crate::json::value;
use crate::label::event::EventIx;
use crate::label::slot::{Kind, Slot};
use crate::session::bundle::Stream;
use crate::session::{EventRef, Session};

/// A prompt and everything up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The event that opened it; `None` for the events before the first prompt.
    pub prompt: Option<EventIx>,
    /// The top-level events in source order, the prompt first.
    pub events: Vec<EventIx>,
}

/// The turns of a session's conversation, in source order. Only `main` opens turns; sub-agents'
/// events belong to the turn in which they occur.
#[must_use]
pub fn turns(session: &Session) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for event in session.top().filter(|event| event.standing.is_conversation()) {
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

/// Whether an event opens a turn: a user event with human content. Injected text, a carrier of tool
/// results, an empty container and a sub-agent's event open none.
#[must_use]
pub fn opens(event: EventRef<'_>) -> bool {
    event.kind == Kind::User
        && !event.injected
        && event.standing.is_conversation()
        && *event.stream() == Stream::Main
        && !event.children().any(|child| child.kind == Kind::ToolResult)
        && says_something(event)
}

/// Whether there is text, or a block that is not text (a picture, a file).
fn says_something(event: EventRef<'_>) -> bool {
    let Some(raw) = event.raw(Slot::Content) else { return false };
    match raw.first() {
        Some(b'"') => !event.said().trim().is_empty(),
        Some(b'[') => !event.said().trim().is_empty() || value::holds_more(raw),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::json::value;

    #[test]
    fn a_block_says_something_where_it_holds_more_than_empty_text() {
        let more = |raw: &str| value::holds_more(raw.as_bytes());
        assert!(!more(r#"[{"type":"text","text":""}]"#));
        assert!(!more(r#"[{"type":"text","text":"  "},{"type":"text"},{},""]"#));
        assert!(more(r#"[{"type":"text","text":""},{"type":"image","source":{}}]"#));
        assert!(more(r#"[{"inlineData":{"mimeType":"image/png"}}]"#));
    }
}
