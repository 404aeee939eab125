//! One session: its facts, its turns, and as many of them at once as a page can hold. The others
//! are behind links, so that a long session opens as quickly as a short one.

use std::sync::Arc;

use maud::{Markup, PreEscaped, html};
use operations::usage::Sum;
use views::export::{PageText as Shown, facts, named, sections, title};
use views::human;
use views::transcript::TurnSum;

use super::frame::{counted, page as framed, session as address};
use crate::actions::{EXPORT, PLACE};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, HTML, Reply};
use crate::reading::Reading;

/// The greatest number of turns of a page, and of calls in them.
const TURNS: usize = 20;
const CALLS: u64 = 400;

/// `/s/{uid}`: the first turns, or those that `turns=A-B` names. With `part`, only the turns. Of a
/// long session its beginning is shown at once; with `whole`, or for a later turn, all is read.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let uid = ask.part("uid");
    let wanted = wanted(ask)?;
    let (mut reading, mut is_whole) = match ask.value("whole") {
        None => app.first(uid)?,
        Some(_) => (app.reading(uid)?, true),
    };
    if !is_whole && wanted.is_some_and(|(from, _)| from >= reading.turns()) {
        (reading, is_whole) = (app.reading(uid)?, true);
    }
    // The last turn of a beginning goes on behind it.
    let sums = match reading.sums() {
        [first @ .., _] if !is_whole => first,
        all => all,
    };
    let read = Read { sums, is_whole };
    let (from, to) = range(wanted, sums);
    let shown = sums.get(from..to).unwrap_or_default();
    let first = shown.first().map_or(0, |sum| sum.turn);
    let last = shown.last().map_or(0, |sum| sum.turn);
    let mut text = Vec::new();
    let hidden = sections(reading.session(), shown, (first, last), &mut text)
        .map_err(|error| Fault::new(500, error.to_string()))?;
    let text = PreEscaped(String::from_utf8_lossy(&text).into_owned());
    let turns = html! {
        (ways(ask, &read, (from, to)))
        (text)
        @if !hidden.is_empty() {
            p class="when" { "Not shown so far: " (hidden.join(", ")) "." }
        }
        (ways(ask, &read, (from, to)))
    };
    if ask.value("part").is_some() {
        return Ok(Reply::tagged(HTML, turns.into_string().into_bytes()));
    }
    let name = title(reading.session());
    let body = html! {
        header {
            h1 { (Shown(&name)) }
            (head(app, ask, (&reading, &read)))
        }
        div class="columns" {
            (outline(ask, &read))
            main id="main" tabindex="-1" data-uid=(Shown(uid)) { (turns) }
        }
        footer { "Times are UTC." }
    };
    Ok(framed(ask, &name, &body))
}

/// The turns that are at hand.
struct Read<'r> {
    sums: &'r [TurnSum],
    /// Whether these are all turns of the session.
    is_whole: bool,
}

impl Read<'_> {
    /// The words behind a number that may grow.
    const fn so_far(&self) -> &'static str {
        if self.is_whole { "" } else { " so far" }
    }
}

/// The numbers of the first turn and the last one that a request names.
fn wanted(ask: &Ask) -> Result<Option<(u64, Option<u64>)>, Fault> {
    let wrong = || Fault::new(400, "`turns` is a number or a range of numbers, such as 40-60");
    let Some(text) = ask.value("turns") else { return Ok(None) };
    let (from, to) = text.split_once('-').unwrap_or((text, ""));
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let to = if to.is_empty() { None } else { Some(number(to)?) };
    let from = number(from)?;
    if to.is_some_and(|to| to < from) {
        return Err(wrong());
    }
    Ok(Some((from, to)))
}

/// The places of the first turn and behind the last one that are shown.
fn range(wanted: Option<(u64, Option<u64>)>, sums: &[TurnSum]) -> (usize, usize) {
    let at = |turn: u64| sums.partition_point(|sum| sum.turn < turn);
    let from = wanted.map_or(0, |(from, _)| at(from));
    let most = wanted.and_then(|(_, to)| to).map_or(sums.len(), |to| at(to.saturating_add(1)));
    let mut calls = 0;
    let fits = |sum: &&TurnSum| {
        calls += sum.calls;
        calls <= CALLS
    };
    // One turn is always shown, however long it is.
    let held = sums.iter().skip(from).take(TURNS).take_while(fits).count().max(1);
    (from, most.min(from + held).min(sums.len()).max(from.min(sums.len())))
}

