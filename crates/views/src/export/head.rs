//! The head of a page: the facts of its session, the outline of its turns, the files that changed.

use maud::{Markup, html as make};
use session::Session;

use super::heading::named;
use super::safe::Words;
use super::summed::facts;
use crate::human::counted;
use crate::transcript::{FileSum, TurnSum, counts_of};

/// The turns, as links.
pub(super) fn outline(turns: &[TurnSum], sum: &TurnSum) -> Markup {
    let mut summary = format!("Outline \u{b7} {}", counted(sum.turn, "turn", "turns"));
    if sum.failed > 0 {
        summary.push_str(&format!(" \u{b7} {}", counted(sum.failed, "failure", "failures")));
    }
    let turns: Vec<&TurnSum> = turns.iter().filter(|facts| facts.turn > 0).collect();
    make! {
        nav aria-label="Turns" {
            details class="outline" {
                summary { (summary) }
                @for run in turns.chunks(LINKS) {
                    ol { @for facts in run { (link(facts)) } }
                }
            }
        }
    }
}

/// The number of turns of a list of the outline. A browser lays out only the lists that are near,
/// so that the page is painted soon.
const LINKS: usize = 50;

/// A turn in the outline.
fn link(facts: &TurnSum) -> Markup {
    make! {
        // The summary is in the turn that it ended, or before the turn's prompt.
        @if facts.compacted && !facts.replaced { li class="rule" { "compacted" } }
        li {
            a href={ "#turn-" (facts.turn) } {
                span class="number" { (facts.turn) } " "
                (Words(&named(facts)))
                @if facts.failed > 0 { " " span class="bad" { "\u{2717}" (facts.failed) } }
                @if facts.pictures > 0 { " \u{25a3}" }
                @if facts.agents > 0 { " \u{2442}" (facts.agents) }
            }
        }
        @if facts.replaced { li class="rule" { "compacted" } }
    }
}

/// The facts of a session.
pub(super) fn facts_list(session: &Session, sum: &TurnSum) -> Markup {
    let facts = facts(session, sum);
    make! {
        dl class="facts" {
            @for (name, fact) in &facts { div { dt { (name) } dd { (Words(fact)) } } }
        }
    }
}

/// The files that a session changed, each with its lines.
pub(super) fn files(sum: &TurnSum) -> Markup {
    let lines = |file: &FileSum| counts_of(file.inserted, file.deleted);
    make! {
        @if !sum.files.is_empty() {
            details class="files" {
                summary { "Files changed (" (sum.files.len()) ")" }
                ul {
                    @for (at, (path, file)) in sum.files.iter().enumerate() {
                        li class="file" {
                            a href={ "#f-" (at) } { (Words(path)) } " "
                            @if let Some(lines) = lines(file) { span class="change" { (lines) } }
                            @if file.calls > 1 { " \u{b7} " (file.calls) " calls" }
                        }
                    }
                }
            }
        }
    }
}
