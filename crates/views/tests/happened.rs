//! The facts of a session's turns: times, tokens, money, files, sub-agents, groups of calls. The
//! test counts all of it itself from the JSON that it makes.
#![allow(clippy::unwrap_used)]

mod pages;

use std::sync::Arc;

use pages::text;
use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use verbatim_views::money::Money;
use verbatim_views::transcript::{
    Body, Call, CallKind, Detail, Transcript, TurnItems, TurnSum, groups,
};

fn read(format: &str, members: Vec<(&str, Stream, String)>) -> Session {
    let format = formats::ALL.iter().find(|known| known.name() == format).unwrap();
    let members = members
        .into_iter()
        .map(|(name, stream, text)| Member::new(name.to_owned(), stream, text.into_bytes()));
    let members: Option<Vec<Member>> = members.collect();
    format.read(Arc::new(Bundle { members: members.unwrap() })).swap_remove(0)
}

/// A line of Claude Code at a second of its minute.
fn line(kind: &str, second: u32, content: &Value) -> Value {
    let mut line = json!({ "type": kind, "uuid": format!("u{second}"), "sessionId": "s1",
        "cwd": "/home/ana/farm", "timestamp": format!("2026-04-02T07:30:{second:02}.000Z"),
        "message": { "role": kind, "content": content } });
    if kind == "assistant" {
        line["message"]["id"] = json!(format!("msg_{second}"));
        line["message"]["model"] = json!("claude-opus-4-6");
        line["message"]["usage"] = json!({ "input_tokens": 3, "cache_read_input_tokens": 500,
            "output_tokens": 7 });
    }
    line
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn result(id: &str, bad: bool) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": "hens", "is_error": bad })
}

fn turns(session: &Session) -> Vec<TurnItems<'_>> {
    let items = Transcript::of(session, Detail::Brief).with_changes();
    // A price that no table has.
    let price = |count: &meaning::usage::Count| {
        Some(Money(i128::from(count.tokens.output.unwrap_or(0)) * 1_000_000_000_000))
    };
    items.with_spending(&price).by_turn().collect()
}

fn calls<'i, 's>(turn: &'i TurnItems<'s>) -> Vec<&'i Call<'s>> {
    let call = |item: &'i verbatim_views::transcript::Item<'s>| match &item.body {
        Body::Call(call) => Some(call),
        _ => None,
    };
    turn.items.iter().filter_map(call).collect()
}

fn reads() -> String {
    let path = |name: &str| json!({ "file_path": format!("/home/ana/farm/{name}") });
    lines(&[
        line("user", 1, &json!("count the hens")),
        line("assistant", 2, &json!([call("t1", "Read", &path("barn.md"))])),
        line("assistant", 3, &json!([call("t2", "Read", &path("coop.md"))])),
        line("assistant", 4, &json!([call("t3", "Read", &path("yard.md"))])),
        line("user", 9, &json!([result("t1", false)])),
        line("user", 14, &json!([result("t2", true)])),
        line("user", 15, &json!([result("t3", false)])),
        line("assistant", 20, &json!([{ "type": "text", "text": "Twelve." }])),
        line("user", 50, &json!("and the ducks?")),
        line("assistant", 55, &json!([{ "type": "text", "text": "None." }])),
    ])
}

#[test]
fn times_tokens_and_money_of_turns_are_those_of_the_records() {
    let session = read("claude-code", vec![("s1.jsonl", Stream::Main, reads())]);
    let turns = turns(&session);
    let took: Vec<Option<i64>> = calls(&turns[0]).iter().map(|call| call.timing.took).collect();
    assert_eq!(took, [9 - 2, 14 - 3, 15 - 4].map(|seconds| Some(seconds * 1_000_000)));
    assert_eq!(turns[0].sum.took(), Some((20 - 1) * 1_000_000));
    assert_eq!(turns[1].sum.took(), Some((55 - 50) * 1_000_000));
    let spent = &turns[0].sum.spending;
    assert_eq!((spent.answers, spent.tokens.input, spent.tokens.output), (4, Some(12), Some(28)));
    assert_eq!(spent.tokens.cache_read, Some(2000));
    assert_eq!((spent.recorded, spent.listed.map(|it| it.0)), (None, Some(28_000_000_000_000)));
    let sum = TurnSum::sum(&turns.iter().map(|turn| turn.sum.clone()).collect::<Vec<_>>());
    assert_eq!((sum.turn, sum.calls, sum.failed, sum.active), (2, 3, 1, Some(24_000_000)));
    assert_eq!(sum.spending.answers, 5);
    assert_eq!(sum.kinds.get(&CallKind::Read), Some(&3));
}

