//! The ground of a session: the agent's own bytes, and what of it other agents get.

use std::sync::Arc;

use api::fidelity::FidelityDocument;
use maud::{Markup, html};
use session::{Record, Session};
use views::export::PageText as Shown;
use views::human;

use super::books::table;
use super::frame::{page as framed, session as address, ways};
use crate::app::App;
use crate::http::ask::{Ask, encoded};
use crate::http::reply::{Fault, Reply};
use crate::reading::fault;
use crate::v1::page::Page;
use crate::v1::sessions::{entry, sources};

/// The number of records of a page.
const RECORDS: usize = 50;
/// The largest number of bytes of a record that a page has.
const HELD: usize = 64 << 10;
/// The number of bytes of a line of hexadecimal digits.
const LINE: usize = 16;

/// `/s/{uid}/bytes`: the records as they are, with file, line and bytes; `line=N` begins at a line.
pub(super) fn bytes(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let reading = app.reading(ask.part("uid"))?;
    let session = reading.opened.session();
    let rows = Page::of(ask)?;
    let wanted: Option<u32> = ask.value("line").and_then(|line| line.parse().ok());
    let at = |line| session.records.iter().position(|record| record.line >= line);
    let from = match wanted {
        Some(line) if ask.value("after").is_none() => at(line).unwrap_or_default(),
        _ => rows.from,
    };
    let rows = Page { from, most: rows.most.min(RECORDS) };
    let shown = rows.rows(&session.records);
    let total = session.records.len();
    let from = rows.from.min(total);
    let uid = ask.part("uid");
    let body = html! {
        header {
            h1 { "Bytes of " a href=(address(uid)) { (Shown(uid)) } }
            p class="facts" {
                @for (at, member) in session.bundle.members.iter().enumerate() {
                    a href={ "/v1/sessions/" (encoded(uid)) "/members/" (at) } {
                        (Shown(&member.name))
                    }
                    " (" (human::size(member.bytes().len() as u64)) ") "
                }
            }
        }
        main id="main" tabindex="-1" {
            (ways(ask, (from, from + shown.len()), total, "records", rows.most))
            @for one in shown { (record(session, one)) }
            (ways(ask, (from, from + shown.len()), total, "records", rows.most))
        }
    };
    Ok(framed(ask, "Bytes", &body))
}

/// A record unchanged; as hexadecimal digits where it is not UTF-8.
fn record(session: &Session, record: &Record) -> Markup {
    let bytes = session.record_bytes(record);
    let shown = &bytes[..bytes.len().min(HELD)];
    let member = session.bundle.members.get(record.member as usize);
    let name = member.map_or("", |member| &member.name);
    // The cut may be in the midst of a character.
    let text = match std::str::from_utf8(shown) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            shown.get(..error.valid_up_to()).and_then(|whole| std::str::from_utf8(whole).ok())
        }
        Err(_) => None,
    };
    html! {
        section class="record" {
            p class="when" {
                (Shown(name)) ", line " (record.line) ", "
                (human::count(bytes.len() as u64)) " bytes"
            }
            @match text {
                Some(text) => pre { (Shown(text)) },
                None => pre { (hexadecimal(shown)) },
            }
            @if bytes.len() > HELD {
                p class="when" {
                    "left out here: " (human::count((bytes.len() - HELD) as u64)) " bytes"
                }
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4);
    for (at, line) in bytes.chunks(LINE).enumerate() {
        let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let printed =
            |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' };
        let letters: String = line.iter().map(printed).collect();
        text.push_str(&format!("{:08x}  {:<47}  {letters}\n", at * LINE, digits.join(" ")));
    }
    text
}

/// `/s/{uid}/travels`: for each agent, what of the session arrives there.
pub(super) fn travels(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let uid = ask.part("uid");
    let entry = entry(app, uid)?;
    let catalog = app.catalog();
    let found = sources(app, std::slice::from_ref(&entry));
    let sums = operations::fidelity(&catalog, &found, None, None, &|_| {});
    let sums = sums.map_err(|error| fault(&error))?;
    let document = FidelityDocument::of(&sums);
    let body = html! {
        header { h1 { "Where " a href=(address(uid)) { (Shown(uid)) } " can go" } }
        main id="main" tabindex="-1" {
            p { "It was converted in memory to each agent; nothing was written." }
            (table(&document))
            @if document.pairs.is_empty() { p { "No agent can continue it." } }
            p {
                code { "verbatim convert --to AGENT --ledger FILE" }
                " names each value that is left out."
            }
        }
    };
    Ok(framed(ask, "Travels", &body))
}
