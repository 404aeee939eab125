//! Pieces of a conversation that cross to another agent, in their order. No agent's name is here.

use std::collections::HashSet;

use meaning::Calls;
use meaning::conversation::{self, Outside, TalkPart};
use session::{EventIx, EventRef, Injected, Session};

use super::media::has_picture;

/// A piece of a conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) event: EventRef<'s>,
    pub(crate) body: Body<'s>,
    /// Of a prompt that is a command: the text that it expands to.
    pub(crate) expansion: Option<EventRef<'s>>,
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
    /// A person's prompt, or a picture of one.
    Prompt,
    /// The report of a sub-agent.
    Report,
    /// The summary that replaced the conversation before it.
    Summary,
    /// A text that the agent passed to the model in a person's place. It is no prompt, and begins
    /// no turn.
    Told,
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

    /// Whether a person said it.
    pub(crate) const fn is_prompt(&self) -> bool {
        matches!(self.body, Body::Prompt)
    }

    /// The side that wrote it.
    pub(crate) const fn role(&self) -> Role {
        match self.body {
            Body::Prompt | Body::Report | Body::Summary | Body::Told => Role::User,
            Body::Answer | Body::Thought | Body::Call(_) => Role::Model,
        }
    }
}

/// The first piece of the user's side that gives a session without a title one: a prompt, else a
/// report or a summary.
pub(crate) fn asked<'p, 's>(pieces: &'p [Piece<'s>], first: &'p Piece<'s>) -> &'p Piece<'s> {
    let titles = |piece: &&Piece<'_>| piece.is_from_user() && !matches!(piece.body, Body::Told);
    pieces.iter().find(titles).unwrap_or(first)
}

/// The pieces of a session's own history that are live: what its agent would send. With `all`,
/// compacted conversation too; it also crosses if nobody but the provider can read its summary.
pub(crate) fn pieces(session: &Session, all: bool) -> Vec<Piece<'_>> {
    let (mut own, mut sealed) = (Vec::new(), false);
    for event in conversation::events(session).filter(|event| conversation::is_own(*event)) {
        let said = conversation::of(event);
        sealed |= said.live
            && said.part == TalkPart::Nothing(Outside::Sealed)
            && event.injected == Some(Injected::Summary);
        own.extend(said.part.is_something().then_some((event, said)));
    }
    let all = all || sealed;
    let calls = Calls::of(session);
    let mut found = Pieces {
        session,
        calls: &calls,
        pieces: Vec::new(),
        answer: 0,
        met: HashSet::new(),
        closed: false,
    };
    for (event, said) in own {
        if said.live || all && event.standing().is_compacted() {
            found.add(event, said.part);
        }
    }
    found.pieces
}

struct Pieces<'p, 's> {
    session: &'s Session,
    calls: &'p Calls,
    pieces: Vec<Piece<'s>>,
    answer: u32,
    /// The calls and the results so far.
    met: HashSet<EventIx>,
    /// Whether no result follows the last piece, a call.
    closed: bool,
}

impl<'s> Pieces<'_, 's> {
    fn add(&mut self, event: EventRef<'s>, part: TalkPart) {
        let body = match part {
            // No agent takes another file in.
            TalkPart::Picture if !has_picture(event) => return,
            TalkPart::Expansion => return self.expand(event),
            TalkPart::Told => Body::Told,
            TalkPart::Prompt | TalkPart::Task | TalkPart::Picture => Body::Prompt,
            TalkPart::Report => Body::Report,
            TalkPart::Summary => Body::Summary,
            TalkPart::Answer => Body::Answer,
            TalkPart::Thought => Body::Thought,
            TalkPart::Call => {
                self.met.insert(event.index);
                let result = self.calls.result(event.index);
                Body::Call(result.map(|result| self.session.event(result)))
            }
            TalkPart::Result => return self.add_result(event),
            _ => return,
        };
        let piece = Piece { event, body, expansion: None, answer: self.answer };
        if piece.role() == Role::User || self.ends(piece) {
            self.answer += 1;
        }
        self.closed = match body {
            Body::Call(result) => result.is_none_or(|result| self.met.contains(&result.index)),
            _ => false,
        };
        self.pieces.push(Piece { answer: self.answer, ..piece });
    }

    /// Adds the text that a command expands to to its prompt. It is a piece of its own if something
    /// else is between them.
    fn expand(&mut self, event: EventRef<'s>) {
        match self.pieces.last_mut() {
            Some(last) if last.is_prompt() && last.expansion.is_none() => {
                last.expansion = Some(event);
            }
            _ => self.add(event, TalkPart::Told),
        }
    }

    /// A result ends the answer that made its call. One that was written before its call ends none:
    /// the calls around it may have been made together.
    fn add_result(&mut self, result: EventRef<'s>) {
        self.met.insert(result.index);
        let call = self.calls.call(result.index);
        if call.is_none_or(|call| self.met.contains(&call)) {
            self.answer += 1;
        }
    }

    /// Whether the next piece belongs to another answer than the last one: a call of which no
    /// result follows, because nobody wrote it down or it is before its call. The model continued
    /// with that result, but for calls of the same record.
    fn ends(&self, next: Piece<'_>) -> bool {
        let beside = |last: &Piece<'_>| last.event.origin.record == next.event.origin.record;
        let together = matches!(next.body, Body::Call(_)) && self.pieces.last().is_some_and(beside);
        self.closed && !together
    }
}