#[test]
fn a_group_names_its_calls_and_its_failures() {
    let session = read("claude-code", vec![("s1.jsonl", Stream::Main, reads())]);
    let turns = turns(&session);
    let groups = groups(&turns[0].items);
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].len, groups[0].parallel, groups[0].failed), (3, 3, 1));
    assert_eq!(groups[0].words(), "Read 3 files \u{b7} 3 in parallel \u{b7} 13 s \u{b7} 1 failed");
    // The page folds a group only if nothing in it failed.
    let page = pages::page(&session);
    assert!(page.contains("<div class=\"group\"><details open>"), "a failure is folded");
    let well = reads().replace("\"is_error\":true", "\"is_error\":false");
    let well = read("claude-code", vec![("s1.jsonl", Stream::Main, well)]);
    assert!(pages::page(&well).contains("<div class=\"group\"><details><summary>"));
    // One after another, they are not parallel.
    let apart = reads().replace("07:30:09", "07:30:02").replace("07:30:14", "07:30:03");
    let mut apart: Vec<&str> = apart.lines().collect();
    apart.swap(2, 4);
    apart.swap(3, 4);
    apart.swap(4, 5);
    let text = apart.iter().map(|line| format!("{line}\n")).collect();
    let apart = read("claude-code", vec![("s1.jsonl", Stream::Main, text)]);
    let shown = self::turns(&apart);
    assert_eq!(self::groups(&shown[0].items)[0].parallel, 0);
}

#[test]
fn a_sub_agent_is_summed_from_its_history_or_else_from_its_result() {
    let task = json!({ "description": "Look for eggs", "prompt": "Where are the eggs?" });
    let mut done = line("user", 40, &json!([result("t1", false)]));
    done["toolUseResult"] = json!({ "status": "completed", "agentId": "eggs01abcd",
        "totalDurationMs": 31_000, "totalTokens": 4321, "totalToolUseCount": 9 });
    let main = lines(&[
        line("user", 1, &json!("find the eggs")),
        line("assistant", 2, &json!([call("t1", "Task", &task)])),
        done,
        line("assistant", 41, &json!([{ "type": "text", "text": "In the hay." }])),
    ]);
    let alone = read("claude-code", vec![("s1.jsonl", Stream::Main, main.clone())]);
    let told = turns(&alone);
    let agent = calls(&told[0])[0].agent.clone().unwrap();
    assert_eq!((agent.calls, agent.failed, agent.took), (Some(9), None, Some(31_000_000)));
    assert_eq!(agent.spending.tokens.unsplit, Some(4321));
    // What is not in the session is in no sum of it.
    assert_eq!(told[0].sum.spending.tokens.total(), 2 * 510);

    let side = |line: Value| of_agent("eggs01abcd", line);
    let history = lines(&[
        side(line("user", 3, &json!("Where are the eggs?"))),
        side(line("assistant", 4, &json!([call("s1", "Grep", &json!({ "pattern": "egg" }))]))),
        side(line("user", 6, &json!([result("s1", true)]))),
        side(line("assistant", 39, &json!([{ "type": "text", "text": "hay" }]))),
    ]);
    let sub = Stream::Sub("agent-eggs01abcd".to_owned());
    let whole = read(
        "claude-code",
        vec![
            ("s1.jsonl", Stream::Main, main),
            ("s1/subagents/agent-eggs01abcd.jsonl", sub, history),
        ],
    );
    let shown = turns(&whole);
    let agent = calls(&shown[0])[0].agent.clone().unwrap();
    assert_eq!((agent.calls, agent.failed), (Some(1), Some(1)));
    assert_eq!(agent.took, Some((39 - 3) * 1_000_000));
    assert_eq!((agent.spending.answers, agent.spending.tokens.output), (2, Some(14)));
    assert_eq!((shown[0].sum.calls, shown[0].sum.failed, shown[0].sum.agents), (2, 1, 1));
    assert_eq!(shown[0].sum.spending.tokens.total(), 4 * 510);
    let words = "1 call, 1 failed \u{b7} 36 s \u{b7} 6 in, 1.0k cached, 14 out";
    assert!(pages::page(&whole).contains(words), "page");
    assert!(text(&whole).contains(words), "Markdown");
}

