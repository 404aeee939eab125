//! All wrappings of a view undone, one after the other, within one budget.

use std::cell::Cell;
use std::ops::Range;

use super::decode::Wrapping;
use super::packed::Content;
use super::runs::{self, Run};
use super::undone::{Changes, Undone};
use super::view::{View, undo};
use super::{armour, hexdump, joints, lines, spelled};

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

/// Undoes all wrappings of a view, and gives each view to `look`, this one first.
///
/// Escapes and colours are of a whole text: what is within is looked for in the text without them.
/// Prefixes may be none, encoded runs and cut lines are parts of a text.
pub(super) fn unwrap(
    view: &View<'_>,
    runs: bool,
    budget: &Budget,
    look: &mut dyn FnMut(&View<'_>),
) {
    look(view);
    within(view, runs, budget, look);
}

/// The wrappings of whole texts, in the order in which they are undone.
const WHOLE: [Wrapping; 4] =
    [Wrapping::Ansi, Wrapping::Json, Wrapping::Invisible, Wrapping::Entities];

/// The same without the view itself.
pub(super) fn within(
    view: &View<'_>,
    encoded: bool,
    budget: &Budget,
    look: &mut dyn FnMut(&View<'_>),
) {
    let all = 0..view.text.len();
    if view.depth() == DEPTH {
        // More nested encodings than a text needs: the whole value is redacted.
        let beneath = [Wrapping::Ansi, Wrapping::Json].iter().any(|way| may_have(*way, view.text));
        if beneath || (encoded && !runs::runs(view.text).is_empty()) {
            deep(view, all, look);
        }
        return;
    }
    // The escapes of letters in a dump are not those of the text.
    let packed = spelled::packed(view.text).into_iter().chain(armour::ranges(view.text));
    for range in hexdump::ranges(view.text).into_iter().chain(packed) {
        part(view, Wrapping::Dump, range, budget, encoded, look);
    }
    for wrapping in WHOLE {
        if !may_have(wrapping, view.text) {
            continue;
        }
        if !budget.take(view.text.len()) {
            return deep(view, all, look);
        }
        let mut undone = Undone::of(view.text);
        undo(wrapping, view.text, &mut undone);
        let (text, new) = undone.end(&Changes::everywhere(), 0);
        if text.len() < view.text.len() {
            let inner = view.inner(wrapping, all, (&text, new), true);
            return unwrap(&inner, encoded, budget, look);
        }
    }
    if lines::has_prefixes(view.text) {
        part(view, Wrapping::Prefixes, all.clone(), budget, encoded, look);
    }
    for range in lines::cuts(view.text) {
        part(view, Wrapping::Wrapped, range, budget, encoded, look);
    }
    for range in joints::ranges(view.text) {
        part(view, Wrapping::Joined, range, budget, encoded, look);
    }
    if spelled::has_quoted(view.text) {
        part(view, Wrapping::Quoted, all, budget, encoded, look);
    }
    if encoded {
        for Run { wrapping, range } in runs::runs(view.text) {
            part(view, wrapping, range, budget, encoded, look);
        }
    }
}

/// A range that nobody has looked into.
fn deep(view: &View<'_>, range: Range<usize>, look: &mut dyn FnMut(&View<'_>)) {
    look(&view.unknown(range));
}

fn part(
    view: &View<'_>,
    wrapping: Wrapping,
    range: Range<usize>,
    budget: &Budget,
    encoded: bool,
    look: &mut dyn FnMut(&View<'_>),
) {
    if !view.has_new(&range) {
        return;
    }
    let run = &view.text[range.clone()];
    let (text, new) = match wrapping.is_whole() {
        true => match runs::content(wrapping, run) {
            Content::Text(text) => (text, Changes::everywhere()),
            Content::Other => return,
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
    if !budget.take(text.len()) {
        return deep(view, range, look);
    }
    if !text.is_empty() && text != run {
        let is_new = wrapping.is_whole();
        let inner = view.inner(wrapping, range, (&text, new), is_new);
        unwrap(&inner, encoded, budget, look);
    }
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
