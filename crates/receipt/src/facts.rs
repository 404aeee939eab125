//! The facts of a turn of a session: calls, tokens and thoughts by the one place that defines each,
//! everything else by the rules of the agent.

use formats::turns::{
    HeldThought, ThreadFacts, Told, ToolFacts, TurnEnd, TurnFacts, TurnSetting, UsageFacts,
};
use meaning::conversation::{self, TalkPart};
use meaning::usage::{Count, Counting, Part, Tokens};
use session::{EventIx, EventRef, Kind, Slot, UtcTime, value};

use crate::act::Act;
use crate::acts::{self, Fate, Spot};
use crate::counting::{self, Counts};
use crate::history::TurnIx;
use crate::joined;
use crate::split::SessionTurns;
use crate::texts::{call_id, text};
use formats::digest::digest;

const NOT_TOLD: &str = "the agent records no such value";
const NO_END: &str = "no record says how the turn ended; another turn follows";
const NO_USAGE: &str = "the source records no usage of the turn's answers";
const ONLY_WHOLE: &str = "the source records one sum for the whole session, and none of a turn";
const NO_TIME: &str = "the agent records no times of the turn's events";

/// The native id of a turn: the agent's own, else that of its prompt.
pub(crate) fn id(turns: &SessionTurns<'_>, turn: TurnIx) -> Option<String> {
    let own = turns.events(turn).find_map(|event| text(event, Slot::Turn));
    own.or_else(|| text(turns.prompt(turn)?, Slot::Id))
}

/// The facts of a turn, the numbers with their records, and the events that they are about.
pub(crate) struct Facts {
    pub(crate) told: TurnFacts,
    pub(crate) counts: Counts,
    pub(crate) about: Vec<EventIx>,
}

/// The facts of a turn. `join`: with what sub-agents did in sessions of their own.
pub(crate) fn facts(
    turns: &SessionTurns<'_>,
    turn: TurnIx,
    end: Option<TurnEnd>,
    join: bool,
) -> Facts {
    let said = turns.said(turn);
    let ends = turns.ends_of(turn, end);
    let (first, last) = lasted(turns, &said, &ends);
    let lasting =
        first.as_ref().zip(last.as_ref()).map(|(first, last)| last.0.0.saturating_sub(first.0.0));
    let mut deeds = acts::deeds(turns, turn, &said);
    let usage = match deeds.unreadable {
        true => Told::Unavailable(counting::UNREADABLE),
        false => usage(turns, turn),
    };
    let asked = |act| {
        let calls = || deeds.list.iter().filter(|deed| deed.is_call && deed.act == Some(act));
        let refused = calls().filter(|deed| deed.fate == Fate::Refused).count() as u64;
        let all = calls().count() as u64;
        [all - refused, all]
    };
    let asked = [asked(Act::Command), asked(Act::FileChange)];
    if join {
        joined::join(turns, turn, &mut deeds);
    }
    let counts = counting::counts(turns, turn, &said, &deeds);
    let told = TurnFacts {
        thread: thread(turns, turn),
        id: Told::or(id(turns, turn), "neither the turn nor its prompt has an id"),
        status: Told::or(end.map(|end| end.word().to_owned()), NO_END),
        started_at: Told::or(first.map(|first| first.1), NO_TIME),
        ended_at: Told::or(last.map(|last| last.1), NO_TIME),
        duration_ms: Told::or(lasting.and_then(|time| (time / 1000).try_into().ok()), NO_TIME),
        reasoning: reasoning(turns, turn),
        tools: tools(turns, turn, &said, &counts),
        usage,
        events: Told::Unavailable("the agent numbers no events; `evidence` has the turn's bytes"),
        borders: counts.borders.each_ref().map(|count| count.told.clone()),
        commands: counts.acts[0].told.clone(),
        file_changes: counts.acts[1].told.clone(),
        asked,
        missing_items: Vec::new(),
    };
    let about = about(turns, turn, &said, &ends);
    Facts { told, counts, about }
}

