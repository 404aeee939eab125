//! Comparison of the sums with those of another counter: each difference to the token, and the rule
//! of counting that makes it.
//!
//! A rule is a claim about the other counter, such as "it does not count advisors". From the
//! numbers of the sessions follows what the rule changes in a span of time. A difference is
//! explained only if the changes of at most three rules add up to it, in each kind of tokens of
//! each model.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::costs;
use super::peer::{Kinds, PeerReport};
use super::rules::{Change, Claim, claims};
use super::{By, Counted, Grouping, Offset, Spent, Usage};

/// A comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// All tokens of the report.
    pub theirs: i64,
    /// All tokens that verbatim counts of the same agents.
    pub ours: i64,
    /// Number of spans of an agent in which all models have equal tokens.
    pub equal: usize,
    /// The other spans.
    pub differences: Vec<Difference>,
    /// Models whose tokens cost something else.
    pub costs: Vec<CostDifference>,
    /// Number of models of spans with equal tokens and equal cost.
    pub same_cost: usize,
    /// Our agents that the report does not have, with their tokens.
    pub absent: BTreeMap<&'static str, u64>,
}

/// A span of time of an agent in which the two counters differ.
#[derive(Debug)]
pub struct Difference {
    /// The agent, in the report's words; empty if the report has sums of all agents.
    pub agent: String,
    /// The span.
    pub period: String,
    /// Tokens of the report, and of verbatim.
    pub tokens: [i64; 2],
    /// The rules that make the difference, each with the tokens that it adds to the report or takes
    /// from it. Empty if no known rules add up to it.
    pub causes: Vec<(String, i64)>,
}

/// A model whose tokens are equal, and cost something else.
#[derive(Debug)]
pub struct CostDifference {
    /// The model.
    pub model: String,
    /// Cost in US dollars in the report, and in verbatim.
    pub dollars: [f64; 2],
    /// The prices per million tokens that the report's costs follow from, if these tell them.
    pub prices: Option<[Option<f64>; 4]>,
    /// Our prices per million tokens.
    pub own: Option<[Option<f64>; 4]>,
}

/// The numbers of an agent in a span of time.
#[derive(Default)]
pub(super) struct Group<'u> {
    pub theirs: Change,
    pub ours: Change,
    pub spent: Vec<Spent<'u>>,
    /// The places of counted answers of other spans that the report may lack: none of them is known
    /// to be counted twice.
    pub lacking: HashSet<(&'u Path, u32)>,
    /// Tokens of the report that are of no kind.
    apart: i64,
    pub costs: BTreeMap<String, [Option<f64>; 2]>,
}

/// The tokens of a number by kind.
pub(super) fn kinds(spent: &Spent<'_>) -> Kinds {
    let of = spent.tokens;
    let input = of.input.unwrap_or(0).saturating_add(of.tool.unwrap_or(0));
    let input = input.saturating_add(of.unsplit.unwrap_or(0));
    let numbers = [Some(input), of.cache_read, of.cache_write, of.output];
    numbers.map(|number| i64::try_from(number.unwrap_or(0)).unwrap_or(i64::MAX))
}

