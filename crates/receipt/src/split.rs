//! A session by its turns: which event belongs to which.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use formats::tools::Common;
use formats::turns::{InnerCall, InnerSays, TurnEnd, TurnRules, TurnSetting};
use meaning::usage::{Count, Part};
use meaning::{Calls, conversation, usage};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Sorting as _};

use crate::history::{History, TurnIx};
use crate::prefixes::Prefixes;
use crate::signs::Signs;
use crate::texts::{call_id, text};

/// A session by its turns, with everything that a receipt needs of the whole.
#[derive(Debug)]
pub struct SessionTurns<'s> {
    pub(crate) session: &'s Session,
    pub(crate) rules: &'static TurnRules,
    pub(crate) calls: Calls,
    /// The turns as they happened.
    history: History,
    /// The live turns by their numbers, from 1.
    live: Vec<TurnIx>,
    /// By the index of a turn.
    parts: Vec<TurnPart>,
    /// Of calls, the records of their ends: the event, and the tool that ended.
    pub(crate) ends: HashMap<EventIx, (EventIx, Common)>,
    /// The types of records that the session has, and since when.
    pub(crate) signs: Signs,
    /// Whether the source has a sum of tokens for the session as a whole.
    pub(crate) has_whole: bool,
    /// The sub-agents whose sessions have files of their own, where these are at hand.
    pub(crate) sub_agents: Vec<SubAgent<'s>>,
    /// The sessions of sub-agents, by the calls that started them.
    pub(crate) spawned: OnceCell<HashMap<String, String>>,
    /// The turns by their native ids.
    pub(crate) ids: OnceCell<HashMap<String, Vec<TurnIx>>>,
    /// Digests of the beginnings of files.
    pub(crate) prefixes: RefCell<Prefixes>,
    /// The members that receipts of version 0 name, by digest and length.
    pub(crate) found: RefCell<HashMap<(String, u64), Option<u32>>>,
    /// Which members more is only appended to, with the digests of the others.
    pub(crate) kept: OnceCell<Vec<Option<(String, u64)>>>,
}

