//! Values whose names are in a call, or in a command that a person ran.

use redact::Profile;
use serde_json::{Value, json};

mod later;

use super::{answer, call, catalog, made, redacted, redactor, result, said, text};

#[test]
fn the_output_of_a_call_that_names_a_value_is_the_value_and_known_elsewhere() {
    for command in ["printenv MAIL_PASSWORD", "cat /run/secrets/mail", "pass show mail"] {
        for shown in ["{}\n", "Exit code: 0\nOutput:\n{}\n"] {
            let output = shown.replace("{}", &made());
            let later = said(&format!("it is {}, isn't it?", made()));
            let records = [said("hi"), call(command), result(&output), later];
            let out = text(&redacted(Profile::Secrets, &records, "/w"));
            assert!(!out.contains(&made()), "{command}: {out}");
        }
    }
    for value in ["$unny4Harbour", "*kite77Lane", r"lane\kite4", "lane\tkite4", "</q>lane4kite"] {
        let shown = json!(value).to_string();
        let by_hand = format!("<bash-stdout>{value}</bash-stdout><bash-stderr></bash-stderr>");
        let command = "printenv MAIL_PASSWORD";
        let input = said(&format!("<bash-input>{command}</bash-input>"));
        for records in
            [[said("hi"), call(command), result(value)], [said("hi"), input, said(&by_hand)]]
        {
            let out = text(&redacted(Profile::Secrets, &records, "/w"));
            assert!(!out.contains(shown.trim_matches('"')), "{value}: {out}");
        }
    }
    // A word is masked where it is, and stays elsewhere.
    let records = [said("hi"), call("printenv MAIL_PASSWORD"), result("garden"), said("my garden")];
    let out = redacted(Profile::Secrets, &records, "/w");
    assert!(!out[2].to_string().contains("garden") && out[3].to_string().contains("garden"));
}

const REMINDER: &str = "<system-reminder>\nA file was changed.\n\nRead it.\n</system-reminder>";

#[test]
fn a_value_is_found_beside_what_the_agent_adds_to_an_output() {
    // A word, which is sought nowhere else, so that each place must be found by itself.
    for value in [made(), "garden-lantern".to_owned()] {
        let beside = format!("{value}\n\n{REMINDER}");
        let parts =
            json!([{ "type": "text", "text": value }, { "type": "text", "text": REMINDER }]);
        for content in [json!(value), json!(beside), parts] {
            let mut record = result("");
            record["message"]["content"][0]["content"] = content;
            record["toolUseResult"] = json!({ "stdout": value, "stderr": "", "isImage": false });
            let records = [said("hi"), call("printenv MAIL_PASSWORD; true"), record];
            let out = text(&redacted(Profile::Secrets, &records, "/w"));
            assert!(
                !out.contains(&value)
                    && out.contains("Read it.") == text(&records).contains("Read it."),
                "{out}"
            );
        }
    }
}

