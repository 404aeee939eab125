//! The things that are not in the lists: where it was looked, which files are no sessions and why,
//! and what the agents will delete.

use std::sync::Arc;

use archive::expiry::expiring;
use maud::html;
use views::export::PageText as Shown;

use super::frame::{counted, page as framed};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};

/// The greatest number of files that are named of one kind.
const NAMED: usize = 500;

/// `/not-seen`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (catalog, listing) = (app.catalog(), app.listing());
    let places = places(app);
    let (failures, others): (Vec<_>, Vec<_>) =
        listing.skipped.iter().partition(|skipped| skipped.why.is_failure());
    let live = listing.entries.iter().filter(|entry| !entry.archived);
    let live = live.filter_map(|entry| Some((entry.format, &**entry.files.first()?)));
    let ending = match app.within() {
        [] => expiring(&catalog, live, &|| None, App::now()),
        _ => Vec::new(),
    };
    let body = html! {
        header { h1 { "Not seen" } }
        main id="main" tabindex="-1" {
            h2 { "What the agents will delete" }
            @if ending.is_empty() { p { "Nothing within a week, as far as their settings say." } }
            @for row in &ending {
                p class="bad" {
                    (row.agent) " deletes " (counted(row.sessions as u64, "session", "sessions"))
                    " within a week: it keeps them for " (row.days) " days. "
                    code { "verbatim sync" } " keeps them in the archive."
                }
            }
            @for (name, files) in [("Could not be read", &failures), ("No sessions", &others)] {
                h2 { (name) " (" (files.len()) ")" }
                ul {
                    @for skipped in files.iter().take(NAMED) {
                        li {
                            (Shown(&skipped.path.display().to_string())) ": "
                            (Shown(&skipped.why.to_string()))
                        }
                    }
                }
                @if files.len() > NAMED {
                    p {
                        (files.len() - NAMED) " more: " code { "verbatim list --json" }
                        " names all."
                    }
                }
            }
            h2 { "Where it was looked" }
            ul {
                @for (name, path) in &places {
                    li { (name) ": " (Shown(path)) }
                }
            }
        }
    };
    Ok(framed(ask, "Not seen", &body))
}

/// The places that are looked in, each with the agent whose place it is.
fn places(app: &App) -> Vec<(String, String)> {
    let named = |path: &std::path::PathBuf| ("named".into(), path.display().to_string());
    if !app.within().is_empty() {
        return app.within().iter().map(named).collect();
    }
    let formats = app.served.formats.iter();
    let of = formats.flat_map(|format| {
        let all = app.served.machine.places(*format).into_iter();
        all.map(|place| (format.name().to_owned(), place.path.display().to_string()))
    });
    of.collect()
}
