//! `verbatim fidelity`: its sums are those of the ledgers of the single conversions, counted row by
//! row by another way; and of real files, what it says to cross is what a reader from outside finds
//! in the written sessions.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{ID, Place};
use serde_json::Value;

/// The counts of a ledger's rows: of the source by fate, and of the target: all, and made ones.
fn counted(ledger: &Value) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut add = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
    for row in ledger["source"].as_array().unwrap() {
        add(row["fate"].as_str().unwrap());
        add("fields");
    }
    for row in ledger["target"].as_array().unwrap() {
        add("values");
        if row["origin"] == "made" {
            add("made");
        }
    }
    counts
}

#[test]
fn the_matrix_has_the_sums_of_the_ledgers() {
    let place = Place::with_sessions();
    let ran = place.run(&["fidelity", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let matrix: Value = serde_json::from_str(&ran.out).unwrap();
    let list = place.run(&["list", "--json"]).out;
    let list: Value = serde_json::from_str(&list).unwrap();
    let ids: Vec<&str> = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    let pairs = matrix["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 9);
    for pair in pairs {
        let to = pair["to"].as_str().unwrap();
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for id in &ids {
            let (out, books) = (format!("{to}-{id}/"), format!("{to}-{id}.json"));
            let args = ["convert", id, "--to", to, "-o", &out, "--ledger", &books];
            let ran = place.run(&args);
            assert_eq!(ran.code, 0, "{}", ran.err);
            let ledger = fs::read_to_string(place.path().join(&books)).unwrap();
            for (what, count) in counted(&serde_json::from_str(&ledger).unwrap()) {
                *sums.entry(what).or_default() += count;
            }
        }
        for (what, sum) in sums {
            assert_eq!(pair[&what], sum, "{to}: {what}");
        }
        assert_eq!(pair["sessions"], 2);
    }
}

/// The sums change with the session: a table that is written by hand would not.
#[test]
fn another_answer_is_more_conversation() {
    let place = Place::with_sessions();
    let row = |place: &Place| {
        let ran = place.run(&["fidelity", "--json", "--from", "claude-code", "--to", "codex"]);
        let matrix: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(matrix["pairs"].as_array().unwrap().len(), 1);
        matrix["pairs"][0].clone()
    };
    let before = row(&place);
    let text = fs::read_to_string(place.session()).unwrap();
    let line = text.lines().last().unwrap();
    let more = line.replace(&format!("{ID}-6"), &format!("{ID}-7"));
    let more = more.replace(&format!("{ID}-5"), &format!("{ID}-6")).replace("msg_3", "msg_4");
    fs::write(place.session(), format!("{text}{more}\n")).unwrap();
    let after = row(&place);
    let count = |row: &Value, what: &str| row[what].as_u64().unwrap();
    assert_eq!(count(&after, "conversation"), count(&before, "conversation") + 1);
    assert_eq!(after["dropped_conversation"], before["dropped_conversation"]);
    assert!(count(&after, "carried") > count(&before, "carried"));
}

#[test]
fn what_was_not_read_is_said() {
    let place = Place::with_sessions();
    let ran = place.run(&["fidelity", "--from", "nobody"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = place.run(&["fidelity", "nowhere"]);
    assert_eq!(ran.code, 3, "{} {}", ran.out, ran.err);
}

/// The agents whose sessions the second reader reads, with its names for them; whether it reads
/// what is written for them.
const READ: [(&str, &str, bool); 6] = [
    ("claude-code", "claude", true),
    ("codex", "codex", true),
    ("gemini", "gemini", true),
    ("opencode", "opencode", true),
    ("codewhale", "codewhale", false),
    ("cursor", "cursor", false),
];

/// Number of real files of each agent, chosen among as many; how many bytes and items one has.
const FILES: usize = 5;
const AMONG: usize = 40;
const BYTES: std::ops::Range<u64> = 2_000..250_000;
const ITEMS: u64 = 5;

/// Holds the live items of a session against those of the session that was written from it: how
/// many there are, and how many are missing, in another order, or at another call.
const SECOND_READER: &str = r#"
import json, sys
import second_reader_told as reader
for line in sys.stdin:
    source, file, target, written = json.loads(line)
    try: items = reader.SRC[source](file)
    except Exception: items = []
    found = reader.compare(items, reader.SRC[target](written)) if items and target else {}
    kept = [item for item in items if item["kind"] not in ("own", "think", "sealed", "document")]
    print(json.dumps([len(kept)] + [found.get(name, 0) if isinstance(found.get(name, 0), int)
        else len(found[name]) for name in ("missing", "order", "mispaired")]))
"#;

/// Numbers of items: all, missing ones, those in another order, those at another call.
type Told = [u64; 4];

/// The second reader's numbers of each pair of files; `None` without Python or the reader.
fn second_reader(pairs: &[[String; 4]]) -> Option<Vec<Told>> {
    let folder = samples::shared("judges")?;
    let python = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "skipped: needs python3");
        return None;
    }
    let lines: String =
        pairs.iter().map(|pair| format!("{}\n", serde_json::to_string(pair).unwrap())).collect();
    let mut program = Command::new("python3")
        .args(["-B", "-c", SECOND_READER])
        .env("PYTHONPATH", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "the second reader failed");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// As many of these in equal distances.
fn spread<T>(all: Vec<T>, count: usize) -> Vec<T> {
    let step = all.len().div_ceil(count).max(1);
    all.into_iter().step_by(step).collect()
}

/// The real files of an agent, in the order of their paths.
fn real_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let is_json = path.extension().is_some_and(|end| end == "json" || end == "jsonl");
            if kind.is_dir() {
                folders.push(path);
            } else if is_json && BYTES.contains(&entry.metadata().unwrap().len()) {
                found.push(path);
            }
        }
    }
    found.sort();
    spread(found, AMONG)
}

/// Some real files that the second reader takes, each behind its agent and the reader's name of it.
fn chosen(corpus: &Path) -> Option<Vec<[String; 3]>> {
    let mut chosen = Vec::new();
    for (agent, reader, _) in READ {
        let files = real_files(&corpus.join(agent));
        let asked = |file: &PathBuf| [reader, file.to_str().unwrap(), "", ""].map(str::to_owned);
        let asked: Vec<[String; 4]> = files.iter().map(asked).collect();
        let told = second_reader(&asked)?;
        let taken = asked.iter().zip(told).filter(|(_, told)| told[0] >= ITEMS);
        let taken = taken.map(|([reader, file, ..], _)| [agent, reader, file].map(str::to_owned));
        chosen.extend(spread(taken.collect(), FILES));
    }
    Some(chosen)
}

/// The dropped fields of conversation of a file by `fidelity`, for each target.
fn dropped(place: &Place, file: &str) -> BTreeMap<String, u64> {
    let ran = place.run(&["fidelity", file, "--json"]);
    let matrix: Value = serde_json::from_str(&ran.out).unwrap_or_default();
    let pairs = matrix["pairs"].as_array().into_iter().flatten();
    pairs
        .filter(|pair| pair["sessions"] == 1)
        .map(|pair| {
            let count = pair["dropped_conversation"].as_u64().unwrap();
            (pair["to"].as_str().unwrap().to_owned(), count)
        })
        .collect()
}

#[test]
fn what_is_said_to_cross_is_found_by_a_reader_from_outside() {
    let Some(corpus) = samples::corpus() else { return };
    let place = Place::new();
    let (mut pairs, mut said) = (Vec::new(), Vec::new());
    let Some(chosen) = chosen(&corpus) else { return };
    for [agent, reader, file] in &chosen {
        let dropped = dropped(&place, file);
        let targets = READ.iter().filter(|(target, _, read)| *read && target != agent);
        for (target, other, _) in targets {
            let Some(dropped) = dropped.get(*target) else { continue };
            let end = if *target == "opencode" { "json" } else { "jsonl" };
            let written = place.path().join(format!("{}.{end}", pairs.len()));
            let written = written.to_str().unwrap().to_owned();
            let ran = place.run(&["convert", file, "--to", target, "-o", &written]);
            assert_eq!(ran.code, 0, "{file}: {}", ran.err);
            pairs.push([reader, file, *other, &written].map(str::to_owned));
            said.push(*dropped);
        }
    }
    let Some(found) = second_reader(&pairs) else { return };
    assert_eq!(found.len(), pairs.len());
    let mut items = 0;
    for ((pair, dropped), [all, missing, order, mispaired]) in pairs.iter().zip(&said).zip(&found) {
        items += all;
        assert!(missing <= dropped, "{pair:?}: {missing} are missing, {dropped} are said to be");
        assert_eq!((*order, *mispaired), (0, 0), "{pair:?}: another order, or another call");
    }
    assert!(pairs.len() > 40 && items > 1_000, "{items} items in {} pairs", pairs.len());
    // The reader sees what is taken out of a written session.
    let whole = |at: &usize| pairs[*at][2] == "codex" && found[*at][0] > 4 && found[*at][1] == 0;
    let at = (0..pairs.len()).find(whole).expect("a whole session for Codex");
    let text = fs::read_to_string(&pairs[at][3]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let less: String = lines[..lines.len() / 2].iter().map(|line| format!("{line}\n")).collect();
    fs::write(&pairs[at][3], less).unwrap();
    let found = second_reader(&pairs[at..=at]).unwrap();
    assert!(found[0][1] > 0, "half of a session is missing, and nobody sees it");
}
