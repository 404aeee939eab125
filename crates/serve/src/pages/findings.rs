//! Findings: the secrets in sessions, by class and session, and never the value itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use api::redact::{Fingerprints, ScanDocument};
use maud::{Markup, html};
use views::export::PageText as Shown;

use super::frame::{counted, page as framed, session};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;
use crate::v1::page::Page;
use crate::v1::sessions::{sources, taken};

/// The number of sessions that one page looks through.
const SESSIONS: usize = 25;

/// `/findings`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (rows, taken) = (Page::of(ask)?, taken(app, ask)?);
    let rows = Page { most: rows.most.min(SESSIONS), ..rows };
    let shown = rows.rows(&taken.entries);
    let catalog = app.catalog();
    let found = sources(app, shown);
    let redactor = (app.served.hands.redactor)().map_err(|why| Fault::new(500, why))?;
    let scanned = operations::scan_secrets(&catalog, &found, &redactor, &|_| {});
    let scanned = scanned.map_err(|error| fault(&error))?;
    let profile = redactor.options().profile.name();
    let prints = Fingerprints { base: Path::new("/"), by_tag: false };
    let document = ScanDocument::of(&scanned, profile, redactor.rules_version(), prints);
    let next = rows.next(shown.len(), taken.entries.len());
    Ok(framed(ask, "Findings", &body(ask, &document, (shown.len(), taken.entries.len()), next)))
}

fn body(
    ask: &Ask,
    document: &ScanDocument<'_>,
    (shown, total): (usize, usize),
    next: Option<String>,
) -> Markup {
    html! {
        header {
            h1 { "Findings" }
            p class="facts" {
                (counted(document.findings as u64, "finding", "findings")) " in "
                (counted(shown as u64, "session", "sessions")) " of " (total)
                " \u{b7} profile " (document.profile) " \u{b7} rules " (Shown(document.rules))
            }
        }
        main id="main" tabindex="-1" {
            p {
                "The values are in the source files. " code { "verbatim redact" }
                " makes a copy without them."
            }
            @for source in document.sources.iter().filter(|source| !source.findings.is_empty()) {
                section {
                    @for uid in source.sessions {
                        h2 { a href=(session(uid)) { (Shown(uid)) } }
                    }
                    ul {
                        @for (class, count) in classes(source) {
                            li { (class) ": " (count) }
                        }
                    }
                }
            }
            @for unread in &document.not_read {
                p class="bad" { "Not looked through: " (Shown(unread)) }
            }
            @if let Some(next) = &next {
                p class="ways-of" {
                    a rel="next" href=(ask.link(&[("after", Some(next))])) { "older sessions" }
                }
            }
        }
    }
}

/// The number of findings of each class.
fn classes<'s>(source: &api::redact::ScanRow<'s>) -> BTreeMap<&'static str, usize> {
    let mut classes = BTreeMap::new();
    for finding in &source.findings {
        *classes.entry(finding.entry.class.name()).or_default() += 1;
    }
    classes
}
