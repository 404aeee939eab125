//! State of a file as far as a session records it: the lines that the session wrote, and the whole
//! text if it is known. Lines are 0-based within this module.

use std::collections::BTreeMap;

use super::change::{Change, Hunk, Line, Replacement, lines};
use super::diff::{Splice, difference, seek};
use super::hunk::{alike, place, splices};
use super::replacement::{agree, edited};
use super::work::{LINE, SPENT, Work};
use session::Sorting as _;
use session::{EventIx, NO_EVENT};

/// Range of lines that the session wrote and that exist at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenRange {
    /// The first line, 1-based.
    pub start: usize,
    /// The last line, inclusive.
    pub end: usize,
    /// The event that wrote them.
    pub event: EventIx,
    /// Their text: the lines joined by line feeds.
    pub text: String,
}

/// The known state of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// All lines, if the whole text is known.
    content: Option<Vec<String>>,
    /// The lines that the session wrote, by position: the event, and the text.
    owned: BTreeMap<usize, (EventIx, String)>,
    /// Whether the last change showed that somebody else had moved or changed lines of the session.
    moved: bool,
    /// Whether its lines are followed up to a later state that is known. Then what can't be derived
    /// is no reason to forget the others, and a line that somebody else wrote is known as such.
    followed: bool,
}

/// The event of the lines that somebody else wrote, in a file that is followed.
pub(super) const OUTSIDE: EventIx = NO_EVENT;

/// The reason why lines that the session wrote earlier are missing from the result.
const MOVED: &str = "the file had been changed by somebody else: lines that the session wrote \
                     there earlier can't be located any more";

/// Upper bound for the number of lines in a file.
const LINES: usize = 1 << 40;

impl File {
    /// A file that does not exist.
    pub(super) fn none() -> Self {
        Self { content: Some(Vec::new()), ..Self::default() }
    }

    /// A file of which nothing is known yet, and whose lines are followed.
    pub(super) fn followed() -> Self {
        Self { followed: true, ..Self::default() }
    }

    /// Deletes a file that is followed.
    pub(super) fn delete(&mut self) {
        *self = Self { followed: self.followed, ..Self::none() };
    }

    /// Whether its whole text is known.
    pub(super) const fn is_known(&self) -> bool {
        self.content.is_some()
    }

    /// The event that wrote a line.
    pub(super) fn writer(&self, line: usize) -> Option<EventIx> {
        self.owned.get(&line).map(|(event, _)| *event)
    }

