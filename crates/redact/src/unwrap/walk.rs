//! All wrappings of a view undone, one after the other, within one budget.

use std::cell::Cell;
use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use super::changes::{Changes, Undone};
use super::containers::Content;
use super::plan::{Found, Step, Steps};
use super::runs::{self, Run};
use super::view::{View, undo};
use super::wrapping::Wrapping;
use super::{
    entities, hex_dump, invisible, joined_strings, line_prefixes, quoted_printable, wrapped_lines,
};
use crate::texts::clean::{self, CleanTexts, Known, LONG};
use crate::texts::leaf::Has;
use crate::texts::marks::Treatment;

/// The largest number of wrappings around each other that are undone.
const DEPTH: usize = 32;

/// The bytes that may still be decoded, and those that may still be unpacked from containers: one
/// budget for all texts of a session, so that the cost is linear in its length, whatever the texts
/// contain.
///
/// The two are counted apart. A container that unpacks to very much uses up what is left for other
/// containers, but every other text is still decoded.
#[derive(Debug)]
pub(crate) struct Budget {
    decoded: Cell<u64>,
    unpacked: Cell<u64>,
}

impl Budget {
    /// The budget of a session of this length.
    pub(crate) const fn of(length: u64) -> Self {
        let most = 16 * length + (64 << 20);
        Self { decoded: Cell::new(most), unpacked: Cell::new(most) }
    }

    /// Takes a number of decoded bytes, if they are left.
    fn take(&self, length: usize) -> bool {
        let left = self.decoded.get().checked_sub(length as u64);
        self.decoded.set(left.unwrap_or_default());
        left.is_some()
    }
}

/// The wrappings of whole texts, in the order in which they are undone.
const WHOLE: [Wrapping; 4] =
    [Wrapping::Ansi, Wrapping::Json, Wrapping::Invisible, Wrapping::Entities];

/// The receiver of views.
type Look<'l> = dyn FnMut(&View<'_>) -> Has + 'l;

/// All wrappings of one text undone.
pub(crate) struct Unwrapping<'u> {
    budget: &'u Budget,
    /// The views that are not looked at again, where that is of use.
    clean: Option<&'u CleanTexts>,
    treatment: Treatment,
    steps: Steps,
}

impl<'u> Unwrapping<'u> {
    /// The wrappings of a text with this treatment. Sealed texts have no encoded runs.
    pub(crate) fn of(
        budget: &'u Budget,
        clean: Option<&'u CleanTexts>,
        treatment: Treatment,
    ) -> Self {
        Self { budget, clean, treatment, steps: Steps::default() }
    }

