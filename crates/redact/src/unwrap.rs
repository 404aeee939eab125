//! All wrappings of a view undone, one after the other, within one budget.

use std::cell::Cell;
use std::ops::Range;

use super::clean::{self, CleanTexts, Known, LONG};
use super::decode::Wrapping;
use super::leaf::Has;
use super::marks::Treatment;
use super::packed::Content;
use super::runs::{self, Run};
use super::undone::{Changes, Undone};
use super::view::{View, undo};
use super::{armour, hexdump, joints, lines, prefixes, spelled};

/// The largest number of wrappings around each other that are undone.
const DEPTH: usize = 32;

/// The bytes that may still be decoded: one budget for all texts of a session, so that the cost is
/// linear in its length whatever it contains.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

impl Budget {
    /// The budget of a session of this length.
    pub(super) const fn of(length: u64) -> Self {
        Self(Cell::new(16 * length + (64 << 20)))
    }

    /// Takes a number of bytes, if they are left.
    fn take(&self, length: usize) -> bool {
        let left = self.0.get().checked_sub(length as u64);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }
}

/// The wrappings of whole texts, in the order in which they are undone.
const WHOLE: [Wrapping; 4] =
    [Wrapping::Ansi, Wrapping::Json, Wrapping::Invisible, Wrapping::Entities];

/// The receiver of views.
type Look<'l> = dyn FnMut(&View<'_>) -> Has + 'l;

/// All wrappings of one text undone.
pub(super) struct Unwrapping<'u> {
    budget: &'u Budget,
    /// The views that are not looked at again, where that is of use.
    clean: Option<&'u CleanTexts>,
    treatment: Treatment,
    /// The number of views of the text.
    views: Cell<usize>,
}

impl<'u> Unwrapping<'u> {
    /// The wrappings of a text with this treatment. Sealed texts have no encoded runs.
    pub(super) const fn of(
        budget: &'u Budget,
        clean: Option<&'u CleanTexts>,
        treatment: Treatment,
    ) -> Self {
        Self { budget, clean, treatment, views: Cell::new(0) }
    }

    /// The number of views that there were.
    pub(super) const fn views(&self) -> usize {
        self.views.get()
    }

    /// Undoes all wrappings of a view, and gives each view to `look`, this one first. Tells what
    /// they have.
    ///
    /// Escapes and colours are of a whole text: what is within is looked for in the text without
    /// them. Prefixes may be none, encoded runs and cut lines are parts of a text.
    pub(super) fn all(&self, view: &View<'_>, look: &mut Look<'_>) -> Has {
        self.views.set(self.views.get() + 1);
        let known = self.known(view);
        if known.is_some_and(|(clean, known)| clean.has_view(&known)) {
            return Has::Nothing;
        }
        let has = look(view).max(self.within(view, look));
        if let Some((clean, known)) = known.filter(|_| has == Has::Nothing) {
            clean.keep_view(known);
        }
        has
    }

    /// The digest of a long view with a wrapping undone, and of what decides what is found in it.
    fn known(&self, view: &View<'_>) -> Option<(&'u CleanTexts, Known)> {
        let is_of_use = (1..DEPTH / 2).contains(&view.depth()) && view.text.len() > LONG;
        let clean = self.clean.filter(|_| is_of_use)?;
        Some((clean, clean::known(&view.circumstances(), view.text, self.treatment)))
    }

    /// The same as all views without the view itself.
    pub(super) fn within(&self, view: &View<'_>, look: &mut Look<'_>) -> Has {
        let all = 0..view.text.len();
        let encoded = self.treatment != Treatment::Sealed;
        if view.depth() == DEPTH {
            // More nested encodings than a text needs: the whole value is redacted.
            let whole = [Wrapping::Ansi, Wrapping::Json];
            let beneath = whole.iter().any(|way| may_have(*way, view.text));
            let is_deep = beneath || (encoded && !runs::runs(view.text).is_empty());
            return if is_deep { deep(view, all, look) } else { Has::Nothing };
        }
        let mut has = Has::Nothing;
        // The escapes of letters in a dump are not those of the text.
        let packed = spelled::packed(view.text).into_iter().chain(armour::ranges(view.text));
        for range in hexdump::ranges(view.text).into_iter().chain(packed) {
            has = has.max(self.part(view, Wrapping::Dump, range, look));
        }
        // What an escape or a reference spells is no end of a string or a tag.
        if !view.is_in(Wrapping::Joined) {
            for range in joints::hidden(view.text) {
                has = has.max(self.part(view, Wrapping::Joined, range, look));
            }
        }
        for wrapping in WHOLE {
            if !may_have(wrapping, view.text) {
                continue;
            }
            if !self.budget.take(view.text.len()) {
                return deep(view, all, look);
            }
            let mut undone = Undone::of(view.text);
            undo(wrapping, view.text, &mut undone);
            let (text, new) = undone.end(&Changes::everywhere(), 0);
            if text.len() < view.text.len() {
                let inner = view.inner(wrapping, all, (&text, new), true);
                return has.max(self.all(&inner, look));
            }
        }
        for (wrapping, range) in parts(view, encoded) {
            has = has.max(self.part(view, wrapping, range, look));
        }
        has
    }

