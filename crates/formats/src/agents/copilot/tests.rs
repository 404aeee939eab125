//! Tests of Copilot's reader.

use std::collections::BTreeMap;

use meaning::conversation::{self, TalkPart};
use meaning::usage::{Counting, counts};
use meaning::{Calls, facts};
use session::{EventRef, Kind, Outcome, Session, Slot, Standing};

use super::{Copilot, map, schema};
use crate::claim::{Candidate, Claim, Role};
use crate::format::Format;
use crate::{Options, testing, write_with};

/// The session of a sample.
fn sample(name: &str) -> Session {
    let read = testing::open(&Copilot, &testing::samples("copilot", name));
    read.sessions.into_values().flatten().next().expect("a session")
}

fn log(lines: &[&str]) -> Session {
    testing::text(&Copilot, "session-state/7c/events.jsonl", &lines.join("\n"))
}

/// An event of a type, with its data.
fn event(kind: &str, id: &str, data: &str) -> String {
    let time = "2026-11-01T10:00:00Z";
    format!(r#"{{"type":"{kind}","data":{data},"id":"{id}","timestamp":"{time}"}}"#)
}

/// The tokens that count: input, output, cache reads, and how many counts there are.
fn tokens(session: &Session) -> (u64, u64, u64, usize) {
    let all = counts(session, Copilot.data().convention);
    let counted: Vec<_> =
        all.into_iter().filter(|count| count.verdict == Counting::Counted).collect();
    let sum = |of: fn(&meaning::usage::Tokens) -> Option<u64>| {
        counted.iter().filter_map(|count| of(&count.tokens)).sum()
    };
    (sum(|of| of.input), sum(|of| of.output), sum(|of| of.cache_read), counted.len())
}

fn parts(session: &Session) -> Vec<(TalkPart, bool)> {
    let all = conversation::events(session).map(conversation::of);
    all.filter(|item| item.part.is_something()).map(|item| (item.part, item.live)).collect()
}

#[test]
fn calls_have_their_outcomes() {
    let session = sample("log");
    let calls = Calls::of(&session);
    let asked = session
        .events()
        .filter(|event| event.kind == Kind::ToolCall && event.standing() != Standing::Echo);
    let outcome = |call: EventRef<'_>| {
        let id = call.text(Slot::Call)?.into_owned();
        Some((id, session.event(calls.result(call.index)?).outcome()?))
    };
    let found: BTreeMap<String, Outcome> = asked.filter_map(outcome).collect();
    let expected = [
        ("call_bash_1", Outcome::Good),
        ("call_bash_2", Outcome::Failed),
        ("call_bash_3", Outcome::Declined),
        ("call_create_1", Outcome::Good),
        ("call_edit_1", Outcome::Good),
        ("call_grep_1", Outcome::Good),
        ("call_task_1", Outcome::Good),
        ("call_view_1", Outcome::Good),
    ];
    let found: Vec<(&str, Outcome)> = found.iter().map(|(id, of)| (&**id, *of)).collect();
    assert_eq!(found, expected);
}

#[test]
fn after_a_compaction_its_summary_and_what_follows_are_live() {
    let session = sample("log");
    let live: Vec<TalkPart> =
        parts(&session).into_iter().filter(|(_, live)| *live).map(|(part, _)| part).collect();
    let expected = [
        TalkPart::Summary,
        TalkPart::Prompt,
        TalkPart::Picture,
        TalkPart::Told,
        TalkPart::Answer,
        TalkPart::Prompt,
    ];
    assert_eq!(live, expected);
    let side = |event: &EventRef<'_>| event.is_true(Slot::Sidechain);
    assert_eq!(session.events().filter(side).filter(|e| e.kind == Kind::Assistant).count(), 2);
    let task = session.events().filter(side).find(|event| event.kind == Kind::User);
    assert_eq!(conversation::of(task.expect("a task")).part, TalkPart::Task);
}

#[test]
fn the_card_has_the_title() {
    let session = sample("log");
    assert_eq!(facts::title_text(&session).as_deref(), Some("Tides: an hour late"));
    assert_eq!(facts::folder(&session).as_deref(), Some("/home/mara/harbour"));
    assert_eq!(session.id, "3c9e51a0-77d2-4b6f-9a10-5de2c4b81f07");
    let other = sample("every-name");
    assert_eq!(facts::title(&other).map(|(_, slot)| slot), Some(Slot::AutoTitle));
}

