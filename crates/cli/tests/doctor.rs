//! `verbatim doctor` finds what is planted on a machine, names what mends it, and always exits
//! with 0; the version and the manual pages.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, SystemTime};

use common::{Place, ran};
use serde_json::Value;

#[path = "../build/source.rs"]
mod source;

use source::Source;

/// Makes the file of a session this many days old.
fn age(path: &std::path::Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

/// The document about a place, with further variables.
fn examined(place: &Place, variables: &[(&str, &str)]) -> Value {
    let mut command = place.command(&["doctor", "--json"]);
    command.envs(variables.iter().copied());
    let ran = ran(command.output().unwrap());
    assert_eq!((ran.code, &*ran.err), (0, ""));
    serde_json::from_str(&ran.out).unwrap()
}

fn agent<'v>(of: &'v Value, name: &str) -> &'v Value {
    let agents = of["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["format"] == name).unwrap()
}

#[test]
fn what_is_planted_is_found() {
    let place = Place::with_sessions();
    age(&place.session(), 26);
    std::fs::create_dir_all(place.path().join("home/.gemini/antigravity/brain/1_a")).unwrap();
    let found = examined(&place, &[]);
    let claude = agent(&found, "claude-code");
    assert_eq!(claude["sessions"], 2);
    assert_eq!(claude["newest"]["uid"], format!("claude-code:{}", common::ID));
    assert_eq!(claude["newest"]["updated"], "2026-03-01T10:06:00.000000Z");
    assert_eq!(claude["deletion"]["after_days"], 30);
    assert_eq!(claude["deletion"]["next_in_days"], 4);
    assert_eq!(claude["deletion"]["unkept"], 1);
    assert_eq!(claude["deletion"]["mend"], "verbatim sync");
    assert_eq!(agent(&found, "codex")["sessions"], 0);
    assert_eq!(found["unread_agents"][0]["agent"], "Antigravity");
    assert_eq!(found["archive"]["exists"], false);

    // The command that is named mends it.
    assert_eq!(place.run(&["sync"]).code, 0);
    let found = examined(&place, &[]);
    let deletion = &agent(&found, "claude-code")["deletion"];
    assert_eq!(deletion["unkept"], 0);
    assert!(deletion["mend"].is_null(), "{deletion}");
    assert_eq!(found["archive"]["exists"], true);
    assert_eq!(found["index"]["exists"], true);
}

#[test]
fn people_are_told_the_commands() {
    let place = Place::with_sessions();
    age(&place.session(), 26);
    let ran = place.run(&["doctor"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    for part in [
        concat!("verbatim ", env!("CARGO_PKG_VERSION")),
        "claude-code  2 sessions, the newest of ",
        "in ~/.claude/projects",
        "it deletes sessions after 30 days, the next one in 4 days; within a week 1 session is \
         lost: `verbatim sync` keeps them",
        "codex        no sessions; looked in ~/.codex/sessions",
        "none yet in ~/.local/share/verbatim/archive: `verbatim sync` makes it",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    // A script learns it by the exit code, until the sessions are kept.
    for args in [&["doctor", "--check"][..], &["doctor", "--check", "--json"]] {
        assert_eq!(place.run(args).code, 1, "{args:?}");
    }
    assert_eq!(place.run(&["sync"]).code, 0);
    assert_eq!(place.run(&["doctor", "--check"]).code, 0);
}

#[test]
fn a_place_that_a_variable_names_wrongly_is_told() {
    let place = Place::with_sessions();
    let nowhere = place.path().join("nowhere");
    let variables = [("CODEX_HOME", nowhere.to_str().unwrap()), ("TZ", "Mars/Olympus")];
    let found = examined(&place, &variables);
    let unreadable = found["unreadable"].as_array().unwrap();
    assert!(!unreadable.is_empty());
    for row in unreadable {
        assert_eq!(row["mend"], "unset CODEX_HOME", "{row}");
    }
    assert_eq!(found["unknown_time_zone"], "Mars/Olympus");
    let known = examined(&place, &[("TZ", "Europe/Berlin")]);
    assert!(known["unknown_time_zone"].is_null(), "{known}");
    assert_eq!(known["unreadable"].as_array().map(Vec::len), Some(0));
}

#[test]
fn without_a_home_it_says_so() {
    let place = Place::new();
    let mut command = place.command(&["doctor"]);
    command.env_remove("USERPROFILE").env("HOME", "");
    let ran = ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("home    "), "{}", ran.out);
}

/// A file that its user may not read, if the user of this test is one who can be refused.
#[cfg(unix)]
#[test]
fn a_forbidden_file_is_told_with_the_command() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_sessions();
    let session = place.session();
    std::fs::set_permissions(&session, PermissionsExt::from_mode(0o000)).unwrap();
    if std::fs::File::open(&session).is_ok() {
        return eprintln!("skipped: this user may read every file");
    }
    let found = examined(&place, &[]);
    let row = &found["unreadable"][0];
    assert_eq!(row["path"], session.to_str().unwrap());
    assert_eq!(row["mend"], format!("chmod u+rX {}", session.display()));
}

#[test]
fn the_version_says_the_commit_by_whatever_the_source_has() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let version = |source: Option<Source>| source.map(|source| source.version("1.2.3"));
    let told = |text: &str| version(Source::told(text));
    assert_eq!(told(&format!("{commit} 2026-11-27\n")).unwrap(), "1.2.3 (012345678 2026-11-27)");
    let changed = "1.2.3 (012345678 2026-11-27, with changes)";
    assert_eq!(told(&format!("{commit} 2026-11-27 changed")).unwrap(), changed);
    // A clone has the file as it is before `git archive` fills it in.
    let unfilled = include_str!("../commit.txt");
    assert!(unfilled.contains("%H %cs"), "{unfilled}");
    for wrong in [unfilled, "", "main 2026-11-27", commit, &format!("{commit} today")] {
        assert_eq!(told(wrong), None, "{wrong}");
    }
    let packaged = |json: &str| version(Source::packaged(json));
    let json = format!("{{\n  \"git\": {{\n    \"sha1\": \"{commit}\"\n  }}\n}}");
    assert_eq!(packaged(&json).unwrap(), "1.2.3 (012345678)");
    let dirty = json.replace("\"\n  }", "\",\n    \"dirty\": true\n  }");
    assert_eq!(packaged(&dirty).unwrap(), "1.2.3 (012345678, with changes)");
    assert_eq!(packaged("{}"), None);
    assert_eq!(Source::default().version("1.2.3"), "1.2.3");
}

