//! The turns of a session as they happened: also those that were taken back since, each behind the
//! turn that it followed. A turn keeps its number and its records, whatever is rewound later.

use std::collections::{BTreeMap, HashMap};

use formats::turns::{Rewind, TurnRules};
use meaning::{conversation, turn};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing, Stream, UtcTime};

use crate::texts::text;

/// A turn by its index in the order in which turns began, from 1; 0 is what is before the first.
pub(crate) type TurnIx = usize;

/// The number of live turns a part of which was left. Those beyond it have no form of their own:
/// each costs as much as the turn.
const MOST_PARTS: usize = 64;

/// A turn that began.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Its prompt; none for what is before the first turn.
    pub(crate) prompt: Option<EventIx>,
    /// Its number on its branch, from 1.
    pub(crate) number: usize,
    /// The turn that it followed on its branch.
    pub(crate) before: TurnIx,
    /// Whether its branch, or a part of the turn, is not the live one.
    pub(crate) left: bool,
    /// Of a live turn as it was before a part of it was left: the turn that it is now.
    part_of: Option<TurnIx>,
    /// Its top-level events.
    top: Vec<EventIx>,
}

/// The turns of a session, and which event belongs to which.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) turns: Vec<Begun>,
    /// The turn of each event.
    pub(crate) owner: Vec<TurnIx>,
    /// The last turn that had begun when an event was written; 0 for what is no part of the
    /// history, such as a copy.
    pub(crate) when: Vec<TurnIx>,
    /// Of earlier states and repetitions of events, the turn in which they were written: an answer
    /// is counted at the first of them.
    repeated: BTreeMap<EventIx, TurnIx>,
}

impl History {
    pub(crate) fn of(session: &Session, rules: &TurnRules) -> Self {
        let mut walk = Walk::new(session, rules);
        session.top().for_each(|event| walk.see(event));
        let mut history = walk.history;
        history.settle_repeated(session);
        for event in session.events().filter(|event| event.parent != NO_EVENT) {
            let (at, parent) = (event.index as usize, event.parent as usize);
            history.owner[at] = history.owner[parent];
            history.when[at] = history.when[parent];
        }
        history
    }

    /// Gives each repeated event the turn that has it by its id, if there is one: a file that is
    /// written on may begin with all messages anew.
    fn settle_repeated(&mut self, session: &Session) {
        if self.repeated.is_empty() {
            return;
        }
        let own = session.top().filter(|event| self.owner[event.index as usize] > 0);
        let ids: HashMap<String, TurnIx> = own
            .filter_map(|it| Some((text(it, Slot::Id)?, self.owner[it.index as usize])))
            .collect();
        for (event, turn) in &mut self.repeated {
            let id = text(session.event(*event), Slot::Id);
            *turn = id.and_then(|id| ids.get(&id).copied()).unwrap_or(*turn);
        }
    }

    /// The turn that the tokens of an event count in.
    pub(crate) fn counts_in(&self, event: EventRef<'_>) -> TurnIx {
        let top = if event.parent == NO_EVENT { event.index } else { event.parent };
        match self.owner[event.index as usize] {
            0 => self.repeated.get(&top).copied().unwrap_or_default(),
            owner => owner,
        }
    }

    /// Whether an event was written when a turn ended, or belongs to it.
    pub(crate) fn is_by(&self, event: EventIx, turn: TurnIx) -> bool {
        self.owner.get(event as usize) == Some(&turn) || self.since(event) <= turn
    }

    /// Whether an event is one of a turn before that of another event.
    pub(crate) fn is_before(&self, event: EventIx, other: EventIx) -> bool {
        let turn = |at: EventIx| self.owner.get(at as usize).copied().unwrap_or_default();
        (1..turn(other)).contains(&turn(event))
    }

    /// The turn from which on an event is there.
    pub(crate) fn since(&self, event: EventIx) -> TurnIx {
        match (self.owner[event as usize], self.when[event as usize]) {
            (0, when) => when,
            (owner, 0) => owner,
            (owner, when) => owner.min(when),
        }
    }

    /// The events of a turn as it was that belong to the turn that it is now: they were there
    /// before the part that was left.
    pub(crate) fn shared(&self, turn: TurnIx) -> Option<(TurnIx, &[EventIx])> {
        let begun = self.turns.get(turn)?;
        Some((begun.part_of?, &begun.top))
    }
}

