//! Pieces of a conversation that cross to another agent, in their order. No agent's name is here.

use session::{Calls, EventRef, Kind, Session, Slot, Standing, Stream, turn};

/// A piece of a conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) event: EventRef<'s>,
    pub(crate) body: Body<'s>,
    /// The number of the model's answer that it belongs to: calls that were made together have one
    /// number.
    pub(crate) answer: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Model,
}

/// The type of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'s> {
    /// A person's prompt.
    Prompt,
    /// The summary that replaced the conversation before it.
    Summary,
    /// The model's text.
    Answer,
    /// The model's thought, in plain text.
    Thought,
    /// A tool call, with its result if it has one.
    Call(Option<EventRef<'s>>),
}

impl Piece<'_> {
    /// Whether the user's side wrote it.
    pub(crate) fn is_from_user(&self) -> bool {
        self.role() == Role::User
    }

    /// The side that wrote it.
    pub(crate) const fn role(&self) -> Role {
        match self.body {
            Body::Prompt | Body::Summary => Role::User,
            Body::Answer | Body::Thought | Body::Call(_) => Role::Model,
        }
    }
}

/// The pieces of a session's main history: what its agent would resume. With `all`, compacted
/// conversation too; it also crosses if nobody but the provider can read its summary.
pub(crate) fn pieces(session: &Session, all: bool) -> Vec<Piece<'_>> {
    let readable = || events(session, false).iter().any(|event| is_summary(*event));
    let calls = Calls::of(session);
    let mut found = Pieces { session, calls: &calls, pieces: Vec::new(), answer: 0 };
    for event in events(session, all || !readable()) {
        found.add(event);
    }
    found.pieces
}

/// The events of the main history in source order, each before the events within it.
fn events(session: &Session, compacted: bool) -> Vec<EventRef<'_>> {
    let mut events = Vec::new();
    for top in session.top() {
        let mut waiting = vec![top];
        while let Some(event) = waiting.pop() {
            let from = waiting.len();
            waiting.extend(event.children());
            waiting[from..].reverse();
            let standing = event.standing();
            let counts = standing == Standing::Live || compacted && standing.is_conversation();
            if counts && *event.stream() == Stream::Main {
                events.push(event);
            }
        }
    }
    events
}

/// Whether an event is the summary of earlier conversation, and can be read.
fn is_summary(event: EventRef<'_>) -> bool {
    event.is_true(Slot::CompactSummary) && !event.said().trim().is_empty()
}

struct Pieces<'p, 's> {
    session: &'s Session,
    calls: &'p Calls,
    pieces: Vec<Piece<'s>>,
    answer: u32,
}

impl<'s> Pieces<'_, 's> {
    fn add(&mut self, event: EventRef<'s>) {
        let says = || !event.said().trim().is_empty();
        let body = match event.kind {
            _ if is_summary(event) => Body::Summary,
            Kind::User if turn::opens(event) => Body::Prompt,
            Kind::Assistant if says() => Body::Answer,
            Kind::Reasoning if says() => Body::Thought,
            Kind::ToolCall => {
                let result = self.calls.result(event.index);
                Body::Call(result.map(|result| self.session.event(result)))
            }
            Kind::ToolResult => {
                self.answer += 1;
                return;
            }
            _ => return,
        };
        let piece = Piece { event, body, answer: self.answer };
        if piece.role() == Role::User {
            self.answer += 1;
        }
        self.pieces.push(Piece { answer: self.answer, ..piece });
    }
}
