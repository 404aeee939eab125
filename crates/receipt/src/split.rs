//! A session by its turns: which event belongs to which.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use formats::tools::Common;
use formats::turns::{InnerCall, InnerSays, TurnRules, TurnSetting};
use meaning::usage::{Count, Part};
use meaning::{Calls, turn, usage};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot};

use crate::prefixes::Prefixes;
use crate::signs::Signs;
use crate::texts::text;

/// A session by its turns, with everything that a receipt needs of the whole.
#[derive(Debug)]
pub struct SessionTurns<'s> {
    pub(crate) session: &'s Session,
    pub(crate) rules: &'static TurnRules,
    pub(crate) calls: Calls,
    /// The turn of each event.
    owner: Vec<usize>,
    /// By the number of a turn, from 1; 0 is what is before the first.
    parts: Vec<TurnPart>,
    /// The prompt of each turn.
    prompts: Vec<EventIx>,
    /// Of calls, the records of their ends: the event, and the tool that ended.
    pub(crate) ends: HashMap<EventIx, (EventIx, Common)>,
    /// The types of records that the session has, and since when.
    pub(crate) signs: Signs,
    /// Whether the source has a sum of tokens for the session as a whole.
    pub(crate) has_whole: bool,
    /// The turns by their native ids.
    pub(crate) ids: OnceCell<HashMap<String, Vec<usize>>>,
    /// Digests of the beginnings of files.
    pub(crate) prefixes: RefCell<Prefixes>,
    /// The members that receipts of version 0 name, by digest and length.
    pub(crate) found: RefCell<HashMap<(String, u64), Option<u32>>>,
    /// Which members more is only appended to, with the digests of the others.
    pub(crate) kept: OnceCell<Vec<Option<(String, u64)>>>,
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
    /// The last model that is named in it or before it.
    model: Option<String>,
    /// Calls and results within other events.
    inner: Vec<(EventIx, InnerCall)>,
    /// The ends of tools that have no record of their call.
    strays: Vec<(EventIx, Common)>,
}

impl<'s> SessionTurns<'s> {
    /// The turns of a session. A document tells the turns of the agent that it names.
    #[must_use]
    pub fn of(session: &'s Session) -> Self {
        let format = formats::by_name(session.format);
        let rules = format.map_or(&TurnRules::NONE, |format| format.data().turns);
        let convention = format.map_or(usage::Convention::PLAIN, |format| format.data().convention);
        let calls = Calls::of(session);
        let (mut owner, prompts) = owners(session, rules);
        let (ends, strays) = ends(session, rules, &calls, &owner);
        ends.iter().for_each(|(call, (end, _))| owner[*end as usize] = owner[*call as usize]);
        let counts = usage::counts(session, convention);
        let has_whole = counts.iter().any(|count| count.part == Part::Whole);
        let mut parts = parts(session, rules, &owner, prompts.len(), counts);
        for (end, common) in strays {
            parts[owner[end as usize]].strays.push((end, common));
        }
        inner(session, rules, &mut parts);
        let signs =
            Signs::of(session, rules, parts.iter().map(|part| (&*part.events, &*part.strays)));
        Self {
            session,
            rules,
            calls,
            owner,
            parts,
            prompts,
            ends,
            signs,
            has_whole,
            ids: OnceCell::new(),
            prefixes: RefCell::default(),
            found: RefCell::default(),
            kept: OnceCell::new(),
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

    /// The model of a turn: the last that is named in it, or before it.
    pub(crate) fn model(&self, number: usize) -> Option<String> {
        self.parts.get(number)?.model.clone()
    }

    /// The calls and results within other events of a turn.
    pub(crate) fn inner(&self, number: usize) -> &[(EventIx, InnerCall)] {
        self.parts.get(number).map(|part| &*part.inner).unwrap_or_default()
    }

    /// The ends of tools in a turn that have no record of their call.
    pub(crate) fn strays(&self, number: usize) -> &[(EventIx, Common)] {
        self.parts.get(number).map(|part| &*part.strays).unwrap_or_default()
    }

    /// The result of a call, if it is there when a turn ends.
    pub(crate) fn result(&self, call: EventIx, number: usize) -> Option<EventRef<'s>> {
        let result = self.calls.result(call).filter(|at| self.is_by(*at, number))?;
        Some(self.session.event(result))
    }

    /// The call that a result answers, if it is there when a turn ends.
    pub(crate) fn call(&self, result: EventIx, number: usize) -> Option<EventIx> {
        self.calls.call(result).filter(|at| self.is_by(*at, number))
    }

    fn is_by(&self, event: EventIx, number: usize) -> bool {
        self.owner.get(event as usize).is_some_and(|turn| *turn <= number)
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
    let mut model = None;
    for part in &mut parts {
        let named = |event: &EventIx| text(session.event(*event), Slot::Model);
        model = part.events.iter().rev().find_map(named).or(model);
        part.model.clone_from(&model);
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

/// Ends of tools, by their calls.
type Ends = HashMap<EventIx, (EventIx, Common)>;

/// The records of the ends of tools: those of calls, and those without one. The record of the end
/// of a call that came behind its result is neither: it may be of any later turn.
fn ends(
    session: &Session,
    rules: &TurnRules,
    calls: &Calls,
    owner: &[usize],
) -> (Ends, Vec<(EventIx, Common)>) {
    let (mut ends, mut strays) = (Ends::new(), Vec::new());
    let mut ids: Option<HashMap<String, EventIx>> = None;
    for event in session.events() {
        let Some(common) = (rules.ends)(event) else { continue };
        if let Some(call) = calls.call(event.index) {
            if calls.result(call).is_some_and(|result| event.index <= result) {
                ends.entry(call).or_insert((event.index, common));
            }
            continue;
        }
        // Without an output it is no result, and its id joins it.
        let known = ids.get_or_insert_with(|| {
            let calls = session.events().filter(|event| event.kind == Kind::ToolCall);
            calls.filter_map(|call| Some((text(call, Slot::Call)?, call.index))).collect()
        });
        match text(event, Slot::Call).and_then(|id| known.get(&id).copied()) {
            None => strays.push((event.index, common)),
            Some(call) if owner[call as usize] == owner[event.index as usize] => {
                ends.entry(call).or_insert((event.index, common));
            }
            Some(_) => {}
        }
    }
    (ends, strays)
}

/// Finds the calls and results within other events. One that has a record of its own, in the
/// sub-agent's file, is left out.
fn inner(session: &Session, rules: &TurnRules, parts: &mut [TurnPart]) {
    let mut known: Option<HashSet<String>> = None;
    let own = || -> HashSet<String> {
        let calls = session.events().filter(|event| event.kind == Kind::ToolCall);
        calls.filter_map(|call| text(call, Slot::Call)).collect()
    };
    let mut seen = HashSet::new();
    for part in parts {
        for &event in &part.events {
            for inner in (rules.inner)(session.event(event)) {
                let is_new = !known.get_or_insert_with(own).contains(&inner.id);
                let is_call = matches!(inner.says, InnerSays::Call(_));
                if is_new && seen.insert((inner.id.clone(), is_call)) {
                    part.inner.push((event, inner));
                }
            }
        }
    }
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
