//! Runs: turns that follow each other, or items of a long turn, in one element. A browser lays out
//! only the runs near the screen. Without runs it would look at each turn whenever the reader
//! scrolls, and lay out the whole of a long turn.

use super::named::class_of;

/// The greatest number of turns of a run, and its height in pixels.
const TURNS: usize = 40;
const HEIGHT: f64 = 40_000.0;

/// The turns of a run so far.
#[derive(Debug, Default)]
pub(super) struct Run {
    html: String,
    height: f64,
    turns: usize,
    /// Whether a run has ended before.
    is_later: bool,
}

impl Run {
    /// Adds a turn. Returns the run if this was its last turn, else nothing.
    pub(super) fn add(&mut self, turn: &str, height: f64) -> String {
        self.html.push_str(turn);
        self.height += height;
        self.turns += 1;
        if self.turns < TURNS && self.height < HEIGHT {
            return String::new();
        }
        let run = run(&self.html, self.height);
        *self = Self { is_later: true, ..Self::default() };
        run
    }

    /// The turns of the last run. A page of a single run needs no element for it.
    pub(super) fn end(&mut self) -> String {
        match self.is_later && self.turns > 0 {
            true => run(&self.html, self.height),
            false => std::mem::take(&mut self.html),
        }
    }
}

/// The element of a run.
pub(super) fn run(html: &str, height: f64) -> String {
    format!("<div class=\"run h{}\">\n{html}</div>\n", class_of(height))
}
