//! One file as far as a session knows it: which lines it wrote, and the whole text where it was
//! told. Lines are 0-based within this module.

use std::collections::BTreeMap;

use similar::{DiffTag, TextDiff};

use super::edit::{agree, edited};
use super::{Change, Edit, Hunk, Line, Range, lines};
use crate::event::EventIx;

/// What is known of a file.
#[derive(Default)]
pub(super) struct File {
    /// All lines, where the whole text is known.
    content: Option<Vec<String>>,
    /// The lines that the session wrote, by their place: who, and the text.
    owned: BTreeMap<usize, (EventIx, String)>,
}

/// Replaces `gone` lines from `at` on by `new` ones.
struct Splice {
    at: usize,
    gone: usize,
    new: Vec<String>,
}

impl File {
    /// A file that is not there.
    pub(super) fn none() -> Self {
        Self { content: Some(Vec::new()), owned: BTreeMap::new() }
    }

    pub(super) fn apply(&mut self, event: EventIx, change: Change) -> Result<(), &'static str> {
        match change {
            Change::Seen { content } => {
                self.see(&content);
                Ok(())
            }
            Change::Write { before, after } => self.write(event, before.as_deref(), &after),
            Change::Hunks { before, hunks, edits } => {
                before.iter().for_each(|before| self.see(before));
                self.hunks(event, hunks, &edits)
            }
            Change::Replace(edit) => self.replace(event, edit),
            Change::Patch { hunks } => self.patch(event, hunks),
            Change::Unclear { why } => {
                self.forget();
                Err(why)
            }
            Change::Delete | Change::Move { .. } => Ok(()),
        }
    }

    pub(super) fn ranges(self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for (at, (event, text)) in self.owned {
            match ranges.last_mut() {
                Some(range) if range.end == at && range.event == event => {
                    range.end = at + 1;
                    range.text.push('\n');
                    range.text.push_str(&text);
                }
                _ => ranges.push(Range { start: at + 1, end: at + 1, event, text }),
            }
        }
        ranges
    }

    /// The file stands so: lines that are as we left them stay ours, wherever they are now.
    fn see(&mut self, content: &str) {
        let now = lines(content);
        let owned = std::mem::take(&mut self.owned);
        self.owned = match &self.content {
            Some(before) if *before == now => owned,
            Some(before) => {
                let before: Vec<&str> = before.iter().map(String::as_str).collect();
                let moved = kept(&before, &now);
                let place = |(at, line)| Some((moved.get(&at).copied()?, line));
                owned.into_iter().filter_map(place).collect()
            }
            None => {
                let same =
                    |(at, (_, text)): &(usize, (EventIx, String))| now.get(*at) == Some(&&**text);
                owned.into_iter().filter(same).collect()
            }
        };
        self.content = Some(now.into_iter().map(str::to_owned).collect());
    }

    fn write(
        &mut self,
        event: EventIx,
        before: Option<&str>,
        after: &str,
    ) -> Result<(), &'static str> {
        if let Some(before) = before {
            self.see(before);
        }
        let now = lines(after);
        let Some(before) = &self.content else {
            // Nobody told what stood there: which of these lines are new can't be derived.
            self.owned.clear();
            self.content = Some(now.into_iter().map(str::to_owned).collect());
            return Err("the file was written over without a word of what it held before");
        };
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let splices = difference(&before, &now);
        self.splice(event, splices);
        Ok(())
    }

    fn hunks(
        &mut self,
        event: EventIx,
        hunks: Vec<Hunk>,
        edits: &[Edit],
    ) -> Result<(), &'static str> {
        if hunks.iter().any(|hunk| hunk.start == 0) {
            return self.patch(event, hunks);
        }
        if !hunks.iter().all(|hunk| self.fits(hunk, hunk.start - 1)) {
            // Somebody changed the file meanwhile. The numbers hold for the file as it was then,
            // our own lines no longer do.
            self.content = None;
            self.owned.clear();
        }
        if let Some(before) = self.text()
            && let Some(after) = edited(&before, edits)
            && agree(&before, &after, &hunks)
        {
            self.splice(event, difference(&lines(&before), &lines(&after)));
            return Ok(());
        }
        let splices = hunks.into_iter().flat_map(|hunk| splices(hunk.start - 1, hunk.lines));
        let splices = splices.collect();
        self.splice(event, splices);
        Ok(())
    }

    /// Can the lines that the hunk names stand at `at`, as far as the file is known?
    fn fits(&self, hunk: &Hunk, at: usize) -> bool {
        let mut at = at;
        hunk.lines.iter().all(|line| match line {
            Line::New(_) => true,
            Line::Same(told) | Line::Gone(told) => {
                at += 1;
                match &self.content {
                    Some(content) => content.get(at - 1).is_some_and(|line| alike(line, told)),
                    None => self.owned.get(&(at - 1)).is_none_or(|(_, line)| alike(line, told)),
                }
            }
        })
    }

    /// A patch without numbers: each hunk stands at the first place behind the one before it (and
    /// behind its anchor) where its old lines are.
    fn patch(&mut self, event: EventIx, hunks: Vec<Hunk>) -> Result<(), &'static str> {
        let Some(content) = self.content.as_ref() else {
            self.owned.clear();
            return Err("a patch without line numbers to a file whose text the session never saw");
        };
        let mut from = 0;
        let mut all = Vec::new();
        for hunk in hunks {
            if let Some(anchor) = &hunk.anchor {
                let found = content.iter().skip(from).position(|line| line.trim() == anchor.trim());
                from = found.map_or(content.len(), |at| from + at + 1);
            }
            let old = hunk.lines.iter().filter(|line| !matches!(line, Line::New(_))).count();
            let last = content.len().saturating_sub(old);
            let place = match old {
                0 if hunk.anchor.is_none() => Some(content.len()),
                _ => (from..=last).find(|&at| self.fits(&hunk, at)),
            };
            let Some(place) = place else {
                self.forget();
                return Err("a patch whose context is not in the file as far as it is known");
            };
            from = place + old;
            all.extend(splices(place, hunk.lines));
        }
        self.splice(event, all);
        Ok(())
    }

    fn replace(&mut self, event: EventIx, edit: Edit) -> Result<(), &'static str> {
        let Some(text) = self.text() else {
            // It may stand anywhere, in our own lines too.
            self.owned.clear();
            return Err("an edit to a file whose text the session never saw");
        };
        let (_, count) = edit.find(&text);
        let Some(now) = edited(&text, &[edit]) else {
            self.forget();
            return Err(match count {
                0 => "an edit whose old text is not in the file as far as it is known",
                _ => "an edit whose old text stands in more than one place",
            });
        };
        self.splice(event, difference(&lines(&text), &lines(&now)));
        Ok(())
    }

    /// The whole text, where it is known.
    fn text(&self) -> Option<String> {
        self.content.as_ref().map(|content| content.join("\n") + "\n")
    }

    /// Something happened that can't be followed: nothing is known of the file any more.
    fn forget(&mut self) {
        self.content = None;
        self.owned.clear();
    }

    /// Makes the splices, each counted in the file before them.
    fn splice(&mut self, event: EventIx, splices: Vec<Splice>) {
        for Splice { at, gone, new } in splices.into_iter().rev() {
            let behind = self.owned.split_off(&at);
            for (place, line) in behind {
                if place >= at + gone {
                    self.owned.insert(place - gone + new.len(), line);
                }
            }
            if let Some(content) = &mut self.content {
                let start = at.min(content.len());
                let end = (at + gone).min(content.len());
                content.splice(start..end, new.iter().cloned());
            }
            let lines = new.into_iter().enumerate();
            self.owned.extend(lines.map(|(step, text)| (at + step, (event, text))));
        }
    }
}

