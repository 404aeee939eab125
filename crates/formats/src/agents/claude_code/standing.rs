//! Standing of each line in the conversation that the agent would resume.
//!
//! Lines name their parent (`parentUuid`), so a transcript is a tree, and the active path leads
//! from its leaf to the root. That path alone would miss a third of all lines: results of parallel
//! calls, progress, attachments, everything before a compaction. The rules:
//!
//! 1. Each sub-agent's file is a tree of its own, and so is each side chain within the main file. A
//!    line whose id occurs again later is `Superseded`. A line without an id is `Live`.
//! 2. The parent of a line is the line that it names. If that is missing (progress, or an answer
//!    that was removed), it is the previous message in the file. The parent of a compaction's
//!    boundary is the summarized line (`logicalParentUuid`). The same applies to a summary without
//!    a boundary, and to a root that no person typed: a plan or a hook that began with a cleared
//!    context.
//! 3. The leaf is the last message without a child, unless the last statement of the file names
//!    another (`last-prompt`, `rewind-pointer`).
//! 4. Lines on the active path are `Live`. Before the last compaction or cleared context they are
//!    `Compacted`, except for those that the compaction left in the context.
//! 5. A line off the active path inherits the standing of its parent: tool results, attachments,
//!    progress. But a prompt or command off the path was edited, and an answer off the path was
//!    retried: these and their descendants are `OtherBranch` (`Rewound` after a rewind). Exceptions
//!    are an answer with another line on the path, and the command of a compaction.
//! 6. Messages that a line retracts are `Rewound`, those that it replaces `Superseded`.
//! 7. Lines with a mark of another session are copies, in the context or not: `forkedFrom`; another
//!    session's id before the session's own first line; in a sub-agent's file, the id of a line of
//!    the main one.
//!
//! One pass over the events and a few over the lines. Each path is walked once.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use foldhash::fast::FixedState;
use session::{
    EventIx, EventRef, Injected, Kind, Mark, NO_EVENT, Node, Scan, Session, Slot, Standing, Stream,
};

use super::facts::Facts;
use super::tree::{End, Tree};
use super::{human_input, map};
use crate::standings::move_behind;
use crate::tree::{self, NONE, index};

/// Map from raw ids (quotes included).
pub(super) type Ids<'s, T> = HashMap<&'s [u8], T, FixedState>;

/// Sets the standing of every event.
pub(super) fn settle(session: &mut Session) {
    let settled = all(session);
    let end = u32::try_from(session.len()).unwrap_or(u32::MAX);
    for (top, standing) in settled {
        session.mark(top, Mark::Standing(standing));
        for at in top + 1..end {
            if session.event(at).parent == NO_EVENT {
                break;
            }
            session.mark(at, Mark::Standing(standing));
        }
    }
    if let Some((kept, summary)) = kept(session) {
        move_behind(session, &kept, summary);
    }
}

/// The lines that the last compaction left in the context, and its summary. Both are in one file:
/// the agent adds the summary to it.
fn kept(session: &Session) -> Option<(Vec<EventIx>, EventIx)> {
    let said = |event: &EventRef<'_>| {
        let is_line = event.parent == NO_EVENT && *event.stream() == Stream::Main;
        let is_talk = event.kind != Kind::Notice && !event.is_true(Slot::Sidechain);
        is_line && is_talk && event.standing().is_live()
    };
    let is_summary = |event: &EventRef<'_>| {
        event.injected == Some(Injected::Summary) || event.is_true(Slot::CompactSummary)
    };
    let summary = session.events().filter(said).rfind(is_summary)?;
    let member = summary.origin.member;
    let before = session.events().take_while(|event| event.index < summary.index);
    let before = before.filter(|event| event.origin.member == member).filter(said);
    let kept: Vec<EventIx> = before.map(|event| event.index).collect();
    (!kept.is_empty()).then_some((kept, summary.index))
}

/// The top-level events that are not `Live`.
fn all(session: &Session) -> Vec<(EventIx, Standing)> {
    let own = format!("\"{}\"", session.id);
    let mut settled = Vec::new();
    let mut main: Option<Tree<'_>> = None;
    for (stream, members) in streams(session) {
        let agent = stream != Stream::Main;
        let lines = if agent { 0 } else { session.records.len() };
        let (mut tree, mut copied) = (Tree::with_capacity(lines), Vec::new());
        let mut outcome = Vec::new();
        for events in members {
            let mut foreign = Vec::new();
            let mut began = agent;
            for event in events.map(|at| session.event(at)).filter(|event| event.parent == NO_EVENT)
            {
                let facts = Facts::of(event);
                tree.add(event, &facts, agent);
                let Some(id) = facts.id else { continue };
                let other = facts.session.is_some_and(|session| session != own.as_bytes());
                if facts.forked.is_some_and(|from| from != own.as_bytes())
                    || main.as_ref().is_some_and(|main| repeats(event, id, main))
                {
                    copied.push(event.index);
                } else if !began && other {
                    foreign.push(event.index);
                } else if !began && facts.session.is_some() {
                    began = true;
                    copied.append(&mut foreign);
                }
                if facts.retracts {
                    retracted(event, &mut outcome);
                }
            }
        }
        tree.join(|event| is_plan(session.event(event)));
        let begin = settled.len();
        settled.extend(Ways::new(session, &tree).settled());
        settled.extend(outcome.into_iter().filter_map(|(id, standing)| {
            let line = *tree.ids.get(id.as_slice())?;
            Some((tree.lines[line as usize].event, standing))
        }));
        copies(copied, &mut settled, begin);
        if !agent {
            main = Some(tree);
        }
    }
    settled
}

