//! Sums of usages.

use std::collections::BTreeMap;

use meaning::usage::{Part, Tokens};

use super::money::Money;
use super::{Counted, Spent, Usage};

/// Totals of the counted usages of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// The tokens.
    pub tokens: Tokens,
    /// Number of answers.
    pub answers: u64,
    /// Number of sessions that record a sum but no answers.
    pub wholes: u64,
    /// The cost of the usages for which the agent records one.
    pub recorded: Option<Money>,
    /// Number of usages without a recorded cost, because unknown is not zero.
    pub without_recorded: u64,
    /// The cost at list prices of the usages that have one.
    pub listed: Option<Money>,
    /// Number of usages without a list price.
    pub without_listed: u64,
}

impl Sum {
    /// The cost in words: the one that the agent recorded, else that of list prices; `?` behind it
    /// says that some answers have none. `None` if nothing has one.
    #[must_use]
    pub fn price(&self) -> Option<String> {
        let recorded = self.recorded.filter(|_| self.without_recorded == 0);
        let (money, without) = match recorded {
            Some(money) => (money, 0),
            None => (self.listed?, self.without_listed),
        };
        let unknown = if without > 0 { "?" } else { "" };
        Some(format!("${:.2}{unknown}", money.dollars()))
    }

    /// Adds one usage.
    pub fn add(&mut self, spent: &Spent<'_>) {
        self.tokens = self.tokens.plus(spent.tokens);
        match spent.part {
            Part::Whole => self.wholes += 1,
            _ => self.answers += 1,
        }
        let cost = |sum: &mut Option<Money>, without: &mut u64, cost: Option<Money>| match cost {
            Some(cost) => *sum = Some(sum.unwrap_or_default() + cost),
            None => *without += 1,
        };
        cost(&mut self.recorded, &mut self.without_recorded, spent.recorded);
        let listed = spent.listed.map(|(money, _)| money);
        cost(&mut self.listed, &mut self.without_listed, listed);
    }
}

/// Sums of the counted usages by the name that `group` gives each of them, sorted by name.
pub fn sums<'u>(
    spent: impl IntoIterator<Item = Spent<'u>>,
    group: impl Fn(&Spent<'u>) -> String,
) -> BTreeMap<String, Sum> {
    let mut sums = BTreeMap::<String, Sum>::new();
    for spent in spent.into_iter().filter(|spent| spent.counted == Counted::Yes) {
        sums.entry(group(&spent)).or_default().add(&spent);
    }
    sums
}

/// A model without a list price, or without one for its terms of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpriced<'u> {
    /// Its name; `None` where the agent recorded no model.
    pub model: Option<&'u str>,
    /// The tier of service that has no price, if the model has a list price otherwise.
    pub tier: Option<&'u str>,
    /// The region likewise.
    pub region: Option<&'u str>,
    /// Whether its provider made web searches.
    pub searched: bool,
}

/// The facts that notes on usages say, collected in one pass: a home directory has very many.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Totals<'u> {
    /// The sum of the counted usages.
    pub all: Sum,
    /// Their sums by the part of the session that answered.
    pub parts: BTreeMap<Part, Sum>,
    /// The models of counted usages without a list price, each with its tokens.
    pub unpriced: BTreeMap<Unpriced<'u>, Tokens>,
    /// Usages that did not count, by reason: their number and their tokens.
    pub left_out: BTreeMap<&'static str, (u64, u64)>,
    /// Whether any usage has a list price.
    pub is_priced: bool,
    /// The source of the price of a newer model, if a usage has such a price.
    pub(super) newer: Option<&'u str>,
}

impl<'u> Totals<'u> {
    /// The totals of some of these usages.
    pub fn of(usage: &'u Usage, spent: impl IntoIterator<Item = Spent<'u>>) -> Self {
        let mut totals = Self::default();
        for spent in spent {
            totals.add(usage, &spent);
        }
        totals
    }

    fn add(&mut self, usage: &'u Usage, spent: &Spent<'u>) {
        if let Some((_, name)) = spent.listed {
            self.is_priced = true;
            self.newer = self.newer.or_else(|| usage.newer_price(name));
        }
        if let Some(reason) = spent.counted.reason() {
            let (numbers, tokens) = self.left_out.entry(reason).or_default();
            *numbers += 1;
            *tokens = tokens.saturating_add(spent.tokens.total());
            return;
        }
        self.all.add(spent);
        self.parts.entry(spent.part).or_default().add(spent);
        if spent.listed.is_none() {
            let terms = Some(spent.terms).filter(|_| spent.is_known);
            let model = Unpriced {
                model: spent.model,
                tier: terms.and_then(|terms| terms.tier.as_deref()),
                region: terms.and_then(|terms| terms.region.as_deref()),
                searched: terms.is_some_and(|terms| terms.searches > 0),
            };
            let sum = self.unpriced.entry(model).or_default();
            *sum = sum.plus(spent.tokens);
        }
    }
}