#[test]
fn each_command_has_a_manual_page() {
    let place = Place::new();
    let ran = place.run(&["man", "-o", "pages"]);
    assert_eq!((ran.code, &*ran.out), (0, ""), "{}", ran.err);
    let read = |name: &str| std::fs::read_to_string(place.path().join("pages").join(name)).unwrap();
    assert!(read("verbatim.1").contains(".TH verbatim 1"));
    assert!(read("verbatim-archive-restore.1").contains("\\fBverbatim archive restore\\fR"));
    assert_eq!(place.run(&["man", "archive", "restore"]).out, read("verbatim-archive-restore.1"));
    let help = place.run(&["--help"]).out;
    let list = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|of| *of != "help") {
        assert!(read("verbatim.1").contains(&format!("verbatim\\-{name}(1)")), "{name}");
        assert!(read(&format!("verbatim-{name}.1")).contains("Examples:"), "{name}");
    }
    assert_eq!(place.run(&["man", "cook"]).code, 2);
    assert_eq!(place.run(&["man", "--json"]).code, 2);
}

/// Agents that are not read are counted by names: a folder is no file, a register is no session,
/// and what is in two folders of one home counts once. A database has no number.
#[test]
fn the_sessions_of_unread_agents_are_counted_by_names() {
    let place = Place::with_sessions();
    let home = place.path().join("home");
    let put = |path: &str| common::put(&home.join(path), "{}\n");
    for path in [
        ".gemini/antigravity/brain/b/task.md",
        ".gemini/antigravity/conversations/b.pb",
        ".gemini/antigravity/conversations/c.pb",
        ".continue/sessions/sessions.json",
        ".continue/sessions/one.json",
        ".factory/sessions/-shop/2f6c.jsonl",
        ".factory/sessions/-shop/2f6c.settings.json",
        ".factory/sessions/-other/none.json",
        ".local/share/zed/threads/threads.db",
        ".config/Code/User/workspaceStorage/1/chatSessions/a.json",
    ] {
        put(path);
    }
    std::fs::create_dir_all(home.join(".iflow/projects/-shop")).unwrap();
    let line = "also here, not read: Antigravity (2 sessions), Continue (1), Droid (1), \
                VS Code chat (1), Zed";
    let ran = place.run(&["list"]);
    assert!(ran.err.lines().any(|told| told == line), "{}", ran.err);
    let ran = place.run(&["list", "--json"]);
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    let unread = listed["unread_agents"].as_array().unwrap();
    let of = |at: usize| (unread[at]["agent"].as_str().unwrap(), unread[at]["sessions"].as_u64());
    assert_eq!([of(0), of(4)], [("Antigravity", Some(2)), ("Zed", None)]);
    assert_eq!(unread.len(), 5, "{unread:?}");
    // Of a folder that is named, only its own sessions are listed.
    let ran = place.run(&["list", "--json", "home/.claude"]);
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(listed["unread_agents"].is_null(), "{listed}");
}
