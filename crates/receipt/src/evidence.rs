//! The place of a turn: its files, the turn's bytes in them, and their digests. It ends with the
//! last record that the receipt is about: what is written behind the turn changes nothing.

use formats::turns::{Told, TurnFacts};
use session::Sorting as _;
use session::{EventIx, NO_EVENT, Stream, Transport};

use crate::acts::Spot;
use crate::available::Available;
use crate::history::TurnIx;
use crate::place::{Evidence, Kept, Reader, Source, SourceRange, Thought};
use crate::split::{SessionTurns, SubAgent};
use formats::digest::digest;

/// The place of a turn, with the session and the member of each of its sources.
pub(crate) struct Place {
    pub(crate) evidence: Evidence,
    members: Vec<(usize, u32)>,
}

impl Place {
    /// The index of the source that a record is in.
    pub(crate) fn source(&self, spot: Spot) -> u64 {
        let wanted = (spot.session, spot.member);
        self.members.iter().position(|member| *member == wanted).unwrap_or_default() as u64
    }
}

/// Bytes of a member.
type Bytes = (u32, u32);

/// A file of a turn, with the turn's bytes in it.
struct Part {
    source: Source,
    ranges: Vec<SourceRange>,
    session: usize,
    member: u32,
    is_main: bool,
}

/// Turns of a sub-agent's session, with the events of them that a receipt is about.
pub(crate) struct Other<'t, 's> {
    /// Its place among the sub-agents, from 1.
    pub(crate) place: usize,
    pub(crate) sub: &'t SubAgent<'s>,
    pub(crate) own: &'t [TurnIx],
    pub(crate) about: Vec<EventIx>,
}

/// The place of a turn. `about` are the events that the receipt is about; `others`: what sub-agents
/// did in it.
pub(crate) fn place(
    turns: &SessionTurns<'_>,
    turn: TurnIx,
    told: &TurnFacts,
    about: &[EventIx],
    others: &[Other<'_, '_>],
) -> Place {
    let mut parts = parts(turns, &[turn], about, (0, None));
    for other in others {
        let of = (other.place, Some(&*other.sub.id));
        parts.extend(self::parts(&other.sub.turns, other.own, &other.about, of));
    }
    // Neither names nor what is behind the turn decide on the order.
    parts.sort_by_cached_key(|part| {
        let first = part.ranges.first().and_then(|range| range.sha256.clone());
        (part.session > 0, !part.is_main, first, part.session, part.member)
    });
    let thought = |held: &formats::turns::HeldThought| Thought {
        id: held.id.clone().map_or(Available::No, Available::Value),
        sha256: held.sha256.clone(),
        bytes: held.bytes,
    };
    let reasoning = match &told.reasoning {
        Told::Value(held) => held.iter().map(thought).collect(),
        Told::Unavailable(_) => Vec::new(),
    };
    let mut ranges = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let own = part.ranges.iter().cloned();
        ranges.extend(own.map(|range| SourceRange { source: at as u64, ..range }));
    }
    let members = parts.iter().map(|part| (part.session, part.member)).collect();
    let evidence = Evidence {
        turn_number: turns.number(turn) as u64,
        sources: parts.into_iter().map(|part| part.source).collect(),
        ranges,
        reasoning,
        unavailable: Vec::new(),
        reader: Reader { name: "verbatim".into(), version: env!("CARGO_PKG_VERSION").into() },
    };
    Place { evidence, members }
}

/// The files of turns of one session, with the turns' bytes in each.
fn parts(
    turns: &SessionTurns<'_>,
    own: &[TurnIx],
    about: &[EventIx],
    (session, sub_agent): (usize, Option<&str>),
) -> Vec<Part> {
    let bundle = &turns.session.bundle;
    let part = |(member, spans): (u32, Vec<Bytes>)| {
        let bytes = bundle.bytes(member);
        let range = |(start, end): Bytes| SourceRange {
            source: 0,
            start: start.into(),
            end: end.into(),
            sha256: bytes.get(start as usize..end as usize).map(digest),
        };
        let ranges: Vec<SourceRange> = spans.into_iter().map(range).collect();
        let end = ranges.last().map_or(0, |range| range.end);
        let source = source(turns, member, end);
        Part {
            source: Source { sub_agent: sub_agent.map(str::to_owned), ..source },
            ranges,
            session,
            member,
            is_main: bundle
                .members
                .get(member as usize)
                .is_some_and(|it| it.stream == Stream::Main),
        }
    };
    spans(turns, own, about).into_iter().map(part).collect()
}

