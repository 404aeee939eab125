//! The numbers of a turn, each with its records. A number is known, or it is not available: what
//! only may have been done is never counted, and never left out in silence.

use formats::tools::Common;
use formats::turns::{Border, Told};
use meaning::conversation::{self, TalkPart};
use session::{EventIx, EventRef};

use crate::account::{Account, Counted, CountedRecord, RecordPlace};
use crate::act::{ACTS, Act};
use crate::acts::{Deed, Deeds, Fate, Spot, record_of};
use crate::available::Available;
use crate::evidence::Place;
use crate::history::TurnIx;
use crate::signs::Sign;
use crate::split::SessionTurns;

/// A number with what it counts, by places in members.
#[derive(Debug)]
pub(crate) struct Count {
    pub(crate) told: Told<u64>,
    pub(crate) zero_by: Option<String>,
    pub(crate) deeds: Vec<Deed>,
}

/// The numbers of a turn.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) calls: Count,
    pub(crate) results: Count,
    /// In the order of [`ACTS`].
    pub(crate) acts: [Count; 4],
    /// In the order of [`Border::ALL`].
    pub(crate) borders: [Count; 4],
    pub(crate) escalations: Count,
    pub(crate) refused: Count,
    pub(crate) failed: Count,
}

const NO_RECORD: &str = "the source has no record of a type that would tell it";
const OPEN: &str = "a call has no result: nothing says whether it was run";
const UNTOLD: &str = "a result does not say whether the call went well";
const SCRIPT: &str = "a script of the agent ran, and no record says which tools it called";
pub(crate) const UNREADABLE: &str =
    "a record of the turn could not be read, and may be one of these";

