//! The place of a turn: the source files by their digests, and the turn's bytes in them.

use formats::turns::{Told, TurnFacts};
use session::NO_EVENT;

use crate::document::{Available, Evidence, Reader, Source, SourceRange, Thought};
use crate::split::{SessionTurns, Sources};
use formats::digest::digest;

pub(crate) fn evidence(turns: &SessionTurns<'_>, number: usize, facts: &TurnFacts) -> Evidence {
    let Sources { sources, place } = turns.sources.get_or_init(|| sources(turns));
    let thought = |held: &formats::turns::HeldThought| Thought {
        id: held.id.clone().map_or(Available::No, Available::Value),
        sha256: held.sha256.clone(),
        bytes: held.bytes,
    };
    let reasoning = match &facts.reasoning {
        Told::Value(held) => held.iter().map(thought).collect(),
        Told::Unavailable(_) => Vec::new(),
    };
    Evidence {
        turn_number: number as u64,
        ranges: ranges(turns, number, place),
        sources: sources.clone(),
        reasoning,
        unavailable: Vec::new(),
        reader: Reader { name: "verbatim".into(), version: env!("CARGO_PKG_VERSION").into() },
    }
}

/// The files with records of the session, by their names and digests.
fn sources(turns: &SessionTurns<'_>) -> Sources {
    let session = turns.session;
    let members = &session.bundle.members;
    let mut used = vec![false; members.len()];
    for record in &session.records {
        if let Some(used) = used.get_mut(record.member as usize) {
            *used = true;
        }
    }
    let source = |member: &session::Member| Source {
        name: member.name.rsplit('/').next().unwrap_or_default().to_owned(),
        sha256: digest(member.stored_bytes()),
        bytes: member.stored_length() as u64,
    };
    let mut named: Vec<(Source, usize)> = members
        .iter()
        .enumerate()
        .filter(|(at, _)| used[*at])
        .map(|(at, member)| (source(member), at))
        .collect();
    named.sort();
    let mut place = vec![None; members.len()];
    for (to, (_, at)) in named.iter().enumerate() {
        place[*at] = Some(to as u64);
    }
    Sources { sources: named.into_iter().map(|(source, _)| source).collect(), place }
}

/// The bytes of a turn's events. Events that only white space and commas part are one range.
fn ranges(turns: &SessionTurns<'_>, number: usize, place: &[Option<u64>]) -> Vec<SourceRange> {
    let mut spans: Vec<(u32, u32, u32)> = turns
        .events(number)
        .filter(|event| event.parent == NO_EVENT)
        .map(|event| (event.origin.member, event.span.start, event.span.end))
        .collect();
    spans.sort_unstable();
    let mut ranges: Vec<(u32, u32, u32)> = Vec::new();
    for (member, start, end) in spans {
        if let Some(last) = ranges.last_mut()
            && last.0 == member
            && (start <= last.2 || is_gap(turns.session.bundle.bytes(member), last.2, start))
        {
            last.2 = last.2.max(end);
        } else {
            ranges.push((member, start, end));
        }
    }
    let mut ranges: Vec<SourceRange> = ranges
        .into_iter()
        .filter_map(|(member, start, end)| {
            let source = place.get(member as usize).copied().flatten()?;
            Some(SourceRange { source, start: start.into(), end: end.into() })
        })
        .collect();
    ranges.sort();
    ranges
}

fn is_gap(bytes: &[u8], start: u32, end: u32) -> bool {
    let between = bytes.get(start as usize..end as usize).unwrap_or_default();
    between.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b',')
}
