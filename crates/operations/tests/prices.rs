//! The shipped list prices are those of the published table, cut to what agents are charged by.
//! `UPDATE=1 cargo test -p verbatim-operations --test prices` renews them.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// The members of an entry that a cost is made of.
const RATES: [&str; 6] = [
    "input_cost_per_token",
    "output_cost_per_token",
    "output_cost_per_reasoning_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "cache_creation_input_token_cost_above_1hr",
];

/// Providers before a model's name, the vendors of models first.
const PROVIDERS: [&str; 12] = [
    "anthropic",
    "openai",
    "gemini",
    "xai",
    "deepseek",
    "moonshot",
    "zai",
    "minimax",
    "dashscope",
    "mistral",
    "vertex_ai",
    "openrouter",
];

/// Tiers of service that have rates of their own.
const TIERS: [&str; 3] = ["_priority", "_flex", "_batches"];

/// Whether a member is a rate, or a rate for a long context or a tier of service.
fn is_rate(name: &str) -> bool {
    let name = TIERS.iter().find_map(|tier| name.strip_suffix(tier)).unwrap_or(name);
    let long = name.strip_suffix("k_tokens").and_then(|name| name.rsplit_once("_above_"));
    let name = long.filter(|(_, n)| n.parse::<u64>().is_ok()).map_or(name, |(name, _)| name);
    RATES.contains(&name)
}

/// Names of models that no agent writes: commitments and providers of the large clouds, and models
/// that were tuned for one customer. The names of regions (`us.`, `eu.`) stay.
fn is_left_out(model: &str) -> bool {
    let clouds = ["azure/", "azure_ai/", "bedrock/", "github_copilot/", "chatgpt/", "ft:"];
    clouds.iter().any(|beginning| model.starts_with(beginning))
}

/// The factors of the prices of a vendor's models whose entries have none: the vendor's documents
/// have one for all of them.
fn factors() -> Value {
    serde_json::json!({"claude-": {"batch": 0.5, "us": 1.1, "web_search": 0.01}})
}

/// The members of an entry that are no rates, as far as agents are charged by them.
fn beside(entry: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    let factors = entry["provider_specific_entry"].as_object().into_iter().flatten();
    let factors: Map<String, Value> = factors
        .filter(|(_, factor)| factor.is_number())
        .map(|(name, factor)| (name.clone(), factor.clone()))
        .collect();
    if !factors.is_empty() {
        kept.insert("provider_specific_entry".into(), factors.into());
    }
    let medium = &entry["search_context_cost_per_query"]["search_context_size_medium"];
    if medium.is_number() {
        let search = serde_json::json!({"search_context_size_medium": medium});
        kept.insert("search_context_cost_per_query".into(), search);
    }
    kept
}

/// The table as it is shipped: a line for each model.
fn cut(published: &Value, whole: &Value) -> String {
    let date = published["_source"]["snapshot_date"].as_str().unwrap();
    let commit = published["_source"]["commit"].as_str().unwrap();
    let source = serde_json::json!({
        "name": "LiteLLM", "date": date,
        "file": "BerriAI/litellm model_prices_and_context_window.json", "licence": "MIT",
        "copyright": "Copyright (c) 2023 Berri AI",
        "taken_from": format!("Prajwalsrinvas/token-tariff {commit}"),
        "factors": "https://platform.claude.com/docs/en/about-claude/pricing, excerpts, 2026-11-26",
    });
    let providers = serde_json::json!(PROVIDERS);
    let mut text = format!("{{\"_source\":{source},\n\"providers\":{providers},\n");
    write!(text, "\"factors\":{},\n\"models\":{{\n", factors()).unwrap();
    let models = published["models"].as_object().unwrap();
    let mut lines = Vec::new();
    for (model, entry) in models.iter().filter(|(model, _)| !is_left_out(model)) {
        // The cut table lacks the tiers' factors and the searches, so they come from the whole one.
        let entry = whole.get(model).unwrap_or(entry);
        let rates = entry.as_object().unwrap().iter().filter(|(name, _)| is_rate(name));
        let mut rates: Map<String, Value> =
            rates.map(|(name, rate)| (name.clone(), rate.clone())).collect();
        rates.extend(beside(entry));
        if rates.contains_key(RATES[0]) && rates.contains_key(RATES[1]) {
            lines.push(format!("{}:{}", Value::from(model.as_str()), Value::Object(rates)));
        }
    }
    write!(text, "{}\n}}}}\n", lines.join(",\n")).unwrap();
    text
}

#[test]
fn the_shipped_prices_are_the_published_ones() {
    let Some(path) = samples::shared("vectors/pricing/litellm-agents.json") else { return };
    let read = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let (published, whole) = (read(&path), read(&path.with_file_name("litellm-raw.json")));
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/usage/prices.json");
    let wanted = cut(&published, &whole);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&shipped, &wanted).unwrap();
    }
    assert_eq!(fs::read_to_string(shipped).unwrap(), wanted, "UPDATE=1 renews them");
}