/// The walk over the events in source order.
struct Walk<'w, 's> {
    session: &'s Session,
    rules: &'w TurnRules,
    history: History,
    /// The turns that are the conversation now, in their order.
    live: Vec<TurnIx>,
    /// The last turn that began; behind a record that takes turns back, the one before these.
    last: TurnIx,
    /// The turn that the next one follows.
    now: TurnIx,
    /// The events since the last turn began.
    run: Vec<EventIx>,
    /// The events by their ids, of a session with branches.
    ids: Option<HashMap<String, EventIx>>,
    /// Whether prompts name the event before them.
    tree: bool,
    /// The turns by the times of their prompts.
    times: BTreeMap<UtcTime, TurnIx>,
    /// The last turn that began, parts of turns apart.
    begun: TurnIx,
    parts: usize,
}

impl<'w, 's> Walk<'w, 's> {
    fn new(session: &'s Session, rules: &'w TurnRules) -> Self {
        let first = Begun {
            prompt: None,
            number: 0,
            before: 0,
            left: false,
            part_of: None,
            top: Vec::new(),
        };
        let history = History {
            turns: vec![first],
            owner: vec![0; session.len()],
            when: vec![0; session.len()],
            repeated: BTreeMap::new(),
        };
        let ids = session.top().any(|event| is_left(event.standing)).then(|| {
            let events = session.top().filter(|event| event.kind != Kind::Opaque);
            events.filter_map(|event| Some((text(event, Slot::Id)?, event.index))).collect()
        });
        let names = |event: EventRef<'_>| event.field(Slot::Parent).is_some();
        let tree = ids.is_some() && session.top().any(|it| names(it) && turn::opened(it));
        Self {
            session,
            rules,
            history,
            ids,
            tree,
            live: Vec::new(),
            last: 0,
            now: 0,
            run: Vec::new(),
            times: BTreeMap::new(),
            begun: 0,
            parts: 0,
        }
    }

    fn see(&mut self, event: EventRef<'s>) {
        let standing = event.standing;
        if let Some(rewind) = (self.rules.rewinds)(event) {
            self.rewind(&rewind);
        }
        if matches!(standing, Standing::Superseded | Standing::Echo) {
            self.history.repeated.insert(event.index, self.last);
        }
        if !standing.is_conversation() && !is_left(standing) {
            return;
        }
        self.history.when[event.index as usize] = self.begun;
        if turn::opened(event) {
            return self.begin(event);
        }
        let owner = match is_left(standing) {
            true => self.left(event),
            false if self.is_beside(event) => self.last,
            false => self.live.last().copied().unwrap_or_default(),
        };
        self.put(event.index, owner);
        self.run.push(event.index);
    }

    fn put(&mut self, event: EventIx, owner: TurnIx) {
        self.history.owner[event as usize] = owner;
        self.history.turns[owner].top.push(event);
    }

    /// A turn begins, with the lines ahead of its prompt.
    fn begin(&mut self, prompt: EventRef<'s>) {
        let left = is_left(prompt.standing);
        let before = match left {
            false => self.live.last().copied().unwrap_or_default(),
            true if self.tree => self.behind(prompt).unwrap_or(self.now),
            true => self.earlier(prompt),
        };
        let number = self.history.turns[before].number + 1;
        let turn = self.history.turns.len();
        let (part_of, top) = (None, Vec::new());
        let prompt_at = Some(prompt.index);
        self.history.turns.push(Begun { prompt: prompt_at, number, before, left, part_of, top });
        if !left {
            self.live.push(turn);
        }
        self.times.extend(prompt.time().map(|time| (time, turn)));
        (self.last, self.now, self.begun) = (turn, turn, turn);
        let run = std::mem::take(&mut self.run);
        let begins = |event: &EventIx| (self.rules.begins)(self.session.event(*event));
        let said = |event: &EventIx| is_said(self.session.event(*event));
        if let Some(at) = run.iter().rposition(begins)
            && !run[at..].iter().any(said)
        {
            for &event in &run[at..] {
                let top = &mut self.history.turns[self.history.owner[event as usize]].top;
                if let Some(at) = top.iter().rposition(|own| *own == event) {
                    top.remove(at);
                }
                self.history.when[event as usize] = turn;
                self.put(event, turn);
            }
        }
        self.history.when[prompt.index as usize] = turn;
        self.put(prompt.index, turn);
    }

