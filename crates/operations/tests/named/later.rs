//! Values whose names are in an earlier call than the one that prints them: what runs in the
//! background, in a session or a cell, and scripts that were written before.

use redact::Profile;
use serde_json::{Value, json};

use super::super::{call, redacted, result, said, text};
use super::redacted_file;

/// A word, which is sought nowhere else.
const VALUE: &str = "garden-lantern";
const NAMES: &str = "sleep 9; printenv MAIL_PASSWORD";
const STARTED: &str = "Command running in background with ID: bd41f7a. Output is being written to: \
    /tmp/agent/-w/tasks/bd41f7a.output";

/// A call of another tool than the shell.
fn tool(name: &str, input: &Value) -> Value {
    let mut record = call("");
    record["message"]["content"][0]["name"] = json!(name);
    record["message"]["content"][0]["input"] = input.clone();
    record
}

fn is_left(records: &[Value]) -> bool {
    text(&redacted(Profile::Secrets, records, "/w")).contains(VALUE)
}

#[test]
fn a_later_call_prints_what_an_earlier_one_names() {
    let shown = format!("<status>completed</status>\n\n<stdout>\n{VALUE}\n</stdout>");
    let read = json!({ "file_path": "/tmp/agent/-w/tasks/bd41f7a.output" });
    let typed = json!({ "bash_id": "bd41f7a", "chars": "ls docs\n" });
    for (name, input, command, is_named) in [
        ("BashOutput", json!({ "bash_id": "bd41f7a" }), NAMES, true),
        ("TaskOutput", json!({ "task_id": "bd41f7a", "block": true }), NAMES, true),
        ("Read", read.clone(), NAMES, true),
        ("BashOutput", json!({ "bash_id": "bd41f7b" }), NAMES, false),
        ("BashOutput", json!({ "bash_id": "bd41f7a" }), "sleep 9; ls docs", false),
        ("BashOutput", typed, NAMES, false),
        ("Read", read, "make", false),
        ("Read", json!({ "file_path": "/tmp/agent/notes.txt" }), NAMES, false),
    ] {
        let asked = tool(name, &input);
        let records = [said("hi"), call(command), result(STARTED), asked, result(&shown)];
        assert_eq!(is_left(&records), !is_named, "{name} {input} {command}");
    }
}

#[test]
fn a_script_prints_what_it_names_when_a_later_call_runs_it() {
    let script = "#!/bin/sh\nset -e\n# It is in the environment.\nprintenv MAIL_PASSWORD\n";
    let code = "import os\nword = os.environ['MAIL_PASSWORD']\nprint(word)\n";
    let length = "import os\nprint(len(os.environ['MAIL_PASSWORD']))\n";
    for (path, content, command, is_named) in [
        ("/w/show.sh", script, "sh show.sh", true),
        ("/w/show.sh", script, "chmod +x show.sh && ./show.sh", true),
        ("/w/show.py", code, "uv run show.py", true),
        ("/w/show.py", length, "python3 show.py", false),
        ("/w/show.sh", script, "wc -l show.sh; ls", false),
        ("/w/show.sh", "ls docs\n", "sh show.sh", false),
    ] {
        let input = json!({ "file_path": path, "content": content });
        let written = tool("Write", &input);
        let records = [said("hi"), written, result("done"), call(command), result(VALUE)];
        assert_eq!(is_left(&records), !is_named, "{path} {command}");
    }
    let both = "cat > show.sh <<'EOF'\nprintenv MAIL_PASSWORD\nEOF\nsh show.sh";
    assert!(!is_left(&[said("hi"), call(both), result(VALUE)]));
}

/// The lines of a session of Codex with these calls and their results.
fn codex(items: &[Value]) -> String {
    let id = "01a219b0-b6e7-76a0-bae2-58ab72ea3a46";
    let time = "2026-03-01T10:00:00.000Z";
    let line = |kind: &str, payload: &Value| -> Value {
        json!({ "timestamp": time, "type": kind, "payload": payload })
    };
    let meta = json!({ "id": id, "cwd": "/w", "cli_version": "0.171.0" });
    let mut records = vec![line("session_meta", &meta)];
    records.extend(items.iter().map(|item| line("response_item", item)));
    redacted_file(&format!("rollout-2026-03-01T10-00-00-{id}.jsonl"), &records)
}

fn function(id: &str, name: &str, arguments: &Value) -> Value {
    let arguments = arguments.to_string();
    json!({ "type": "function_call", "name": name, "arguments": arguments, "call_id": id })
}

fn output(id: &str, output: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": output })
}

