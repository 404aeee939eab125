//! The tables that the program brings along: LiteLLM's, and one of newer models.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::Fields;

/// The table that verbatim brings along.
const SHIPPED: &str = include_str!("../prices.json");
/// Models that are newer than that table: the file names the sources of their prices.
const NEWER: &str = include_str!("../newer_prices.json");

/// The table as stored.
#[derive(Deserialize)]
pub(super) struct Stored {
    #[serde(rename = "_source")]
    pub(super) source: Source,
    pub(super) providers: Vec<String>,
    pub(super) factors: BTreeMap<String, Fields>,
    pub(super) models: BTreeMap<String, Fields>,
}

#[derive(Deserialize)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) date: String,
}

/// The table that verbatim brings along, with the newer models that it does not have: the source of
/// these, and their names.
pub(super) fn shipped() -> Result<(Stored, (String, BTreeSet<String>)), String> {
    #[derive(Deserialize)]
    struct Newer {
        #[serde(rename = "_source")]
        source: String,
        models: BTreeMap<String, Fields>,
    }
    let mut stored: Stored = serde_json::from_str(SHIPPED).map_err(|error| error.to_string())?;
    let newer: Newer = serde_json::from_str(NEWER).map_err(|error| error.to_string())?;
    let mut names = BTreeSet::new();
    for (model, fields) in newer.models {
        if let Entry::Vacant(place) = stored.models.entry(model) {
            names.insert(place.key().clone());
            place.insert(fields);
        }
    }
    Ok((stored, (newer.source, names)))
}
