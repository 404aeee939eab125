//! Turns of a session: what was asked, how long it took, what was done, and what it used. Each form
//! of a transcript draws these facts.

use std::collections::{BTreeMap, HashMap, HashSet};

use formats::turns::{TurnEnd, TurnRules};
use meaning::turn::opens;
use session::{EventIx, EventRef, Kind, Outcome, Session, Standing, Stream, UtcTime};

use super::{
    AgentSum, Body, Call, CallKind, Detail, FileDiff, Item, ListPrice, Spending, Transcript,
};

/// Facts of one turn, or of a whole session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnSum {
    /// Its number, from 1; 0 before the first prompt. Of a session: the number of turns.
    pub turn: u64,
    /// The prompt.
    pub prompt: String,
    /// Its first time and its last one.
    pub time: Option<(UtcTime, UtcTime)>,
    /// The time between its first record and its last one, in microseconds; of a session, the sum
    /// over its turns, without the time in between.
    pub active: Option<i64>,
    /// The number of calls, those of sub-agents too.
    pub calls: u64,
    /// The number of those that failed.
    pub failed: u64,
    /// The number of calls by kind.
    pub kinds: BTreeMap<CallKind, u64>,
    /// The number of pictures and other media.
    pub pictures: u64,
    /// The number of sub-agents that it started.
    pub agents: u64,
    /// The sums of each of them: the call that started it, and its task as the call names it.
    pub delegated: Vec<(EventIx, Option<String>, AgentSum)>,
    /// The changed files, by their paths.
    pub files: BTreeMap<String, FileSum>,
    /// The number of inserted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
    /// The use of its answers, those of sub-agents too.
    pub spending: Spending,
    /// Its end, if the agent recorded one.
    pub end: Option<TurnEnd>,
    /// Whether a summary in it replaced what is before the summary.
    pub compacted: bool,
    /// Whether that summary replaced its own prompt too: then the turn began before the summary.
    pub replaced: bool,
}

/// The changes of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileSum {
    /// The number of calls that changed it.
    pub calls: u64,
    /// The number of inserted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
}

/// A turn with its items.
#[derive(Debug)]
pub struct TurnItems<'s> {
    /// Its facts.
    pub sum: TurnSum,
    /// Its items.
    pub items: Vec<Item<'s>>,
}

/// A transcript, turn by turn.
#[derive(Debug)]
pub struct ByTurn<'s> {
    items: Transcript<'s>,
    /// The first item of the next turn.
    next: Option<Item<'s>>,
    ends: HashMap<u64, TurnEnd>,
    /// The sub-agents so far of which no call is known.
    unasked: HashSet<&'s Stream>,
    /// Whether the session is the history of one sub-agent alone.
    alone: bool,
    /// Whether the last item was replaced by a summary.
    old: bool,
    /// Whether all turns of the session are there.
    whole: bool,
}

impl<'s> ByTurn<'s> {
    pub(super) fn of(items: Transcript<'s>) -> Self {
        let (ends, whole) = (ends(items.session), items.is_whole());
        let members = &items.session.bundle.members;
        let alone = members.iter().all(|member| member.stream != Stream::Main);
        Self { items, next: None, ends, unasked: HashSet::new(), alone, old: false, whole }
    }

    /// The transcript, which counts the items that it leaves out.
    #[must_use]
    pub const fn items(&self) -> &Transcript<'s> {
        &self.items
    }

    /// Adds the use of a turn's answers. What no item shows belongs to the last turn.
    fn spend(&mut self, turn: &mut TurnItems<'s>) {
        let spendings = &mut self.items.spendings;
        turn.sum.spending.add(&spendings.take_turn(turn.sum.turn));
        if self.whole && self.next.is_none() {
            turn.sum.spending.add(&spendings.take_rest());
        }
    }
}

impl<'s> Iterator for ByTurn<'s> {
    type Item = TurnItems<'s>;

    fn next(&mut self) -> Option<TurnItems<'s>> {
        let first = self.next.take().or_else(|| self.items.next())?;
        let sum = TurnSum { turn: first.turn, ..TurnSum::default() };
        let mut turn = TurnItems { sum, items: vec![first] };
        for item in self.items.by_ref() {
            if item.turn != turn.sum.turn {
                self.next = Some(item);
                break;
            }
            turn.items.push(item);
        }
        let mut began = false;
        for item in turn.items.iter().filter(|item| item.hidden.is_none()) {
            if *item.event.stream() == Stream::Main {
                let standing = item.event.held_standing();
                let after = std::mem::replace(&mut self.old, standing == Standing::Compacted);
                if after && standing == Standing::Live {
                    turn.sum.compacted = true;
                    turn.sum.replaced = began;
                }
                began = true;
            } else if !self.alone && !self.items.agents.holds(item.event) {
                turn.sum.agents += u64::from(self.unasked.insert(item.event.stream()));
            }
            turn.sum.add(item);
        }
        if turn.sum.time.is_none() {
            turn.items.iter().filter_map(|item| item.event.when()).for_each(|at| turn.sum.at(at));
        }
        turn.sum.active = turn.sum.took();
        turn.sum.end = self.ends.get(&turn.sum.turn).copied();
        self.spend(&mut turn);
        Some(turn)
    }
}

impl TurnSum {
    /// The facts of each turn in a brief transcript of a session, in order: all, or those from
    /// a first to a last one.
    #[must_use]
    pub fn all(session: &Session, only: Option<(u64, u64)>, price: &ListPrice<'_>) -> Vec<Self> {
        let items = Transcript::of(session, Detail::Brief).with_changes().with_spending(price);
        items.of_turns(only).by_turn().map(|turn| turn.sum).collect()
    }

