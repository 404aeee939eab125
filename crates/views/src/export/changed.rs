//! The files that a session changed, with one diff each: the changes of a file by all calls, in
//! their order.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html as make};
use session::EventRef;

use super::named::anchor;
use super::safe::Words;
use crate::human::counted;
use crate::transcript::{DiffLine, FileDiff, FileSum, counts_of};

/// The greatest number of lines of the diff of a file. The others are with their calls.
const LINES: usize = 400;

/// The changes of files so far, by their paths.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    diffs: BTreeMap<String, Diff>,
}

/// The diff of a file.
#[derive(Debug, Default)]
struct Diff {
    html: String,
    lines: usize,
    /// The number of lines that are left out.
    left: usize,
}

impl ChangedFiles {
    /// Adds the change of a file by a call.
    pub(super) fn add(&mut self, file: &FileDiff, turn: u64, call: EventRef<'_>) {
        let diff = self.diffs.entry(file.path.clone()).or_default();
        let (shown, left) = file.lines.split_at(file.lines.len().min(LINES - diff.lines));
        let html = make! {
            p class="when" {
                a href={ "#" (anchor(call)) } { "turn " (turn) }
                @if let Some(fate) = file.fate_words() { " " (Words(&fate)) }
            }
            @if !shown.is_empty() { (diff_lines(shown)) }
        };
        diff.html.push_str(&html.0);
        diff.lines += shown.len();
        diff.left += left.len();
    }

    /// The diffs of files whose sums are known.
    pub(super) fn draw(&self, files: &BTreeMap<String, FileSum>) -> Markup {
        let of = |path: &String| self.diffs.get(path);
        make! {
            @if !files.is_empty() {
                section class="changes" id="changes" {
                    h2 { "Files changed" }
                    @for (at, (path, sum)) in files.iter().enumerate() {
                        details {
                            (line(path, sum))
                            @if let Some(diff) = of(path) {
                                div id={ "f-" (at) } {
                                    (PreEscaped(&diff.html))
                                    @if diff.left > 0 {
                                        p class="when" {
                                            (counted(diff.left as u64, "more line", "more lines"))
                                            ": with the calls"
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The line of a file above its diff.
fn line(path: &str, sum: &FileSum) -> Markup {
    make! {
        summary {
            span class="target" { (Words(path)) }
            @if let Some(lines) = counts_of(sum.inserted, sum.deleted) {
                " " span class="change" { (lines) }
            }
            @if sum.calls > 1 { " \u{b7} " (sum.calls) " calls" }
        }
    }
}

/// The lines of a diff. Their signs are text, so that copies and readers have them. Lines with the
/// same sign that follow each other are in one element.
pub(super) fn diff_lines(lines: &[DiffLine]) -> Markup {
    make! {
        pre class="diff" {
            @for run in lines.chunk_by(|one, next| one.sign == next.sign) {
                @match run.first().map_or(' ', |line| line.sign) {
                    '+' => ins { (Signed("+", run)) },
                    '-' => del { (Signed("-", run)) },
                    '@' => span class="place" { (Signed("", run)) },
                    _ => (Signed(" ", run)),
                }
            }
        }
    }
}

/// Lines with the same sign.
struct Signed<'r>(&'static str, &'r [DiffLine]);

impl maud::Render for Signed<'_> {
    fn render_to(&self, out: &mut String) {
        for line in self.1 {
            out.push_str(self.0);
            Words(&line.text).render_to(out);
            out.push('\n');
        }
    }
}
