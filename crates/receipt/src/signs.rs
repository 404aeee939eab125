//! The types of records that a session has: a zero is only known where one would have said
//! otherwise. Each counts from the turn on in which it is first there, so that what comes later
//! changes no receipt.

use std::collections::HashMap;

use formats::tools::Common;
use formats::turns::{Border, TurnRules};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot};

use crate::act::Act;
use crate::history::History;
use crate::texts::text;

/// A type of record, by what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// An answer of the model: a call is one of its parts, or a record beside it.
    Answer,
    /// A call of a script, which calls tools.
    Script,
    /// A result of a call.
    Result,
    /// A result of a call that says whether it went well.
    Outcome,
    /// A call that could have asked to leave the sandbox.
    Escalation,
    /// An approval, or an act of the sandbox.
    Border(Border),
    /// The end of a tool that a script called.
    Inner(Act),
}

/// The types of records of a session, each with the first turn that has one, and its name.
#[derive(Debug, Default)]
pub(crate) struct Signs(Vec<(Sign, usize, String)>);

impl Signs {
    /// The types of a session's records, with the ends of tools without calls.
    pub(crate) fn of(
        session: &Session,
        rules: &TurnRules,
        history: &History,
        strays: &[(EventIx, Common)],
    ) -> Self {
        let mut since: Vec<Vec<EventIx>> = history.turns.iter().map(|_| Vec::new()).collect();
        let strays: HashMap<EventIx, Common> = strays.iter().copied().collect();
        session.events().for_each(|event| since[history.since(event.index)].push(event.index));
        let mut signs = Self::default();
        for (turn, events) in since.into_iter().enumerate() {
            for event in events.into_iter().map(|at| session.event(at)) {
                signs.see(event, rules, turn);
                if let Some(act) = strays.get(&event.index).copied().and_then(Act::of) {
                    signs.put(Sign::Inner(act), turn, event);
                }
            }
        }
        signs
    }

    fn see(&mut self, event: EventRef<'_>, rules: &TurnRules, turn: usize) {
        match event.kind {
            Kind::Assistant | Kind::Reasoning => self.put(Sign::Answer, turn, event),
            Kind::ToolCall => {
                self.put(Sign::Answer, turn, event);
                if !self.has(Sign::Script) && (rules.is_script)(event) {
                    self.put(Sign::Script, turn, event);
                }
                if !self.has(Sign::Escalation) && (rules.escalates)(event).is_some() {
                    self.put(Sign::Escalation, turn, event);
                }
            }
            Kind::ToolResult => {
                self.put(Sign::Result, turn, event);
                if !self.has(Sign::Outcome) && event.outcome().is_some() {
                    self.put(Sign::Outcome, turn, event);
                }
            }
            _ => {}
        }
        if let Some((kinds, name)) = (rules.shows)(event) {
            for kind in kinds {
                self.named(Sign::Border(*kind), turn, || name.to_owned());
            }
        }
    }

    fn has(&self, sign: Sign) -> bool {
        self.0.iter().any(|(known, ..)| *known == sign)
    }

    fn put(&mut self, sign: Sign, turn: usize, event: EventRef<'_>) {
        self.named(sign, turn, || name(event));
    }

    fn named(&mut self, sign: Sign, turn: usize, name: impl FnOnce() -> String) {
        if !self.has(sign) {
            self.0.push((sign, turn, name()));
        }
    }

    /// Whether a script ran up to a turn's end.
    pub(crate) fn runs_scripts(&self, turn: usize) -> bool {
        self.by(Sign::Script, turn).is_some()
    }

    /// The name of a type of record, if the session has one when a turn ends.
    pub(crate) fn by(&self, sign: Sign, turn: usize) -> Option<&str> {
        let known = self.0.iter().find(|(known, first, _)| *known == sign && *first <= turn);
        known.map(|(.., name)| name.as_str())
    }
}

/// The name of a record's type, as the source writes it; of a record without one, the name of the
/// member that tells what it is.
fn name(event: EventRef<'_>) -> String {
    let last = |event: EventRef<'_>| {
        let types = event.fields().iter().filter(|field| field.slot == Slot::Type);
        let texts = types.filter_map(|field| session::value::text(event.value(*field)));
        texts.map(|text| text.into_owned()).rfind(|text| is_word(text))
    };
    let member = |slots: &[Slot]| {
        let field = slots.iter().find_map(|slot| event.field(*slot))?;
        Some(String::from_utf8_lossy(event.name(field)).into_owned())
            .filter(|name| !name.is_empty())
    };
    let line = (event.parent != NO_EVENT).then(|| event.session().event(event.parent));
    let by_role = |event: EventRef<'_>| text(event, Slot::Role);
    last(event)
        .or_else(|| by_role(event))
        .or_else(|| (event.kind == Kind::ToolResult).then(|| member(&TELLING))?)
        .or_else(|| line.and_then(|line| last(line).or_else(|| by_role(line))))
        .or_else(|| member(&[Slot::Content, Slot::Name]))
        .unwrap_or_else(|| event.case.name.to_owned())
}

/// The members of a result that tell what became of its call.
const TELLING: [Slot; 6] =
    [Slot::IsError, Slot::Success, Slot::ExitCode, Slot::Status, Slot::Output, Slot::Call];

/// Whether a type is a word: some agents write numbers.
fn is_word(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}
