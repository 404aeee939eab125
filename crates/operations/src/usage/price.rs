//! List prices of models: data with a date, a source and a licence, in the form of LiteLLM's
//! `model_prices_and_context_window.json`. A user's own table has the same form.

use std::collections::{BTreeMap, BTreeSet};

use meaning::usage::{Terms, Tokens};

use super::money::Money;
pub use listed::ListPrices;
use listed::Offered;
use rates::Sheet;
use shipped::{Shipped, shipped};

mod listed;
mod names;
mod rates;
mod shipped;

/// A table of prices.
#[derive(Debug)]
pub struct Prices {
    /// Its source, for people.
    pub source: String,
    /// The day of its prices (`2026-08-01`), if the table has one.
    pub date: Option<String>,
    /// Providers before a model's name, in the order in which a name without a provider is looked
    /// up: the vendors of models first, then those that resell them.
    providers: Vec<String>,
    models: BTreeMap<String, Offered>,
    /// The source of the prices of newer models, and these models.
    newer: (String, BTreeSet<String>),
    /// Factors of the models whose names have a word, where their entries have none.
    factors: BTreeMap<String, Fields>,
    /// The entries that could not be read and are left out, each with the reason.
    pub left_out: Vec<String>,
}

/// The prices of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Price {
    usual: Sheet,
    /// The prices in other tiers of service, by the tier's name.
    tiers: BTreeMap<String, Sheet>,
    /// By how much a tier or a region changes the usual price.
    factors: BTreeMap<String, Money>,
    /// The price of a web search.
    search: Option<Money>,
    /// The tier that the model's name says.
    named: Option<&'static str>,
}

type Fields = BTreeMap<String, serde_json::Value>;

impl Prices {
    /// The table that verbatim brings along.
    ///
    /// # Errors
    /// The table is damaged; a test reads it.
    pub fn shipped() -> Result<Self, String> {
        let Shipped { source, providers, factors, models, newer } = shipped()?;
        let source = (source.name, Some(source.date));
        let mut table = Self::of(source, (providers, factors), &newer.models);
        if let Some(why) = table.left_out.pop() {
            return Err(why);
        }
        table.newer = (newer.source, table.models.keys().cloned().collect());
        let written = models.into_iter().map(|(model, text)| (model, Offered::Written(text)));
        table.models.extend(written);
        Ok(table)
    }

    /// A user's own table, in LiteLLM's form: an object of models, each with its prices in US
    /// dollars per token. An entry with a price that cannot be read is left out whole.
    ///
    /// # Errors
    /// The text is no such table, or none of its entries can be read.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut models: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let date = models.get("_source").and_then(|source| source["date"].as_str());
        let source = (name.to_owned(), date.filter(|date| date.len() == 10).map(str::to_owned));
        if let Some(inner) = models.remove("models").filter(serde_json::Value::is_object) {
            models = serde_json::from_value(inner).map_err(|error| error.to_string())?;
        }
        let fields = models.into_iter().filter_map(|(model, fields)| {
            Some((model, serde_json::from_value::<Fields>(fields).ok()?))
        });
        let Shipped { providers, factors, .. } = shipped()?;
        let mut table = Self::of(source, (providers, factors), &fields.collect());
        match (table.models.is_empty(), table.left_out.pop()) {
            (true, None) => Err("it has no model with an `input_cost_per_token`".into()),
            (true, Some(why)) => Err(why),
            (false, last) => {
                table.left_out.extend(last);
                Ok(table)
            }
        }
    }

    fn of(
        (source, date): (String, Option<String>),
        (providers, factors): (Vec<String>, BTreeMap<String, Fields>),
        stored: &BTreeMap<String, Fields>,
    ) -> Self {
        let (mut models, mut left_out) = (BTreeMap::new(), Vec::new());
        for (model, fields) in stored {
            match Price::of(model, fields) {
                Ok(Some(price)) => {
                    models.insert(model.clone(), Offered::Read(Box::new(price)));
                }
                Ok(None) => {}
                Err(why) => left_out.push(why),
            }
        }
        Self { source, date, providers, models, newer: Default::default(), factors, left_out }
    }

    /// The source of the price of a newer model, by the name of its entry; `None` for a model of
    /// the table.
    pub(super) fn source_of_newer(&self, entry: &str) -> Option<&str> {
        let (source, models) = &self.newer;
        models.contains(entry).then_some(source)
    }

    /// The entry for a model as an agent names it: by its own name, under a provider's, without the
    /// provider before it, or by the name that a reseller's means. `None` if the table has no
    /// such model.
    #[must_use]
    pub fn find(&self, model: &str) -> Option<(&str, Price)> {
        let known = |name: &str| {
            let (name, offered) = self.models.get_key_value(name)?;
            Some((name, offered.price(name)?))
        };
        let entry = |model: &str| {
            known(model)
                .or_else(|| self.providers.iter().find_map(|of| known(&format!("{of}/{model}"))))
                .or_else(|| known(model.rsplit_once('/')?.1))
        };
        names::readings(model).find_map(|(model, named)| {
            let (name, price) = entry(&model)?;
            let mut price = Price { named, ..price };
            for (_, factors) in self.factors.iter().filter(|(word, _)| name.contains(&**word)) {
                price.fill(factors);
            }
            // A name that ends in `-fast` says a tier only of a model that has one.
            let is_sold = named.is_none_or(|tier| price.serves(tier));
            is_sold.then_some((name.as_str(), price))
        })
    }
}

