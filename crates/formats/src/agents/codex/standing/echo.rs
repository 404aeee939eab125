//! Echoes: UI events that repeat the model's history.
//!
//! A message is an echo if one of the nearest items of its kind has the same text. A thought is an
//! echo if those items have each of its parts, because the UI gets the parts of a summary one by
//! one. Texts are compared as written, without white space around them: one program wrote both. A
//! result is an echo if the history has one for the same call. An event that the history lacks is
//! content.
//!
//! The two copies may be on both sides of the boundary between two rollouts, so the nearest items
//! beyond it are compared too.

use std::collections::BTreeMap;

use memchr::memmem;
use session::Sorting as _;
use session::{EventIx, EventRef, Kind, Scan, Shape, Slot};

use super::{Before, Survey};
use crate::agents::codex::{event_case, names};

/// Number of items before and after that are compared, and of texts of each.
const REACH: usize = 8;
const TEXTS: usize = 32;

/// The text that follows if a message in the history cites a memory. The UI shows the citation in
/// another form.
const CITATION: &[u8] = b"<oai-mem-citation>";

/// The tags around a plan.
const PLAN: [&[u8]; 2] = [b"<proposed_plan>", b"</proposed_plan>"];

/// The list of [`Survey::said`] for a kind.
pub(super) const fn list(kind: Kind) -> usize {
    match kind {
        Kind::User => 0,
        Kind::Assistant => 1,
        _ => 2,
    }
}

/// The nearest items beyond the ends of a rollout, nearest first: messages and thoughts by kind,
/// then calls and results.
#[derive(Clone, Default)]
pub(super) struct Beyond {
    /// Those of its base.
    before: [Vec<EventIx>; LISTS],
    /// Those of the rollout that continues it.
    behind: [Vec<EventIx>; LISTS],
    /// The event where the continuation begins.
    end: EventIx,
}

const LISTS: usize = 4;
const RAN: usize = 3;

impl Beyond {
    /// The items beyond each rollout. If several rollouts continue one, the newest counts.
    pub(super) fn all(surveys: &[Survey<'_>], befores: &[Before<'_>]) -> Vec<Self> {
        let mut all = vec![Self::default(); surveys.len()];
        for (at, (survey, before)) in surveys.iter().zip(befores).enumerate() {
            let Some((base, based)) = before.base.and_then(|at| Some((at, surveys.get(at)?)))
            else {
                continue;
            };
            for list in 0..LISTS {
                let items = based.items(list);
                let items = &items[..items.partition_point(|&at| at < before.cut)];
                all[at].before[list] = items.iter().rev().take(REACH).copied().collect();
                let items = survey.items(list).iter();
                all[base].behind[list] = items.take(REACH).copied().collect();
            }
            all[base].end = before.cut;
        }
        all
    }
}

impl Survey<'_> {
    fn items(&self, list: usize) -> &[EventIx] {
        self.said.get(list).unwrap_or(&self.ran)
    }

    /// The items near an event, on both sides.
    fn near<'a>(
        &'a self,
        beyond: &'a Beyond,
        list: usize,
        at: EventIx,
    ) -> impl Iterator<Item = EventIx> + 'a {
        let (before, behind) =
            self.said[list].split_at(self.said[list].partition_point(|&own| own < at));
        // Items that the next rollout does not inherit are not between the two.
        let between = behind.partition_point(|&own| own < beyond.end);
        let room = if at < beyond.end { REACH.saturating_sub(between) } else { 0 };
        let behind = behind.iter().take(REACH).chain(beyond.behind[list].iter().take(room));
        let room = REACH.saturating_sub(before.len());
        let before = before.iter().rev().take(REACH).chain(beyond.before[list].iter().take(room));
        behind.chain(before).copied()
    }
}

/// The mirrors that are echoes.
pub(super) fn mirrors(survey: &Survey<'_>, beyond: &Beyond) -> Vec<EventIx> {
    let mut echoes = Vec::new();
    let mut texts = Texts::new(survey, beyond);
    let mut told: [Vec<EventIx>; 3] = Default::default();
    let mut tools = Vec::new();
    for &at in &survey.mirrors {
        let event = survey.session.event(at);
        if matches!(event.kind, Kind::ToolCall | Kind::ToolResult) {
            tools.push(event);
            continue;
        }
        let list = list(event.kind);
        if texts.repeats(event, list, &told[list]) {
            echoes.push(at);
        } else {
            told[list].push(at);
        }
    }
    if !tools.is_empty() {
        tool_mirrors(survey, beyond, tools, &mut echoes);
    }
    echoes
}