#[test]
fn a_session_of_the_shell_prints_what_was_typed_into_it() {
    let runs = "Wall time: 1.0 seconds\nProcess running with session ID 4471\nOutput:\n";
    let started = function("c1", "exec_command", &json!({ "cmd": NAMES }));
    let shell = function("c1", "exec_command", &json!({ "cmd": "bash", "tty": true }));
    let typed = |chars: &str| json!({ "session_id": 4471, "chars": chars });
    let ends = format!("Wall time: 1.0 seconds\nOutput:\n{VALUE}\n");
    let shows = format!("{runs}printenv MAIL_PASSWORD\r\n{VALUE}\r\nsh-5.2$ ");
    for (first, chars, shown, is_named) in [
        (&started, "", &ends, true),
        (&started, "ls docs\n", &ends, false),
        (&shell, "printenv MAIL_PASSWORD\n", &shows, true),
        (&shell, "", &ends, false),
    ] {
        let next = function("c2", "write_stdin", &typed(chars));
        let out = codex(&[first.clone(), output("c1", runs), next, output("c2", shown)]);
        assert_eq!(!out.contains(VALUE), is_named, "{first} {chars}");
    }
}

#[test]
fn a_program_that_calls_tools_prints_what_its_commands_name() {
    let program = |code: &str| {
        json!({ "type": "custom_tool_call", "status": "completed", "call_id": "c1", "name": "exec",
            "input": code })
    };
    let head = "Script completed\nWall time 0.1 seconds\nOutput:\n";
    let shown = |printed: &str| {
        let parts = [head, printed].map(|text| json!({ "type": "input_text", "text": text }));
        json!({ "type": "custom_tool_call_output", "call_id": "c1", "output": parts })
    };
    for (code, is_named) in [
        (
            r#"const r = await tools.exec_command({"cmd": "printenv MAIL_PASSWORD"}); text(r);"#,
            true,
        ),
        (
            "const r = await tools.shell({command: ['bash', '-lc', 'printenv MAIL_PASSWORD']});",
            true,
        ),
        ("const cmd = `printenv MAIL_PASSWORD`;\ntext(await tools.exec_command({cmd}));", true),
        ("const r = await tools.exec_command({cmd: 'ls docs'}); text(r.output);", false),
        ("const r = await tools.exec_command({cmd: 'printenv MAIL_PASSWORD | wc -c'});", false),
    ] {
        let out = codex(&[program(code), shown(&format!("{VALUE}\n"))]);
        assert_eq!(!out.contains(VALUE), is_named, "{code}");
    }
    let code =
        "const r = await tools.exec_command({cmd: 'printenv MAIL_PASSWORD'}); text(r.output)";
    let runs = json!({ "type": "custom_tool_call_output", "call_id": "c1",
        "output": "Script running with cell ID 4\nWall time 9.0 seconds\nOutput:\n" });
    let waits = function("c2", "wait", &json!({ "cell_id": "4" }));
    let ends = output("c2", &format!("{head}{VALUE}\n"));
    assert!(!codex(&[program(code), runs, waits, ends]).contains(VALUE));
}

#[test]
fn a_process_in_the_background_prints_what_its_command_names() {
    let tool = |id: &str, name: &str, input: &Value, printed: &str| {
        let answered = json!({ "id": id, "name": name, "response": { "output": printed } });
        json!({ "id": id, "name": name, "args": input, "status": "success",
            "result": [{ "functionResponse": answered }], "resultDisplay": printed })
    };
    for (pid, is_named) in [(4711, true), (4712, false)] {
        let started = "Command moved to background (PID: 4711). Output hidden.";
        let input = json!({ "command": NAMES, "is_background": true });
        let calls = [
            tool("c1", "run_shell_command", &input, started),
            tool("c2", "read_background_output", &json!({ "pid": pid }), VALUE),
        ];
        let records = [
            json!({
                "sessionId": "0c7d4b7e-5d0a-4b52-9d2f-6a1b2c3d4e5f", "projectHash": "6baadacb",
                "kind": "main", "startTime": "2026-03-01T10:00:00.000Z",
                "lastUpdated": "2026-03-01T10:00:00.000Z",
            }),
            json!({ "id": "m1", "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
                "content": [{ "text": "which one?" }] }),
            json!({ "id": "m2", "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini",
                "content": "", "toolCalls": calls }),
        ];
        let out = redacted_file("session-2026-03-01T10-00-0c7d4b7e.jsonl", &records);
        assert_eq!(!out.contains(VALUE), is_named, "{pid}");
    }
}
