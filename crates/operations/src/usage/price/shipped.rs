//! The tables that the program brings along: LiteLLM's, and one of newer models.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Fields;

/// The table that verbatim brings along: a model a line, so that one is found without reading all.
const SHIPPED: &str = include_str!("../prices.json");
/// Models that are newer than that table: the file names the sources of their prices.
const NEWER: &str = include_str!("../newer_prices.json");

/// The text before the lines of models.
const MODELS: &str = "\"models\":{\n";

/// The tables.
pub(super) struct Shipped {
    pub(super) source: Source,
    pub(super) providers: Vec<String>,
    pub(super) factors: BTreeMap<String, Fields>,
    /// The entries as written, by model.
    pub(super) models: Vec<(String, &'static str)>,
    /// The models that are newer than the table.
    pub(super) newer: Newer,
}

/// The table's own facts.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "_source")]
    source: Source,
    providers: Vec<String>,
    factors: BTreeMap<String, Fields>,
}

#[derive(Deserialize)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) date: String,
}

/// The table of newer models.
#[derive(Deserialize)]
pub(super) struct Newer {
    #[serde(rename = "_source")]
    pub(super) source: String,
    pub(super) models: BTreeMap<String, Fields>,
}

/// The tables that verbatim brings along. A model that both have is not newer.
pub(super) fn shipped() -> Result<Shipped, String> {
    let (head, lines) = SHIPPED.split_once(MODELS).ok_or("the table has no models")?;
    let head = format!("{}}}", head.trim_end().trim_end_matches(','));
    let Head { source, providers, factors } =
        serde_json::from_str(&head).map_err(|error| error.to_string())?;
    let entries = lines.lines().filter_map(|line| {
        let (model, entry) = line.strip_prefix('"')?.split_once("\":")?;
        Some((model.to_owned(), entry.trim_end_matches(',')))
    });
    let models: Vec<(String, &'static str)> = entries.collect();
    let mut newer: Newer = serde_json::from_str(NEWER).map_err(|error| error.to_string())?;
    models.iter().for_each(|(model, _)| drop(newer.models.remove(model)));
    Ok(Shipped { source, providers, factors, models, newer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_the_entry_that_a_parser_of_the_whole_table_finds() {
        let whole: serde_json::Value = serde_json::from_str(SHIPPED).unwrap();
        let shipped = shipped().unwrap();
        assert_eq!(shipped.models.len(), whole["models"].as_object().unwrap().len());
        for (model, entry) in shipped.models {
            let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
            assert_eq!(entry, whole["models"][&model], "{model}");
            let fields: Fields = serde_json::from_value(entry).unwrap();
            super::super::Price::of(&model, &fields).unwrap();
        }
    }
}
