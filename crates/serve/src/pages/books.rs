//! Books: how much of the sessions of each agent arrives at each other one.

use std::sync::Arc;

use api::fidelity::{FidelityDocument, FidelityRow};
use maud::{Markup, html};
use views::export::PageText as Shown;
use views::human;

use super::frame::{counted, page as framed};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;
use crate::v1::page::Page;
use crate::v1::sessions::{sources, taken};

/// The number of sessions that one page converts.
const SESSIONS: usize = 10;

/// `/books`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (rows, taken) = (Page::of(ask)?, taken(app, ask)?);
    let rows = Page { most: rows.most.min(SESSIONS), ..rows };
    let shown = rows.rows(&taken.entries);
    let catalog = app.catalog();
    let found = sources(app, shown);
    let (from, to) = (ask.value("from"), ask.value("to"));
    let sums = operations::fidelity(&catalog, &found, from, to, &|_| {});
    let sums = sums.map_err(|error| fault(&error))?;
    let document = FidelityDocument::of(&sums);
    let next = rows.next(shown.len(), taken.entries.len());
    let body = html! {
        header {
            h1 { "Books" }
            p class="facts" {
                (counted(shown.len() as u64, "session", "sessions")) " of " (taken.entries.len())
                " were converted in memory; nothing was written"
            }
        }
        main id="main" tabindex="-1" {
            (table(&document))
            @for unread in document.not_read { p class="bad" { (Shown(unread)) } }
            @if let Some(next) = &next {
                p class="ways-of" {
                    a rel="next" href=(ask.link(&[("after", Some(next))])) { "older sessions" }
                }
            }
        }
    };
    Ok(framed(ask, "Books", &body))
}

/// The matrix of pairs.
pub(super) fn table(document: &FidelityDocument<'_>) -> Markup {
    html! {
        table {
            thead { tr {
                th { "from" } th { "to" } th { "sessions" } th { "talk that arrives" }
                th { "carried" } th { "mapped" } th { "in part" } th { "left out" } th { "made" }
            } }
            tbody { @for row in &document.pairs { (pair(row)) } }
        }
    }
}

fn pair(row: &FidelityRow) -> Markup {
    let share = |part: u64, whole: u64| match whole {
        0 => "-".to_owned(),
        whole => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    };
    let talk = row.conversation.saturating_sub(row.dropped_conversation);
    html! {
        tr {
            th scope="row" { (row.from) } td { (row.to) }
            td class="right" { (row.sessions) }
            td class="right" { (share(talk, row.conversation)) }
            @for part in [row.carried, row.mapped, row.in_part, row.dropped] {
                td class="right" { (human::count(part)) }
            }
            td class="right" { (human::count(row.made)) }
        }
    }
}
