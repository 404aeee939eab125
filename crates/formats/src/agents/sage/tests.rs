//! Properties of Sage's files: on lines made for the purpose, and on the samples. No other agent's
//! file is claimed.

use session::{Session, Slot, Standing};

use super::Sage;
use crate::all::ALL;
use crate::claim::{Claim, Role};
use crate::format::Format;
use crate::testing;

fn sample(name: &str) -> testing::Folder {
    testing::open(&Sage, &testing::samples("sage", name))
}

fn one(folder: &testing::Folder, id: &str) -> Session {
    let mut sessions = folder.sessions.values().flatten();
    let found = sessions.find(|session| session.id == id).cloned();
    found.unwrap_or_else(|| panic!("no {id} in {:?}", folder.sessions.keys()))
}

#[test]
fn a_project_is_one_session_and_each_archive_another() {
    let folder = sample("emacs");
    let session = one(&folder, "-home-ana-shop-v1-2-");
    assert_eq!(session.bundle.members.len(), 2);
    assert_eq!(session.first(Slot::WorkingDir).as_deref(), Some("/home/ana/shop.v1.2/"));
    let outline = testing::outline(&session);
    let expected = [
        "User Why is VAT rounded twice?",
        "User You are Sage, an assistant within Emacs.",
        "Assistant Let me read it.",
        "  ToolCall read_file",
        "  ToolResult result",
        "  ToolCall read_file",
        "  ToolResult result",
        "  ToolCall git_status",
        "  ToolResult result",
        "  ToolCall list_files",
        "  ToolResult result",
        "ToolResult read_file",
        "Assistant The inner round is one too many.",
        "User user",
        "Notice message",
        "User Mach es.",
        "User (echo) Mach es.",
        "Notice metadata",
    ];
    assert_eq!(outline, expected);
    let status = |event: session::EventRef<'_>| event.text(Slot::Status).map(|s| s.into_owned());
    let statuses: Vec<_> = session.events().filter_map(status).collect();
    assert_eq!(statuses, ["success", "error", "error"]);
    one(&folder, "vat fix");
    one(&folder, "-home-ana-shop-v1-2-/before-the-fix");
    let backwards = one(&folder, "-home-ana-shop-v1-2-/20260210-180000");
    assert_eq!(testing::outline(&backwards)[0], "User hello");
    let skipped: Vec<&str> =
        folder.skipped.keys().filter_map(|name| name.rsplit('/').next()).collect();
    assert_eq!(skipped, ["plain.log", "facts.json"]);
    assert!(folder.skipped.values().all(|claim| matches!(claim, Claim::NoSession(_))));
}

#[test]
fn order_is_the_files_unless_all_of_it_runs_backwards() {
    let order = testing::outline(&one(&sample("order"), "-srv-app-"));
    assert_eq!(order, ["User three", "User one", "User two", "User no time", "User no time"]);
    let export = testing::outline(&one(&sample("other"), "fix-it"));
    let expected = [
        "Notice export",
        "User You remember: Ana likes short answers.",
        "User fix it",
        "Assistant Calling tool: read_file",
        "User Tool result: (defun vat …",
        "Assistant Done.",
    ];
    assert_eq!(export, expected);
}

#[test]
fn damage_is_kept_and_named() {
    let session = one(&sample("standalone"), "-home-ana-github.com-lib-");
    let expected = [
        "User first",
        "Opaque opaque",
        "Opaque opaque",
        "User glued",
        "Assistant again",
        "User and again",
        "User gr\u{fffd}\u{fffd}e",
        "Opaque opaque",
    ];
    assert_eq!(testing::outline(&session), expected);
    assert_eq!(session.notes.len(), 5);
}

#[test]
fn the_extended_schema_is_known() {
    let session = one(&sample("shared"), "5d1c7a52-77e0-4b3b-9d11-5f00aa000001");
    let answer = session.event(1);
    assert_eq!(answer.number(Slot::TokensIn), Some(120));
    let parent = session.event(0).text(Slot::Id).map(|id| id.into_owned());
    assert_eq!(answer.text(Slot::Parent).map(|id| id.into_owned()), parent);
}

#[test]
fn claims() {
    let claim = |path: &str, text: &str| testing::claim(&Sage, path, text.as_bytes());
    let part = |group: &str| Claim::Part { group: group.to_owned(), role: Role::Main };
    let line = r#"{"role":"user","content":"x","timestamp":"2026-01-11T22:00:00+0100"}"#;
    assert_eq!(claim("p/-srv-/conversation.jsonl", line), part("p/-srv-"));
    assert_eq!(claim("p/-srv-/history/a.jsonl", line), part("p/-srv-/history/a.jsonl/-srv-"));
    assert_eq!(claim(".sage/projects/-srv-/conversation.jsonl", "?"), part(".sage/projects/-srv-"));
    assert_eq!(claim("any.jsonl", line), part("any.jsonl"));
    let meta = Claim::Part { group: "p/-srv-".to_owned(), role: Role::Beside(None) };
    assert_eq!(claim("p/-srv-/metadata.json", "{\"project_dir\":\"/srv/\"}"), meta);
    assert_eq!(claim("p/-srv-/metadata.json", "{\"name\":\"npm\"}"), Claim::No);
    assert_eq!(claim("conversation.jsonl", "{\"type\":\"user\"}"), Claim::No);
    assert_eq!(claim("a.json", "[{\"role\":\"user\",\"parts\":[]}]"), Claim::No);
}

#[test]
fn the_project_of_an_archive_stands_above_it() {
    let read = |path: &str| {
        (path == "../metadata.json").then(|| br#"{"project_dir":"/srv/app/"}"#.to_vec())
    };
    let project = |file| (Sage.data().project)(file, &read);
    assert_eq!(project("p/-srv-app-/history/a.jsonl").as_deref(), Some("/srv/app/"));
    assert_eq!(project("p/-srv-app-/conversation.jsonl"), None);
}

/// In the tree that Sage shares with another agent, no file is claimed by both formats.
#[test]
fn a_shared_tree_is_told_apart() {
    let line = br#"{"role":"user","content":"x","timestamp":"2026-01-11T22:00:00Z"}"#;
    let path = "/home/ana/.claude/projects/-srv-/conversation.jsonl";
    for format in ALL.iter().filter(|format| format.name() != "sage") {
        let claim = testing::claim(*format, path, line);
        assert!(!matches!(claim, Claim::Part { .. }), "{}: {claim:?}", format.name());
    }
}

#[test]
fn samples_are_read_whole() {
    let sessions: Vec<Session> = sample("").sessions.into_values().flatten().collect();
    assert_eq!(sessions.len(), 17);
    // Members that callers add are Sage's own.
    let drift: Vec<String> = testing::drift(&sessions).into_keys().collect();
    assert_eq!(drift, ["metadata: branch", "user: mood"]);
    let echoes = sessions.iter().flat_map(Session::events);
    assert_eq!(echoes.filter(|event| event.standing == Standing::Echo).count(), 1);
}

#[test]
fn no_real_file_of_another_agent_is_taken() {
    let Some(corpus) = samples::corpus() else { return };
    let folder = testing::claims(&Sage, &corpus);
    let taken = folder.iter().filter(|(_, claim)| matches!(claim, Claim::Part { .. }));
    assert_eq!(taken.collect::<Vec<_>>(), Vec::<&(String, Claim)>::new());
}