    /// Applies a change by this event.
    ///
    /// # Errors
    /// The reason why its lines, or earlier lines of the session, can't be located.
    pub(super) fn apply(
        &mut self,
        event: EventIx,
        change: Change,
        work: &mut Work,
    ) -> Result<(), &'static str> {
        self.moved = false;
        self.change(event, change, work)?;
        if self.moved { Err(MOVED) } else { Ok(()) }
    }

    fn change(
        &mut self,
        event: EventIx,
        change: Change,
        work: &mut Work,
    ) -> Result<(), &'static str> {
        match change {
            Change::Seen { content } => self.see(&content, work),
            Change::Write { before, after } => self.write(event, before.as_deref(), &after, work),
            Change::Hunks { before, hunks, edits } => {
                before.iter().try_for_each(|before| self.see(before, work))?;
                self.hunks(event, hunks, &edits, work)
            }
            Change::Replace { before, edits } => {
                before.iter().try_for_each(|before| self.see(before, work))?;
                self.replace(event, &edits, work)
            }
            Change::Patch { hunks } => self.patch(event, hunks),
            Change::Unclear { why } => {
                self.forget();
                Err(why)
            }
            Change::Delete | Change::Move { .. } => Ok(()),
        }
    }

    pub(super) fn ranges(self) -> Vec<WrittenRange> {
        let mut ranges: Vec<WrittenRange> = Vec::new();
        for (at, (event, text)) in self.owned {
            match ranges.last_mut() {
                Some(range) if range.end == at && range.event == event => {
                    range.end = at + 1;
                    range.text.push('\n');
                    range.text.push_str(&text);
                }
                _ => ranges.push(WrittenRange { start: at + 1, end: at + 1, event, text }),
            }
        }
        ranges
    }

    /// Sets the file's content. Unchanged lines of the session are still its own, at their new
    /// positions.
    pub(super) fn see(&mut self, content: &str, work: &mut Work) -> Result<(), &'static str> {
        let now = lines(content);
        if let (Some(before), true) = (&self.content, self.followed) {
            let before: Vec<&str> = before.iter().map(String::as_str).collect();
            let splices = difference(&before, &now, work)?;
            self.splice(OUTSIDE, splices);
            return Ok(());
        }
        let owned = std::mem::take(&mut self.owned);
        self.owned = match &self.content {
            Some(before) if *before == now => owned,
            Some(before) => {
                let before: Vec<&str> = before.iter().map(String::as_str).collect();
                let moved = kept(&before, &now, work)?;
                let place = |(at, line)| Some((moved.get(&at).copied()?, line));
                owned.into_iter().filter_map(place).collect()
            }
            None => {
                let same =
                    |(at, (_, text)): &(usize, (EventIx, String))| now.get(*at) == Some(&&**text);
                let count = owned.len();
                let owned: BTreeMap<_, _> = owned.into_iter().filter(same).collect();
                self.moved |= owned.len() < count;
                owned
            }
        };
        self.content = Some(now.into_iter().map(str::to_owned).collect());
        Ok(())
    }

    fn write(
        &mut self,
        event: EventIx,
        before: Option<&str>,
        after: &str,
        work: &mut Work,
    ) -> Result<(), &'static str> {
        if let Some(before) = before {
            self.see(before, work)?;
        }
        let now = lines(after);
        if self.content.is_none() && self.followed {
            // Whatever was there before, this event wrote the whole file.
            self.owned.clear();
            self.content = Some(Vec::new());
        }
        let Some(before) = &self.content else {
            // Without the previous lines, it is unknown which of these are new.
            self.owned.clear();
            self.content = Some(now.into_iter().map(str::to_owned).collect());
            return Err("the file was overwritten, and its previous text is not known");
        };
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let splices = difference(&before, &now, work)?;
        self.splice(event, splices);
        Ok(())
    }

    fn hunks(
        &mut self,
        event: EventIx,
        hunks: Vec<Hunk>,
        edits: &[Replacement],
        work: &mut Work,
    ) -> Result<(), &'static str> {
        if hunks.iter().any(|hunk| hunk.start == 0) {
            return self.patch(event, hunks);
        }
        if hunks.iter().any(|hunk| hunk.start > LINES) {
            self.forget();
            return Err("a change at a line number beyond any file's length");
        }
        if !hunks.iter().all(|hunk| self.fits(hunk, hunk.start - 1)) {
            // Somebody else changed the file before this edit. The line numbers refer to that
            // state, so the positions of the session's own lines are no longer valid.
            if self.followed && self.content.is_some() {
                return self.patch(event, hunks);
            }
            self.moved |= !self.owned.is_empty();
            self.forget();
        }
        if let Some(before) = self.text().filter(|_| !edits.is_empty()) {
            match edited(&before, edits, work) {
                Ok(after) if agree(&before, &after, &hunks) => {
                    let splices = difference(&lines(&before), &lines(&after), work)?;
                    self.splice(event, splices);
                    return Ok(());
                }
                Err(SPENT) => return Err(SPENT),
                // The hunks show what was done. They count, and not the requested edits.
                Ok(_) | Err(_) => {}
            }
        }
        let splices = hunks.into_iter().flat_map(|hunk| splices(hunk.start - 1, hunk.lines));
        let splices = splices.collect();
        self.splice(event, splices);
        Ok(())
    }

    /// Whether the lines of the hunk can be at line `at`, as far as the file is known.
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

    /// Applies a patch without line numbers. Each hunk is placed at the first match of its old
    /// lines after the previous hunk and after its anchor. A hunk without old lines is placed at
    /// the end.
    fn patch(&mut self, event: EventIx, hunks: Vec<Hunk>) -> Result<(), &'static str> {
        let Some(content) = self.content.as_ref() else {
            self.forget();
            return Err(
                "a patch without line numbers to a file whose text is not known at that point",
            );
        };
        let mut from = 0;
        let mut all = Vec::new();
        for mut hunk in hunks {
            let anchor = match &hunk.anchor {
                Some(anchor) => seek(content, &[anchor.as_str()], from, false).map(|at| at + 1),
                None => Some(from),
            };
            let place = anchor.and_then(|from| place(content, &mut hunk, from));
            let Some(place) = place else {
                self.forget();
                return Err("a patch whose context is not in the known text of the file");
            };
            let old = hunk.lines.iter().filter(|line| !matches!(line, Line::New(_))).count();
            from = if old > 0 { place + old } else { anchor.unwrap_or(from) };
            all.extend(splices(place, hunk.lines));
        }
        all.in_order_by_key(|splice: &Splice| splice.at);
        self.splice(event, all);
        Ok(())
    }

    fn replace(
        &mut self,
        event: EventIx,
        edits: &[Replacement],
        work: &mut Work,
    ) -> Result<(), &'static str> {
        let Some(text) = self.text() else {
            // The edit may be anywhere, even among the session's own lines.
            self.forget();
            return Err("an edit to a file whose text is not known at that point");
        };
        let now = edited(&text, edits, work).inspect_err(|_| self.forget())?;
        self.splice(event, difference(&lines(&text), &lines(&now), work)?);
        Ok(())
    }

    /// The whole text, if it is known.
    fn text(&self) -> Option<String> {
        self.content.as_ref().map(|content| content.join("\n") + "\n")
    }

    /// Forgets the file's state, after a change that can't be derived.
    pub(super) fn forget(&mut self) {
        if self.followed {
            return;
        }
        self.content = None;
        self.owned.clear();
    }

    /// Applies the splices. Their positions refer to the file before all of them. A splice that
    /// begins within another one is applied after it, and one beyond the end at the end.
    fn splice(&mut self, event: EventIx, mut splices: Vec<Splice>) {
        splices.in_order_by_key(|splice| splice.at);
        let mut owned = std::mem::take(&mut self.owned).into_iter().peekable();
        let count = self.content.as_ref().map_or(usize::MAX, Vec::len);
        let mut content = self.content.take().map(Vec::into_iter);
        let mut whole = Vec::new();
        // Number of processed lines, in the old and in the new text.
        let (mut before, mut now) = (0, 0);
        for Splice { at, gone, new } in splices {
            let at = at.max(before).min(count);
            let end = at.saturating_add(gone).min(count);
            while let Some((place, line)) = owned.next_if(|(place, _)| *place < at) {
                self.owned.insert(place - before + now, line);
            }
            while owned.next_if(|(place, _)| *place < end).is_some() {}
            if let Some(content) = &mut content {
                whole.extend(content.by_ref().take(at - before));
                content.by_ref().take(end - at).for_each(drop);
                whole.extend(new.iter().cloned());
            }
            (before, now) = (end, now + (at - before));
            for text in new {
                self.owned.insert(now, (event, text));
                now += 1;
            }
        }
        self.owned.extend(owned.map(|(place, line)| (place - before + now, line)));
        self.content = content.map(|content| {
            whole.extend(content);
            whole
        });
    }

    /// Steps of one pass over the known text.
    pub(super) fn size(&self) -> usize {
        let content = self.content.iter().flatten().map(|line| line.len() + LINE);
        content.chain(self.owned.values().map(|(_, line)| line.len() + LINE)).sum()
    }
}

/// The new position of each unchanged line.
pub(super) fn kept(
    before: &[&str],
    after: &[&str],
    work: &mut Work,
) -> Result<BTreeMap<usize, usize>, &'static str> {
    let mut kept = BTreeMap::new();
    let (mut old, mut new) = (0, 0);
    for Splice { at, gone, new: lines } in difference(before, after, work)? {
        kept.extend((old..at).zip(new..));
        (old, new) = (at + gone, new + (at - old) + lines.len());
    }
    kept.extend((old..before.len()).zip(new..));
    Ok(kept)
}
