//! `verbatim blame` from end to end: histories of several sessions, each compared with what `git
//! blame` says of the same history in which a commit follows each session.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod corpus;
mod history;

use std::collections::BTreeMap;

use common::put;
use history::{FILE, History, Step};

const TIDE: &str = "fn low() {\n    ebb();\n}\n\nfn high() {\n    flood();\n}\n";

#[test]
fn equal_lines_are_told_apart() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let second = history.session(
        "Add the spring tide",
        &[Step::Edit("fn high() {", "fn spring() {\n    flood();\n}\n\nfn high() {")],
    );
    history.agrees();
    let lines = history.lines();
    let own: Vec<&str> =
        lines.iter().filter(|line| line.1 == second).map(|line| &*line.0).collect();
    assert_eq!(own, ["fn spring() {", "    flood();", "}", ""]);
}

#[test]
fn a_moved_block_is_the_work_of_who_moved_it() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let moved = "fn high() {\n    flood();\n}\n\nfn low() {\n    ebb();\n}\n";
    history.session("Put the high tide first", &[Step::Read, Step::Write(moved)]);
    history.agrees();
}

#[test]
fn a_line_belongs_to_the_last_session_that_wrote_it_even_if_it_writes_what_was_there() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    history.session("Rename", &[Step::Edit("    ebb();", "    fall();")]);
    let back = history.session("Take that back", &[Step::Edit("    fall();", "    ebb();")]);
    history.agrees();
    assert_eq!(history.lines()[1].1, back);
    // A revert outside of all sessions is nobody's work, though the text is that of a session.
    history.session("Rename again", &[Step::Edit("    ebb();", "    fall();")]);
    history.person(TIDE);
    let lines = history.agrees();
    assert_eq!(lines[1], ("    ebb();".to_owned(), "outside".to_owned()));
}

#[test]
fn what_a_person_changed_between_two_sessions_is_no_sessions_work() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    history.person(&TIDE.replace("ebb();\n", "ebb();\n    // Twice a day.\n    rest();\n"));
    history.session("Name the flood", &[Step::Edit("    flood();", "    flood(\"spring\");")]);
    let lines = history.agrees();
    assert_eq!(lines[2].1, "outside");
}

#[test]
fn what_a_command_changed_is_outside_of_the_recorded_edits() {
    let mut history = History::new();
    let ebb = TIDE.replace("fn low", "fn ebb");
    history.session("Write the tides", &[Step::Write(TIDE), Step::Shell(&ebb)]);
    let lines = history.lines();
    assert_eq!((&*lines[0].1, &*lines[0].2), ("", "outside"));
    assert!(lines[1..].iter().all(|line| line.2 == "session"), "{lines:?}");
    let text = history.run(&["blame", FILE]).out;
    assert!(text.contains("(changed outside recorded edits "), "{text}");
    assert!(text.lines().next().unwrap().starts_with("00000000 "), "{text}");
}

#[test]
fn a_file_that_no_session_wrote_is_not_by_an_agent_here() {
    let mut history = History::new();
    history.person(TIDE);
    let lines = history.agrees();
    assert!(lines.iter().all(|line| line.1 == "nobody"), "{lines:?}");
    // The first session that reads it wrote only what it changed.
    history.session("Name", &[Step::Read, Step::Edit("    ebb();", "    fall();")]);
    let lines = history.agrees();
    let nobody = lines.iter().filter(|line| line.1 == "nobody").count();
    assert_eq!((nobody, lines.len()), (6, 7));
    let text = history.run(&["blame", FILE, "--no-commits"]).out;
    assert!(text.contains("(not by an agent here "), "{text}");
}

/// The session does not tell what the file held. The file as it is now does.
#[test]
fn an_edit_that_tells_nothing_of_the_file_is_placed_by_the_file_as_it_is() {
    let mut history = History::new();
    history.person(TIDE);
    history.session(
        "Name",
        &[
            Step::Blind("    ebb();", "    fall();\n    rest();"),
            Step::Blind("fn high() {", "fn flood_tide() {"),
        ],
    );
    history.session("Again", &[Step::Blind("    rest();", "    wait();")]);
    history.agrees();
    let owned = history.lines().iter().filter(|line| line.2 == "session").count();
    assert_eq!(owned, 3);
}

