//! Notes below the sums: what is in them, what is not, and by which prices.

use std::collections::BTreeSet;
use std::path::Path;

use meaning::usage::Part;
use operations::filter::Filter;
use operations::usage::price::Prices;
use operations::usage::{Totals, Unpriced, Usage, sums};
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human;
use crate::notes::errors;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Prints notes on the sums: the shares of sub-agents and advisors, and numbers that are not
/// counted.
pub(super) fn print(
    (usage, totals): (&Usage, Totals<'_>),
    filter: &Filter,
    (below, explained, now): (Vec<String>, bool, UtcTime),
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let mut lines = below;
    lines.extend(dateless(usage, filter));
    lines.extend(prices_used(usage, &totals, now));
    let Totals { parts, left_out, .. } = totals;
    let parts_of = [
        (Part::SubAgent, "of sub-agents"),
        (Part::Copied, "copied from sessions that are not here"),
        (Part::Advisor, "of advisors"),
    ];
    for (part, name) in parts_of {
        if let Some(sum) = parts.get(&part) {
            let (total, answers) = (human::count(sum.tokens.total()), sum.answers);
            let answers = human::counted(answers, "answer", "answers");
            lines.push(format!("included: {total} tokens in {answers} {name}"));
        }
    }
    if let Some(sum) = parts.get(&Part::Whole) {
        let (total, wholes) = (human::count(sum.tokens.total()), sum.wholes);
        let sessions = human::counted(wholes, "session that records", "sessions that record");
        lines.push(format!("included: {total} tokens of {sessions} only a sum"));
    }
    for (why, (numbers, tokens)) in left_out {
        let (numbers, total) = (human::counted(numbers, "number", "numbers"), human::count(tokens));
        lines.push(format!("not counted: {numbers} with {total} tokens: {why}"));
    }
    lines.extend(not_read(usage));
    if !lines.is_empty() {
        screen.gap()?;
        if !explained {
            lines.push("`--explain` lists each of them".to_owned());
        }
    }
    for line in lines {
        screen.line(&Line::new().tell(Style::Faint, &line))?;
    }
    Ok(())
}

/// Says what could not be read, and is in no sum.
pub(crate) fn not_read(usage: &Usage) -> Vec<String> {
    let mut lines = Vec::new();
    let unread: BTreeSet<&Path> = usage.unread().map(|file| &*file.path).collect();
    if !unread.is_empty() {
        let files = human::counted(unread.len() as u64, "file", "files");
        lines.push(format!("not read, or not whole: {files}; the warnings name them"));
    }
    if let damaged @ 1.. = usage.damaged() {
        let places = human::counted(damaged, "damaged place", "damaged places");
        lines.push(format!(
            "not read: {places} that may contain answers; `verbatim check` lists them"
        ));
    }
    lines
}

/// The answers that a filter by time leaves out because the agent recorded no time of them.
fn dateless(usage: &Usage, filter: &Filter) -> Option<String> {
    if filter.since.is_none() && filter.until.is_none() {
        return None;
    }
    let any_time = Filter { since: None, until: None, ..filter.clone() };
    let left = usage.spent().filter(|spent| spent.time.is_none() && any_time.takes_spent(spent));
    let sum = sums(left, |_| String::new()).into_values().next()?;
    let (answers, total) = (sum.answers + sum.wholes, human::count(sum.tokens.total()));
    let answers = human::counted(answers, "answer", "answers");
    Some(format!("not in these sums: {total} tokens of {answers} without a time"))
}

/// The longest name of a model in a note, in columns.
const LONGEST: usize = 60;

/// The source of the list prices, and the models without one.
fn prices_used(usage: &Usage, totals: &Totals<'_>, now: UtcTime) -> Vec<String> {
    let mut lines = Vec::new();
    let age = usage.prices_of().and_then(|day| age(day, now)).unwrap_or_default();
    let Some(source) = usage.prices_used(totals, &age) else { return lines };
    if totals.is_priced {
        lines.push(format!("list prices: {source}; subscriptions differ"));
    }
    let names = totals.unpriced.iter().map(|(of, tokens)| {
        let Unpriced { model, tier, region, searched } = *of;
        let model = Plain::line(model.unwrap_or("no model recorded")).cut(LONGEST);
        let tier = tier.map(|tier| format!("at the tier {tier}"));
        let region = region.map(|region| format!("in the region {region}"));
        let searched = searched.then(|| "with web searches".to_owned());
        let terms: Vec<String> = [tier, region, searched].into_iter().flatten().collect();
        let between = if terms.is_empty() { "" } else { " " };
        let terms = Plain::line(&terms.join(" ")).cut(LONGEST);
        let tokens = human::count(tokens.total());
        format!("{}{between}{} ({tokens} tokens)", model.as_str(), terms.as_str())
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        lines.push(format!("without a list price: {}", names.join(", ")));
    }
    lines
}

/// The greatest number of entries that a warning names.
const NAMED: usize = 10;

/// Warns about the entries of a table of prices that could not be read: their models have no price.
pub(super) fn entries_left_out(
    prices: &Prices,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let (mut notes, left_out) = (errors(color, env), &prices.left_out);
    let mut warn = |what: &str| {
        let what = format!("{}: {what}", prices.source);
        notes.line(&Line::new().say(Style::Warn, "warning: ").tell(Style::Normal, &what))
    };
    for why in left_out.iter().take(NAMED) {
        warn(&format!("left out: {why}"))?;
    }
    if let more @ 1.. = left_out.len().saturating_sub(NAMED) {
        warn(&format!("left out: {} more", human::counted(more as u64, "entry", "entries")))?;
    }
    Ok(())
}

/// The age of a table of prices: ` (117 days old)`; nothing for one of today.
fn age(day: &str, now: UtcTime) -> Option<String> {
    let day = UtcTime::of_text(&format!("{day}T00:00:00Z"))?;
    let days = u64::try_from(now.0.checked_sub(day.0)? / DAY).ok().filter(|days| *days > 0)?;
    Some(format!(" ({} old)", human::counted(days, "day", "days")))
}

/// A day in microseconds.
const DAY: i64 = 24 * 3600 * 1_000_000;