/// A line of a sub-agent's own history.
fn of_agent(id: &str, mut line: Value) -> Value {
    line["isSidechain"] = json!(true);
    line["agentId"] = json!(id);
    line["uuid"] = json!(format!("{id}-{}", line["uuid"].as_str().unwrap()));
    line["message"]["id"] = json!(format!("msg_{}", line["uuid"].as_str().unwrap()));
    line
}

#[test]
fn a_sub_agent_is_of_the_turn_of_its_call_even_if_nothing_of_it_is_drawn() {
    let task = json!({ "description": "Look for foxes", "prompt": "Any foxes?" });
    // One call that started two sub-agents, whose answers say nothing.
    let mut done = line("user", 9, &json!([result("t1", false)]));
    done["toolUseResult"] = json!({ "status": "completed", "agents": ["fox01abcd", "fox02abcd"] });
    let main = lines(&[
        line("user", 1, &json!("look for foxes")),
        line("assistant", 2, &json!([call("t1", "Task", &task)])),
        done,
        line("user", 20, &json!("and now the geese")),
        line("assistant", 21, &json!([{ "type": "text", "text": "They sleep." }])),
    ]);
    let history = |id: &str| lines(&[of_agent(id, line("assistant", 5, &json!([])))]);
    let member = |id: &str| (format!("s1/subagents/agent-{id}.jsonl"), history(id));
    let (one, two) = (member("fox01abcd"), member("fox02abcd"));
    let sub = |id: &str| Stream::Sub(format!("agent-{id}"));
    let session = read(
        "claude-code",
        vec![
            ("s1.jsonl", Stream::Main, main),
            (&one.0, sub("fox01abcd"), one.1),
            (&two.0, sub("fox02abcd"), two.1),
        ],
    );
    let shown = turns(&session);
    let answers = |turn: &TurnSum| turn.spending.answers;
    let sums: Vec<TurnSum> = shown.into_iter().map(|turn| turn.sum).collect();
    assert_eq!(sums.iter().map(answers).collect::<Vec<_>>(), [1 + 2, 1]);
    assert_eq!(sums.iter().map(|turn| turn.agents).collect::<Vec<_>>(), [2, 0]);
    let first = TurnSum::all(&session, Some((1, 1)), &|_| None);
    assert_eq!(first.iter().map(answers).collect::<Vec<_>>(), [3]);
    let last = TurnSum::all(&session, Some((2, 2)), &|_| None);
    assert_eq!(last.iter().map(answers).collect::<Vec<_>>(), [1]);
}

/// A rollout of Codex whose call started a sub-agent that has a session of its own.
fn spawning() -> String {
    let entry = |second: u32, kind: &str, payload: Value| {
        json!({ "timestamp": format!("2026-10-16T11:30:{second:02}.000Z"), "type": kind,
            "payload": payload })
    };
    let (thread, own) =
        ("019e7300-1000-7000-8000-0000000000b1", "019e7300-1000-7000-8000-0000000000b2");
    let usage = json!({ "input_tokens": 90, "cached_input_tokens": 0, "output_tokens": 11,
        "reasoning_output_tokens": 0, "total_tokens": 101 });
    lines(&[
        entry(
            0,
            "session_meta",
            json!({ "id": thread, "cwd": "/home/ana/farm",
            "timestamp": "2026-10-16T11:30:00.000Z", "cli_version": "0.150.0" }),
        ),
        entry(
            1,
            "response_item",
            json!({ "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": "look for mice" }] }),
        ),
        entry(
            2,
            "response_item",
            json!({ "type": "function_call", "name": "spawn_agent",
            "call_id": "c1", "arguments": "{\"message\":\"Any mice?\"}" }),
        ),
        entry(
            3,
            "response_item",
            json!({ "type": "function_call_output", "call_id": "c1",
            "output": json!({ "agent_id": own }).to_string() }),
        ),
        entry(
            4,
            "event_msg",
            json!({ "type": "token_count",
            "info": { "total_token_usage": usage, "last_token_usage": usage } }),
        ),
    ])
}