/// The texts of events, each read once.
struct Texts<'s> {
    survey: &'s Survey<'s>,
    beyond: &'s Beyond,
    scan: Scan,
    read: Vec<Option<Box<[&'s [u8]]>>>,
    read_beyond: BTreeMap<EventIx, Box<[&'s [u8]]>>,
}

impl<'s> Texts<'s> {
    fn new(survey: &'s Survey<'s>, beyond: &'s Beyond) -> Self {
        let (read, read_beyond) = Default::default();
        Self { survey, beyond, scan: Scan::new(), read, read_beyond }
    }

    /// Whether an item near the mirror, or an earlier mirror of another type, has its text.
    fn repeats(&mut self, mirror: EventRef<'s>, list: usize, told: &[EventIx]) -> bool {
        let session = self.survey.session;
        let near = || self.survey.near(self.beyond, list, mirror.index);
        if let Some([b'"', text @ .., b'"']) = mirror.raw(Slot::Content)
            && near().any(|at| ends_with(session.event(at), text))
        {
            return true;
        }
        let other = |at: &&EventIx| !std::ptr::eq(session.event(**at).case, mirror.case);
        let told = told.iter().rev().take(REACH).filter(other);
        let near: Vec<EventIx> = near().chain(told.copied()).collect();
        let count = self.of(mirror.index).len();
        if count == 0 {
            return near.iter().any(|&at| self.of(at).is_empty());
        }
        (0..count).all(|part| {
            let text = self.of(mirror.index)[part];
            let is_plan = std::ptr::eq(mirror.case, &raw const event_case::ITEM_PLAN);
            let same = |said: &&[u8]| same(said, text) || is_plan && plan(said) == Some(text);
            near.iter().any(|&at| self.of(at).iter().any(same))
        })
    }

    fn of(&mut self, at: EventIx) -> &[&'s [u8]] {
        let (survey, scan) = (self.survey, &mut self.scan);
        if !survey.range.contains(&at) {
            let read = || texts(survey.session.event(at), scan).into_boxed_slice();
            return self.read_beyond.entry(at).or_insert_with(read);
        }
        if self.read.is_empty() {
            self.read.resize_with(survey.range.len(), || None);
        }
        let place = &mut self.read[(at - survey.range.start) as usize];
        place.get_or_insert_with(|| texts(survey.session.event(at), scan).into_boxed_slice())
    }
}

/// Whether this is the last text of the content. Most items are so, and this check needs no
/// parsing: a quote within a text would be escaped.
fn ends_with(event: EventRef<'_>, text: &[u8]) -> bool {
    let content = event.raw(Slot::Content).unwrap_or_default();
    let behind = content.strip_suffix(b"\"}]").and_then(|rest| rest.strip_suffix(text));
    behind.is_some_and(|rest| rest.ends_with(b"\"text\":\""))
}

/// Whether a text of the history is the UI event's with elements around it: another agent's texts
/// around a prompt, which the UI does not show.
fn is_around(said: &[u8], told: &[u8]) -> bool {
    let is_elements = |text: &[u8]| {
        let text = trim(text);
        text.is_empty() || text.starts_with(b"<") && text.ends_with(b">")
    };
    let is_marked = said.starts_with(b"<") || said.ends_with(b">");
    is_marked
        && !told.is_empty()
        && memmem::find_iter(said, told)
            .any(|at| is_elements(&said[..at]) && is_elements(&said[at + told.len()..]))
}

/// The texts of an event's content as written, without empty ones.
fn texts<'s>(event: EventRef<'s>, scan: &mut Scan) -> Vec<&'s [u8]> {
    let raw = event.raw(Slot::Content).unwrap_or_default();
    let mut texts = Vec::new();
    match raw.first() {
        Some(b'"') => texts.push(&raw[1..raw.len() - 1]),
        Some(b'[') => {
            if let Ok(doc) = scan.read(raw, 0) {
                for block in doc.root().elements().take(TEXTS) {
                    let text = match block.shape() {
                        Shape::String => Some(block),
                        _ => block.at(names::TEXT),
                    };
                    let Some(text) = text.filter(|text| text.shape() == Shape::String) else {
                        continue;
                    };
                    let span = text.span();
                    texts.push(&raw[span.start as usize + 1..span.end as usize - 1]);
                }
            }
        }
        _ => {}
    }
    texts.iter_mut().for_each(|text| *text = trim(text));
    texts.retain(|text| !text.is_empty());
    texts
}

/// Whether a text of the history equals the UI event's.
fn same(said: &[u8], told: &[u8]) -> bool {
    said.strip_prefix(told).is_some_and(|rest| rest.is_empty() || trim(rest).starts_with(CITATION))
        || is_around(said, told)
}

/// The plan in a message of the model.
fn plan(said: &[u8]) -> Option<&[u8]> {
    let begin = memmem::find(said, PLAN[0])? + PLAN[0].len();
    let end = memmem::find(&said[begin..], PLAN[1])?;
    Some(trim(&said[begin..begin + end]))
}

/// A JSON string's content without leading and trailing white space, plain or escaped.
fn trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let Some(rest) =
        [&b"\\n"[..], b"\\r", b"\\t", b" "].iter().find_map(|space| text.strip_prefix(*space))
    {
        text = rest;
    }
    loop {
        text = match text {
            [rest @ .., b' '] => rest,
            // An escaped backslash before the letter is text.
            [rest @ .., b'\\', b'n' | b'r' | b't'] if backslashes(rest).is_multiple_of(2) => rest,
            _ => return text,
        };
    }
}

/// Number of backslashes at the end of a text.
fn backslashes(text: &[u8]) -> usize {
    text.iter().rev().take_while(|&&byte| byte == b'\\').count()
}

/// UI events of calls and results that are echoes: those of a call that the history has, and all
/// but the first of any other call.
fn tool_mirrors<'s>(
    survey: &Survey<'s>,
    beyond: &Beyond,
    tools: Vec<EventRef<'s>>,
    echoes: &mut Vec<EventIx>,
) {
    // Ids have equal beginnings. Comparing their last bytes rejects nearly all others at once.
    let last = |call: &[u8]| call.last_chunk().map(|last| u64::from_le_bytes(*last));
    let key =
        |event: EventRef<'s>| event.raw(Slot::Call).map(|call| (event.kind, last(call), call));
    let ran = survey.ran.iter().chain(&beyond.before[RAN]).chain(&beyond.behind[RAN]);
    let ran = ran.map(|&at| survey.session.event(at));
    let mut known: Vec<_> = ran.filter_map(key).collect();
    known.in_order();
    let mut left = Vec::new();
    for event in tools {
        match key(event) {
            Some(key) if known.binary_search(&key).is_ok() => echoes.push(event.index),
            Some(key) => left.push((key, event.index)),
            None => {}
        }
    }
    left.in_order();
    let again = left.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    echoes.extend(again.map(|pair| pair[1].1));
}
