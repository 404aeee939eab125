//! Files: which sessions and turns changed them, the newest session first.

use std::sync::Arc;

use maud::html;
use views::export::PageText as Shown;

use super::frame::{counted, page as framed, turn};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::v1::files::changes;

/// `/files`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let changes = changes(app, ask)?;
    let files = counted(changes.files.len() as u64, "file", "files");
    let body = html! {
        header {
            h1 { "Files" }
            form method="get" action="/files" role="search" {
                label {
                    "Part of a path "
                    input type="search" name="path" id="search"
                        value=(Shown(ask.value("path").unwrap_or_default()));
                }
                button { "Filter" }
            }
        }
        main id="main" tabindex="-1" {
            p class="facts" {
                (files) ", of " (counted(changes.sessions as u64, "session", "sessions"))
                " that were looked through, of " (changes.total)
            }
            @for file in &changes.files {
                details {
                    summary { span class="target" { (Shown(&file.path)) } " "
                        span class="number" { (file.changes.len()) } }
                    ul {
                        @for change in &file.changes {
                            li {
                                a href=(turn(&change.session, change.turn)) {
                                    (Shown(&change.title)) ", turn " (change.turn)
                                }
                                @if let Some(time) = &change.time { " \u{b7} " (time) }
                                @if let Some(model) = &change.model { " \u{b7} " (Shown(model)) }
                            }
                        }
                    }
                }
            }
            @for unread in &changes.not_read { p class="bad" { (Shown(unread)) } }
            @if let Some(next) = &changes.next {
                p class="ways-of" {
                    a rel="next" href=(ask.link(&[("after", Some(next))])) {
                        "older sessions: " (changes.total.saturating_sub(next.parse().unwrap_or(0)))
                        " are not in this list"
                    }
                }
            }
        }
    };
    Ok(framed(ask, "Files", &body))
}
