//! A placed session in the lists of the other agent: its title, the person's words, a model that is
//! there, its place; and sub-agents as sessions of their own.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::placed::{file, json, prepared, program, resume};
use common::{ID, Place, put, ran};
use serde_json::{Value, json};

/// Gives the session a title, and puts what an editor had open before its prompt.
fn titled(place: &Place) {
    let source = fs::read_to_string(place.session()).unwrap();
    let around =
        "\"<ide_opened_file>The user opened /srv/doors.txt.</ide_opened_file>\\n\\nPaint the";
    let title = json!({"type": "custom-title", "customTitle": "Green doors", "sessionId": ID});
    fs::write(place.session(), source.replacen("\"Paint the", around, 1) + &format!("{title}\n"))
        .unwrap();
}

fn lines(path: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_title_is_where_the_agent_lists_it() {
    let place = prepared();
    titled(&place);
    let list = place.path().join("home/.codex/session_index.jsonl");
    let own = "{\"id\":\"0\",\"thread_name\":\"Weirs\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n";
    put(&list, own);
    let placed = json(&resume(&place, &["--to", "codex", "--json"]));
    let written = lines(&list);
    assert_eq!(written.len(), 2);
    assert_eq!(
        (&written[1]["id"], &written[1]["thread_name"]),
        (&placed["id"], &"Green doors".into())
    );
    let rollout = lines(&file(&placed));
    let shown = rollout.iter().filter(|line| line["payload"]["type"] == "user_message");
    let shown: Vec<&str> = shown.map(|line| line["payload"]["message"].as_str().unwrap()).collect();
    assert_eq!(shown, ["Paint the **door** green"]);
    let sent = rollout.iter().find(|line| line["payload"]["role"] == "user").unwrap();
    assert!(sent["payload"]["content"].to_string().contains("<ide_opened_file>"), "{sent}");
    let named = rollout.last().unwrap();
    assert_eq!(named["payload"]["thread_name"], "Green doors");
    // The agent adds a name meanwhile: the removal takes its own line only.
    let more = own.replace("Weirs", "Locks");
    fs::write(&list, fs::read_to_string(&list).unwrap() + &more).unwrap();
    assert_eq!(place.run(&["resume", ID, "--undo"]).code, 0);
    assert_eq!(fs::read_to_string(&list).unwrap(), own.to_owned() + &more);
    let placed = json(&resume(&place, &["--to", "gemini", "--json"]));
    assert_eq!(lines(&file(&placed))[0]["summary"], "Green doors");
}

/// The name that a session was given in its agent's list crosses too.
#[test]
fn a_name_in_the_list_is_a_title() {
    let place = prepared();
    let placed = json(&resume(&place, &["--to", "codex", "--json"]));
    let id = placed["id"].as_str().unwrap();
    let name = json!({"id": id, "thread_name": "Hinges", "updated_at": "2026-03-03T00:00:00Z"});
    put(&place.path().join("home/.codex/session_index.jsonl"), &format!("{name}\n"));
    let args = ["resume", id, "--to", "gemini", "--folder", "work", "--json"];
    assert_eq!(lines(&file(&json(&place.run(&args))))[0]["summary"], "Hinges");
    // It is the title of the session itself, wherever that is shown.
    let listed = place.run(&["list", "--agent", "codex"]);
    assert!(listed.out.contains("\tHinges\t"), "{}", listed.out);
    let listed = place.run(&["list", "--agent", "codex", "--json"]);
    assert!(listed.out.contains("\"Hinges\""), "{}", listed.out);
    let shown = place.run(&["show", &format!("codex:{id}")]);
    assert!(shown.out.starts_with("Hinges\n"), "{}", shown.out);
}

#[test]
fn an_imported_session_asks_a_model_that_is_there() {
    let place = prepared();
    let script = "#!/bin/sh\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
                  case \"$1\" in import) /bin/cp \"$2\" \"$kept/kept.json\";;\n\
                  session) /bin/rm \"$kept/kept.json\";;\nesac\n";
    let path = program(&place, "opencode", script);
    let run = |args: &[&str]| ran(place.command(args).env("PATH", &path).output().unwrap());
    let args = ["resume", ID, "--folder", "work", "--to", "opencode", "--json"];
    let kept = place.path().join("home/.local/share/opencode/kept.json");
    for (settings, provider, model) in [
        (None, "anthropic", "claude-opus-4-5"),
        (Some("{\"model\":\"den/badger-1\", // own\n}"), "den", "badger-1"),
    ] {
        if let Some(settings) = settings {
            put(&place.path().join("home/.config/opencode/opencode.json"), settings);
        }
        json(&run(&args));
        let export: Value = serde_json::from_slice(&fs::read(&kept).unwrap()).unwrap();
        let asked = &export["messages"][0]["info"]["model"];
        assert_eq!((&asked["providerID"], &asked["modelID"]), (&provider.into(), &model.into()));
        // It was changed last: its agent lists it at the top.
        let times = &export["info"]["time"];
        assert!(times["updated"].as_i64().unwrap() > 1_780_000_000_000, "{times}");
        assert!(times["created"].as_i64().unwrap() < 1_780_000_000_000, "{times}");
        assert_eq!(run(&["resume", ID, "--undo"]).code, 0);
    }
}

/// A sub-agent that its agent continues within its parent only is continued as a session.
#[test]
fn a_sub_agent_is_a_session_of_its_own() {
    let (own, parent) =
        ("019d0000-0000-7000-8000-0000000000b1", "019d0000-0000-7000-8000-0000000000a1");
    let rollout = |extra: Value| {
        let mut meta = json!({"id": own, "timestamp": "2026-04-02T08:00:00.000Z", "cwd": "/srv",
            "originator": "codex_cli_rs", "cli_version": "0.171.0", "source": "cli"});
        for (key, value) in extra.as_object().unwrap() {
            meta[key] = value.clone();
        }
        let said = |role: &str, kind: &str, text: &str| {
            json!({"timestamp": "2026-04-02T08:00:01.000Z", "type": "response_item", "payload":
                {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}})
        };
        let time = "2026-04-02T08:00:00.000Z";
        let head = json!({"timestamp": time, "type": "session_meta", "payload": meta});
        let all = [
            head,
            said("user", "input_text", "Count the reeds"),
            said("assistant", "output_text", "Six."),
        ];
        all.iter().map(|line| format!("{line}\n")).collect::<String>()
    };
    let spawned = |path: Value| {
        let spawn = json!({"parent_thread_id": parent, "depth": 1, "agent_path": path});
        json!({"parent_thread_id": parent, "thread_source": "subagent",
               "source": {"subagent": {"thread_spawn": spawn}}})
    };
    for (extra, is_own) in
        [(json!({}), true), (spawned(Value::Null), true), (spawned("/root/reeds".into()), false)]
    {
        let place = prepared();
        let name =
            format!("home/.codex/sessions/2026/04/02/rollout-2026-04-02T08-00-00-{own}.jsonl");
        put(&place.path().join(name), &rollout(extra));
        let ran = place.run(&["resume", own, "--folder", "work"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.out.contains(&format!("codex resume {own}")), is_own, "{}", ran.out);
        assert_eq!(ran.err.contains(&format!("verbatim resume {parent}")), !is_own, "{}", ran.err);
    }
    // A sub-agent's file, by its path.
    let place = prepared();
    let side = place.session().with_extension("").join("subagents/agent-a1.jsonl");
    let args = ["resume", side.to_str().unwrap(), "--folder", "work", "--to", "codex", "--json"];
    let placed = json(&place.run(&args));
    let text = fs::read_to_string(file(&placed)).unwrap();
    assert!(text.contains("Count the doors") && !text.contains("Paint the **door**"), "{text}");
    let parents = json(&resume(&place, &["--to", "codex", "--json"]));
    assert_eq!(parents["state"], "placed");
    assert_ne!(parents["id"], placed["id"]);
}
