//! Runs by themselves, scans of the archive, other machines, and what is reported of the history.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::kept::{OTHER, archive, given, good, json, unpacked};
use common::{ID, Place, put, ran, talk};

#[test]
fn a_watch_keeps_what_rests_and_ends_on_a_signal() {
    use nix::sys::signal::{Signal, kill};
    let place = Place::with_sessions();
    let mut command = place.command(&["sync", "--watch", "--rest", "1"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let until = |is_done: &dyn Fn() -> bool, what: &str| {
        let begin = Instant::now();
        while !is_done() {
            assert!(begin.elapsed() < Duration::from_secs(40), "{what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let has = |text: &str| {
        let packs = archive(&place).join("packs");
        packs.is_dir() && unpacked(&place).contains(text)
    };
    until(&|| has("Paint the **door**"), "the first run");
    let text = fs::read_to_string(place.session()).unwrap();
    put(&place.session(), &(text + &talk(ID, "And the window frame", "2026-03-02T10:0")));
    until(&|| has("And the window frame"), "what rests");
    kill(nix::unistd::Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("kept 2 new") && out.contains("1 changed"), "{out}");
    assert!(err.contains("what has rested is kept"), "{err}");
    good(&place, &["archive", "verify", "--read-data"]);
}

#[test]
fn a_timer_runs_this_program_with_this_archive() {
    let place = Place::new();
    let text = good(&place, &["sync", "--timer", "--archive", "my kept 100%"]).out;
    let folder = place.path().canonicalize().unwrap().join("my kept 100%%");
    let line = text.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
    assert!(line.ends_with(&format!(" sync --archive \"{}\"", folder.display())), "{line}");
    assert!(text.contains("[Timer]") && text.contains("enable --now verbatim-sync.timer"));
    assert!(!place.path().join("my kept 100%").exists(), "nothing is written");
}

const TOKEN: &str = "ghp_9fK2mQ7xT4vB8nL1cR6wZ3yH5dJ0sAeU2kPq";

/// A machine on which an older version of a session, and a list beside it, have a token.
fn with_token() -> Place {
    let place = Place::with_sessions();
    let clean = fs::read_to_string(place.session()).unwrap();
    put(
        &place.session(),
        &clean
            .replace("front\\\\nback", &format!("token={TOKEN}"))
            .replace("paint --green", &format!("paint {TOKEN}")),
    );
    good(&place, &["sync"]);
    put(&place.session(), &clean);
    good(&place, &["sync"]);
    place
}

#[test]
fn a_scan_of_the_archive_looks_through_older_versions() {
    let place = with_token();
    assert_eq!(place.run(&["scan"]).code, 0, "the machine has none");
    let ran = place.run(&["scan", "--archive", "--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains(&format!("claude-code:{ID}@")) && !ran.out.contains(TOKEN),
        "{}",
        ran.out
    );
    put(
        &place.path().join("home/.claude/history.jsonl"),
        &format!("{{\"display\":\"use {}\"}}\n", TOKEN.replace("9fK", "7gM")),
    );
    good(&place, &["sync"]);
    let ran = place.run(&["scan", "--archive"]);
    assert!(ran.code == 1 && ran.out.contains("history.jsonl"), "{}{}", ran.out, ran.err);
    let ran = place.run(&["list", "--archive"]);
    assert!(ran.code == 2 && ran.err.contains("names no folder"), "{}", ran.err);
    assert_eq!(place.run(&["scan", "--archive", "none", ID]).code, 2);
}

#[test]
fn sessions_with_findings_are_forgotten() {
    let place = with_token();
    let refused = place.feed(&["archive", "forget", "--findings"], b"no\n");
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(unpacked(&place).contains(TOKEN));
    let ran = good(&place, &["archive", "forget", "--findings", "--yes"]);
    assert!(ran.err.contains(&format!("claude-code:{ID}: ")), "{}", ran.err);
    assert!(!ran.err.contains(OTHER), "{}", ran.err);
    assert!(!unpacked(&place).contains(TOKEN));
    assert_eq!(place.run(&["scan", "--archive"]).code, 0);
    let path = place.session().with_file_name(format!("{OTHER}.jsonl"));
    assert_eq!(given(&place, OTHER), fs::read(path).unwrap());
    let again = good(&place, &["archive", "forget", "--findings", "--yes"]);
    assert!(again.out.contains("no findings"), "{}", again.out);
    good(&place, &["archive", "verify", "--read-data"]);
}

#[test]
fn usage_says_what_only_older_versions_hold() {
    let place = Place::with_sessions();
    let path = place.session().with_file_name(format!("{OTHER}.jsonl"));
    let whole = fs::read_to_string(&path).unwrap();
    good(&place, &["sync"]);
    assert!(!good(&place, &["usage"]).out.contains("older versions"));
    // The agent writes the session anew, without its last answer, and with another prompt.
    let lines: Vec<&str> = whole.lines().collect();
    let less = lines[..lines.len() - 1].join("\n").replace("Count the", "Clean the") + "\n";
    put(&path, &less);
    good(&place, &["sync"]);
    let usage = json(&place, &["usage", "--json"]);
    let text = good(&place, &["usage"]).out;
    assert!(text.contains("15 tokens of 1 answer that only older versions"), "{text}");
    assert_eq!(usage["older_versions"], serde_json::json!({"answers": 1, "total": 15}));
    assert!(!good(&place, &["usage", OTHER]).out.contains("older versions"));
}

#[test]
fn the_history_of_a_machine_is_on_one_screen() {
    let place = Place::with_sessions();
    let fork = talk(ID, "Paint the **door** green", "2026-03-01T10:0");
    let other = "7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e55";
    put(
        &place.session().with_file_name(format!("{other}.jsonl")),
        &fork.replace(&format!("\"sessionId\":\"{ID}\""), &format!("\"sessionId\":\"{other}\"")),
    );
    let stats = json(&place, &["stats", "--json", "--utc"]);
    assert_eq!(
        (&stats["sessions"], &stats["turns"], &stats["calls"]),
        (&3.into(), &2.into(), &2.into()),
        "{stats}"
    );
    assert_eq!(stats["tools"], serde_json::json!([{"name": "Bash", "count": 2}]), "{stats}");
    let days =
        serde_json::json!([{"name": "2026-02-01", "count": 1}, {"name": "2026-03-01", "count": 1}]);
    assert_eq!(stats["days"], days, "{stats}");
    // What is in the archive alone counts too.
    good(&place, &["sync"]);
    fs::remove_dir_all(place.path().join("home/.claude/projects")).unwrap();
    assert_eq!(json(&place, &["stats", "--json", "--utc"]), stats);
    let since = json(&place, &["stats", "--json", "--utc", "--since", "2026-02-15"]);
    assert_eq!(since["turns"], 1, "{since}");
    let (mut screens, widths) = (Vec::new(), [40, 80, 120]);
    for width in widths {
        let screen = common::on_terminal(&place, &["stats", "--utc"], width, &[("NO_COLOR", "1")]);
        let wide = screen.lines().find(|line| line.chars().count() > width);
        assert!(wide.is_none() && !screen.contains('\u{1b}'), "{wide:?}\n{screen}");
        assert!(screen.lines().count() <= 45, "{screen}");
        screens.push(screen);
    }
    assert!(screens[1].contains("claude-opus-4-5") && screens[1].contains("3 sessions"));
    good(&place, &["stats", "--svg", "year.svg"]);
    let svg = fs::read_to_string(place.path().join("year.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("2026-03-01: 1") && svg.ends_with("</svg>\n"));
    // As with every command that writes a file: none of an agent, and none unasked.
    let refused = place.run(&["stats", "--svg", "home/.claude/projects/x.svg"]);
    assert!(refused.code == 2 && refused.err.contains("a file of an agent"), "{}", refused.err);
    let refused = place.run(&["stats", "--svg", "year.svg"]);
    assert!(refused.code == 2 && refused.err.contains("--force"), "{}", refused.err);
    good(&place, &["stats", "--svg", "year.svg", "--force"]);
}

/// Damaged places are in no sum, and are named.
#[test]
fn statistics_say_what_was_not_read() {
    let place = Place::with_sessions();
    assert!(!good(&place, &["stats"]).out.contains("not read"));
    let path = place.session();
    let whole = fs::read_to_string(&path).unwrap();
    put(&path, &whole.replacen("\"type\"", "\"type", 1));
    let ran = place.run(&["stats"]);
    assert!(ran.out.contains("not read: 1 damaged place that may contain"), "{}", ran.out);
    assert_eq!(json(&place, &["stats", "--json"])["damaged"], 1);
}

#[test]
fn a_machine_that_gets_another_name_is_the_same() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    let machines = || {
        let runs = common::kept::names(&archive(&place).join("runs"));
        let text: String = runs.iter().map(|run| fs::read_to_string(run).unwrap()).collect();
        let heads = text.lines().filter(|line| line.contains("verbatim-run-1"));
        let id = |line: &str| {
            let head: serde_json::Value = serde_json::from_str(line).unwrap();
            head["run"]["machine_id"].as_str().unwrap().to_owned()
        };
        heads.map(id).collect::<Vec<_>>()
    };
    let first = machines();
    assert!(first[0].len() == 32);
    // As if the run had been made under another name: its file has that name and a new digest.
    let run = common::kept::names(&archive(&place).join("runs")).remove(0);
    let text = fs::read_to_string(&run).unwrap();
    let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let name = head["run"]["machine"].as_str().unwrap().to_owned();
    let changed = text.replacen(&format!("\"machine\":\"{name}\""), "\"machine\":\"reef\"", 1);
    assert_ne!(changed, text);
    let digest = ::archive::Digest::of(changed.as_bytes());
    let stem = run.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
    fs::write(run.with_file_name(format!("{stem}-{digest}.jsonl")), changed).unwrap();
    fs::remove_file(&run).unwrap();
    let again = json(&place, &["sync", "--json"]);
    assert_eq!((&again["new"], &again["changed"]), (&0.into(), &0.into()), "{again}");
    fs::remove_file(place.session()).unwrap();
    fs::remove_dir_all(place.session().with_extension("")).unwrap();
    assert_eq!(json(&place, &["sync", "--json"])["gone"], 1);
}

#[test]
fn no_umask_and_no_missing_folder_stops_it() {
    let place = Place::with_sessions();
    let masked = |args: &str| {
        let program = env!("CARGO_BIN_EXE_verbatim");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("umask 777; exec {program} {args}")]).env_clear();
        shell.env("HOME", place.path().join("home")).current_dir(place.path());
        ran(shell.output().unwrap())
    };
    for args in ["sync", "sync", "archive verify --read-data", "archive compact"] {
        let ran = masked(args);
        assert_eq!(ran.code, 0, "{args}: {}{}", ran.out, ran.err);
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in ["", "packs", "runs"] {
        assert_eq!(mode(&archive(&place).join(folder)), 0o700);
    }
    for file in common::kept::names(&archive(&place).join("packs")) {
        assert_eq!(mode(&file), 0o600);
    }
    // Programs that copy an archive may leave out what is empty.
    let empty = Place::new();
    good(&empty, &["sync"]);
    for part in ["packs", "runs"] {
        let _ = fs::remove_dir_all(archive(&empty).join(part));
    }
    for args in [&["archive", "status"][..], &["archive", "verify"], &["archive", "compact"]] {
        good(&empty, args);
    }
    let projects = empty.path().join("home/.claude/projects/-srv");
    put(&projects.join(format!("{ID}.jsonl")), &talk(ID, "Sand it", "2026-05-03T10:0"));
    good(&empty, &["sync"]);
    good(&empty, &["archive", "verify", "--read-data"]);
}

/// `stats` counts a session that was placed for another agent once, and what was said there later.
#[test]
fn a_placed_copy_is_counted_once() {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    let stats = || {
        let ran = place.run(&["stats", "--json", "--utc"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()
    };
    let before = stats();
    let ran = place.run(&["resume", ID, "--folder", "work", "--to", "codex"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(stats(), before);
    // The other agent goes on.
    let path = rollout(&place.path().join("home/.codex/sessions")).unwrap();
    let said = serde_json::json!({ "timestamp": "2099-01-01T00:00:00.000Z", "type":
        "response_item", "payload": { "type": "message", "role": "user", "content":
        [{ "type": "input_text", "text": "And the gate green too" }] } });
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{said}\n")).unwrap();
    let after = stats();
    assert_eq!(after["turns"].as_u64(), before["turns"].as_u64().map(|turns| turns + 1));
    assert_ne!(after["sessions"], before["sessions"]);
    // Without the first one, all of it counts.
    fs::remove_file(place.session()).unwrap();
    assert!(stats()["turns"].as_u64() > Some(1));
}

/// The first rollout in a folder of folders.
fn rollout(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.find_map(|path| if path.is_dir() { rollout(&path) } else { Some(path) })
}