/// Whether a report's name of an agent is that of a format, or its first word.
fn is_of(agent: &str, format: &str) -> bool {
    let rest = format.strip_prefix(agent);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

pub(super) type Groups<'u> = BTreeMap<(String, String), Group<'u>>;

/// Compares the sums with a report's.
#[must_use]
pub fn compare(usage: &Usage, report: &PeerReport, offset: Offset<'_>) -> Comparison {
    let mut comparison = Comparison::default();
    let mut groups = groups(usage, report, offset, &mut comparison);
    lacking(&mut groups);
    let mut open = Vec::new();
    for ((agent, period), group) in &groups {
        let difference = group.difference();
        let total = |change: &Change| change.values().flatten().sum::<i64>();
        let tokens = [total(&group.theirs), total(&group.ours)];
        comparison.theirs += tokens[0];
        comparison.ours += tokens[1];
        if difference.is_empty() {
            comparison.equal += 1;
            continue;
        }
        let causes = explain(&difference, &claims(group, &difference));
        if causes.is_empty() {
            open.push((comparison.differences.len(), difference));
        }
        let (agent, period) = (agent.clone(), period.clone());
        comparison.differences.push(Difference { agent, period, tokens, causes });
    }
    moved(&mut comparison.differences, &open);
    costs::compare(usage, &groups, &mut comparison);
    comparison
}

/// The numbers by agent and span.
fn groups<'u>(
    usage: &'u Usage,
    report: &PeerReport,
    offset: Offset<'_>,
    comparison: &mut Comparison,
) -> Groups<'u> {
    let mut groups = Groups::new();
    for cell in &report.cells {
        let key = (cell.agent.clone().unwrap_or_default(), cell.period.clone());
        let group = groups.entry(key).or_default();
        add(&mut group.theirs, &cell.model, cell.tokens, 1);
        let cost = &mut group.costs.entry(cell.model.clone()).or_insert([Some(0.0), Some(0.0)])[0];
        *cost = cost.and_then(|sum| Some(sum + cell.dollars?));
    }
    for ((agent, period), apart) in &report.apart {
        let key = (agent.clone().unwrap_or_default(), period.clone());
        groups.entry(key).or_default().apart = *apart;
    }
    let pooled = report.cells.iter().any(|cell| cell.agent.is_none());
    let days = Grouping::of(if report.by == By::Month { By::Month } else { By::Day }, offset, []);
    let weeks: BTreeSet<&str> = report.cells.iter().map(|cell| &*cell.period).collect();
    let unnamed = report.agents.is_empty().then(|| likely(usage, report));
    for spent in usage.spent() {
        let agent = match &unnamed {
            Some(format) => (spent.format == *format).then(String::new),
            None => report.agents.iter().find(|agent| is_of(agent, spent.format)).cloned(),
        };
        let Some(agent) = agent.filter(|_| spent.counted != Counted::Synthetic) else {
            if spent.counted == Counted::Yes {
                let sum = comparison.absent.entry(spent.format).or_default();
                *sum = sum.saturating_add(spent.tokens.total());
            }
            continue;
        };
        let day = spent.time.and_then(|time| days.day(time)).unwrap_or_default();
        let period = match report.by {
            // A week is named by its first day, and counters differ about which day that is.
            By::Week => weeks.range(..=&*day).next_back().map_or(day.clone(), |w| (*w).to_owned()),
            _ => day,
        };
        let key = (if pooled { String::new() } else { agent }, period);
        groups.entry(key).or_default().take(spent);
    }
    groups.values_mut().for_each(Group::place_apart);
    groups
}

/// Notes, for each span, which counted answers of other spans the report may lack.
fn lacking(groups: &mut Groups<'_>) {
    let mut short = Vec::new();
    for (key, group) in groups.iter() {
        let less = group.difference();
        let lacks = |spent: &&Spent<'_>| {
            let model = less.get(spent.model.unwrap_or_default());
            spent.counted == Counted::Yes && model.is_some_and(|of| of.iter().any(|kind| *kind < 0))
        };
        let places = group.spent.iter().filter(lacks).map(|spent| (spent.path, spent.line));
        short.extend(places.map(|place| (key.clone(), place)));
    }
    for (key, group) in groups.iter_mut() {
        let others = short.iter().filter(|(of, _)| of != key).map(|(_, place)| *place);
        group.lacking = others.collect();
    }
}

/// The format of a report of one agent that does not name it: the one with the most tokens of the
/// report's models.
fn likely(usage: &Usage, report: &PeerReport) -> &'static str {
    let models: BTreeSet<&str> = report.cells.iter().map(|cell| &*cell.model).collect();
    let mut formats: BTreeMap<&str, u64> = BTreeMap::new();
    for spent in usage.spent().filter(|spent| spent.model.is_some_and(|m| models.contains(m))) {
        let sum = formats.entry(spent.format).or_default();
        *sum = sum.saturating_add(spent.tokens.total());
    }
    formats.into_iter().max_by_key(|(_, sum)| *sum).map_or("", |(format, _)| format)
}

impl<'u> Group<'u> {
    fn take(&mut self, spent: Spent<'u>) {
        if spent.counted == Counted::Yes {
            let model = spent.model.unwrap_or_default();
            add(&mut self.ours, model, kinds(&spent), 1);
            let cost = &mut self.costs.entry(model.to_owned()).or_insert([Some(0.0), Some(0.0)])[1];
            let own = spent.listed.map(|(money, _)| money.dollars());
            *cost = cost.and_then(|sum| Some(sum + own?));
        }
        self.spent.push(spent);
    }

