//! Output files: existing files and agents' files are protected.
#![allow(clippy::unwrap_used)]

use std::path::Path;

mod common;
use common::{ID, Place, put, talk};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_there_is_replaced_only_by_force() {
    let place = Place::new();
    put(&place.path().join(format!("{ID}.jsonl")), &talk(ID, "x", "2026-03-01T10:0"));
    put(&place.path().join("notes.txt"), "mine");
    let source = format!("{ID}.jsonl");
    let to = |more: &[&str]| place.run(&[&["convert", &source, "--to", "vac"], more].concat());
    let refused = to(&["-o", "notes.txt"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("notes.txt exists already"), "{}", refused.err);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(place.path().join("notes.txt")).unwrap(), "mine");
    assert_eq!(to(&["-o", "notes.txt", "--force"]).code, 0);
    assert!(std::fs::read_to_string(place.path().join("notes.txt")).unwrap().starts_with('{'));
    // A record that verbatim wrote may be replaced.
    assert_eq!(to(&["-o", "notes.txt", "--force"]).code, 0);
    assert_eq!(names(place.path()), [source.as_str(), "notes.txt"], "nothing is left beside it");
}

#[test]
fn a_file_of_an_agent_is_never_replaced() {
    let place = Place::with_sessions();
    let other = talk("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33", "mine", "2026-03-01T10:0");
    put(&place.path().join("B.jsonl"), &other);
    put(&place.path().join("home/.claude/projects/-home-ana-shop/notes.txt"), "mine");
    for target in ["B.jsonl", "home/.claude/projects/-home-ana-shop/notes.txt"] {
        let before = std::fs::read(place.path().join(target)).unwrap();
        let ran = place.run(&["convert", ID, "--to", "stead", "-o", target, "--force"]);
        assert_eq!(ran.code, 2, "{target}: {}", ran.err);
        assert!(ran.err.contains("is a file of an agent (claude-code)"), "{}", ran.err);
        assert_eq!(std::fs::read(place.path().join(target)).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_never_written_to() {
    let place = Place::with_sessions();
    put(&place.path().join("real.json"), "mine");
    std::os::unix::fs::symlink("real.json", place.path().join("link.json")).unwrap();
    for target in ["/dev/null", "/dev/stdout", "link.json"] {
        let ran = place.run(&["convert", ID, "--to", "stead", "-o", target, "--force"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{target}: {}", ran.err);
        assert!(ran.err.contains("not a regular file") && ran.err.contains("-o -"), "{}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(place.path().join("real.json")).unwrap(), "mine");
}

#[test]
fn several_files_ask_for_a_folder_and_say_where_they_belong() {
    let place = Place::with_sessions();
    let to = |path: &str| place.run(&["convert", ID, "--to", "claude-code", "-o", path]);
    let ran = to("back.jsonl");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("-o back/"), "{}", ran.err);
    assert!(!place.path().join("back.jsonl").exists());
    let ran = to("back/");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("its agent looks for it at: `~/.claude/projects/FOLDER/ID.jsonl`"),
        "{}",
        ran.err
    );
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let place = Place::with_sessions();
    let ran = place.run(&["convert", ID, "--to", "stead", "-o", "a.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (source, to, option) in [
        (ID, "claude-code", "--embed"),
        (ID, "claude-code", "--pretty"),
        ("a.json", "stead", "--embed"),
    ] {
        let ran = place.run(&["convert", source, "--to", to, option, "-o", "out/"]);
        assert_eq!(ran.code, 2, "{to} {option}: {}", ran.err);
        assert!(ran.err.contains(&format!("`{option}` has no effect")), "{}", ran.err);
    }
}

/// A record of an agent's session gives the agent's own files back: there is nothing to prove, also
/// if the record was changed so that it names that agent.
#[test]
fn a_proof_of_nothing_is_refused_with_the_reason() {
    let place = Place::with_sessions();
    let ran = place.run(&["convert", ID, "--to", "vac", "-o", "own.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let own = std::fs::read_to_string(place.path().join("own.json")).unwrap();
    let named = r#""format":"claude-code""#;
    assert!(own.contains(named), "{own}");
    put(&place.path().join("other.json"), &own.replace(named, r#""format":"codex""#));
    for (source, to) in [("own.json", "claude-code"), ("other.json", "codex")] {
        let ran = place.run(&["convert", source, "--to", to, "--prove", "-o", "out/"]);
        assert!(ran.code != 0 && !place.path().join("out").exists(), "{source}: {}", ran.err);
        assert!(!ran.err.contains("report it"), "{source}: {}", ran.err);
        let reasons = ["the agent's own files are given back", "no session"];
        assert!(reasons.iter().any(|why| ran.err.contains(why)), "{source}: {}", ran.err);
    }
}

/// Each kind of item that the other agent does not get has a line, and a row in the document.
#[test]
fn what_does_not_cross_is_named() {
    let place = Place::new();
    let file = format!("{ID}.jsonl");
    let line = |at: u8, content: &str| {
        let ids = format!(r#""uuid":"u{at}","parentUuid":"u{}","sessionId":"{ID}""#, at - 1);
        let message = format!(r#"{{"role":"user","content":{content}}}"#);
        let head = format!(r#""timestamp":"2026-03-01T10:00:0{at}.000Z","cwd":"/srv/quay""#);
        format!("{{\"type\":\"user\",{ids},{head},\"message\":{message}}}\n")
    };
    let picture = r#"{"type":"image","source":{"type":"url","url":"https://quay.example/a.png"}}"#;
    let sealed = line(4, r#"[{"type":"redacted_thinking","data":"cXVheQ=="}]"#)
        .replace(r#""type":"user""#, r#""type":"assistant""#)
        .replace(r#""role":"user""#, r#""model":"claude-x","role":"assistant""#);
    let text = line(1, &format!(r#"[{{"type":"text","text":"See this."}},{picture}]"#))
        + &line(2, r#""<local-command-stdout>bye</local-command-stdout>""#)
        + &line(
            3,
            r#""<system-reminder>\nPlan mode is active. The quay is closed.</system-reminder>""#,
        )
        + &sealed;
    put(&place.path().join(&file), &text);
    let ran = place.run(&["convert", &file, "--to", "codex", "-o", "out/"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "not whole there: 1 prompt (the target has no place for it)",
        "not there: 1 text of the agent itself (the agent adds it to each session; the other agent \
         adds its own)",
        "not there: 1 sealed item (only the provider can read it)",
    ] {
        assert!(ran.err.lines().any(|line| line == told), "{told}: {}", ran.err);
    }
    assert!(!ran.err.contains("none of the conversation"), "{}", ran.err);
    let ran = place.run(&["convert", &file, "--to", "codex", "-o", "more/", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let items = json["books"]["items"].as_array().unwrap();
    let words = |item: &serde_json::Value| {
        let word = |key: &str| item[key].as_str().unwrap().to_owned();
        (word("part"), word("fate"), item["count"].as_u64().unwrap())
    };
    let items: Vec<_> = items.iter().map(words).collect();
    let row = |part: &str, fate: &str| (part.to_owned(), fate.to_owned(), 1);
    let dropped = ["context", "sealed"].map(|part| row(part, "dropped"));
    assert_eq!(items, [&[row("prompt", "in_part")], &dropped[..]].concat());
    // The output of the command crosses, so no line names it.
    let mut written = std::fs::read_dir(place.path().join("out")).unwrap();
    let written = std::fs::read_to_string(written.next().unwrap().unwrap().path()).unwrap();
    assert!(written.contains("bye") && !written.contains("The quay is closed."), "{written}");
}

#[test]
fn a_demo_is_not_mixed_with_other_files() {
    let place = Place::new();
    put(&place.path().join("mine/notes.txt"), "mine");
    let ran = place.run(&["demo", "--folder", "mine"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(names(&place.path().join("mine")), ["notes.txt"]);
}

/// No new file is written into an agent's folder or beside a database: the agent would read it, or
/// SQLite would take it for the database's WAL.
#[test]
fn nothing_new_is_written_among_an_agents_files() {
    let place = Place::with_sessions();
    rusqlite::Connection::open(place.path().join("x.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(a)")
        .unwrap();
    let new = ["home/.claude/projects/new.json", "home/.claude/projects/a/b/new.json"];
    for target in new.into_iter().chain(["x.db-wal", "x.db-journal", "x.db-shm"]) {
        for force in [&[][..], &["--force"]] {
            let ran = place.run(&[&["convert", ID, "--to", "vac", "-o", target], force].concat());
            assert_eq!(ran.code, 2, "{target}: {}", ran.err);
            assert!(ran.err.contains("would be a file of an agent"), "{}", ran.err);
            assert!(ran.err.contains("another folder"), "{}", ran.err);
            assert!(!place.path().join(target).exists(), "{target}");
        }
    }
    assert_eq!(place.run(&["convert", ID, "--to", "vac", "-o", "y.db-wal"]).code, 0);
}

/// For a truncated file, its readable length and advice are reported. A named pipe is refused.
#[test]
fn a_cut_file_and_a_pipe_are_failures_that_are_said_plainly() {
    let place = Place::new();
    let name = "rollout-2026-09-28T17-45-00-019e5300-0000-7000-8000-000000000050.jsonl.zst";
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../formats/src/agents/codex/samples/compressed/archived_sessions/"
    );
    let packed = std::fs::read(format!("{sample}{name}")).unwrap();
    for length in [3, 9, packed.len() / 2, packed.len() - 1] {
        std::fs::write(place.path().join(name), &packed[..length]).unwrap();
        let ran = place.run(&["check", name]);
        assert_eq!(ran.code, 3, "{length}: {}{}", ran.out, ran.err);
        assert!(
            ran.out.contains("it is truncated") && ran.out.contains("restore it"),
            "{}",
            ran.out
        );
        assert!(!ran.out.contains("Error"), "{}", ran.out);
    }
    std::fs::remove_file(place.path().join(name)).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    for command in ["check", "usage", "list"] {
        let ran = place.run(&[command, "pipe"]);
        assert_eq!(ran.code, 3, "{command}: {}{}", ran.out, ran.err);
    }
    assert_eq!(place.run(&["check", "."]).code, 0, "one that is only met is no failure");
}

/// Everything in an agent's folder is protected: sessions, settings, instructions, and files that
/// do not exist yet.
#[test]
fn nothing_is_written_into_an_agents_folder() {
    let place = Place::with_sessions();
    for target in [
        "home/.claude/CLAUDE.md",
        "home/.claude/agents/a.md",
        "home/.claude/new.json",
        "home/.codex/new.json",
        "home/.gemini/GEMINI.md",
        "home/.codewhale/new.json",
        "home/.local/share/opencode/new.json",
        "home/.cursor/rules/new.json",
    ] {
        let path = place.path().join(target);
        let is_new = target.contains("new");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if !is_new {
            std::fs::write(&path, "rules").unwrap();
        }
        let ran = place.run(&["convert", ID, "--to", "vac", "-o", target, "--force"]);
        assert_eq!(ran.code, 2, "{target}: {}", ran.err);
        assert!(ran.err.contains("of an agent"), "{target}: {}", ran.err);
        assert_eq!(path.exists(), !is_new, "{target}");
    }
}

/// Private, whatever the umask: a session is its owner's business.
#[test]
#[cfg(unix)]
fn new_folders_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_sessions();
    let verbatim = env!("CARGO_BIN_EXE_verbatim");
    let text = format!("umask 000; exec '{verbatim}' convert {ID} --to vac -o a/b/c.json");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &text]).current_dir(place.path()).env("HOME", place.path().join("home"));
    assert!(shell.output().unwrap().status.success());
    for (path, wanted) in [("a", 0o700), ("a/b", 0o700), ("a/b/c.json", 0o600)] {
        let mode = std::fs::metadata(place.path().join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, wanted, "{path}");
    }
}

#[test]
fn a_folder_that_is_made_for_a_file_is_told() {
    let place = Place::with_sessions();
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";
    for (args, file) in [
        (&["redact", ID, other][..], "fifth/"),
        (&["export", ID], "first/a/x.html"),
        (&["convert", ID, "--to", "vac"], "other/b/x.json"),
        (&["redact", ID], "third/c/"),
    ] {
        let ran = place.run(&[args, &["-o", file]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let folder = format!("made the folder {}: only you can read it\n", &file[..5]);
        assert_eq!(ran.err.matches(&folder).count(), 1, "{file}: {}", ran.err);
        assert_eq!(ran.err.matches("made the folder").count(), 1, "{file}: {}", ran.err);
        assert!(!ran.out.contains("//"), "{}", ran.out);
        let again = place.run(&[args, &["-o", file, "--force"]].concat());
        assert!(again.code == 0 && !again.err.contains("made the folder"), "{}", again.err);
    }
}