impl Price {
    /// The prices of a model; `None` for an entry without a price per token.
    fn of(model: &str, fields: &Fields) -> Result<Option<Self>, String> {
        let mut price = Self::default();
        for (name, value) in fields {
            let Some(of) = rates::meaning(name).filter(|_| !value.is_null()) else { continue };
            let money = decimal(value).ok_or_else(|| {
                format!(
                    "{model}: `{name}` is {value}: a price is 0 or more, with at most 12 digits \
                     behind the point"
                )
            })?;
            let sheet = match of.tier {
                None => &mut price.usual,
                Some(tier) => price.tiers.entry(tier.to_owned()).or_default(),
            };
            sheet.set(&of, money);
        }
        let named = fields.get(FACTORS).and_then(|factors| factors.as_object());
        price.fill(&named.into_iter().flatten().map(|(a, b)| (a.clone(), b.clone())).collect());
        price.search = fields.get(SEARCH).and_then(|sizes| decimal(&sizes[MEDIUM]));
        price.tiers.retain(|_, sheet| sheet.is_whole());
        Ok(price.usual.is_whole().then_some(price))
    }

    /// Adds the factors that it does not have.
    fn fill(&mut self, factors: &Fields) {
        for (name, factor) in factors {
            let Some(factor) = decimal(factor) else { continue };
            if name == "web_search" {
                self.search = self.search.or(Some(factor));
            } else {
                self.factors.entry(name.to_ascii_lowercase()).or_insert(factor);
            }
        }
    }

    /// The prices in US dollars per million tokens: input, cache reads, cache writes, output.
    pub(super) fn per_million(&self) -> [Option<f64>; 4] {
        let million = |money: Money| (money.dollars() * 1e12).round() / 1e6;
        self.usual.kinds().map(|price| price.map(million))
    }

    /// The price of an answer. `None` if its tokens are not split into kinds, or if the table has
    /// no price for its terms of service.
    #[must_use]
    pub fn cost(&self, tokens: &Tokens, terms: &Terms) -> Option<Money> {
        if tokens.unsplit.is_some_and(|unsplit| unsplit > 0) {
            return None;
        }
        let (sheet, factor) = self.in_tier(terms.tier.as_deref().or(self.named))?;
        let mut cost = sheet.cost(tokens)?;
        let region = terms.region.as_ref();
        let region = region.map(|region| self.factors.get(region).copied().ok_or(()));
        for factor in [factor.map(Ok), region].into_iter().flatten() {
            cost = cost.scaled(factor.ok()?);
        }
        match terms.searches {
            0 => Some(cost),
            searches => Some(cost + self.search?.times(searches.into())),
        }
    }

