//! Search in all texts, with the hits in groups by session.

use std::sync::Arc;
use std::time::Instant;

use maud::{Markup, html};
use operations::SearchHits;
use operations::search::hit::TextMatch;
use operations::search::pattern::Pattern;
use views::export::PageText as Shown;
use views::human;

use super::frame::{counted, page as framed, turn, ways};
use super::home::row;
use crate::app::App;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::v1::page::Page;
use crate::v1::search::{PARTS, found, pattern};

/// The number of hits of a session that are shown at first.
const HITS: usize = 3;
/// The number of sessions of a page.
const SESSIONS: usize = 50;

/// `/search`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let asked = Instant::now();
    let (result, pattern) = match pattern(ask)? {
        Some(pattern) => (Some(found(app, ask, &pattern)?), Some(pattern)),
        None => (None, None),
    };
    let took = i64::try_from(asked.elapsed().as_micros()).unwrap_or(i64::MAX);
    let rows = Page::of(ask)?;
    let rows = Page { most: rows.most.min(SESSIONS), ..rows };
    let body = html! {
        header { h1 { "Search" } (form(ask)) }
        main id="main" tabindex="-1" {
            @if let (Some(result), Some(pattern)) = (&result, &pattern) {
                @let hits: usize = result.sessions.iter().map(|of| of.hits.len()).sum();
                @let total = result.sessions.len();
                @let shown = rows.rows(&result.sessions);
                @let from = rows.from.min(total);
                p class="facts" {
                    (counted(hits as u64, "match", "matches")) " in "
                    (counted(total as u64, "session", "sessions"))
                    " \u{b7} " (human::span(took)) ", nothing was indexed for it"
                    @if !result.skipped.is_empty() {
                        " \u{b7} " a href="/not-seen" {
                            (counted(result.skipped.len() as u64, "file was not looked through",
                                "files were not looked through"))
                        }
                    }
                }
                ul class="rows" { @for of in shown { (group(app, of, pattern)) } }
                (ways(ask, (from, from + shown.len()), total, "sessions", rows.most))
                @if !result.left.is_empty() {
                    h2 { "Sessions that are gone" }
                    p class="when" { "Only prompts are left of them, in the agent's own list." }
                    ul class="rows" {
                        @for of in &result.left {
                            li class="row" {
                                p class="when" { (Shown(&uid(&of.entry))) }
                                @for hit in &of.hits { (lines(hit, pattern)) }
                            }
                        }
                    }
                }
            } @else {
                p { "Words in any order; a phrase is in \u{201c}quotation marks\u{201d}." }
            }
        }
    };
    Ok(framed(ask, "Search", &body))
}

fn form(ask: &Ask) -> Markup {
    let only = ask.values("only");
    html! {
        form method="get" action="/search" role="search" {
            label {
                "Words "
                input type="search" name="q" id="search"
                    value=(Shown(ask.value("q").unwrap_or_default()));
            }
            label {
                input type="checkbox" name="regex" value="1" checked[ask.value("regex").is_some()];
                " regular expression"
            }
            label {
                "in " select name="only" {
                    option value="" { "everything" }
                    @for (name, _) in PARTS {
                        option value=(name) selected[only.iter().any(|one| one == name)] { (name) }
                    }
                }
            }
            @for name in ["agent", "project", "model", "since", "until"] {
                @if let Some(value) = ask.value(name) {
                    label { (name) " " input name=(name) value=(Shown(value)); }
                }
            }
            button { "Search" }
        }
    }
}

/// The hits of a session.
fn group(app: &App, of: &SearchHits, pattern: &Pattern) -> Markup {
    let uid = uid(&of.entry);
    let (first, rest) = of.hits.split_at(of.hits.len().min(HITS));
    let hit = |hit: &TextMatch| {
        html! {
            div class="hit-of" {
                a href=(turn(&uid, hit.turn)) {
                    "turn " (hit.turn) " \u{b7} " (hit.part.word())
                    @if let Some(time) = hit.time { " \u{b7} " (human::moment(time)) }
                }
                (lines(hit, pattern))
            }
        }
    };
    html! {
        (row(app, &of.entry))
        li class="hits" {
            @for one in first { (hit(one)) }
            @if !rest.is_empty() {
                details {
                    summary { (counted(rest.len() as u64, "more match", "more matches")) }
                    div { @for one in rest { (hit(one)) } }
                }
            }
        }
    }
}

/// The lines of a hit, with the words marked.
fn lines(hit: &TextMatch, pattern: &Pattern) -> Markup {
    html! { @for line in &hit.lines { p class="line" { (marked(line, pattern)) } } }
}

/// A text with its matches marked.
fn marked(text: &str, pattern: &Pattern) -> Markup {
    let (mut from, mut parts): (usize, Vec<(bool, &str)>) = (0, Vec::new());
    for mark in pattern.marks(text) {
        if mark.start >= from {
            parts.extend(text.get(from..mark.start).map(|part| (false, part)));
            parts.extend(text.get(mark.clone()).map(|part| (true, part)));
            from = mark.end;
        }
    }
    parts.extend(text.get(from..).map(|part| (false, part)));
    html! {
        @for (is_match, part) in parts {
            @if is_match { mark { (Shown(part)) } } @else { (Shown(part)) }
        }
    }
}