#[test]
fn the_porcelain_form_is_that_of_git() {
    let mut history = History::new();
    history.person(TIDE);
    let uid = history.session("Name\nthe tide", &[Step::Edit("    ebb();", "    fall();")]);
    let text = history.run(&["blame", FILE, "--porcelain"]).out;
    let mut lines = text.lines();
    let (mut texts, mut facts) = (Vec::new(), BTreeMap::new());
    while let Some(head) = lines.next() {
        let words: Vec<&str> = head.split(' ').collect();
        assert!(words[0].len() == 40 && words[0].bytes().all(|b| b.is_ascii_hexdigit()), "{head}");
        assert_eq!(words[1..3], [(texts.len() + 1).to_string(), (texts.len() + 1).to_string()]);
        for line in lines.by_ref() {
            if let Some(text) = line.strip_prefix('\t') {
                texts.push((words[0].to_owned(), text.to_owned()));
                break;
            }
            let (name, value) = line.split_once(' ').unwrap();
            facts.insert((words[0].to_owned(), name.to_owned()), value.to_owned());
        }
    }
    let own: Vec<&str> = texts.iter().map(|(_, text)| &**text).collect();
    assert_eq!(own, history.text().lines().collect::<Vec<_>>());
    let zeros = "0".repeat(40);
    let written: Vec<&String> = texts.iter().map(|(id, _)| id).filter(|id| **id != zeros).collect();
    assert_eq!(written.len(), 1);
    let fact = |id: &str, name: &str| facts[&(id.to_owned(), name.to_owned())].clone();
    assert_eq!(fact(written[0], "author"), "claude-code claude-opus-4-5");
    assert_eq!(fact(written[0], "author-mail"), format!("<{uid}>"));
    assert_eq!(fact(written[0], "summary"), "Name the tide");
    assert_eq!(fact(written[0], "filename"), FILE);
    assert_eq!(fact(&zeros, "author"), "not by an agent here");
}

/// GitPython reads what `git blame` prints; here it gets what `verbatim blame` prints.
#[cfg(unix)]
#[test]
fn a_parser_of_another_project_reads_the_porcelain_form() {
    use std::os::unix::fs::PermissionsExt;
    let python = std::env::var("VERBATIM_GIT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = std::process::Command::new(&python).args(["-c", "import git"]).output();
    if !check.is_ok_and(|output| output.status.success()) {
        println!("skipped: Python has no GitPython (VERBATIM_GIT_PYTHON names one that has)");
        return;
    }
    let mut history = History::new();
    history.person(TIDE);
    let uid = history.session("Name the tide", &[Step::Edit("    ebb();", "    fall();")]);
    let ran = history.run(&["blame", FILE, "--porcelain"]);
    let folder = tempfile::tempdir().unwrap();
    let (told, git) = (folder.path().join("told"), folder.path().join("git"));
    std::fs::write(&told, &ran.out).unwrap();
    let script = format!(
        "#!/bin/sh\nfor word; do [ \"$word\" = blame ] && exec cat '{}'; done\nexec git \"$@\"\n",
        told.display()
    );
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, PermissionsExt::from_mode(0o755)).unwrap();
    let script = "
import git, json, sys
found = git.Repo(sys.argv[1]).blame('HEAD', sys.argv[2])
print(json.dumps([[it.hexsha, it.author.name, it.author.email, lines] for it, lines in found]))
";
    let mut command = std::process::Command::new(&python);
    command.args(["-c", script]).arg(history.folder()).arg(FILE);
    let output = command.env("GIT_PYTHON_GIT_EXECUTABLE", &git).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let found: Vec<(String, String, String, Vec<String>)> = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let lines: Vec<&String> = found.iter().flat_map(|(.., lines)| lines).collect();
    assert_eq!(lines, history.text().lines().collect::<Vec<_>>());
    let zeros = "0".repeat(40);
    let own: Vec<_> = found.iter().filter(|(id, ..)| *id != zeros).collect();
    let [(_, author, email, lines)] = own[..] else { panic!("{found:?}") };
    assert_eq!((&**author, &**email), ("claude-code claude-opus-4-5", &*uid));
    assert_eq!(lines, &["    fall();".to_owned()]);
}

