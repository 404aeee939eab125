//! `verbatim resume`: a session is placed into an agent's store once, never over another one, and
//! removed again without a trace.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "resume/moved.rs"]
mod moved;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{ID, Place, put};
use serde_json::Value;

/// The agents that take files in, with the program that continues a session.
const AGENTS: [(&str, &str); 5] = [
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("codewhale", "codewhale"),
    ("sage", "emacs"),
    ("cursor", "cursor-agent"),
];

/// All files and folders below a folder, with their bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(tree(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            found.insert(path, bytes);
        }
    }
    found
}

/// The home without verbatim's own folder.
fn stores(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = tree(&place.path().join("home"));
    all.retain(|path, _| !path.to_string_lossy().contains("/home/.local"));
    all
}

fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

fn resume(place: &Place, more: &[&str]) -> common::Ran {
    place.run(&[&["resume", ID, "--folder", "work"], more].concat())
}

fn json(place: &Place, more: &[&str]) -> Value {
    let ran = resume(place, &[more, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn listed(place: &Place) -> Vec<String> {
    let ran = place.run(&["list", "--json", "--all-projects"]);
    let list: Value = serde_json::from_str(&ran.out).unwrap();
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["uid"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_session_is_placed_once_and_removed_without_a_trace() {
    for (agent, program) in AGENTS {
        let place = prepared();
        let (before, sessions) = (stores(&place), listed(&place));
        let plan = json(&place, &["--to", agent, "--dry-run"]);
        assert_eq!(
            (&plan["state"], stores(&place)),
            (&"planned".into(), before.clone()),
            "{agent}"
        );
        assert!(!place.path().join("home/.local").exists(), "a plan leaves nothing");
        let placed = json(&place, &["--to", agent]);
        assert_eq!(placed["state"], "placed");
        assert_eq!(placed["command"][0], program);
        let file = PathBuf::from(placed["files"][0]["path"].as_str().unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700), "{agent}");
        }
        let uid = format!("{agent}:{}", placed["id"].as_str().unwrap());
        assert!(listed(&place).contains(&uid), "{agent}: {:?}", listed(&place));
        assert_eq!(listed(&place).len(), sessions.len() + 1);
        let there = stores(&place);
        assert_eq!(json(&place, &["--to", agent])["state"], "placed-before");
        assert_eq!(json(&place, &["--to", agent, "--dry-run"])["state"], "placed-before");
        assert_eq!(stores(&place), there, "{agent}: placing twice gives one session");
        let ran = place.run(&["resume", ID, "--undo", "--dry-run"]);
        assert_eq!((ran.code, stores(&place)), (0, there), "{agent}: {}", ran.err);
        let ran = place.run(&["resume", ID, "--undo", "--to", agent]);
        assert_eq!((ran.code, stores(&place)), (0, before), "{agent}: {}", ran.err);
        assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3);
    }
}

#[test]
fn a_session_that_its_agent_continued_stays() {
    let place = prepared();
    let placed = json(&place, &["--to", "codex"]);
    let file = placed["files"][0]["path"].as_str().unwrap();
    let mut text = fs::read(file).unwrap();
    text.extend_from_slice(
        b"{\"timestamp\":\"2026-03-02T10:00:00.000Z\",\"type\":\"event_msg\"}\n",
    );
    fs::write(file, &text).unwrap();
    let ran = place.run(&["resume", ID, "--undo"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("continued"), "{}", ran.err);
    assert_eq!(json(&place, &["--to", "codex"])["state"], "continued");
    assert_eq!(fs::read(file).unwrap(), text);
}

#[test]
fn nothing_is_placed_over_a_file_or_beside_a_failure() {
    let place = prepared();
    let plan = json(&place, &["--to", "codex", "--dry-run"]);
    let file = PathBuf::from(plan["files"][0]["path"].as_str().unwrap());
    put(&file, "the agent's own");
    let before = stores(&place);
    for more in [&["--to", "codex"][..], &["--to", "codex", "--dry-run"]] {
        let ran = resume(&place, more);
        assert_eq!((ran.code, stores(&place)), (3, before.clone()), "{}", ran.err);
        assert!(ran.err.contains("exists already"), "{}", ran.err);
    }
    // A file is where the agent's folder should be.
    let place = prepared();
    put(&place.path().join("home/.codex"), "no folder");
    let before = stores(&place);
    let ran = resume(&place, &["--to", "codex"]);
    assert_eq!((ran.code, stores(&place)), (3, before), "{}", ran.err);
    assert!(ran.err.contains(".codex"), "{}", ran.err);
}

/// A disk that takes no more bytes, simulated by the limit of a file's size.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_store_as_it_was() {
    let place = prepared();
    let long = place.session();
    let text = fs::read_to_string(&long).unwrap();
    fs::write(&long, text.replace("Paint the", &format!("Paint {} the", "x".repeat(9000))))
        .unwrap();
    let before = stores(&place);
    let script = "ulimit -f 4; trap '' XFSZ; exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_verbatim");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, program, "resume", ID, "--folder", "work", "--to", "codex"]);
    command.current_dir(place.path()).env_clear().env("HOME", place.path().join("home"));
    let ran = common::ran(command.output().unwrap());
    assert_eq!((ran.code, stores(&place)), (3, before.clone()), "{}", ran.err);
    assert!(ran.err.contains("rollout-"), "{}", ran.err);
    let entries = fs::read_dir(place.path().join("home/.local/state/verbatim/placements")).unwrap();
    assert_eq!(entries.flatten().filter(|e| e.path().extension().is_some()).count(), 0);
    assert_eq!(json(&place, &["--to", "codex"])["state"], "placed");
}

