//! Receipts of version 0, beside their turn as the source has it now.
//!
//! They counted some calls that did not run, and wrote zeros that no record shows. Their evidence
//! has digests of whole files only. So the members with the same meaning are compared, a number of
//! commands or changes of files is that of the calls without the refused ones, or with some of
//! them, and nothing is said of their approvals.

use formats::turns::{Told, TurnFacts, UsageFacts};
use serde_json::Value;
use session::NO_EVENT;
use session::Sorting as _;

use crate::available::Available;
use crate::compare::{TurnStanding, differences, value};
use crate::document::Receipt;
use crate::evidence::joined;
use crate::facts;
use crate::history::TurnIx;
use crate::place::{Evidence, Source};
use crate::split::SessionTurns;
use formats::digest::digest;

/// The part that the check of such a receipt leaves out.
const BUT: &str = "version 0 of the receipt: what it says of approvals is not judged";
const ANEW: &str = "version 0 of the receipt has no digests of records, and the source is no more \
                    the same: only the facts were compared";

/// The standing of the turn of a receipt of version 0.
pub(crate) fn standing(
    turns: &SessionTurns<'_>,
    receipt: &Receipt,
    turn: TurnIx,
    (now, told): (&Receipt, &TurnFacts),
) -> TurnStanding {
    let rewound = turns.is_left(turn);
    let (mut before, mut after) = (value(receipt), value(now));
    for document in [&mut before, &mut after] {
        let taken: [(&str, &[&str]); 4] = [
            ("", &["schema_id", "account", "evidence", "side_effect_boundary", "usage_evidence"]),
            ("tool_lineage", &["tool_result_count", "unmatched_tool_result_ids"]),
            ("tool_lineage", &["tool_call_count"]),
            ("", &["inclusion_proof"]),
        ];
        for (within, names) in taken {
            let at = if within.is_empty() { &mut *document } else { &mut document[within] };
            if let Some(members) = at.as_object_mut() {
                names.iter().for_each(|name| drop(members.remove(*name)));
            }
        }
    }
    let mut places = differences(&before, &after);
    places.extend(numbers(
        receipt,
        now,
        (told, [facts::usage(turns, turn), facts::usage_first(turns, turn)]),
    ));
    let Some((one, other)) = receipt.evidence.as_ref().zip(now.evidence.as_ref()) else {
        return TurnStanding::Changed(vec!["/evidence".into()]);
    };
    if one.turn_number != other.turn_number {
        places.push("/evidence/turn_number".into());
    }
    if one.reasoning != other.reasoning {
        places.push("/evidence/reasoning".into());
    }
    let files = files(turns, one);
    match &files {
        Files::Changed => places.push("/evidence/sources".into()),
        Files::There(members) if !covers(turns, turn, one, members) => {
            places.push("/evidence/ranges".into());
        }
        _ => {}
    }
    match (places.is_empty(), files) {
        (false, _) => TurnStanding::Changed(places),
        (_, Files::Anew) => TurnStanding::Unchanged { but: Some(ANEW), rewound },
        _ => TurnStanding::Unchanged { but: Some(BUT), rewound },
    }
}

/// The numbers that differ by more than the rules of the two versions do.
fn numbers(
    receipt: &Receipt,
    now: &Receipt,
    (told, sums): (&TurnFacts, [Told<UsageFacts>; 2]),
) -> Vec<String> {
    let mut places = Vec::new();
    let mut check = |place: &str, good: bool| {
        if !good {
            places.push(place.to_owned());
        }
    };
    let number = |count: &Available<u64>| match count {
        Available::Value(count) => *count,
        Available::No => 0,
    };
    let (tools, own) = (&receipt.tool_lineage, &now.tool_lineage);
    let calls = number(&tools.tool_call_count) == number(&own.tool_call_count);
    check("/tool_lineage/tool_call_count", calls);
    let results = number(&own.tool_result_count) + told.tools.inner.len() as u64;
    check("/tool_lineage/tool_result_count", number(&tools.tool_result_count) == results);
    let mut strays = tools.unmatched_tool_result_ids.clone();
    let mut known: Vec<String> = own.unmatched_tool_result_ids.clone();
    known.extend(told.tools.inner.iter().cloned());
    strays.in_order();
    known.in_order();
    check("/tool_lineage/unmatched_tool_result_ids", strays == known);
    let border = &receipt.side_effect_boundary;
    let between = |count: &Available<u64>, [least, most]: [u64; 2]| match count {
        Available::Value(count) => (least..=most).contains(count),
        Available::No => false,
    };
    let [commands, changes] = told.asked;
    let command = between(&border.command_execution_count, commands);
    check("/side_effect_boundary/command_execution_count", command);
    let change = between(&border.file_change_count, changes);
    check("/side_effect_boundary/file_change_count", change);
    let usage = receipt.usage_evidence.usage.as_ref();
    let is_it = |sum: &Told<UsageFacts>| match (usage, sum) {
        (Some(usage), Told::Value(told)) => {
            let prompt = told.prompt.map(|prompt| prompt.saturating_sub(told.tool));
            Some(number(&usage.prompt_tokens)) == prompt
                && Some(number(&usage.completion_tokens)) == told.completion
        }
        (None, Told::Value(told)) => told.prompt.is_none() || told.completion.is_none(),
        (usage, Told::Unavailable(_)) => usage.is_none(),
    };
    let same = sums.iter().any(is_it);
    check("/usage_evidence/usage", same);
    places
}