/// The events that a receipt is about: what was said and done, how the turn ended, its approvals,
/// and its tokens.
pub(crate) fn about(
    turns: &SessionTurns<'_>,
    turn: TurnIx,
    said: &[EventRef<'_>],
    ends: &[EventRef<'_>],
) -> Vec<EventIx> {
    let marks = turns
        .events(turn)
        .filter(|event| event.kind == Kind::Reasoning || (turns.rules.border)(*event).is_some());
    let mut about: Vec<EventIx> = said.iter().chain(ends).map(|at| at.index).collect();
    about.extend(marks.map(|at| at.index));
    about.extend(turns.inner(turn).iter().map(|(event, _)| *event));
    about.extend(turns.strays(turn).iter().map(|(event, _)| *event));
    about.extend(counted(turns, turn).map(|count| count.event));
    let typed = said.iter().filter_map(|call| turns.ends.get(&call.index));
    about.extend(typed.map(|(end, _)| *end));
    about.extend(turns.prompt(turn).map(|prompt| prompt.index));
    about
}

/// The session, and what was set when the turn began.
fn thread(turns: &SessionTurns<'_>, turn: TurnIx) -> ThreadFacts {
    let session = turns.session;
    let mut facts = ThreadFacts {
        id: session.uid(),
        model: Told::Unavailable(NOT_TOLD),
        mode: Told::Unavailable(NOT_TOLD),
        auto_approve: Told::Unavailable(NOT_TOLD),
        trust_mode: Told::Unavailable(NOT_TOLD),
        allow_shell: Told::Unavailable(NOT_TOLD),
    };
    for setting in turns.settings(turn).into_iter().flatten() {
        set(&mut facts, setting);
    }
    facts.model = Told::or(turns.model(turn), NOT_TOLD);
    facts
}

fn set(facts: &mut ThreadFacts, setting: TurnSetting) {
    match setting {
        TurnSetting::Mode(mode) => facts.mode = Told::Value(mode),
        TurnSetting::AutoApprove(is) => facts.auto_approve = Told::Value(is),
        TurnSetting::TrustMode(is) => facts.trust_mode = Told::Value(is),
        TurnSetting::AllowShell(is) => facts.allow_shell = Told::Value(is),
        _ => {}
    }
}

/// A time, and its spelling in a receipt.
type Written = (UtcTime, String);

/// The first and the last time of the conversation of a turn, as the source writes them. A record
/// of its end counts too; one that is written later, such as a title, does not.
fn lasted(
    turns: &SessionTurns<'_>,
    said: &[EventRef<'_>],
    ends: &[EventRef<'_>],
) -> (Option<Written>, Option<Written>) {
    let (mut first, mut last) = (None, None);
    for event in said.iter().chain(ends).copied() {
        let holder = if event.moment().is_none() && event.parent != session::NO_EVENT {
            turns.session.event(event.parent)
        } else {
            event
        };
        let Some(moment) = holder.moment() else { continue };
        let at = (moment.instant, written(moment.instant, moment.raw));
        if first.as_ref().is_none_or(|first: &Written| at.0 < first.0) {
            first = Some(at.clone());
        }
        if last.as_ref().is_none_or(|last: &Written| at.0 > last.0) {
            last = Some(at);
        }
    }
    (first, last)
}

/// A time as written, if that is RFC 3339; an epoch as RFC 3339 in UTC.
fn written(instant: UtcTime, raw: &[u8]) -> String {
    let text = value::text(raw).filter(|_| raw.first() == Some(&b'"'));
    // An offset has a colon; some agents write none.
    let offset = |text: &str| {
        text.ends_with('Z')
            || text.len().checked_sub(6).and_then(|at| text.get(at..)).is_some_and(|end| {
                end.starts_with(['+', '-']) && end.as_bytes().get(3) == Some(&b':')
            })
    };
    let is_date = |text: &str| text.as_bytes().get(10) == Some(&b'T') && offset(text);
    match text {
        Some(text) if is_date(&text) => text.into_owned(),
        _ => instant.rfc3339(),
    }
}

fn reasoning(turns: &SessionTurns<'_>, turn: TurnIx) -> Told<Vec<HeldThought>> {
    let thoughts = turns.events(turn).filter(|event| event.kind == Kind::Reasoning);
    let held: Vec<HeldThought> = thoughts.filter_map(thought).collect();
    let held = Some(held).filter(|held| !held.is_empty());
    Told::or(held, "the source holds no reasoning of the turn")
}

/// A thought by its text, or by its sealed value.
fn thought(event: EventRef<'_>) -> Option<HeldThought> {
    let said = event.said();
    let sealed = || text(event, Slot::Encrypted);
    let held = if said.trim().is_empty() { sealed()? } else { said.into_owned() };
    let id = text(event, Slot::Id).or_else(|| text(event, Slot::Message));
    Some(HeldThought { id, sha256: digest(held.as_bytes()), bytes: held.len() as u64 })
}

/// Calls and results. One without its counterpart up to the turn's end is unmatched; the end of a
/// tool that a script called is no result of a call.
fn tools(
    turns: &SessionTurns<'_>,
    turn: TurnIx,
    said: &[EventRef<'_>],
    counts: &Counts,
) -> ToolFacts {
    let size = |told: &Told<u64>| match told {
        Told::Value(count) => *count,
        Told::Unavailable(_) => 0,
    };
    let mut facts = ToolFacts {
        calls: size(&counts.calls.told),
        results: size(&counts.results.told),
        ..ToolFacts::default()
    };
    let name = |event: &EventRef<'_>| {
        call_id(*event).or_else(|| text(*event, Slot::Id)).unwrap_or_default()
    };
    let is_inner = |event: &EventRef<'_>| {
        turns.signs.runs_scripts(turn)
            && turns.strays(turn).iter().any(|(end, _)| *end == event.index)
    };
    for event in said {
        match conversation::of(*event).part {
            TalkPart::Call if turns.result(event.index, turn).is_none() => {
                facts.open_calls.push(name(event));
            }
            TalkPart::Result if turns.call(event.index, turn).is_none() => {
                let list =
                    if is_inner(event) { &mut facts.inner } else { &mut facts.stray_results };
                list.push(name(event));
            }
            _ => {}
        }
    }
    facts
}

/// The counts of a turn that are in its sum.
fn counted<'t>(turns: &'t SessionTurns<'_>, turn: TurnIx) -> impl Iterator<Item = &'t Count> {
    let counts = turns.counts(turn).iter();
    counts.filter(|count| count.verdict == Counting::Counted && count.part != Part::Whole)
}

/// The records whose counters are in the turn's sum.
pub(crate) fn counters(turns: &SessionTurns<'_>, turn: TurnIx) -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::new();
    for count in counted(turns, turn).filter(|count| count.tokens.total() > 0) {
        let spot = Spot::of(turns.session.event(count.event));
        if spots.last() != Some(&spot) {
            spots.push(spot);
        }
    }
    spots
}

/// The tokens of the answers of a turn, each counted once: the sum that `usage` has.
pub(crate) fn usage(turns: &SessionTurns<'_>, turn: TurnIx) -> Told<UsageFacts> {
    sum(turns, counted(turns, turn))
}

/// The tokens of a turn as version 0 had them: without an answer that is counted at an earlier
/// state of its record.
pub(crate) fn usage_first(turns: &SessionTurns<'_>, turn: TurnIx) -> Told<UsageFacts> {
    sum(turns, counted(turns, turn).filter(|count| turns.owns(count.event, turn)))
}

fn sum<'t>(turns: &SessionTurns<'_>, counts: impl Iterator<Item = &'t Count>) -> Told<UsageFacts> {
    let sum = counts.fold(Tokens::default(), |sum, count| sum.plus(count.tokens));
    if sum == Tokens::default() {
        return Told::Unavailable(if turns.has_whole { ONLY_WHOLE } else { NO_USAGE });
    }
    let of = |parts: &[Option<u64>]| {
        let known: Vec<u64> = parts.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)))
    };
    let split = sum.unsplit.is_none_or(|unsplit| unsplit == 0);
    let prompt = of(&[sum.input, sum.cache_read, sum.cache_write, sum.tool]);
    Told::Value(UsageFacts {
        prompt: prompt.filter(|_| split),
        completion: sum.output.filter(|_| split),
        total: sum.total(),
        tool: sum.tool.unwrap_or_default(),
        cache: sum.cache_read.is_some() || sum.cache_write.is_some(),
    })
}
