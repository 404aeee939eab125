//! An answer of a model, for an agent that writes it as one message with its results behind it.

use session::EventRef;

use super::{Block, Body, Conversion, Piece, Value};

/// The parts of an answer, and the calls in it.
pub(crate) struct Answer<'s> {
    /// Its texts, thoughts and calls, in order.
    pub(crate) parts: Vec<AnswerPart<'s>>,
    /// Its calls: each with the tool's name for the target, and its result.
    pub(crate) calls: Vec<(EventRef<'s>, Value<'s>, Option<EventRef<'s>>)>,
}

/// A part of an answer.
pub(crate) enum AnswerPart<'s> {
    Said(Block<'s>),
    Thought(Block<'s>),
    Call { id: Value<'s>, name: Value<'s>, input: Value<'s> },
}

impl<'s> Conversion<'s> {
    /// The answer that a group of pieces is.
    pub(crate) fn answer(&mut self, group: &[Piece<'s>]) -> Answer<'s> {
        let mut answer = Answer { parts: Vec::new(), calls: Vec::new() };
        for piece in group {
            if let Body::Call(result) = piece.body {
                let id = self.call_id(piece.event, piece.event);
                let (name, input) = self.call(piece.event);
                answer.calls.push((piece.event, name.clone(), result));
                answer.parts.push(AnswerPart::Call { id, name, input });
                continue;
            }
            let part = match piece.body {
                Body::Thought => AnswerPart::Thought,
                _ => AnswerPart::Said,
            };
            answer.parts.extend(self.content(piece).into_iter().map(part));
        }
        answer
    }
}
