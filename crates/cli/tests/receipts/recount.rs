//! The numbers of receipts, counted anew from the raw files by a script in another language.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use receipt::SessionTurns;
use serde_json::{Value, json};

use super::acts::{self, claude, prompt, says};
use crate::common::Place;

/// The script that counts, with a version of Python that has it; `None` without one.
fn counter() -> Option<Command> {
    let has =
        Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !has {
        eprintln!("skipped: there is no python3");
        return None;
    }
    let mut command = Command::new("python3");
    command.arg(samples::workspace().join("crates/cli/tests/receipts/recount.py"));
    Some(command)
}

/// The answer of the script about sessions.
fn recounted(mut counter: Command, sessions: &[Value]) -> Value {
    let mut child = counter.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = sessions.iter().map(|session| format!("{session}\n")).collect();
    let mut input = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    assert!(output.status.success(), "the script failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The sessions in the files below a folder, with the receipts of their turns.
fn sessions(folder: &Path) -> Vec<Value> {
    let machine = catalog::Machine { home: None, ..catalog::Machine::default() };
    let catalog = catalog::Catalog { formats: formats::ALL, machine };
    let mut all = Vec::new();
    for source in catalog.find(&[folder.to_path_buf()]).sources {
        let files: Vec<&Path> = source.files.iter().map(|file| &*file.path).collect();
        let Ok(opened) = catalog.read(&source) else { continue };
        for session in opened.sessions.iter().filter(|session| !session.remainder) {
            let turns = SessionTurns::of(session);
            let receipts: Vec<Value> = (1..=turns.len())
                .map(|number| turns.receipt(number, true).unwrap())
                .map(|receipt| serde_json::from_str(&receipt.json(true).unwrap()).unwrap())
                .collect();
            all.push(json!({"agent": session.format, "files": files, "receipts": receipts,
                "rewound": !turns.rewound().is_empty()}));
        }
    }
    all
}

/// The folders of the agents whose files the counter reads.
const AGENTS: [&str; 15] = [
    "claude_code",
    "codex",
    "gemini",
    "opencode",
    "cursor",
    "sage",
    "codewhale",
    "copilot",
    "pi",
    "openclaw",
    "oh_my_pi",
    "qwen",
    "cline",
    "roo_code",
    "kilo_code",
];

/// The faults that the counter finds, and its whole answer.
fn judged(counter: Command, sessions: &[Value]) -> (Vec<String>, Value) {
    let told = recounted(counter, sessions);
    let wrong = told["wrong"].as_array().unwrap();
    (wrong.iter().map(|one| one.as_str().unwrap().to_owned()).collect(), told)
}

#[test]
fn each_number_of_the_samples_is_that_of_the_raw_records() {
    let Some(counter) = counter() else { return };
    let mut all = Vec::new();
    for agent in AGENTS {
        all.extend(sessions(&crate::formats().join("agents").join(agent).join("samples")));
    }
    all.retain(|session| {
        !ODD.iter().any(|odd| session["files"][0].as_str().unwrap().contains(odd))
    });
    let (wrong, told) = judged(counter, &all);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told["numbers"].as_u64().unwrap() > 200, "{}", told["numbers"]);
}

/// The counter itself can fail: it sees each number that is another one, and each byte.
#[test]
fn another_number_is_seen_by_the_counter() {
    if counter().is_none() {
        return;
    }
    let place = Place::new();
    let text = claude(&[prompt("weed"), says("m1", "Weeded."), prompt("rake"), says("m2", "No.")]);
    let path = acts::put(&place, &text);
    let good = acts::receipts(&place, path.to_str().unwrap()).remove(0);
    let judge = |receipt: Value| {
        let session = json!({"agent": "claude-code", "files": [path], "receipts": [receipt]});
        judged(counter().unwrap(), &[session]).0
    };
    assert_eq!(judge(good.clone()), [""; 0]);
    for name in ["commands_executed", "files_changed", "calls_refused", "calls_failed"] {
        let mut other = good.clone();
        other["account"][name]["count"] = 1.into();
        assert!(judge(other).iter().any(|wrong| wrong.contains(name)), "{name}");
    }
    let mut other = good.clone();
    other["turn"]["status"] = "interrupted".into();
    assert!(judge(other).iter().any(|wrong| wrong.contains("it is interrupted")));
    let mut other = good.clone();
    other["evidence"]["ranges"][0]["end"] = 9.into();
    assert!(!judge(other).is_empty());
    let mut other = good;
    other["account"]["tool_calls"]["zero_by"] = "tree".into();
    assert!(!judge(other).is_empty());
}

/// A number of each agent that is another one is seen, in the samples of its own files.
#[test]
fn another_number_of_any_agent_is_seen_by_the_counter() {
    if counter().is_none() {
        return;
    }
    for agent in AGENTS {
        let mut all = sessions(&crate::formats().join("agents").join(agent).join("samples"));
        all.retain(|session| {
            !ODD.iter().any(|odd| session["files"][0].as_str().unwrap().contains(odd))
        });
        let (_, told) = judged(counter().unwrap(), &all);
        let own: u64 = told["read"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert!(own > 0, "{agent}: none of its turns was read");
        let mut seen = 0;
        for session in &mut all {
            for receipt in session["receipts"].as_array_mut().unwrap() {
                let number = &mut receipt["account"]["tool_calls"]["count"];
                if let Some(count) = number.as_u64().filter(|count| *count > 0) {
                    *number = (count + 1).into();
                    seen += 1;
                }
            }
        }
        let (wrong, _) = judged(counter().unwrap(), &all);
        let found = wrong.iter().filter(|one| one.contains("tool_calls is")).count();
        assert!(found > 0 && found <= seen, "{agent}: {found} of {seen}");
    }
}

/// Files with records of other programs, or of several generations at once: the counter reads a
/// part of them only.
const ODD: [&str; 10] = [
    "codex_api_design.jsonl",
    "codex_session.jsonl",
    "gemini_debugging.jsonl",
    "opencode_session.jsonl",
    "stage0/agents/codex",
    "019e6000-1000-7000-8000-0000000000a1",
    "01a13f00-0000-7000-8000-0000000000d1",
    "ses_7a44c1d90ffeKt5hNw2RzQ8vYx",
    "3c9d2f10",
    // A checkpoint repeats the messages of all turns.
    "session-2026-07-01T06-00-aa11bb22",
];

/// Every receipt of the real sessions; and the table in the docs of what is not available.
#[test]
fn each_number_of_the_real_sessions_is_that_of_the_raw_records() {
    let Some(corpora) = samples::corpora() else { return };
    let Some(counter) = counter() else { return };
    let mut all: Vec<Value> = corpora.iter().flat_map(|folder| sessions(folder)).collect();
    all.retain(|session| {
        !ODD.iter().any(|odd| session["files"][0].as_str().unwrap().contains(odd))
    });
    let (wrong, told) = judged(counter, &all);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(told["numbers"].as_u64().unwrap() > 10_000, "{}", told["numbers"]);
    let left: BTreeMap<String, u64> = serde_json::from_value(told["left"].clone()).unwrap();
    assert!(left.values().sum::<u64>() < 60, "{left:?} are not counted anew");
    assert!(told["rows"].as_u64().unwrap() > 0, "no database was counted anew");
    assert!(told["ends"].as_u64().unwrap() > 300, "{}", told["ends"]);
    assert!(told["closed"].as_u64().unwrap() > 100, "{}", told["closed"]);
    assert!(told["read"]["cursor"].as_u64().unwrap() > 30, "{}", told["read"]);
    let docs = samples::workspace().join("docs/receipts.md");
    let text = std::fs::read_to_string(&docs).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let made = format!("{before}{BEGIN}{}{END}{after}", table(&told));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&docs, &made).unwrap();
    }
    assert!(std::fs::read_to_string(&docs).unwrap() == made, "UPDATE=1 renews the table");
}

