//! Rows of usage: each number of tokens that an agent recorded, with the facts that decide whether
//! it counts. `schemas/verbatim-row-usage-1.sql` is the view that keeps those that `usage` counts.

use meaning::facts;
use meaning::usage::{Count, Counting, Key, counts};
use operations::usage::answer_key;
use operations::usage::price::ListPrices;
use serde::Serialize;
use session::Session;
use views::money::Money;

use super::{Lines, RowTable, RowTokens, money, place, time, uid};

#[derive(Debug, Serialize)]
struct UsageRow<'s> {
    number: usize,
    agent: &'static str,
    id: &'s str,
    is_document: bool,
    verdict: &'static str,
    part: &'static str,
    key: Option<String>,
    twin: Option<String>,
    said: Option<String>,
    forked_from: Option<&'s str>,
    is_step: bool,
    time: Option<String>,
    model: Option<&'s str>,
    branch: Option<&'s str>,
    tier: Option<&'s str>,
    region: Option<&'s str>,
    web_searches: u32,
    #[serde(flatten)]
    tokens: RowTokens,
    recorded_usd: Option<String>,
    listed_usd: Option<String>,
    file: String,
    line: u32,
}

/// Adds each number of a session.
pub(super) fn add(lines: &mut Lines<'_>, session: &Session, name: &str, prices: &ListPrices) {
    let format = formats::ALL.iter().find(|format| format.name() == session.format);
    let Some(format) = format else { return };
    let parent = uid(session, facts::forked_from(session));
    for (at, count) in counts(session, format.data().convention).iter().enumerate() {
        let (file, line) = place(session.event(count.event));
        let row = UsageRow {
            number: at + 1,
            agent: session.format,
            id: &session.id,
            is_document: lines.source.is_document,
            verdict: verdict(count),
            part: crate::usage::word(count.part),
            key: answer_key(*format, count).map(digits),
            twin: count.twin.map(digits),
            said: count.said.map(digits),
            forked_from: parent.as_deref(),
            is_step: count.stepped,
            time: time(count.time),
            model: count.model.as_deref(),
            branch: count.branch.as_deref(),
            tier: count.terms.tier.as_deref(),
            region: count.terms.region.as_deref(),
            web_searches: count.terms.searches,
            tokens: RowTokens::of(count.tokens),
            recorded_usd: money(count.cost.and_then(Money::of_dollars)),
            listed_usd: money(prices.of(count)),
            file,
            line,
        };
        lines.add(RowTable::Usage, Some(name), row);
    }
}

fn digits(key: Key) -> String {
    let [high, low] = key.halves();
    format!("{high:016x}{low:016x}")
}

const fn verdict(count: &Count) -> &'static str {
    match count.verdict {
        Counting::Counted => "counted",
        Counting::Repeats(_) => "repeats",
        Counting::Standing(standing) if standing.is_copied() => "copied",
        Counting::Standing(_) => "echo",
        Counting::NothingNew => "nothing-new",
        Counting::Empty => "empty",
        Counting::Synthetic => "synthetic",
    }
}
