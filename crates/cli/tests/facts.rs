//! Facts by agent and by form: what real files hold, and how much of it the JSON, the page, the
//! Markdown and the terminal show. The counts are made from the outputs of the program by searching
//! their text, and the times and tokens again from the agents' own JSON.
//!
//! `UPDATE=1` renews the tables in `docs/facts.md`. A form that shows another number than the JSON
//! holds is a failure. So is a fact of which the files of an agent hold nothing, unless `NOTHING`
//! names it with the reason: a row of zeros shows nothing.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "facts/counted.rs"]
mod counted;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{Place, ran_on_terminal};
use counted::{Facts, is_title, of_json, of_markdown, of_page, of_show, texts};
use regex::Regex;
use serde_json::Value;

/// The agents, and below which folder of the real files theirs are.
const AGENTS: [(&str, &str); 11] = [
    ("claude-code", "corpus/claude-code"),
    ("cline", "corpus-next/cline/lab-cline-3.0.65/work"),
    ("codex", "corpus/codex"),
    ("copilot", "corpus-next/copilot"),
    ("cursor", "corpus/cursor"),
    ("gemini", "corpus/gemini"),
    ("openclaw", "corpus-next/pi"),
    ("opencode", "corpus/opencode"),
    ("pi", "corpus-next/pi"),
    ("qwen", "corpus-next/qwen/lab-qwen-0.24.4"),
    ("codewhale", "corpus/codewhale"),
];

/// The greatest file that is taken, and the number of files of an agent.
const LARGEST: u64 = 300_000;
const FILES: usize = 2;

/// Facts of which the counted files of an agent hold nothing, with the reason.
const NOTHING: [(&str, &str, &str); 28] = [
    ("claude-code", "agents", NO_AGENTS),
    ("cline", "money", "no answer has a cost, and no list has a price of the model"),
    ("cline", "agents", NO_AGENTS),
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
    ("qwen", "money", "no record has a cost, and no list has a price of the model"),
    ("qwen", "agents", NO_AGENTS),
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
