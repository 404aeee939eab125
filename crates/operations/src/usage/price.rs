//! List prices of models: data with a date, a source and a licence, in the form of LiteLLM's
//! `model_prices_and_context_window.json`. A user's own table has the same form.

use std::collections::BTreeMap;

use meaning::usage::Tokens;
use serde::Deserialize;

use super::money::Money;

/// The table that verbatim brings along.
const SHIPPED: &str = include_str!("prices.json");

/// A table of prices.
#[derive(Debug)]
pub struct Prices {
    /// Its source and date, for people.
    pub source: String,
    /// Providers before a model's name, in the order in which a name without a provider is looked
    /// up: the vendors of models first, then those that resell them.
    providers: Vec<String>,
    models: BTreeMap<String, Price>,
}

/// The prices of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Price {
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

/// The table as stored.
#[derive(Deserialize)]
struct Stored {
    #[serde(rename = "_source")]
    source: Source,
    providers: Vec<String>,
    models: BTreeMap<String, Fields>,
}

#[derive(Deserialize)]
struct Source {
    name: String,
    date: String,
}

type Fields = BTreeMap<String, serde_json::Value>;

impl Prices {
    /// The table that verbatim brings along.
    ///
    /// # Errors
    /// The table is damaged; a test reads it.
    pub fn shipped() -> Result<Self, String> {
        let stored = shipped()?;
        let source = format!("{} of {}", stored.source.name, stored.source.date);
        Self::of(source, stored.providers, &stored.models)
    }

    /// A user's own table, in LiteLLM's form: an object of models, each with its prices in US
    /// dollars per token.
    ///
    /// # Errors
    /// The text is no such table, or a price in it is no decimal number.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut models: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        if let Some(inner) = models.remove("models").filter(serde_json::Value::is_object) {
            models = serde_json::from_value(inner).map_err(|error| error.to_string())?;
        }
        let fields = models.into_iter().filter_map(|(model, fields)| {
            Some((model, serde_json::from_value::<Fields>(fields).ok()?))
        });
        let table = Self::of(name.to_owned(), shipped()?.providers, &fields.collect())?;
        match table.models.is_empty() {
            true => Err("it has no model with an `input_cost_per_token`".into()),
            false => Ok(table),
        }
    }

    fn of(
        source: String,
        providers: Vec<String>,
        stored: &BTreeMap<String, Fields>,
    ) -> Result<Self, String> {
        let mut models = BTreeMap::new();
        for (model, fields) in stored {
            if let Some(price) = Price::of(model, fields)? {
                models.insert(model.clone(), price);
            }
        }
        Ok(Self { source, providers, models })
    }

    /// The entry for a model as an agent names it: by its own name, under a provider's, or without
    /// the provider before it. `None` if the table has no such model.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<(&str, &Price)> {
        let known = |name: &str| self.models.get_key_value(name);
        let entry = known(model)
            .or_else(|| self.providers.iter().find_map(|of| known(&format!("{of}/{model}"))))
            .or_else(|| known(model.rsplit_once('/')?.1));
        entry.map(|(name, price)| (name.as_str(), price))
    }
}

fn shipped() -> Result<Stored, String> {
    serde_json::from_str(SHIPPED).map_err(|error| error.to_string())
}

impl Price {
    /// The prices of a model; `None` for an entry without a price per token.
    fn of(model: &str, fields: &Fields) -> Result<Option<Self>, String> {
        let mut price = Self::default();
        for (name, value) in fields {
            let Some((slot, above)) = meaning(name) else { continue };
            let serde_json::Value::Number(number) = value else { continue };
            let money = Money::parse(&number.to_string()).filter(|money| money.0 >= 0);
            let money = money.ok_or_else(|| {
                format!(
                    "{model}: `{name}` is {number}: a price is 0 or more, with at most 12 digits"
                )
            })?;
            *slot(price.rates(above)) = Some(money);
        }
        price.above.sort_by_key(|(tokens, _)| *tokens);
        Ok((price.base.input.is_some() && price.base.output.is_some()).then_some(price))
    }

    /// The prices in US dollars per million tokens: input, cache reads, cache writes, output.
    pub(super) fn per_million(&self) -> [Option<f64>; 4] {
        let Rates { input, cache_read, cache_write, output, .. } = self.base;
        let million = |money: Money| (money.dollars() * 1e12).round() / 1e6;
        [input, cache_read, cache_write, output].map(|price| price.map(million))
    }

    fn rates(&mut self, above: Option<u64>) -> &mut Rates {
        let Some(tokens) = above else { return &mut self.base };
        let at = self.above.iter().position(|(known, _)| *known == tokens);
        let at = at.unwrap_or_else(|| {
            self.above.push((tokens, Rates::default()));
            self.above.len() - 1
        });
        &mut self.above[at].1
    }

