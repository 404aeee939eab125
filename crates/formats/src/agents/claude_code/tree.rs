//! The lines of one stream and the parent of each.

use foldhash::fast::FixedState;
use session::{EventIx, EventRef, Field, Kind};

use super::facts::{Facts, Parent};
use super::map;
use super::standing::Ids;
use crate::tree::{self, NONE, index};

/// Number of ancestors that are searched for a line later in the file.
const NEAR: usize = 64;

/// One line that has an id.
pub(super) struct Line<'s> {
    pub(super) event: EventIx,
    id: &'s [u8],
    /// The ids of its answer: message and request.
    answer: (&'s [u8], &'s [u8]),
    /// Its parent, or [`NONE`].
    pub(super) parent: u32,
    /// Its parent is no longer in the context.
    pub(super) cut: bool,
    /// A user's or the assistant's line.
    pub(super) message: bool,
    /// A person typed it.
    pub(super) typed: bool,
    pub(super) assistant: bool,
    /// It belongs to an agent within the session.
    pub(super) side: bool,
    pub(super) boundary: bool,
    /// A message follows it, directly or over lines that are not messages.
    pub(super) followed: bool,
    /// A later line has its id.
    pub(super) gone: bool,
    summary: bool,
}

impl<'s> Line<'s> {
    /// The ids of its answer.
    pub(super) fn answers(&self) -> Option<(&'s [u8], &'s [u8])> {
        (self.assistant && !self.answer.0.is_empty()).then_some(self.answer)
    }
}

/// The statement about the leaf: its id, whether it was a rewind, and the number of lines before
/// it.
#[derive(Clone, Copy)]
struct Word<'s> {
    leaf: &'s [u8],
    rewind: bool,
    before: usize,
}

/// The leaf of a conversation, and whether the lines after it were taken back.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) line: u32,
    pub(super) rewound: bool,
}

/// The lines of one stream.
pub(super) struct Tree<'s> {
    pub(super) lines: Vec<Line<'s>>,
    pub(super) ids: Ids<'s, u32>,
    /// The parent that each line names; empty once the lines are joined.
    says: Vec<(Parent<'s>, Option<&'s [u8]>)>,
    word: Option<Word<'s>>,
}

impl<'s> Tree<'s> {
    /// A tree with room for some lines.
    pub(super) fn with_capacity(lines: usize) -> Self {
        Self {
            lines: Vec::with_capacity(lines),
            ids: Ids::with_capacity_and_hasher(lines, FixedState::default()),
            says: Vec::with_capacity(lines),
            word: None,
        }
    }

    /// Adds the next line of the stream. `agent` means that the whole stream is an agent's.
    pub(super) fn add(&mut self, event: EventRef<'s>, facts: &Facts<'s>, agent: bool) {
        if let Some(leaf) = facts.leaf {
            let marked = |field: &Field| {
                event.is_named(*field, map::REWOUND) && event.value(*field) == b"true"
            };
            let rewind = event.raw(session::Slot::Type) == Some(map::REWIND)
                || event.fields().iter().any(marked);
            self.word = Some(Word { leaf, rewind, before: self.lines.len() });
        }
        let Some(id) = facts.id else { return };
        // Added to a running turn: it has its parent's standing, like any attachment.
        let between = [map::SENT_BETWEEN, map::BETWEEN].contains(&event.case.name);
        let number = index(self.lines.len());
        if let Some(earlier) = self.ids.insert(id, number) {
            self.lines[earlier as usize].gone = true;
        }
        self.says.push((facts.parent, facts.link));
        self.lines.push(Line {
            event: event.index,
            id,
            answer: facts.answer,
            parent: NONE,
            cut: false,
            message: matches!(event.kind, Kind::User | Kind::Assistant) && !between,
            typed: event.kind == Kind::User && event.injected.is_none() && !between,
            assistant: event.kind == Kind::Assistant,
            side: agent || facts.side,
            boundary: facts.boundary,
            followed: false,
            gone: false,
            summary: facts.summary,
        });
    }

