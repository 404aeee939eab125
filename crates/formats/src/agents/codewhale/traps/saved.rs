//! Saved sessions and the files beside them.

use session::{Slot, Standing};

use super::*;

/// Sidecars, reserved and hidden files (1.1, 1.2, 1.3, trap 10), in any home.
#[test]
fn what_is_no_session_is_named() {
    let home = "/home/ana/.codewhale";
    for name in [
        "sessions/session_boot_owners.json",
        "sessions/.3f6d0a52.json",
        "sessions/.work-graph-import-archive",
        "sessions/3f6d0a52/artifacts/art_call_7a.txt",
        "sessions/3f6d0a52/approval_receipts.jsonl.lock",
        "session_index.jsonl",
        "review-receipts/20260921T141500Z-0123456789ab.json",
        "state.db",
        "tasks/runtime/state.json",
        "tasks/runtime/owner.json",
        "tasks/runtime/events.lock",
        "tasks/runtime/agent-mail/mail_1.json",
        "tasks/runtime/items/item_01ab23cd.json",
    ] {
        let found = claim(&format!("{home}/{name}"), "?");
        assert!(matches!(found, Claim::NoSession(_)), "{name}: {found:?}");
    }
    let agents = claim("/srv/shop/.codewhale/state/subagents.v1.json", "{}");
    assert!(matches!(agents, Claim::NoSession(_)), "{agents:?}");
    // In a home of another name, the files' own names decide.
    for name in [
        "sessions/session_boot_owners.json",
        "sessions/3f6d0a52/artifacts/art_call_7a.txt",
        "session_index.jsonl",
        "review-receipts/20260921T141500Z-0123456789ab.json",
        "tasks/runtime/items/item_01ab23cd.json",
    ] {
        let found = claim(&format!("/data/whale/{name}"), "?");
        assert!(matches!(found, Claim::NoSession(_)), "{name}: {found:?}");
    }
}

/// Damaged files are detected by their names, those of a store in any folder (1.3).
#[test]
fn damaged_files_are_known_by_their_names() {
    let home = "/home/ana/.codewhale/sessions";
    assert_eq!(claim(&format!("{home}/3f6d0a52.json"), "?"), main("3f6d0a52"));
    assert_eq!(claim(&format!("{home}/checkpoints/3f6d0a52.json"), "?"), main("3f6d0a52"));
    for home in ["/home/ana/.codewhale", "/data/whale"] {
        let path = format!("{home}/sessions/.goals/3f6d0a52.json");
        assert_eq!(claim(&path, "?"), beside("3f6d0a52"));
        let path = format!("{home}/sessions/3f6d0a52/approval_receipts.jsonl");
        assert_eq!(claim(&path, "?"), beside("3f6d0a52"));
    }
    for store in ["/home/ana/.codewhale/tasks/runtime", "/data/store"] {
        let in_store = |id: &str| format!("{store}/{id}");
        assert_eq!(claim(&in_store("threads/thr_1.json"), "?"), main(&in_store("thr_1")));
        assert_eq!(claim(&in_store("turns/turn_1.json"), "?"), beside(&in_store("turn_1")));
        assert_eq!(claim(&in_store("events/thr_1.jsonl"), "?"), beside(&in_store("thr_1")));
        assert_eq!(claim(&in_store("goals/thr_1.json"), "{}"), beside(&in_store("thr_1")));
    }
    assert_eq!(claim("/data/events/a.jsonl", "?"), Claim::No);
}

/// Prompts that were not sent belong to their session, with a draft or without (1.2).
#[test]
fn an_offline_queue_is_its_sessions() {
    let path = "/home/ana/.codewhale/sessions/checkpoints/offline_queue.json";
    let queue = r#"{"schema_version":1,"session_id":"3f6d0a52","messages":[{"display":"x"}]"#;
    assert_eq!(claim(path, &format!("{queue}}}")), beside("3f6d0a52"));
    assert_eq!(claim(path, &format!("{queue},\"draft\":null}}")), beside("3f6d0a52"));
}

const BRANCH: &str = "`messages` repeats the journal's active branch";

/// If the journal is not empty, it is the conversation, and `messages` its projection (trap 5).
#[test]
fn the_journal_wins_and_a_difference_is_found() {
    let journal = |entries: &[String], leaf: &str| {
        format!(",\"journal\":{{\"entries\":[{}]{leaf}}}", entries.join(","))
    };
    let read = |messages: &[(&str, &str)], journal: &str| {
        testing::text(&CodeWhale, "sessions/s.json", &document("s", AT, messages, journal))
    };
    let entries = [
        entry("a", "", "user", "\"text\":\"one\""),
        entry("b", "a", "assistant", "\"text\":\"left\""),
        entry("c", "a", "assistant", "\"text\":\"right\""),
    ];
    // The leaf decides the path. Without one, or if no entry has its id, the last entry is the
    // leaf.
    for (leaf, way, skipped) in [
        (",\"leaf_id\":\"b\"", "left", "right"),
        (",\"leaf_id\":\"c\"", "right", "left"),
        (",\"leaf_id\":\"x\"", "right", "left"),
        (",\"leaf_id\":null", "right", "left"),
        ("", "right", "left"),
    ] {
        let session = read(&[("user", "one"), ("assistant", way)], &journal(&entries, leaf));
        assert_eq!(said(&session, Standing::Live), ["one", way], "{leaf}");
        assert_eq!(said(&session, Standing::OtherBranch), [skipped], "{leaf}");
        assert_eq!(said(&session, Standing::Echo), ["one", way], "{leaf}");
        assert_eq!(rules(&session), [], "{leaf}");
    }
    let differs = read(&[("user", "one"), ("assistant", "left")], &journal(&entries, ""));
    assert_eq!(said(&differs, Standing::Superseded), ["left"]);
    assert_eq!(rules(&differs), [(2, Weight::Error, BRANCH)]);
    // Without entries only `messages` is left.
    for journal in ["", ",\"journal\":null", &journal(&[], "")] {
        let session = read(&[("user", "one")], journal);
        assert_eq!(said(&session, Standing::Live), ["one"], "{journal}");
    }
}

