//! Reports of ccusage, as its `--json` prints them: tokens by day, week or month, and model.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::By;

/// Tokens by kind: input, cache reads, cache writes, output.
pub type Kinds = [i64; 4];

/// A report of another counter.
#[derive(Debug)]
pub struct PeerReport {
    /// The spans of its rows: days, weeks or months.
    pub by: By,
    /// Its sums.
    pub cells: Vec<PeerCell>,
    /// Tokens of an agent in a span that are in the sum of its row and of no kind: the thoughts of
    /// some agents.
    pub apart: BTreeMap<(Option<String>, String), i64>,
    /// The agents that it names.
    pub agents: BTreeSet<String>,
}

/// The tokens of a model in a span of time.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerCell {
    /// The agent, if the report has sums of each.
    pub agent: Option<String>,
    /// The first day of the span, or its month.
    pub period: String,
    /// The model.
    pub model: String,
    /// The tokens.
    pub tokens: Kinds,
    /// The cost in US dollars.
    pub dollars: Option<f64>,
}

const SPANS: [(&str, By); 3] = [("daily", By::Day), ("weekly", By::Week), ("monthly", By::Month)];
const NAMES: [&str; 4] = ["period", "date", "week", "month"];
const COUNTERS: [&str; 4] =
    ["inputTokens", "cacheReadTokens", "cacheCreationTokens", "outputTokens"];

impl PeerReport {
    /// Reads a report.
    ///
    /// # Errors
    /// The text is no such report.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let rows = SPANS.iter().find_map(|(name, by)| Some((value[*name].as_array()?, *by)));
        let (rows, by) = rows.ok_or("it has neither `daily` nor `weekly` nor `monthly` rows")?;
        let mut report =
            Self { by, cells: Vec::new(), apart: BTreeMap::new(), agents: BTreeSet::new() };
        for (at, row) in rows.iter().enumerate() {
            let period = NAMES.iter().find_map(|name| row[*name].as_str());
            let period = period.ok_or_else(|| format!("row {at} has no date"))?;
            let named = row["metadata"]["agents"].as_array().into_iter().flatten();
            report.agents.extend(named.filter_map(Value::as_str).map(str::to_owned));
            match row["agents"].as_array() {
                Some(agents) => agents.iter().try_for_each(|of| report.take(of, period))?,
                None => report.take(row, period)?,
            }
        }
        Ok(report)
    }

    /// Adds the models of a row.
    fn take(&mut self, row: &Value, period: &str) -> Result<(), String> {
        let agent = row["agent"].as_str().filter(|name| *name != "all").map(str::to_owned);
        self.agents.extend(agent.clone());
        let before = self.cells.len();
        let mut add = |model: &str, of: &Value, dollars: Option<f64>| -> Result<(), String> {
            let mut tokens = Kinds::default();
            for (number, name) in tokens.iter_mut().zip(COUNTERS) {
                let told = of[name].as_u64().and_then(|told| i64::try_from(told).ok());
                *number = match (told, &of[name]) {
                    (Some(told), _) => told,
                    (None, Value::Null) => 0,
                    (None, other) => return Err(format!("{period}: `{name}` is {other}")),
                };
            }
            let (agent, period) = (agent.clone(), period.to_owned());
            self.cells.push(PeerCell { agent, period, model: model.to_owned(), tokens, dollars });
            Ok(())
        };
        if let Some(models) = row["modelBreakdowns"].as_array() {
            models.iter().try_for_each(|of| {
                add(of["modelName"].as_str().unwrap_or_default(), of, of["cost"].as_f64())
            })?;
            let kinds: i64 = self.cells[before..]
                .iter()
                .flat_map(|cell| cell.tokens)
                .fold(0, i64::saturating_add);
            let all = row["totalTokens"].as_i64().unwrap_or(kinds);
            if all > kinds {
                let apart = self.apart.entry((agent, period.to_owned())).or_default();
                *apart = apart.saturating_add(all - kinds);
            }
            return Ok(());
        }
        // The report of one agent has an object of models, and only the sum of their costs.
        let models = row["models"].as_object();
        let models = models.ok_or_else(|| format!("{period}: the row has no models"))?;
        let only = if models.len() == 1 { row["costUSD"].as_f64() } else { None };
        models.iter().try_for_each(|(model, of)| add(model, of, only))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_all_agents_and_of_one_are_read() {
        let model = r#"{"modelName":"m","inputTokens":1,"outputTokens":4,"cacheReadTokens":2,
            "cacheCreationTokens":3,"cost":0.5}"#;
        let of = format!(r#"{{"agent":"a","modelBreakdowns":[{model}]}}"#);
        for (row, agent) in [
            (format!(r#"{{"agent":"all","period":"2026-01-01","agents":[{of}]}}"#), Some("a")),
            (format!(r#"{{"date":"2026-01-01","modelBreakdowns":[{model}]}}"#), None),
        ] {
            let report = PeerReport::parse(&format!(r#"{{"daily":[{row}]}}"#)).unwrap();
            let [cell] = &*report.cells else { panic!("{report:?}") };
            assert_eq!((cell.tokens, cell.dollars), ([1, 2, 3, 4], Some(0.5)));
            assert_eq!((&*cell.period, cell.agent.as_deref()), ("2026-01-01", agent));
        }
        let apart = format!(r#"{{"agent":"a","totalTokens":13,"modelBreakdowns":[{model}]}}"#);
        let row = format!(r#"{{"agent":"all","period":"2026-01-01","agents":[{apart}]}}"#);
        let report = PeerReport::parse(&format!(r#"{{"daily":[{row}]}}"#)).unwrap();
        let wanted = ((Some("a".to_owned()), "2026-01-01".to_owned()), 3);
        assert_eq!(report.apart.into_iter().collect::<Vec<_>>(), [wanted]);
        let one = r#"{"monthly":[{"month":"2026-01","costUSD":2,"models":{"g":{"inputTokens":7,
            "cacheReadTokens":0,"outputTokens":1}}}]}"#;
        let report = PeerReport::parse(one).unwrap();
        assert_eq!((report.by, report.cells[0].tokens), (By::Month, [7, 0, 0, 1]));
        for wrong in ["[]", "{}", r#"{"daily":[{}]}"#, r#"{"daily":[{"date":"x"}]}"#, "x"] {
            assert!(PeerReport::parse(wrong).is_err(), "{wrong}");
        }
    }
}