/// Whether a line of a sub-agent is a copy of one of the main history: the same id and content.
fn repeats(event: EventRef<'_>, id: &[u8], main: &Tree<'_>) -> bool {
    let line = main.ids.get(id).and_then(|line| main.lines.get(*line as usize));
    line.is_some_and(|line| {
        let first = event.session().event(line.event);
        first.raw(Slot::Content) == event.raw(Slot::Content)
    })
}

/// Sets the standing of copies of another session's lines. From `begin` on, `settled` has the lines
/// of the same stream that are not `Live`.
fn copies(copied: Vec<EventIx>, settled: &mut Vec<(EventIx, Standing)>, begin: usize) {
    if copied.is_empty() {
        return;
    }
    let own: HashMap<EventIx, Standing> = settled[begin..].iter().copied().collect();
    let copy = |event| (event, own.get(&event).copied().unwrap_or_default().copied());
    settled.extend(copied.into_iter().map(copy));
}

/// The events of each stream, member by member, the main stream first. Within a stream the member
/// with the latest time comes last: its lines are the newest.
fn streams(session: &Session) -> Vec<(Stream, Vec<Range<EventIx>>)> {
    let mut streams: BTreeMap<&Stream, Vec<Range<EventIx>>> = BTreeMap::new();
    let mut events = session.events().map(|event| (event.origin.member, event.index)).peekable();
    while let Some((member, first)) = events.next() {
        let mut last = first;
        while let Some((_, next)) = events.next_if(|(other, _)| *other == member) {
            last = next;
        }
        streams.entry(session.event(first).stream()).or_default().push(first..last + 1);
    }
    let newest = |range: &Range<EventIx>| {
        let time = range.clone().rev().find_map(|at| session.event(at).text(Slot::Time));
        (time, session.event(range.start).origin.member)
    };
    let sorted = |(stream, mut members): (&Stream, Vec<Range<EventIx>>)| {
        if members.len() > 1 {
            members.sort_by_cached_key(newest);
        }
        (stream.clone(), members)
    };
    streams.into_iter().map(sorted).collect()
}

/// The ids that a line retracts or replaces.
fn retracted(event: EventRef<'_>, outcome: &mut Vec<(Vec<u8>, Standing)>) {
    for &field in event.fields().iter().filter(|field| field.slot == Slot::Target) {
        let replaces = event.name(field) == map::SUPERSEDES;
        let standing = if replaces { Standing::Superseded } else { Standing::Rewound };
        let mut scan = Scan::new();
        if let Ok(list) = scan.read(event.value(field), 0) {
            outcome.extend(list.root().elements().map(|id| (id.raw().to_vec(), standing)));
        }
    }
}

/// Whether a person gave a command, which the agent writes as a prompt of its own.
fn is_command(event: EventRef<'_>) -> bool {
    event.kind == Kind::User && human_input::is_command(&event.said())
}

/// Whether a prompt begins with a plan that the agent made in the previous context.
fn is_plan(event: EventRef<'_>) -> bool {
    let line = event.span.of(event.member_bytes());
    // Few lines have the name, or any that is written with escapes.
    let has = |part: &str| memchr::memmem::find(line, part.as_bytes()).is_some();
    if !map::PLAN.iter().all(|name| has(name)) && !has("\\u") {
        return false;
    }
    let mut scan = Scan::new();
    let line = scan.read(line, 0);
    line.is_ok_and(|line| line.root().at(map::PLAN).is_some())
}

/// Walker of the paths of one tree.
struct Ways<'t, 's> {
    session: &'s Session,
    tree: &'t Tree<'s>,
    standings: Vec<Option<Standing>>,
    end: Option<End>,
}

impl<'t, 's> Ways<'t, 's> {
    fn new(session: &'s Session, tree: &'t Tree<'s>) -> Self {
        Self { session, tree, standings: vec![None; tree.lines.len()], end: None }
    }

    /// The events that are not `Live`.
    fn settled(mut self) -> Vec<(EventIx, Standing)> {
        let mut walked = vec![false; self.tree.lines.len()];
        self.end = self.tree.end();
        if let Some(end) = self.end {
            self.walk(end.line, &mut walked);
        }
        for end in self.side_ends() {
            self.walk(end, &mut walked);
        }
        self.rest();
        let lines = self.tree.lines.iter().zip(&self.standings);
        let settled = lines.filter_map(|(line, standing)| {
            let standing = if line.gone { Standing::Superseded } else { (*standing)? };
            (standing != Standing::Live).then_some((line.event, standing))
        });
        settled.collect()
    }

