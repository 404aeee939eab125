//! The pages for people. Each works without a script: its filters are links and forms, and its
//! address is its state. Text of sessions is shown as text ([`views::export::PageText`]).

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

use maud::html;

use crate::app::Answer;
use crate::http::reply::{Fault, HTML, Reply};

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
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (fault.status) " \u{b7} verbatim" }
            }
            body {
                main {
                    h1 { (fault.status) }
                    p { (views::export::PageText(&fault.message)) }
                    p { a href="/" { "To the sessions" } }
                }
            }
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