    /// The wrappings that were undone.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps.end()
    }

    /// Undoes all wrappings of a view, and gives each view to `look`, this one first. Tells what
    /// they have.
    ///
    /// Escapes and colours are of a whole text: what is within is looked for in the text without
    /// them. Prefixes may be none, encoded runs and cut lines are parts of a text.
    pub(crate) fn all(&self, view: &View<'_>, look: &mut Look<'_>) -> Has {
        let known = self.known(view);
        if known.is_some_and(|(clean, known)| clean.has_view(&known)) {
            self.steps.close();
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
    pub(crate) fn within(&self, view: &View<'_>, look: &mut Look<'_>) -> Has {
        let all = 0..view.text.len();
        let encoded = self.treatment != Treatment::Sealed;
        if view.depth() == DEPTH {
            // More nested encodings than a text needs: the whole value is redacted.
            let whole = [Wrapping::Ansi, Wrapping::Json];
            let beneath = whole.iter().any(|way| may_have(*way, view.text));
            let is_deep = beneath || (encoded && !runs::runs(view.text).is_empty());
            return if is_deep { self.deep(view, all, look) } else { Has::Nothing };
        }
        let mut has = Has::Nothing;
        for range in hex_dump::ranges(view.text) {
            has = has.max(self.part(view, Wrapping::Dump, range, look));
        }
        // What an escape or a reference spells is no end of a string or a tag.
        if !view.is_in(Wrapping::Joined) {
            for range in joined_strings::hidden(view.text) {
                has = has.max(self.part(view, Wrapping::Joined, range, look));
            }
        }
        for wrapping in WHOLE {
            if !may_have(wrapping, view.text) {
                continue;
            }
            if !self.budget.take(view.text.len()) {
                return self.deep(view, all, look);
            }
            if let Made::Text(made) = self.made(view, wrapping, &all) {
                return has.max(self.inner(view, (wrapping, all), made, look));
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
        match self.made(view, wrapping, &range) {
            Made::Unknown => self.deep(view, range, look),
            Made::Text((text, ..)) if !self.budget.take(text.len()) => self.deep(view, range, look),
            Made::Text(made) => self.inner(view, (wrapping, range), made, look),
            Made::Nothing => Has::Nothing,
        }
    }

    /// Undoes all wrappings of a range of a view with one undone.
    fn inner(
        &self,
        view: &View<'_>,
        (wrapping, range): (Wrapping, Range<usize>),
        (text, new, is_new): (Vec<u8>, Changes, bool),
        look: &mut Look<'_>,
    ) -> Has {
        self.steps.within(wrapping, &range.clone(), || {
            self.all(&view.inner(wrapping, range, (&text, new, is_new)), look)
        })
    }

    fn made(&self, view: &View<'_>, wrapping: Wrapping, range: &Range<usize>) -> Made {
        made(view, wrapping, range, &self.budget.unpacked)
    }

    /// A range that nobody has looked into.
    fn deep(&self, view: &View<'_>, range: Range<usize>, look: &mut Look<'_>) -> Has {
        self.steps.add(Found::Deep, &range);
        look(&view.unknown(range))
    }

    /// Gives a view and those of its wrappings that an earlier walk undid to `look`.
    pub(crate) fn again(&self, view: &View<'_>, plan: &[Step], look: &mut Look<'_>) -> Has {
        self.level(view, 0, &mut plan.iter().peekable(), look)
    }

    /// The same of a view within as many others.
    fn level(
        &self,
        view: &View<'_>,
        level: u8,
        plan: &mut Peekable<Iter<'_, Step>>,
        look: &mut Look<'_>,
    ) -> Has {
        let mut has = look(view);
        while let Some(step) = plan.next_if(|step| step.level == level) {
            let (Found::Wrapped(wrapping) | Found::Closed(wrapping)) = step.what else {
                has = has.max(look(&view.unknown(step.range())));
                continue;
            };
            let made = self.made(view, wrapping, &step.range());
            let Made::Text((text, new, is_new)) = made else {
                // It was a text for the walk before; else nobody knows what is in it.
                while plan.next_if(|step| step.level > level).is_some() {}
                has = has.max(look(&view.unknown(step.range())));
                continue;
            };
            let inner = view.inner(wrapping, step.range(), (&text, new, is_new));
            has = has.max(match step.what {
                Found::Closed(_) => self.all(&inner, look),
                _ => self.level(&inner, level + 1, plan, look),
            });
        }
        has
    }
}

/// A range of a view with a wrapping undone.
enum Made {
    /// The text, where it is new, and whether no part of the view was looked at.
    Text((Vec<u8>, Changes, bool)),
    /// It says nothing else.
    Nothing,
    /// Nobody knows how to look into it.
    Unknown,
}

/// A range with a wrapping undone. `unpacked` is the number of bytes that may still be unpacked.
fn made(view: &View<'_>, wrapping: Wrapping, range: &Range<usize>, unpacked: &Cell<u64>) -> Made {
    let run = &view.text[range.clone()];
    if wrapping.is_whole() {
        return match runs::content(wrapping, run, unpacked) {
            Content::Text(text) if text.is_empty() || text == run => Made::Nothing,
            Content::Text(text) => Made::Text((text, Changes::everywhere(), true)),
            Content::Other => Made::Nothing,
            Content::Unknown => Made::Unknown,
        };
    }
    let mut undone = Undone::of(run);
    undo(wrapping, run, &mut undone);
    let everywhere = Changes::everywhere();
    if WHOLE.contains(&wrapping) {
        let (text, new) = undone.end(&everywhere, 0);
        return if text.len() < run.len() { Made::Text((text, new, true)) } else { Made::Nothing };
    }
    // Without what was undone in the whole text, its parts were not looked at.
    let (text, new) =
        undone.end(if view.is_new() { &everywhere } else { view.changes() }, range.start);
    if text.is_empty() || text == run { Made::Nothing } else { Made::Text((text, new, false)) }
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
    add(Wrapping::Prefixes, line_prefixes::prefixed(text, &is_left(Wrapping::Prefixes)));
    add(Wrapping::Wrapped, wrapped_lines::cuts(text, &is_left(Wrapping::Wrapped)));
    add(Wrapping::Joined, joined_strings::ranges(text));
    if quoted_printable::has_quoted(text) {
        parts.push((Wrapping::Quoted, 0..text.len()));
    }
    if encoded {
        let runs = runs::runs(text).into_iter();
        parts.extend(runs.map(|Run { wrapping, range }| (wrapping, range)));
    }
    parts
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
        Wrapping::Entities => entities::has_entities(text),
        Wrapping::Invisible => invisible::has_invisible(text),
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
            let bytes = crate::unwrap::base64::base64_bytes(run.as_bytes()).expect("Base64");
            assert_eq!(String::from_utf8_lossy(&bytes), text);
        }
    }

    #[test]
    fn a_plan_gives_the_same_views_again() {
        let inner =
            STANDARD_NO_PAD.encode("a \\u0062 c: a word that is to be found, and more of it");
        let text =
            format!("  1\ta = \"{inner}\"\n  2\tb = \"one\" + \"two\"\n  3\t&#103; %67%68%69");
        let (budget, bytes) = (Budget::of(1 << 20), text.as_bytes());
        let view = View::file(bytes, 0);
        let unwrapping = Unwrapping::of(&budget, None, Treatment::Open);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let has = unwrapping.all(&view, &mut |view| {
            first.push((view.text.to_vec(), view.places(0..view.text.len())));
            Has::Nothing
        });
        let steps = unwrapping.steps();
        assert_eq!((has, steps.len() + 1), (Has::Nothing, first.len()));
        assert!(first.len() > 4, "{}", first.len());
        Unwrapping::of(&budget, None, Treatment::Open).again(&view, &steps, &mut |view| {
            second.push((view.text.to_vec(), view.places(0..view.text.len())));
            Has::Nothing
        });
        assert_eq!(first, second);
    }
}
