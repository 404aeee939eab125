//! A turn of each agent, in its own form.

use std::fs;
use std::path::{Path, PathBuf};

use formats::digest::digest;
use serde_json::{Value, json};

/// The agent writes one more turn, as it writes them: this prompt, and an answer.
pub(crate) fn goes_on(agent: &str, files: &[PathBuf], prompt: &str, hour: u8) {
    let time = |minute: u8| format!("2026-03-03T{hour}:0{minute}:00.000Z");
    let answer = format!("Done at {hour}.");
    let last = files.last().unwrap();
    match agent {
        "claude-code" => {
            let text = fs::read_to_string(last).unwrap();
            let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
            let known = text.lines().map(parsed).rfind(|line| line["uuid"].is_string()).unwrap();
            let line = |parent: &Value, name: &str, kind: &str, message: Value, minute| {
                json!({"parentUuid": parent, "isSidechain": false, "userType": "external",
                    "cwd": known["cwd"], "sessionId": known["sessionId"], "version": "2.1.34",
                    "type": kind, "message": message, "timestamp": time(minute),
                    "uuid": format!("{name}-{hour}")})
            };
            let asked = json!({"role": "user", "content": prompt});
            let told = json!({"model": "claude-opus-4-5", "id": format!("msg_{hour}"),
                "type": "message", "role": "assistant",
                "content": [{"type": "text", "text": answer}], "stop_reason": null,
                "usage": {"input_tokens": 3, "output_tokens": 2}});
            let asked = line(&known["uuid"], "asked", "user", asked, 0);
            let told = line(&asked["uuid"].clone(), "told", "assistant", told, 1);
            append(last, &[asked, told]);
        }
        "codex" => append(last, &rollout(prompt, &answer, &time)),
        "gemini" => append(
            last,
            &[
                json!({"id": format!("asked-{hour}"), "timestamp": time(0), "type": "user",
                "content": [{"text": prompt}]}),
                json!({"id": format!("told-{hour}"), "timestamp": time(1), "type": "gemini",
                "content": answer, "thoughts": [], "model": "gemini-2.5-pro"}),
            ],
        ),
        "sage" => append(
            last,
            &[
                json!({"uuid": format!("asked-{hour}"), "role": "user", "content": prompt,
                "timestamp": time(0)}),
                json!({"uuid": format!("told-{hour}"), "role": "assistant", "content": answer,
                "timestamp": time(1)}),
            ],
        ),
        "codewhale" => change(last, |saved| {
            for (role, text) in [("user", prompt), ("assistant", &answer)] {
                let message = json!({"role": role, "content": [{"type": "text", "text": text}]});
                saved["messages"].as_array_mut().unwrap().push(message);
            }
            saved["metadata"]["updated_at"] = time(1).into();
            saved["metadata"]["message_count"] = saved["messages"].as_array().unwrap().len().into();
        }),
        "opencode" => change(last, |saved| imported(saved, prompt, &answer, hour)),
        "cursor" => chat(files, prompt, &answer, hour),
        other => panic!("{other}"),
    }
}

fn append(path: &Path, lines: &[Value]) {
    let mut text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    text.extend(lines.iter().map(|line| format!("{line}\n")));
    fs::write(path, text).unwrap();
}

