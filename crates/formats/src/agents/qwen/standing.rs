//! Standings: which records the agent's next request would be made of.
//!
//! 1. Each record names the one before. The leaf is the last record of the file, whatever its type
//!    is. Records that are not on the path from it to the root are `OtherBranch`, or `Rewound` if
//!    a rewind on the path left them. Where the parent is not in the file, it is the record before,
//!    but for a rewind, which begins anew.
//! 2. Records with one id are one record, of which the agent joins the parts.
//! 3. The history of the last compression on the path replaces the records before it (`Compacted`).
//!    Messages at its end that repeat those records are an `Echo`, and the records stay, behind
//!    the beginning of the history. Its first message is the summary, and the model's answer to
//!    that is the agent's own.
//! 4. In a fork, each copied record says so.
//! 5. A prompt that a command of an editor answered is in no request.
//! 6. A report of an answer that has a record is an `Echo` (`usage.rs`).

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use session::Sorting as _;
use session::{
    Case, EventIx, EventRef, Injected, Kind, Mark, NO_EVENT, Node, Session, Slot, Standing, value,
};

use super::{map, usage};
use crate::json_eq;
use crate::standings::{Standings, move_behind};
use crate::tree::{self, NONE, index};

/// A record, with the messages of a history that it has.
struct Record<'s> {
    line: EventRef<'s>,
    history: Vec<EventRef<'s>>,
}

/// The records that a compression left, and the event that they follow.
type Kept = (Vec<EventIx>, EventIx);

/// Sets the standing of every event.
pub(super) fn settle(session: &mut Session) {
    let mut standings = Standings::new(session);
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    let (mut moved, mut marks) = (Vec::new(), Vec::new());
    for member in top.chunk_by(|a, b| a.origin.member == b.origin.member) {
        let log = Log::of(member);
        moved.extend(log.settle(&mut standings, &mut marks));
        log.copies(&mut standings);
    }
    usage::echoes(session, &mut standings);
    standings.apply(session);
    marks.into_iter().for_each(|(event, mark)| session.mark(event, Mark::Injected(Some(mark))));
    for (kept, last) in moved {
        move_behind(session, &kept, last);
    }
}

fn is(event: EventRef<'_>, case: &'static Case) -> bool {
    std::ptr::eq(event.case, case)
}

/// The records of one file.
struct Log<'s> {
    records: Vec<Record<'s>>,
    /// The first record with an id.
    ids: HashMap<&'s [u8], u32, FixedState>,
}

