//! The places of sessions that the archive keeps: files that move, folders that can't be read,
//! links, what is left out, and what belongs beside a session.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use common::kept::{OTHER, digests, given, good, json, unpacked};
use common::{ID, Place, copy, put, ran, talk};

const THREAD: &str = "0199f0aa-41c2-7d10-9b1e-5a2c7c1d2e3f";

/// A session of Codex with these prompts.
fn rollout(prompts: &[&str]) -> String {
    let line = |kind: &str, payload: &str| {
        let time = "2026-04-02T08:00:00.000Z";
        format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
    };
    let meta = format!(
        "{{\"id\":\"{THREAD}\",\"timestamp\":\"2026-04-02T08:00:00.000Z\",\
         \"cwd\":\"/srv/orchard\",\"originator\":\"codex_cli_rs\",\"cli_version\":\"0.98.0\"}}"
    );
    let said = prompts.iter().map(|prompt| {
        let content = format!("[{{\"type\":\"input_text\",\"text\":\"{prompt}\"}}]");
        let message = format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":{content}}}");
        line("response_item", &message)
    });
    line("session_meta", &meta) + &said.collect::<String>()
}

fn rollout_path(place: &Place, folder: &str) -> PathBuf {
    let name = format!("rollout-2026-04-02T08-00-00-{THREAD}.jsonl");
    place.path().join("home/.codex").join(folder).join(name)
}

#[test]
fn a_session_whose_file_its_agent_moves_stays_one_session() {
    let place = Place::new();
    let (first, then) =
        (rollout_path(&place, "sessions/2026/04/02"), rollout_path(&place, "archived_sessions"));
    put(&first, &rollout(&["Prune the pear trees"]));
    good(&place, &["sync"]);
    fs::create_dir_all(then.parent().unwrap()).unwrap();
    fs::rename(&first, &then).unwrap();
    // Before the next run too, it is there once, and has not been deleted.
    let listed = |count: usize| {
        let list = good(&place, &["list", "--all-projects", "--json"]).out;
        assert_eq!(list.matches(&format!("\"id\": \"{THREAD}\"")).count(), count, "{list}");
        assert!(!list.contains("\"archived\": true"), "{list}");
    };
    listed(1);
    let moved = json(&place, &["sync", "--json"]);
    let counts = ["new", "changed", "gone"].map(|name| moved[name].as_u64().unwrap());
    assert_eq!(counts, [0, 0, 0], "{moved}");
    assert_eq!(json(&place, &["archive", "status", "--json"])["sessions"], 1);
    let versions = json(&place, &["archive", "versions", THREAD, "--json"]);
    let path = versions["versions"][0]["files"][0]["path"].as_str().unwrap();
    assert!(path.ends_with(&*then.to_string_lossy()), "{versions}");
    // It grows in its new place, and goes back.
    put(&then, &rollout(&["Prune the pear trees", "And the plums"]));
    let grown = json(&place, &["sync", "--json"]);
    assert_eq!((&grown["new"], &grown["changed"]), (&0.into(), &1.into()), "{grown}");
    fs::rename(&then, &first).unwrap();
    good(&place, &["sync"]);
    assert_eq!(digests(&place, THREAD).len(), 2);
    listed(1);
    // It is given back to where it was last.
    let last = fs::read(&first).unwrap();
    fs::remove_file(&first).unwrap();
    let gone = json(&place, &["sync", "--json"]);
    assert_eq!(gone["gone"], 1, "{gone}");
    good(&place, &["archive", "restore", THREAD, "--in-place"]);
    assert_eq!(fs::read(&first).unwrap(), last);
    // To forget it forgets it under each of its names.
    good(&place, &["archive", "forget", THREAD, "--yes"]);
    fs::rename(&first, &then).unwrap();
    good(&place, &["sync"]);
    assert!(!unpacked(&place).contains("pear"));
}