    /// Turns are taken back: what is written next belongs to the turn before them.
    fn rewind(&mut self, rewind: &Rewind) {
        let turns = &self.history.turns;
        match rewind {
            Rewind::Turns(count) => {
                for _ in 0..(*count).min(turns.len() as u64) {
                    self.now = turns[self.now].before;
                }
            }
            Rewind::To(id) => {
                let Some(at) = self.ids.as_ref().and_then(|ids| ids.get(id)).copied() else {
                    (self.now, self.last) = (0, 0);
                    return self.run.clear();
                };
                let owner = self.history.owner[at as usize];
                let begins = turns[owner].prompt == Some(at);
                self.now = if begins { turns[owner].before } else { owner };
            }
        }
        self.last = self.now;
        self.run.clear();
    }

    /// The turn that a prompt of a branch followed, where prompts name none: the last before it. An
    /// agent that has a list of its live messages has the others out of their order.
    fn earlier(&self, prompt: EventRef<'s>) -> TurnIx {
        let time = |turn: TurnIx| self.session.event(self.history.turns[turn].prompt?).time();
        match prompt.time() {
            Some(own) if time(self.now).is_some_and(|now| now > own) => {
                self.times.range(..own).next_back().map_or(0, |(_, turn)| *turn)
            }
            _ => self.now,
        }
    }

    /// The turn that a prompt of a branch followed, if it names the event before it.
    fn behind(&self, prompt: EventRef<'s>) -> Option<TurnIx> {
        prompt.field(Slot::Parent)?;
        match text(prompt, Slot::Parent).filter(|parent| parent != "null") {
            None => Some(0),
            Some(_) => Some(self.history.owner[self.parent(prompt)? as usize]),
        }
    }

    fn parent(&self, event: EventRef<'s>) -> Option<EventIx> {
        let parent = text(event, Slot::Parent)?;
        self.ids.as_ref()?.get(&parent).copied().filter(|at| *at != event.index)
    }

    /// The turn of an event that was left. If that of its parent is live, a part of the turn was
    /// left, and the turn as it was is another one.
    fn left(&mut self, event: EventRef<'s>) -> TurnIx {
        let parent = self.parent(event).filter(|_| self.tree);
        let parent = parent.map(|at| self.history.owner[at as usize]);
        let owner = parent.filter(|owner| *owner > 0).unwrap_or(self.last);
        let begun = &self.history.turns[owner];
        if owner == 0 || begun.left {
            return owner;
        }
        let was = |begun: &Begun| begun.part_of == Some(owner);
        if parent.is_none() && self.history.turns.last().is_some_and(was) {
            return self.history.turns.len() - 1;
        }
        // A part was left if anything of the conversation was.
        let says = |event: EventRef<'_>| conversation::of(event).part.is_something();
        if !says(event) && !event.children().any(says) || self.parts == MOST_PARTS {
            return 0;
        }
        self.parts += 1;
        let as_it_was = Begun {
            prompt: begun.prompt,
            number: begun.number,
            before: begun.before,
            left: true,
            part_of: Some(owner),
            top: begun.top.clone(),
        };
        self.history.turns.push(as_it_was);
        self.history.turns.len() - 1
    }

    /// Whether an event belongs to the turn in which it was written, on whatever branch that is:
    /// notes that name no event before them, and what sub-agents did.
    fn is_beside(&self, event: EventRef<'s>) -> bool {
        self.ids.is_some()
            && (*event.stream() != Stream::Main
                || event.is_true(Slot::Sidechain)
                || matches!(event.kind, Kind::Notice | Kind::Opaque)
                    && event.field(Slot::Parent).is_none())
    }
}

/// Whether an event was taken back, or is on a branch that was left.
const fn is_left(standing: Standing) -> bool {
    matches!(standing, Standing::Rewound | Standing::OtherBranch)
}

/// Whether the model, or a tool, said something.
fn is_said(event: EventRef<'_>) -> bool {
    let kinds = [Kind::Assistant, Kind::Reasoning, Kind::ToolCall, Kind::ToolResult];
    kinds.contains(&event.kind) || event.children().any(|child| kinds.contains(&child.kind))
}
