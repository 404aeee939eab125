//! Result of a tool call: its outcome, a one-line summary, and its full text.

use formats::texts::{outcome_text, text_of};
use session::{EventRef, Outcome, Slot};

use super::call::first_line;
use super::lines;
use super::media::{self, Media};
use crate::human::counted;

/// A tool's result.
#[derive(Debug)]
pub struct Answered<'s> {
    /// Its event.
    pub event: EventRef<'s>,
    /// Outcome of the call; `None` if the agent does not record it.
    pub outcome: Option<Outcome>,
    /// A one-line summary. For a failed call it is the first line of the reason. Otherwise it is
    /// the answer if that is short, or its number of lines (`42 lines`).
    pub brief: String,
}

impl<'s> Answered<'s> {
    pub(super) fn of(event: EventRef<'s>) -> Self {
        let (outcome, text) = (event.outcome(), text_of(event));
        let text = outcome_text(event, &text);
        let status = || event.text(Slot::Status).map_or("failed".into(), String::from);
        let brief = match (outcome, text.trim()) {
            (Some(outcome), "") if outcome.is_bad() => status(),
            (Some(outcome), _) if outcome.is_bad() => first_line(text).to_owned(),
            (_, text) => measure(text),
        };
        Self { event, outcome, brief }
    }

    /// The media in the result.
    #[must_use]
    pub fn media(&self) -> Vec<Media> {
        media::all(self.event)
    }

    /// The answer that the model got, as lines, without the agent's own details.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        answer(self.event).map(lines::content).unwrap_or_default()
    }

    /// The full result as lines: the answer that the model got, and the agent's own details.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut all = self.told();
        all.extend(self.event.raw(Slot::Detail).map(lines::lines).unwrap_or_default());
        all
    }
}

/// The answer that the model got.
fn answer(result: EventRef<'_>) -> Option<&[u8]> {
    result.raw(Slot::Output).or_else(|| result.raw(Slot::Content))
}

/// A short text itself, or its number of lines (`42 lines`).
fn measure(text: &str) -> String {
    match text.lines().count() as u64 {
        0 => "nothing".into(),
        1 if text.len() <= 60 => text.to_owned(),
        lines => counted(lines, "line", "lines"),
    }
}
