//! The live conversation of each agent: the parts of it that are not a plain prompt or answer.

use std::sync::Arc;

use meaning::conversation;
use session::{Bundle, Member, Stream};
use verbatim_formats::by_name;

/// The live conversation of a file: each part with the beginning of its text.
fn live(format: &str, name: &str, text: &str) -> Vec<String> {
    let format = by_name(format).expect("a format");
    let member = Member::new(name, Stream::Main, text.as_bytes().to_vec()).expect("short");
    let members = vec![format.decode(member)];
    let session = format.read(Arc::new(Bundle { members })).remove(0);
    let items = conversation::events(&session).map(|event| (event, conversation::of(event)));
    let live = items.filter(|(_, item)| item.live && item.part.is_something());
    live.map(|(event, item)| {
        let said: String = event.said().chars().take(24).collect();
        format!("{} {said}", item.part.word()).trim().to_owned()
    })
    .collect()
}

/// Lines of a Codex rollout with these payloads.
fn rollout(lines: &[(&str, &str)]) -> String {
    let head = r#"{"id":"019c0000-0000-7000-8000-000000000001","cwd":"/srv/quay"}"#;
    let head = ("session_meta", head);
    let all = std::iter::once(&head).chain(lines);
    let line = |(at, (kind, payload)): (usize, &(&str, &str))| {
        format!(
            "{{\"timestamp\":\"2026-04-01T08:00:{at:02}.000Z\",\"type\":\"{kind}\",\
             \"payload\":{payload}}}\n"
        )
    };
    all.enumerate().map(line).collect()
}

fn message(role: &str, text: &str) -> String {
    let block = format!(r#"{{"type":"input_text","text":"{text}"}}"#);
    format!(r#"{{"type":"message","role":"{role}","content":[{block}]}}"#)
}

#[test]
fn words_beside_a_response_are_a_prompt() {
    let response = r#"{"functionResponse":{"id":"t1","name":"tides","response":{"output":"2 m"}}}"#;
    let text = format!(
        r#"{{"sessionId":"s","projectHash":"h","startTime":"2026-04-01T08:00:00Z","messages":[
        {{"id":"1","timestamp":"2026-04-01T08:00:00Z","type":"user","content":"how high?"}},
        {{"id":"2","timestamp":"2026-04-01T08:00:01Z","type":"gemini","content":"I look.",
         "thoughts":[{{"subject":"Tables","description":"the harbour's"}}],
         "toolCalls":[{{"id":"t1","name":"tides","args":{{}},"result":[{response}]}}]}},
        {{"id":"3","timestamp":"2026-04-01T08:00:02Z","type":"user",
         "content":[{{"text":"in feet, please"}},{response}]}}]}}"#
    );
    let expected = [
        "prompt how high?",
        "thought the harbour's",
        "answer I look.",
        "call",
        "result",
        "prompt in feet, please",
    ];
    let text = text.replace('\n', "");
    assert_eq!(live("gemini", "session-2026-04-01T08-00-0.json", &text), expected);
}