const BEGIN: &str = "<!-- unavailable: made by a test -->\n";
const END: &str = "<!-- end -->";

/// The number of turns of each agent in which a number is not available.
fn table(told: &Value) -> String {
    let turns: BTreeMap<String, u64> = serde_json::from_value(told["by_agent"].clone()).unwrap();
    let agents: Vec<&String> = turns.keys().collect();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = |first: &str, of: &dyn Fn(&String) -> String| {
        row(std::iter::once(first.to_owned()).chain(agents.iter().map(|it| of(it))).collect())
    };
    let mut text = head("number", &|agent| agent.clone());
    text += &head("---", &|_| "---:".to_owned());
    text += &head("all turns", &|agent| turns[agent].to_string());
    let left = |agent: &String| told["left"][agent].as_u64().unwrap_or(0).to_string();
    text += &head("not counted anew", &left);
    let fields = [
        "status",
        "tool_calls",
        "tool_results",
        "tokens",
        "commands_executed",
        "files_changed",
        "network_used",
        "server_tools_called",
        "approvals_asked",
        "approvals_allowed",
        "approvals_denied",
        "sandbox_denied",
        "escalations_wished",
        "calls_refused",
        "calls_failed",
    ];
    for field in fields {
        let of =
            |agent: &String| told["unavailable"][agent][field].as_u64().unwrap_or(0).to_string();
        text += &head(&format!("`{field}`"), &of);
    }
    text
}