#[test]
fn sums_without_a_sub_agent_are_said_to_be_the_least() {
    let task = json!({ "description": "Look for mice", "prompt": "Any mice?" });
    let mut done = line("user", 9, &json!([result("t1", false)]));
    done["toolUseResult"] = json!({ "status": "completed", "agentId": "mice01abcd",
        "totalDurationMs": 4000, "totalTokens": 777, "totalToolUseCount": 2 });
    let main = lines(&[
        line("user", 1, &json!("look for mice")),
        line("assistant", 2, &json!([call("t1", "Task", &task)])),
        done,
    ]);
    let claude = read("claude-code", vec![("s1.jsonl", Stream::Main, main)]);
    let rollout = spawning();
    let codex = read("codex", vec![("rollout.jsonl", Stream::Main, rollout)]);
    for (session, of_agent) in [(&claude, "2 calls"), (&codex, "in a session of its own")] {
        let shown = turns(session);
        let sum = &shown[0].sum;
        assert_eq!((sum.agents, sum.spending.apart), (1, 1), "{}", session.format);
        let (page, markdown) = (pages::page(session), text(session));
        for form in [&page, &markdown] {
            let words = ["1 sub-agent, 1 not in the sums", "at least ", of_agent];
            words.iter().for_each(|word| assert!(form.contains(word), "{word}: {form}"));
        }
        let tokens = sum.spending.tokens_in_words().unwrap();
        assert!(tokens.starts_with("at least "), "{tokens}");
    }
}

#[test]
fn times_are_where_each_agent_keeps_them() {
    let part = json!({ "id": "prt_2", "messageID": "msg_2", "sessionID": "ses_1", "type": "tool",
        "callID": "c1", "tool": "bash", "state": { "status": "completed",
        "input": { "command": "ls" }, "output": "hens", "title": "", "metadata": {},
        "time": { "start": 1_780_000_001_000_i64, "end": 1_780_000_004_500_i64 } } });
    let message = |id: &str, role: &str, parts: Value| {
        let mut info = json!({ "id": id, "sessionID": "ses_1", "role": role,
            "time": { "created": 1_780_000_000_000_i64 } });
        if role == "assistant" {
            info["modelID"] = json!("hen-1");
            info["providerID"] = json!("coop");
            info["parentID"] = json!("msg_1");
            info["cost"] = json!(0.25);
            info["tokens"] = json!({ "input": 5, "output": 2, "reasoning": 0,
                "cache": { "read": 0, "write": 0 } });
        }
        json!({ "info": info, "parts": parts })
    };
    let say = json!([{ "id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text",
        "text": "list" }]);
    let export = json!({ "info": { "id": "ses_1", "projectID": "p", "directory": "/farm",
        "title": "Hens", "version": "1.1.0", "time": { "created": 1, "updated": 2 } },
        "messages": [message("msg_1", "user", say),
            message("msg_2", "assistant", json!([part]))] });
    let open = read("opencode", vec![("ses_1.json", Stream::Main, export.to_string())]);
    let shown = turns(&open);
    assert_eq!(calls(&shown[0])[0].timing.took, Some(3_500_000));
    let spent = &shown[0].sum.spending;
    assert_eq!((spent.recorded.map(|it| it.0), spent.listed), (Some(250_000_000_000), None));

    // A call that is in its message, with one time: that of its result.
    let at = |second: u32| format!("2026-01-05T10:00:{second:02}.000Z");
    let tool = json!({ "id": "c1", "name": "read_file", "args": { "file_path": "barn.md" },
        "status": "success", "timestamp": at(8), "result": [{ "functionResponse": { "id": "c1",
        "name": "read_file", "response": { "output": "hens" } } }] });
    let document = json!({ "sessionId": "0c1d2e3f-0000-4000-8000-000000000001",
        "projectHash": "a".repeat(64), "startTime": at(0), "lastUpdated": at(9), "messages": [
        { "id": "m1", "type": "user", "timestamp": at(1), "content": "read" },
        { "id": "m2", "type": "gemini", "timestamp": at(3), "content": "",
            "toolCalls": [tool] }] });
    let gemini = read("gemini", vec![("session-1.json", Stream::Main, document.to_string())]);
    let shown = turns(&gemini);
    assert_eq!(calls(&shown[0])[0].timing.took, Some((8 - 3) * 1_000_000));
}

