//! Locations of each agent's sessions: by default, on each system, and with each of its variables.
//! The rows are from the sections "Root" or "Location" of the format references.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Machine, Root, System};
use formats::by_name;

const LINUX: System = System::Linux;
const MAC: System = System::Mac;
const WINDOWS: System = System::Windows;

/// A row: the agent, the system, the variables, and a folder that is searched (`+`) or not searched
/// (`-`).
type Row = (&'static str, System, &'static str, &'static str);

const ROWS: &[Row] = &[
    ("claude-code", LINUX, "", "+/home/ana/.claude/projects"),
    ("claude-code", MAC, "", "+/home/ana/.claude/projects"),
    ("claude-code", WINDOWS, "", "+/home/ana/.claude/projects"),
    ("claude-code", LINUX, "", "+/home/ana/.config/claude/projects"),
    ("claude-code", LINUX, "XDG_CONFIG_HOME=/cfg", "+/cfg/claude/projects"),
    ("claude-code", LINUX, "XDG_CONFIG_HOME=/cfg", "-/home/ana/.config/claude/projects"),
    ("claude-code", LINUX, "XDG_CONFIG_HOME=cfg", "+/home/ana/.config/claude/projects"),
    ("claude-code", LINUX, "CLAUDE_CONFIG_DIR=/c", "+/c/projects"),
    ("claude-code", LINUX, "CLAUDE_CONFIG_DIR=/c", "-/home/ana/.claude/projects"),
    ("claude-code", LINUX, "CLAUDE_CONFIG_DIR=", "+/home/ana/.claude/projects"),
    ("claude-code", LINUX, "CLAUDE_CONFIG_DIR=/c, /d", "+/c/projects"),
    ("claude-code", LINUX, "CLAUDE_CONFIG_DIR=/c, /d", "+/d/projects"),
    ("codex", LINUX, "", "+/home/ana/.codex/sessions"),
    ("codex", LINUX, "", "+/home/ana/.codex/archived_sessions"),
    ("codex", MAC, "", "+/home/ana/.codex/sessions"),
    ("codex", WINDOWS, "", "+/home/ana/.codex/sessions"),
    ("codex", LINUX, "CODEX_HOME=/x", "+/x/sessions"),
    ("codex", LINUX, "CODEX_HOME=/x", "+/x/archived_sessions"),
    ("codex", LINUX, "CODEX_HOME=/x", "-/home/ana/.codex/sessions"),
    ("codex", LINUX, "CODEX_HOME=", "+/home/ana/.codex/sessions"),
    // The value is neither trimmed nor split.
    ("codex", LINUX, "CODEX_HOME=/x ", "+/x /sessions"),
    ("codex", LINUX, "CODEX_HOME=/x,/y", "+/x,/y/sessions"),
    // This variable moves only the indexes. The session files stay.
    ("codex", LINUX, "CODEX_SQLITE_HOME=/s", "+/home/ana/.codex/sessions"),
    ("codex", LINUX, "CODEX_SQLITE_HOME=/s", "-/s/sessions"),
    ("gemini", LINUX, "", "+/home/ana/.gemini/tmp"),
    ("gemini", MAC, "", "+/home/ana/.gemini/tmp"),
    ("gemini", WINDOWS, "", "+/home/ana/.gemini/tmp"),
    ("gemini", LINUX, "GEMINI_CLI_HOME=/g", "+/g/.gemini/tmp"),
    ("gemini", LINUX, "GEMINI_CLI_HOME=/g", "-/home/ana/.gemini/tmp"),
    ("gemini", LINUX, "GEMINI_CLI_HOME=", "+/home/ana/.gemini/tmp"),
    // An empty `HOME` counts as unset.
    ("gemini", LINUX, "HOME=", "+/tmp/.gemini/tmp"),
    ("gemini", LINUX, "HOME=/home/ana", "-/tmp/.gemini/tmp"),
    ("gemini", WINDOWS, "HOME=", "-/tmp/.gemini/tmp"),
    // This variable belongs to another program.
    ("gemini", LINUX, "GEMINI_HOME=/g", "+/home/ana/.gemini/tmp"),
    ("gemini", LINUX, "GEMINI_HOME=/g", "-/g/.gemini/tmp"),
    ("opencode", LINUX, "", "+/home/ana/.local/share/opencode"),
    ("opencode", MAC, "", "+/home/ana/.local/share/opencode"),
    ("opencode", WINDOWS, "", "+/home/ana/.local/share/opencode"),
    ("opencode", WINDOWS, "XDG_DATA_HOME=/d", "+/d/opencode"),
    ("opencode", LINUX, "XDG_DATA_HOME=/d", "-/home/ana/.local/share/opencode"),
    ("opencode", LINUX, "OPENCODE_DATA_DIR=/o", "+/o"),
    ("opencode", LINUX, "OPENCODE_DATA_DIR=/o", "+/home/ana/.local/share/opencode"),
    ("opencode", LINUX, "OPENCODE_DB=/o/a.db", "+/o/a.db"),
    ("opencode", LINUX, "OPENCODE_DB=/o/a.db", "+/home/ana/.local/share/opencode"),
    // A relative path is resolved in the data folder, which is searched as a whole. A database in
    // memory has no file.
    ("opencode", LINUX, "OPENCODE_DB=../a.db", "+/home/ana/.local/share/opencode/../a.db"),
    ("opencode", LINUX, "OPENCODE_DB=a.db", "-a.db"),
    ("opencode", LINUX, "OPENCODE_DB=:memory:", "-:memory:"),
    ("opencode", LINUX, "OPENCODE_HOME=/o", "-/o"),
    ("opencode", LINUX, "", "+/home/ana/.opencode/opencode.db"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/projects"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/chats"),
    ("cursor", LINUX, "", "+/home/ana/.config/cursor/chats"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/agent-sessions"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/conversations"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/sessions"),
    ("cursor", LINUX, "XDG_CONFIG_HOME=/cfg", "+/cfg/cursor/chats"),
    ("cursor", LINUX, "CURSOR_CONFIG_DIR=/c", "+/c/chats"),
    ("cursor", LINUX, "CURSOR_CONFIG_DIR=/c", "+/home/ana/.cursor/projects"),
    ("cursor", LINUX, "CURSOR_CONFIG_DIR=/c", "+/c/acp-sessions"),
    ("cursor", LINUX, "CURSOR_DATA_DIR=/d", "+/d/projects"),
    ("cursor", LINUX, "CURSOR_DATA_DIR=/d", "+/d/acp-sessions"),
    ("cursor", LINUX, "", "+/home/ana/.cursor/acp-sessions"),
    ("cursor", LINUX, "", "+/home/ana/.config/Cursor/User/globalStorage/state.vscdb"),
    ("cursor", LINUX, "", "+/home/ana/.config/Cursor/User/globalStorage/state.vscdb.backup"),
    ("cursor", LINUX, "", "+/home/ana/.config/Cursor/User/workspaceStorage"),
    ("cursor", LINUX, "XDG_CONFIG_HOME=/cfg", "+/cfg/Cursor/User/workspaceStorage"),
    ("cursor", LINUX, "", "+/home/ana/.config/Cursor Nightly/User/workspaceStorage"),
    ("cursor", LINUX, "", "+/home/ana/.config/Cursor - Insiders/User/workspaceStorage"),
    ("cursor", LINUX, "", "+/home/ana/.cursor-server/data/User/workspaceStorage"),
    ("cursor", MAC, "", "+/home/ana/Library/Application Support/Cursor/User/workspaceStorage"),
    ("cursor", WINDOWS, "APPDATA=/roaming", "+/roaming/Cursor/User/workspaceStorage"),
    ("cursor", WINDOWS, "", "+/home/ana/AppData/Roaming/Cursor/User/workspaceStorage"),
    ("sage", LINUX, "", "+/home/ana/.emacs.d/sage/projects"),
    ("sage", LINUX, "", "+/home/ana/.emacs.d/sage/sessions"),
    ("sage", LINUX, "", "+/home/ana/.config/emacs/sage/projects"),
    ("sage", LINUX, "XDG_CONFIG_HOME=/cfg", "+/cfg/emacs/sage/sessions"),
    ("sage", LINUX, "", "+/home/ana/.sage/projects"),
    ("sage", LINUX, "", "+/home/ana/.claude/projects"),
    ("sage", MAC, "", "+/home/ana/.emacs.d/sage/projects"),
    ("sage", WINDOWS, "APPDATA=/roaming", "+/roaming/.emacs.d/sage/projects"),
    ("sage", WINDOWS, "APPDATA=/roaming", "+/roaming/.sage/projects"),
    ("sage", WINDOWS, "APPDATA=/roaming", "+/roaming/.claude/projects"),
    ("sage", WINDOWS, "HOME=/h", "+/h/.emacs.d/sage/sessions"),
    ("sage", WINDOWS, "HOME=/h", "+/h/.config/emacs/sage/projects"),
    ("sage", LINUX, "APPDATA=/roaming", "-/roaming/.emacs.d/sage/projects"),
    // No variable moves these folders, not even another agent's.
    ("sage", LINUX, "CLAUDE_CONFIG_DIR=/c", "+/home/ana/.claude/projects"),
    ("sage", LINUX, "CLAUDE_CONFIG_DIR=/c", "-/c/projects"),
    ("codewhale", LINUX, "", "+/home/ana/.codewhale/sessions"),
    ("codewhale", LINUX, "", "+/home/ana/.codewhale/tasks"),
    ("codewhale", LINUX, "", "+/home/ana/.codewhale/state"),
    ("codewhale", MAC, "", "+/home/ana/.codewhale/sessions"),
    ("codewhale", WINDOWS, "", "+/home/ana/.codewhale/sessions"),
    ("codewhale", LINUX, "", "+/home/ana/.deepseek/sessions"),
    ("codewhale", LINUX, "", "+/home/ana/.deepseek/tasks"),
    // A named folder replaces the others.
    ("codewhale", LINUX, "CODEWHALE_HOME=/w", "+/w/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=/w", "+/w/tasks"),
    ("codewhale", LINUX, "CODEWHALE_HOME=/w", "-/home/ana/.codewhale/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=/w", "-/home/ana/.deepseek/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME= /w ", "+/w/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=~/w", "+/home/ana/w/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=~", "+/home/ana/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=w", "-w/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=w", "+/home/ana/.codewhale/sessions"),
    ("codewhale", LINUX, "CODEWHALE_HOME=", "+/home/ana/.codewhale/sessions"),
    ("codewhale", LINUX, "CODEWHALE_RUNTIME_DIR=/r", "+/r"),
    ("codewhale", LINUX, "DEEPSEEK_RUNTIME_DIR=/r", "+/r"),
    ("codewhale", LINUX, "CODEWHALE_TASKS_DIR=/t", "+/t/runtime"),
    ("codewhale", LINUX, "DEEPSEEK_TASKS_DIR=/t", "+/t/runtime"),
    ("codewhale", LINUX, "CODEWHALE_RUNTIME_DIR=/r", "+/home/ana/.codewhale/sessions"),
];

#[test]
fn each_agents_places_are_those_of_its_reference() {
    for (name, system, variable, place) in ROWS {
        let variables = variable.split_once('=').into_iter();
        let variables: BTreeMap<String, OsString> =
            variables.map(|(name, value)| (name.into(), value.into())).collect();
        let home = Some(PathBuf::from("/home/ana"));
        let machine = Machine { system: *system, home, variables, ..Machine::default() };
        let places = machine.places(by_name(name).unwrap());
        let (looked_into, place) = place.split_at(1);
        let found = places.iter().any(|root| root.path == Path::new(place));
        let paths: Vec<_> = places.iter().map(|root| &root.path).collect();
        assert_eq!(found, looked_into == "+", "{name}, {system:?}, {variable}: {paths:?}");
    }
}

#[test]
fn who_has_no_home_has_sessions_among_the_temporary_files() {
    for (system, variables, place) in [
        (LINUX, &[][..], "/tmp/.gemini/tmp"),
        (LINUX, &[("TMPDIR", "/t/"), ("TEMP", "/u")], "/t/.gemini/tmp"),
        (MAC, &[("TMP", "/t")], "/t/.gemini/tmp"),
        (WINDOWS, &[("TMPDIR", "/t"), ("TMP", "/u")], "/u/.gemini/tmp"),
        (WINDOWS, &[("SystemRoot", "/windows")], "/windows/temp/.gemini/tmp"),
    ] {
        let of = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).into());
        let machine =
            Machine { system, variables: variables.iter().map(of).collect(), ..Machine::default() };
        let places = machine.places(by_name("gemini").unwrap());
        let paths: Vec<_> = places.into_iter().map(|root| root.path).collect();
        assert_eq!(paths, [PathBuf::from(place)], "{system:?}, {variables:?}");
    }
}

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn catalog(home: &Path, variables: &[(&str, &Path)]) -> Catalog<'static> {
    let of = |(name, value): &(&str, &Path)| ((*name).to_owned(), value.as_os_str().to_owned());
    let variables = variables.iter().map(of).collect();
    let machine = Machine { home: Some(home.into()), variables, ..Machine::default() };
    Catalog { formats: formats::ALL, machine }
}

