//! Pages of long answers, and the filters that every list takes.

use operations::filter::Filter;
use session::UtcTime;

use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};

/// The number of rows of a page, and the greatest one.
const ROWS: usize = 200;
const MOST: usize = 1000;
/// The greatest size of a page, from which on it ends.
pub(crate) const BYTES: usize = 4 << 20;

/// A part of a long answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The number of rows before it.
    pub(crate) from: usize,
    /// The greatest number of its rows.
    pub(crate) most: usize,
}

impl Page {
    /// The page that a request asks for. `after` says how many rows came before.
    pub(crate) fn of(ask: &Ask) -> Result<Self, Fault> {
        let number = |name: &str, otherwise: usize| match ask.value(name) {
            None => Ok(otherwise),
            Some(text) => text.parse::<usize>().map_err(|_| name.to_owned()),
        };
        let limit = || Fault::new(400, format!("`limit` is a number of rows, from 1 to {MOST}"));
        let after = |_| {
            Fault::new(400, "`after` is the number of rows before the page: the link to it has it")
        };
        let most = number("limit", ROWS).ok().filter(|most| (1..=MOST).contains(most));
        let most = most.ok_or_else(limit)?;
        Ok(Self { from: number("after", 0).map_err(after)?, most })
    }

    /// Its rows.
    pub(crate) fn rows<'r, T>(&self, rows: &'r [T]) -> &'r [T] {
        let from = self.from.min(rows.len());
        &rows[from..rows.len().min(from.saturating_add(self.most))]
    }

    /// The value of `after` of the page behind it, if there is one.
    pub(crate) fn next(&self, shown: usize, all: usize) -> Option<String> {
        let end = self.from.saturating_add(shown);
        (end < all).then(|| end.to_string())
    }
}

/// The answer of one page: the number of all rows, and the address of the next page, are in its
/// headers, so that its body is the document that the command has.
pub(crate) fn paged(ask: &Ask, mut reply: Reply, total: usize, next: Option<&str>) -> Reply {
    reply.more.push(("verbatim-total", total.to_string()));
    if let Some(next) = next {
        let address = ask.link(&[("after", Some(next))]);
        reply.more.push(("link", format!("<{address}>; rel=\"next\"")));
    }
    reply
}

/// The filter that a request describes.
pub(crate) fn filter(app: &App, ask: &Ask) -> Result<Filter, Fault> {
    let known: Vec<&str> = app.served.formats.iter().map(|format| format.name()).collect();
    let agents = ask.values("agent");
    if let Some(unknown) = agents.iter().find(|agent| !known.contains(&agent.as_str())) {
        let what = format!("unknown agent `{unknown}`; the names are: {}", known.join(", "));
        return Err(Fault::new(400, what));
    }
    Ok(Filter {
        agents,
        projects: ask.values("project"),
        models: ask.values("model"),
        since: time(app, ask, "since", false)?,
        until: time(app, ask, "until", true)?,
    })
}

/// A time: a day or a month of the user's time zone, or a moment (RFC 3339). The end of a day or of
/// a month is the beginning of the next one.
fn time(app: &App, ask: &Ask, name: &str, end: bool) -> Result<Option<UtcTime>, Fault> {
    let Some(text) = ask.value(name) else { return Ok(None) };
    let wrong = || {
        let what = "is a day (2026-03-01), a month (2026-03) or a moment (2026-03-01T14:30:00Z)";
        Fault::new(400, format!("`{name}` {what}"))
    };
    let day = match text.len() {
        7 => format!("{text}-01"),
        10 => text.to_owned(),
        _ => return UtcTime::of_text(text).map(Some).ok_or_else(wrong),
    };
    let midnight = |day: &str| {
        let utc = UtcTime::of_text(&format!("{day}T00:00:00Z"))?;
        let at = |offset: i64| UtcTime(utc.0.saturating_sub(offset * SECOND));
        let offset = |time| i64::from((app.served.hands.offset)(time));
        // The offset at midnight, which is not that of UTC's midnight where clocks change.
        Some(at(offset(at(offset(utc)))))
    };
    if !end {
        return midnight(&day).map(Some).ok_or_else(wrong);
    }
    let last = match text.len() {
        7 => following(text),
        _ => {
            let begin = UtcTime::of_text(&format!("{day}T00:00:00Z")).ok_or_else(wrong)?;
            UtcTime(begin.0 + DAY).rfc3339().get(..10).map(str::to_owned)
        }
    };
    last.and_then(|day| midnight(&day)).map(Some).ok_or_else(wrong)
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The first day of the month after this one.
fn following(month: &str) -> Option<String> {
    let (year, month) = month.split_once('-')?;
    let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
    let (year, month) = if month >= 12 { (year + 1, 1) } else { (year, month + 1) };
    Some(format!("{year:04}-{month:02}-01"))
}
