//! Proof: that nothing of a session is lost, and what the signatures beside its files show.

use std::sync::Arc;

use api::check::{Check, Totals};
use maud::{Markup, html};
use operations::attest::{VerifyReport, VerifyResult, VerifyVerdict, signature_of};
use operations::check::Depth;
use receipt::SessionTurns;
use views::export::PageText as Shown;
use views::human;

use super::frame::{counted, page as framed, session, ways};
use crate::app::App;
use crate::entries::title;
use crate::entries::uid;
use crate::http::ask::{Ask, encoded};
use crate::http::reply::{Fault, Reply};
use crate::v1::page::Page;
use crate::v1::sessions::{entry, taken};
use crate::v1::verdicts::{checked, signatures};

/// The limit of a proof.
const CEILING: &str = "A proof is of the bytes that are here: that each is read and can be written \
                       back. A signature says who vouched for these bytes, not that what they say \
                       happened.";

/// `/proof`: the sessions with signatures first, then all others.
pub(super) fn all(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (rows, taken) = (Page::of(ask)?, taken(app, ask)?);
    let has = |entry: &catalog::Entry| entry.files.iter().any(|file| signature_of(file).is_some());
    let (mut entries, others): (Vec<_>, Vec<_>) = taken.entries.iter().partition(|e| has(e));
    let signed = entries.len();
    entries.extend(others);
    let shown = rows.rows(&entries);
    let from = rows.from.min(entries.len());
    let body = html! {
        header { h1 { "Proof" } p class="facts" {
            (counted(entries.len() as u64, "session", "sessions")) ", "
            (signed) " with a signature beside a file"
        } }
        main id="main" tabindex="-1" {
            p { (CEILING) }
            ul class="rows" {
                @for (at, entry) in shown.iter().enumerate() {
                    li class="row" {
                        a href={ (session(&uid(entry))) "/proof" } { (Shown(&title(entry).0)) }
                        p class="when" {
                            (entry.format) " \u{b7} "
                            @if from + at < signed { "signed: look at what it shows" }
                            @else { "not signed" }
                        }
                    }
                }
            }
            (ways(ask, (from, from + shown.len()), entries.len(), "sessions", rows.most))
        }
    };
    Ok(framed(ask, "Proof", &body))
}

/// `/s/{uid}/proof`.
pub(super) fn one(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let name = ask.part("uid");
    let entry = entry(app, name)?;
    let (all, found) = checked(app, &entry)?;
    let signatures = signatures(app, &entry)?;
    let check = Check::of(&all, &found.skipped, Depth::Full);
    let reading = app.reading(name)?;
    let turns = SessionTurns::with_sub_agents(reading.opened.session(), &[]);
    let body = html! {
        header {
            h1 { "Proof of " a href=(session(name)) { (Shown(&title(&entry).0)) } }
            p { (CEILING) }
        }
        main id="main" tabindex="-1" {
            (sums(&check.summary))
            h2 { "Signatures" }
            @if signatures.is_empty() { p { "Not signed: no signature is beside a file of it." } }
            @for report in &signatures { (signature(report)) }
            h2 { "Receipts of turns" }
            @if turns.is_empty() { p { "It has no turn." } }
            ol class="receipts" {
                @for number in 1..=turns.len() {
                    li {
                        @if turns.has_ended(number) {
                            @let turns = format!("/v1/sessions/{}/turns", encoded(name));
                            a href={ (turns) "/" (number) "/receipt" } {
                                "turn " (number)
                            }
                        } @else { "turn " (number) ": not ended, no receipt" }
                    }
                }
            }
            h2 { "Files" }
            ul {
                @for source in &check.sources {
                    @for file in &source.files { li { (Shown(&file.path)) } }
                }
            }
            p { a href={ "/v1/sessions/" (encoded(name)) "/verdicts" } { "The same as JSON" } }
        }
    };
    Ok(framed(ask, "Proof", &body))
}

/// The sums of a check.
fn sums(sums: &Totals) -> Markup {
    let lost = sums.lost_places > 0 || sums.missing_leaves > 0;
    let rows = [
        ("bytes", sums.bytes),
        ("records", sums.records),
        ("events", sums.events),
        ("values in the JSON", sums.leaves),
        ("values that no event has", sums.missing_leaves),
        ("places where the proof fails", sums.lost_places),
        ("bytes in them", sums.lost_bytes),
        ("damaged places, kept as they are", sums.damaged),
        ("names that no table knows", sums.unknown),
    ];
    html! {
        p class=(if lost { "bad" } else { "note" }) {
            @if lost { "\u{2717} Something of it is lost." }
            @else { "Every byte of it is read, and is written back from its fields." }
        }
        table { tbody {
            @for (name, count) in rows {
                tr { th scope="row" { (name) } td class="right" { (human::count(count)) } }
            }
        } }
    }
}

/// The lines of a verified signature. Only a known key is green.
fn signature(report: &VerifyReport) -> Markup {
    let (class, words) = match report.result {
        VerifyResult::Signed => ("good", "\u{2713} verified, and the key is known"),
        VerifyResult::Unknown => ("when", "not shown: no known key signed it"),
        VerifyResult::Failed => ("bad", "\u{2717} ALTERED, or not what it claims to be"),
    };
    let word = |verdict: VerifyVerdict| match verdict {
        VerifyVerdict::Shown => "good",
        VerifyVerdict::NotShown => "when",
        VerifyVerdict::Failed => "bad",
    };
    html! {
        section {
            h3 { (Shown(&report.file)) }
            p class=(class) { (words) }
            table { tbody {
                @for check in &report.checks {
                    tr {
                        th scope="row" { (check.what) }
                        td class=(word(check.verdict)) { (check.verdict.word()) }
                        td { (Shown(&check.why)) }
                    }
                }
            } }
        }
    }
}