#[test]
fn its_own_agent_continues_a_session_by_a_command() {
    let place = prepared();
    let work = place.path().join("work").canonicalize().unwrap();
    let text = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), text.replace("/home/ana/shop", work.to_str().unwrap())).unwrap();
    let before = tree(place.path());
    let ran = resume(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out, format!("cd {} && claude --resume {ID}\n", work.display()));
    assert_eq!(tree(place.path()), before, "nothing is written");
    // Without a folder, the session's own has to be there.
    fs::write(place.session(), text).unwrap();
    let ran = place.run(&["resume", ID]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("--folder"), "{}", ran.err);
}

/// A record brings a session, with its sub-agent, to a machine that does not have it.
#[test]
fn a_record_gives_its_session_back_to_its_agent() {
    let place = prepared();
    let ran = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "record.vac.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let old = place.path().join("home/.claude/projects/-home-ana-shop");
    let kept = tree(&old);
    fs::remove_dir_all(place.path().join("home")).unwrap();
    let args = ["resume", "record.vac.json", "--to", "claude-code", "--folder", "work", "--json"];
    let ran = place.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let placed: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(placed["id"], ID);
    let files = placed["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    for file in files {
        let path = PathBuf::from(file["path"].as_str().unwrap());
        let name = path.file_name().unwrap();
        let stored = kept.iter().find(|(kept, _)| kept.file_name() == Some(name)).unwrap();
        assert_eq!(&fs::read(&path).unwrap(), stored.1, "{path:?}");
    }
    assert_eq!(listed(&place), [format!("claude-code:{ID}")]);
}

/// Ids are texts of a session: none becomes an option, or leads out of the agent's folder.
#[test]
fn hostile_ids_are_refused() {
    let hostile = ["--help", "../../../x", "a\nb", "$(id)", ";id", ".", "-rf", "x y"];
    for (at, id) in hostile.iter().enumerate() {
        let place = prepared();
        let file = place.path().join(format!("in/{at}.json"));
        let id = serde_json::to_string(id).unwrap();
        let text = format!(
            "{{\"schema_version\":1,\"metadata\":{{\"id\":{id},\"title\":\"t\",\"created_at\":\
             \"2026-03-01T10:00:00Z\",\"updated_at\":\"2026-03-01T10:00:00Z\",\"message_count\":1,\
             \"total_tokens\":0,\"model\":\"m\",\"workspace\":\"/w\"}},\"messages\":[{{\"role\":\
             \"user\",\"content\":[{{\"type\":\"text\",\"text\":\"Hello\"}}]}}],\"system_prompt\":\
             null}}"
        );
        put(&file, &text);
        let before = stores(&place);
        let file = file.to_str().unwrap();
        let ran = place.run(&["resume", file, "--to", "codewhale", "--folder", "work"]);
        if ran.code == 0 {
            // The name of the file is the id.
            assert!(ran.out.trim().ends_with(&format!(" {at}")), "{id}: {}", ran.out);
        } else {
            assert_eq!((ran.code, stores(&place)), (3, before), "{id}: {}", ran.err);
        }
    }
}

