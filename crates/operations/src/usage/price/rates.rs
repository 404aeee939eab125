//! Prices per token.

use meaning::usage::Tokens;

use crate::usage::money::Money;

/// The prices of a model in one tier of service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sheet {
    base: Rates,
    /// The prices of a request with more input than this number of tokens, the smallest first.
    above: Vec<(u64, Rates)>,
}

/// Prices per token. `None`: the table has no price of its own for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rates {
    input: Option<Money>,
    output: Option<Money>,
    reasoning: Option<Money>,
    cache_read: Option<Money>,
    cache_write: Option<Money>,
    cache_write_hour: Option<Money>,
}

impl Sheet {
    /// Sets the price that a member of an entry is about.
    pub(super) fn set(&mut self, of: &Meaning<'_>, money: Money) {
        let rates = match of.above {
            None => &mut self.base,
            Some(tokens) => {
                let at = self.above.partition_point(|(known, _)| *known < tokens);
                if self.above.get(at).is_none_or(|(known, _)| *known != tokens) {
                    self.above.insert(at, (tokens, Rates::default()));
                }
                &mut self.above[at].1
            }
        };
        *(of.rate)(rates) = Some(money);
    }

    /// Whether it has the two prices without which nothing can be computed.
    pub(super) fn is_whole(&self) -> bool {
        self.base.input.is_some() && self.base.output.is_some()
    }

    /// The prices of input, cache reads, cache writes and output.
    pub(super) const fn kinds(&self) -> [Option<Money>; 4] {
        let Rates { input, cache_read, cache_write, output, .. } = self.base;
        [input, cache_read, cache_write, output]
    }

    /// The price of an answer. A request with a long context is charged whole at the prices for it,
    /// as the providers do. What the table has no price of its own for costs as much as input.
    pub(super) fn cost(&self, tokens: &Tokens) -> Option<Money> {
        let number = |number: Option<u64>| number.unwrap_or(0);
        let writes = number(tokens.cache_write);
        let fresh = number(tokens.input).saturating_add(number(tokens.tool));
        let all = fresh.saturating_add(number(tokens.cache_read)).saturating_add(writes);
        let above = self.above.iter().rfind(|(limit, _)| all > *limit);
        let rate = |of: fn(&Rates) -> Option<Money>| {
            above.and_then(|(_, rates)| of(rates)).or_else(|| of(&self.base))
        };
        let input = rate(|rates| rates.input)?;
        let output = rate(|rates| rates.output)?;
        let write = rate(|rates| rates.cache_write).unwrap_or(input);
        let hour = number(tokens.cache_write_hour).min(writes);
        let thought = number(tokens.reasoning).min(number(tokens.output));
        Some(
            [
                input.times(fresh),
                rate(|rates| rates.cache_read).unwrap_or(input).times(number(tokens.cache_read)),
                write.times(writes - hour),
                rate(|rates| rates.cache_write_hour).unwrap_or(write).times(hour),
                output.times(number(tokens.output) - thought),
                rate(|rates| rates.reasoning).unwrap_or(output).times(thought),
            ]
            .into_iter()
            .sum(),
        )
    }
}

/// The meaning of a member of an entry: a rate, the tier of service in which it holds, and the
/// number of tokens of input from which on it holds.
pub(super) struct Meaning<'n> {
    rate: fn(&mut Rates) -> &mut Option<Money>,
    pub(super) tier: Option<&'n str>,
    above: Option<u64>,
}

/// Tiers of service in the names of members.
const TIERS: [&str; 4] = ["priority", "flex", "batches", "fast"];

/// The meaning of a member; `None` for limits and other media.
pub(super) fn meaning(name: &str) -> Option<Meaning<'_>> {
    let in_tier = |tier: &&&str| name.strip_suffix(**tier).is_some_and(|it| it.ends_with('_'));
    let tier = TIERS.iter().find(in_tier).copied();
    let name = tier.map_or(name, |tier| &name[..name.len() - tier.len() - 1]);
    let (name, above) = match name.strip_suffix("k_tokens").and_then(|n| n.rsplit_once("_above_")) {
        Some((name, thousands)) => (name, Some(thousands.parse::<u64>().ok()?.checked_mul(1000)?)),
        None => (name, None),
    };
    let rate: fn(&mut Rates) -> &mut Option<Money> = match name {
        "input_cost_per_token" => |rates| &mut rates.input,
        "output_cost_per_token" => |rates| &mut rates.output,
        "output_cost_per_reasoning_token" => |rates| &mut rates.reasoning,
        "cache_read_input_token_cost" => |rates| &mut rates.cache_read,
        "cache_creation_input_token_cost" => |rates| &mut rates.cache_write,
        "cache_creation_input_token_cost_above_1hr" => |rates| &mut rates.cache_write_hour,
        _ => return None,
    };
    Some(Meaning { rate, tier, above })
}
