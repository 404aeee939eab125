//! The parts of a call that are more than its line: its input, the changes of files, its output.

use super::named::is_bad;
use super::safe::middle;
use crate::human;
use crate::transcript::{Answered, Call, FileDiff, counts};

/// The longest path, in characters.
pub(super) const PATH: usize = 90;

/// A part of a call that is folded below its line.
pub(super) struct Part<'p> {
    /// Its name: `output, 12 lines`.
    pub name: String,
    /// The lines of an input or an output.
    pub lines: Vec<String>,
    /// The change of a file.
    pub diff: Option<&'p FileDiff>,
}

impl Part<'_> {
    fn text(what: &str, lines: Vec<String>) -> Self {
        let size = human::counted(lines.len() as u64, "line", "lines");
        Self { name: format!("{what}, {size}"), lines, diff: None }
    }

    /// Whether its name says all: there is nothing to fold.
    pub(super) fn is_short(&self) -> bool {
        self.diff.is_some_and(|file| file.lines.is_empty())
    }
}

/// Whether the result of a call is shown: that of an edit only says that the edit was made.
pub(super) fn shows(files: &[FileDiff], answered: &Answered<'_>) -> bool {
    files.is_empty() || is_bad(answered)
}

/// The parts of a call.
pub(super) fn parts<'p>(call: &'p Call<'_>) -> Vec<Part<'p>> {
    let mut parts: Vec<Part<'p>> = call.files.iter().map(changed).collect();
    if parts.is_empty() {
        let input = call.arguments();
        // One line alone is the target, unless that is a report.
        let is_more = input.len() > usize::from(call.report.is_none());
        parts.extend(is_more.then(|| Part::text("input", input)));
    }
    let answered = call.answered.as_ref().filter(|answered| shows(&call.files, answered));
    parts.extend(answered.and_then(output));
    parts
}

/// The parts of a result without its call.
pub(super) fn parts_of_result<'p>(answered: &Answered<'_>, files: &'p [FileDiff]) -> Vec<Part<'p>> {
    let output = Some(answered).filter(|answered| shows(files, answered)).and_then(output);
    files.iter().map(changed).chain(output).collect()
}

/// The output of a call, if it says more than the line of the call.
fn output<'p>(answered: &Answered<'_>) -> Option<Part<'p>> {
    let lines = answered.lines();
    (lines.len() > 1 || is_bad(answered)).then(|| Part::text("output", lines))
}

/// The change of a file.
fn changed(file: &FileDiff) -> Part<'_> {
    let counts = counts(std::slice::from_ref(file)).unwrap_or_default();
    let fate = file.fate_words().unwrap_or_default();
    let asked = if file.asked { "as the call asks" } else { "" };
    let words = [&*middle(&file.path, PATH), &*counts, &*fate, asked];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Part { name: words.join(" \u{b7} "), lines: Vec::new(), diff: Some(file) }
}