#[test]
fn the_list_of_a_compaction_is_the_conversation() {
    let (ask, old) = (message("user", "Draw the coast."), message("assistant", "Drawn."));
    let call = r#"{"type":"function_call","name":"draw","arguments":"{}","call_id":"c1"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c1","output":"ok"}"#;
    let list = [
        ask.clone(),
        message("assistant", "The coast is drawn."),
        message("user", "Now the islands."),
    ];
    let list = format!(r#"{{"message":"","replacement_history":[{}]}}"#, list.join(","));
    let text = rollout(&[
        ("response_item", &ask),
        ("response_item", call),
        ("response_item", output),
        ("response_item", &old),
        ("compacted", &list),
        ("response_item", &message("user", "And the lighthouse?")),
    ]);
    let expected = [
        "prompt Draw the coast.",
        "answer The coast is drawn.",
        "prompt Now the islands.",
        "prompt And the lighthouse?",
    ];
    assert_eq!(live("codex", "rollout.jsonl", &text), expected);
    // Without a list, the prompts stay, and the text of the compaction follows them.
    let text = rollout(&[
        ("response_item", &ask),
        ("response_item", &old),
        ("compacted", r#"{"message":"The coast is done."}"#),
    ]);
    assert_eq!(
        live("codex", "rollout.jsonl", &text),
        ["prompt Draw the coast.", "summary The coast is done."]
    );
}

#[test]
fn a_plan_is_said_once_and_reports_are_conversation() {
    let plan = r"<proposed_plan>\nFirst the piers.\n</proposed_plan>";
    let item =
        r#"{"type":"item_completed","item":{"type":"Plan","id":"p","text":"First the piers.\n"}}"#;
    let report = r#"<subagent_notification>\n{\"agent_id\":\"a\"}\n</subagent_notification>"#;
    let text = rollout(&[
        ("response_item", &message("user", "Plan it.")),
        ("response_item", &message("assistant", plan)),
        ("event_msg", item),
        ("response_item", &message("user", report)),
        ("response_item", &message("user", r"<environment_context>\n</environment_context>")),
    ]);
    let live = live("codex", "rollout.jsonl", &text);
    let parts: Vec<&str> = live.iter().filter_map(|item| item.split(' ').next()).collect();
    assert_eq!(parts, ["prompt", "answer", "report"]);
}

#[test]
fn notifications_with_a_result_are_reports_and_fillers_are_nothing() {
    let line = |at: usize, kind: &str, more: &str, message: &str| {
        let parent = at.checked_sub(1).map_or("null".into(), |at| format!("\"u{at}\""));
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"u{at}\",\"parentUuid\":{parent},\
             \"sessionId\":\"5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11\",\"cwd\":\"/srv/quay\",\
             \"timestamp\":\"2026-04-01T08:00:0{at}.000Z\"{more},\"message\":{message}}}\n"
        )
    };
    let by = r#","origin":{"kind":"task-notification"}"#;
    let told = |inner: &str| {
        format!(r#"{{"role":"user","content":"<task-notification>{inner}</task-notification>"}}"#)
    };
    let said = r#"{"type":"text","text":"No response requested."}"#;
    let filler =
        format!(r#"{{"id":"m","role":"assistant","model":"<synthetic>","content":[{said}]}}"#);
    let text = line(0, "user", "", r#"{"role":"user","content":"Look at the piers."}"#)
        + &line(1, "user", by, &told("<status>done</status>"))
        + &line(2, "user", by, &told("<result>All are sound.</result>"))
        + &line(3, "assistant", "", &filler);
    assert_eq!(
        live("claude-code", "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11.jsonl", &text),
        [
            "prompt Look at the piers.",
            "told <task-notification><stat",
            "report <task-notification><resu"
        ]
    );
}

#[test]
fn a_compaction_keeps_its_tail_and_a_picture_is_conversation() {
    let message = |id: usize, role: &str, more: &str, parts: &str| {
        let parent = if role == "assistant" {
            format!(",\"parentID\":\"msg_{}\"", id - 1)
        } else {
            String::new()
        };
        format!(
            r#"{{"info":{{"id":"msg_{id}","sessionID":"ses_1","role":"{role}",
            "time":{{"created":17800000000{id}0}}{parent}{more}}},"parts":[{parts}]}}"#
        )
    };
    let part = |id: usize, n: usize, rest: &str| {
        format!(r#"{{"id":"prt_{id}{n}","messageID":"msg_{id}","sessionID":"ses_1",{rest}}}"#)
    };
    let text = |id: usize, text: &str| part(id, 0, &format!(r#""type":"text","text":"{text}""#));
    let picture = part(
        5,
        1,
        r#""type":"file","mime":"image/png","url":"data:image/png;base64,aGFyYm91cg==""#,
    );
    for (tail, kept) in [("", false), (r#","tail_start_id":"msg_3""#, true)] {
        let compaction = part(5, 0, &format!(r#""type":"compaction","auto":false{tail}"#));
        let messages = [
            message(1, "user", "", &text(1, "first")),
            message(2, "assistant", r#","finish":"stop""#, &text(2, "one")),
            message(3, "user", "", &text(3, "second")),
            message(4, "assistant", r#","finish":"stop""#, &text(4, "two")),
            message(5, "user", "", &compaction),
            message(6, "assistant", r#","summary":true,"finish":"stop""#, &text(6, "in short")),
            message(
                7,
                "user",
                "",
                &format!("{},{}", text(7, "third"), picture.replace("msg_5", "msg_7")),
            ),
        ];
        let whole = format!(
            r#"{{"info":{{"id":"ses_1","projectID":"p","directory":"/srv/quay","title":"t",
            "version":"1.0.0","time":{{"created":1,"updated":2}}}},"messages":[{}]}}"#,
            messages.join(",")
        );
        let live = live("opencode", "ses_1.json", &whole);
        // The agent sends what it kept behind the summary.
        let tail: &[&str] = if kept { &["prompt second", "answer two"] } else { &[] };
        let rest = ["prompt third", "picture"];
        assert_eq!(live, [&["summary in short"], tail, &rest[..]].concat(), "{tail:?}");
    }
}

/// Lines of a Claude Code transcript: id, parent, type, and what else the line has.
fn transcript(lines: &[(&str, &str, &str, &str)]) -> String {
    let line = |(at, (id, parent, kind, rest)): (usize, &(&str, &str, &str, &str))| {
        let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
        format!(
            r#"{{"uuid":"{id}","parentUuid":{parent},"isSidechain":false,"type":"{kind}","cwd":"/q",
            "sessionId":"7f1e0000-0000-4000-8000-000000000001","version":"2.1.330",{rest},
            "timestamp":"2026-04-01T08:00:{at:02}.000Z"}}"#
        )
        .replace('\n', "")
            + "\n"
    };
    lines.iter().enumerate().map(line).collect()
}

/// The agent sends the summary first, then what the compaction kept; not the command for it.
#[test]
fn what_a_compaction_kept_is_behind_its_summary() {
    let said =
        |role: &str, text: &str| format!(r#""message":{{"role":"{role}","content":"{text}"}}"#);
    let answer = |id: &str, text: &str| {
        let block = format!(r#"{{"type":"text","text":"{text}"}}"#);
        format!(r#""message":{{"id":"{id}","role":"assistant","content":[{block}]}}"#)
    };
    let kept = r#""subtype":"compact_boundary","content":"Conversation compacted",
        "logicalParentUuid":"a2","compactMetadata":{"trigger":"manual",
        "preservedSegment":{"headUuid":"u2","anchorUuid":"s","tailUuid":"a2"}}"#;
    let command = r"<command-name>/compact</command-name>";
    let summary = format!("{},\"isCompactSummary\":true", said("user", "In short: moored."));
    let text = transcript(&[
        ("u1", "", "user", &said("user", "Moor the boat.")),
        ("a1", "u1", "assistant", &answer("m1", "It is moored.")),
        ("u2", "a1", "user", &said("user", "And the raft?")),
        ("a2", "u2", "assistant", &answer("m2", "The raft too.")),
        ("c", "a2", "user", &said("user", command)),
        ("b", "", "system", kept),
        ("s", "b", "user", &summary),
        ("u3", "s", "user", &said("user", "Thank you.")),
    ]);
    let live = live("claude-code", "7f1e0000-0000-4000-8000-000000000001.jsonl", &text);
    let expected = [
        "summary In short: moored.",
        "prompt And the raft?",
        "answer The raft too.",
        "prompt Thank you.",
    ];
    assert_eq!(live, expected);
}

/// The files of a prompt of 2.x.
#[test]
fn a_picture_of_a_prompt_is_conversation_in_the_second_generation() {
    let text = r#"{"info":{"id":"ses_2","projectID":"p","location":{"directory":"/q"},"title":"t",
        "time":{"created":1,"updated":2}},"messages":[{"id":"msg_1","type":"user",
        "text":"What is it?","time":{"created":1},"files":[
        {"uri":"file:///q/log.txt","mime":"text/plain","name":"log.txt"},
        {"uri":"data:image/png;base64,aGFyYm91cg==","mime":"image/png","name":"a.png"}]}]}"#;
    assert_eq!(live("opencode", "ses_2.json", text), ["prompt What is it?", "picture"]);
}

/// Gemini CLI writes the answers of all calls of a message with each of them when it resumes.
#[test]
fn answers_of_several_calls_in_one_list_are_one_result_each() {
    let answer = |id: &str, said: &str| {
        let response = format!(r#"{{"id":"{id}","name":"look","response":{{"output":"{said}"}}}}"#);
        format!(r#"{{"functionResponse":{response}}}"#)
    };
    let both = format!("[{},{}]", answer("c1", "three gulls"), answer("c2", "four terns"));
    let call = |id: &str| {
        let args = format!(r#""id":"{id}","name":"look","args":{{"at":"{id}"}}"#);
        format!(r#"{{{args},"result":{both},"status":"success"}}"#)
    };
    let time = r#""timestamp":"2026-10-04T08:00:00Z""#;
    let head = r#"{"sessionId":"s","projectHash":"h","startTime":"2026-10-04T08:00:00Z"}"#;
    let lines = [
        head.to_owned(),
        format!(r#"{{"id":"1",{time},"type":"user","content":[{{"text":"How many?"}}]}}"#),
        format!(
            r#"{{"id":"2",{time},"type":"gemini","content":"Both.","toolCalls":[{},{}]}}"#,
            call("c1"),
            call("c2")
        ),
        format!(r#"{{"id":"2_response",{time},"type":"user","content":{both}}}"#),
    ];
    let name = "session-2026-10-04T08-00-00000000.jsonl";
    let text = lines.join("\n");
    assert_eq!(
        live("gemini", name, &text),
        ["prompt How many?", "answer Both.", "call", "result", "call", "result"]
    );
    let format = by_name("gemini").expect("a format");
    let member = Member::new(name, Stream::Main, text.into_bytes()).expect("short");
    let session = format.read(Arc::new(Bundle { members: vec![member] })).remove(0);
    let calls = meaning::Calls::of(&session);
    for (id, own, other) in [("c1", "gulls", "terns"), ("c2", "terns", "gulls")] {
        let is_it = |event: &session::EventRef<'_>| {
            event.kind == session::Kind::ToolCall
                && event.text(session::Slot::Call).as_deref() == Some(id)
        };
        let call = session.events().find(is_it).expect("a call");
        let result = session.event(calls.result(call.index).expect("its result"));
        let output = String::from_utf8_lossy(result.raw(session::Slot::Output).expect("an output"));
        assert!(output.contains(own) && !output.contains(other), "{id}: {output}");
    }
}