#[test]
fn a_date_means_what_was_there_then() {
    let place = Place::with_sessions();
    let (path, first) = (place.session(), fs::read(place.session()).unwrap());
    let other = String::from_utf8(first.clone()).unwrap().replace("green", "blue").into_bytes();
    let mut times = Vec::new();
    for state in [&first, &other, &first] {
        fs::write(&path, state).unwrap();
        good(&place, &["sync"]);
        let versions = json(&place, &["archive", "versions", ID, "--json"]);
        let last = versions["versions"].as_array().unwrap().last().unwrap().clone();
        times.push(last["seen"].as_str().unwrap().to_owned());
        // The times of runs are of milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for (time, state) in times.iter().zip([&first, &other, &first]) {
        assert_eq!(&given(&place, &format!("{ID}@{time}")), state, "{time}");
        assert_eq!(&given(&place, &format!("{ID}@{}", time.replace('T', " "))), state, "{time}");
    }
}

/// A run as a user who is not the administrator, who may read everything.
fn as_nobody(place: &Place, args: &[&str]) -> common::Ran {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    let mut command = place.command(args);
    if fs::metadata(place.path()).unwrap().uid() == NOBODY {
        command.uid(NOBODY).gid(NOBODY);
    }
    ran(command.output().unwrap())
}

const NOBODY: u32 = 65534;

/// Gives all files of a machine to that user if this one is the administrator.
fn given_to_nobody(place: &Place) {
    use std::os::unix::fs::MetadataExt as _;
    if fs::metadata(place.path()).unwrap().uid() == 0 {
        let mut chown = std::process::Command::new("chown");
        let done = chown.args(["-R", &format!("{NOBODY}:{NOBODY}")]).arg(place.path()).status();
        assert!(done.unwrap().success());
    }
}

#[test]
fn a_folder_that_cannot_be_read_is_named_and_its_sessions_are_not_gone() {
    let place = Place::with_sessions();
    put(&place.path().join("home/.claude/history.jsonl"), "{\"display\":\"paint\"}\n");
    given_to_nobody(&place);
    let mut probe = std::process::Command::new(env!("CARGO_BIN_EXE_verbatim"));
    std::os::unix::process::CommandExt::uid(&mut probe, NOBODY);
    let is_root = std::os::unix::fs::MetadataExt::uid(&fs::metadata(place.path()).unwrap());
    if is_root == NOBODY && probe.arg("--version").output().is_err() {
        eprintln!("skipped: the program can't be run by another user");
        return;
    }
    let first = as_nobody(&place, &["sync"]);
    assert_eq!(first.code, 0, "{}", first.err);
    let projects = place.path().join("home/.claude/projects");
    for (folder, mode) in [
        (place.path().join("home/.claude"), 0o000),
        (place.path().join("home/.claude"), 0o600),
        (projects.clone(), 0o000),
        (projects.join("-home-ana-shop"), 0o000),
    ] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        let ran = as_nobody(&place, &["sync"]);
        let list = as_nobody(&place, &["list", "--all-projects", "--json"]);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(ran.code, 3, "{}: {}{}", folder.display(), ran.out, ran.err);
        assert!(ran.err.contains(&*folder.to_string_lossy()), "{}", ran.err);
        assert!(!ran.out.contains("no longer"), "{}", ran.out);
        assert!(!list.out.contains("\"archived\": true"), "{mode:o} {}", list.out);
    }
    assert_eq!(as_nobody(&place, &["sync"]).code, 0);
}