fn change(path: &Path, change: impl Fn(&mut Value)) {
    let mut value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// A turn of Codex: each text is an item of the conversation and an event.
fn rollout(prompt: &str, answer: &str, time: &dyn Fn(u8) -> String) -> [Value; 4] {
    let line = |minute, kind: &str, payload: Value| {
        let time = time(minute);
        json!({"timestamp": time, "type": kind, "payload": payload})
    };
    let item = |role: &str, kind: &str, text: &str| {
        let content = json!([{"type": kind, "text": text}]);
        json!({"type": "message", "role": role, "content": content})
    };
    [
        line(0, "response_item", item("user", "input_text", prompt)),
        line(0, "event_msg", json!({"type": "user_message", "message": prompt, "images": []})),
        line(1, "event_msg", json!({"type": "agent_message", "message": answer})),
        line(1, "response_item", item("assistant", "output_text", answer)),
    ]
}

/// A turn of OpenCode: two messages with a part each.
fn imported(saved: &mut Value, prompt: &str, answer: &str, hour: u8) {
    let session = saved["info"]["id"].clone();
    let last = saved["messages"].as_array().unwrap().last().unwrap()["info"].clone();
    let time = 1_772_359_200_000_i64 + i64::from(hour) * 3_600_000;
    let id = |kind: &str, number: u8| format!("{kind}_9{hour}{number}{:021}", 0);
    let part = |number: u8, text: &str| {
        json!([{"id": id("prt", number), "sessionID": session, "messageID": id("msg", number),
            "type": "text", "text": text}])
    };
    let asked = json!({"id": id("msg", 0), "sessionID": session, "role": "user", "agent": "build",
        "time": {"created": time}, "model": {"providerID": "anthropic", "modelID": "m-1"}});
    let told = json!({"id": id("msg", 1), "sessionID": session, "role": "assistant",
        "parentID": id("msg", 0), "time": {"created": time + 1, "completed": time + 2},
        "modelID": "m-1", "providerID": "anthropic", "mode": "build", "agent": "build",
        "path": last["path"], "cost": 0, "finish": "stop",
        "tokens": {"input": 3, "output": 2, "reasoning": 0, "cache": {"read": 0, "write": 0}}});
    let messages = saved["messages"].as_array_mut().unwrap();
    messages.push(json!({"info": asked, "parts": part(0, prompt)}));
    messages.push(json!({"info": told, "parts": part(1, answer)}));
}

/// A turn of Cursor: two messages in its database, named by their digests, a root that names them
/// all, and two lines in its transcript.
fn chat(files: &[PathBuf], prompt: &str, answer: &str, hour: u8) {
    let ends = |ending: &str| files.iter().find(|file| file.to_string_lossy().ends_with(ending));
    let connection = rusqlite::Connection::open(ends("store.db").unwrap()).unwrap();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = hex.as_bytes().chunks(2);
        digits
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
            .collect()
    };
    let one = "SELECT value FROM meta WHERE key = '0'";
    let meta: String = connection.query_row(one, [], |row| row.get(0)).unwrap();
    let mut meta: Value = serde_json::from_slice(&bytes(&meta)).unwrap();
    let put = |data: &[u8]| {
        let insert = "INSERT OR IGNORE INTO blobs (id, data) VALUES (?1, ?2)";
        connection.execute(insert, (digest(data), data)).unwrap();
        digest(data)
    };
    let root = meta["latestRootBlobId"].as_str().unwrap();
    let get = "SELECT data FROM blobs WHERE id = ?1";
    let mut root: Vec<u8> = connection.query_row(get, [root], |row| row.get(0)).unwrap();
    let asked = format!("<user_query>\n{prompt}\n</user_query>");
    let mut lines = Vec::new();
    for (role, text) in [("user", asked.as_str()), ("assistant", answer)] {
        let content = json!([{"type": "text", "text": text}]);
        let time = 1_772_359_200_000_i64 + i64::from(hour) * 3_600_000;
        let message = json!({"role": role, "id": format!("{role}-{hour}"), "content": content,
            "createdAt": time});
        root.extend([0x0a, 0x20]);
        root.extend(bytes(&put(message.to_string().as_bytes())));
        lines.push(json!({"role": role, "message": {"content": content}}));
    }
    meta["latestRootBlobId"] = put(&root).into();
    let set = "UPDATE meta SET value = ?1 WHERE key = '0'";
    connection.execute(set, [hex(meta.to_string().as_bytes())]).unwrap();
    append(ends(".jsonl").unwrap(), &lines);
}