/// A file as a source: up to the turn's end, if more is only appended to it.
fn source(turns: &SessionTurns<'_>, member: u32, end: u64) -> Source {
    let bundle = &turns.session.bundle;
    let own = bundle.members.get(member as usize);
    let name = own.map(|member| member.name.rsplit('/').next().unwrap_or_default().to_owned());
    let name = name.unwrap_or_default();
    let form = own.map(|member| member.transport().word().to_owned());
    match kept(turns).get(member as usize).and_then(Option::as_ref) {
        Some((sha256, bytes)) => Source {
            name,
            sha256: sha256.clone(),
            bytes: *bytes,
            kept: Some(Kept::Rewritten),
            form,
            sub_agent: None,
        },
        None => {
            let length = usize::try_from(end).unwrap_or(usize::MAX);
            let sha256 = turns.prefixes.borrow_mut().digest(member, bundle.bytes(member), length);
            Source { name, sha256, bytes: end, kept: Some(Kept::Appended), form, sub_agent: None }
        }
    }
}

/// Of each member that the agent writes anew, the digest and the length of its stored bytes; `None`
/// for lines to which more lines are appended.
fn kept<'t>(turns: &'t SessionTurns<'_>) -> &'t [Option<(String, u64)>] {
    turns.kept.get_or_init(|| {
        let appended = appended(turns);
        let members = turns.session.bundle.members.iter().zip(appended);
        let of = members.map(|(member, appended)| {
            (!appended).then(|| (digest(member.stored_bytes()), member.stored_length() as u64))
        });
        of.collect()
    })
}

/// Of each member, whether more records are only appended to it: it has several of them, or one
/// that is an event by itself, in a file for lines.
fn appended(turns: &SessionTurns<'_>) -> Vec<bool> {
    let session = turns.session;
    let members = &session.bundle.members;
    let mut records = vec![0_usize; members.len()];
    for record in &session.records {
        if let Some(count) = records.get_mut(record.member as usize) {
            *count += 1;
        }
    }
    let mut parted = vec![false; members.len()];
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        let record = session.records.get(event.origin.record as usize);
        if let Some(parted) = parted.get_mut(event.origin.member as usize) {
            *parted |= record.is_some_and(|record| record.span != event.span);
        }
    }
    let is_it = |((member, records), parted): ((&session::Member, usize), bool)| {
        let one = records == 1 && !parted && member.name.ends_with(".jsonl");
        (records > 1 || one) && *member.transport() == Transport::Plain
    };
    members.iter().zip(records).zip(parted).map(is_it).collect()
}

/// The bytes of a turn by members. Of lines that are appended it is each line up to the last that
/// the receipt is about, and lines that only white space parts are one range; of other members only
/// the records that it is about, each by itself.
fn spans(turns: &SessionTurns<'_>, own: &[TurnIx], about: &[EventIx]) -> Vec<(u32, Vec<Bytes>)> {
    let session = turns.session;
    let top = |event: EventIx| {
        let mut event = session.event(event);
        while event.parent != NO_EVENT {
            event = session.event(event.parent);
        }
        event
    };
    let mut wanted: Vec<(u32, Bytes)> = about
        .iter()
        .map(|event| top(*event))
        .map(|event| (event.origin.member, (event.span.start, event.span.end)))
        .collect();
    wanted.in_order();
    wanted.dedup();
    let mut members: Vec<(u32, Vec<Bytes>)> = Vec::new();
    for (member, span) in wanted {
        match members.last_mut() {
            Some((last, spans)) if *last == member => spans.push(span),
            _ => members.push((member, vec![span])),
        }
    }
    let kept = kept(turns);
    for (member, spans) in &mut members {
        if kept.get(*member as usize).is_some_and(Option::is_some) {
            continue;
        }
        let last = spans.last().map_or(0, |span| span.0);
        let own = own.iter().flat_map(|turn| turns.events(*turn)).filter(|event| {
            event.parent == NO_EVENT && event.origin.member == *member && event.span.start <= last
        });
        let mut all: Vec<Bytes> = own.map(|event| (event.span.start, event.span.end)).collect();
        all.extend(spans.iter());
        all.in_order();
        *spans = joined(&all, session.bundle.bytes(*member));
    }
    members
}

/// Ranges of which those that only white space and commas part are one.
pub(crate) fn joined(spans: &[Bytes], bytes: &[u8]) -> Vec<Bytes> {
    let mut ranges: Vec<Bytes> = Vec::new();
    for &(start, end) in spans {
        match ranges.last_mut() {
            Some(last) if start <= last.1 || is_gap(bytes, last.1, start) => {
                last.1 = last.1.max(end);
            }
            _ => ranges.push((start, end)),
        }
    }
    ranges
}

fn is_gap(bytes: &[u8], start: u32, end: u32) -> bool {
    let between = bytes.get(start as usize..end as usize).unwrap_or_default();
    between.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b',')
}