/// The agent's own import: a program that keeps what it imports, as OpenCode does.
#[test]
#[cfg(unix)]
fn an_agents_own_import_takes_a_session_in() {
    use std::os::unix::fs::PermissionsExt;
    let place = prepared();
    let program = place.path().join("bin/opencode");
    put(
        &program,
        "#!/bin/sh\nset -e\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
         case \"$1\" in\nimport) /bin/cp \"$2\" \"$kept/kept.json\";;\n\
         session) /bin/rm \"$kept/kept.json\"; echo \"$3\" >> \"$kept.removed\";;\nesac\n",
    );
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("PATH", program.parent().unwrap());
        common::ran(command.output().unwrap())
    };
    let args = ["resume", ID, "--folder", "work", "--to", "opencode", "--json"];
    let state = |ran: &common::Ran| {
        assert_eq!(ran.code, 0, "{}", ran.err);
        let value: Value = serde_json::from_str(&ran.out).unwrap();
        (value["state"].as_str().unwrap().to_owned(), value["id"].as_str().unwrap().to_owned())
    };
    let (placed, id) = state(&run(&args));
    assert_eq!(placed, "placed");
    assert!(listed(&place).contains(&format!("opencode:{id}")));
    assert_eq!(state(&run(&args)).0, "placed-before");
    let kept = place.path().join("home/.local/share/opencode/kept.json");
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, text.replace("Paint the", "Do not paint the")).unwrap();
    assert_eq!(state(&run(&args)).0, "continued");
    let ran = run(&["resume", ID, "--undo"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    fs::write(&kept, text).unwrap();
    let ran = run(&["resume", ID, "--undo"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let removed = fs::read_to_string(place.path().join("home/.local/share/opencode.removed"));
    assert_eq!(removed.unwrap().trim(), id);
    assert!(!kept.exists());
    // An import that changes white space of a text leaves nothing behind, and says so.
    put(
        &program,
        "#!/bin/sh\nset -e\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
         case \"$1\" in\nimport) /bin/sed 's/Paint the/Paint  the/g' \"$2\" \
         > \"$kept/kept.json\";;\nsession) /bin/rm \"$kept/kept.json\";;\nesac\n",
    );
    let ran = run(&args);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("is read back differently: text 1 (prompt)"), "{}", ran.err);
    assert!(!kept.exists());
    assert_eq!(run(&["resume", ID, "--undo"]).code, 3);
    // Without the program, nothing is left behind.
    let ran = place.run(&args);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("PATH"), "{}", ran.err);
    assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3);
}

#[test]
#[cfg(unix)]
fn the_agent_is_started_in_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let place = prepared();
    let program = place.path().join("bin/codex");
    put(&program, "#!/bin/sh\npwd > \"$HOME/started\"; echo \"$@\" >> \"$HOME/started\"\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command(&["resume", ID, "--folder", "work", "--to", "codex", "--run"]);
    command.env("PATH", program.parent().unwrap());
    let ran = common::ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let started = fs::read_to_string(place.path().join("home/started")).unwrap();
    let work = place.path().join("work").canonicalize().unwrap();
    let placed = json(&place, &["--to", "codex"]);
    let id = placed["id"].as_str().unwrap();
    assert_eq!(started, format!("{}\nresume {id}\n", work.display()));
}

/// The stead document of a placed session says from which session it comes, and by which books.
#[test]
fn a_placed_session_has_its_lineage() {
    let place = prepared();
    let placed = json(&place, &["--to", "codex"]);
    let id = placed["id"].as_str().unwrap();
    let ran = place.run(&["convert", id, "--to", "stead"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let lineage = &document["lineage"];
    assert_eq!(lineage["parent_session_uid"], format!("stead:claude_code:{ID}"));
    assert_eq!(lineage["strategy"], "conversion");
    let conversion = &document["extensions"]["verbatim"]["conversion"];
    assert_eq!((&conversion["from"], &conversion["to"]), (&"claude-code".into(), &"codex".into()));
    assert_eq!(conversion["version"], env!("CARGO_PKG_VERSION"));
    // The books are those of the conversion into that folder.
    assert_eq!(conversion["books_sha256"].as_str().unwrap().len(), 64);
    let ran = place.feed(&["validate", "-"], document.to_string().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.out);
    // Another session has none.
    let ran = place.run(&["convert", ID, "--to", "stead"]);
    assert!(!ran.out.contains("\"lineage\""), "{}", ran.out);
}

/// Cursor's command line keeps its conversations where this variable says.
#[test]
fn a_variable_names_the_agents_store() {
    let place = prepared();
    let stores = place.path().join("elsewhere");
    fs::create_dir_all(&stores).unwrap();
    let args = ["resume", ID, "--folder", "work", "--to", "cursor", "--json"];
    let output = place.command(&args).env("CURSOR_CONFIG_DIR", &stores).output().unwrap();
    let ran = common::ran(output);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let placed: Value = serde_json::from_str(&ran.out).unwrap();
    let paths = placed["files"].as_array().unwrap().iter().map(|file| file["path"].as_str());
    let paths: Vec<&str> = paths.map(Option::unwrap).collect();
    assert!(paths.iter().all(|path| Path::new(path).starts_with(&stores)), "{paths:?}");
    // The file that lists the session is placed last, and the database is whole before.
    assert!(paths[1].ends_with("/store.db") && paths[2].ends_with("/meta.json"), "{paths:?}");
    assert!(fs::read(paths[1]).unwrap().starts_with(b"SQLite format 3"));
    let id = placed["id"].as_str().unwrap();
    assert_eq!(placed["command"][1], format!("--resume={id}"));
}
