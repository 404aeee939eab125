//! Second opinion: the conformance suite's CBOR, validated by another implementation if it is
//! installed: the Python package `cddl-verifier` (1.5), in a process of its own with a time limit.
//! Its known faults are listed here.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(300);

/// Reads the schema's path, then one case per line; writes 0 or 1 per line.
const SCRIPT: &str = r"
import json, pathlib, sys
from cddl_verifier import Validator
judge = Validator(pathlib.Path(sys.argv[1]))
for line in sys.stdin:
    case = json.loads(line)
    result = judge.validate(bytes.fromhex(case['cbor']), root_type=case['rule'])
    print(int(result.valid))
";

/// Unsupported by it: a regular expression that is given by name. It also cuts at `=>`, where RFC
/// 8610 (section 3.5.4) does not: it refuses some valid headers of the draft.
const PATTERNS: &[&str] = &["timestamp-start/a-time-follows-the-pattern"];

fn installed() -> bool {
    let probe = Command::new("python3").args(["-c", "import cddl_verifier"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// Its output, or `None` if it takes too long.
fn finish(mut child: Child, input: String) -> Option<String> {
    let mut stdin = child.stdin.take()?;
    let mut stdout = child.stdout.take()?;
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let reader = std::thread::spawn(move || {
        let mut out = String::new();
        stdout.read_to_string(&mut out).map(|_| out)
    });
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if started.elapsed() > LIMIT {
            let _ = child.kill();
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = writer.join();
    reader.join().ok()?.ok()
}

#[test]
fn another_implementation_agrees() {
    if !installed() {
        let word = "skipped: the second opinion needs the Python package cddl-verifier\n";
        let _ = std::io::stderr().write_all(word.as_bytes());
        return;
    }
    let schemas = samples::workspace().join("schemas");
    let suite = |file: &str| {
        std::fs::read_to_string(schemas.join("conformance").join(file)).expect("published")
    };
    let text = ["record.jsonl", "subtle.jsonl", "envelope.jsonl"].map(suite).concat();
    let cases: Vec<Value> = text
        .lines()
        .filter(|line| line.contains(r#""cbor":"#))
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect();
    for (schema, verdict) in [
        ("verifiable-agent-record-3.0.cddl", "default"),
        ("draft-birkholz-verifiable-agent-conversations-00.cddl", "draft"),
    ] {
        let Some(opinions) = ask(&schemas.join(schema), &cases) else {
            let _ = std::io::stderr().write_all(b"skipped: the second opinion took too long\n");
            return;
        };
        assert_eq!(opinions.len(), cases.len(), "an opinion on each case");
        for (case, opinion) in cases.iter().zip(opinions) {
            let id = case["id"].as_str().unwrap_or_default();
            let cuts = verdict == "draft" && case[verdict] == true && id.starts_with("envelope/");
            if !cuts && !PATTERNS.iter().any(|pattern| id.ends_with(pattern)) {
                assert_eq!(case[verdict], opinion, "{schema}: {id}: {}", case["why"]);
            }
        }
    }
}

/// Its opinion on each case by a schema, or `None` if it takes too long.
fn ask(schema: &Path, cases: &[Value]) -> Option<Vec<bool>> {
    let input: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let child = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(schema)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    Some(finish(child, input)?.lines().map(|line| line == "1").collect())
}
