//! Names of things in exports: first words, and places within a page.

use formats::wrapped::is_greeting;
use session::{EventRef, Outcome};

use crate::transcript::Answered;

/// The longest first words, in characters.
const ENTRY: usize = 90;

/// The first line of a text that says more than a greeting, cut.
pub(super) fn first(text: &str) -> String {
    let mut lines = text.trim().lines();
    let line = lines.next().unwrap_or_default();
    let mut further = || lines.find(|line| !line.trim().is_empty());
    let line = if is_greeting(line) { further().unwrap_or(line).trim() } else { line };
    let mut short: String = line.chars().take(ENTRY).collect();
    if short.len() < line.len() {
        short.push('\u{2026}');
    }
    short
}

/// The name of an event within the page: its line, and its number among those on it.
pub(super) fn anchor(event: EventRef<'_>) -> String {
    let address = event.address();
    match event.origin.member {
        0 => format!("e-{}.{}", address.line, address.part),
        member => format!("e-{member}-{}.{}", address.line, address.part),
    }
}

/// Whether a call did not succeed.
pub(super) fn is_bad(answered: &Answered<'_>) -> bool {
    answered.outcome.is_some_and(Outcome::is_bad)
}

/// The class of a height in pixels: two for each power of two.
pub(super) fn class_of(height: f64) -> u32 {
    let class = (height.max(64.0) / 64.0).log2() * 4.0;
    (class.round() as u32).min(CLASSES - 1)
}

/// The number of classes of heights in the style.
const CLASSES: u32 = 48;