/// The files of a receipt, as the source has them now.
enum Files {
    /// The member of each, whose beginning is as it was.
    There(Vec<u32>),
    /// One of them was written anew.
    Anew,
    /// One of them, to which more is only appended, has another beginning.
    Changed,
}

fn files(turns: &SessionTurns<'_>, evidence: &Evidence) -> Files {
    let members = &turns.session.bundle.members;
    let mut known = turns.found.borrow_mut();
    let is_same = |source: &Source, member: &session::Member| {
        let stored = member.stored_bytes();
        let begin = usize::try_from(source.bytes).ok().and_then(|length| stored.get(..length));
        begin.is_some_and(|begin| digest(begin) == source.sha256)
    };
    // The receipts of one session name the same files: each is searched once.
    let mut find = |source: &Source| {
        let key = (source.sha256.clone(), source.bytes);
        *known.entry(key).or_insert_with(|| {
            let at = members.iter().position(|member| is_same(source, member))?;
            u32::try_from(at).ok()
        })
    };
    let found: Vec<Option<u32>> = evidence.sources.iter().map(&mut find).collect();
    if let Some(all) = found.iter().copied().collect() {
        return Files::There(all);
    }
    let lines = |source: &Source| source.name.ends_with(".jsonl");
    let missing = evidence.sources.iter().zip(&found).filter(|(_, found)| found.is_none());
    if missing.into_iter().any(|(source, _)| lines(source)) { Files::Changed } else { Files::Anew }
}

/// Whether the ranges of a receipt are bytes of the turn.
fn covers(turns: &SessionTurns<'_>, turn: TurnIx, evidence: &Evidence, members: &[u32]) -> bool {
    let spans = |member: &u32| {
        let is_own = |event: &session::EventRef<'_>| {
            event.parent == NO_EVENT && event.origin.member == *member
        };
        let own = turns.events_first(turn).filter(is_own);
        let mut spans: Vec<(u32, u32)> =
            own.map(|event| (event.span.start, event.span.end)).collect();
        spans.in_order();
        joined(&spans, turns.session.bundle.bytes(*member))
    };
    let own: Vec<Vec<(u32, u32)>> = members.iter().map(spans).collect();
    evidence.ranges.iter().all(|range| {
        let index = usize::try_from(range.source).unwrap_or(usize::MAX);
        own.get(index).into_iter().flatten().any(|(start, end)| {
            u64::from(*start) <= range.start
                && range.start < range.end
                && range.end <= (*end).into()
        })
    })
}

/// Whether two receipts of an agent's own store say the same. Those that were issued first had a
/// reason for missing usage, left out its numbers, and counted commands that were not done.
#[must_use]
pub fn store_differences(receipt: &Receipt, now: &Receipt, asked: [[u64; 2]; 2]) -> Vec<String> {
    let (mut before, mut after) = (value(receipt), value(now));
    let is_old = |document: &Value| document["usage_evidence"].get("reason").is_some();
    if is_old(&before) && !receipt.usage_evidence.available && !now.usage_evidence.available {
        for document in [&mut before, &mut after] {
            document["usage_evidence"] = Value::Null;
        }
    }
    let border = "side_effect_boundary";
    let counts = ["command_execution_count", "file_change_count"];
    for (name, [asked, _]) in counts.into_iter().zip(asked) {
        if before[border][name] == asked {
            before[border][name] = after[border][name].clone();
        }
    }
    if before["source_event_lineage"]["available"] == false
        && after["source_event_lineage"]["first_seq"] == "unavailable"
    {
        before["source_event_lineage"] = after["source_event_lineage"].clone();
    }
    differences(&before, &after)
}