#[test]
fn a_change_without_a_result_is_in_no_sum() {
    let write = json!({ "file_path": "/home/ana/farm/eggs.md", "content": "one\ntwo\n" });
    let asked = [
        line("user", 1, &json!("note the eggs")),
        line("assistant", 2, &json!([call("t1", "Write", &write)])),
    ];
    let mut done = line("user", 3, &json!([result("t1", false)]));
    done["toolUseResult"] = json!({ "type": "create", "filePath": "/home/ana/farm/eggs.md",
        "content": "one\ntwo\n", "structuredPatch": [] });
    let sum = |text: String| {
        let session = read("claude-code", vec![("s1.jsonl", Stream::Main, text)]);
        let sum = turns(&session).swap_remove(0).sum;
        (sum.inserted, sum.files.len())
    };
    assert_eq!(sum(lines(&asked)), (0, 0));
    assert_eq!(sum(lines(&asked) + &lines(&[done])), (2, 1));
}

#[test]
fn what_is_not_recorded_is_absent() {
    let reads = reads().replace(",\"usage\":", ",\"used\":").replace("\"timestamp\":", "\"at\":");
    let session = read("claude-code", vec![("s1.jsonl", Stream::Main, reads)]);
    let turns = turns(&session);
    assert_eq!(calls(&turns[0])[0].timing, meaning::Timing::default());
    assert_eq!((turns[0].sum.took(), turns[0].sum.active), (None, None));
    assert_eq!(turns[0].sum.spending.money_in_words(), None);
    assert_eq!(turns[0].sum.spending.tokens_in_words(), None);
    let page = pages::page(&session);
    assert!(!page.contains("class=\"took\"") && !page.contains("<dt>cost</dt>"), "{page}");
    assert!(!text(&session).contains(" tokens"));
}

#[test]
fn the_turn_with_the_summary_of_a_compaction_says_so() {
    let mut boundary = line("system", 4, &json!(""));
    boundary["subtype"] = json!("compact_boundary");
    boundary["logicalParentUuid"] = json!("u2");
    boundary["content"] = json!("Conversation compacted");
    let mut summary = line("user", 5, &json!("The hens were counted: twelve."));
    summary["isCompactSummary"] = json!(true);
    let text = lines(&[
        line("user", 1, &json!("count the hens")),
        line("assistant", 2, &json!([{ "type": "text", "text": "Twelve." }])),
        boundary,
        summary,
        line("user", 6, &json!("and the ducks?")),
        line("assistant", 7, &json!([{ "type": "text", "text": "Four." }])),
    ]);
    let session = read("claude-code", vec![("s1.jsonl", Stream::Main, text)]);
    let told: Vec<bool> = turns(&session).iter().map(|turn| turn.sum.compacted).collect();
    // The summary follows the first answer, and belongs to that turn.
    assert_eq!(told, [true, false]);
    // So the outline has its rule between the turn that it replaced and the next one.
    let page = pages::page(&session);
    let place = |text: &str| page.find(text).unwrap();
    let rule = place("<li class=\"rule\">compacted</li>");
    assert!(place("href=\"#turn-1\"") < rule && rule < place("href=\"#turn-2\""), "{page}");
}
