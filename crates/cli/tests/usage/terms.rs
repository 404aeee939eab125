//! Spans of time and branches as groups, terms of service in the price, and tables of prices.

use serde_json::{Value, json};

use super::common::{Place, put};
use super::{json, names, two_projects};

/// A session with an answer of a priced model, with more in its line and in its counters.
fn answered(place: &Place, day: u32, (model, branch): (&str, &str), counters: &Value) {
    let id = format!("{day:08}-2a0b-4a55-8f3e-0d7a4b1c9e11");
    let mut usage = json!({"input_tokens": 1000, "output_tokens": 0});
    let members = usage.as_object_mut().unwrap();
    members.extend(counters.as_object().cloned().unwrap_or_default());
    let message = json!({"id": format!("msg_{day}"), "role": "assistant", "model": model,
        "content": [], "usage": usage});
    let line = json!({"type": "assistant", "uuid": format!("u{day}"), "sessionId": id,
        "gitBranch": branch, "timestamp": format!("2026-05-{day:02}T10:00:00.000Z"),
        "message": message});
    put(&place.path().join(format!("home/.claude/projects/-w/{id}.jsonl")), &format!("{line}\n"));
}

#[test]
fn the_latest_spans_of_time_are_shown() {
    let place = Place::new();
    for day in 1..=5 {
        answered(&place, day, ("claude-opus-4-6", "main"), &json!({}));
    }
    let ran = place.run(&["usage", "--by", "day", "--utc", "-n", "2"]);
    let days: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("2026-")).collect();
    assert!(days.len() == 2 && days[0].starts_with("2026-05-04"), "{}", ran.out);
    assert!(days[1].starts_with("2026-05-05"), "{}", ran.out);
    assert!(ran.out.contains("3 earlier groups in `all`"), "{}", ran.out);
    // The dearest of all else, and of spans of time that are sorted so.
    let ran = place.run(&["usage", "--by", "session", "-n", "4"]);
    assert!(ran.out.contains("1 more group in `all`"), "{}", ran.out);
}

#[test]
fn a_branch_has_its_sum() {
    let place = Place::new();
    for (day, branch) in [(1, "main"), (2, "vat/round-up"), (3, "main"), (4, "")] {
        answered(&place, day, ("claude-opus-4-6", branch), &json!({}));
    }
    let found = json(&place, &["--by", "branch", "--sort", "name"]);
    assert_eq!(names(&found), ["main", "unknown", "vat/round-up"]);
    assert_eq!(found["groups"][0]["total"], 2000);
}

#[test]
fn terms_of_service_reach_the_price_or_are_named() {
    let price = |model: &str, counters: Value| {
        let place = Place::new();
        answered(&place, 1, (model, "main"), &counters);
        let found = json(&place, &[]);
        (found["all"]["list_price_usd"].to_string(), found["without_list_price"].clone())
    };
    let none = json!([]);
    let usual = json!({"speed": "standard", "service_tier": "standard",
        "inference_geo": "not_available", "server_tool_use": {"web_search_requests": 0}});
    assert_eq!(price("claude-opus-4-6", usual), ("0.005".into(), none.clone()));
    let fast = json!({"speed": "fast"});
    assert_eq!(price("claude-opus-4-6", fast.clone()), ("0.03".into(), none.clone()));
    assert_eq!(price("claude-opus-4-8", fast.clone()), ("0.01".into(), none.clone()));
    let there = json!({"inference_geo": "us"});
    assert_eq!(price("claude-opus-4-6", there), ("0.0055".into(), none.clone()));
    let batch = json!({"service_tier": "batch"});
    assert_eq!(price("claude-opus-4-6", batch), ("0.0025".into(), none.clone()));
    let searches = json!({"server_tool_use": {"web_search_requests": 3}});
    assert_eq!(price("claude-opus-4-6", searches), ("0.035".into(), none));
    let left = json!([{"model": "claude-haiku-4-5", "tier": "fast", "total": 1000}]);
    assert_eq!(price("claude-haiku-4-5", fast), ("null".into(), left));
    let place = Place::new();
    answered(&place, 1, ("claude-haiku-4-5", "main"), &json!({"service_tier": "priority"}));
    let ran = place.run(&["usage"]);
    let note = "without a list price: claude-haiku-4-5 at the tier priority (1,000 tokens)";
    assert!(ran.out.contains(note), "{}", ran.out);
}