    /// The facts of a session, of those of its turns.
    #[must_use]
    pub fn sum(turns: &[Self]) -> Self {
        let mut sum = Self::default();
        for turn in turns {
            sum.turn += u64::from(turn.turn > 0);
            sum.calls += turn.calls;
            sum.failed += turn.failed;
            sum.pictures += turn.pictures;
            sum.agents += turn.agents;
            sum.inserted += turn.inserted;
            sum.deleted += turn.deleted;
            sum.spending.add(&turn.spending);
            for (kind, calls) in &turn.kinds {
                *sum.kinds.entry(*kind).or_default() += calls;
            }
            for (path, file) in &turn.files {
                sum.file(path, *file);
            }
            if let Some((from, to)) = turn.time {
                sum.at(from);
                sum.at(to);
            }
            if let Some(active) = turn.active {
                sum.active = Some(sum.active.unwrap_or(0).saturating_add(active));
            }
        }
        sum
    }

    fn at(&mut self, time: UtcTime) {
        let (from, to) = self.time.unwrap_or((time, time));
        self.time = Some((from.min(time), to.max(time)));
    }

    fn file(&mut self, path: &str, change: FileSum) {
        let file = match self.files.get_mut(path) {
            Some(file) => file,
            None => self.files.entry(path.to_owned()).or_default(),
        };
        file.calls += change.calls;
        file.inserted += change.inserted;
        file.deleted += change.deleted;
    }

    fn add(&mut self, item: &Item<'_>) {
        let answered = match &item.body {
            Body::Call(call) => call.answered.as_ref(),
            Body::Result { answered, .. } => Some(answered),
            _ => None,
        };
        // What the agent inserts may come hours after the answer, with the next prompt.
        if !matches!(item.body, Body::Injected(_) | Body::Notice(_)) {
            let events = [Some(item.event), answered.map(|answered| answered.event)];
            let times = events.into_iter().flatten().filter_map(|event| event.when());
            times.for_each(|at| self.at(at));
        }
        self.pictures += answered.map_or(0, |answered| answered.media().len() as u64);
        match &item.body {
            Body::Prompt(said) => {
                self.prompt = said.text.to_string();
                self.pictures += said.media.len() as u64;
            }
            Body::Answer(said) | Body::Injected(said) => self.pictures += said.media.len() as u64,
            Body::Call(call) => self.call(call),
            Body::Result { answered, files, .. }
                if !answered.outcome.is_some_and(Outcome::is_bad) =>
            {
                self.changed(files);
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Call<'_>) {
        let outcome = call.answered.as_ref().and_then(|answered| answered.outcome);
        let bad = outcome.is_some_and(Outcome::is_bad);
        self.calls += 1;
        *self.kinds.entry(call.kind).or_default() += 1;
        self.failed += u64::from(bad);
        if let Some(sum) = &call.agent {
            self.agents += sum.started;
            self.spending.apart += sum.apart;
            self.delegated.push((call.event.index, call.target.clone(), (**sum).clone()));
        }
        // A call without a result may not have changed anything.
        if call.answered.is_some() && !bad {
            self.changed(&call.files);
        }
    }

    /// Adds changes that were made.
    fn changed(&mut self, files: &[FileDiff]) {
        for file in files {
            let (inserted, deleted) = (file.inserted, file.deleted);
            self.file(&file.path, FileSum { calls: 1, inserted, deleted });
            self.inserted += inserted;
            self.deleted += deleted;
        }
    }

    /// Its duration in microseconds, from its first record to its last one.
    #[must_use]
    pub fn took(&self) -> Option<i64> {
        let (from, to) = self.time?;
        to.0.checked_sub(from.0).filter(|took| *took > 0)
    }
}

/// The ends of the turns of a session, by their numbers, where the agent recorded it. If no record
/// says it, a turn was completed if the agent wrote what it writes only then, and nothing follows.
fn ends(session: &Session) -> HashMap<u64, TurnEnd> {
    let mut ends = HashMap::new();
    let format = formats::ALL.iter().find(|format| format.name() == session.format);
    let Some(rules) = format.map(|format| format.data().turns) else { return ends };
    let mut turns: Vec<Vec<EventRef<'_>>> = vec![Vec::new()];
    for event in session.top().filter(|event| *event.stream() == Stream::Main) {
        if opens(event) {
            turns.push(Vec::new());
        }
        turns.last_mut().into_iter().for_each(|turn| turn.push(event));
    }
    for (turn, events) in (0..).zip(&turns) {
        // Mostly one of the last records says it, and the others need not be read.
        let told = rules.end.and_then(|rule| events.iter().rev().find_map(|event| rule(*event)));
        let end = told.or_else(|| closes(events, rules).then_some(TurnEnd::Completed));
        ends.extend(end.map(|end| (turn, end)));
    }
    ends
}

/// Whether a record closes a turn, and nothing of the conversation follows it.
fn closes(events: &[EventRef<'_>], rules: &TurnRules) -> bool {
    let mut closing = None;
    for event in events {
        let says = event.kind != Kind::Notice && event.standing.is_conversation();
        if (rules.closes)(*event) {
            closing = closing.or(Some(event.origin.record));
        } else if says && closing != Some(event.origin.record) {
            closing = None;
        }
    }
    closing.is_some()
}