    /// The leaf of each tree of an agent.
    fn side_ends(&self) -> Vec<u32> {
        if !self.tree.lines.iter().any(|line| line.side) {
            return Vec::new();
        }
        let roots = self.tree.roots();
        let mut ended = vec![false; roots.len()];
        let lines = self.tree.lines.iter().enumerate().rev();
        let ends = lines.filter(|(number, line)| {
            line.side
                && line.message
                && !line.followed
                && !line.gone
                && !std::mem::replace(&mut ended[roots[*number] as usize], true)
        });
        ends.map(|(number, _)| index(number)).collect()
    }

    /// Walks the path from a leaf to the root.
    fn walk(&mut self, end: u32, walked: &mut [bool]) {
        let (mut at, mut standing) = (end, Standing::Live);
        while let Some(line) = self.tree.lines.get(at as usize) {
            if std::mem::replace(&mut walked[at as usize], true) {
                break;
            }
            self.standings[at as usize].get_or_insert(standing);
            if line.cut && standing == Standing::Live {
                standing = Standing::Compacted;
                self.preserve(line.event);
            }
            at = line.parent;
        }
    }

    /// Sets the lines that a compaction left in the context to `Live`.
    fn preserve(&mut self, boundary: EventIx) {
        let event = self.session.event(boundary);
        let mut scan = Scan::new();
        let Ok(line) = scan.read(event.span.of(event.member_bytes()), 0) else { return };
        let line = line.root();
        let lists = map::PRESERVED.iter().filter_map(|path| line.at(path));
        for id in lists.flat_map(Node::elements) {
            if let Some(&kept) = self.tree.ids.get(id.raw()) {
                self.standings[kept as usize] = Some(Standing::Live);
            }
        }
        let end = |path| self.tree.ids.get(line.at(path)?.raw()).copied();
        let (Some(head), Some(mut at)) = (end(map::PRESERVED_HEAD), end(map::PRESERVED_TAIL))
        else {
            return;
        };
        while let Some(line) = self.tree.lines.get(at as usize) {
            let kept = self.standings[at as usize].replace(Standing::Live);
            if at == head || kept == Some(Standing::Live) {
                break;
            }
            at = line.parent;
        }
    }

    /// Sets the lines off the paths: they inherit their parent's standing, with the exceptions of
    /// rule 5.
    fn rest(&mut self) {
        if self.standings.iter().all(Option::is_some) {
            return;
        }
        let (answers, sent_last) = (self.answers(), self.sent_last());
        let mut standings = std::mem::take(&mut self.standings);
        tree::inherit(
            &mut standings,
            |at| self.tree.lines[at].parent,
            |at, before| self.beside(at, before, &answers, &sent_last),
        );
        self.standings = standings;
    }

    /// The standing of a line off the path, from its parent's.
    fn beside(
        &self,
        at: usize,
        before: Option<Standing>,
        answers: &Answers<'s>,
        sent_last: &HashMap<u32, usize, FixedState>,
    ) -> Standing {
        let line = &self.tree.lines[at];
        if let Some(answer) = line.answers()
            && let Some(&standing) = answers.get(&answer)
        {
            return standing;
        }
        let before = before.unwrap_or(Standing::Live);
        if !matches!(before, Standing::Live | Standing::Compacted) {
            return before;
        }
        let compacts = || self.tree.lines.get(at + 1).is_some_and(|next| next.boundary);
        let edited = || line.typed || self.is_edited_command(at, sent_last);
        // The command of a compaction is not among what that keeps.
        let commands = || is_command(self.session.event(line.event));
        if compacts() && (edited() || commands()) {
            return Standing::Compacted;
        }
        if line.assistant || edited() {
            let rewound = self.end.is_some_and(|end| end.rewound && end.line == line.parent);
            return if rewound { Standing::Rewound } else { Standing::OtherBranch };
        }
        before
    }

    /// Whether a command was given again, edited: a later line of the user's side on the path has
    /// the same parent. Any other command off the path only ended where the conversation stopped.
    fn is_edited_command(&self, at: usize, sent_last: &HashMap<u32, usize, FixedState>) -> bool {
        let line = &self.tree.lines[at];
        sent_last.get(&line.parent).is_some_and(|&last| last > at)
            && is_command(self.session.event(line.event))
    }

    /// The last line of the user's side on the paths that follows each parent.
    fn sent_last(&self) -> HashMap<u32, usize, FixedState> {
        let lines = self.tree.lines.iter().zip(&self.standings).enumerate();
        let sent = lines.filter(|(_, (line, standing))| {
            line.message && !line.assistant && line.parent != NONE && standing.is_some()
        });
        sent.map(|(number, (line, _))| (line.parent, number)).collect()
    }

    /// The answers on the paths.
    fn answers(&self) -> Answers<'s> {
        let lines = self.tree.lines.iter().zip(&self.standings);
        lines.filter_map(|(line, standing)| Some((line.answers()?, (*standing)?))).collect()
    }
}

/// Standing of each answer's first line on a path, by message and request.
type Answers<'s> = HashMap<(&'s [u8], &'s [u8]), Standing, FixedState>;
