//! The sessions, in groups by day, with their facets as links.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::Entry;
use maud::{Markup, html};
use session::Sorting as _;
use session::UtcTime;
use views::export::PageText as Shown;
use views::human;
use views::transcript::counts_of;

use super::frame::{counted, page as framed, session, ways};
use crate::app::{App, SessionSums};
use crate::entries::title;
use crate::entries::uid;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::live::LOOK;
use crate::v1::page::Page;
use crate::v1::sessions::{Taken, taken};

/// The greatest number of values of a facet that are shown.
const FACET: usize = 12;

/// `/`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let (rows, taken) = (Page::of(ask)?, taken(app, ask)?);
    let shown = rows.rows(&taken.entries);
    let (from, total) = (rows.from.min(taken.entries.len()), taken.entries.len());
    let body = html! {
        header { h1 { "Sessions" } p class="facts" id="facts" { (facts(&taken)) } }
        div class="columns" {
            aside aria-label="Filters" { (filters(app, ask, &taken.entries)) }
            main id="main" tabindex="-1" {
                p id="news" aria-live="polite" {}
                (list(app, shown, &app.spent(&taken.listing)))
                (ways(ask, (from, from + shown.len()), total, "sessions", rows.most))
                p class="when" {
                    "With scripts, this page says what is new: the files are looked at every "
                    (LOOK.as_millis()) " ms while it is open."
                }
            }
        }
    };
    Ok(framed(ask, "Sessions", &body))
}

/// The line of facts: each is a sum over the same sessions.
fn facts(taken: &Taken) -> String {
    let entries = &taken.entries;
    let agents: BTreeSet<&str> = entries.iter().map(|entry| entry.format).collect();
    let bytes = entries.iter().map(|entry| entry.length).sum();
    let failures = taken.listing.skipped.iter().filter(|skipped| skipped.why.is_failure()).count();
    let mut facts = vec![
        counted(entries.len() as u64, "session", "sessions"),
        counted(agents.len() as u64, "agent", "agents"),
        human::size(bytes),
    ];
    if failures > 0 {
        facts.push(counted(failures as u64, "file could not be read", "files could not be read"));
    }
    facts.join(" \u{b7} ")
}

/// The sessions of a page, in groups by day.
fn list(app: &App, entries: &[Entry], spent: &SessionSums) -> Markup {
    let day = |entry: &Entry| entry.updated.map(|time| local(app, time)[..10].to_owned());
    let groups = entries.chunk_by(|one, other| day(one) == day(other));
    html! {
        @for group in groups {
            section class="day" {
                h2 { (group.first().and_then(day).unwrap_or_else(|| "No time".to_owned())) }
                ul class="rows" { @for entry in group { (row(app, entry, spent)) } }
            }
        }
    }
}

/// A time in the user's zone, to the minute.
pub(super) fn local(app: &App, time: UtcTime) -> String {
    let offset = i64::from((app.served.hands.offset)(time)) * 1_000_000;
    let text = human::moment(UtcTime(time.0.saturating_add(offset)));
    // A time that no calendar has is no group.
    if text.len() < 10 { "0000-00-00".to_owned() } else { text }
}

/// The tokens and the cost of a session, where they are known, with a bar beside those of all.
fn cost(uid: &str, spent: &SessionSums) -> Markup {
    let Some(sum) = spent.get(uid) else { return html! {} };
    let most = spent.values().map(|sum| sum.tokens.total()).max().unwrap_or(0);
    html! {
        " \u{b7} " (human::count(sum.tokens.total())) " tokens"
        @if let Some(price) = sum.price() { " \u{b7} " (price) }
        " " progress max=(most.max(1)) value=(sum.tokens.total()) aria-hidden="true" {}
    }
}

/// The row of a session. `spent` has what sessions cost, where that is known.
pub(super) fn row(app: &App, entry: &Entry, spent: &SessionSums) -> Markup {
    let (title, recorded) = title(entry);
    let uid = uid(entry);
    html! {
        li class="row" data-uid=(Shown(&uid)) {
            a href=(session(&uid)) class=(if recorded { "title named" } else { "title" }) {
                (Shown(&title))
            }
            p class="when" {
                (entry.format)
                @if let Some(folder) = &entry.folder { " \u{b7} " (Shown(&short(app, folder))) }
                @if let Some(model) = &entry.model { " \u{b7} " (Shown(model)) }
                @if let Some(time) = entry.updated {
                    " \u{b7} "
                    time datetime=(time.rfc3339()) { (local(app, time)) }
                    " \u{b7} " (human::age(App::now(), time))
                }
                @if let Some(took) = lasted(entry) { " \u{b7} " (human::span(took)) }
                " \u{b7} " (human::size(entry.length))
                (done(entry))
                (cost(&uid, spent))
                @if entry.archived { " \u{b7} in the archive alone" }
                @if entry.damaged > 0 {
                    " \u{b7} " span class="bad" {
                        (counted(entry.damaged.into(), "unreadable record", "unreadable records"))
                    }
                }
                @if !entry.copies.is_empty() {
                    " \u{b7} " (counted(entry.copies.len() as u64, "copy", "copies"))
                }
                @if let Some(parent) = &entry.spawned_by {
                    " \u{b7} sub-agent of "
                    a href=(session(&format!("{}:{parent}", entry.format))) { (Shown(parent)) }
                }
            }
        }
    }
}

