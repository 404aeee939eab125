//! Output of `show`: the result of each call, its outcome, and the complete session.
#![allow(clippy::unwrap_used)]

use api::show::Show;
use serde_json::Value;

mod common;
use common::{ID, Place, Ran, put};

/// A session with lines of `(type, content)`, each the child of the one before.
fn session(lines: &[(&str, &str)]) -> String {
    let line = |(at, (kind, content)): (usize, &(&str, &str))| {
        let parent = if at == 0 { "null".into() } else { format!("\"{ID}-{}\"", at - 1) };
        format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"cwd\":\"/home/ana/shop\",\
             \"sessionId\":\"{ID}\",\"version\":\"2.1.34\",\"type\":\"{kind}\",\"message\":\
             {{\"role\":\"{kind}\",\"content\":{content}}},\"uuid\":\"{ID}-{at}\",\
             \"timestamp\":\"2026-03-01T10:0{at}:00.000Z\"}}\n"
        )
    };
    lines.iter().enumerate().map(line).collect()
}

fn show(text: &str, more: &[&str]) -> Ran {
    let place = Place::new();
    put(&place.path().join(format!("{ID}.jsonl")), text);
    let ran = place.run(&[&["show", &format!("{ID}.jsonl")], more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    ran
}

fn call(command: &str) -> String {
    format!(
        "[{{\"type\":\"tool_use\",\"id\":\"call_0\",\"name\":\"Bash\",\
         \"input\":{{\"command\":\"{command}\"}}}}]"
    )
}

fn answer(text: &str, error: bool) -> String {
    format!(
        "[{{\"type\":\"tool_result\",\"tool_use_id\":\"call_0\",\"content\":\"{text}\",\
         \"is_error\":{error}}}]"
    )
}

#[test]
fn a_repeated_id_pairs_each_call_with_its_own_result() {
    let text = session(&[
        ("user", "\"Stop at once\""),
        ("assistant", &call("sleep 9")),
        ("user", "\"Look\""),
        ("assistant", &call("ls one")),
        ("user", &answer("FIRST", false)),
        ("user", "\"Again\""),
        ("assistant", &call("ls two")),
        ("user", &answer("SECOND", true)),
    ]);
    let ran = show(&text, &[]);
    let steps: Vec<&str> = ran.out.lines().filter(|line| line.contains("Bash")).collect();
    let expected = [
        "→ Bash  sleep 9  · no result  10:01:00",
        "→ Bash  ls one  ✓ FIRST  1 min",
        "→ Bash  ls two  ✗ SECOND  1 min",
    ];
    assert_eq!(steps, expected, "{}", ran.out);
    assert!(!ran.out.contains("without a call"), "{}", ran.out);
    let json: Value = serde_json::from_str(&show(&text, &["--json"]).out).unwrap();
    let events = json["events"].as_array().unwrap();
    let of = |kind: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["kind"] == kind).collect()
    };
    let (calls, results) = (of("tool-call"), of("tool-result"));
    assert_eq!(results[0]["answers"], calls[1]["event"]);
    assert_eq!(results[1]["answers"], calls[2]["event"]);
    assert_eq!([&results[0]["outcome"], &results[1]["outcome"]], ["good", "bad"]);
}

#[test]
fn parallel_calls_with_one_id_are_answered_in_their_order() {
    let text = session(&[
        ("user", "\"Look\""),
        ("assistant", &call("ls one")),
        ("assistant", &call("ls two")),
        ("user", &answer("FIRST", false)),
        ("user", &answer("SECOND", false)),
        ("user", &answer("AGAIN", false)),
    ]);
    let ran = show(&text, &[]);
    assert!(ran.out.contains("→ Bash  ls one  ✓ FIRST  2 min\n"), "{}", ran.out);
    assert!(ran.out.contains("→ Bash  ls two  ✓ SECOND  2 min\n"), "{}", ran.out);
    assert!(!ran.out.contains("AGAIN"), "{}", ran.out);
    assert!(ran.out.contains("not shown: 1 further result of a call"), "{}", ran.out);
    assert!(show(&text, &["--all"]).out.contains("↳ one more result  ✓ AGAIN\n"));
}

