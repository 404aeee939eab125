//! `verbatim-usage-1`: tokens that sessions spent, each answer counted once.

use meaning::usage::{Part, Tokens};
use operations::filter::Filter;
use operations::usage::money::Money;
use operations::usage::{By, Counted, Spent, Sum, Totals, Unpriced as UnpricedModel, Usage};
use serde::Serialize;

use super::text::text;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-usage-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Report<'u> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The key of the groups: `day`, `week`, `month`, `block`, `project`, `branch`, `session`,
    /// `model` or `agent`.
    pub by: &'static str,
    /// The groups, in the order of the table.
    pub groups: Vec<Group>,
    /// The number of groups that `-n` left out. They are in all sums.
    #[serde(skip_serializing_if = "super::list::is_zero")]
    pub more: usize,
    /// All of them together, also those that `-n` left out.
    pub all: Group,
    /// The same sums by the part of the session that answered.
    pub parts: Vec<Group>,
    /// The source of the list prices, and their date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<String>,
    /// The day of the list prices (`2026-08-01`), if their table has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices_date: Option<&'u str>,
    /// The models without a list price.
    pub without_list_price: Vec<Unpriced<'u>>,
    /// Numbers that were not counted, by reason.
    pub left_out: Vec<LeftOut>,
    /// Files that could not be read.
    pub not_read: Vec<NotRead<'u>>,
    /// Number of damaged places in the other files. Answers may be in them.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged: u64,
    /// The usage that only older versions in the archive hold: it is in no sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_versions: Option<OlderVersions>,
    /// Every number, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<Number<'u>>>,
}

/// The usage that only older versions of sessions hold.
#[derive(Debug, Serialize)]
pub struct OlderVersions {
    /// The number of answers.
    pub answers: u64,
    /// Their tokens.
    pub total: u64,
}

impl From<(u64, u64)> for OlderVersions {
    fn from((answers, total): (u64, u64)) -> Self {
        Self { answers, total }
    }
}

/// The sum of a group.
#[derive(Debug, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The number of answers.
    pub answers: u64,
    /// The number of sessions that record a sum but no answers.
    pub sums_without_answers: u64,
    /// The tokens.
    pub tokens: Counters,
    /// All tokens together.
    pub total: u64,
    /// The cost in US dollars, as far as the agents state it.
    pub cost_usd: Option<Dollars>,
    /// The number of answers without a cost.
    pub answers_without_cost: u64,
    /// The cost in US dollars at list prices, as far as the models have one.
    pub list_price_usd: Option<Dollars>,
    /// The number of answers without a list price.
    pub answers_without_list_price: u64,
}

/// An amount of US dollars: an exact decimal number, with up to 12 digits behind the point.
#[derive(Debug)]
pub struct Dollars(Money);

impl Dollars {
    /// This amount.
    pub(crate) const fn of(money: Money) -> Self {
        Self(money)
    }
}

impl Serialize for Dollars {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let number: Result<serde_json::Number, _> = self.0.exact().parse();
        number.map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

/// A model without a list price.
#[derive(Debug, Serialize)]
pub struct Unpriced<'u> {
    /// Its name; `None` if the agent records none.
    pub model: Option<&'u str>,
    /// The tier of service that has no price, if the model has one otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'u str>,
    /// The region likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'u str>,
    /// Its tokens.
    pub total: u64,
}

/// Numbers that were not counted for one reason.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// The reason.
    pub why: &'static str,
    /// The count of these numbers.
    pub numbers: u64,
    /// Their tokens.
    pub total: u64,
}

/// A file that could not be read.
#[derive(Debug, Serialize)]
pub struct NotRead<'u> {
    /// Its path.
    pub path: String,
    /// The reason.
    pub why: &'u str,
}

/// Token counters; `None` if the agent does not record one.
#[derive(Debug, Serialize)]
pub struct Counters {
    /// Input tokens, without cache reads and writes.
    pub input: Option<u64>,
    /// Input tokens that were read from a cache.
    pub cache_read: Option<u64>,
    /// Input tokens that were written to a cache.
    pub cache_write: Option<u64>,
    /// The part of these that the cache keeps for an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_hour: Option<u64>,
    /// Output tokens, including reasoning.
    pub output: Option<u64>,
    /// Reasoning tokens.
    pub reasoning: Option<u64>,
    /// Input tokens of tools.
    pub tool: Option<u64>,
    /// Tokens that the agent records only as a total.
    pub unsplit: Option<u64>,
}