/// The acts of a session, where the index knows them.
fn done(entry: &Entry) -> Markup {
    let Some(acts) = entry.acts.as_deref() else { return html! {} };
    html! {
        " \u{b7} " (counted(acts.turns, "turn", "turns"))
        @if acts.failed > 0 {
            " \u{b7} " span class="bad" { (counted(acts.failed, "failed call", "failed calls")) }
        }
        @if let Some(changed) = counts_of(acts.inserted, acts.deleted) { " \u{b7} " (changed) }
    }
}

/// The time from the first event to the last one, in microseconds.
fn lasted(entry: &Entry) -> Option<i64> {
    let (from, to) = entry.started.zip(entry.updated)?;
    to.0.checked_sub(from.0).filter(|took| *took > 0)
}

/// A path, with `~` for the home folder.
pub(super) fn short(app: &App, path: &str) -> String {
    let home = app.home().map(|home| home.to_string_lossy().into_owned());
    let rest = home.filter(|home| home.len() > 1).and_then(|home| path.strip_prefix(&home));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}

/// The facets: each value is a link that takes only its sessions, or all again.
fn filters(app: &App, ask: &Ask, entries: &[Entry]) -> Markup {
    let mut facets: [(&str, &str, BTreeMap<String, u64>); 4] = [
        ("agent", "Agent", BTreeMap::new()),
        ("project", "Project", BTreeMap::new()),
        ("model", "Model", BTreeMap::new()),
        ("month", "Month", BTreeMap::new()),
    ];
    for entry in entries {
        let month = entry.updated.map(|time| local(app, time)[..7].to_owned());
        let values = [
            Some(entry.format.to_owned()),
            entry.folder.as_deref().map(str::to_owned),
            entry.model.as_deref().map(str::to_owned),
            month,
        ];
        for ((_, _, counts), value) in facets.iter_mut().zip(values) {
            if let Some(value) = value {
                *counts.entry(value).or_default() += 1;
            }
        }
    }
    html! {
        form method="get" action="/search" role="search" {
            label { "Search all texts " input type="search" name="q" id="search"; }
            button { "Search" }
        }
        @for (name, label, counts) in &facets {
            @let chosen = if *name == "month" { ask.value("since") } else { ask.value(name) };
            @if !counts.is_empty() {
                details open {
                    summary { (label) }
                    ul class="facet" {
                        @if chosen.is_some() { li { a href=(all_again(ask, name)) { "all" } } }
                        @for (value, count) in most(counts) {
                            li {
                                a href=(only(ask, name, value))
                                    aria-current=[chosen.map(|_| "true")] {
                                    (Shown(&named(app, name, value)))
                                }
                                " " span class="number" { (count) }
                            }
                        }
                        @if counts.len() > FACET {
                            li class="when" { (counts.len() - FACET) " more with fewer sessions" }
                        }
                    }
                }
            }
        }
    }
}

/// The values with the most sessions.
fn most(counts: &BTreeMap<String, u64>) -> Vec<(&String, &u64)> {
    let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
    counts.in_order_by_key(|(_, count)| std::cmp::Reverse(**count));
    counts.truncate(FACET);
    counts
}

fn named(app: &App, name: &str, value: &str) -> String {
    if name == "project" { short(app, value) } else { value.to_owned() }
}

/// The address of the sessions that have a value.
fn only(ask: &Ask, name: &str, value: &str) -> String {
    match name {
        "month" => ask.link(&[("after", None), ("since", Some(value)), ("until", Some(value))]),
        _ => ask.link(&[("after", None), (name, Some(value))]),
    }
}

fn all_again(ask: &Ask, name: &str) -> String {
    match name {
        "month" => ask.link(&[("after", None), ("since", None), ("until", None)]),
        _ => ask.link(&[("after", None), (name, None)]),
    }
}