/// Counts what was done in a turn.
pub(crate) fn counts(
    turns: &SessionTurns<'_>,
    turn: TurnIx,
    said: &[EventRef<'_>],
    deeds: &Deeds,
) -> Counts {
    let count = Counting { turns, turn, deeds };
    let results = said.iter().filter(|event| count.is_result(**event));
    Counts {
        calls: count.of(said.iter().filter(|event| is(**event, TalkPart::Call)), &[Sign::Answer]),
        results: count.of(results, count.or_idle(&[Sign::Result])),
        acts: ACTS.map(|act| count.acts(act)),
        borders: Border::ALL.map(|kind| count.border(kind)),
        escalations: count.escalations(),
        refused: count.refused(true),
        failed: count.failed(),
    }
}

fn is(event: EventRef<'_>, part: TalkPart) -> bool {
    conversation::of(event).part == part
}

/// A turn, and what was done in it.
struct Counting<'t, 's> {
    turns: &'t SessionTurns<'s>,
    turn: TurnIx,
    deeds: &'t Deeds,
}

impl Counting<'_, '_> {
    /// Events, each as it is.
    fn of<'e>(&self, events: impl Iterator<Item = &'e EventRef<'e>>, signs: &[Sign]) -> Count {
        self.known(events.map(|event| record_of(*event)).collect(), signs)
    }

    /// A result counts once, however many records repeat it; the end of a tool that a script
    /// called is not one.
    fn is_result(&self, event: EventRef<'_>) -> bool {
        let turns = self.turns;
        if !is(event, TalkPart::Result) {
            return false;
        }
        match turns.call(event.index, self.turn) {
            None => {
                let is_it = |(end, _): &(EventIx, Common)| *end == event.index;
                !turns.signs.runs_scripts(self.turn) || !turns.strays(self.turn).iter().any(is_it)
            }
            Some(call) => turns.calls.result(call) == Some(event.index),
        }
    }

    /// A number that is known: 0 only where a type of record shows it.
    fn known(&self, deeds: Vec<Deed>, signs: &[Sign]) -> Count {
        if self.deeds.unreadable {
            return unknown(UNREADABLE, deeds);
        }
        if !deeds.is_empty() {
            return Count { told: Told::Value(deeds.len() as u64), zero_by: None, deeds };
        }
        let by = |sign: &Sign| self.turns.signs.by(*sign, self.turn);
        match signs.iter().find_map(by) {
            Some(name) => Count { told: Told::Value(0), zero_by: Some(name.to_owned()), deeds },
            None => unknown(NO_RECORD, deeds),
        }
    }

    fn with(&self, wanted: impl Fn(&Deed) -> bool) -> Vec<Deed> {
        self.deeds.list.iter().filter(|deed| wanted(deed)).cloned().collect()
    }

    /// The acts of a kind. A command that failed was executed; a change of a file that failed is
    /// none.
    fn acts(&self, act: Act) -> Count {
        let of =
            |fates: &[Fate]| self.with(|deed| deed.act == Some(act) && fates.contains(&deed.fate));
        let change = act == Act::FileChange;
        let done = match change {
            true => of(&[Fate::Done]),
            false => of(&[Fate::Done, Fate::Failed, Fate::Untold]),
        };
        if !of(&[Fate::Open]).is_empty() {
            return unknown(OPEN, done);
        }
        if change && !of(&[Fate::Untold]).is_empty() {
            return unknown(UNTOLD, done);
        }
        if let Some(why) = self.deeds.elsewhere {
            return unknown(why, done);
        }
        let silent = ACTS.iter().zip(self.deeds.silent).any(|(of, silent)| *of == act && silent);
        match (self.deeds.scripts, silent) {
            (false, _) => self.known(done, &[Sign::Answer]),
            (true, false) => self.known(done, &[Sign::Inner(act), Sign::Answer]),
            (true, true) => unknown(SCRIPT, done),
        }
    }

    /// Approvals, and what the sandbox stopped. A call that was refused was denied.
    fn border(&self, kind: Border) -> Count {
        let (turns, turn) = (self.turns, self.turn);
        let is_it = |event: &EventRef<'_>| (turns.rules.border)(*event) == Some(kind);
        let told: Vec<EventRef<'_>> = turns.events(turn).filter(is_it).collect();
        let refused = self.with(|deed| deed.fate == Fate::Refused);
        let told = self.borders(kind, &told);
        let sign = Sign::Border(kind);
        if kind != Border::Denied {
            return match self.deeds.elsewhere {
                Some(why) => unknown(why, told),
                None => self.known(told, &[sign]),
            };
        }
        if told.len() < refused.len() {
            return self.known(refused, &[]);
        }
        match self.known(told, &[sign]) {
            Count { told: Told::Unavailable(_), .. } => self.refused(turns.rules.refusals),
            count => count,
        }
    }

    /// The records of a kind, with those in sub-agents' sessions.
    fn borders(&self, kind: Border, told: &[EventRef<'_>]) -> Vec<Deed> {
        let elsewhere = self.deeds.borders.iter().filter(|(of, _)| *of == kind);
        told.iter().map(|event| record_of(*event)).chain(elsewhere.map(|it| it.1.clone())).collect()
    }

    /// Signs of what a turn with calls would have. A turn without a call has none of it, and its
    /// answers show that.
    fn or_idle(&self, signs: &'static [Sign]) -> &'static [Sign] {
        if self.deeds.list.is_empty() { &[Sign::Answer] } else { signs }
    }

    /// The calls that were refused. `idle`: whether a turn without calls has none.
    fn refused(&self, idle: bool) -> Count {
        let refused = self.with(|deed| deed.fate == Fate::Refused);
        if let Some(why) = self.deeds.elsewhere {
            return unknown(why, refused);
        }
        let signs: &'static [Sign] = if self.turns.rules.refusals { &[Sign::Outcome] } else { &[] };
        self.known(refused, if idle { self.or_idle(signs) } else { signs })
    }

    fn escalations(&self) -> Count {
        let wished = self.with(|deed| deed.escalates);
        match (self.deeds.scripts, self.deeds.elsewhere) {
            (true, _) => unknown(SCRIPT, wished),
            (_, Some(why)) => unknown(why, wished),
            _ => self.known(wished, &[Sign::Escalation]),
        }
    }

    fn failed(&self) -> Count {
        let failed = self.with(|deed| matches!(deed.fate, Fate::Failed | Fate::NotRun));
        if let Some(why) = self.deeds.elsewhere {
            return unknown(why, failed);
        }
        match self.deeds.list.iter().find_map(|deed| match deed.fate {
            Fate::Untold => Some(UNTOLD),
            Fate::Open => Some(OPEN),
            _ => None,
        }) {
            Some(why) => unknown(why, failed),
            None => self.known(failed, self.or_idle(&[Sign::Outcome])),
        }
    }
}

const fn unknown(why: &'static str, deeds: Vec<Deed>) -> Count {
    Count { told: Told::Unavailable(why), zero_by: None, deeds }
}

/// The account of a turn: the numbers with the places of their records in the sources.
pub(crate) fn account(counts: &Counts, tokens: Counted, place: &Place) -> Account {
    let of = |count: &Count| counted(count, place);
    let [commands, files, network, servers] = &counts.acts;
    let [asked, allowed, denied, sandbox] = &counts.borders;
    Account {
        tool_calls: of(&counts.calls),
        tool_results: of(&counts.results),
        tokens,
        commands_executed: of(commands),
        files_changed: of(files),
        network_used: of(network),
        server_tools_called: of(servers),
        approvals_asked: of(asked),
        approvals_allowed: of(allowed),
        approvals_denied: of(denied),
        sandbox_denied: of(sandbox),
        escalations_wished: of(&counts.escalations),
        calls_refused: of(&counts.refused),
        calls_failed: of(&counts.failed),
    }
}

fn counted(count: &Count, place: &Place) -> Counted {
    let record = |deed: &Deed| CountedRecord {
        result: deed.result.map(|spot| {
            let CountedRecord { source, start, end, .. } = record(spot, place);
            RecordPlace { source, start, end }
        }),
        within: deed.within,
        ..record(deed.at, place)
    };
    let (number, reason) = available(&count.told);
    let zero_by = count.zero_by.clone();
    Counted { count: number, zero_by, reason, records: count.deeds.iter().map(record).collect() }
}

/// The tokens of a turn, with the records whose counters are in the sum.
pub(crate) fn tokens(told: &Told<u64>, spots: &[Spot], place: &Place) -> Counted {
    let (count, reason) = available(told);
    let records = spots.iter().map(|spot| record(*spot, place)).collect();
    Counted { count, zero_by: None, reason, records }
}

fn available(told: &Told<u64>) -> (Available<u64>, Option<String>) {
    match told {
        Told::Value(number) => (Available::Value(*number), None),
        Told::Unavailable(why) => (Available::No, Some((*why).to_owned())),
    }
}

fn record(spot: Spot, place: &Place) -> CountedRecord {
    CountedRecord {
        source: place.source(spot),
        start: spot.span.start.into(),
        end: spot.span.end.into(),
        result: None,
        within: None,
    }
}