#[test]
fn patterns_are_names_or_paths_and_one_that_means_nothing_is_named() {
    let of = |patterns: &[&str]| {
        let place = Place::with_sessions();
        put(&place.path().join("home/.claude/todos/list.json"), "[\"wash\"]");
        let args: Vec<&str> = patterns.iter().flat_map(|pattern| ["--exclude", pattern]).collect();
        let told = good(&place, &[&["sync"], &*args].concat()).err;
        let kept = unpacked(&place);
        let has = ["door", "window", "wash"].map(|word| kept.contains(word));
        (has, told.contains("nothing here is meant"), place)
    };
    for (pattern, has) in [
        ("~/.claude/projects", [false, false, true]),
        (".claude/projects/-home-ana-shop/", [false, false, true]),
        (".claude/*/-home-*", [false, false, true]),
        ("/home/ana/shop", [false, false, true]),
        ("/home/*/shop", [false, false, true]),
        ("**/shop", [false, false, true]),
        ("todos", [true, true, false]),
        ("~/.claude/todos/*.json", [true, true, false]),
        ("5f1e7f1e*22.jsonl", [true, false, true]),
    ] {
        let (had, is_unmet, _) = of(&[pattern]);
        assert_eq!((had, is_unmet), (has, false), "{pattern}");
    }
    for pattern in ["projects/-home-ana-shop", "~/nothing/*", "/home/ana", "shops"] {
        let (had, is_unmet, place) = of(&[pattern]);
        // The folder of the test may itself be below such a path.
        if pattern != "/home/ana" {
            assert_eq!((had, is_unmet), ([true; 3], true), "{pattern}");
        }
        let patterns = json(&place, &["archive", "status", "--json"])["excludes"].clone();
        assert_eq!(patterns, serde_json::json!([pattern]));
    }
    // What was kept before is met too, and later runs say nothing of patterns again.
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    let told = good(&place, &["sync", "--exclude", "/home/ana/shop"]);
    assert!(told.out.contains("left out: 2") && !told.err.contains("is meant"), "{}", told.err);
    assert!(!good(&place, &["sync"]).err.contains("is meant"));
}

#[test]
fn the_users_file_of_patterns_counts() {
    let place = Place::with_sessions();
    put(
        &place.path().join("home/.config/verbatim/ignore"),
        "# not these\n\n5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22.jsonl\n",
    );
    assert_eq!(json(&place, &["sync", "--json"])["left_out"], 1);
    assert!(!unpacked(&place).contains("window"));
    fs::remove_file(place.path().join("home/.config/verbatim/ignore")).unwrap();
    good(&place, &["sync"]);
    assert!(unpacked(&place).contains("window"));
}

#[test]
fn every_folder_of_an_agent_that_is_not_read_is_kept() {
    let place = Place::new();
    let home = place.path().join("home");
    for (path, text) in [
        (".gemini/antigravity/conversations/a1.pb", "sow the beans"),
        (".gemini/antigravity-ide/brain/b2/task.json", "sow the peas"),
    ] {
        put(&home.join(path), &format!("{{\"text\":\"{text}\"}}\n"));
    }
    good(&place, &["sync"]);
    let kept = unpacked(&place);
    for word in ["beans", "peas"] {
        assert!(kept.contains(word), "{word}");
    }
}

#[test]
fn links_are_kept_as_what_they_lead_to_or_named() {
    let place = Place::with_sessions();
    let projects = place.path().join("home/.claude/projects");
    let far = "7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e55";
    put(&place.path().join("far/session.jsonl"), &talk(far, "Mend the sail", "2026-05-01T10:0"));
    put(&projects.join("-srv/notes.txt"), "no session");
    let link = |to: &Path, name: &str| {
        symlink(to, projects.join(name)).unwrap();
        projects.join(name).display().to_string()
    };
    let out = link(&place.path().join("far/session.jsonl"), &format!("-srv/{far}.jsonl"));
    let folder = link(&place.path().join("far"), "-far");
    let nothing = link(Path::new("/no/such/file"), "-srv/gone.jsonl");
    let other = link(&projects.join("-srv/notes.txt"), "-srv/notes.jsonl");
    let known = link(&place.session(), "-srv/again.jsonl");
    let whole = link(&projects.join("-home-ana-shop"), "-shop");
    symlink("/etc/hostname", place.path().join("home/.claude/history.jsonl")).unwrap();
    let told = good(&place, &["sync"]).err;
    let history = place.path().join("home/.claude/history.jsonl").display().to_string();
    for path in [&out, &folder, &nothing, &other, &history] {
        assert!(told.contains(&format!("left out: {path}: a link")), "{path}\n{told}");
    }
    for path in [&known, &whole] {
        assert!(!told.contains(path), "{path} is kept under its own name\n{told}");
    }
    let links = json(&place, &["sync", "--json"])["links"].as_array().unwrap().len();
    assert_eq!(links, 5);
    let kept = unpacked(&place);
    assert!(!kept.contains("Mend the sail") && kept.contains("Paint the **door**"));
    let refused = place.run(&["sync", "--follow"]);
    assert!(refused.code == 2 && refused.err.contains("follows no links"), "{}", refused.err);
}