#[test]
fn usage_counts_once_by_what_each_process_wrote() {
    // Eight records of 16,440 tokens, and a compaction of 3,100; no sum of a process.
    assert_eq!(tokens(&sample("log")), (16440 - 10860 + 3100 - 2900, 588 + 70, 10860 + 2900, 9));
    // Two processes, each with its sum.
    assert_eq!(tokens(&sample("sums")), (200 + 100, 55, 6500, 2));
    // A process that was killed: the output of its answers.
    assert_eq!(tokens(&sample("killed")), (0, 33, 0, 2));
}

#[test]
fn a_sum_behind_records_is_the_sum_of_the_session() {
    let start = event("session.start", "a", r#"{"sessionId":"7c"}"#);
    let record = event(
        "session.usage_record",
        "b",
        r#"{"usage":{"model":"m","inputTokens":10,"outputTokens":2}}"#,
    );
    let end = event(
        "session.shutdown",
        "c",
        r#"{"modelMetrics":{"m":{"usage":{"inputTokens":10,"outputTokens":2}}}}"#,
    );
    let again = end.replace("\"c\"", "\"e\"");
    let resume = event("session.resume", "d", "{}");
    assert_eq!(tokens(&log(&[&start, &record, &end, &resume, &again])), (10, 2, 0, 1));
    assert_eq!(tokens(&log(&[&start, &end, &resume, &again])), (20, 4, 0, 2));
}

#[test]
fn a_rewind_that_was_written_takes_back_what_it_names() {
    let session = sample("sums");
    let gone = session.events().filter(|event| event.standing() == Standing::Rewound);
    let said: Vec<String> = gone.map(|event| event.said().into_owned()).collect();
    assert_eq!(said, ["Add the eel trap.", "Added."]);
}

#[test]
fn a_document_has_each_turn_once_with_the_times_of_the_screen() {
    let session = sample("document");
    let live = parts(&session).into_iter().filter(|(_, live)| *live).count();
    assert_eq!(live, 8);
    let untimed = session.top().filter(|event| {
        event.standing() == Standing::Live && event.kind != Kind::Notice && event.time().is_none()
    });
    assert_eq!(untimed.count(), 0);
}

#[test]
fn a_run_without_a_call_in_an_answer_is_the_call() {
    let run = event(
        "tool.execution_start",
        "a",
        r#"{"toolCallId":"r","toolName":"bash","arguments":{"command":"ls"}}"#,
    );
    let session = log(&[&run]);
    assert_eq!(session.event(0).standing(), Standing::Live);
    let asks = event(
        "assistant.message",
        "b",
        concat!(
            r#"{"content":"","messageId":"m","toolRequests":[{"toolCallId":"r","#,
            r#""name":"bash"}]}"#,
        ),
    );
    let session = log(&[&asks, &run]);
    let run = session.events().last().expect("the run");
    assert_eq!(run.standing(), Standing::Echo);
}

#[test]
fn files_are_claimed_by_their_content() {
    let claim = |path: &str, text: &str| Copilot.claim(&Candidate::of(path, text.as_bytes()));
    let main = |group: &str| Claim::Part { group: group.to_owned(), role: Role::Main };
    let event = r#"{"type":"user.message","data":{"content":"x"},"id":"a","timestamp":"t"}"#;
    assert_eq!(claim("copies/one/events.jsonl", event), main("copies/one"));
    assert_eq!(claim("copies/renamed.jsonl", event), main("copies/renamed.jsonl"));
    let document = r#"{"sessionId":"a","startTime":"t","chatMessages":[{"role":"user","content":""#;
    assert_eq!(claim("old.json", document), main("old.json"));
    let foreign = r#"{"type":"user","data":{},"id":"a","timestamp":"t"}"#;
    assert_eq!(claim("copies/other.jsonl", foreign), Claim::No);
    assert_eq!(
        claim("x/session-state/7c/workspace.yaml", "id: 7c\n"),
        Claim::Part { group: "x/session-state/7c".to_owned(), role: Role::Beside(None) }
    );
}

#[test]
fn the_folder_of_a_transcript_is_the_workspace() {
    let read = |path: &str| {
        assert_eq!(path, "../../workspace.json");
        Some(br#"{"folder":"file:///c%3A/light%20house"}"#.to_vec())
    };
    let file = "h/GitHub.copilot-chat/transcripts/a.jsonl";
    let folder = (Copilot.data().project)(file, &read);
    assert_eq!(folder.as_deref(), Some("c:/light house"));
}

/// The tables of objects within events are written by hand: they have all names of the typings.
#[test]
fn the_tables_of_parts_have_the_names_of_the_typings() {
    let tables = [
        ("AssistantMessageToolRequest", "assistant.message.toolRequests"),
        ("ToolExecutionCompleteError", "tool.execution_complete.error"),
        ("ToolExecutionCompleteResult", "tool.execution_complete.result"),
        ("WorkingDirectoryContext", "session.start.context"),
    ];
    for (part, table) in tables {
        let (_, map) = map::ALL.iter().find(|(name, _)| *name == table).expect("a table");
        let members = schema::members("part", part).expect("a part");
        let missing: Vec<&(&str, bool)> =
            members.iter().filter(|(name, _)| map.row(name.as_bytes()).is_none()).collect();
        assert!(missing.is_empty(), "{part}: {missing:?}");
    }
}

/// An event that is written for Copilot has every member that the typings require, and no other
/// name.
#[test]
fn written_events_are_those_of_the_typings() {
    let mut types = std::collections::BTreeSet::new();
    for name in ["log", "flat", "sums", "document", "transcript"] {
        let options = Options { anew: true, ..Options::default() };
        let written = write_with(&Copilot, &sample(name), &options).expect("it has a prompt");
        let text = String::from_utf8(written.files[0].1.to_vec()).expect("UTF-8");
        for line in text.lines() {
            let is_event = session::value::look(line.as_bytes(), |line| {
                let kind = session::value::text_at(line, super::names::TYPE)?;
                let data = line.at(super::names::DATA)?;
                let members = schema::members("event", &kind).expect("a known type");
                for (member, required) in &members {
                    let there = data.at(&[member]).is_some();
                    assert!(there || !required, "{kind} lacks {member}");
                }
                for member in data.members() {
                    let name = session::value::unescape(member.name).into_owned();
                    assert!(members.iter().any(|(known, _)| *known == name), "{kind}: {name}");
                }
                types.insert(kind);
                Some(())
            });
            assert!(is_event.is_some(), "{line}");
        }
    }
    assert_eq!(types.len(), 8, "{types:?}");
}

/// The diff of a result counts an empty line behind the last line end of a file. Lines that were
/// written before it stay known.
#[test]
fn a_diff_with_a_line_behind_the_end_of_a_file_keeps_what_is_known() {
    let asked = |id: &str, old: &str, new: &str| {
        let arguments = format!(r#"{{"path":"/shop/p.txt","old_str":"{old}","new_str":"{new}"}}"#);
        let data = format!(r#"{{"toolCallId":"{id}","toolName":"edit","arguments":{arguments}}}"#);
        event("tool.execution_start", &format!("s-{id}"), &data)
    };
    let done = |id: &str, result: &str| {
        let data = format!(r#"{{"toolCallId":"{id}","success":true,"result":{result}}}"#);
        event("tool.execution_complete", &format!("e-{id}"), &data)
    };
    let diff = |hunk: &str| {
        let text = format!(
            r"diff --git a/shop/p.txt b/shop/p.txt\n--- a/shop/p.txt\n+++ b/shop/p.txt\n{hunk}"
        );
        format!(r#"{{"content":"updated","detailedContent":"{text}"}}"#)
    };
    let view = event(
        "tool.execution_start",
        "s-3",
        r#"{"toolCallId":"3","toolName":"view","arguments":{"path":"/shop/p.txt"}}"#,
    );
    let session = log(&[
        &event("session.start", "1", r#"{"sessionId":"7c","context":{"cwd":"/shop"}}"#),
        &asked("2", "pear 4", "pear 40"),
        &done("2", &diff(r"@@ -1,3 +1,3 @@\n-pear 4\n+pear 40\n fig 7\n \n")),
        &view,
        &done("3", r#"{"content":"pear 40\nfig 7\n"}"#),
        &asked("4", "fig 7", "fig 70"),
        &done("4", &diff(r"@@ -1,3 +1,3 @@\n pear 40\n-fig 7\n+fig 70\n \n")),
    ]);
    let attributed = crate::attribution::attribution(&session);
    assert!(attributed.unknown.is_empty(), "{:?}", attributed.unknown);
    let lines: usize =
        attributed.files[0].ranges.iter().map(|range| range.end + 1 - range.start).sum();
    assert_eq!((attributed.files.len(), lines), (1, 2));
}
