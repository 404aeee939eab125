//! The acts of sub-agents whose sessions have files of their own. A turn of such a session belongs
//! to the turn in which it began. It counts once it has ended, so that nothing changes any more.

use std::collections::{HashMap, HashSet};

use formats::turns::Spawned;
use session::Sorting as _;
use session::{EventIx, EventRef, Session, UtcTime};

use crate::account::Within;
use crate::acts::{self, Deed, Deeds, Spot, record_of};
use crate::history::TurnIx;
use crate::split::{SessionTurns, SubAgent};
use crate::texts::call_id;

/// The sessions of the sub-agents that a session names, in the order in which it names them.
#[must_use]
pub fn sub_agents_of(session: &Session) -> Vec<String> {
    let Some(format) = formats::by_name(session.format) else { return Vec::new() };
    let mut seen = HashSet::new();
    let named = session.events().filter_map(format.data().turns.spawned);
    named.map(|named| named.session).filter(|id| seen.insert(id.clone())).collect()
}

/// Whether a session says that it is one of a sub-agent of another session.
#[must_use]
pub fn is_sub_agent_of(session: &Session, parent: &str) -> bool {
    let Some(format) = formats::by_name(session.format) else { return false };
    session.events().find_map(format.data().turns.spawned_by).is_some_and(|id| id == parent)
}

impl<'s> SessionTurns<'s> {
    /// The turns of a session, with what its sub-agents did in sessions of their own.
    #[must_use]
    pub fn with_sub_agents(session: &'s Session, sub_agents: &'s [Session]) -> Self {
        let mut turns = Self::of(session);
        let mut begun: Vec<(UtcTime, TurnIx)> =
            turns.begun().filter_map(|turn| Some((turns.began(turn)?, turn))).collect();
        begun.in_order();
        for session in sub_agents {
            let own = Self::of(session);
            let mut during: HashMap<TurnIx, Vec<TurnIx>> = HashMap::new();
            for turn in (1..=own.len()).filter_map(|number| own.live(number)) {
                let behind =
                    own.began(turn).map(|time| begun.partition_point(|(at, _)| *at <= time));
                if let Some((_, root)) = behind.and_then(|at| begun.get(at.checked_sub(1)?)) {
                    during.entry(*root).or_default().push(turn);
                }
            }
            turns.sub_agents.push(SubAgent { id: session.id.clone(), turns: own, during });
        }
        turns
    }

    /// When a turn began: the time of its prompt, or of the first record behind it that has one.
    fn began(&self, turn: TurnIx) -> Option<UtcTime> {
        let prompt = self.prompt(turn)?.time();
        prompt.or_else(|| self.events(turn).find_map(EventRef::time))
    }

    /// The turns of sub-agents in a turn: the place of the session from 1, the sub-agent, its
    /// turns.
    pub(crate) fn joined(
        &self,
        turn: TurnIx,
    ) -> impl Iterator<Item = (usize, &SubAgent<'s>, &[TurnIx])> {
        let all = self.sub_agents.iter().enumerate();
        all.filter_map(move |(at, sub)| Some((at + 1, sub, sub.during.get(&turn)?.as_slice())))
    }

    /// The sessions of sub-agents that calls started, by the ids of the calls.
    fn spawned(&self) -> &HashMap<String, String> {
        self.spawned.get_or_init(|| {
            let named = self.session.events().filter_map(self.rules.spawned);
            named.map(|Spawned { call, session }| (call, session)).collect()
        })
    }

    /// The sub-agent that a call started, if it is known.
    fn started(&self, call: EventIx) -> Option<&str> {
        let id = call_id(self.session.event(call))?;
        self.spawned().get(&id).map(String::as_str)
    }
}

const GOES_ON: &str = "a sub-agent ran, and its session does not say that it has ended";
const ELSEWHERE: &str = "a sub-agent of a sub-agent ran, and its records are not at hand";

/// Adds what sub-agents did in a turn.
pub(crate) fn join(turns: &SessionTurns<'_>, turn: TurnIx, deeds: &mut Deeds) {
    let ids: HashSet<&str> = turns.joined(turn).map(|(_, sub, _)| sub.id.as_str()).collect();
    let is_there =
        |of: &SessionTurns<'_>, call: EventIx| of.started(call).is_some_and(|id| ids.contains(id));
    let missing = |of: &SessionTurns<'_>, at: TurnIx, tasks: &[EventIx]| {
        let there = tasks.iter().filter(|call| is_there(of, **call)).count();
        tasks.len() - there > acts::sub_agents(of, at)
    };
    if !missing(turns, turn, &deeds.tasks) {
        deeds.elsewhere = None;
    }
    for (place, sub, own) in turns.joined(turn) {
        let of = &sub.turns;
        for &at in own {
            let did = acts::deeds(of, at, &of.said(at));
            if Some(at) == of.live(of.len()) && of.told_end(at).is_none() {
                deeds.elsewhere.get_or_insert(GOES_ON);
            }
            if missing(of, at, &did.tasks) {
                deeds.elsewhere.get_or_insert(ELSEWHERE);
            }
            deeds.unreadable |= did.unreadable;
            deeds.scripts |= did.scripts;
            deeds.silent.iter_mut().zip(did.silent).for_each(|(all, own)| *all |= own);
            deeds.list.extend(did.list.into_iter().map(|deed| moved(deed, place)));
            let borders = of.events(at).filter_map(|event| {
                Some(((of.rules.border)(event)?, moved(record_of(event), place)))
            });
            deeds.borders.extend(borders);
        }
    }
}

/// A deed of a sub-agent's session.
fn moved(deed: Deed, session: usize) -> Deed {
    let put = |spot: Spot| Spot { session, ..spot };
    Deed { at: put(deed.at), result: deed.result.map(put), within: Some(Within::SubAgent), ..deed }
}
