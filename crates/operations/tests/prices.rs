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

/// Whether a member is a rate, or a rate for a long context.
fn is_rate(name: &str) -> bool {
    let long = name.strip_suffix("k_tokens").and_then(|name| name.rsplit_once("_above_"));
    let name = long.filter(|(_, n)| n.parse::<u64>().is_ok()).map_or(name, |(name, _)| name);
    RATES.contains(&name)
}

/// Names of models that no agent writes: regions and resellers of the large clouds, and models that
/// were tuned for one customer.
fn is_left_out(model: &str) -> bool {
    let clouds = ["azure/", "azure_ai/", "bedrock/", "github_copilot/", "chatgpt/", "ft:"];
    let regions = ["apac.", "au.", "eu.", "global.", "jp.", "us.", "us-gov."];
    clouds.iter().chain(&regions).any(|beginning| model.starts_with(beginning))
}

/// The table as it is shipped: a line for each model.
fn cut(published: &Value) -> String {
    let date = published["_source"]["snapshot_date"].as_str().unwrap();
    let commit = published["_source"]["commit"].as_str().unwrap();
    let source = serde_json::json!({
        "name": "LiteLLM", "date": date,
        "file": "BerriAI/litellm model_prices_and_context_window.json", "licence": "MIT",
        "copyright": "Copyright (c) 2023 Berri AI",
        "taken_from": format!("Prajwalsrinvas/token-tariff {commit}"),
    });
    let providers = serde_json::json!(PROVIDERS);
    let mut text = format!("{{\"_source\":{source},\n\"providers\":{providers},\n\"models\":{{\n");
    let models = published["models"].as_object().unwrap();
    let mut lines = Vec::new();
    for (model, entry) in models.iter().filter(|(model, _)| !is_left_out(model)) {
        let rates = entry.as_object().unwrap().iter().filter(|(name, _)| is_rate(name));
        let rates: Map<String, Value> =
            rates.map(|(name, rate)| (name.clone(), rate.clone())).collect();
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
    let published = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/usage/prices.json");
    let wanted = cut(&published);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&shipped, &wanted).unwrap();
    }
    assert_eq!(fs::read_to_string(shipped).unwrap(), wanted, "UPDATE=1 renews them");
}