    /// Places the tokens of no kind. They are the thoughts, which belong to the output, if there
    /// are as many of them; else they belong to the only model, or to none that is known.
    fn place_apart(&mut self) {
        if self.apart == 0 {
            return;
        }
        let counted = self.spent.iter().filter(|spent| spent.counted == Counted::Yes);
        let mut thoughts: BTreeMap<String, i64> = BTreeMap::new();
        for spent in counted {
            let thought = i64::try_from(spent.tokens.reasoning.unwrap_or(0)).unwrap_or(i64::MAX);
            let sum = thoughts.entry(spent.model.unwrap_or_default().to_owned()).or_default();
            *sum = sum.saturating_add(thought);
        }
        let all = thoughts.values().fold(0_i64, |sum, of| sum.saturating_add(*of));
        if all != self.apart {
            let only = self.theirs.keys().next().filter(|_| self.theirs.len() == 1).cloned();
            thoughts = BTreeMap::from([(only.unwrap_or_default(), self.apart)]);
        }
        for (model, tokens) in thoughts {
            add(&mut self.theirs, &model, [0, 0, 0, tokens], 1);
        }
    }

    /// Tokens that the report has more or less, by model.
    fn difference(&self) -> Change {
        let mut change = self.theirs.clone();
        self.ours.iter().for_each(|(model, kinds)| add(&mut change, model, *kinds, -1));
        change
    }
}

/// Adds the tokens of a model to a change. A model without any is not in it.
pub(super) fn add(change: &mut Change, model: &str, kinds: Kinds, times: i64) {
    let sum = change.entry(model.to_owned()).or_default();
    for (sum, number) in sum.iter_mut().zip(kinds) {
        *sum = sum.saturating_add(number.saturating_mul(times));
    }
    if *sum == Kinds::default() {
        change.remove(model);
    }
}

/// Number of claims of which three are tried together.
const TRIED: usize = 48;

/// The fewest claims that add up to a difference.
fn explain(difference: &Change, claims: &[Claim]) -> Vec<(String, i64)> {
    let left = |from: &Change, claim: &Claim| {
        let mut left = from.clone();
        claim.change.iter().for_each(|(model, kinds)| add(&mut left, model, *kinds, -1));
        left
    };
    let told = |of: &[&Claim]| -> Vec<(String, i64)> {
        let total = |claim: &Claim| claim.change.values().flatten().sum();
        of.iter().map(|claim| (claim.why.clone(), total(claim))).collect()
    };
    if let Some(one) = claims.iter().find(|claim| claim.change == *difference) {
        return told(&[one]);
    }
    for (at, first) in claims.iter().enumerate() {
        let rest = left(difference, first);
        if let Some(second) = claims[at + 1..].iter().find(|claim| claim.change == rest) {
            return told(&[first, second]);
        }
    }
    let few = &claims[..claims.len().min(TRIED)];
    for (at, first) in few.iter().enumerate() {
        for (next, second) in few.iter().enumerate().skip(at + 1) {
            let rest = left(&left(difference, first), second);
            if let Some(third) = few[next + 1..].iter().find(|claim| claim.change == rest) {
                return told(&[first, second, third]);
            }
        }
    }
    Vec::new()
}

/// Differences of an agent that cancel each other: the same tokens under another span.
fn moved(differences: &mut [Difference], open: &[(usize, Change)]) {
    for (at, (first, change)) in open.iter().enumerate() {
        let mut other = Change::new();
        change.iter().for_each(|(model, kinds)| add(&mut other, model, *kinds, -1));
        let same = |(second, rest): &&(usize, Change)| {
            *rest == other && differences[*second].agent == differences[*first].agent
        };
        if let Some((second, _)) = open[at + 1..].iter().find(same) {
            for (here, there) in [(*first, *second), (*second, *first)] {
                let why = match &*differences[there].period {
                    "" => "the same tokens are without a time here".to_owned(),
                    period => format!("the same tokens are under {period} there"),
                };
                let [theirs, ours] = differences[here].tokens;
                differences[here].causes = vec![(why, theirs - ours)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_explained_by_the_fewest_claims_and_to_the_token() {
        let of = |model: &str, kinds: Kinds| Change::from([(model.to_owned(), kinds)]);
        let claim = |why: &str, change: Change| Claim { why: why.into(), change };
        let claims = [
            claim("a", of("m", [1, 0, 0, 0])),
            claim("b", of("m", [0, 0, 0, 5])),
            claim("c", of("n", [0, 2, 0, 0])),
        ];
        let why = |difference: Change| -> Vec<String> {
            explain(&difference, &claims).into_iter().map(|(why, _)| why).collect()
        };
        assert_eq!(why(of("m", [1, 0, 0, 5])), ["a", "b"]);
        let mut three = of("m", [1, 0, 0, 5]);
        three.extend(of("n", [0, 2, 0, 0]));
        assert_eq!(why(three), ["a", "b", "c"]);
        assert!(why(of("m", [1, 0, 0, 6])).is_empty());
    }
}
