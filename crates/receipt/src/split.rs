//! A session by its turns: which event belongs to which.

use formats::turns::TurnRules;
use meaning::usage::Count;
use meaning::{Calls, turn, usage};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot};

/// A session by its turns, with everything that a receipt needs of the whole.
#[derive(Debug)]
pub struct SessionTurns<'s> {
    pub(crate) session: &'s Session,
    pub(crate) rules: &'static TurnRules,
    pub(crate) calls: Calls,
    pub(crate) counts: Vec<Count>,
    /// For each event, the number of its turn from 1; 0 before the first.
    pub(crate) owner: Vec<usize>,
    /// The prompt of each turn.
    prompts: Vec<EventIx>,
}

impl<'s> SessionTurns<'s> {
    /// The turns of a session. A document tells the turns of the agent that it names.
    #[must_use]
    pub fn of(session: &'s Session) -> Self {
        let format = formats::by_name(session.format);
        let rules = format.map_or(&TurnRules::NONE, |format| format.data().turns);
        let convention = format.map_or(usage::Convention::PLAIN, |format| format.data().convention);
        let (owner, prompts) = owners(session, rules);
        Self {
            session,
            rules,
            calls: Calls::of(session),
            counts: usage::counts(session, convention),
            owner,
            prompts,
        }
    }

    /// The number of turns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.prompts.len()
    }

    /// Whether the session has no turn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prompts.is_empty()
    }

    /// The events of a turn, in the order of reading.
    pub(crate) fn events(&self, number: usize) -> impl Iterator<Item = EventRef<'s>> + '_ {
        let own = move |event: &EventRef<'_>| self.owner[event.index as usize] == number;
        self.session.events().filter(own)
    }

    /// The prompt of a turn.
    pub(crate) fn prompt(&self, number: usize) -> Option<EventRef<'s>> {
        self.prompts.get(number.checked_sub(1)?).map(|prompt| self.session.event(*prompt))
    }
}

/// The turn of each event, and the prompts. A line that begins a turn before its prompt belongs to
/// it, with what is between them.
fn owners(session: &Session, rules: &TurnRules) -> (Vec<usize>, Vec<EventIx>) {
    let mut owner = vec![0; session.len()];
    let mut prompts = Vec::new();
    let mut ahead: Vec<EventIx> = Vec::new();
    for turn in turn::turns(session) {
        if let Some(prompt) = turn.prompt {
            prompts.push(prompt);
        }
        let number = prompts.len();
        for event in ahead.drain(..).chain(turn.events.iter().copied()) {
            owner[event as usize] = number;
        }
        let begins = |event: &EventIx| (rules.begins)(session.event(*event));
        let said = |event: &EventIx| is_said(session.event(*event));
        if let Some(at) = turn.events.iter().rposition(begins)
            && !turn.events[at..].iter().any(said)
        {
            ahead.extend(&turn.events[at..]);
        }
    }
    for event in session.events().filter(|event| event.parent != NO_EVENT) {
        owner[event.index as usize] = owner[event.parent as usize];
    }
    (owner, prompts)
}

/// Whether the model, or a tool, said something.
fn is_said(event: EventRef<'_>) -> bool {
    let kinds = [Kind::Assistant, Kind::Reasoning, Kind::ToolCall, Kind::ToolResult];
    kinds.contains(&event.kind) || event.children().any(|child| kinds.contains(&child.kind))
}

/// The text of a slot, if it is not empty.
pub(crate) fn text(event: EventRef<'_>, slot: Slot) -> Option<String> {
    event.text(slot).filter(|text| !text.is_empty()).map(|text| text.into_owned())
}