/// Is a line the one that a patch tells of? Some agents show leading tabs as two spaces each.
fn alike(line: &str, told: &str) -> bool {
    let rest = line.trim_start_matches('\t');
    let tabs = line.len() - rest.len();
    let shown = || told.get(..2 * tabs).is_some_and(|head| head.bytes().all(|byte| byte == b' '));
    line == told || (tabs > 0 && shown() && told.get(2 * tabs..) == Some(rest))
}

/// Where each line that stays is afterwards.
fn kept(before: &[&str], after: &[&str]) -> BTreeMap<usize, usize> {
    let mut kept = BTreeMap::new();
    let (mut old, mut new) = (0, 0);
    for Splice { at, gone, new: lines } in difference(before, after) {
        kept.extend((old..at).zip(new..));
        (old, new) = (at + gone, new + (at - old) + lines.len());
    }
    kept.extend((old..before.len()).zip(new..));
    kept
}

/// More pairs of lines than this are not compared: what lies between the lines that begin and end
/// both texts counts as replaced then.
const PAIRS: usize = 4_000_000;

/// The splices that make one text of the other.
fn difference(before: &[&str], after: &[&str]) -> Vec<Splice> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let texts = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
    if old.len().saturating_mul(new.len()) > PAIRS {
        return vec![Splice { at: head, gone: old.len(), new: texts(new) }];
    }
    let diff = TextDiff::from_slices(old, new);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let splice = |op: &similar::DiffOp| Splice {
        at: head + op.old_range().start,
        gone: op.old_range().len(),
        new: texts(&new[op.new_range()]),
    };
    changed.map(splice).collect()
}

/// The splices of a hunk that begins at `at`.
fn splices(mut at: usize, lines: Vec<Line>) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut open: Option<Splice> = None;
    for line in lines {
        if let Line::Same(_) = line {
            splices.extend(open.take());
            at += 1;
            continue;
        }
        let splice = open.get_or_insert_with(|| Splice { at, gone: 0, new: Vec::new() });
        match line {
            Line::Gone(_) => {
                splice.gone += 1;
                at += 1;
            }
            Line::New(text) => splice.new.push(text),
            Line::Same(_) => {}
        }
    }
    splices.extend(open);
    splices
}
