//! Turns: where a person's prompt begins one, and what belongs to it.

use crate::json::value;
use crate::label::event::EventIx;
use crate::label::slot::{Kind, Slot};
use crate::session::bundle::Stream;
use crate::session::{EventRef, Session};

/// A prompt and everything up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The event that opened it; `None` for what stands before the first prompt.
    pub prompt: Option<EventIx>,
    /// The top-level events in source order, the prompt first.
    pub events: Vec<EventIx>,
}

/// The turns of a session's conversation, in source order. Only `main` opens turns; what
/// sub-agents do belongs to the turn in which they do it.
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

/// A turn opens at a user event with human content: not at injected text, not at the carrier of
/// tool results, not at an empty container, not within a sub-agent.
#[must_use]
pub fn opens(event: EventRef<'_>) -> bool {
    event.kind == Kind::User
        && !event.injected
        && event.standing.is_conversation()
        && *event.stream() == Stream::Main
        && !event.children().any(|child| child.kind == Kind::ToolResult)
        && says_something(event)
}

/// Text, or a block (a picture, a file) that is not text.
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