#[test]
fn some_lines_can_be_asked_for() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let ran = history.run(&["blame", &format!("{FILE}:2-3"), "--no-commits"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    let form = " (claude-code:5f1e7f1e turn 1 claude-opus-4-5 2026-03-01 00:01:00 +0000 2) ";
    assert_eq!(&lines[0][8..], format!("{form}    ebb();"));
    for wrong in ["0", "8", "3-2", "2-8"] {
        let ran = history.run(&["blame", &format!("{FILE}:{wrong}")]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("it has 7 lines"), "{}", ran.err);
    }
    let to_the_end = history.run(&["blame", &format!("{FILE}:6-"), "--no-commits"]);
    assert_eq!(to_the_end.out.lines().count(), 2, "{}", to_the_end.out);
    let wrong = history.run(&["blame", &format!("{FILE}:x-3")]);
    assert!(wrong.code == 2 && wrong.err.contains("neither a line nor lines"), "{}", wrong.err);
    assert_eq!(history.run(&["blame", "src/none.rs"]).code, 3);
    std::fs::write(history.folder().join("photo.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    let refused = history.run(&["blame", "photo.png"]);
    assert!(refused.err.contains("photo.png is no text: byte 8 is zero"), "{}", refused.err);
    assert_eq!((refused.code, &*refused.out), (3, ""));
}

/// The settings of a repository may start programs.
#[cfg(unix)]
#[test]
fn nothing_that_a_repository_configures_is_obeyed() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let mark = history.folder().join("obeyed");
    let touch = format!("touch {}", mark.display());
    put(&history.folder().join(".gitattributes"), "* filter=own diff=own\n");
    let names = ["filter.own.clean", "filter.own.smudge", "diff.own.textconv", "core.fsmonitor"];
    for name in names.into_iter().chain(["core.pager", "diff.external", "core.sshCommand"]) {
        history.git(&["config", name, &touch]);
    }
    let lines = history.lines();
    assert!(lines.iter().all(|line| line.3.len() == 40), "{lines:?}");
    assert!(!mark.exists());
}

/// Random histories: in each a few sessions, persons and commands change lines that are alike.
#[test]
fn random_histories_agree_with_git() {
    let mut state = 11u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as usize % limit.max(1)
    };
    for round in 0..6 {
        let mut history = History::new();
        let mut count = 0;
        let first: String = (0..12).map(|at| format!("line {round} {at}\n")).collect();
        history.session("Begin", &[Step::Write(&first)]);
        for _ in 0..8 {
            let text = history.text();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let at = next(lines.len());
            let gone = next(3).min(lines.len() - at);
            let new = (0..1 + next(3)).map(|_| {
                count += 1;
                format!("new {count}")
            });
            lines.splice(at..at + gone, new);
            let after = lines.join("\n") + "\n";
            match next(4) {
                0 => history.person(&after),
                1 => _ = history.session("Write", &[Step::Write(&after)]),
                2 => _ = history.session("Read", &[Step::Read, Step::Write(&after)]),
                _ => {
                    let old = lines_of(&text, at, gone.max(1));
                    let new = format!("{}changed {count}\n", old);
                    _ = history.session("Edit", &[Step::Edit(&old, &new)]);
                }
            }
        }
        history.agrees();
    }
}

fn lines_of(text: &str, at: usize, count: usize) -> String {
    text.split_inclusive('\n').skip(at).take(count).collect()
}

/// Sessions that never name the file are not read: one that can't be read does no harm.
/// A copy that verbatim placed in another agent has the edits of its original, which wrote them.
#[test]
fn a_placed_copy_wrote_nothing() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let first = history.session("Rename", &[Step::Edit("    ebb();", "    fall();")]);
    let before = history.lines();
    let id = first.split(':').next_back().unwrap().to_owned();
    let there = history.folder().display().to_string();
    for agent in ["codex", "pi"] {
        let args = ["resume", &id, "--to", agent, "--folder", &there];
        let ran = history.run(&args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
    assert_eq!(history.lines(), before);
}

#[test]
fn a_session_that_does_not_name_the_file_is_not_replayed() {
    let mut history = History::new();
    let uid = history.session("Write the tides", &[Step::Write(TIDE)]);
    let project = history.place.path().join("home/.claude/projects/-tides");
    let own = project.join(format!("{}.jsonl", uid.split_once(':').unwrap().1));
    let other =
        std::fs::read_to_string(&own).unwrap().replace("tide.rs", "moon.rs") + "{\"broken\n";
    put(&project.join("6f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22.jsonl"), &other);
    // The file that it names is not this one, and its unreadable record is not spoken of.
    let lines = history.lines();
    assert!(lines.iter().all(|line| line.1 == uid), "{lines:?}");
}
