//! A session by its turns: which event belongs to which.

use std::cell::OnceCell;

use formats::turns::{TurnRules, TurnSetting};
use meaning::usage::Count;
use meaning::{Calls, facts, turn, usage};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot};

use crate::document::Source;

/// A session by its turns, with everything that a receipt needs of the whole.
#[derive(Debug)]
pub struct SessionTurns<'s> {
    pub(crate) session: &'s Session,
    pub(crate) rules: &'static TurnRules,
    pub(crate) calls: Calls,
    /// By the number of a turn, from 1; 0 is what is before the first.
    parts: Vec<TurnPart>,
    /// The prompt of each turn.
    prompts: Vec<EventIx>,
    /// The model of the session.
    model: OnceCell<Option<String>>,
    /// The files of the session.
    pub(crate) sources: OnceCell<Sources>,
}

/// The files with records of the session, in an order that no folder decides.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) sources: Vec<Source>,
    /// The place of each member of the bundle among them.
    pub(crate) place: Vec<Option<u64>>,
}

/// Settings, a place for each kind.
pub(crate) type Settings = [Option<TurnSetting>; 4];

/// The part of a session that is a turn: what a receipt of one turn asks costs no more than the
/// turn, so that all receipts together cost as much as the session.
#[derive(Debug, Default)]
struct TurnPart {
    /// In the order of reading.
    events: Vec<EventIx>,
    counts: Vec<Count>,
    settings: Settings,
}

impl<'s> SessionTurns<'s> {
    /// The turns of a session. A document tells the turns of the agent that it names.
    #[must_use]
    pub fn of(session: &'s Session) -> Self {
        let format = formats::by_name(session.format);
        let rules = format.map_or(&TurnRules::NONE, |format| format.data().turns);
        let convention = format.map_or(usage::Convention::PLAIN, |format| format.data().convention);
        let (owner, prompts) = owners(session, rules);
        let counts = usage::counts(session, convention);
        let parts = parts(session, rules, &owner, prompts.len(), counts);
        let (model, sources) = (OnceCell::new(), OnceCell::new());
        Self { session, rules, calls: Calls::of(session), parts, prompts, model, sources }
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
        let events = self.parts.get(number).map(|part| &*part.events).unwrap_or_default();
        events.iter().map(|event| self.session.event(*event))
    }

    /// The token counts of the answers of a turn.
    pub(crate) fn counts(&self, number: usize) -> &[Count] {
        self.parts.get(number).map(|part| &*part.counts).unwrap_or_default()
    }

    /// The settings with which a turn began: the last before it, or the first within it.
    pub(crate) fn settings(&self, number: usize) -> Settings {
        self.parts.get(number).map(|part| part.settings.clone()).unwrap_or_default()
    }

    /// The model of the session, for a turn that names none.
    pub(crate) fn model(&self) -> Option<String> {
        let model = || facts::model(self.session).map(|model| model.to_owned());
        self.model.get_or_init(model).clone()
    }

    /// The prompt of a turn.
    pub(crate) fn prompt(&self, number: usize) -> Option<EventRef<'s>> {
        self.prompts.get(number.checked_sub(1)?).map(|prompt| self.session.event(*prompt))
    }
}

/// The parts of a session, by the turns of its events.
fn parts(
    session: &Session,
    rules: &TurnRules,
    owner: &[usize],
    turns: usize,
    counts: Vec<Count>,
) -> Vec<TurnPart> {
    let mut parts: Vec<TurnPart> = (0..=turns).map(|_| TurnPart::default()).collect();
    for event in session.events() {
        parts[owner[event.index as usize]].events.push(event.index);
    }
    for count in counts {
        parts[owner[count.event as usize]].counts.push(count);
    }
    let mut last = Settings::default();
    for part in &mut parts {
        let mut first = Settings::default();
        part.settings.clone_from(&last);
        for &event in &part.events {
            for setting in (rules.settings)(session.event(event)) {
                let at = place(&setting);
                if first[at].is_none() {
                    first[at] = Some(setting.clone());
                    part.settings[at] = Some(setting.clone());
                }
                last[at] = Some(setting);
            }
        }
    }
    parts
}

/// The place of a kind of setting.
const fn place(setting: &TurnSetting) -> usize {
    match setting {
        TurnSetting::AutoApprove(_) => 1,
        TurnSetting::TrustMode(_) => 2,
        TurnSetting::AllowShell(_) => 3,
        _ => 0,
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