/// The ways to the turns before and to the next ones.
fn ways(ask: &Ask, read: &Read<'_>, (from, to): (usize, usize)) -> Markup {
    let sums = read.sums;
    let behind = sums.last().map_or(0, |sum| sum.turn + 1);
    let turn = |at: usize| sums.get(at).map_or(behind, |sum| sum.turn);
    let all = sums.iter().filter(|sum| sum.turn > 0).count();
    let before = turn(from.saturating_sub(TURNS)).to_string();
    let next = turn(to).to_string();
    html! {
        p class="ways-of" {
            @if from < to {
                "Turns " (turn(from)) "\u{2013}" (turn(to - 1)) " of " (all) (read.so_far())
            }
            @if from > 0 {
                " " a rel="prev" href=(ask.link(&[("turns", Some(&before)), ("part", None)])) {
                    "turns before"
                }
            }
            @if to < sums.len() || !read.is_whole {
                " " a rel="next" href=(ask.link(&[("turns", Some(&next)), ("part", None)])) {
                    "next turns"
                }
            }
        }
    }
}

/// The facts of a session, and what can be done with it.
fn head(app: &App, ask: &Ask, (reading, read): (&Reading, &Read<'_>)) -> Markup {
    let session = reading.session();
    let sum = TurnSum::sum(read.sums);
    let uid = ask.part("uid");
    let page = address(uid);
    // Its own agent needs no copy of it, and comes first.
    let own = app.served.formats.iter().find(|format| format.name() == session.format);
    let own = own.filter(|format| format.data().resume.is_some()).map(|format| format.name());
    let takers = operations::takers(app.served.formats).into_iter();
    let agents = own.into_iter().chain(takers.filter(|to| Some(*to) != own));
    let agents = agents.collect::<Vec<_>>().join(" ");
    let members = session.bundle.members.iter();
    let shown = members.map(|member| member.length() as u64).sum();
    let sums = read.is_whole.then(|| app.spent(&app.listing()));
    let price = sums.and_then(|sums| sums.get(uid).and_then(Sum::price));
    // Without a script, the user types the command.
    let name = format!("{}:{}", session.format, session.id);
    html! {
        dl class="facts" {
            @for (name, fact) in facts(session, &sum) {
                div { dt { (name) } dd { (Shown(&fact)) } }
            }
            // The cost needs the sums of all sessions, for which no beginning waits.
            @if let Some(price) = price {
                div { dt { "cost" } dd { (price) } }
            }
        }
        @if !read.is_whole {
            p class="note" id="so-far" {
                "It is long: these numbers are of its first " (human::size(shown)) " so far. "
                a href=(ask.link(&[("whole", Some("1"))])) { "Read all of it" }
            }
        }
        p class="ways-of" {
            a href={ (page) "/bytes" } { "Bytes" } " "
            a href={ (page) "/proof" } { "Proof" } " "
            a href={ (page) "/travels" } { "Travels" }
        }
        details class="acts" {
            summary { "Continue or export" }
            p { "To continue it: " code { "verbatim resume " (Shown(&quoted(&name))) } }
            p {
                "To export a redacted page: "
                code { "verbatim export " (Shown(&quoted(&name))) " -o session.html" }
            }
            div id="actions" data-uid=(Shown(uid)) data-agents=(agents)
                data-place=(PLACE) data-export=(EXPORT) {}
        }
    }
}

/// A word of a command for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    match word.chars().all(plain) && !word.starts_with('-') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The greatest number of turns of the outline.
const OUTLINE: usize = 1000;

/// The turns as links.
fn outline(ask: &Ask, read: &Read<'_>) -> Markup {
    let turns: Vec<&TurnSum> = read.sums.iter().filter(|sum| sum.turn > 0).collect();
    let failed: u64 = read.sums.iter().map(|sum| sum.failed).sum();
    html! {
        aside aria-label="Turns" {
            details class="outline" open {
                summary {
                    (counted(turns.len() as u64, "turn", "turns")) (read.so_far())
                    @if failed > 0 { " \u{b7} " (counted(failed, "failure", "failures")) }
                }
                ol {
                    @for sum in turns.iter().take(OUTLINE) {
                        @let number = sum.turn.to_string();
                        li {
                            a href={
                                (ask.link(&[("turns", Some(&number)), ("part", None)]))
                                "#turn-" (number)
                            } {
                                span class="number" { (number) } " " (Shown(&named(sum)))
                                @if sum.failed > 0 {
                                    " " span class="bad" { "\u{2717}" (sum.failed) }
                                }
                            }
                        }
                    }
                }
                @if turns.len() > OUTLINE {
                    p class="when" {
                        "The outline has the first " (OUTLINE) " turns; the links below the turns \
                         lead to all."
                    }
                }
            }
        }
    }
}