/// Gemini CLI keeps what it showed of a result beside the call.
#[test]
fn a_value_is_found_where_a_call_has_what_was_shown_of_it() {
    let tool = |id: &str, command: &str, printed: &str| {
        let response = json!({ "output": printed });
        let answered = json!({ "id": id, "name": "run_shell_command", "response": response });
        json!({
            "id": id, "name": "run_shell_command", "args": { "command": command },
            "result": [{ "functionResponse": answered }], "status": "success",
            "displayName": "Shell", "resultDisplay": printed,
        })
    };
    // Two calls in one message: each has its own output. A short one is sought nowhere else.
    let calls = [tool("c1", "printenv MAIL_PASSWORD", "quince7"), tool("c2", "hostname", "quay")];
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
    assert!(!out.contains("quince7"), "{out}");
    assert!(out.contains(r#""resultDisplay":"quay""#), "{out}");
}

/// The bytes of a session that its agent reads under a name, without the values that were found.
fn redacted_file(name: &str, records: &[Value]) -> String {
    let (catalog, redactor) = (catalog(), redactor(Profile::Secrets));
    let opened = catalog.open_bytes(name, text(records).into_bytes()).unwrap();
    let done = verbatim_operations::redact(&catalog, opened.session(), &redactor).unwrap();
    String::from_utf8(done.session().bundle.bytes(0).to_vec()).unwrap()
}

#[test]
fn the_output_of_a_command_that_a_person_ran_is_the_value() {
    let command = "printenv MAIL_PASSWORD";
    for value in [made(), "garden-lantern".to_owned()] {
        let printed = format!("<bash-stdout>{value}</bash-stdout><bash-stderr></bash-stderr>");
        let input = format!("<bash-input>{command}</bash-input>");
        let parts = json!([{ "type": "text", "text": input }, { "type": "text", "text": printed }]);
        let records = [
            said("hi"),
            said(&input),
            said(&printed),
            json!({ "type": "user", "message": { "role": "user", "content": parts } }),
        ];
        let out = text(&redacted(Profile::Secrets, &records, "/w"));
        assert!(!out.contains(&value), "{out}");

        let id = "01a219b0-b6e7-76a0-bae2-58ab72ea3a45";
        let shown = format!(
            "<user_shell_command>\n<command>\n{command}\n</command>\n<result>\nExit code: 0\n\
             Duration: 0.0 seconds\nOutput:\n{value}\n\n</result>\n</user_shell_command>"
        );
        let item = json!({
            "type": "CommandExecution", "id": "c1", "command": ["/bin/bash", "-lc", command],
            "source": "user_shell", "aggregated_output": format!("{value}\n"), "exit_code": 0,
        });
        let time = "2026-03-01T10:00:00.000Z";
        let line = |kind: &str, payload: Value| -> Value {
            json!({ "timestamp": time, "type": kind, "payload": payload })
        };
        let records = [
            line("session_meta", json!({ "id": id, "cwd": "/w", "cli_version": "0.171.0" })),
            line("event_msg", json!({ "type": "item_completed", "turn_id": "t", "item": item })),
            line(
                "response_item",
                json!({ "type": "message", "role": "user",
                    "content": [{ "type": "input_text", "text": shown }] }),
            ),
        ];
        let out = redacted_file(&format!("rollout-2026-03-01T10-00-00-{id}.jsonl"), &records);
        assert!(!out.contains(&value) && out.contains(command), "{out}");

        let shown = format!(
            "I ran the following shell command:\n```sh\n{command}\n```\n\n\
             This produced the following result:\n```\n{value}\n```"
        );
        let records = [
            json!({
                "sessionId": id, "projectHash": "6baadacb", "kind": "main",
                "startTime": "2026-03-01T10:00:00.000Z",
                "lastUpdated": "2026-03-01T10:00:00.000Z",
            }),
            json!({ "id": "m1", "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
                "content": [{ "text": shown }] }),
        ];
        let out = redacted_file("session-2026-03-01T10-00-01a219b0.jsonl", &records);
        assert!(!out.contains(&value) && out.contains(command), "{out}");
    }
}

#[test]
fn the_output_of_another_command_of_a_person_stays() {
    let records = [
        said("hi"),
        said("<bash-input>hostname</bash-input>"),
        said("<bash-stdout>garden-lantern</bash-stdout><bash-stderr></bash-stderr>"),
    ];
    let out = text(&redacted(Profile::Secrets, &records, "/w"));
    assert!(out.contains("<bash-stdout>garden-lantern<"), "{out}");
}

#[test]
fn the_output_of_other_calls_stays() {
    let outputs = [
        ("echo $HOME", "/srv/ops"),
        ("echo $PORT", "8443"),
        ("printenv MAIL_PASSWORD", "printenv: MAIL_PASSWORD: not found"),
        ("printenv MAIL_PASSWORD", ""),
        ("printenv MAIL_PASSWORD | wc -c", "14"),
        ("grep -rl password src", "src/login.ts"),
        ("test -n \"$MAIL_PASSWORD\" && echo set", "set"),
        ("git rev-parse HEAD", "hK4vT9pWx2Zc7"),
    ];
    for (command, output) in outputs {
        let records = [said("hi"), call(command), result(output)];
        let out = redacted(Profile::Secrets, &records, "/w");
        assert_eq!(out[2]["message"], records[2]["message"], "{command}");
    }
}

#[test]
fn names_in_inputs_and_answers_say_what_the_values_are() {
    let input = |input: Value| {
        answer(json!([{ "type": "tool_use", "id": "toolu_1", "name": "mcp__x", "input": input }]))
    };
    let question = "What is the password of the mail server?";
    let said_it = format!("You were answered: \"{question}\"=\"{}\". Go on.", made());
    for records in [
        vec![said("hi"), input(json!({ "key": "MAIL_PASSWORD", "value": made() })), result("ok")],
        vec![
            said("hi"),
            input(json!({ "fields": [{ "name": "Password", "ref": "e5", "value": made() }] })),
            result("ok"),
        ],
        vec![
            said("hi"),
            input(json!({ "file_path": "/w/.env", "old_string": "x", "new_string": made() })),
            result("ok"),
        ],
        vec![
            said("hi"),
            input(json!({ "questions": [{ "question": question, "header": "Mail" }] })),
            result(&said_it),
        ],
    ] {
        let out = text(&redacted(Profile::Secrets, &records, "/w"));
        assert!(!out.contains(&made()), "{out}");
    }
}