#[test]
fn what_was_declined_or_cut_short_is_not_called_good() {
    let line = |kind: &str, payload: &str| {
        format!(
            "{{\"timestamp\":\"2026-05-01T10:00:00Z\",\"type\":\"{kind}\",\"payload\":{payload}}}\n"
        )
    };
    let id = "0199f2aa-7d1c-7000-8000-00000000d0c5";
    let meta =
        format!("{{\"id\":\"{id}\",\"cwd\":\"/home/ana/shop\",\"cli_version\":\"0.120.0\"}}");
    let text = [
        line("session_meta", &meta),
        line(
            "response_item",
            r#"{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"x"}"#,
        ),
        line(
            "response_item",
            "{\"type\":\"custom_tool_call_output\",\"call_id\":\"c1\",\
             \"status\":\"incomplete\",\"output\":\"x\"}",
        ),
        line(
            "event_msg",
            r#"{"type":"patch_apply_end","call_id":"c2","stdout":"","stderr":"","success":false,
                "status":"declined","changes":{"/home/ana/shop/door.txt":{"type":"delete"}}}"#
                .replace('\n', "")
                .as_str(),
        ),
    ]
    .concat();
    let place = Place::new();
    let file = format!("sessions/2026/05/01/rollout-2026-05-01T10-00-00-{id}.jsonl");
    put(&place.path().join(&file), &text);
    let ran = place.run(&["show", &file]);
    assert!(ran.out.contains("→ apply_patch  x  ✗ x  0 ms\n"), "{}", ran.out);
    assert!(ran.out.contains("↳ door.txt  ✗ declined\n"), "{}", ran.out);
    let stead = place.run(&["convert", &file, "--to", "stead"]);
    assert_eq!(stead.out.matches("\"ok\":false").count(), 2, "{}", stead.out);
}

/// A picture of 48 bytes, in base64.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/w";

#[test]
fn all_is_all_of_it() {
    let source = format!(
        "{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"media_type\":\"image/png\",\
         \"data\":\"{PICTURE}\"}}}}"
    );
    let edit = "[{\"type\":\"tool_use\",\"id\":\"e1\",\"name\":\"Edit\",\"input\":{\"file_path\":\
                \"/home/ana/shop/door.txt\",\"old_string\":\"red\\ndoor\",\
                \"new_string\":\"green\"}},\
                {\"type\":\"tool_use\",\"id\":\"e2\",\"name\":\"Task\",\"input\":{\"description\":\
                \"Count\",\"prompt\":\"Count the doors\\nof the shop\"}}]";
    let result = format!(
        "[{{\"type\":\"tool_result\",\"tool_use_id\":\"e1\",\"content\":[{{\"type\":\"text\",\
         \"text\":\"seen\"}},{source}]}}]"
    );
    let mut text = session(&[
        ("user", &format!("[{{\"type\":\"text\",\"text\":\"See this\"}},{source}]")),
        ("assistant", edit),
        ("user", &result),
        ("assistant", &call("make\\nmake test")),
    ]);
    text.push_str(&format!(
        "{{\"parentUuid\":\"{ID}-3\",\"sessionId\":\"{ID}\",\"type\":\"progress\",\"data\":\
         {{\"type\":\"agent_progress\",\"agentId\":\"a1\",\"message\":{{\"type\":\"assistant\",\
         \"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\
         \"There are two doors\"}}]}}}}}},\"uuid\":\"{ID}-4\",\
         \"timestamp\":\"2026-03-01T10:09:00.000Z\"}}\n"
    ));
    let brief = show(&text, &[]);
    assert!(brief.out.contains("▌ ▣ image png 48 B\n"), "{}", brief.out);
    assert!(brief.out.contains("    ▣ image png 48 B\n"), "{}", brief.out);
    assert!(!brief.out.contains("old_string"), "{}", brief.out);
    let all = show(&text, &["--all"]).out;
    let expected = [
        "    /home/ana/shop/door.txt  +1 \u{2212}2\n    -red\n    -door\n    +green\n",
        "    prompt:\n      Count the doors\n      of the shop\n",
        "    command:\n      make\n      make test\n",
        "    seen\n    ▣ image png 48 B\n",
        "There are two doors",
    ];
    for text in expected {
        assert!(all.contains(text), "`{text}` is missing:\n{all}");
    }
}

#[test]
fn text_has_the_slot_content_in_every_format() {
    let catalog = catalog::Catalog { formats: formats::ALL, machine: Default::default() };
    let mut counts = std::collections::BTreeMap::new();
    for folder in samples::formats() {
        let folder = folder.join("samples");
        if !folder.is_dir() {
            continue;
        }
        for source in &catalog.find(std::slice::from_ref(&folder)).sources {
            for session in catalog.read(source).unwrap().sessions {
                let json = json(&session);
                for event in session.events() {
                    let said = matches!(event.kind, session::Kind::User | session::Kind::Assistant);
                    if !said || event.said().trim().is_empty() {
                        continue;
                    }
                    let rows = json["events"].as_array().unwrap();
                    let row = rows.iter().find(|row| row["event"] == event.index).unwrap();
                    let fields = row["fields"].as_array().unwrap();
                    let has = fields
                        .iter()
                        .any(|field| field["slot"] == "content" && !field["value"].is_null());
                    assert!(has, "{}: {row}", session.uid());
                    *counts.entry(session.format).or_insert(0) += 1;
                }
            }
        }
    }
    assert!(counts.len() >= 8, "{counts:?}");
}

fn json(session: &session::Session) -> Value {
    let text = serde_json::to_string(&Show::of(session, &[], true)).unwrap();
    // Half surrogate pairs are printed unchanged, but this JSON reader refuses them.
    serde_json::from_str(&text.replace("\\ud", "\\u0")).unwrap()
}