    /// The prices in a tier, and the factor of them. A fast answer of a model that is sold with
    /// priority has that price.
    fn in_tier(&self, tier: Option<&str>) -> Option<(&Sheet, Option<Money>)> {
        let Some(tier) = tier else { return Some((&self.usual, None)) };
        let sheet = |name: &str| self.tiers.get(name).map(|sheet| (sheet, None));
        let factor = || self.factors.get(tier).map(|factor| (&self.usual, Some(*factor)));
        match tier {
            "fast" => factor().or_else(|| sheet("fast")).or_else(|| sheet("priority")),
            "batch" => factor().or_else(|| sheet("batches")),
            _ => sheet(tier).or_else(factor),
        }
    }

    /// Whether there is a price in a tier.
    fn serves(&self, tier: &str) -> bool {
        self.in_tier(Some(tier)).is_some()
    }
}

/// Members of an entry that are no prices per token.
const FACTORS: &str = "provider_specific_entry";
const SEARCH: &str = "search_context_cost_per_query";
const MEDIUM: &str = "search_context_size_medium";

/// A number of an entry that is not negative.
fn decimal(number: &serde_json::Value) -> Option<Money> {
    amount(number.as_number()?)
}

/// An amount that is not negative. LiteLLM's file has some with the noise of binary fractions
/// (`2.9999900000000002e-06`): these are rounded to the unit if it is next to them.
fn amount(number: &serde_json::Number) -> Option<Money> {
    let rounded = || {
        let dollars = number.as_f64()?;
        let money = Money::of_dollars(dollars)?;
        ((money.dollars() - dollars).abs() <= dollars.abs() * NOISE).then_some(money)
    };
    Money::parse(&number.to_string()).or_else(rounded).filter(|money| money.0 >= 0)
}

