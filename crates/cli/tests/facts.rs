//! Facts by agent and by form: what real files hold, and how much of it the JSON, the page, the
//! Markdown and the terminal show. The counts are made from the outputs of the program by searching
//! their text, and the times and tokens again from the agents' own JSON.
//!
//! `UPDATE=1` renews the tables in `docs/facts.md`. A form that shows another number than the JSON
//! holds is a failure. So is a fact of which the files of an agent hold nothing, unless `NOTHING`
//! names it with the reason: a row of zeros shows nothing.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{Place, ran_on_terminal};
use regex::Regex;
use serde_json::Value;

/// The agents, and below which folder of the real files theirs are.
const AGENTS: [(&str, &str); 10] = [
    ("claude-code", "corpus/claude-code"),
    ("codex", "corpus/codex"),
    ("copilot", "corpus-next/copilot"),
    ("cursor", "corpus/cursor"),
    ("gemini", "corpus/gemini"),
    ("openclaw", "corpus-next/pi"),
    ("opencode", "corpus/opencode"),
    ("pi", "corpus-next/pi"),
    ("qwen", "corpus-next/qwen"),
    ("codewhale", "corpus/codewhale"),
];

/// The greatest file that is taken, and the number of files of an agent.
const LARGEST: u64 = 300_000;
const FILES: usize = 2;

/// Facts of which the counted files of an agent hold nothing, with the reason.
const NOTHING: [(&str, &str, &str); 24] = [
    ("claude-code", "agents", NO_AGENTS),
    ("codex", "agents", NO_AGENTS),
    ("copilot", "failures", "no call of these sessions failed"),
    ("copilot", "lines", "the one call that wrote a file does not say which lines were new"),
    ("copilot", "agents", NO_AGENTS),
    ("cursor", "calls", TEXTS),
    ("cursor", "times", TEXTS),
    ("cursor", "failures", TEXTS),
    ("cursor", "spans", TEXTS),
    ("cursor", "tokens", TEXTS),
    ("cursor", "money", TEXTS),
    ("cursor", "lines", TEXTS),
    ("cursor", "agents", TEXTS),
    ("gemini", "agents", NO_AGENTS),
    ("openclaw", "lines", "the calls that would change lines have no result in these sessions"),
    ("openclaw", "agents", NO_AGENTS),
    ("opencode", "agents", NO_AGENTS),
    ("pi", "money", "the recorded cost is 0 beside tokens, and no list has a price of the models"),
    ("pi", "agents", NO_AGENTS),
    ("codewhale", "failures", "the only call did not fail"),
    ("codewhale", "tokens", "no record has numbers of tokens"),
    ("codewhale", "money", "no record has a cost or numbers of tokens"),
    ("codewhale", "lines", "the only call changed no file"),
    ("codewhale", "agents", NO_AGENTS),
];
const NO_AGENTS: &str = "no call of these sessions started a sub-agent";
const TEXTS: &str = "these transcripts hold texts alone";

/// The head of the table of what is not counted.
const UNCOUNTED: &str = "\
The counted files hold nothing of these facts. Each is named in the test with its reason:

| agent | fact | reason |
|---|---|---|";

/// Facts, by their name and the form: how many there are.
type Facts = BTreeMap<(&'static str, &'static str), u64>;

const FORMS: [&str; 4] = ["json", "page", "markdown", "show"];

/// The facts, each with what it counts.
const FACTS: [(&str, &str); 9] = [
    ("calls", "calls of tools"),
    ("times", "calls with a time"),
    ("failures", "calls that failed"),
    ("spans", "turns with a duration"),
    ("tokens", "turns with tokens"),
    ("money", "turns with a price"),
    ("lines", "lines that calls inserted and deleted"),
    ("agents", "sub-agents with their sums"),
    ("titles", "titles that are no wrapper, folder or heading"),
];

fn files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let length = entry.metadata().map_or(0, |meta| meta.len());
            let is_text = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
            match path.is_dir() {
                true => folders.push(path),
                false if is_text && length > 2000 && length < LARGEST => found.push((length, path)),
                false => {}
            }
        }
    }
    // The largest first; of equal ones in the order of their names.
    found.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    found.into_iter().map(|(_, path)| path).collect()
}

fn matches(pattern: &str, text: &str) -> u64 {
    Regex::new(pattern).unwrap().find_iter(text).count() as u64
}

