//! `usage --json`.

use std::collections::BTreeMap;

use catalog::usage::{Counted, Spent, Sum, Usage, left_out};
use serde::Serialize;
use session::usage::{Part, Tokens};

use super::{Args, parts, words};
use crate::json;

#[derive(Serialize)]
pub(super) struct Document<'u> {
    schema: &'static str,
    by: &'static str,
    groups: Vec<Group>,
    all: Group,
    parts: Vec<Group>,
    left_out: Vec<LeftOut>,
    not_read: Vec<NotRead<'u>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Vec<Number<'u>>>,
}

#[derive(Serialize)]
struct Group {
    name: String,
    answers: u64,
    sums_without_answers: u64,
    tokens: Counters,
    total: u64,
    cost_usd: Option<f64>,
    answers_without_cost: u64,
}

#[derive(Serialize)]
struct LeftOut {
    why: &'static str,
    numbers: u64,
    total: u64,
}

#[derive(Serialize)]
struct NotRead<'u> {
    path: String,
    why: &'u str,
}

#[derive(Serialize)]
struct Counters {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    tool: Option<u64>,
    unsplit: Option<u64>,
}

#[derive(Serialize)]
struct Number<'u> {
    uid: String,
    path: String,
    line: u32,
    byte: u32,
    time: Option<String>,
    model: Option<&'u str>,
    part: &'static str,
    tokens: Counters,
    cost_usd: Option<f64>,
    counted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

const fn word(part: Part) -> &'static str {
    match part {
        Part::Main => "main",
        Part::SubAgent => "sub-agent",
        Part::Advisor => "advisor",
        Part::Whole => "session-sum",
    }
}

impl Counters {
    const fn of(tokens: Tokens) -> Self {
        let Tokens { input, cache_read, cache_write, output, reasoning, tool, unsplit } = tokens;
        Self { input, cache_read, cache_write, output, reasoning, tool, unsplit }
    }
}

impl Group {
    fn of(name: &str, sum: &Sum) -> Self {
        Self {
            name: name.to_owned(),
            answers: sum.answers,
            sums_without_answers: sum.wholes,
            tokens: Counters::of(sum.tokens),
            total: sum.tokens.total(),
            cost_usd: sum.cost,
            answers_without_cost: sum.unpriced,
        }
    }
}

impl<'u> Number<'u> {
    fn of(spent: Spent<'u>) -> Self {
        let counted = spent.counted == Counted::Yes;
        Self {
            uid: format!("{}:{}", spent.format, spent.session),
            path: json::path(spent.path),
            line: spent.line,
            byte: spent.byte,
            time: spent.time.map(session::Instant::rfc3339),
            model: spent.model,
            part: word(spent.part),
            tokens: Counters::of(spent.tokens),
            cost_usd: spent.cost,
            counted,
            why_not: (!counted).then(|| words(spent.counted)),
        }
    }
}

impl<'u> Document<'u> {
    pub(super) fn of(
        args: &Args,
        usage: &'u Usage,
        groups: &BTreeMap<String, Sum>,
        all: &Sum,
    ) -> Self {
        let left = left_out(usage.spent()).into_iter();
        Self {
            schema: "verbatim-usage-1",
            by: args.by.word(),
            groups: groups.iter().map(|(name, sum)| Group::of(name, sum)).collect(),
            all: Group::of("all", all),
            parts: parts(usage).iter().map(|(part, sum)| Group::of(word(*part), sum)).collect(),
            left_out: left.map(|(why, (numbers, total))| LeftOut { why, numbers, total }).collect(),
            not_read: usage
                .unread()
                .map(|file| NotRead { path: json::path(&file.path), why: &file.why })
                .collect(),
            numbers: args.explain.then(|| usage.spent().map(Number::of).collect()),
        }
    }
}