/// A sub-agent's session.
#[derive(Debug)]
pub(crate) struct SubAgent<'s> {
    pub(crate) id: String,
    pub(crate) turns: SessionTurns<'s>,
    /// Its turns, by the turns of the session that they belong to.
    pub(crate) during: HashMap<TurnIx, Vec<TurnIx>>,
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
        let mut history = History::of(session, rules);
        let (ends, strays) = ends(session, rules, &calls, &history.owner);
        let owner = &mut history.owner;
        ends.iter().for_each(|(call, (end, _))| owner[*end as usize] = owner[*call as usize]);
        let counts = usage::counts(session, convention);
        let has_whole = counts.iter().any(|count| count.part == Part::Whole);
        let signs = Signs::of(session, rules, &history, &strays);
        let parts = parts(session, rules, &history, counts, strays);
        let is_live = |turn: &TurnIx| !history.turns[*turn].left;
        let live = (1..history.turns.len()).filter(is_live).collect();
        Self {
            session,
            rules,
            calls,
            history,
            live,
            parts,
            ends,
            signs,
            has_whole,
            sub_agents: Vec::new(),
            spawned: OnceCell::new(),
            ids: OnceCell::new(),
            prefixes: RefCell::default(),
            found: RefCell::default(),
            kept: OnceCell::new(),
        }
    }

    /// The number of turns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// The index of a live turn, by its number.
    pub(crate) fn live(&self, number: usize) -> Option<TurnIx> {
        self.live.get(number.checked_sub(1)?).copied()
    }

    /// The turns whose branch is not the live one, in the order in which they began.
    pub(crate) fn left(&self) -> impl Iterator<Item = TurnIx> + '_ {
        (1..self.history.turns.len()).filter(|turn| self.is_left(*turn))
    }

    /// The calls, the results and the texts of a turn.
    pub(crate) fn said(&self, turn: TurnIx) -> Vec<EventRef<'s>> {
        let is_something = |event: &EventRef<'_>| conversation::of(*event).part.is_something();
        self.events(turn).filter(is_something).collect()
    }

    /// The end of a turn: the last record that says how it ended, or one that closes it.
    pub(crate) fn end(&self, turn: TurnIx) -> Option<TurnEnd> {
        self.told_end(turn).or_else(|| self.closing(turn).map(|_| TurnEnd::Completed))
    }

    /// The end of a turn, as the last record says that tells how it ended.
    pub(crate) fn told_end(&self, turn: TurnIx) -> Option<TurnEnd> {
        let rule = self.rules.end?;
        self.events(turn).filter_map(rule).last()
    }

    /// The record that closes a turn: the first one that nothing of the conversation follows. What
    /// the agent writes behind it is no part of the receipt.
    fn closing(&self, turn: TurnIx) -> Option<EventRef<'s>> {
        let mut closing: Option<EventRef<'s>> = None;
        for event in self.events(turn) {
            let same = closing.is_some_and(|it| it.origin.record == event.origin.record);
            let says = event.kind != Kind::Notice && event.standing.is_conversation();
            if (self.rules.closes)(event) {
                closing.get_or_insert(event);
            } else if says && !same {
                closing = None;
            }
        }
        closing
    }

    /// The records that say that a turn ended; none if its receipt is made without an end.
    pub(crate) fn ends_of(&self, turn: TurnIx, end: Option<TurnEnd>) -> Vec<EventRef<'s>> {
        let (Some(_), Some(rule)) = (end, self.rules.end) else { return Vec::new() };
        let told: Vec<_> = self.events(turn).filter(|event| rule(*event).is_some()).collect();
        if told.is_empty() { self.closing(turn).into_iter().collect() } else { told }
    }

    /// The turns in the order in which they began, without the parts that were left.
    pub(crate) fn begun(&self) -> impl Iterator<Item = TurnIx> + '_ {
        (1..self.history.turns.len()).filter(|turn| self.history.shared(*turn).is_none())
    }

    /// Whether the branch of a turn is not the live one.
    pub(crate) fn is_left(&self, turn: TurnIx) -> bool {
        self.history.turns.get(turn).is_some_and(|begun| begun.left)
    }

    /// The number of a turn on its branch, from 1.
    pub(crate) fn number(&self, turn: TurnIx) -> usize {
        self.history.turns.get(turn).map_or(0, |begun| begun.number)
    }

    /// Whether the session has no turn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// The events of a turn, in the order of reading.
    pub(crate) fn events(&self, turn: TurnIx) -> impl Iterator<Item = EventRef<'s>> + '_ {
        let events = self.parts.get(turn).map(|part| &*part.events).unwrap_or_default();
        events.iter().map(|event| self.session.event(*event))
    }

    /// The events of a turn as the receipts of version 0 had them: with the notes that were written
    /// in turns behind it that were taken back.
    pub(crate) fn events_first(&self, turn: TurnIx) -> impl Iterator<Item = EventRef<'s>> + '_ {
        let behind = self.live.partition_point(|live| *live <= turn);
        let next = self.live.get(behind).copied().unwrap_or(self.parts.len());
        let until = if self.is_left(turn) { turn + 1 } else { next };
        (turn..until)
            .flat_map(|at| self.events(at).map(move |event| (at, event)))
            .filter(move |(at, event)| *at == turn || event.standing.is_conversation())
            .map(|(_, event)| event)
    }

    /// Whether an event itself is one of a turn.
    pub(crate) fn owns(&self, event: EventIx, turn: TurnIx) -> bool {
        self.history.owner.get(event as usize) == Some(&turn)
    }

    /// The token counts of the answers of a turn.
    pub(crate) fn counts(&self, turn: TurnIx) -> &[Count] {
        self.parts.get(turn).map(|part| &*part.counts).unwrap_or_default()
    }

    /// The settings with which a turn began: the last before it, or the first within it.
    pub(crate) fn settings(&self, turn: TurnIx) -> Settings {
        self.parts.get(turn).map(|part| part.settings.clone()).unwrap_or_default()
    }

    /// The model of a turn: the last that is named in it, or before it.
    pub(crate) fn model(&self, turn: TurnIx) -> Option<String> {
        self.parts.get(turn)?.model.clone()
    }

    /// The calls and results within other events of a turn.
    pub(crate) fn inner(&self, turn: TurnIx) -> &[(EventIx, InnerCall)] {
        self.parts.get(turn).map(|part| &*part.inner).unwrap_or_default()
    }

    /// The ends of tools in a turn without a record of their call.
    pub(crate) fn strays(&self, turn: TurnIx) -> &[(EventIx, Common)] {
        self.parts.get(turn).map(|part| &*part.strays).unwrap_or_default()
    }

    /// The result of a call when a turn ends. One of an earlier turn is of another call.
    pub(crate) fn result(&self, call: EventIx, turn: TurnIx) -> Option<EventRef<'s>> {
        let result = self.calls.result(call).filter(|at| self.is_by(*at, turn))?;
        (!self.history.is_before(result, call)).then(|| self.session.event(result))
    }

    /// The call that a result answers, if it is there when a turn ends.
    pub(crate) fn call(&self, result: EventIx, turn: TurnIx) -> Option<EventIx> {
        self.calls.call(result).filter(|at| self.is_by(*at, turn))
    }

    fn is_by(&self, event: EventIx, turn: TurnIx) -> bool {
        self.history.is_by(event, turn)
    }

    /// The prompt of a turn.
    pub(crate) fn prompt(&self, turn: TurnIx) -> Option<EventRef<'s>> {
        Some(self.session.event(self.history.turns.get(turn)?.prompt?))
    }
}

