//! `verbatim migrate sage`: each phase adds what it says and no more, a second run changes nothing,
//! and the source stays as it is.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Place, copy, put};
use serde_json::Value;

const LINE: &str = "{\"role\":\"user\",\"content\":\"Fire the kiln, please.\",\
                    \"timestamp\":\"2026-02-14T10:15:02+0100\"}\n";

/// The files below a folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let below = tree(&path).into_iter();
            let name = PathBuf::from(path.file_name().unwrap());
            found.extend(below.map(|(below, bytes)| (name.join(below), bytes)));
        } else {
            found.insert(path.file_name().unwrap().into(), fs::read(&path).unwrap());
        }
    }
    found
}

/// A project with an archive, one with a point in its path, and the samples.
fn projects() -> Place {
    let place = Place::new();
    let folder = place.path().join("projects");
    let samples = "crates/formats/src/agents/sage/samples/emacs/.emacs.d/sage/projects";
    copy(&samples::workspace().join(samples), &folder);
    let kiln = folder.join("-home-mira-kiln.v1-");
    put(&kiln.join("conversation.jsonl"), &LINE.repeat(2));
    put(&kiln.join("history/20260213-090000.jsonl"), LINE);
    let size = 2 * LINE.len();
    let register = format!(
        "{{\n  \"project_dir\": \"/home/mira/kiln.v1/\",\n  \"total_size\": {size},\n\
         \x20 \"own\": [1]\n}}\n"
    );
    put(&kiln.join("metadata.json"), &register);
    place
}