/// Prices that were converted from another currency have endless digits.
#[test]
fn an_entry_of_a_table_that_cannot_be_read_is_named_and_left_out() {
    let place = Place::new();
    answered(&place, 1, ("heron-large", "main"), &json!({}));
    answered(&place, 2, ("heron-small", "main"), &json!({}));
    let table = r#"{
        "sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "mode": "chat"},
        "heron-small": {"input_cost_per_token": 1.142857142857143e-07,
            "output_cost_per_token": 1e-06},
        "heron-word": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06,
            "cache_read_input_token_cost": "free"},
        "heron-none": {"input_cost_per_token": null, "output_cost_per_image": 0.04},
        "heron-large": {"input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05,
            "input_cost_per_token_ultrafast": 4e-06, "tiered_pricing": [{"range": [0, 1000]}],
            "cache_read_input_token_cost": null, "litellm_provider": "mill"}}"#;
    put(&place.path().join("new.json"), table);
    let ran = place.run(&["usage", "--prices", "new.json", "--by", "model"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "warning: new.json: left out: heron-small: `input_cost_per_token` is \
         1.142857142857143e-07: a price is 0 or more, with at most 12 digits behind the point\n",
        "warning: new.json: left out: heron-word: `cache_read_input_token_cost` is \"free\": ",
    ] {
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    assert_eq!(ran.err.matches("left out").count(), 2, "{}", ran.err);
    assert!(ran.out.contains("list prices: new.json of "), "{}", ran.out);
    assert!(ran.out.contains("without a list price: heron-small "), "{}", ran.out);
    // None that can be read: the reason of one of them.
    put(&place.path().join("none.json"), r#"{"m": {"input_cost_per_token": -1}}"#);
    let ran = place.run(&["usage", "--prices", "none.json"]);
    let told = "none.json: m: `input_cost_per_token` is -1: ";
    assert!(ran.code != 0 && ran.err.contains(told), "{}", ran.err);
}

#[test]
fn a_table_of_prices_tells_its_age_and_is_bounded() {
    let place = Place::new();
    answered(&place, 1, ("claude-opus-4-6", "main"), &json!({}));
    let ran = place.run(&["usage"]);
    assert!(ran.out.contains(" days old); subscriptions differ"), "{}", ran.out);
    let own = r#"{"_source":{"date":"2020-01-01"},"claude-opus-4-6":{"input_cost_per_token":1,
        "output_cost_per_token":2}}"#;
    put(&place.path().join("own.json"), own);
    let ran = place.run(&["usage", "--prices", "own.json"]);
    assert!(ran.out.contains("list prices: own.json of 2020-01-01 ("), "{}", ran.out);
    let found = json(&place, &["--prices", "own.json"]);
    assert_eq!(
        (&found["prices_date"], &found["prices"]),
        (&json!("2020-01-01"), &json!("own.json of 2020-01-01"),)
    );
    let endless = std::fs::File::create(place.path().join("long.json")).unwrap();
    endless.set_len((64 << 20) + 1).unwrap();
    let ran = place.run(&["usage", "--prices", "long.json"]);
    let told = "long.json: it has more than 67108864 bytes\n  name a table of prices: ";
    assert!(ran.code != 0 && ran.err.contains(told), "{}", ran.err);
}

#[test]
fn a_status_line_has_today_and_the_block() {
    let place = two_projects();
    let ran = place.run(&["usage", "--statusline"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{}", ran.err);
    assert!(ran.out.starts_with("today "), "{}", ran.out);
}

/// A long name of a branch pads no line; a table of no groups is refused; `all` is a number.
#[test]
fn a_table_has_groups_and_a_width() {
    let place = Place::with_sessions();
    let text = std::fs::read_to_string(place.session()).unwrap();
    let long = format!("\"gitBranch\":\"{}\"", "long-".repeat(1000));
    std::fs::write(place.session(), text.replace("\"gitBranch\":\"main\"", &long)).unwrap();
    let ran = place.run(&["usage", "--by", "branch", "-n", "all"]);
    assert!(ran.code == 0 && ran.out.contains("long-long-"), "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.chars().count() < 260), "{}", ran.out);
    let whole = place.run(&["usage", "--by", "branch", "--json"]);
    assert!(whole.out.contains(&"long-".repeat(1000)));
    for wrong in ["0", "few"] {
        let ran = place.run(&["usage", "-n", wrong]);
        assert!(ran.code == 2 && ran.err.contains("or `all`"), "{}", ran.err);
    }
}