/// Summaries are in `messages` only, with their prefixes (2.1).
#[test]
fn summaries_are_projected_with_their_prefixes() {
    let entries = [
        entry("a", "", "compaction", "\"summary\":\"short\""),
        entry("b", "a", "branch_summary", "\"branch_id\":\"x\",\"summary\":\"left\""),
        entry("c", "b", "system", "\"content\":\"be brief\""),
    ];
    let journal = format!(",\"journal\":{{\"entries\":[{}]}}", entries.join(","));
    let found = |messages: [(&str, &str); 3]| {
        let text = document("s", AT, &messages, &journal);
        rules(&testing::text(&CodeWhale, "sessions/s.json", &text)).len()
    };
    let right = [
        ("system", "[compaction summary] short"),
        ("system", "[branch summary] left"),
        ("system", "be brief"),
    ];
    assert_eq!(found(right), 0);
    for at in 0..2 {
        let mut wrong = right;
        wrong[at].1 = ["short", "left"][at];
        assert_eq!(found(wrong), 1);
    }
}

/// No time is invented (trap 6). A time keeps its nanoseconds (trap 13), a workspace its own
/// system's spelling (trap 15).
#[test]
fn times_and_paths_are_those_that_were_written() {
    let linear = one("linear", "0b9c7d11-6c1e-4f0a-9a55-7f00aa00bb01");
    assert!(linear.events().all(|event| event.time().is_none()));
    let updated = linear.events().find_map(|event| event.raw(Slot::Updated));
    assert_eq!(updated, Some(&b"\"2026-05-02T10:00:00.123456789Z\""[..]));
    let thread = one("generations", "thr_01d0aaaa");
    assert_eq!(thread.first(Slot::WorkingDir).as_deref(), Some("C:\\Users\\ana\\shop"));
}

/// A session with its head after its messages is found, though the agent's own list hides it (trap
/// 9).
#[test]
fn a_head_behind_its_messages_hides_no_session() {
    let long = format!(
        r#"{{"role":"user","content":[{{"type":"text","text":"{}"}}]}}"#,
        "x".repeat(70_000)
    );
    let text = format!(r#"{{"messages":[{long}],"metadata":{{"id":"s"}},"system_prompt":null}}"#);
    assert_eq!(claim("/home/ana/.codewhale/sessions/s.json", &text), main("s"));
    assert_eq!(testing::text(&CodeWhale, "sessions/s.json", &text).id, "s");
}

/// Of several documents the most recently updated is the session: a checkpoint only if it is newer,
/// the old home only if the new one is older (trap 10, 1.1).
#[test]
fn a_checkpoint_counts_only_where_it_is_newer() {
    let both = |other: &str, at: &str, then: &str| {
        let of =
            |at: &str, text: &str| document("s", at, &[("user", "one"), ("assistant", text)], "");
        let member = |name: &str, text: String| {
            session::Member::new(name, session::Stream::Main, text.into_bytes()).expect("short")
        };
        let main = member(".codewhale/sessions/s.json", of(at, "main"));
        let members = vec![main, member(other, of(then, "other"))];
        let session = testing::read(&CodeWhale, members).remove(0);
        (said(&session, Standing::Live).join(" "), said(&session, Standing::Superseded).join(" "))
    };
    for other in [".codewhale/sessions/checkpoints/s.json", ".deepseek/sessions/s.json"] {
        let pair = |live: &str, not: &str| (live.to_owned(), not.to_owned());
        assert_eq!(both(other, LATER, AT), pair("one main", "other"), "{other}");
        assert_eq!(both(other, AT, LATER), pair("one other", "main"), "{other}");
        assert_eq!(both(other, AT, AT), pair("one main", "other"), "{other}");
    }
}

/// Each decision of an approval (2.1).
#[test]
fn each_outcome_of_an_approval_is_told() {
    for outcome in ["approved_once", "denied", "cancelled", "unavailable", "retry_with_policy"] {
        let ids = format!(r#""approval_id":"a","tool_call_id":"c","created_at":"{AT}""#);
        let outcome_of = format!(r#""outcome":{{"outcome":"{outcome}"}}"#);
        let line = format!(r#"{{"phase":"decided",{ids},{outcome_of}}}"#);
        let session = testing::text(&CodeWhale, "s/approval_receipts.jsonl", &line);
        assert_eq!(session.event(0).text(Slot::Status).as_deref(), Some(outcome));
        assert_eq!(session.event(0).text(Slot::Call).as_deref(), Some("c"));
    }
}