/// The greatest noise of an amount, as a part of it.
const NOISE: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use meaning::usage::{Terms, Tokens};

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
        let cost = |of: Tokens| price.cost(&of, &Terms::default()).map(|money| money.0);
        assert_eq!(cost(tokens(1, 0, 0, 0, 0)), Some(3_000_000));
        assert_eq!(cost(tokens(0, 1, 0, 0, 0)), Some(300_000));
        assert_eq!(cost(tokens(0, 0, 2, 1, 0)), Some(3_750_000 + 6_000_000));
        assert_eq!(cost(tokens(0, 0, 0, 0, 1)), Some(15_000_000));
        // The whole request has the price of a long context, where there is one.
        assert_eq!(cost(tokens(1, 199_999, 0, 0, 0)), Some(3_000_000 + 199_999 * 300_000));
        assert_eq!(cost(tokens(1, 200_000, 0, 0, 0)), Some(6_000_000 + 200_000 * 300_000));
        let unsplit = Tokens { unsplit: Some(5), ..Tokens::default() };
        assert_eq!(price.cost(&unsplit, &Terms::default()), None);
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
    fn each_tier_region_and_search_has_its_price_or_none() {
        let table = r#"{"m": {"input_cost_per_token": 5e-06, "output_cost_per_token": 2.5e-05,
            "provider_specific_entry": {"fast": 6.0, "us": 1.1},
            "search_context_cost_per_query": {"search_context_size_medium": 0.01}},
            "n": {"input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05,
            "input_cost_per_token_priority": 4e-06, "output_cost_per_token_priority": 2e-05,
            "input_cost_per_token_flex": 1e-06, "output_cost_per_token_flex": 5e-06,
            "input_cost_per_token_above_200k_tokens_priority": 9e-06}}"#;
        let prices = Prices::parse("own", table).unwrap();
        let cost = |model: &str, input: u64, terms: Terms| {
            prices.find(model).unwrap().1.cost(&tokens(input, 0, 0, 0, 0), &terms).map(|it| it.0)
        };
        let tier = |tier: &str| Terms::of(Some(tier), None, 0);
        assert_eq!(cost("m", 1, tier("standard")), Some(5_000_000));
        assert_eq!(cost("m", 1, tier("fast")), Some(30_000_000));
        assert_eq!(cost("m", 1, Terms::of(None, Some("us"), 0)), Some(5_500_000));
        assert_eq!(cost("m", 1, Terms::of(Some("fast"), Some("us"), 0)), Some(33_000_000));
        assert_eq!(cost("m", 0, Terms::of(None, None, 3)), Some(30_000_000_000));
        // What the table has no price for is not the usual price.
        assert_eq!(cost("m", 1, tier("priority")), None);
        assert_eq!(cost("m", 1, Terms::of(None, Some("mars"), 0)), None);
        assert_eq!(cost("n", 1, Terms::of(None, None, 1)), None);
        assert_eq!(cost("n", 1, tier("priority")), Some(4_000_000));
        assert_eq!(cost("n", 1, tier("flex")), Some(1_000_000));
        assert_eq!(cost("n", 1, tier("fast")), Some(4_000_000));
        assert_eq!(cost("n", 200_001, tier("priority")), Some(200_001 * 9_000_000));
        // The name itself says the tier, if the model has it.
        assert_eq!(cost("n-fast", 1, Terms::default()), Some(4_000_000));
        assert!(prices.find("k-fast").is_none());
    }

    #[test]
    fn the_noise_of_binary_fractions_is_rounded() {
        let table = r#"{"m": {"input_cost_per_token": 2.9999900000000002e-06,
            "output_cost_per_token": 1.5000020000000002e-05}}"#;
        let prices = Prices::parse("own", table).unwrap();
        let (_, price) = prices.find("m").unwrap();
        let cost = price.cost(&tokens(1, 0, 0, 0, 1), &Terms::default());
        assert_eq!(cost, Some(Money(2_999_990 + 15_000_020)));
    }

    #[test]
    fn the_shipped_table_knows_the_names_of_resellers() {
        let prices = Prices::shipped().unwrap();
        let per_token = |model: &str| {
            let (_, price) = prices.find(model).unwrap_or_else(|| panic!("{model}"));
            price.cost(&tokens(1, 0, 0, 0, 0), &Terms::default()).map(|money| money.0)
        };
        for (model, price) in [
            ("claude-sonnet-4.6", 3_000_000),
            ("anthropic/claude-sonnet-4.6", 3_000_000),
            ("claude-opus-4-6[1m]", 5_000_000),
            ("claude-opus-4.6-fast", 30_000_000),
            ("claude-opus-4-8-fast", 10_000_000),
            ("claude-haiku-4-5@20251001", 1_000_000),
            ("global.anthropic.claude-opus-4-6-v1", 5_000_000),
            ("us.anthropic.claude-opus-4-6-v1", 5_500_000),
            ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", 1_100_000),
            (
                "arn:aws:bedrock:us-east-1:000000000000:inference-profile/\
                 us.anthropic.claude-opus-4-6-v1",
                5_500_000,
            ),
        ] {
            assert_eq!(per_token(model), Some(price), "{model}");
        }
        let (_, price) = prices.find("claude-opus-4-6").unwrap();
        let batch = price.cost(&tokens(2, 0, 0, 0, 0), &Terms::of(Some("batch"), None, 0));
        assert_eq!(batch.map(|money| money.0), Some(5_000_000));
    }

    #[test]
    fn the_shipped_table_is_read() {
        let prices = Prices::shipped().unwrap();
        assert_eq!(prices.source, "LiteLLM");
        assert!(prices.date.as_ref().is_some_and(|date| date.starts_with("20")));
        // Newer models, also in a tier and in a long context.
        for (model, input, terms, cost) in [
            ("claude-opus-4-6", 1, Terms::default(), 5_000_000),
            ("claude-opus-5-5", 2, Terms::default(), 8_000_000),
            ("claude-opus-5-5", 2, Terms::of(Some("fast"), None, 0), 16_000_000),
            ("gpt-6-sol", 300_000, Terms::default(), 1_200_000_000_000),
        ] {
            let (_, price) = prices.find(model).unwrap_or_else(|| panic!("{model}"));
            let paid = price.cost(&tokens(input, 0, 0, 0, 0), &terms);
            assert_eq!(paid, Some(Money(cost)), "{model}");
        }
    }
}