/// A fork of Codex continues the rollout of another thread, up to a byte.
#[test]
fn a_fork_is_shown_with_the_history_that_it_continues() {
    let ids = ["7f1e0000-0000-4000-8000-0000000000c1", "7f1e0000-0000-4000-8000-0000000000c2"];
    let line = |kind: &str, payload: &str| {
        format!(
            "{{\"timestamp\":\"2026-04-01T08:00:00.000Z\",\"type\":\"{kind}\",\
             \"payload\":{payload}}}\n"
        )
    };
    let said = |text: &str| {
        let block = format!("{{\"type\":\"input_text\",\"text\":\"{text}\"}}");
        let item = format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":[{block}]}}");
        line("response_item", &item)
    };
    let head = |id: &str, more: &str| {
        line("session_meta", &format!("{{\"id\":\"{id}\",\"cwd\":\"/srv/quay\"{more}}}"))
    };
    let begun = head(ids[0], "") + &said("Count the gulls.");
    let base = format!(
        ",\"forked_from_id\":\"{0}\",\"history_base\":{{\"thread_id\":\"{0}\",\
         \"end_byte_offset\":{1}}}",
        ids[0],
        begun.len()
    );
    let place = Place::new();
    let file = |id: &str| format!("in/rollout-2026-04-01T08-00-00-{id}.jsonl");
    put(&place.path().join(file(ids[0])), &(begun + &said("Count the terns.")));
    put(&place.path().join(file(ids[1])), &(head(ids[1], &base) + &said("Count the crows.")));
    let prompts = |args: &[&str]| -> (Vec<String>, String) {
        let ran = place.run(&[&["show", "--json"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let show: Value = serde_json::from_str(&ran.out).unwrap();
        let live = show["events"].as_array().unwrap().iter().filter(|event| event["live"] == true);
        let prompts = live.filter(|event| event["part"] == "prompt");
        let texts = prompts.map(|event| event["fields"].to_string());
        let words = ["gulls", "terns", "crows"];
        let word =
            |text: String| words.into_iter().find(|word| text.contains(word)).unwrap().into();
        (texts.map(word).collect(), ran.err)
    };
    let whole = (vec!["gulls".to_owned(), "crows".to_owned()], String::new());
    assert_eq!(prompts(&[ids[1], "--in", "in"]), whole);
    assert_eq!(prompts(&[&file(ids[1])]), whole, "beside the file");
    // The other thread is not there.
    std::fs::remove_file(place.path().join(file(ids[0]))).unwrap();
    let (alone, told) = prompts(&[&file(ids[1])]);
    assert_eq!(alone, ["crows"]);
    assert!(told.contains(ids[0]) && told.contains("not here"), "{told}");
}

#[test]
fn turns_that_a_session_does_not_have_are_refused() {
    let place = Place::new();
    let text = session(&[("user", "\"Stop\""), ("assistant", "\"Done\"")]);
    put(&place.path().join(format!("{ID}.jsonl")), &text);
    let show = |more: &[&str]| place.run(&[&["show", &format!("{ID}.jsonl")], more].concat());
    for more in [&["--from", "2"][..], &["--turn", "9"], &["--turn", "3..4"], &["--from", "1..0"]] {
        let ran = show(more);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{more:?}");
        let told = "error: the session has no such turn: it has 1 turn\n  `show` numbers them; 0 ";
        assert!(ran.err.starts_with(told), "{more:?}: {}", ran.err);
    }
    for more in [&["--from", "0"][..], &["--from", "-9"], &["--turn", "last"]] {
        assert!(show(more).out.contains("▌ Stop\n"), "{more:?}");
    }
    for more in [&["--turn", "0"][..], &["--grep", "zebra"], &["--only", "edits"]] {
        let ran = show(more);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("\nnothing of the session is shown: "), "{more:?}: {}", ran.out);
    }
}

/// The JSON of a turn has no zero for a number that its agent does not record.
#[test]
fn what_is_not_recorded_is_no_zero() {
    let line = |more: &str| {
        format!(
            "{{\"type\":\"assistant\",\"uuid\":\"u2\",\"sessionId\":\"s1\",\"message\":{{\"role\":\
             \"assistant\",\"id\":\"m1\",\"content\":[{{\"type\":\"text\",\"text\":\
             \"Six.\"}}]{more}}}}}\n"
        )
    };
    let prompt = "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s1\",\"message\":{\"role\":\
                  \"user\",\"content\":\"Count the reeds\"}}\n";
    let usage = ",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}";
    for (more, tokens) in [("", None), (usage, Some(7))] {
        let ran = show(&format!("{prompt}{}", line(more)), &["--json"]);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        let turn = document["turns"][0].as_object().unwrap();
        assert_eq!(turn.get("tokens").map(|sum| sum.as_u64().unwrap()), tokens, "{turn:?}");
        for name in ["took_ms", "end", "sub_agents", "groups", "changes"] {
            assert!(!turn.contains_key(name), "{name}: {turn:?}");
        }
        assert_eq!(turn.contains_key("usage"), tokens.is_some(), "{turn:?}");
    }
}