fn migrate(place: &Place, more: &[&str]) -> Value {
    let ran = place.run(&[&["migrate", "sage", "--json"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// The prompts and answers of all sessions of a folder.
fn texts(place: &Place, folder: &str) -> Vec<String> {
    let list: Value = serde_json::from_str(&place.run(&["list", "--json", folder]).out).unwrap();
    let mut texts = Vec::new();
    for session in list["sessions"].as_array().unwrap() {
        let file = session["files"][0].as_str().unwrap();
        let shown = place.run(&["show", "--json", file]).out;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        for event in shown["events"].as_array().unwrap() {
            let fields = event["fields"].as_array().unwrap().iter();
            let said = fields.filter(|field| field["slot"] == "content");
            texts.extend(said.map(|field| field["value"].to_string()));
        }
    }
    texts.sort();
    texts
}

#[test]
fn a_copy_has_all_phases_and_the_source_stays() {
    let place = projects();
    let source = place.path().join("projects");
    let before = tree(&source);
    let plan = migrate(&place, &["projects", "--dry-run"]);
    assert_eq!((plan["planned"].clone(), tree(&source)), (true.into(), before.clone()));
    let done = migrate(&place, &["projects", "-o", "copy"]);
    assert_eq!((&done["renamed"], &done["extended"]), (&plan["renamed"], &plan["extended"]));
    assert_eq!(tree(&source), before);
    let made = tree(&place.path().join("copy"));
    assert_eq!(made.len(), before.len());
    let kiln = |name: &str| {
        String::from_utf8(made[&Path::new("-home-mira-kiln-v1").join(name)].clone()).unwrap()
    };
    for name in ["conversation.jsonl", "history/20260213-090000.jsonl"] {
        for line in kiln(name).lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(line["uuid"].is_string() && line["session_id"].is_string(), "{name}: {line}");
            assert_eq!(line["tokens"]["estimated"], 5);
        }
    }
    let register: Value = serde_json::from_str(&kiln("metadata.json")).unwrap();
    assert_eq!(register["total_size"], kiln("conversation.jsonl").len());
    assert_eq!(register["own"], serde_json::json!([1]));
    assert_eq!(texts(&place, "copy"), texts(&place, "projects"));
    assert_eq!(place.run(&["check", "copy"]).code, 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| place.path().join(path).metadata().unwrap().permissions().mode();
        let conversation = "copy/-home-mira-kiln-v1/conversation.jsonl";
        assert_eq!((mode("copy") & 0o777, mode(conversation) & 0o777), (0o700, 0o600));
    }
    // Again: nothing changes.
    let again = migrate(&place, &["copy", "-o", "again"]);
    assert_eq!(
        (again["renamed"].clone(), again["extended"].clone()),
        ([0; 0].into(), [0; 0].into())
    );
    assert_eq!(tree(&place.path().join("again")), made);
    // One phase after the other gives the same, in any order.
    for order in [["1", "2", "3"], ["3", "1", "2"]] {
        let mut from = "projects".to_owned();
        for phase in order {
            let to = format!("{}-{phase}", from.replace("projects", &order.concat()));
            migrate(&place, &[&from, "-o", &to, "--phase", phase]);
            from = to;
        }
        let phased = tree(&place.path().join(from));
        let ids = |tree: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<Value> {
            let text = tree[Path::new("-home-mira-kiln-v1/conversation.jsonl")].clone();
            let text = String::from_utf8(text).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        assert_eq!(ids(&phased), ids(&made), "{order:?}");
    }
}

#[test]
fn in_place_the_old_folder_stays_beside() {
    let place = projects();
    let source = place.path().join("projects");
    let before = tree(&source);
    let ran = place.run(&["migrate", "sage", "projects", "--in-place"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("b8850e4"), "{}", ran.err);
    assert_eq!(tree(&place.path().join("projects.before-1")), before);
    let made = tree(&source);
    assert!(made.contains_key(Path::new("-home-mira-kiln-v1/conversation.jsonl")));
    let again = migrate(&place, &["projects", "--in-place"]);
    assert!(again["backup"].is_null(), "{again}");
    assert_eq!(tree(&source), made);
    assert!(!place.path().join("projects.before-2").exists());
}

#[test]
fn what_can_not_be_migrated_is_refused_and_nothing_is_written() {
    let place = projects();
    let fails = |args: &[&str], code: i32, why: &str| {
        let before = tree(place.path());
        let ran = place.run(&[&["migrate"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
        assert_eq!(tree(place.path()), before, "{args:?}");
    };
    fails(&["codex", "projects", "-o", "copy"], 2, "plans no migration");
    fails(&["sage", "projects"], 2, "-o COPY");
    fails(&["sage", "projects", "-o", "copy", "--phase", "5"], 2, "there is no phase 5");
    fails(&["sage", "projects", "-o", "copy", "--phase", "7"], 2, "no phase 7");
    fails(&["sage", "projects", "-o", "projects/copy"], 2, "within the folder");
    fails(&["sage", "projects", "-o", "."], 2, "within the folder");
    fails(&["sage", "nowhere", "-o", "copy"], 3, "nowhere");
    fails(&["sage", "-o", "copy"], 3, "no projects of sage");
    fs::create_dir(place.path().join("there")).unwrap();
    fails(&["sage", "projects", "-o", "there"], 3, "exists already");
    // Two projects whose names differ in a point only.
    put(&place.path().join("projects/-home-mira-kiln-v1/conversation.jsonl"), LINE);
    fails(&["sage", "projects", "-o", "copy"], 3, "two projects would have the folder");
    fs::remove_dir_all(place.path().join("projects/-home-mira-kiln-v1")).unwrap();
    #[cfg(unix)]
    {
        let link = place.path().join("projects/-home-mira-kiln.v1-/link");
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        let ran = place.run(&["migrate", "sage", "projects", "-o", "copy"]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("is no file"), "{}", ran.err);
        assert!(!place.path().join("copy").exists());
    }
}

#[test]
fn phase_4_replaces_secrets_and_nothing_else() {
    let place = Place::new();
    let file = place.path().join("projects/-home-mira-kiln/conversation.jsonl");
    let secret = format!("gh{}_{}", 's', "a7ZkQ2".repeat(6));
    let spoken =
        LINE.replace("Fire the kiln", &format!("https://x-access-token:{secret}@h.test/a"));
    put(&file, &format!("{LINE}{spoken}{LINE}"));
    let run = |from: &str, to: &str| {
        let ran = place.run(&["migrate", "sage", from, "-o", to, "--phase", "4"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        fs::read_to_string(Path::new(to).join("-home-mira-kiln/conversation.jsonl")).unwrap()
    };
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let once = run(&at("projects"), &at("copy"));
    let lines: Vec<&str> = once.split_inclusive('\n').collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, LINE, LINE));
    assert!(!once.contains(&secret[4..16]) && lines[1].contains("[REDACTED:"), "{once}");
    assert!(once.contains("/home/mira") || !spoken.contains("/home/mira"));
    assert_eq!(run(&at("copy"), &at("again")), once);
}

/// The agent writes into its projects while they are exchanged: each line is in the new folder.
#[test]
fn what_the_agent_writes_meanwhile_is_carried_over() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = Place::new();
    let folder = place.path().join("projects");
    for number in 0..60 {
        put(&folder.join(format!("-p-{number}-/conversation.jsonl")), LINE);
    }
    let done = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let names = ["-p-1-/conversation.jsonl", "-p-1/conversation.jsonl"];
            let mut count = 0;
            while !done.load(Ordering::Relaxed) {
                let open = |name| fs::File::options().append(true).open(folder.join(name));
                let Some(mut file) = names.into_iter().find_map(|name| open(name).ok()) else {
                    continue;
                };
                file.write_all(b"{\"role\":\"user\",\"content\":\"late\"}\n").unwrap();
                count += 1;
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            count
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        let ran = place.run(&["migrate", "sage", "projects", "--in-place"]);
        done.store(true, Ordering::Relaxed);
        assert_eq!(ran.code, 0, "{}", ran.err);
        agent.join().unwrap()
    });
    let live = fs::read_to_string(folder.join("-p-1/conversation.jsonl")).unwrap();
    assert_eq!(live.matches("late").count(), written);
    assert!(written > 5, "{written}");
}

#[test]
#[cfg(unix)]
fn modes_and_times_stay_and_links_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = projects();
    let folder = place.path().join("projects");
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    let times = fs::FileTimes::new().set_modified(old);
    let file = folder.join("-home-mira-kiln.v1-/conversation.jsonl");
    for path in [file.clone(), file.parent().unwrap().to_owned()] {
        fs::File::open(&path).unwrap().set_times(times).unwrap();
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o750)).unwrap();
    fs::create_dir_all(folder.join("empty")).unwrap();
    migrate(&place, &["projects", "--in-place"]);
    let new = folder.join("-home-mira-kiln-v1");
    let meta = |path: &Path| path.metadata().unwrap();
    let mode = |path: &Path| meta(path).permissions().mode() & 0o777;
    assert_eq!((mode(&new), mode(&new.join("conversation.jsonl"))), (0o750, 0o644));
    assert_eq!(meta(&new).modified().unwrap(), old);
    assert_eq!(meta(&new.join("conversation.jsonl")).modified().unwrap(), old);
    assert!(folder.join("empty").is_dir());
    // A link is not replaced by a copy of what it leads to.
    let place = projects();
    symlink(place.path().join("projects"), place.path().join("link")).unwrap();
    let ran = place.run(&["migrate", "sage", "link", "--in-place"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("is a link"), "{}", ran.err);
    put(&place.path().join("elsewhere/conversation.jsonl"), LINE);
    symlink(place.path().join("elsewhere"), place.path().join("projects/-linked-")).unwrap();
    let before = tree(place.path());
    let ran = place.run(&["migrate", "sage", "projects", "--in-place"]);
    assert_eq!((ran.code, tree(place.path())), (3, before), "{}", ran.err);
}

/// The administrator's new folder would be closed to the user whose agent wrote the old one.
#[test]
#[cfg(unix)]
fn the_folder_of_another_user_stays() {
    let place = projects();
    let folder = place.path().join("projects");
    if std::os::unix::fs::chown(&folder, Some(1234), Some(1234)).is_ok() {
        let before = tree(place.path());
        let ran = place.run(&["migrate", "sage", "projects", "--in-place"]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("another user"), "{}", ran.err);
        let own = |path: &PathBuf| path.components().any(|part| part.as_os_str() == ".local");
        let after = tree(place.path()).into_iter().filter(|(path, _)| !own(path));
        assert!(after.eq(before));
    }
}

#[test]
fn no_copy_is_written_into_an_agents_store() {
    let place = projects();
    for store in [".codex", ".claude/projects", ".gemini/tmp", ".emacs.d/sage/projects"] {
        let store = place.path().join("home").join(store);
        fs::create_dir_all(&store).unwrap();
        let ran =
            place.run(&["migrate", "sage", "projects", "-o", store.join("x").to_str().unwrap()]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("folder of an agent"), "{}", ran.err);
        assert_eq!(fs::read_dir(&store).unwrap().count(), 0);
    }
}
