//! Names of sessions: ids that look like options, paths, ambiguous ids, and messages for unknown
//! names.
#![allow(clippy::unwrap_used)]

mod common;
use common::{ID, Place, put, talk};

const SAGE: &str = "{\"role\":\"user\",\"content\":\"When is high tide?\"}\n\
                    {\"role\":\"assistant\",\"content\":\"At nine.\"}\n";

#[test]
fn an_id_may_begin_with_a_hyphen() {
    let place = Place::new();
    for folder in ["-home-ana-tide-", "-opt-tide-"] {
        let path = format!("home/.sage/projects/{folder}/conversation.jsonl");
        put(&place.path().join(path), SAGE);
    }
    for id in ["-home-ana-tide-", "-opt-tide-", "-home"] {
        let ran = place.run(&["show", id]);
        assert_eq!(ran.code, 0, "{id}: {}", ran.err);
        assert!(ran.out.contains("When is high tide?"), "{id}: {}", ran.out);
        assert_eq!(place.run(&["show", "--json", id, "--in", "home"]).code, 0, "{id}");
        assert_eq!(place.run(&["check", id]).code, 0, "{id}");
    }
    for id in ["-home-ana-tide-", "-opt-tide-"] {
        let ran = place.run(&["convert", id, "--to", "vac", "-o", "out/"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ran = place.run(&["convert", "--to", "vac", id, "-oout.json", "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    assert!(place.path().join("out.json").exists());
    for file in std::fs::read_dir(place.path().join("out")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".vac.json") && name.contains("tide-"), "{name}");
    }
    // Options are still recognized as options.
    assert!(place.run(&["show", "-h"]).out.starts_with("Show a session"));
    assert_eq!(place.run(&["show", "-q"]).code, 2);
    assert_eq!(place.run(&["show", "--alll", ID]).code, 2);
}

#[test]
fn two_copies_are_told_by_their_files() {
    let place = Place::new();
    let text = talk(ID, "Paint", "2026-03-01T10:0");
    put(&place.path().join(format!("a/one/{ID}.jsonl")), &text);
    put(&place.path().join(format!("b/two/{ID}.jsonl")), &talk(ID, "Sand", "2026-04-01T10:0"));
    for query in [ID, "5f1e"] {
        let ran = place.run(&["show", query, "--in", "a", "--in", "b"]);
        if ran.code == 0 {
            // Both files are in one session.
            assert!(ran.out.contains("Paint") && ran.out.contains("Sand"), "{}", ran.out);
            continue;
        }
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("a/one/") && ran.err.contains("b/two/"), "{}", ran.err);
        let advice = "name the file or the folder that has the one you mean: `--in PATH`";
        assert!(ran.err.contains(advice), "{}", ran.err);
    }
    // What the advice says is enough, and so is the path alone.
    let file = format!("b/two/{ID}.jsonl");
    for args in [&["show", ID, "--in", "b"][..], &["show", ID, "--in", &file], &["show", &file]] {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        assert!(ran.out.contains("Sand") && !ran.out.contains("Paint"), "{args:?}: {}", ran.out);
    }
}

#[test]
fn what_could_not_be_read_is_said_where_nothing_is_found() {
    let place = Place::with_sessions();
    let broken = place.path().join("home/.codex/sessions/2026/01/01");
    let name = "rollout-2026-01-01T00-00-00-0199f2aa-7d1c-7000-8000-00000000d0c6.jsonl.zst";
    put(&broken.join(name), "no zstd");
    let ran = place.run(&["show", "0199f2aa"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("no session id begins with") && ran.err.contains(name), "{}", ran.err);
    let ran = place.run(&["show", ID, "--in", "nowhere"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("nowhere: No such file"), "{}", ran.err);
}

#[test]
fn a_line_break_makes_no_line_of_its_own() {
    let place = Place::new();
    for args in [&["show", "a\nerror: x"][..], &["show", "--a\nerror: x"], &["list", "a\nerror: x"]]
    {
        let ran = place.run(args);
        assert!(ran.err.contains("error: x"), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("\nerror: x"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_file_counts_once_however_often_it_is_named() {
    let place = Place::new();
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    put(&place.path().join(format!("{ID}.jsonl")), &talk(ID, "Paint", "2026-03-01T10:0"));
    put(&place.path().join(format!("{other}.jsonl")), &talk(other, "Sand", "2026-03-01T10:0"));
    let file = format!("{ID}.jsonl");
    let same = format!("./{ID}.jsonl");
    for args in [&["check", &file, &same, "."][..], &["check", "."]] {
        let ran = place.run(args);
        assert!(ran.out.contains("2 sessions · "), "{args:?}: {}", ran.out);
    }
    assert!(place.run(&["check", &file, &same]).out.contains("1 session · "));
    let place = Place::with_sessions();
    let ran = place.run(&["check", ID, "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e1", ID]);
    assert!(ran.out.contains("1 session · "), "{}", ran.out);
}

#[test]
fn the_other_files_of_a_session_are_named() {
    let place = Place::with_sessions();
    let ran = place.run(&["show", place.session().to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("note: 1 more file of this session read: "), "{}", ran.err);
    assert!(ran.err.contains("subagents/agent-a1.jsonl"), "{}", ran.err);
}

#[test]
fn another_main_file_with_the_same_id_is_not_read_with_a_named_one() {
    let place = Place::new();
    put(&place.path().join("x/a.jsonl"), &talk(ID, "Paint", "2026-03-01T10:0"));
    let more = talk(ID, "Sand", "2026-04-01T10:0").replace(&format!("{ID}-"), "later-");
    put(&place.path().join("x/b.jsonl"), &more);
    let ran = place.run(&["show", "x/b.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("Sand") && !ran.out.contains("Paint"), "{}", ran.out);
}

#[test]
fn one_file_of_a_session_in_two_folders_brings_the_other() {
    let place = Place::new();
    let id = "3c9d2f19-1111-4222-8333-444455556666";
    let line = |time: &str, name: &str, text: &str| {
        format!(
            "{{\"sessionId\":\"{id}\",\"projectHash\":\"ab\",\"startTime\":\"{time}\",\
             \"lastUpdated\":\"{time}\",\"messages\":[{{\"id\":\"{name}\",\"timestamp\":\"{time}\",\
             \"type\":\"user\",\"content\":\"{text}\"}}]}}"
        )
    };
    let folder = place.path().join("home/.gemini/tmp");
    let hash = "549df1e2e63b588ddd2563983ddfa9ff29a133ae610f24e9f73048e8cd15c502";
    let old = folder.join(hash).join("chats/session-2026-01-14T08-02-3c9d2f19.json");
    put(&old, &line("2026-01-14T08:02:00.000Z", "m1", "Paint"));
    let new = folder.join("shop/chats/session-2026-01-14T08-02-3c9d2f19.json");
    put(&new, &line("2026-01-14T08:02:00.000Z", "m1", "Paint"));
    let by_id = place.run(&["show", "--json", id]);
    assert_eq!(by_id.code, 0, "{}", by_id.err);
    let by_path = place.run(&["show", "--json", new.to_str().unwrap()]);
    assert_eq!(by_path.out, by_id.out);
    assert!(by_path.err.contains("1 more file of this session"), "{}", by_path.err);
}

#[test]
fn a_folder_that_an_agent_has_not_made_yet_is_no_fault() {
    let place = Place::new();
    let folder = place.path().join("codex/sessions/2026/05/01");
    let id = "0199f2aa-7d1c-7000-8000-00000000d0c5";
    let line = format!(
        "{{\"timestamp\":\"2026-05-01T10:00:00Z\",\"type\":\"session_meta\",\"payload\":\
         {{\"id\":\"{id}\",\"cwd\":\"/home/ana/shop\",\"cli_version\":\"0.120.0\"}}}}\n"
    );
    put(&folder.join(format!("rollout-2026-05-01T10-00-00-{id}.jsonl")), &line);
    for command in ["list", "usage", "check"] {
        let ran = place.command(&[command]).env("CODEX_HOME", place.path().join("codex")).output();
        let ran = common::ran(ran.unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command}: {}", ran.out);
    }
    let ran = place.command(&["list"]).env("CODEX_HOME", place.path().join("none")).output();
    let ran = common::ran(ran.unwrap());
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("CODEX_HOME"), "{}", ran.err);
}

/// A file name need not be UTF-8. The command gets exactly these bytes.
#[test]
#[cfg(target_os = "linux")]
fn a_path_that_is_not_utf_8_can_be_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let folder = place.path().join(OsStr::from_bytes(b"caf\xe9"));
    let file = folder.join(format!("{ID}.jsonl"));
    put(&file, &talk(ID, "Paint", "2026-03-01T10:0"));
    for args in [&["show"][..], &["convert", "--to", "vac"], &["attribution"], &["validate"]] {
        for named in [&file, &folder] {
            let output = place.command(args).arg(named).output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{args:?} {}: {err}", named.display());
        }
    }
}
