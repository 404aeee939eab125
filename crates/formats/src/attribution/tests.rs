//! Small sessions in which it is plain who wrote each line, and which lines are unknown.

use std::sync::Arc;

use serde_json::{Value, json};
use session::{Bundle, Member, Stream};

use super::*;

fn read(format: &str, members: &[(Stream, &str, &[Value])]) -> Session {
    let format = crate::all::by_name(format).expect("a format");
    let member = |(stream, name, lines): &(Stream, &str, &[Value])| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Member::new(*name, stream.clone(), text.into_bytes()).expect("a short file")
    };
    let members = members.iter().map(member).collect();
    format.read(Arc::new(Bundle { members })).remove(0)
}

/// Files, their ranges, and the model of each.
fn told(found: &Attribution) -> Vec<(&str, usize, usize, Option<&str>)> {
    let mut told = Vec::new();
    for file in &found.files {
        let ranges = file.ranges.iter();
        told.extend(ranges.map(|r| (file.path.as_str(), r.start, r.end, r.model.as_deref())));
    }
    told
}

const ID: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11";

/// A call and its answer, in Claude Code's format.
fn claude(at: usize, model: &str, call: (&str, Value), answer: (&str, Value)) -> [Value; 2] {
    let line = |part: usize, kind: &str, message: Value, told: &Value| {
        let mut line = json!({"type": kind, "uuid": format!("u{at}-{part}"), "sessionId": ID,
            "cwd": "/home/ana/shop", "version": "2.1.34", "message": message,
            "timestamp": format!("2026-03-01T10:{at:02}:{part:02}.000Z")});
        if !told.is_null() {
            line["toolUseResult"] = told.clone();
        }
        line
    };
    let (name, input) = call;
    let (said, told) = answer;
    let id = format!("toolu_{at}");
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let failed = said.starts_with("Error") || said.starts_with("The user doesn't want");
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": said,
        "is_error": failed});
    [
        line(
            0,
            "assistant",
            json!({"id": format!("msg_{at}"), "model": model,
            "role": "assistant", "content": [block]}),
            &Value::Null,
        ),
        line(1, "user", json!({"role": "user", "content": [result]}), &told),
    ]
}

fn write(path: &str, text: &str) -> (&'static str, Value) {
    ("Write", json!({"file_path": path, "content": text}))
}

const CREATED: (&str, Value) = ("File created successfully at: it", Value::Null);

#[test]
fn lines_are_by_the_model_that_wrote_them_and_a_sub_agent_is_one_too() {
    let main = [
        claude(1, "claude-opus-4-5", write("/home/ana/shop/a.rs", "one\ntwo\n"), CREATED),
        claude(
            5,
            "claude-sonnet-4-5",
            (
                "Edit",
                json!({"file_path": "/home/ana/shop/a.rs",
            "old_string": "two", "new_string": "2"}),
            ),
            ("done", Value::Null),
        ),
    ]
    .concat();
    let sub = claude(3, "claude-haiku-4-5", write("/home/ana/shop/../b.rs", "b\n"), CREATED);
    let members = [
        (Stream::Main, "5f1e.jsonl", &main[..]),
        (Stream::Sub("agent-a1".into()), "agent-a1.jsonl", &sub[..]),
    ];
    let session = read("claude-code", &members);
    let found = attribution(&session);
    assert_eq!(found.folder.as_deref(), Some("/home/ana/shop"));
    let expected = [
        ("/home/ana/b.rs", 1, 1, Some("claude-haiku-4-5")),
        ("a.rs", 1, 1, Some("claude-opus-4-5")),
        ("a.rs", 2, 2, Some("claude-sonnet-4-5")),
    ];
    assert_eq!(told(&found), expected);
    // SHA-256 of `one`, as printed by `printf one | sha256sum`.
    let one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    assert_eq!(found.files[1].ranges[0].hash, one);
    assert_eq!(found.files[1].ranges[0].provider.as_deref(), Some("anthropic"));
    assert!(found.unknown.is_empty());
}

#[test]
fn what_fails_or_is_denied_changes_nothing() {
    let edit = |new: &str| {
        (
            "Edit",
            json!({"file_path": "a.rs", "old_string": "one",
        "new_string": new}),
        )
    };
    let lines = [
        claude(1, "m", write("a.rs", "one\n"), CREATED),
        claude(2, "m", edit("two"), ("Error: String to replace not found", Value::Null)),
        claude(3, "m", edit("three"), ("The user doesn't want to proceed", Value::Null)),
    ]
    .concat();
    let session = read("claude-code", &[(Stream::Main, "a.jsonl", &lines)]);
    let found = attribution(&session);
    assert_eq!(told(&found), [("a.rs", 1, 1, Some("m"))]);
    assert_eq!(session.event(found.files[0].ranges[0].event).origin.line, 1);
}