/// Found sources: the format, and the names of the files.
fn sources(catalog: &Catalog<'_>, paths: &[PathBuf]) -> Vec<(&'static str, Vec<String>)> {
    let found = catalog.find(paths).sources;
    let files = |source: &catalog::Source| -> Vec<String> {
        source
            .files
            .iter()
            .filter_map(|file| file.path.file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    };
    found.iter().map(|source| (source.format.name(), files(source))).collect()
}

/// The agent's home folder and the folders of its sessions give the same sessions.
#[test]
fn a_home_and_its_leaf_hold_the_same_sessions() {
    for (home, leaves) in [
        ("claude_code/samples/plain", &["projects"][..]),
        ("codex/samples/tools", &["sessions"]),
        ("gemini/samples/log/.gemini", &["tmp"]),
        ("opencode/samples/tree", &["storage"]),
        ("sage/samples/emacs/.emacs.d/sage", &["projects", "sessions"]),
        ("codewhale/samples/homes/.codewhale", &["sessions"]),
        ("cursor/samples/transcripts/.cursor", &["projects"]),
    ] {
        let home = samples::of_format(home);
        assert!(home.is_dir(), "{}", home.display());
        let ids = |paths: Vec<PathBuf>| -> BTreeSet<String> {
            let listing = catalog(Path::new("/nowhere"), &[]).list(&paths, false);
            listing.entries.iter().map(|entry| format!("{}:{}", entry.format, entry.id)).collect()
        };
        let (all, below) =
            (ids(vec![home.clone()]), ids(leaves.iter().map(|leaf| home.join(leaf)).collect()));
        assert!(!all.is_empty(), "{}", home.display());
        assert_eq!(all, below, "{}", home.display());
    }
}

/// Two agents use one folder: each file belongs to its own agent (Sage, trap 11).
#[test]
fn a_shared_folder_is_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ".claude/projects/-home-ana-till";
    let id = "0a0a0a0a-1111-4222-8333-944455556666";
    let said = r#""message":{"role":"user","content":"hi"}"#;
    let claude = format!(r#"{{"type":"user","uuid":"u","sessionId":"{id}",{said}}}"#);
    put(temp.path(), &format!("{folder}/{id}.jsonl"), &claude);
    let line = r#"{"role":"user","content":"hello","mood":"calm"}"#;
    put(temp.path(), &format!("{folder}/conversation.jsonl"), line);
    put(temp.path(), &format!("{folder}/metadata.json"), r#"{"project_dir":"/home/ana/till/"}"#);
    put(temp.path(), &format!("{folder}-/conversation.jsonl"), r#"{"role":"user","conte"#);
    let expected = [
        ("claude-code", vec![format!("{id}.jsonl")]),
        ("sage", vec!["conversation.jsonl".to_owned(), "metadata.json".to_owned()]),
        ("sage", vec!["conversation.jsonl".to_owned()]),
    ];
    let mut expected = expected.to_vec();
    expected.sort();
    for paths in [vec![], vec![temp.path().to_path_buf()]] {
        let mut found = sources(&catalog(temp.path(), &[]), &paths);
        found.sort();
        assert_eq!(found, expected);
    }
}

/// Neither a counter in the header nor the file's modification time is the session's time (Sage,
/// trap 13).
#[test]
fn an_automatic_save_is_no_activity() {
    let temp = tempfile::tempdir().unwrap();
    let said = r#"[{"role":"user","content":"hi","timestamp":"2026-02-14T10:15:02+0100"}]"#;
    let head = r#""name":"x","provider":"gemini","workspace":"/srv""#;
    let text = format!(r#"{{{head},"messages":{said},"updated_at":"2026-02-20T10:20:00+0100"}}"#);
    put(temp.path(), ".emacs.d/sage/sessions/x.json", &text);
    let listing = catalog(temp.path(), &[]).list(&[], false);
    let updated = listing.entries[0].updated.unwrap().rfc3339();
    assert_eq!(updated, "2026-02-14T09:15:02Z");
}

fn thread(folder: &Path, session: &str, tokens: u32, at: &str) {
    let of = r#""schema_version":2,"id":"thr_1","model":"m","workspace":"/srv""#;
    put(folder, "threads/thr_1.json", &format!(r#"{{{of},"session_id":{session}}}"#));
    let of = r#""schema_version":2,"id":"turn_1","thread_id":"thr_1","item_ids":[]"#;
    let usage = format!(r#"{{"input_tokens":{tokens},"output_tokens":0}}"#);
    let turn = format!(r#"{{{of},"created_at":"{at}","usage":{usage}}}"#);
    put(folder, "turns/turn_1.json", &turn);
}

/// A store that a variable moves is joined with the sessions in the home folder, because both hold
/// parts of the same conversations (CodeWhale, trap 4).
#[test]
fn a_moved_store_is_joined_with_its_sessions() {
    let temp = tempfile::tempdir().unwrap();
    let (home, store) = (temp.path().join("home"), temp.path().join("store"));
    let saved = r#"{"schema_version":1,"metadata":{"id":"s"},"messages":[],"system_prompt":null}"#;
    put(&home, ".codewhale/sessions/s.json", saved);
    thread(&store, "\"s\"", 1, "2026-09-21T14:13:20Z");
    for name in ["CODEWHALE_RUNTIME_DIR", "DEEPSEEK_RUNTIME_DIR"] {
        let found = sources(&catalog(&home, &[(name, &store)]), &[]);
        let files = ["s.json", "thr_1.json", "turn_1.json"];
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(files.iter().all(|end| found[0].1.iter().any(|name| name.ends_with(end))));
    }
}

/// Ids of eight digits are unique only within their store (CodeWhale, trap 16). Answers with one id
/// in two stores both count; in a copy they count once.
#[test]
fn answers_of_two_stores_with_one_id_count_both() {
    let temp = tempfile::tempdir().unwrap();
    let spent = |first: &str, second: &str| {
        thread(&temp.path().join("a/tasks/runtime"), "null", 10, first);
        thread(&temp.path().join("b/tasks/runtime"), "null", 10, second);
        let catalog = catalog(Path::new("/nowhere"), &[]);
        let (_, usage) =
            verbatim_operations::usage(&catalog, &[temp.path().to_path_buf()]).unwrap();
        usage
            .spent()
            .filter(|spent| spent.counted == verbatim_operations::usage::Counted::Yes)
            .count()
    };
    assert_eq!(spent("2026-09-21T14:13:20Z", "2026-09-22T08:00:00Z"), 2);
    assert_eq!(spent("2026-09-21T14:13:20Z", "2026-09-21T14:13:20Z"), 1);
}

#[test]
fn a_place_that_is_named_and_missing_is_reported() {
    let catalog = catalog(Path::new("/nowhere"), &[("CODEX_HOME", Path::new("/not/here"))]);
    let roots: Vec<Root> = catalog.machine.roots(catalog.formats);
    assert!(roots.iter().all(|root| root.variable == Some("CODEX_HOME")));
    assert!(catalog.find(&[]).skipped.iter().any(|skipped| skipped.why.is_failure()));
}

/// A database that a variable names belongs to the data folder, wherever it is. Its rows, and the
/// files that older versions left in the data folder, are one session (OpenCode). Another data
/// folder has other sessions.
#[test]
fn a_named_database_is_joined_with_the_files_that_were_left_behind() {
    let temp = tempfile::tempdir().unwrap();
    let samples = samples::workspace().join("crates/formats/src/agents/opencode/samples");
    let id = "ses_f3a01b2c3ffeRowsA1bC3dE5fG7";
    let folder = "storage/session/prj";
    let header = format!(r#"{{"id":"{id}","projectID":"prj","title":"left behind"}}"#);
    put(&temp.path().join(".local/share/opencode"), &format!("{folder}/{id}.json"), &header);
    let sql = fs::read_to_string(samples.join("database/opencode.sql")).unwrap();
    let database = temp.path().join(".local/share/elsewhere/mine.db");
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&database).unwrap().execute_batch(&sql).unwrap();
    for (variable, value, whole) in [
        ("OPENCODE_DB", database.clone(), 1),
        ("OPENCODE_DB", PathBuf::from("../elsewhere/mine.db"), 1),
        ("OPENCODE_DATA_DIR", database.parent().unwrap().into(), 2),
    ] {
        let listing = catalog(temp.path(), &[(variable, &value)]).list(&[], false);
        let entries = listing.entries.iter().filter(|entry| entry.id == id);
        assert_eq!(entries.count(), whole, "{variable}={}", value.display());
    }
}
