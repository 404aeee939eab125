//! The deeds of a turn: one list of the calls of the agent, of its sub-agents and of its
//! scripts, each with what became of it.

use std::collections::HashSet;

use formats::calls;
use formats::tools::Common;
use formats::turns::{Border, InnerSays};
use meaning::conversation::{self, TalkPart};
use session::{EventIx, EventRef, Kind, NO_EVENT, Outcome, Slot, Span, Stream};

use crate::account::Within;
use crate::act::{ACTS, Act};
use crate::history::TurnIx;
use crate::signs::Sign;
use crate::split::SessionTurns;
use crate::texts::text;

/// The fate of a call, as far as the source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It went well.
    Done,
    /// It has a result, which does not say how it went.
    Untold,
    /// It ran, and failed or was stopped.
    Failed,
    /// It was not run: the call itself was wrong, or given up.
    NotRun,
    /// A person or a rule refused it.
    Refused,
    /// It has no result.
    Open,
}

/// The bytes of a record in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// 0 for the session itself; above, the place of a sub-agent's session, from 1.
    pub(crate) session: usize,
    pub(crate) member: u32,
    pub(crate) span: Span,
}

impl Spot {
    pub(crate) fn of(event: EventRef<'_>) -> Self {
        Self { session: 0, member: event.origin.member, span: event.span }
    }
}

/// A call, or the record of the end of one.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) act: Option<Act>,
    pub(crate) fate: Fate,
    pub(crate) at: Spot,
    pub(crate) result: Option<Spot>,
    pub(crate) within: Option<Within>,
    /// Whether it asked to leave the sandbox.
    pub(crate) escalates: bool,
    /// Whether it is a call with a record of its own.
    pub(crate) is_call: bool,
}

const ELSEWHERE: &str = "a sub-agent ran, and its records are not in the source";

/// Everything that was done in a turn.
#[derive(Debug, Default)]
pub(crate) struct Deeds {
    pub(crate) list: Vec<Deed>,
    /// Whether a script ran, which may have called tools.
    pub(crate) scripts: bool,
    /// The calls that started sub-agents.
    pub(crate) tasks: Vec<EventIx>,
    /// Whether a record of the turn could not be read: it may be one of anything.
    pub(crate) unreadable: bool,
    /// The acts, in the order of [`ACTS`], of which no record is written where a script ran.
    pub(crate) silent: [bool; 4],
    /// Why what a sub-agent did is not known, if one ran whose records are not at hand.
    pub(crate) elsewhere: Option<&'static str>,
    /// Records of approvals and of the sandbox, in sub-agents' sessions.
    pub(crate) borders: Vec<(Border, Deed)>,
}

/// The deeds of a turn.
pub(crate) fn deeds(turns: &SessionTurns<'_>, turn: TurnIx, said: &[EventRef<'_>]) -> Deeds {
    let unreadable = turns.events(turn).any(|event| event.kind == Kind::Opaque);
    let mut deeds = Deeds { unreadable, ..Deeds::default() };
    for call in said.iter().filter(|event| conversation::of(**event).part == TalkPart::Call) {
        let deed = deed(turns, turn, *call);
        let ran = !matches!(deed.fate, Fate::NotRun | Fate::Refused);
        deeds.scripts |= ran && (turns.rules.is_script)(*call);
        let is_task = calls::common(*call) == Some(Common::Task);
        if is_task && ran && deed.fate != Fate::Failed && deed.within.is_none() {
            deeds.tasks.push(call.index);
        }
        deeds.list.push(deed);
    }
    inner(turns, turn, &mut deeds);
    for &(end, common) in turns.strays(turn) {
        let event = turns.session.event(end);
        deeds.list.push(Deed {
            act: Act::of(common),
            fate: fate(event.outcome(), true),
            at: Spot::of(event),
            result: None,
            within: turns.signs.runs_scripts(turn).then_some(Within::Script),
            escalates: false,
            is_call: false,
        });
    }
    let is_silent = |act| turns.signs.by(Sign::Inner(act), turn).is_none();
    deeds.silent = ACTS.map(|act| deeds.scripts && is_silent(act));
    deeds.elsewhere = (deeds.tasks.len() > sub_agents(turns, turn)).then_some(ELSEWHERE);
    deeds
}

