//! `scan` as people and hooks use it: any files, each value once, what is accepted, and what could
//! not be looked through.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{ID, Place, Ran, put, talk};

/// A token that no scanner of this repository may see.
fn token(digits: &str) -> String {
    format!("gh{}_{}", 'p', digits.repeat(6))
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn what_is_no_session_is_scanned_as_text() {
    let place = Place::new();
    put(
        &place.path().join("texts/conf.yaml"),
        &format!("a: 1\nb: 2\ntoken: {}\n", token("q7Wn2R")),
    );
    put(&place.path().join("texts/.env"), "EMPTY=\n");
    put(&place.path().join("clean/a.txt"), "nothing\n");
    for what in ["texts/conf.yaml", "texts"] {
        let ran = place.run(&["scan", what, "--json"]);
        assert_eq!(ran.code, 1, "{what}: {}", ran.err);
        let found = &json(&ran)["sources"][0]["findings"][0];
        assert_eq!((&found["line"], &found["class"]), (&3.into(), &"provider-token".into()));
        assert!(found["file"].as_str().unwrap().ends_with("conf.yaml"), "{found}");
    }
    let ran = place.run(&["scan", "clean"]);
    assert_eq!((ran.code, &*ran.out), (0, "0 values in 0 sessions and 1 other file\n"));
    // UTF-16, as Windows writes it.
    let wide = format!("token: {}\n", token("q7Wn2R"));
    let wide: Vec<u8> =
        std::iter::once(0xfeffu16).chain(wide.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    fs::write(place.path().join("clean/wide.txt"), wide).unwrap();
    assert_eq!(place.run(&["scan", "clean"]).code, 1);
}

#[test]
fn files_beside_sessions_belong_to_them() {
    let place = Place::with_sessions();
    let projects = place.session().parent().unwrap().to_path_buf();
    assert_eq!(place.run(&["scan"]).code, 0);
    // The output of a tool, which the agent keeps beside the session.
    let output = projects.join(format!("{ID}/tool-results/t1.txt"));
    put(&output, &format!("token: {}\n", token("Lx4Tz8")));
    let session = place.session();
    for what in [&[][..], &[session.to_str().unwrap()], &[ID], &["home"]] {
        let ran = place.run(&[&["scan", "--json"][..], what].concat());
        assert_eq!(ran.code, 1, "{what:?}: {} {}", ran.out, ran.err);
        assert!(ran.out.contains("t1.txt"), "{what:?}: {}", ran.out);
    }
    fs::remove_file(output).unwrap();
    // The history of the prompts.
    let prompt = format!(r#"{{"display":"use {}","timestamp":1790000000000}}"#, token("Vb3Mc6"));
    put(&place.path().join("home/.claude/history.jsonl"), &prompt);
    for what in [&[][..], &["home/.claude"]] {
        assert_eq!(place.run(&[&["scan"][..], what].concat()).code, 1, "{what:?}");
    }
}

/// A tape archive with one file.
fn tar(name: &str, text: &str) -> Vec<u8> {
    let mut head = vec![0; 512];
    let mut put =
        |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000600");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{:011o}", text.len()));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head.extend_from_slice(text.as_bytes());
    head.resize(head.len().next_multiple_of(512) + 1024, 0);
    head
}

#[test]
fn a_value_within_an_archive_is_found_by_the_number_of_its_entry() {
    let place = Place::new();
    put(&place.path().join("files/a.txt"), "nothing\n");
    let secret = format!("one\ntoken: {}\n", token("Rk9Lx4"));
    fs::write(place.path().join("files/b.tar"), tar("../../etc/x", &secret)).unwrap();
    let ran = place.run(&["scan", "files"]);
    assert_eq!(ran.code, 1, "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("b.tar (entry 1)") && !ran.out.contains("etc/x"), "{}", ran.out);
    // So is one in the name of an entry, which no output shows.
    let name = token("Vb3Mc6");
    fs::write(place.path().join("files/b.tar"), tar(&name, "nothing\n")).unwrap();
    let ran = place.run(&["scan", "files"]);
    assert!(ran.code == 1 && !ran.out.contains(&name), "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("b.tar (names of entries)"), "{}", ran.out);
    fs::write(place.path().join("files/b.tar"), tar("x", "nothing\n")).unwrap();
    assert_eq!(place.run(&["scan", "files"]).code, 0);
    // A cut one is damaged, and not clean.
    fs::write(place.path().join("files/b.tar"), &tar("x", &"nothing\n".repeat(400))[..900])
        .unwrap();
    let ran = place.run(&["scan", "files"]);
    assert!(ran.code == 3 && ran.err.contains("damaged"), "{} {}", ran.out, ran.err);
}

#[test]
fn what_was_not_looked_through_is_told() {
    let place = Place::new();
    put(&place.path().join("files/a.txt"), "nothing\n");
    fs::write(place.path().join("files/b.zip"), b"PK\x03\x04and more").unwrap();
    let ran = place.run(&["scan", "files"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("b.zip") && ran.err.contains("Zip"), "{}", ran.err);
    let sarif = json(&place.run(&["scan", "files", "--sarif"]));
    let told = &sarif["runs"][0]["invocations"][0];
    assert!(told.to_string().contains("b.zip") && told["executionSuccessful"] == false, "{told}");
    // It can be accepted.
    put(&place.path().join(".verbatim-allow"), "not-read files/*.zip -- only pictures in it\n");
    assert_eq!(place.run(&["scan", "files"]).code, 0);
    // A value comes first.
    put(&place.path().join(".verbatim-allow"), "");
    put(&place.path().join("files/c.txt"), &format!("token: {}\n", token("q7Wn2R")));
    let ran = place.run(&["scan", "files"]);
    assert!(ran.code == 1 && ran.err.contains("b.zip"), "{}", ran.err);
    // The agent's own credentials are never opened.
    put(&place.path().join("home/.codex/auth.json"), &format!("{{\"t\":\"{}\"}}", token("Xy7Zw8")));
    let ran = place.run(&["scan", "home", "--all"]);
    assert!(ran.code == 0 && ran.out.contains("auth.json: never opened"), "{}", ran.out);
}

#[test]
fn each_value_is_told_once() {
    let place = Place::new();
    let line = format!("export TOKEN={}\n", token("Hf5Gj0"));
    put(&place.path().join("a.txt"), &line.repeat(100));
    let ran = place.run(&["scan", "a.txt"]);
    let value = ran.out.lines().nth(1).unwrap();
    assert!(value.contains("provider-token") && value.contains("100 places"), "{}", ran.out);
    assert!(ran.out.contains("1 value at 100 places"), "{}", ran.out);
    let found = json(&place.run(&["scan", "a.txt", "--json"]));
    assert_eq!((&found["findings"], &found["values"]), (&100.into(), &1.into()));
    let all = place.run(&["scan", "a.txt", "--all"]).out;
    assert!(all.contains("a.txt:2-100"), "{all}");
}

#[test]
fn a_report_has_24_lines() {
    let place = Place::new();
    for file in 0..30 {
        let line = |at: usize| format!("export TOKEN={}\n", token(&format!("a{file:02}b{at:02}")));
        let text: String = (0..=file).map(line).collect();
        put(&place.path().join(format!("many/file-{file:02}.txt")), &text);
    }
    fs::write(place.path().join("many/z.zip"), b"PK\x03\x04").unwrap();
    let ran = place.run(&["scan", "many"]);
    let lines = ran.out.lines().count() + ran.err.lines().count();
    assert!(lines <= 24, "{lines}: {}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("many/file-29.txt  30 values\n"), "{}", ran.out);
    assert!(ran.out.contains("more values in 30 sources"), "{}", ran.out);
    assert!(ran.out.contains("465 values at 465 places in 30 sources"), "{}", ran.out);
    let all = place.run(&["scan", "many", "--all"]).out;
    assert!(all.lines().count() > 465 && !all.contains("more values"), "{all}");
}

/// Fingerprints of an output as SARIF.
fn fingerprints(ran: &Ran) -> Vec<String> {
    let results = json(ran)["runs"][0]["results"].as_array().unwrap().clone();
    let one = |result: &serde_json::Value| {
        result["partialFingerprints"]["verbatim/v1"].as_str().unwrap().to_owned()
    };
    results.iter().map(one).collect()
}

#[test]
fn findings_are_known_again() {
    let place = Place::new();
    let text = format!("token: {}\nother: {}\n", token("q7Wn2R"), token("k9Lx4T"));
    put(&place.path().join("a.txt"), &text);
    put(
        &place.path().join("s.jsonl"),
        &talk(ID, &format!("use {}", token("z8Vb3M")), "2026-03-01T10:0"),
    );
    let sarif =
        |more: &[&str]| place.run(&[&["scan", "a.txt", "s.jsonl", "--sarif"][..], more].concat());
    let (first, again) = (sarif(&[]), sarif(&[]));
    assert_eq!(first.out, again.out);
    let known = fingerprints(&first);
    assert_eq!(known.len(), 3);
    assert!(known.iter().collect::<std::collections::BTreeSet<_>>().len() == 3, "{known:?}");
    // By a key, a value is known on another line too.
    fs::write(place.path().join("key"), "0123456789abcdef").unwrap();
    let keyed = fingerprints(&sarif(&["--tag-key", "key"]));
    put(&place.path().join("a.txt"), &format!("one line more\n{text}"));
    assert_eq!(keyed, fingerprints(&sarif(&["--tag-key", "key"])));
    assert_ne!(known, fingerprints(&sarif(&[])));
    assert_eq!(place.run(&["scan", "a.txt", "--tag-key", "a.key"]).code, 3);
    fs::write(place.path().join("a.key"), "short").unwrap();
    assert_eq!(place.run(&["scan", "a.txt", "--tag-key", "a.key"]).code, 2);
    // Only what is new counts beside a baseline, of either form.
    for form in ["--json", "--sarif"] {
        put(&place.path().join("a.txt"), &text);
        put(&place.path().join("base"), &place.run(&["scan", "a.txt", form]).out);
        assert_eq!(place.run(&["scan", "a.txt", "--baseline", "base"]).code, 0, "{form}");
        put(&place.path().join("a.txt"), &format!("{text}new: {}\n", token("d1Hf5G")));
        let ran = place.run(&["scan", "a.txt", "--json", "--baseline", "base"]);
        assert_eq!((ran.code, &json(&ran)["findings"]), (1, &1.into()), "{form}");
    }
    put(&place.path().join("base"), "{}");
    assert_eq!(place.run(&["scan", "a.txt", "--baseline", "base"]).code, 2);
}

#[test]
fn findings_are_accepted_by_place_or_tag() {
    let place = Place::new();
    let text = format!("a\ntoken: {}\n", token("q7Wn2R"));
    put(&place.path().join("a.txt"), &text);
    assert_eq!(place.run(&["scan", "a.txt"]).code, 1);
    let ran = place.run(&["scan", "a.txt", "--accept", "an example"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let list = fs::read_to_string(place.path().join(".verbatim-allow")).unwrap();
    assert!(list.ends_with("github a.txt:2 -- an example\n") && list.starts_with('#'), "{list}");
    assert!(!list.contains("q7Wn2R"));
    let ran = place.run(&["scan", "a.txt"]);
    assert!(ran.code == 0 && ran.out.contains("1 place is accepted"), "{}", ran.out);
    put(&place.path().join("a.txt"), &format!("b\n{text}"));
    assert_eq!(place.run(&["scan", "a.txt"]).code, 1, "on another line");
    // By a tag, wherever it is; and only with its key.
    fs::write(place.path().join("key"), "0123456789abcdef").unwrap();
    let keyed = ["--tag-key", "key", "--allow", "keyed"];
    put(&place.path().join("keyed"), "# none\n");
    let accept = [&["scan", "a.txt", "--accept", "revoked"][..], &keyed].concat();
    assert_eq!(place.run(&accept).code, 0);
    put(&place.path().join("b/c.txt"), &format!("c\nd\n{text}"));
    assert_eq!(place.run(&[&["scan", "b"][..], &keyed].concat()).code, 0);
    let ran = place.run(&["scan", "b", "--allow", "keyed"]);
    assert!(ran.code == 1 && ran.err.contains("--tag-key"), "{}", ran.err);
    // A line that accepts nothing is reported.
    put(&place.path().join(".verbatim-allow"), "\ngithub a.txt:3\n");
    let ran = place.run(&["scan", "a.txt"]);
    assert!(ran.code == 2 && ran.err.contains("line 2"), "{}", ran.err);
    assert_eq!(place.run(&["scan", "a.txt", "--allow", "nowhere"]).code, 3);
}

/// A repository of Git; `None` where there is no Git.
fn repository(place: &Place) -> Option<impl Fn(&[&str]) -> bool> {
    let top = place.path().to_path_buf();
    let git = move |args: &[&str]| {
        let name = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"];
        let mut command = Command::new("git");
        command.args(name).args(args).current_dir(&top).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.output().is_ok_and(|ran| ran.status.success())
    };
    git(&["init", "-q"]).then_some(git)
}

#[test]
fn what_is_staged_is_scanned() {
    let place = Place::new();
    let Some(git) = repository(&place) else { return };
    let path = place.path().join("docs/a file.md");
    put(&path, &format!("# Setup\n\ntoken: {}\n", token("q7Wn2R")));
    put(&place.path().join("s.jsonl"), &talk(ID, "hello", "2026-03-01T10:0"));
    assert_eq!(in_path(&place, &["scan", "--staged"]).code, 0, "nothing is staged");
    assert!(git(&["add", "docs", "s.jsonl"]));
    // What is staged counts, not what is in the folder.
    put(&path, "nothing\n");
    fs::create_dir(place.path().join("below")).unwrap();
    let ran = in_path(&place, &["scan", "--staged", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let found = json(&ran);
    assert_eq!(found["sessions"], 1);
    let rows = found["sources"].as_array().unwrap().iter();
    let row =
        rows.flat_map(|source| source["findings"].as_array().unwrap()).next().unwrap().clone();
    assert_eq!((&row["file"], &row["line"]), (&"docs/a file.md".into(), &3.into()));
    // The list is that of the repository.
    put(&place.path().join(".verbatim-allow"), "github docs/*.md -- an example\n");
    assert_eq!(in_path(&place, &["scan", "--staged"]).code, 0);
    let mut below = place.command(&["scan", "--staged"]);
    below.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ran = common::ran(below.current_dir(place.path().join("docs")).output().unwrap());
    assert_eq!(ran.code, 0, "from a folder of it: {}{}", ran.out, ran.err);
    let outside = Place::new();
    let ran = in_path(&outside, &["scan", "--staged"]);
    assert!(ran.code == 3 && ran.err.contains("Git"), "{}", ran.err);
}

/// A run with the programs of this machine.
fn in_path(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CEILING_DIRECTORIES", place.path().parent().unwrap_or(Path::new("/")));
    common::ran(command.output().unwrap())
}

/// A list that nobody named may be that of a cloned repository: it accepts what is below its own
/// folder, and nothing of the user's own sessions or of a file that a link leads to.
#[test]
#[cfg(unix)]
fn a_list_that_nobody_named_accepts_below_its_folder_only() {
    let place = Place::with_sessions();
    let secret = format!("token: {}\n", token("q7Wn2R"));
    put(&place.path().join("clone/docs/a.txt"), &secret);
    put(&place.path().join("own/b.txt"), &secret);
    std::os::unix::fs::symlink("../own/b.txt", place.path().join("clone/c.txt")).unwrap();
    put(&place.path().join("clone/.verbatim-allow"), "* * -- all of it\nnot-read * -- all\n");
    let scan = |args: &[&str], input: &str| {
        let mut command = place.command(&[&["scan"][..], args].concat());
        command.current_dir(place.path().join("clone"));
        fs::write(place.path().join("input"), input).unwrap();
        command.stdin(fs::File::open(place.path().join("input")).unwrap());
        common::ran(command.output().unwrap())
    };
    let ran = scan(&["docs"], "");
    assert!(ran.code == 0 && ran.out.contains("clone/.verbatim-allow"), "{}", ran.out);
    assert!(json(&scan(&["docs", "--json"], ""))["allow"].is_string());
    for what in ["../own", "c.txt"] {
        let ran = scan(&[what], "");
        assert_eq!(ran.code, 1, "{what}: {}", ran.out);
    }
    assert_eq!(scan(&["-"], &secret).code, 1, "standard input is below no folder");
    fs::write(place.path().join("own/b.zip"), b"PK\x03\x04and more").unwrap();
    fs::remove_file(place.path().join("own/b.txt")).unwrap();
    assert_eq!(scan(&["../own"], "").code, 3, "whether a file is looked into is not its affair");
    // Sessions of the machine are elsewhere.
    let session = talk(ID, &format!("use {}", token("k9Lx4T")), "2026-03-01T10:0");
    put(&place.session(), &session);
    assert_eq!(scan(&[], "").code, 1);
    // A named list accepts everywhere.
    assert_eq!(scan(&["--allow", ".verbatim-allow"], "").code, 0);
    // What is elsewhere is not accepted into it, and an error says so.
    let before = fs::read_to_string(place.path().join("clone/.verbatim-allow")).unwrap();
    let ran = scan(&["--accept", "mine"], "");
    assert!(ran.code == 1 && ran.err.contains("--allow FILE"), "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_to_string(place.path().join("clone/.verbatim-allow")).unwrap(), before);
}

/// Files that are read whole are regular and not large, whoever named them.
#[test]
#[cfg(unix)]
fn a_file_without_an_end_is_refused() {
    let place = Place::with_sessions();
    put(&place.path().join("a.txt"), "nothing\n");
    let pipe = place.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for target in ["/dev/zero", "pipe"] {
        let list = place.path().join(".verbatim-allow");
        std::os::unix::fs::symlink(target, &list).unwrap();
        let ran = place.run(&["scan", "a.txt"]);
        assert!(ran.code == 2 && ran.err.contains("not a regular file"), "{target}: {}", ran.err);
        fs::remove_file(&list).unwrap();
        for args in [
            &["scan", "a.txt", "--allow", target][..],
            &["scan", "a.txt", "--baseline", target],
            &["scan", "a.txt", "--tag-key", target],
            &["usage", "--prices", target],
            &["usage", "--compare", target],
        ] {
            let ran = place.run(args);
            assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("not a regular file"), "{args:?}: {}", ran.err);
        }
    }
    // A list of the greatest length that is not there on the disk.
    let large = fs::File::create(place.path().join(".verbatim-allow")).unwrap();
    large.set_len(1 << 40).unwrap();
    let ran = place.run(&["scan", "a.txt"]);
    assert!(ran.code == 2 && ran.err.contains("it has more than"), "{}", ran.err);
}
