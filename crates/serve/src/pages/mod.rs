//! The pages for people. Each works without a script: its filters are links and forms, and its
//! address is its state. Text of sessions is shown as text ([`views::export::Shown`]).

mod books;
mod files;
mod findings;
mod frame;
mod home;
mod not_seen;
mod panel;
mod proof;
mod search;
mod session;
mod usage;

use catalog::Entry;
use maud::html;

use crate::http::reply::{Fault, HTML, Reply};
use crate::routes::Answer;

/// The paths of the pages.
pub(crate) const PAGES: &[(&str, Answer)] = &[
    ("/", home::page),
    ("/s/{uid}", session::page),
    ("/s/{uid}/bytes", panel::bytes),
    ("/s/{uid}/travels", panel::travels),
    ("/s/{uid}/proof", proof::one),
    ("/search", search::page),
    ("/usage", usage::page),
    ("/files", files::page),
    ("/proof", proof::all),
    ("/findings", findings::page),
    ("/books", books::page),
    ("/not-seen", not_seen::page),
    ("/assets/{name}", frame::asset),
];

/// The page of a request that failed.
pub(crate) fn fault(fault: &Fault) -> Reply {
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { (fault.status) } }
            body { main { h1 { (fault.status) } p { (views::export::Shown(&fault.message)) } } }
        }
    };
    let mut reply = Reply::of(HTML, page.into_string().into_bytes());
    reply.status = fault.status;
    reply
}

/// A page that leads to the first one at once.
pub(crate) fn onward() -> Reply {
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content="0;url=/";
                title { "verbatim" }
            }
            body { a href="/" { "To the sessions" } }
        }
    };
    Reply::of(HTML, page.into_string().into_bytes())
}

/// The words that name a session, and whether it is a recorded title: else they are the beginning
/// of the first prompt, or its id.
pub(crate) fn title(entry: &Entry) -> (String, bool) {
    let words = |text: &str| {
        let own = formats::wrapped::unwrapped(entry.format, text).own;
        let line = own.trim().lines().next().unwrap_or_default();
        let mut short: String = line.chars().take(TITLE).collect();
        if short.len() < line.len() {
            short.push('\u{2026}');
        }
        short
    };
    let of = |text: Option<&str>| text.map(words).filter(|text| !text.is_empty());
    match of(entry.title.as_deref()) {
        Some(title) => (title, true),
        None => (of(entry.prompt.as_deref()).unwrap_or_else(|| crate::app::uid(entry)), false),
    }
}

/// The longest title, in characters.
const TITLE: usize = 90;
