//! `verbatim usage --compare` and `--chart`, and the comparison with ccusage in `docs/usage.md`.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

mod common;
use common::{Place, put};

/// An answer with its counters, of a Claude Code session.
fn answer(id: &str, day: u32, model: &str, usage: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"u-{id}","sessionId":"S","requestId":"r-{id}","cwd":"/w","#
    ) + &format!(r#""timestamp":"2026-03-{day:02}T10:00:00.000Z","message":{{"id":"msg_{id}","#)
        + &format!(r#""role":"assistant","model":"{model}","content":[],"usage":{usage}}}}}"#)
        + "\n"
}

/// Three days of two sessions, one of which has an answer of the other.
fn home() -> Place {
    let place = Place::new();
    let usage = |input: u32| format!(r#"{{"input_tokens":{input},"output_tokens":5}}"#);
    let first = answer("a", 1, "claude-opus-4-6", &usage(100))
        + &answer("b", 2, "claude-opus-4-6", &usage(200));
    let second = answer("b", 2, "claude-opus-4-6", &usage(200))
        + &answer("c", 4, "claude-opus-4-6", &usage(400));
    for (session, text) in [("1", first), ("2", second)] {
        let id = format!("{session}1111111-2a0b-4a55-8f3e-0d7a4b1c9e11");
        let path = place.path().join(format!("home/.claude/projects/-w/{id}.jsonl"));
        put(&path, &text.replace("\"S\"", &format!("\"{id}\"")));
    }
    place
}

/// A day of a report.
fn day(day: u32, input: u32, output: u32, cost: &str) -> String {
    format!(r#"{{"agent":"all","period":"2026-03-{day:02}","agents":[{{"agent":"claude","#)
        + &format!(r#""modelBreakdowns":[{{"modelName":"claude-opus-4-6","inputTokens":{input},"#)
        + r#""cacheReadTokens":0,"cacheCreationTokens":0,"#
        + &format!(r#""outputTokens":{output},"cost":{cost}}}]}}]}}"#)
}

fn compared(place: &Place, days: &[String]) -> String {
    put(&place.path().join("cc.json"), &format!(r#"{{"daily":[{}]}}"#, days.join(",")));
    let ran = place.run(&["usage", "--utc", "--compare", "cc.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

#[test]
fn a_difference_has_the_rule_that_makes_it() {
    let place = home();
    // 5 dollars for a million tokens in, 25 out.
    let same = [day(1, 100, 5, "0.000625"), day(2, 200, 5, "0.001125"), day(4, 400, 5, "0.002125")];
    let out = compared(&place, &same);
    assert!(out.starts_with("715 tokens there, 715 here\n3 spans of an agent equal"), "{out}");
    assert!(out.contains("cost of equal tokens: the same for 3 models of a span"), "{out}");

    let mut twice = same.clone();
    twice[1] = day(2, 400, 10, "0.00225");
    let out = compared(&place, &twice);
    assert!(out.starts_with("920 tokens there, 715 here: +205"), "{out}");
    assert!(out.contains("  +205 it counts answers again that repeat others"), "{out}");

    let out = compared(&place, &[same[0].clone(), same[2].clone()]);
    assert!(out.contains("  -205 it counts nothing of ~/.claude/projects/-w/1"), "{out}");

    // Nothing makes a difference of one token: it is not explained.
    let mut odd = same.clone();
    odd[0] = day(1, 101, 5, "0.000625");
    let out = compared(&place, &odd);
    assert!(out.contains("no rule that is known makes exactly this difference"), "{out}");

    // Other prices follow from the costs.
    let dear = [day(1, 100, 5, "0.0011"), day(2, 200, 5, "0.0021"), day(4, 400, 5, "0.0041")];
    let out = compared(&place, &dear);
    assert!(out.contains("claude-opus-4-6: $0.0073 there, $0.0039 here"), "{out}");
    assert!(out.contains("there, from its costs: input 10, output 20"), "{out}");
}

#[test]
fn a_wrong_report_is_refused() {
    let place = home();
    for text in ["", "[]", r#"{"session":[]}"#] {
        put(&place.path().join("cc.json"), text);
        let ran = place.run(&["usage", "--compare", "cc.json"]);
        assert!(ran.code != 0 && ran.err.contains("cc.json: "), "{}", ran.err);
        assert!(ran.err.contains("ccusage daily --json"), "{}", ran.err);
    }
    assert_eq!(place.run(&["usage", "--compare", "gone.json"]).code, 3);
}

#[test]
fn a_chart_has_a_bar_for_each_day() {
    let place = home();
    let ran = place.run(&["usage", "--chart", "--utc"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    let days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
    for (line, day) in lines.iter().zip(days) {
        assert!(line.starts_with(day), "{}", ran.out);
    }
    let bar = |at: usize| lines[at].matches('█').count();
    assert!(bar(3) > bar(1) && bar(1) > bar(0) && bar(2) == 0, "{}", ran.out);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    let ran = place.run(&["usage", "--chart", "--utc", "-n", "2"]);
    assert!(ran.out.contains("2 earlier: `-n 4` shows them"), "{}", ran.out);
}

/// ccusage: the program that `$VERBATIM_CCUSAGE` names, or the one in `$PATH`.
fn ccusage() -> Option<PathBuf> {
    let named = std::env::var_os("VERBATIM_CCUSAGE").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut known = std::env::split_paths(&path).map(|folder| folder.join("ccusage"));
    let found = named.or_else(|| known.find(|path| path.is_file()));
    if found.is_none() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "skipped: needs ccusage in $PATH or $VERBATIM_CCUSAGE");
    }
    found
}

/// All files below a folder.
fn below(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { below(&path, all) } else { all.push(path) }
    }
}

/// Lays the corpus out as the homes of Claude Code and Codex. Returns the number of files.
fn lay_out(corpus: &Path, home: &Path) -> usize {
    let mut laid = 0;
    for agent in ["claude-code", "codex"] {
        let mut files = Vec::new();
        below(&corpus.join(agent), &mut files);
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
            let relative = file.strip_prefix(corpus.join(agent)).unwrap();
            let project = relative.iter().next().unwrap().to_string_lossy().replace('+', "-");
            let bytes = fs::read(file).unwrap();
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let first: Value = serde_json::from_slice(first).unwrap_or_default();
            let name = file.file_name().unwrap().to_string_lossy();
            let to = match agent {
                "codex" => {
                    let (payload, time) = (&first["payload"], first["timestamp"].as_str());
                    let (Some(id), Some(time)) = (payload["id"].as_str(), time) else { continue };
                    let (day, clock) = (&time[..10], time[11..19].replace(':', "-"));
                    let folder = home.join(".codex/sessions").join(day.replace('-', "/"));
                    folder.join(format!("rollout-{day}T{clock}-{id}.jsonl"))
                }
                _ => {
                    let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
                    let at = parts.iter().position(|part| *part == "subagents");
                    let folder = home.join(".claude/projects").join(format!("-{project}"));
                    match at.filter(|at| *at > 0) {
                        Some(at) => folder.join(&*parts[at - 1]).join("subagents").join(&*name),
                        None => folder.join(&*name),
                    }
                }
            };
            if !to.exists() {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::write(&to, bytes).unwrap();
                laid += 1;
            }
        }
    }
    laid
}

const BEGIN: &str = "<!-- comparison: made by the tests -->\n";
const END: &str = "<!-- /comparison -->";

/// The comparison over real sessions in `docs/usage.md`. `UPDATE=1` renews it.
#[test]
fn the_published_comparison_is_what_is_measured() {
    let Some(corpus) = samples::corpus() else { return };
    let Some(ccusage) = ccusage() else { return };
    let place = Place::new();
    let home = place.path().join("home");
    let laid = lay_out(&corpus, &home);
    let ran = |args: &[&str]| {
        let mut command = Command::new(&ccusage);
        command.args(args).env("HOME", &home).env("TZ", "UTC").current_dir(place.path());
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let version = ran(&["--version"]);
    put(&place.path().join("cc.json"), &ran(&["daily", "--json", "--offline", "--by-agent"]));
    let compared = place.run(&["usage", "--utc", "--compare", "cc.json"]);
    assert!([0, 3].contains(&compared.code), "{}", compared.err);
    assert!(!compared.out.contains("no rule that is known"), "{}", compared.out);
    let text = format!(
        "{BEGIN}{laid} files of Claude Code and Codex, {}:\n\n```console\n$ ccusage daily --json \
         --offline --by-agent > cc.json\n$ verbatim usage --utc --compare cc.json\n{}```\n{END}",
        version.trim(),
        compared.out
    );
    let path = samples::workspace().join("docs/usage.md");
    let doc = fs::read_to_string(&path).unwrap();
    let (before, rest) = doc.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{text}{after}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), wanted, "UPDATE=1 renews it");
}

/// A rule is no cause where the other counter may lack the number that is said to be repeated.
#[test]
fn an_answer_on_another_day_is_not_counted_again() {
    let place = Place::new();
    for (session, day) in [("1", 1), ("2", 3)] {
        let id = format!("{session}1111111-2a0b-4a55-8f3e-0d7a4b1c9e11");
        let line = format!(
            concat!(
                r#"{{"type":"assistant","uuid":"u{day}","sessionId":"{id}","requestId":"r","#,
                r#""timestamp":"2026-03-0{day}T10:00:00.000Z","message":{{"id":"m","#,
                r#""role":"assistant","model":"claude-opus-4-6","content":[],"#,
                r#""usage":{{"input_tokens":100,"output_tokens":5}}}}}}"#,
                "\n"
            ),
            day = day,
            id = id,
        );
        put(&place.path().join(format!("home/.claude/projects/-w/{id}.jsonl")), &line);
    }
    let out = compared(&place, &[day(3, 100, 5, "0.000625")]);
    assert!(!out.contains("counts answers"), "{out}");
    assert!(out.contains("2026-03-03 claude +105\n  no rule that is known"), "{out}");
    let both = [day(1, 100, 5, "0.000625"), day(3, 100, 5, "0.000625")];
    let out = compared(&place, &both);
    assert!(out.contains("  +105 it counts answers again that repeat others"), "{out}");
}

/// Thoughts that the other counter has in the sum of a row alone belong to the output.
#[test]
fn thoughts_beside_the_kinds_are_no_difference() {
    let place = Place::new();
    let text = concat!(
        r#"{"sessionId":"0a1b2c3d-0000-4000-8000-00000000000b","projectHash":"h","#,
        r#""startTime":"2026-03-05T10:00:00.000Z","lastUpdated":"2026-03-05T10:30:00.000Z","#,
        r#""messages":[{"id":"1","timestamp":"2026-03-05T10:00:00.000Z","type":"user","#,
        r#""content":"tide?"},{"id":"2","timestamp":"2026-03-05T10:01:00.000Z","type":"gemini","#,
        r#""content":"low","model":"gemini-2.5-pro","tokens":{"input":90,"output":10,"cached":20,"#,
        r#""thoughts":7,"tool":0,"total":107}}]}"#
    );
    put(
        &place.path().join("home/.gemini/tmp/h/chats/session-2026-03-05T10-00-0a1b2c3d.json"),
        text,
    );
    let row = concat!(
        r#"{"agent":"all","period":"2026-03-05","agents":[{"agent":"gemini","totalTokens":107,"#,
        r#""modelBreakdowns":[{"modelName":"gemini-2.5-pro","inputTokens":70,"#,
        r#""cacheReadTokens":20,"cacheCreationTokens":0,"outputTokens":10}]}]}"#
    );
    let out = compared(&place, &[row.to_owned()]);
    assert!(out.starts_with("107 tokens there, 107 here\n1 span"), "{out}");
    let out = compared(&place, &[row.replace(":107,", ":109,")]);
    assert!(out.starts_with("109 tokens there, 107 here: +2"), "{out}");
}
