//! `verbatim-stats-1`: what the sessions of a machine are, on one screen.

use std::collections::BTreeMap;

use operations::stats::Stats;
use operations::usage::Sum;
use serde::Serialize;
use session::Sorting as _;

use super::usage::{Dollars, is_zero};

/// The document.
#[derive(Debug, Serialize)]
pub struct StatsDocument {
    schema: &'static str,
    sessions: u64,
    turns: u64,
    calls: u64,
    lines: u64,
    answers: u64,
    tokens: u64,
    /// The cost in US dollars at list prices, as far as the models have one.
    list_price_usd: Option<Dollars>,
    agents: Vec<Counted>,
    models: Vec<Counted>,
    tools: Vec<Counted>,
    languages: Vec<Counted>,
    days: Vec<Counted>,
    /// Files that could not be read, or not whole: they are in no sum.
    #[serde(skip_serializing_if = "is_zero")]
    unread: u64,
    /// Damaged places in the other files: they are in no sum.
    #[serde(skip_serializing_if = "is_zero")]
    damaged: u64,
}

/// A name, with its number.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// The name.
    pub name: String,
    /// The number.
    pub count: u64,
}

/// These numbers, the greatest first.
#[must_use]
pub fn ranked<K: ToString>(counts: &BTreeMap<K, u64>) -> Vec<Counted> {
    let named = |(name, count): (&K, &u64)| Counted { name: name.to_string(), count: *count };
    let mut all: Vec<Counted> = counts.iter().map(named).collect();
    all.in_order_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    all
}

impl StatsDocument {
    /// The document of sums, of the tokens of each model, and of the turns of each day.
    #[must_use]
    pub fn of(
        stats: &Stats,
        all: &Sum,
        models: &BTreeMap<String, u64>,
        days: &BTreeMap<String, u64>,
    ) -> Self {
        let day = |(name, count): (&String, &u64)| Counted { name: name.clone(), count: *count };
        Self {
            schema: "verbatim-stats-1",
            sessions: stats.sessions.values().sum(),
            turns: stats.turns.len() as u64 + stats.undated,
            calls: stats.tools.values().sum(),
            lines: stats.languages.values().sum(),
            answers: all.answers,
            tokens: all.tokens.total(),
            list_price_usd: all.listed.map(Dollars::of),
            agents: ranked(&stats.sessions),
            models: ranked(models),
            tools: ranked(&stats.tools),
            languages: ranked(&stats.languages),
            days: days.iter().map(day).collect(),
            unread: 0,
            damaged: 0,
        }
    }

    /// The same, with what could not be read.
    #[must_use]
    pub fn without(self, unread: u64, damaged: u64) -> Self {
        Self { unread, damaged, ..self }
    }
}