/// One number that an agent wrote.
#[derive(Debug, Serialize)]
pub struct Number<'u> {
    /// The uid of the session.
    pub uid: String,
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The byte at which its event begins, from 0, in the decompressed file.
    pub byte: u32,
    /// Its time (RFC 3339).
    pub time: Option<String>,
    /// The model.
    pub model: Option<&'u str>,
    /// The branch of version control, if the agent records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<&'u str>,
    /// The tier of service, if it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'u str>,
    /// The region in which the model had to run, if the request named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'u str>,
    /// The number of web searches that the provider made for the answer.
    #[serde(skip_serializing_if = "is_none_made")]
    pub web_searches: u32,
    /// The part of the session: `main`, `sub-agent`, `copied`, `advisor` or `session-sum`.
    pub part: &'static str,
    /// The tokens.
    pub tokens: Counters,
    /// The cost in US dollars.
    pub cost_usd: Option<Dollars>,
    /// The cost in US dollars at list prices.
    pub list_price_usd: Option<Dollars>,
    /// The name of that price in the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<&'u str>,
    /// True if it is counted.
    pub counted: bool,
    /// The reason why it is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

pub(super) const fn is_zero(count: &u64) -> bool {
    *count == 0
}

const fn is_none_made(count: &u32) -> bool {
    *count == 0
}

pub(super) const fn word(part: Part) -> &'static str {
    match part {
        Part::Main => "main",
        Part::Copied => "copied",
        Part::SubAgent => "sub-agent",
        Part::Advisor => "advisor",
        Part::Whole => "session-sum",
    }
}

impl Counters {
    const fn of(tokens: Tokens) -> Self {
        let of = tokens;
        Self {
            input: of.input,
            cache_read: of.cache_read,
            cache_write: of.cache_write,
            cache_write_hour: of.cache_write_hour,
            output: of.output,
            reasoning: of.reasoning,
            tool: of.tool,
            unsplit: of.unsplit,
        }
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
            cost_usd: sum.recorded.map(Dollars),
            answers_without_cost: sum.without_recorded,
            list_price_usd: sum.listed.map(Dollars),
            answers_without_list_price: sum.without_listed,
        }
    }
}

impl<'u> Number<'u> {
    fn of(spent: Spent<'u>) -> Self {
        let counted = spent.counted == Counted::Yes;
        Self {
            uid: format!("{}:{}", spent.format, spent.session),
            path: text(spent.path),
            line: spent.line,
            byte: spent.byte,
            time: spent.time.map(session::UtcTime::rfc3339),
            model: spent.model,
            branch: spent.branch,
            tier: spent.terms.tier.as_deref(),
            region: spent.terms.region.as_deref(),
            web_searches: spent.terms.searches,
            part: word(spent.part),
            tokens: Counters::of(spent.tokens),
            cost_usd: spent.recorded.map(Dollars),
            list_price_usd: spent.listed.map(|(money, _)| Dollars(money)),
            price: spent.listed.map(|(_, name)| name),
            counted,
            why_not: (!counted).then(|| spent.counted.to_string()),
        }
    }
}

impl<'u> Report<'u> {
    /// The document of the usages that a filter takes: their groups by the given key, and their
    /// sum. `explain` adds every number.
    #[must_use]
    pub fn of(
        usage: &'u Usage,
        filter: &Filter,
        by: By,
        groups: &[(String, Sum)],
        explain: bool,
    ) -> Self {
        let spent = || usage.spent().filter(|spent| filter.takes_spent(spent));
        let totals = Totals::of(usage, spent());
        let priced = usage.prices_used(&totals, "");
        let Totals { all, parts, unpriced, left_out, .. } = totals;
        let (left, is_priced) = (left_out.into_iter(), priced.is_some());
        let unpriced = unpriced.into_iter().filter(|_| is_priced);
        Self {
            schema: SCHEMA,
            by: by.word(),
            groups: groups.iter().map(|(name, sum)| Group::of(name, sum)).collect(),
            more: 0,
            all: Group::of("all", &all),
            parts: parts.iter().map(|(part, sum)| Group::of(word(*part), sum)).collect(),
            prices: priced,
            prices_date: usage.prices_of(),
            without_list_price: unpriced
                .map(|(UnpricedModel { model, tier, region, .. }, tokens)| {
                    let total = tokens.total();
                    Unpriced { model, tier, region, total }
                })
                .collect(),
            left_out: left.map(|(why, (numbers, total))| LeftOut { why, numbers, total }).collect(),
            not_read: usage
                .unread()
                .map(|file| NotRead { path: text(&file.path), why: &file.why })
                .collect(),
            damaged: usage.damaged(),
            older_versions: None,
            numbers: explain.then(|| spent().map(Number::of).collect()),
        }
    }
}