/// The changed lines of a call in Markdown that was done.
const APPLIED: &str = r"^- \u{2713} .* \+\d+ \u{2212}\d+(?: \u{b7}|$)";

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

fn is_title(title: &str, folder: &str) -> bool {
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
fn of_json(document: &Value) -> Facts {
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
fn texts(pattern: &str, page: &str) -> Vec<String> {
    let tag = Regex::new("<[^>]*>").unwrap();
    let found = Regex::new(pattern).unwrap();
    found.find_iter(page).map(|it| tag.replace_all(it.as_str(), " ").into_owned()).collect()
}

fn of_page(page: &str) -> Facts {
    let mut facts = Facts::new();
    let lines = texts(r#"(?s)<summary><span class="mark.*?</summary>"#, page);
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
        (
            "lines",
            changed_lines(
                r#"</span>\s*<span class="change">[^<]*</span>\s*(?:▣ )?<span class="outcome""#,
                page,
            ),
        ),
        ("agents", matches("class=\"within-sum\"", page)),
    ] {
        facts.insert((name, "page"), number);
    }
    facts
}

fn of_markdown(text: &str) -> Facts {
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

fn of_show(text: &str) -> Facts {
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

/// The facts of one file in each form; `None` if it is no session of the agent.
fn of_file(place: &Place, agent: &str, file: &Path) -> Option<(Facts, Value)> {
    let name = file.to_str().unwrap();
    let json = place.run(&["show", "--json", name]);
    let document: Value = serde_json::from_str(&json.out).ok()?;
    let session = &document["session"];
    if session["format"] != *agent || document["turns"].as_array()?.is_empty() {
        return None;
    }
    let mut facts = of_json(&document);
    let exported = |form: &str| {
        let out = place.path().join(format!("out.{form}"));
        let out = out.to_str().unwrap();
        let ran = place.run(&["export", name, "--unredacted", "-o", out, "--force"]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        std::fs::read_to_string(out).unwrap()
    };
    let (page, text) = (exported("html"), exported("md"));
    facts.extend(of_page(&page));
    facts.extend(of_markdown(&text));
    let (code, shown, err) =
        ran_on_terminal(place, &["show", name, "--utc", "--color", "never"], 2000, &[]);
    assert_eq!(code, 0, "{name}: {err}");
    facts.extend(of_show(&shown));
    let folder = Regex::new("<dt>folder</dt><dd>([^<]*)").unwrap();
    let folder = folder.captures(&page).map_or("", |found| found.get(1).unwrap().as_str());
    let heading = texts("(?s)<h1>.*?</h1>", &page).concat();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("# ");
    let listed = place.run(&["list", name]);
    let row = listed.out.lines().nth(1).unwrap_or_default().to_owned();
    let row = row.split('\t').nth(2).unwrap_or_default().trim_start_matches("› ").to_owned();
    for (form, title) in [("page", &*heading), ("markdown", first), ("show", &*row)] {
        // A session without a word has no title in a list.
        let is_empty = form == "show" && title.is_empty();
        facts.insert(("titles", form), u64::from(is_empty || is_title(title, folder)));
    }
    let listed: Value = serde_json::from_str(&place.run(&["list", "--json", name]).out).unwrap();
    let one = &listed["sessions"][0];
    // A title that the agent recorded, else the first prompt.
    let title = one["title"].as_str().or(one["prompt"].as_str()).unwrap_or_default();
    let is_empty = title.is_empty();
    facts.insert(("titles", "json"), u64::from(is_empty || is_title(title, folder)));
    judged(agent, file, &document);
    Some((facts, document))
}

/// Compares times and tokens with those that the agent's own JSON has, where it has one line for
/// each message.
fn judged(agent: &str, file: &Path, document: &Value) {
    if agent != "claude-code" {
        return;
    }
    let text = std::fs::read_to_string(file).unwrap();
    let mut begun: BTreeMap<String, String> = BTreeMap::new();
    let mut spans: BTreeMap<String, (String, String)> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(time) = line["timestamp"].as_str() else { continue };
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            let id = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str() {
                Some("tool_use") => {
                    begun.entry(id("id")).or_insert_with(|| time.to_owned());
                }
                Some("tool_result") => {
                    if let Some(began) = begun.get(&id("tool_use_id")) {
                        spans
                            .entry(id("tool_use_id"))
                            .or_insert_with(|| (began.clone(), time.to_owned()));
                    }
                }
                _ => {}
            }
        }
    }
    let plain = |time: &str| time.trim_end_matches('Z').trim_end_matches('0').to_owned();
    let mut compared = 0;
    for event in document["events"].as_array().unwrap() {
        let fields = event["fields"].as_array().into_iter().flatten();
        let mut ids = fields.filter(|field| field["slot"] == "call").map(|field| &field["value"]);
        let Some(id) = ids.next().and_then(Value::as_str) else { continue };
        if event["kind"] == "tool-call"
            && let Some((began, ended)) = spans.get(id)
            && let (Some(ours), Some(end)) = (event["began"].as_str(), event["ended"].as_str())
        {
            assert_eq!((plain(ours), plain(end)), (plain(began), plain(ended)), "{id}");
            compared += 1;
        }
    }
    let calls = spans.len();
    assert!(compared * 10 >= calls * 9, "{}: {compared} of {calls}", file.display());
}

/// The tokens and the money of the turns are those that `usage` counts.
fn same_as_usage(place: &Place, file: &Path, document: &Value) {
    let usage = place.run(&["usage", "--json", file.to_str().unwrap()]);
    let usage: Value = serde_json::from_str(&usage.out).unwrap();
    let sum = |name: &str| -> u64 {
        let turns = document["turns"].as_array().unwrap().iter();
        turns.filter_map(|turn| turn["usage"][name].as_u64()).sum()
    };
    for name in ["input", "cache_read", "cache_write", "output"] {
        if let Some(theirs) = usage["all"]["tokens"][name].as_u64() {
            assert_eq!(sum(name), theirs, "{name} of {}", file.display());
        }
    }
}

#[test]
fn each_form_shows_what_the_files_hold() {
    let Some(shared) = samples::shared("corpus") else { return };
    let shared = shared.parent().unwrap();
    let place = Place::new();
    let (mut table, mut nothing, mut wrong) = (String::new(), String::new(), Vec::new());
    writeln!(table, "| agent | files | fact | {} |", FORMS.join(" | ")).unwrap();
    writeln!(table, "|---|---:|---|{}", "---:|".repeat(FORMS.len())).unwrap();
    for (agent, below) in AGENTS {
        let below = shared.join(below);
        if !below.is_dir() {
            wrong.push(format!("{agent}: no files at {}", below.display()));
            continue;
        }
        let mut sum = Facts::new();
        let mut taken = 0;
        for file in files(&below).iter().take(20) {
            let Some((facts, document)) = of_file(&place, agent, file) else { continue };
            for (fact, number) in facts {
                *sum.entry(fact).or_default() += number;
            }
            same_as_usage(&place, file, &document);
            taken += 1;
            if taken == FILES {
                break;
            }
        }
        assert!(taken > 0, "{agent}: no session");
        for (fact, words) in FACTS {
            let of = |form: &'static str| sum.get(&(fact, form)).copied().unwrap_or(0);
            let held = of("json");
            let why = NOTHING.iter().find(|(of, at, _)| (*of, *at) == (agent, fact));
            let is_nothing = FORMS.iter().all(|form| of(form) == 0);
            match (is_nothing, why) {
                (false, None) => {
                    let numbers = FORMS.map(|form| of(form).to_string()).join(" | ");
                    writeln!(table, "| {agent} | {taken} | {words} | {numbers} |").unwrap();
                }
                (true, Some((.., why))) => {
                    writeln!(nothing, "| {agent} | {words} | {why} |").unwrap();
                }
                (true, None) => wrong.push(format!("{agent}: {fact}: nothing is counted")),
                (false, Some(_)) => wrong.push(format!("{agent}: {fact}: it is counted")),
            }
            for form in FORMS {
                if of(form) != held {
                    wrong.push(format!("{agent}: {fact} in {form}: {} of {held}", of(form)));
                }
            }
        }
    }
    let path = samples::workspace().join("docs/facts.md");
    let document = std::fs::read_to_string(&path).unwrap_or_default();
    let head = document.split("\n| agent |").next().unwrap_or_default().trim_end().to_owned();
    let whole = format!("{head}\n\n{table}\n{UNCOUNTED}\n{nothing}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(document == whole || std::env::var_os("UPDATE").is_some(), "UPDATE=1 renews the table");
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
