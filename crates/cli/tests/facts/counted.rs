//! Counts of facts in each form, from its text alone.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

/// Facts, by their name and the form: how many there are.
pub(crate) type Facts = BTreeMap<(&'static str, &'static str), u64>;

fn matches(pattern: &str, text: &str) -> u64 {
    Regex::new(pattern).unwrap().find_iter(text).count() as u64
}

/// The changed lines of a call in Markdown that was done.
const APPLIED: &str = r"^- \u{2713} .* \+\d+ \u{2212}\d+(?: \u{b7}|$)";

/// The changed lines of a call of a page that was done.
const CHANGE: &str = r#"<span class="change">[^<]*</span>"#;

/// The sum of the numbers `+12 −3` in what a pattern finds.
fn changed_lines(pattern: &str, text: &str) -> u64 {
    let counts = Regex::new(r"\+(\d+) \u{2212}(\d+)").unwrap();
    let found = Regex::new(pattern).unwrap();
    let numbers = found.find_iter(text).filter_map(|found| {
        let last = counts.captures_iter(found.as_str()).last()?;
        Some(last[1].parse::<u64>().unwrap() + last[2].parse::<u64>().unwrap())
    });
    numbers.sum()
}

pub(crate) fn is_title(title: &str, folder: &str) -> bool {
    let title = title.trim();
    !title.is_empty() && !title.starts_with(['<', '#']) && title != folder
}

/// The length of time, or a time of day, at the end of the line of a call.
const TIME: &str = r"(?:\d+ (?:ms|s|min)|\d+ h \d+ min|\d\d:\d\d:\d\d)";
/// The length of a turn at the beginning of its facts.
const SPAN: &str = r"(?:\d+ (?:ms|s|min)|\d+ h \d+ min)";
/// Tokens in words.
const TOKENS: &str = r"\d[\d.]*[kM]? (?:in|cached|out|by tools|tokens)\b";

/// The facts of a document of `show --json`, of what a brief transcript shows.
pub(crate) fn of_json(document: &Value) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name, number: u64| *facts.entry((name, "json")).or_default() += number;
    let events = document["events"].as_array().unwrap();
    let shown = |event: &Value| {
        let live = |event: &Value| matches!(event["standing"].as_str(), Some("live" | "compacted"));
        let parent = event["parent"].as_u64();
        let above = parent.and_then(|at| events.iter().find(|it| it["event"].as_u64() == Some(at)));
        live(event) && above.is_none_or(live)
    };
    let is_call = |event: &&Value| event["kind"] == "tool-call" && shown(event);
    for call in events.iter().filter(is_call) {
        add("calls", 1);
        let timed = call["took_ms"].is_number() || call["began"].is_string();
        add("times", u64::from(timed));
    }
    for turn in document["turns"].as_array().unwrap() {
        let number = |of: &Value| of.as_u64().unwrap_or(0);
        add("failures", number(&turn["failed"]));
        add("lines", number(&turn["inserted"]) + number(&turn["deleted"]));
        let agents = turn["sub_agents"].as_array().map_or(0, Vec::len);
        add("agents", agents as u64);
        if turn["turn"] == 0 {
            continue;
        }
        add("spans", u64::from(turn["took_ms"].as_u64().is_some_and(|took| took > 0)));
        add("tokens", u64::from(number(&turn["tokens"]) > 0));
        let usage = &turn["usage"];
        let priced = usage["recorded_usd"].is_string() || usage["listed_usd"].is_string();
        add("money", u64::from(priced));
    }
    facts
}

/// The text of a page without its elements, for each element that a pattern finds.
pub(crate) fn texts(pattern: &str, page: &str) -> Vec<String> {
    let tag = Regex::new("<[^>]*>").unwrap();
    let found = Regex::new(pattern).unwrap();
    found.find_iter(page).map(|it| tag.replace_all(it.as_str(), " ").into_owned()).collect()
}