    /// The price of an answer. `None` if its tokens are not split into kinds. A request with a long
    /// context is charged whole at the prices for it, as the providers do. What the table has no
    /// price of its own for costs as much as input.
    #[must_use]
    pub fn cost(&self, tokens: &Tokens) -> Option<Money> {
        if tokens.unsplit.is_some_and(|unsplit| unsplit > 0) {
            return None;
        }
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

type Rate = fn(&mut Rates) -> &mut Option<Money>;

/// The rate that a member of an entry is about, and the number of tokens of input from which on it
/// holds. `None` for limits, other tiers of service and other media.
fn meaning(name: &str) -> Option<(Rate, Option<u64>)> {
    let (name, above) = match name.strip_suffix("k_tokens").and_then(|n| n.rsplit_once("_above_")) {
        Some((name, thousands)) => (name, Some(thousands.parse::<u64>().ok()?.checked_mul(1000)?)),
        None => (name, None),
    };
    let rate: Rate = match name {
        "input_cost_per_token" => |rates| &mut rates.input,
        "output_cost_per_token" => |rates| &mut rates.output,
        "output_cost_per_reasoning_token" => |rates| &mut rates.reasoning,
        "cache_read_input_token_cost" => |rates| &mut rates.cache_read,
        "cache_creation_input_token_cost" => |rates| &mut rates.cache_write,
        "cache_creation_input_token_cost_above_1hr" => |rates| &mut rates.cache_write_hour,
        _ => return None,
    };
    Some((rate, above))
}

#[cfg(test)]
mod tests {
    use meaning::usage::Tokens;

    use super::{Money, Prices};

    const TABLE: &str = r#"{"m": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05,
        "cache_read_input_token_cost": 3e-07, "cache_creation_input_token_cost": 3.75e-06,
        "cache_creation_input_token_cost_above_1hr": 6e-06, "max_input_tokens": 200000,
        "input_cost_per_token_above_200k_tokens": 6e-06}, "image": {"input_cost_per_image": 1},
        "zai/glm": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06}}"#;

    fn tokens(input: u64, read: u64, write: u64, hour: u64, output: u64) -> Tokens {
        Tokens {
            input: Some(input),
            cache_read: Some(read),
            cache_write: Some(write),
            cache_write_hour: Some(hour),
            output: Some(output),
            ..Tokens::default()
        }
    }

    #[test]
    fn each_kind_of_token_has_its_own_price() {
        let prices = Prices::parse("own", TABLE).unwrap();
        let (_, price) = prices.find("m").unwrap();
        let cost = |of: Tokens| price.cost(&of).map(|money| money.0);
        assert_eq!(cost(tokens(1, 0, 0, 0, 0)), Some(3_000_000));
        assert_eq!(cost(tokens(0, 1, 0, 0, 0)), Some(300_000));
        assert_eq!(cost(tokens(0, 0, 2, 1, 0)), Some(3_750_000 + 6_000_000));
        assert_eq!(cost(tokens(0, 0, 0, 0, 1)), Some(15_000_000));
        // The whole request has the price of a long context, where there is one.
        assert_eq!(cost(tokens(1, 199_999, 0, 0, 0)), Some(3_000_000 + 199_999 * 300_000));
        assert_eq!(cost(tokens(1, 200_000, 0, 0, 0)), Some(6_000_000 + 200_000 * 300_000));
        let unsplit = Tokens { unsplit: Some(5), ..Tokens::default() };
        assert_eq!(price.cost(&unsplit), None);
    }

    #[test]
    fn a_model_is_found_with_and_without_its_provider() {
        let prices = Prices::parse("own", TABLE).unwrap();
        let found = |model: &str| prices.find(model).map(|(name, _)| name);
        assert_eq!(found("glm"), Some("zai/glm"));
        assert_eq!(found("openrouter/m"), Some("m"));
        assert_eq!(found("image"), None);
        assert_eq!(found("opus"), None);
        assert!(Prices::parse("own", "{}").unwrap_err().contains("no model"));
        let fine = r#"{"m": {"input_cost_per_token": 1e-13, "output_cost_per_token": 1}}"#;
        assert!(Prices::parse("own", fine).unwrap_err().contains("input_cost_per_token"));
    }

    #[test]
    fn the_shipped_table_is_read() {
        let prices = Prices::shipped().unwrap();
        assert!(prices.source.starts_with("LiteLLM of 20"), "{}", prices.source);
        let (_, price) = prices.find("claude-opus-4-6").unwrap();
        assert_eq!(price.cost(&tokens(1, 0, 0, 0, 0)), Some(Money(5_000_000)));
    }
}
