//! Forks that do not say where their own turns begin, and the source of each price.

use super::common::{Place, put};
use super::{SHOP, SITE, json, two_projects};

/// A line of a rollout, so many milliseconds after half past ten.
fn line(millis: u32, kind: &str, payload: &str) -> String {
    let time = format!("2025-10-16T10:30:{:02}.{:03}Z", millis / 1000, millis % 1000);
    format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
}

/// A turn. Each costs the same: only the texts differ.
fn turn(number: u64, at: u32, said: &str) -> String {
    let item = |role: &str, kind: &str, text: &str| {
        format!(
            "{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{kind}\",\
                 \"text\":\"{text}\"}}]}}"
        )
    };
    let usage = |count: u64| {
        format!("{{\"input_tokens\":{},\"output_tokens\":{}}}", 1200 * count, 100 * count)
    };
    let info = format!(
        "{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{},\
             \"last_token_usage\":{}}}}}",
        usage(number),
        usage(1)
    );
    [
        line(at, "turn_context", "{\"cwd\":\"/srv/mill\",\"model\":\"gpt-5-codex\"}"),
        line(at, "response_item", &item("user", "input_text", &format!("Turn to {said}"))),
        line(at + 50, "response_item", &item("assistant", "output_text", said)),
        line(at + 50, "event_msg", &info),
    ]
    .concat()
}

/// A fork whose own first turn ends within the second in which the copy was written: no turn says
/// when it began, and what was said tells which answers are copies.
#[test]
fn a_forks_own_first_turn_within_the_same_second_counts() {
    let place = Place::new();
    let meta = |id: &str, more: &str| {
        format!("{{\"id\":\"{id}\",\"cwd\":\"/srv/mill\",\"cli_version\":\"0.44.0\"{more}}}")
    };
    let [first, second] = [SHOP, SITE];
    let put = |id: &str, text: &str| {
        let name = format!("sessions/2025/10/16/rollout-2025-10-16T11-30-00-{id}.jsonl");
        put(&place.path().join("home/.codex").join(name), text);
    };
    let forked = format!(",\"forked_from_id\":\"{first}\"");
    let whole = |own: &str| {
        let head = line(30_000, "session_meta", &meta(second, &forked));
        head + &turn(1, 30_000, "the wheel") + &turn(2, 30_000, "the sluice") + own
    };
    let parent = line(0, "session_meta", &meta(first, ""))
        + &turn(1, 2_000, "the wheel")
        + &turn(2, 4_000, "the sluice")
        + &turn(3, 6_000, "the race");
    put(first, &parent);
    let total = || json(&place, &[])["all"]["total"].as_u64().unwrap();
    for (own, tokens) in [
        (String::new(), 3 * 1300),
        // As in the other session the third answer, by its counters.
        (turn(3, 30_200, "the stones"), 4 * 1300),
        (turn(3, 30_200, "the stones") + &turn(4, 34_000, "the sacks"), 5 * 1300),
        (turn(3, 34_000, "the stones"), 4 * 1300),
        // This is a copy too.
        (turn(3, 30_000, "the race"), 3 * 1300),
    ] {
        put(second, &whole(&own));
        assert_eq!(total(), tokens, "{own}");
    }
}

/// The line of the prices names every table that a price comes from; a recorded cost of nothing
/// beside answers that record none is no sum.
#[test]
fn the_prices_of_newer_models_have_their_own_source() {
    let place = two_projects();
    let line = |place: &Place| {
        let out = place.run(&["usage"]).out;
        out.lines().find(|line| line.starts_with("list prices: ")).unwrap().to_owned()
    };
    assert!(!line(&place).contains("newer models"), "{}", line(&place));
    let path = place.path().join(format!("home/.claude/projects/-{SITE}/{SITE}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    put(&path, &text.replace("claude-opus-4-6", "claude-opus-5-5"));
    let said = line(&place);
    assert!(said.contains("LiteLLM of 2026-08-01 ("), "{said}");
    assert!(said.contains(" old), and models.dev and yoagent of 2026-09"), "{said}");
    assert!(said.ends_with(" for newer models; subscriptions differ"), "{said}");
    let json = json(&place, &[]);
    assert!(json["prices"].as_str().unwrap().contains("for newer models"), "{json}");

    let at = "home/.local/share/opencode/storage/message/ses_1";
    let free = r#"{"id":"msg_1","sessionID":"ses_1","role":"assistant","modelID":"claude-opus-4-6",
        "cost":0,"tokens":{"input":5,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},
        "time":{"created":1770000000000,"completed":1770000001000}}"#;
    put(&place.path().join(format!("{at}/msg_1.json")), free);
    let session = r#"{"id":"ses_1","directory":"/home/ana/pond","title":"Pond","version":"1.1.0",
        "time":{"created":1770000000000,"updated":1770000001000}}"#;
    let at = "home/.local/share/opencode/storage/session/p1/ses_1.json";
    put(&place.path().join(at), session);
    let out = place.run(&["usage", "--by", "agent"]).out;
    assert!(out.contains("opencode") && out.contains("$0.0000"), "{out}");
    assert!(!out.contains("$0.0000 + ?"), "{out}");
}