    fn part(
        &self,
        view: &View<'_>,
        wrapping: Wrapping,
        range: Range<usize>,
        look: &mut Look<'_>,
    ) -> Has {
        if !view.has_new(&range) {
            return Has::Nothing;
        }
        let run = &view.text[range.clone()];
        let (text, new) = match wrapping.is_whole() {
            true => match runs::content(wrapping, run) {
                Content::Text(text) => (text, Changes::everywhere()),
                Content::Other => return Has::Nothing,
                Content::Unknown => return deep(view, range, look),
            },
            false => {
                let mut undone = Undone::of(run);
                undo(wrapping, run, &mut undone);
                // Without what was undone in the whole text, its parts were not looked at.
                let everywhere = Changes::everywhere();
                undone.end(if view.is_new() { &everywhere } else { view.changes() }, range.start)
            }
        };
        if !self.budget.take(text.len()) {
            return deep(view, range, look);
        }
        if text.is_empty() || text == run {
            return Has::Nothing;
        }
        let is_new = wrapping.is_whole();
        self.all(&view.inner(wrapping, range, (&text, new), is_new), look)
    }
}

/// The parts of a text that may be wrapped, in the order in which they are undone.
///
/// Of two wrappings, the earlier one is undone first, and the later one in the result. So in a text
/// in which the later one was undone, the earlier one counts only where that brought it about.
fn parts(view: &View<'_>, encoded: bool) -> Vec<(Wrapping, Range<usize>)> {
    let text = view.text;
    let is_left =
        |of: Wrapping| move |range: &Range<usize>| !view.is_behind(of) || view.has_new(range);
    let mut parts = Vec::new();
    let mut add = |wrapping, ranges: Vec<Range<usize>>| {
        parts.extend(ranges.into_iter().map(|range| (wrapping, range)));
    };
    add(Wrapping::Prefixes, prefixes::prefixed(text, &is_left(Wrapping::Prefixes)));
    add(Wrapping::Wrapped, lines::cuts(text, &is_left(Wrapping::Wrapped)));
    add(Wrapping::Joined, joints::ranges(text));
    if spelled::has_quoted(text) {
        parts.push((Wrapping::Quoted, 0..text.len()));
    }
    if encoded {
        let runs = runs::runs(text).into_iter();
        parts.extend(runs.map(|Run { wrapping, range }| (wrapping, range)));
    }
    parts
}

/// A range that nobody has looked into.
fn deep(view: &View<'_>, range: Range<usize>, look: &mut Look<'_>) -> Has {
    look(&view.unknown(range))
}

/// Whether a text may have a wrapping: a quick look.
fn may_have(wrapping: Wrapping, text: &[u8]) -> bool {
    match wrapping {
        Wrapping::Ansi => {
            let spelled = [&b"\\x1b["[..], b"\\x1B[", b"\\033[", b"\\e["];
            let has = |at: usize| spelled.iter().any(|spelled| text[at..].starts_with(spelled));
            memchr::memchr(0x1b, text).is_some()
                || memchr::memchr_iter(b'\\', text).any(has)
                || memchr::memmem::find(text, b"^[[").is_some()
                || memchr::memmem::find(text, b"\xc2\x9b").is_some()
        }
        Wrapping::Json => memchr::memchr(b'\\', text).is_some(),
        Wrapping::Entities => spelled::has_entities(text),
        Wrapping::Invisible => spelled::has_invisible(text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD_NO_PAD;

    #[test]
    fn runs_go_on_over_what_is_between_their_lines() {
        let text = "a word that is to be found, and more of it, and even more than that of it";
        let digits = STANDARD_NO_PAD.encode(text);
        let (a, b) = digits.split_at(48);
        for run in [
            format!("{a}\n> {b}"),
            format!("{a}\n   12\u{2192}{b}"),
            format!("{a}\",\n  \"{b}"),
            format!("{a}\n10:00:01 app | {b}"),
            format!("{a}\n2026-03-01T10:00:01Z app | {b}"),
            format!("{a}\r\r\n{b}"),
        ] {
            let all = Run { wrapping: Wrapping::Base64, range: 0..run.len() };
            assert_eq!(runs::runs(run.as_bytes()), [all], "{run}");
            let bytes = runs::base64_bytes(run.as_bytes()).expect("Base64");
            assert_eq!(String::from_utf8_lossy(&bytes), text);
        }
    }
}