    /// Joins each line to its parent.
    pub(super) fn join(&mut self, is_plan: impl Fn(EventIx) -> bool) {
        let says = std::mem::take(&mut self.says);
        let named = |says: &(Parent<'s>, _)| match says.0 {
            Parent::Named(id) => self.ids.get(id).copied(),
            Parent::Null | Parent::Absent => None,
        };
        // If no line of a file names another, there is no chain: the order of the lines is one.
        let chained = says.iter().any(|says| named(says).is_some());
        let (mut before, mut prompt_began) = ([NONE; 2], false);
        for (number, (parent, link)) in says.into_iter().enumerate() {
            let line = &self.lines[number];
            let (side, message, gone) = (line.side, line.message, line.gone);
            let begins = matches!(parent, Parent::Null) && chained && !line.boundary;
            let previous = before[usize::from(side)];
            let (parent, cut) = match (self.named(number, parent), self.linked(number, link)) {
                (Some(parent), _) => (parent, false),
                (None, Some(parent)) => (parent, true),
                _ if !begins => (previous, false),
                // An agent's own tree; or the first prompt, edited: a second root beside it.
                _ if side || (line.typed && prompt_began && !is_plan(line.event)) => (NONE, false),
                _ if self.descends(previous, index(number)) => (NONE, false),
                _ => (previous, true),
            };
            let line = &mut self.lines[number];
            line.parent = parent;
            prompt_began |= begins && line.typed && !side;
            let line = &self.lines[number];
            let cut = cut || line.boundary || line.summary && !self.follows_boundary(parent);
            self.lines[number].cut = cut;
            if message && !gone {
                before[usize::from(side)] = index(number);
            }
        }
        self.follow();
    }

    /// Whether a line is a descendant of a line later in the file. Children that are written before
    /// their parents are near them.
    fn descends(&self, mut line: u32, from: u32) -> bool {
        for _ in 0..NEAR {
            match self.lines.get(line as usize) {
                Some(found) if found.parent == from => return true,
                Some(found) => line = found.parent,
                None => return false,
            }
        }
        false
    }

    /// Whether a line is a compaction's boundary, or follows one with nothing but attachments
    /// between: 2.1.33x writes them before the summary.
    fn follows_boundary(&self, mut line: u32) -> bool {
        for _ in 0..self.lines.len() {
            match self.lines.get(line as usize) {
                Some(found) if found.boundary => return true,
                Some(found) if !found.message => line = found.parent,
                _ => return false,
            }
        }
        false
    }

    /// The line that is named as the parent. A side chain ends where the main chain begins.
    fn named(&self, number: usize, parent: Parent<'s>) -> Option<u32> {
        let Parent::Named(id) = parent else { return None };
        let found = self.other(number, id)?;
        let leaves = self.lines[number].side && !self.lines[found as usize].side;
        Some(if leaves { NONE } else { found })
    }

    fn linked(&self, number: usize, link: Option<&'s [u8]>) -> Option<u32> {
        self.other(number, link?)
    }

    fn other(&self, number: usize, id: &'s [u8]) -> Option<u32> {
        // Nearly always the parent is the previous line, and no lookup is needed.
        let before = number.checked_sub(1).filter(|&before| {
            let line = &self.lines[before];
            line.id == id && !line.gone
        });
        match before {
            Some(before) => Some(index(before)),
            None => self.ids.get(id).copied().filter(|&found| found as usize != number),
        }
    }

    /// Marks the messages that another message follows.
    fn follow(&mut self) {
        let mut passed = vec![false; self.lines.len()];
        for number in 0..self.lines.len() {
            if !self.lines[number].message || self.lines[number].gone {
                continue;
            }
            let mut at = self.lines[number].parent as usize;
            while let Some(line) = self.lines.get_mut(at) {
                if line.message {
                    line.followed = true;
                    break;
                }
                if std::mem::replace(&mut passed[at], true) {
                    break;
                }
                at = line.parent as usize;
            }
        }
    }

    /// The leaf of the main conversation.
    pub(super) fn end(&self) -> Option<End> {
        let messages = || {
            let all = self.lines.iter().enumerate().rev();
            let messages = all.filter(|(_, line)| line.message && !line.side && !line.gone);
            messages.map(|(number, line)| (index(number), line))
        };
        let last = messages().next()?.0;
        let named = self.word.and_then(|word| {
            let line = *self.ids.get(word.leaf)?;
            let ends = word.rewind || !self.is_followed(line);
            (ends && word.before > last as usize).then_some(End { line, rewound: word.rewind })
        });
        let unfollowed = || messages().find(|(_, line)| !line.followed).map(|(number, _)| number);
        named.or_else(|| Some(End { line: unfollowed().unwrap_or(last), rewound: false }))
    }

    /// Whether a message follows this line, or the message before it.
    fn is_followed(&self, line: u32) -> bool {
        let mut at = line;
        for _ in 0..self.lines.len() {
            match self.lines.get(at as usize) {
                Some(line) if line.message => return line.followed,
                Some(line) => at = line.parent,
                None => return false,
            }
        }
        false
    }

    /// The root of each line's tree.
    pub(super) fn roots(&self) -> Vec<u32> {
        tree::roots(self.lines.len(), |at| self.lines[at].parent)
    }
}