/// The parts of a session, by the turns of its events.
fn parts(
    session: &Session,
    rules: &TurnRules,
    history: &History,
    counts: Vec<Count>,
    strays: Vec<(EventIx, Common)>,
) -> Vec<TurnPart> {
    let owner = |event: EventIx| history.owner[event as usize];
    let mut parts: Vec<TurnPart> = history.turns.iter().map(|_| TurnPart::default()).collect();
    for event in session.events() {
        parts[owner(event.index)].events.push(event.index);
    }
    for count in counts {
        parts[history.counts_in(session.event(count.event))].counts.push(count);
    }
    for (end, common) in strays {
        parts[owner(end)].strays.push((end, common));
    }
    for turn in 1..parts.len() {
        if let Some((now, shared)) = history.shared(turn) {
            let shared: HashSet<EventIx> = shared.iter().copied().collect();
            let (now, was) = (std::mem::take(&mut parts[now]), &mut parts[turn]);
            was.join(&now, session, &shared);
            parts[history.shared(turn).map_or(turn, |(now, _)| now)] = now;
        }
    }
    inner(session, rules, &mut parts);
    settle(session, rules, history, &mut parts);
    parts
}

impl TurnPart {
    /// Adds the part of a turn that is now another one: the events within some top-level ones.
    fn join(&mut self, now: &Self, session: &Session, shared: &HashSet<EventIx>) {
        let is_shared = |event: EventIx| {
            let event = session.event(event);
            shared.contains(&if event.parent == NO_EVENT { event.index } else { event.parent })
        };
        self.events.extend(now.events.iter().copied().filter(|event| is_shared(*event)));
        self.events.in_order();
        self.counts.extend(now.counts.iter().filter(|count| is_shared(count.event)).cloned());
        self.counts.in_order_by_key(|count| count.event);
        self.strays.extend(now.strays.iter().copied().filter(|(event, _)| is_shared(*event)));
    }
}

/// Sets what held when each turn began: the last values on its branch.
fn settle(session: &Session, rules: &TurnRules, history: &History, parts: &mut [TurnPart]) {
    let mut lasts: Vec<Settings> = Vec::new();
    for turn in 0..parts.len() {
        let begun = &history.turns[turn];
        let mut last = lasts.get(begun.before).cloned().unwrap_or_default();
        let before = parts.get(begun.before).and_then(|part| part.model.clone());
        let part = &mut parts[turn];
        let named = |event: &EventIx| text(session.event(*event), Slot::Model);
        part.model = part.events.iter().rev().find_map(named).or(before);
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
        lasts.push(last);
    }
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
            calls.filter_map(|call| Some((call_id(call)?, call.index))).collect()
        });
        match call_id(event).and_then(|id| known.get(&id).copied()) {
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
        calls.filter_map(call_id).collect()
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
