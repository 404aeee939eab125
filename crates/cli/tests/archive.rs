//! The archive: what `sync` keeps is given back byte for byte, whatever becomes of the agents' own
//! files, and every command reads it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;
#[path = "archive/custody.rs"]
mod custody;
#[path = "archive/labels.rs"]
mod labels;
#[path = "archive/twin.rs"]
mod twin;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use common::kept::{OTHER, archive, digests, given, good, json, unpacked};
use common::{ID, Place, copy, put, talk};

#[test]
fn every_command_reads_a_session_that_its_agent_deleted() {
    let place = Place::with_sessions();
    let commands: [&[&str]; 7] = [
        &["show", ID, "--json"],
        &["list", "--all-projects", "--json"],
        &["usage", "--json", "--explain"],
        &["search", "paint", "--json"],
        &["attribution", ID, "--json"],
        &["check", "--json"],
        &["convert", ID, "--to", "vac", "-o", "-"],
    ];
    let outputs = || -> Vec<String> {
        let output = |args: &&[&str]| {
            let out = place.run(args).out;
            out.lines()
                .filter(|line| !line.contains("\"archived\": true"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        commands.iter().map(output).collect()
    };
    let before = outputs();
    good(&place, &["sync"]);
    fs::remove_dir_all(place.path().join("home/.claude/projects/-home-ana-shop")).unwrap();
    let after = outputs();
    for ((args, before), after) in commands.iter().zip(&before).zip(&after) {
        assert!(!before.is_empty() && before == after, "{args:?}\n{before}\n{after}");
    }
    let list = good(&place, &["list", "--all-projects", "--json"]).out;
    assert_eq!(list.matches("\"archived\": true").count(), 2, "{list}");
    // What is in the archive alone can be continued, in another agent and in its own.
    fs::create_dir_all(place.path().join("work")).unwrap();
    good(&place, &["resume", ID, "--to", "codex", "--folder", "work"]);
    good(&place, &["archive", "restore", ID, "--in-place"]);
    assert!(place.session().is_file());
    assert_eq!(place.run(&["archive", "restore", ID, "--in-place"]).code, 3);
}

#[test]
fn every_version_that_a_run_saw_is_given_back() {
    let place = Place::with_sessions();
    let (path, first) = (place.session(), fs::read(place.session()).unwrap());
    let more = String::from_utf8(first.clone()).unwrap();
    let longer = [more.as_str(), &more.replace(&format!("{ID}-"), "more-")].concat().into_bytes();
    let rewritten = more.replace("green", "blue").into_bytes();
    let states: [&[u8]; 5] = [&first, &longer, &first[..first.len() / 2], &rewritten, &first];
    let mut seen = Vec::new();
    for state in states {
        fs::write(&path, state).unwrap();
        good(&place, &["sync"]);
        seen.push(digests(&place, ID).last().unwrap().clone());
    }
    fs::remove_file(&path).unwrap();
    fs::remove_dir_all(path.with_extension("")).unwrap();
    let gone = good(&place, &["sync"]).out;
    assert!(gone.contains("1 session is no longer in the agents' folders"), "{gone}");
    for (state, digest) in states.iter().zip(&seen) {
        let version = format!("{ID}@{}", &digest[..10]);
        assert_eq!(given(&place, &version), *state, "{version}");
    }
    assert_eq!(given(&place, ID), first);
    assert_eq!(given(&place, &format!("{ID}@2999-01-01")), first);
    assert_eq!(seen[0], seen[4]);
    assert_eq!(digests(&place, ID).len(), 4);
    let ran = place.run(&["archive", "restore", &format!("{ID}@2001-01-01")]);
    assert!(ran.code == 2 && ran.err.contains("archive versions"), "{}", ran.err);
    // An empty listing deletes nothing.
    fs::remove_dir_all(place.path().join("home/.claude")).unwrap();
    good(&place, &["sync"]);
    assert_eq!(json(&place, &["archive", "status", "--json"])["sessions"], 2);
    good(&place, &["archive", "compact"]);
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(given(&place, &format!("{ID}@{}", seen[1])), longer);
}

#[test]
fn what_has_not_changed_is_not_kept_again_and_the_tail_alone_is() {
    let place = Place::with_sessions();
    let long = talk(ID, "Paint", "2026-03-01T10:0");
    let long: String =
        (0..600).map(|at| long.replace(&format!("{ID}-"), &format!("{at}-"))).collect();
    put(&place.session(), &long);
    let set = |path: &Path| {
        let file = fs::File::options().append(true).open(path).unwrap();
        let hour = std::time::Duration::from_secs(3600);
        file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    };
    set(&place.session());
    good(&place, &["sync"]);
    let again = json(&place, &["sync", "--json"]);
    assert_eq!(
        (&again["new"], &again["changed"], &again["stored"]),
        (&0.into(), &0.into(), &0.into())
    );
    put(&place.session(), &(long.clone() + &talk(ID, "More", "2026-03-02T10:0")));
    let grown = json(&place, &["sync", "--json"]);
    assert_eq!(grown["changed"], 1);
    assert!(grown["stored"].as_u64().unwrap() < 3000, "{grown}");
}

#[test]
fn many_runs_leave_few_files_and_every_version() {
    let place = Place::with_sessions();
    let more = fs::read_to_string(place.session()).unwrap();
    for at in 0..40 {
        let text = fs::read_to_string(place.session()).unwrap();
        fs::write(place.session(), text + &more.replace(&format!("{ID}-"), &format!("{at}-")))
            .unwrap();
        good(&place, &["sync"]);
    }
    let status = json(&place, &["archive", "status", "--json"]);
    assert_eq!(status["versions"], 41);
    let files = status["packs"].as_u64().unwrap() + status["runs"].as_u64().unwrap();
    assert!(files < 48, "{files}");
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(given(&place, ID), fs::read(place.session()).unwrap());
    let oldest = digests(&place, ID).remove(0);
    let first = more.clone() + &more.replace(&format!("{ID}-"), "0-");
    assert_eq!(given(&place, &format!("{ID}@{oldest}")), first.as_bytes());
}

#[test]
fn a_forgotten_session_is_gone_and_is_not_kept_again() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    assert!(unpacked(&place).contains("Count the windows"));
    let refused = place.feed(&["archive", "forget", OTHER], b"no\n");
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(unpacked(&place).contains("Count the windows"));
    let forgotten = place.feed(&["archive", "forget", OTHER], b"yes\n");
    assert_eq!(forgotten.code, 0, "{}", forgotten.err);
    assert!(forgotten.err.contains("not touched, in its agent's folder"), "{}", forgotten.err);
    let left = unpacked(&place);
    assert!(!left.contains("Count the windows") && left.contains("Paint the **door** green"));
    // Neither a run nor its growth brings it back.
    let path = place.session().with_file_name(format!("{OTHER}.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.clone() + &text.replace(&format!("{OTHER}-"), "again-")).unwrap();
    assert_eq!(json(&place, &["sync", "--json"])["left_out"], 1);
    assert!(!unpacked(&place).contains("Count the windows"));
    good(&place, &["archive", "verify", "--read-data"]);
    good(&place, &["archive", "forget", OTHER, "--revive"]);
    assert_eq!(json(&place, &["sync", "--json"])["changed"].as_u64().unwrap_or(0) + 1, 1);
    assert!(unpacked(&place).contains("Count the windows"));
}

#[test]
fn a_forgotten_session_takes_the_files_beside_it_along() {
    let place = Place::with_sessions();
    let claude = place.path().join("home/.claude");
    put(&claude.join(format!("file-history/{OTHER}/0a1b@v1")), "the window list");
    put(&claude.join(format!("todos/{OTHER}-agent-{OTHER}.json")), "[\"wash the window\"]");
    put(&claude.join(format!("file-history/{ID}/0a1b@v1")), "the door list");
    let line = format!("{{\"display\":\"paint it\",\"sessionId\":\"{OTHER}\"}}\n");
    put(&claude.join("history.jsonl"), &line);
    good(&place, &["sync"]);
    assert!(unpacked(&place).contains("the window list"));
    let forgotten = good(&place, &["archive", "forget", OTHER, "--yes"]).err;
    let history = format!("may still have prompts of it: {}/history.jsonl", claude.display());
    let removed = format!("removed with it: {}/file-history/{OTHER}/0a1b@v1", claude.display());
    assert!(forgotten.contains(&history) && forgotten.contains(&removed), "{forgotten}");
    assert!(!forgotten.contains(&format!("file-history/{ID}")), "{forgotten}");
    let is_removed = || {
        let left = unpacked(&place);
        !left.contains("window") && left.contains("the door list") && left.contains("paint it")
    };
    assert!(is_removed());
    put(&claude.join(format!("file-history/{OTHER}/0a1b@v2")), "the new window list");
    good(&place, &["sync"]);
    assert!(is_removed());
    good(&place, &["archive", "verify", "--read-data"]);
}

#[test]
fn an_interrupted_removal_is_finished() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    let kept = place.path().join("kept");
    copy(&archive(&place), &kept);
    good(&place, &["archive", "forget", OTHER, "--yes"]);
    // A program that was killed has written the note, and has removed nothing yet.
    for part in ["packs", "runs"] {
        copy(&kept.join(part), &archive(&place).join(part));
    }
    assert!(unpacked(&place).contains("Count the windows"));
    let status = good(&place, &["archive", "status"]).out;
    assert!(status.contains("`verbatim archive compact` removes them"), "{status}");
    let ran = good(&place, &["sync"]);
    assert!(ran.err.contains("`verbatim archive compact` removes them"), "{}", ran.err);
    good(&place, &["archive", "forget", OTHER, "--yes"]);
    assert!(!unpacked(&place).contains("Count the windows"));
    assert!(!good(&place, &["archive", "status"]).out.contains("removes them"));
    good(&place, &["archive", "verify", "--read-data"]);
}

/// The guide's way to read an archive without verbatim.
#[test]
fn a_session_is_restored_with_zstd_and_jq_alone() {
    let has = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !has("zstd") || !has("jq") {
        eprintln!("skipped: zstd or jq is not installed");
        return;
    }
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    let text = format!("{}{}", fs::read_to_string(place.session()).unwrap(), "{\"type\":\"x\"}\n");
    fs::write(place.session(), &text).unwrap();
    good(&place, &["sync"]);
    let guide = fs::read_to_string(samples::workspace().join("docs/archive.md")).unwrap();
    let script = guide.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let mut shell = Command::new("bash");
    let ran = shell.args(["-c", script, "restore", ID]).current_dir(archive(&place));
    let ran = ran.output().unwrap();
    assert_eq!(
        String::from_utf8(ran.stdout).unwrap(),
        text,
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// An archive that the first version of the layout made: every later program reads it.
#[test]
fn an_archive_of_the_first_layout_is_read() {
    let kept = samples::workspace().join("crates/cli/tests/archive-1");
    if std::env::var_os("UPDATE").is_some() && !kept.exists() {
        let place = Place::with_sessions();
        good(&place, &["sync"]);
        copy(&archive(&place), &kept);
    }
    let place = Place::new();
    copy(&kept, &archive(&place));
    for part in ["", "packs", "runs"] {
        let folder = archive(&place).join(part);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    for above in [".local/share/verbatim", ".local/share", ".local", ""] {
        let folder = place.path().join("home").join(above);
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    good(&place, &["archive", "verify", "--read-data"]);
    assert_eq!(
        given(&place, ID),
        talk(ID, "Paint the **door** green", "2026-03-01T10:0").as_bytes()
    );
    let list = json(&place, &["list", "--all-projects", "--json"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
}

#[test]
fn sessions_that_expire_are_told_until_they_are_kept() {
    let place = Place::with_sessions();
    let age = |days: u64| {
        let file = fs::File::options().append(true).open(place.session()).unwrap();
        let age = std::time::Duration::from_secs(days * 24 * 3600);
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    };
    age(20);
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    age(25);
    let told = good(&place, &["list"]).err;
    assert!(told.contains("claude-code deletes 1 session within a week"), "{told}");
    put(&place.path().join("home/.claude/settings.json"), "{\"cleanupPeriodDays\": 365}");
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    fs::remove_file(place.path().join("home/.claude/settings.json")).unwrap();
    good(&place, &["sync"]);
    assert!(!good(&place, &["list"]).err.contains("within a week"));
    assert_eq!(json(&place, &["archive", "status", "--json"])["expiring"], 0);
}

/// A session whose main file is emptied keeps it in its newest version, beside its sub-agents.
#[test]
fn an_emptied_main_file_stays_in_the_newest_version() {
    let place = Place::with_sessions();
    let agent = place.session().with_extension("").join("subagents/agent-a1b2c3.jsonl");
    let text = talk(ID, "Look for the brush", "2026-03-01T11:0");
    let text = text.replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"a1b2c3\"");
    put(&agent, &text);
    let whole = fs::read(place.session()).unwrap();
    good(&place, &["sync"]);
    fs::write(place.session(), "").unwrap();
    put(&agent, &(text.clone() + &text.replace(&format!("{ID}-"), "more-")));
    good(&place, &["sync"]);
    assert_eq!(given(&place, ID), whole);
    fs::remove_dir_all(place.path().join("home/.claude/projects/-home-ana-shop")).unwrap();
    good(&place, &["archive", "restore", ID, "--in-place"]);
    assert_eq!(fs::read(place.session()).unwrap(), whole);
}