/// A call with what became of it. The typed record of its end decides, if there is one.
fn deed(turns: &SessionTurns<'_>, turn: TurnIx, call: EventRef<'_>) -> Deed {
    let result = turns.result(call.index, turn);
    let end = turns.ends.get(&call.index).map(|(end, tool)| (turns.session.event(*end), *tool));
    let tool = end.map(|(_, tool)| tool).or_else(|| calls::common(call));
    let outcomes = [end.and_then(|(end, _)| end.outcome()), result.and_then(EventRef::outcome)];
    let declined = outcomes.contains(&Some(Outcome::Declined));
    // The provider itself runs a search, and the call says what became of it.
    let hosted = || {
        let status = call.text(Slot::Status).filter(|_| tool == Some(Common::Search))?;
        turns.session.statuses.outcome(&status).flatten()
    };
    let outcome = match declined {
        true => Some(Outcome::Declined),
        false => outcomes.into_iter().flatten().next().or_else(hosted),
    };
    let ran = !result.is_some_and(turns.rules.never_ran);
    Deed {
        act: tool.and_then(Act::of),
        fate: match result.or(end.map(|(end, _)| end)) {
            None if outcome.is_none() => Fate::Open,
            _ => fate(outcome, ran),
        },
        at: Spot::of(call),
        result: result.or(end.map(|(end, _)| end)).map(Spot::of).filter(|at| *at != Spot::of(call)),
        within: (!conversation::is_own(call)).then_some(Within::SubAgent),
        escalates: (turns.rules.escalates)(call) == Some(true),
        is_call: true,
    }
}

const fn fate(outcome: Option<Outcome>, ran: bool) -> Fate {
    match outcome {
        Some(Outcome::Declined) => Fate::Refused,
        _ if !ran => Fate::NotRun,
        Some(Outcome::Good) => Fate::Done,
        Some(_) => Fate::Failed,
        None => Fate::Untold,
    }
}

/// The calls within other events, each with its result.
fn inner(turns: &SessionTurns<'_>, turn: TurnIx, deeds: &mut Deeds) {
    let mut open: Vec<(&str, usize)> = Vec::new();
    for (event, inner) in turns.inner(turn) {
        let member = turns.session.event(*event).origin.member;
        let at = Spot { session: 0, member, span: inner.span };
        match inner.says {
            InnerSays::Call(tool) => {
                open.push((&inner.id, deeds.list.len()));
                deeds.list.push(Deed {
                    act: tool.and_then(Act::of),
                    fate: Fate::Open,
                    at,
                    result: None,
                    within: Some(Within::SubAgent),
                    escalates: false,
                    is_call: false,
                });
            }
            InnerSays::Result(outcome, ran) => {
                let call = open.iter().position(|(id, _)| *id == inner.id);
                if let Some(call) = call.map(|call| open.swap_remove(call).1)
                    && let Some(deed) = deeds.list.get_mut(call)
                {
                    (deed.fate, deed.result) = (fate(Some(outcome), ran), Some(at));
                }
            }
        }
    }
}

/// A record, as it is.
pub(crate) fn record_of(event: EventRef<'_>) -> Deed {
    Deed {
        act: None,
        fate: Fate::Done,
        at: Spot::of(event),
        result: None,
        within: (!conversation::is_own(event)).then_some(Within::SubAgent),
        escalates: false,
        is_call: true,
    }
}

/// The number of sub-agents whose records the source has in a turn.
pub(crate) fn sub_agents(turns: &SessionTurns<'_>, turn: TurnIx) -> usize {
    let mut agents: HashSet<String> = HashSet::new();
    for event in turns.events(turn).filter(|event| event.parent == NO_EVENT) {
        if let Stream::Sub(name) = event.stream() {
            agents.insert(name.clone());
        } else if event.is_true(Slot::Sidechain) {
            // Old lines name no agent: any number of them may be there.
            let Some(agent) = text(event, Slot::Agent) else { return usize::MAX };
            agents.insert(format!("agent-{agent}"));
        }
    }
    let inner = turns.inner(turn).iter();
    agents.extend(inner.filter_map(|(_, inner)| Some(format!("agent-{}", inner.agent.as_ref()?))));
    agents.len()
}
