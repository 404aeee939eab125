//! Search in all texts, with the hits in groups by session.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use maud::{Markup, html};
use operations::search::hit::TextMatch;
use operations::search::pattern::Pattern;
use operations::{SearchHits, SearchResult};
use tokio::sync::mpsc;
use views::export::PageText as Shown;
use views::human;

use super::frame::{around, counted, page as framed, turn, ways};
use super::home::row;
use crate::app::{App, SessionSums};
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Content, Fault, HTML, Reply};
use crate::reading::fault;
use crate::v1::page::Page;
use crate::v1::search::{PARTS, Wanted, pattern};

/// The number of hits of a session that are shown at first.
const HITS: usize = 3;
/// The number of sessions of a page.
const SESSIONS: usize = 50;
/// The number of pieces of a page that wait for the browser.
const PIECES: usize = 8;

/// `/search`. The sessions come as they are found, the newest first, and their number last: the
/// browser shows what it has, without a script.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let rows = Page::of(ask)?;
    let rows = Page { most: rows.most.min(SESSIONS), ..rows };
    let Some(pattern) = pattern(ask)? else {
        let hint = html! {
            (head(ask))
            main id="main" tabindex="-1" {
                p { "Words in any order; a phrase is in \u{201c}quotation marks\u{201d}." }
            }
        };
        return Ok(framed(ask, "Search", &hint));
    };
    let wanted = Wanted::of(app, ask)?;
    let around = around(ask, "Search", &head(ask));
    let (sender, pieces) = mpsc::channel(PIECES);
    let indexed = (app.served.hands.index)().is_some();
    let (from, most, ask) = (rows.from, rows.most, ask.clone());
    let found = Found { sender, from, most, ask, hits: 0, indexed };
    let app = app.clone();
    std::thread::spawn(move || found.stream(&app, (&wanted, &pattern), &around));
    let mut reply = Reply::of(HTML, Vec::new());
    reply.content = Content::Pieces(pieces);
    Ok(reply)
}

fn head(ask: &Ask) -> Markup {
    html! { header { h1 { "Search" } (form(ask)) } }
}

/// The page of a search while it is made.
struct Found {
    sender: mpsc::Sender<Bytes>,
    from: usize,
    most: usize,
    ask: Ask,
    /// The number of matches so far.
    hits: usize,
    /// Whether an index saved reading.
    indexed: bool,
}

impl Found {
    /// Sends a piece. False if nobody takes it.
    fn send(&self, text: String) -> bool {
        self.sender.blocking_send(Bytes::from(text)).is_ok()
    }

    /// Searches, and sends what is found.
    fn stream(
        mut self,
        app: &App,
        (wanted, pattern): (&Wanted, &Pattern),
        (before, behind): &(String, String),
    ) {
        let (asked, mut count) = (Instant::now(), 0);
        let doing = html! {
            p class="when doing" { "Searching, the newest sessions first \u{2026}" }
        };
        let opening = "<main class=\"found\" id=\"main\" tabindex=\"-1\">";
        let list = "<ul class=\"rows\">";
        if !self.send(format!("{before}{opening}{}{list}", doing.into_string())) {
            return;
        }
        let job = self.ask.job.clone();
        let result = wanted.each((app, &job), pattern, &mut |of| {
            let is_shown = (self.from..self.from + self.most).contains(&count);
            count += 1;
            self.hits += of.hits.len();
            match is_shown {
                true => self.send(group(app, of, pattern).into_string()),
                false => !self.sender.is_closed(),
            }
        });
        let took = i64::try_from(asked.elapsed().as_micros()).unwrap_or(i64::MAX);
        let end = match &result {
            Ok(result) => self.end(result, took, pattern),
            Err(error) => html! { p class="bad done" { (Shown(&fault(error).message)) } },
        };
        self.send(format!("</ul>{}</main>{behind}", end.into_string()));
    }

    /// The end of the page: the numbers, which the style puts before the rows.
    fn end(&self, result: &SearchResult, took: i64, pattern: &Pattern) -> Markup {
        let total = result.sessions.len();
        let (from, to) = (self.from.min(total), (self.from + self.most).min(total));
        html! {
            p class="facts done" {
                (counted(self.hits as u64, "match", "matches")) " in "
                (counted(total as u64, "session", "sessions"))
                " \u{b7} " (human::span(took))
                @if !self.indexed { ", nothing was indexed for it" }
                @if !result.skipped.is_empty() {
                    " \u{b7} " a href="/not-seen" {
                        (counted(result.skipped.len() as u64, "file was not looked through",
                            "files were not looked through"))
                    }
                }
            }
            (ways(&self.ask, (from, to), total, "sessions", self.most))
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
        }
    }
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
        (row(app, &of.entry, &SessionSums::new()))
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