#[test]
fn what_nobody_can_know_is_said() {
    let lines = [
        claude(
            1,
            "m",
            (
                "Edit",
                json!({"file_path": "a.rs", "old_string": "x",
            "new_string": "y"}),
            ),
            ("done", Value::Null),
        ),
        claude(2, "m", write("b.rs", "b\n"), ("The file b.rs has been updated.", Value::Null)),
        claude(
            3,
            "m",
            (
                "NotebookEdit",
                json!({"notebook_path": "c.ipynb", "cell_id": "1",
            "new_source": "z"}),
            ),
            ("Updated cell 1", Value::Null),
        ),
        claude(
            4,
            "m",
            ("Bash", json!({"command": "cat > d.rs <<EOF\n$x\nEOF"})),
            ("", Value::Null),
        ),
    ]
    .concat();
    let session = read("claude-code", &[(Stream::Main, "a.jsonl", &lines)]);
    let found = attribution(&session);
    assert!(found.files.is_empty());
    let unknown: Vec<_> = found.unknown.iter().map(|each| (each.path.as_str(), each.why)).collect();
    let expected = [
        ("a.rs", "an edit to a file whose text is not known at that point"),
        ("b.rs", "the file was overwritten, and its previous text is not known"),
        ("c.ipynb", "an edit of a notebook without a word of what the file holds"),
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn what_the_person_changed_of_an_edit_stands_in_the_hunks() {
    let result = json!({"filePath": "/home/ana/shop/a.rs", "oldString": "two",
        "newString": "2", "originalFile": "one\ntwo\n", "userModified": true,
        "replaceAll": false, "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1,
        "newLines": 2, "lines": [" one", "-two", "+II"]}]});
    let call = (
        "Edit",
        json!({"file_path": "/home/ana/shop/a.rs", "old_string": "two",
        "new_string": "2"}),
    );
    let lines = claude(1, "m", call, ("done", result));
    let session = read("claude-code", &[(Stream::Main, "a.jsonl", &lines)]);
    let found = attribution(&session);
    assert_eq!(told(&found), [("a.rs", 2, 2, Some("m"))]);
    assert_eq!(found.files[0].ranges[0].hash, digest(b"II"));
}

#[test]
fn the_folder_of_a_command_is_where_its_patch_lies() {
    let line = |kind: &str, payload: Value| {
        let time = "2026-03-01T10:00:00.000Z";
        json!({"timestamp": time, "type": kind, "payload": payload})
    };
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+one\n*** End Patch\n";
    let arguments = json!({"command": ["apply_patch", patch], "workdir": "/home/ana/shop/lib"});
    let said = json!({"output": "Success. Updated the following files:\nA a.rs\n",
        "metadata": {"exit_code": 0}});
    let lines = [
        line(
            "session_meta",
            json!({"id": ID, "timestamp": "2026-03-01T10:00:00.000Z",
            "cwd": "/home/ana/shop", "cli_version": "0.147.0", "model_provider": "azure"}),
        ),
        line("turn_context", json!({"cwd": "/home/ana/shop", "model": "gpt-5.2"})),
        line(
            "response_item",
            json!({"type": "function_call", "name": "shell", "call_id": "c1",
            "arguments": arguments.to_string()}),
        ),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1",
            "output": said.to_string()}),
        ),
    ];
    let session = read("codex", &[(Stream::Main, "rollout.jsonl", &lines)]);
    let found = attribution(&session);
    assert_eq!(told(&found), [("lib/a.rs", 1, 1, Some("gpt-5.2"))]);
    assert_eq!(found.files[0].ranges[0].provider.as_deref(), Some("azure"));
}

#[test]
fn a_transcript_without_answers_tells_what_was_asked_and_not_what_was_done() {
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let patch = "*** Begin Patch\n*** Add File: /home/ana/b.rs\n+b\n*** End Patch";
    let content = json!([
        call("Write", json!({"path": "/home/ana/a.rs", "contents": "a\n"})),
        call("ApplyPatch", json!(patch)),
        call("Read", json!({"path": "/home/ana/c.rs"})),
    ]);
    let lines = [json!({"role": "assistant", "message": {"content": content}})];
    let session = read("cursor", &[(Stream::Main, "a.jsonl", &lines)]);
    let found = attribution(&session);
    assert!(found.files.is_empty());
    let unknown: Vec<_> = found.unknown.iter().map(|each| (each.path.as_str(), each.why)).collect();
    let why = "a call whose answer the session does not keep";
    assert_eq!(unknown, [("/home/ana/a.rs", why), ("/home/ana/b.rs", why)]);
}

#[test]
fn a_store_with_answers_tells_what_was_done() {
    let blob = |id: &str, data: Value| {
        let row = json!({"id": id.repeat(64), "data": data});
        json!({"table": "blobs", "row": row})
    };
    let call = |id: &str, name: &str, args: Value| {
        json!({"role": "assistant", "content": [{"type": "tool-call", "toolCallId": id,
            "toolName": name, "args": args}]})
    };
    let answer = |id: &str, name: &str, said: &str| {
        json!({"role": "tool", "content": [{"type": "tool-result", "toolCallId": id,
            "toolName": name, "result": said}]})
    };
    let text = json!({"path": "a.rs", "contents": "one\ntwo\n"});
    let edit = json!({"path": "a.rs", "old_string": "two", "new_string": "2"});
    let lines = [
        blob("1", call("c1", "Write", text)),
        blob("2", answer("c1", "Write", "Wrote contents to a.rs")),
        blob("3", call("c2", "StrReplace", edit.clone())),
        blob("4", answer("c2", "StrReplace", "The file a.rs has been updated.")),
        blob("5", call("c3", "StrReplace", edit)),
        blob("6", answer("c3", "StrReplace", "Rejected by the user")),
    ];
    let session = read("cursor", &[(Stream::Main, "store.db.dump.jsonl", &lines[..4])]);
    let found = attribution(&session);
    // The previous content of an overwritten file is unknown.
    assert_eq!(told(&found), [("a.rs", 2, 2, None)]);
    assert_eq!(found.unknown.len(), 1);
    let session = read("cursor", &[(Stream::Main, "store.db.dump.jsonl", &lines)]);
    let found = attribution(&session);
    assert!(found.files.is_empty(), "an answer that says nothing of the file: nothing is certain");
    assert_eq!(found.unknown.len(), 2);
}