pub(crate) fn of_page(page: &str) -> Facts {
    let mut facts = Facts::new();
    let lines = texts(r#"(?s)<summary><span class="mark.*?</summary>"#, page);
    let done = Regex::new(r#"(?s)<summary><span class="mark".*?</summary>"#).unwrap();
    let done: Vec<&str> = done.find_iter(page).map(|line| line.as_str()).collect();
    let calls: Vec<&String> = lines.iter().filter(|line| !line.contains("  result  ")).collect();
    let turns = texts(r#"(?s)</h2>\s*<p class="when">.*?</p>"#, page);
    let with = |lines: &[String], pattern: &str| {
        lines.iter().filter(|line| matches(pattern, line) > 0).count() as u64
    };
    let span = format!(r"^\s*(?:\d{{4}}-\d\d-\d\d \d\d:\d\d\s+\u{{b7}} )?\s*{SPAN}\b");
    for (name, number) in [
        ("calls", calls.len() as u64),
        ("times", matches("class=\"took\"", page)),
        ("failures", matches(r#"class="item[a-z ]* k-call k-bad""#, page)),
        ("spans", with(&turns, &span)),
        ("tokens", with(&turns, TOKENS)),
        ("money", with(&turns, r"\$\d")),
        ("lines", done.iter().map(|line| changed_lines(CHANGE, line)).sum()),
        ("agents", matches("class=\"within-sum\"", page)),
    ] {
        facts.insert((name, "page"), number);
    }
    facts
}

pub(crate) fn of_markdown(text: &str) -> Facts {
    let mut facts = Facts::new();
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_call = |line: &&&str| {
        let known = ["- \u{2713} **", "- \u{2717} **", "- \u{2026} **"];
        known.iter().any(|begin| line.starts_with(begin)) && !line[6..].starts_with("**result**")
    };
    let calls: Vec<&&str> = lines.iter().filter(is_call).collect();
    let is_remark = |line: &&&str| line.starts_with('*') && line.ends_with('*');
    let turns = || lines.iter().filter(is_remark);
    let count =
        |pattern: &str| calls.iter().filter(|line| matches(pattern, line) > 0).count() as u64;
    let of_turns = |pattern: &str| {
        turns().filter(|line| !line.contains("in parallel") && matches(pattern, line) > 0).count()
            as u64
    };
    let bad = |line: &&&&str| line.starts_with("- \u{2717}");
    for (name, number) in [
        ("calls", calls.len() as u64),
        ("times", count(&format!("\u{b7} {TIME}$"))),
        ("failures", calls.iter().filter(bad).count() as u64),
        ("spans", of_turns(&format!(r"^\*{SPAN}\b"))),
        ("tokens", of_turns(TOKENS)),
        ("money", of_turns(&format!(r"{TOKENS}.*\$\d"))),
        ("lines", calls.iter().map(|line| changed_lines(APPLIED, line)).sum()),
        ("agents", count("\u{2442}")),
    ] {
        facts.insert((name, "markdown"), number);
    }
    facts
}

pub(crate) fn of_show(text: &str) -> Facts {
    let mut facts = Facts::new();
    // Of a sub-agent the lines have a margin.
    let lines = text.lines().map(|line| line.trim_start_matches(['\u{2502}', ' ']));
    let lines: Vec<&str> = lines.collect();
    let ends = Regex::new("  (?:\u{2713}|\u{2717}|\u{b7} no result)").unwrap();
    let is_call = |line: &&&str| line.starts_with("\u{2192} ") && ends.is_match(line);
    let calls: Vec<&&str> = lines.iter().filter(is_call).collect();
    // The facts of a turn take one line or two.
    let facts_of = lines.windows(2).filter(|rows| rows[0].starts_with("\u{2514} "));
    let turns: Vec<String> = facts_of.map(|rows| format!("{} {}", rows[0], rows[1])).collect();
    let count =
        |pattern: &str| calls.iter().filter(|line| matches(pattern, line) > 0).count() as u64;
    let of_turns =
        |pattern: &str| turns.iter().filter(|line| matches(pattern, line) > 0).count() as u64;
    for (name, number) in [
        ("calls", calls.len() as u64),
        ("times", count(&format!("  {TIME}$"))),
        ("failures", count("  \u{2717} ")),
        ("spans", of_turns(&format!("^\u{2514} {SPAN}\\b"))),
        ("tokens", of_turns(TOKENS)),
        ("money", of_turns(r"\$\d")),
        (
            "lines",
            calls.iter().map(|l| changed_lines(r"  \u{2713} \+\d+ \u{2212}\d+(?:  |$)", l)).sum(),
        ),
        ("agents", matches(r"(?m)^[\u{2502} ]*\u{2442} ", text)),
    ] {
        facts.insert((name, "show"), number);
    }
    facts
}

#[test]
fn the_counts_can_fail() {
    let page = "<h2>1</h2><p class=\"when\">2 s \u{b7} 5 in \u{b7} $1.00</p>\
        <summary><span class=\"mark\">\u{2713}</span> <b class=\"name\">Read</b> </summary>";
    let facts = of_page(page);
    assert_eq!(facts[&("calls", "page")], 1);
    assert_eq!(facts[&("times", "page")], 0);
    assert_eq!((facts[&("tokens", "page")], facts[&("money", "page")]), (1, 1));
    let text = "\u{258c} 1 of 2  2026-01-01 10:00\n\u{2514} 2 s\n\u{2192} Read  a  \u{2713} 3\n";
    let facts = of_show(text);
    assert_eq!((facts[&("calls", "show")], facts[&("times", "show")]), (1, 0));
    assert_eq!((facts[&("spans", "show")], facts[&("money", "show")]), (1, 0));
    let text = "- \u{2717} **Read** `a` \u{b7} no file \u{b7} 3 s\n";
    let facts = of_markdown(text);
    assert_eq!((facts[&("failures", "markdown")], facts[&("times", "markdown")]), (1, 1));
    let text = "- \u{2713} **Edit** `a +7 \u{2212}7` +3 \u{2212}2 \u{b7} 1 s\n\
        - \u{2717} **Edit** `a` +9 \u{2212}9 \u{b7} no\n";
    assert_eq!(of_markdown(text)[&("lines", "markdown")], 5);
    assert!(!is_title("<user_query>", "/farm") && !is_title("/farm", "/farm"));
}