#[test]
fn what_belongs_to_a_session_is_given_back_with_it() {
    let place = Place::with_sessions();
    let claude = place.path().join("home/.claude");
    let beside = [
        format!("file-history/{ID}/0a1b@v1"),
        format!("image-cache/{ID}/1.png"),
        format!("todos/{ID}-agent-{ID}.json"),
        format!("projects/-home-ana-shop/{ID}/tool-results/toolu_01long.txt"),
        "plans/quiet-painted-otter.md".to_owned(),
    ];
    let text = fs::read_to_string(place.session()).unwrap();
    put(
        &place.session(),
        &text.replace("\"gitBranch\"", "\"slug\":\"quiet-painted-otter\",\"gitBranch\""),
    );
    for path in &beside {
        put(&claude.join(path), &format!("of {path}"));
    }
    put(&claude.join(format!("file-history/{OTHER}/0a1b@v1")), "of another");
    put(&claude.join("plans/loud-brown-badger.md"), "of another");
    let before = place.path().join("before");
    good(&place, &["sync"]);
    copy(&claude, &before);
    for folder in ["file-history", "image-cache", "todos", "projects", "plans"] {
        fs::remove_dir_all(claude.join(folder)).unwrap();
    }
    put(&claude.join(format!("todos/{ID}-agent-{ID}.json")), "newer");
    let told = good(&place, &["archive", "restore", ID, "--in-place"]);
    assert!(told.err.contains("is there with other content, and was left"), "{}", told.err);
    assert_eq!(
        fs::read(place.session()).unwrap(),
        fs::read(before.join(format!("projects/-home-ana-shop/{ID}.jsonl"))).unwrap()
    );
    for path in &beside {
        let now = fs::read_to_string(claude.join(path)).unwrap();
        let was = if path.starts_with("todos") { "newer".into() } else { format!("of {path}") };
        assert_eq!(now, was, "{path}");
    }
    assert!(!claude.join(format!("file-history/{OTHER}")).exists());
    assert!(!claude.join("plans/loud-brown-badger.md").exists());
    // Elsewhere they have their names in the agent's folder.
    good(&place, &["archive", "restore", ID, "-o", "out"]);
    let out = place.path().join("out");
    for path in &beside[..3] {
        assert_eq!(fs::read_to_string(out.join(path)).unwrap(), format!("of {path}"));
    }
}

#[test]
fn a_name_that_is_no_utf8_comes_back_as_it_was() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::with_sessions();
    let name = std::ffi::OsStr::from_bytes(b"-srv-caf\xe9");
    let folder = place.path().join("home/.claude/projects").join(name);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(std::ffi::OsStr::from_bytes(b"th\xe9.jsonl"));
    let id = "9d1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e66";
    let text = talk(id, "Warm the pot", "2026-05-02T10:0");
    if fs::write(&path, &text).is_err() {
        eprintln!("skipped: this file system has names of UTF-8 only");
        return;
    }
    good(&place, &["sync"]);
    fs::remove_dir_all(&folder).unwrap();
    good(&place, &["archive", "restore", id, "--in-place"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}