impl<'s> Log<'s> {
    fn of(member: &[EventRef<'s>]) -> Self {
        let mut records: Vec<Record<'s>> = Vec::new();
        for record in member.chunk_by(|a, b| a.origin.record == b.origin.record) {
            let [line, history @ ..] = record else { continue };
            if line.kind != Kind::Opaque {
                records.push(Record { line: *line, history: history.to_vec() });
            }
        }
        let mut ids = HashMap::default();
        for (at, record) in records.iter().enumerate() {
            if let Some(id) = record.line.raw(Slot::Id) {
                ids.entry(id).or_insert(index(at));
            }
        }
        Self { records, ids }
    }

    /// The first record with the id of this one.
    fn first(&self, at: usize) -> u32 {
        let id = self.records[at].line.raw(Slot::Id);
        id.and_then(|id| self.ids.get(id).copied()).unwrap_or(index(at))
    }

    fn parent(&self, at: usize) -> u32 {
        let line = self.records[at].line;
        match line.raw(Slot::Parent) {
            Some(b"null") => NONE,
            Some(id) if self.ids.contains_key(id) => self.ids[id],
            Some(_) if is(line, &map::REWIND) => NONE,
            _ => at.checked_sub(1).map_or(NONE, |before| self.first(before)),
        }
    }

    /// Sets a standing of a record, and of the history in it.
    fn set(&self, at: usize, standings: &mut Standings, standing: Standing) {
        let Record { line, history } = &self.records[at];
        for event in [line].into_iter().chain(history) {
            if standings.of(event.index) != Standing::Echo {
                standings.set(event.index, standing);
            }
        }
    }

    /// Sets the standings of the records off the path, and before a compression.
    fn settle(
        &self,
        standings: &mut Standings,
        marks: &mut Vec<(EventIx, Injected)>,
    ) -> Option<Kept> {
        let leaf = self.records.len().checked_sub(1)?;
        let path = tree::path(self.first(leaf), self.records.len(), |at| self.parent(at));
        let on_path: HashSet<u32> = path.iter().copied().collect();
        let (path, left): (Vec<usize>, Vec<usize>) =
            (0..self.records.len()).partition(|at| on_path.contains(&self.first(*at)));
        let rewound = self.rewound(&path);
        for at in left {
            let back = rewound.iter().any(|(from, to)| (*from..*to).contains(&at));
            self.set(at, standings, if back { Standing::Rewound } else { Standing::OtherBranch });
        }
        self.commands(&path, marks);
        let mut last = None;
        for (place, at) in path.iter().enumerate() {
            let history = &self.records[*at].history;
            if history.is_empty() {
                continue;
            }
            let before = &path[..place];
            let kept = self.repeated(history, before, standings);
            name(history, standings, marks);
            last = Some((place, kept, history.last()?.index));
        }
        let (place, kept, behind) = last?;
        for at in path[..place].iter().filter(|at| !kept.contains(at)) {
            self.set(*at, standings, Standing::Compacted);
        }
        let lines = kept.iter().map(|at| self.records[*at].line.index).collect();
        (!kept.is_empty()).then_some((lines, behind))
    }

    /// Marks the prompts that commands of an editor answered.
    fn commands(&self, path: &[usize], marks: &mut Vec<(EventIx, Injected)>) {
        let mut prompt = None;
        for line in path.iter().map(|at| self.records[*at].line) {
            if is(line, &map::COMMAND) {
                let answered = prompt.take().filter(|prompt| answers(line, *prompt));
                marks.extend(answered.map(|prompt| (prompt.index, Injected::Context)));
            } else if line.kind != Kind::Notice {
                prompt = is(line, &map::USER).then_some(line);
            }
        }
    }

    /// The places that the rewinds on the path left: each from behind the record that was kept.
    fn rewound(&self, path: &[usize]) -> Vec<(usize, usize)> {
        let rewinds = path.iter().filter(|at| is(self.records[**at].line, &map::REWIND));
        let from = |at: usize| match self.parent(at) {
            NONE => 0,
            parent => parent as usize + 1,
        };
        rewinds.map(|at| (from(*at), *at)).collect()
    }

    /// The records that the end of a compressed history repeats. Its messages there are echoes. One
    /// message may have the parts of several records: the results of calls that were made together.
    fn repeated(
        &self,
        history: &[EventRef<'s>],
        before: &[usize],
        standings: &mut Standings,
    ) -> Vec<usize> {
        let said = before.iter().map(|at| (*at, parts(self.records[*at].line, map::PARTS)));
        let said: Vec<(usize, Vec<&[u8]>)> = said.filter(|(_, own)| !own.is_empty()).collect();
        let (mut kept, mut end) = (Vec::new(), said.len());
        // The summary repeats nothing.
        for message in history.iter().skip(1).rev() {
            let told = parts(*message, map::OWN_PARTS);
            let (mut at, mut left) = (end, &told[..]);
            while let Some((_, own)) = at.checked_sub(1).map(|before| &said[before]) {
                let Some(cut) = left.len().checked_sub(own.len()).filter(|_| !left.is_empty())
                else {
                    break;
                };
                let same = |(a, b): (&&[u8], &&[u8])| json_eq::equal(a, b);
                if !left[cut..].iter().zip(own).all(same) {
                    break;
                }
                (left, at) = (&left[..cut], at - 1);
            }
            if left.is_empty() && !told.is_empty() {
                kept.extend(said[at..end].iter().map(|(at, _)| *at));
                standings.set(message.index, Standing::Echo);
                end = at;
            }
        }
        kept.in_order();
        kept
    }

    /// Marks the copies in a fork.
    fn copies(&self, standings: &mut Standings) {
        for Record { line, history } in &self.records {
            if line.field(Slot::ParentSession).is_some() {
                for event in [line].into_iter().chain(history) {
                    standings.set(event.index, standings.of(event.index).copied());
                }
            }
        }
    }
}

/// Whether a command answered a prompt by itself.
fn answers(command: EventRef<'_>, prompt: EventRef<'_>) -> bool {
    let by_itself = |line: Node<'_>| {
        let mut items = line.at(map::ITEMS)?.elements().peekable();
        let is_answer = |item: Node<'_>| item.word(map::TYPE) == Some(b"assistant");
        let sent = line.at(map::SENT).is_some_and(|mark| mark.raw() == b"true");
        let own = line.word(map::PHASE)? == b"result" && !sent && items.peek().is_some();
        let same = value::text_at(line, map::RAW_COMMAND)? == prompt.said();
        Some(own && same && items.all(is_answer))
    };
    value::look(command.bytes(), by_itself) == Some(true)
}

/// The parts of a message, as written.
fn parts<'s>(event: EventRef<'s>, path: &[&str]) -> Vec<&'s [u8]> {
    let bytes = event.bytes();
    let spans = value::look(bytes, |line| {
        Some(line.at(path)?.elements().map(|part| part.span()).collect::<Vec<_>>())
    });
    let spans = spans.unwrap_or_default().into_iter();
    spans.filter_map(|span| bytes.get(span.start as usize..span.end as usize)).collect()
}

/// Names the texts of a compressed history that nobody said.
fn name(history: &[EventRef<'_>], standings: &Standings, marks: &mut Vec<(EventIx, Injected)>) {
    for (number, message) in history.iter().enumerate() {
        let has_calls = message.children().any(|child| child.kind != Kind::Reasoning);
        if has_calls || standings.of(message.index) == Standing::Echo {
            continue;
        }
        match (number, message.kind) {
            (0, Kind::User) => marks.push((message.index, Injected::Summary)),
            (1, Kind::Assistant) => marks.push((message.index, Injected::Context)),
            (_, Kind::User) => marks.push((message.index, Injected::Told)),
            _ => {}
        }
    }
}
