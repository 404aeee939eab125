//! Each answer of a model counts once, wherever it is recorded and in however many copies. The
//! parts (main, sub-agents, advisors, excluded answers) add up to all recorded tokens.

use std::collections::BTreeMap;
use std::path::Path;

use catalog::{Root, scan};
use meaning::usage::Part;
use operations::usage::{Counted, Totals, Usage, sums, usage};
use serde_json::{Value, json};

mod ids;

/// A folder with files of some sessions.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn put(&self, name: &str, lines: &[Value]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.write(name, &text);
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn usage(&self) -> Usage {
        counted(self.0.path())
    }
}

fn counted(root: &Path) -> Usage {
    usage(&scan(verbatim_formats::ALL, &[Root::named(root)]))
}

/// The answers and tokens that count, by part.
fn parts(usage: &Usage) -> BTreeMap<Part, (u64, u64)> {
    let mut parts = BTreeMap::new();
    for spent in usage.spent().filter(|spent| spent.counted == Counted::Yes) {
        let (answers, total): &mut (u64, u64) = parts.entry(spent.part).or_default();
        *answers += 1;
        *total += spent.tokens.total();
    }
    parts
}

fn total(usage: &Usage) -> u64 {
    sums(usage.spent(), |_| String::new()).values().map(|sum| sum.tokens.total()).sum()
}

const THREAD: &str = "0198f2aa-1c2d-7e3f-8a4b-5c6d7e8f9012";

/// A rollout with this many answers: each has 100 tokens in and 10 out.
fn rollout(answers: u64) -> Vec<Value> {
    let time = |second: u64| format!("2026-07-30T08:01:{second:02}.003Z");
    let header = json!({"id": THREAD, "timestamp": time(1), "cwd": "/home/ana/shop",
        "originator": "codex-tui", "cli_version": "0.146.0", "source": "cli"});
    let mut lines = vec![json!({"timestamp": time(1), "type": "session_meta", "payload": header})];
    for at in 1..=answers {
        let count = |n: u64| {
            json!({"input_tokens": 100 * n, "cached_input_tokens": 0, "output_tokens": 10 * n,
                "reasoning_output_tokens": 0, "total_tokens": 110 * n})
        };
        let info = json!({"total_token_usage": count(at), "last_token_usage": count(1)});
        let payload = json!({"type": "token_count", "info": info});
        lines.push(json!({"timestamp": time(at + 1), "type": "event_msg", "payload": payload}));
    }
    lines
}

#[test]
fn copies_and_earlier_states_of_a_rollout_count_once() {
    let name = format!("rollout-2026-07-30T10-01-02-{THREAD}.jsonl");
    let mut header = rollout(3);
    header[0]["payload"]["cli_version"] = json!("0.147.0");
    for folders in [[".codex/sessions/2026/07/30", ".codex/archived_sessions"], ["a", "b"]] {
        // A copy byte for byte, an earlier state, and one with a new header.
        for other in [rollout(5), rollout(2), header.clone()] {
            let home = Home::new();
            home.put(&format!("{}/{name}", folders[0]), &rollout(5));
            home.put(&format!("{}/{name}", folders[1]), &other);
            assert_eq!(total(&home.usage()), 550, "{folders:?}, {} lines", other.len());
        }
    }
}

/// A line of an answer of Claude's.
fn answer(session: &str, id: &str, usage: &Value, stop: &Value) -> Value {
    let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-x",
        "content": [{"type": "text", "text": "a"}], "stop_reason": stop, "usage": usage});
    json!({"type": "assistant", "uuid": format!("u-{id}"), "parentUuid": null, "sessionId": session,
        "timestamp": "2026-08-02T09:14:01.000Z", "requestId": format!("req-{id}"),
        "message": message})
}

const SESSION: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e10";
const PROJECT: &str = ".claude/projects/-home-ana-shop";

#[test]
fn of_a_cut_off_copy_and_a_complete_one_the_complete_one_counts() {
    let tokens = |output: u64| json!({"input_tokens": 10, "output_tokens": output});
    let cut = answer(SESSION, "msg_a", &tokens(6), &Value::Null);
    let mut whole = answer(SESSION, "msg_a", &tokens(371), &json!("end_turn"));
    (whole["isSidechain"], whole["agentId"]) = (json!(true), json!("acompact-1"));
    let other = "6a2e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11";
    let elsewhere = answer(other, "msg_a", &tokens(371), &json!("end_turn"));
    let home = Home::new();
    home.put(&format!("{PROJECT}/{SESSION}.jsonl"), std::slice::from_ref(&cut));
    home.put(&format!("{PROJECT}/{SESSION}/subagents/agent-acompact-1.jsonl"), &[whole]);
    assert_eq!(total(&home.usage()), 381);
    let home = Home::new();
    home.put(&format!("{PROJECT}/{SESSION}.jsonl"), &[cut]);
    home.put(&format!("{PROJECT}/{other}.jsonl"), &[elsewhere]);
    assert_eq!(total(&home.usage()), 381);
}

/// Answers of an advisor, and of a sub-agent without a file of its own.
#[test]
fn answers_within_other_lines_count_under_their_own_model() {
    let round = |kind: &str, model: Option<&str>, output: u64| {
        let (input, output) = (json!(2), json!(output));
        json!({"type": kind, "model": model, "input_tokens": input, "output_tokens": output})
    };
    let rounds = [
        round("message", None, 30),
        round("advisor_message", Some("claude-wise"), 500),
        round("message", None, 20),
    ];
    let spent = json!({"input_tokens": 4, "output_tokens": 50, "iterations": rounds});
    let main = answer(SESSION, "msg_a", &spent, &json!("end_turn"));
    let progress = |output: u64| {
        let usage = json!({"input_tokens": 3, "output_tokens": output});
        let message = json!({"id": "msg_s", "model": "claude-small", "role": "assistant",
            "content": [], "usage": usage});
        let message = json!({"type": "assistant", "uuid": "s1", "requestId": "req-msg_s",
            "timestamp": "2026-08-02T09:14:05.000Z", "message": message});
        let data = json!({"type": "agent_progress", "agentId": "a1", "message": message});
        json!({"type": "progress", "uuid": format!("p{output}"), "parentUuid": null, "data": data,
            "sessionId": SESSION, "timestamp": "2026-08-02T09:14:05.000Z"})
    };
    let lines = [main.clone(), main, progress(1), progress(70)];
    let home = Home::new();
    home.put(&format!("{PROJECT}/{SESSION}.jsonl"), &lines);
    let usage = home.usage();
    let own = [(Part::Main, (1, 54)), (Part::SubAgent, (1, 73)), (Part::Advisor, (1, 502))];
    assert_eq!(parts(&usage), BTreeMap::from(own));
    let models = sums(usage.spent(), |spent| spent.model.unwrap_or_default().to_owned());
    let models: Vec<_> =
        models.iter().map(|(name, sum)| (name.as_str(), sum.tokens.total())).collect();
    assert_eq!(models, [("claude-small", 73), ("claude-wise", 502), ("claude-x", 54)]);
    // With the sub-agent's own file beside it, the answer still counts once.
    let tokens = json!({"input_tokens": 3, "output_tokens": 71});
    let mut side = answer(SESSION, "msg_s", &tokens, &json!("end_turn"));
    (side["isSidechain"], side["agentId"]) = (json!(true), json!("a1"));
    home.put(&format!("{PROJECT}/{SESSION}/subagents/agent-a1.jsonl"), &[side]);
    let own = [(Part::Main, (1, 54)), (Part::SubAgent, (1, 74)), (Part::Advisor, (1, 502))];
    assert_eq!(parts(&home.usage()), BTreeMap::from(own));
}

#[test]
fn a_token_count_is_its_value_however_it_is_spelled() {
    let home = Home::new();
    let tokens = json!({"input_tokens": 1, "output_tokens": 2});
    let line = answer(SESSION, "msg_a", &tokens, &json!("end_turn")).to_string();
    let line = line.replace(":1,\"output_tokens\":2", ":10.0,\"output_tokens\":5e0") + "\n";
    home.write(&format!("{PROJECT}/{SESSION}.jsonl"), &line);
    assert_eq!(total(&home.usage()), 15);
}

/// An export of a session with one prompt and its answers in sequence.
fn export(session: &str, suffix: &str, answers: &[(u64, Value)]) -> String {
    let info = json!({"id": session, "slug": "quiet-otter", "projectID": "p", "directory": "/shop",
        "title": "VAT", "version": "1.18.33", "time": {"created": 1_790_000_000_000_u64,
        "updated": 1_790_000_009_000_u64}});
    let message = |id: &str, role: &str, made: u64, more: &Value, said: &str| {
        let id = format!("msg_{id}{suffix}");
        let mut info = json!({"id": id, "sessionID": session, "role": role,
            "time": {"created": made}});
        let members = info.as_object_mut().expect("an object");
        members.extend(more.as_object().cloned().unwrap_or_default());
        let part = json!({"id": format!("prt_{id}"), "sessionID": session, "messageID": id,
            "type": "text", "text": said});
        json!({"info": info, "parts": [part]})
    };
    let mut messages =
        vec![message("0", "user", 1_790_000_000_001, &json!({}), "round the VAT up")];
    for (at, (made, tokens)) in (1..).zip(answers) {
        let more = json!({"parentID": format!("msg_0{suffix}"), "modelID": "m", "providerID": "p",
            "mode": "build", "path": {"cwd": "/shop", "root": "/shop"}, "cost": 0,
            "tokens": tokens});
        messages.push(message(&at.to_string(), "assistant", *made, &more, "done"));
    }
    json!({"info": info, "messages": messages}).to_string()
}

fn opencode_tokens(output: u64, reasoning: u64, total: Option<u64>) -> Value {
    let mut tokens = json!({"input": 10, "output": output, "reasoning": reasoning,
        "cache": {"read": 0, "write": 0}});
    if let Some(total) = total {
        tokens["total"] = json!(total);
    }
    tokens
}

#[test]
fn reasoning_is_a_part_of_the_output_or_beside_it_as_the_total_says() {
    let told = [
        (opencode_tokens(10, 20, Some(40)), 40),
        (opencode_tokens(30, 20, Some(60)), 60),
        (opencode_tokens(30, 20, Some(40)), 40),
        // No total: builds that write none include it, unless that is impossible.
        (opencode_tokens(30, 20, None), 40),
        (opencode_tokens(10, 20, None), 40),
    ];
    for (tokens, expected) in told {
        let home = Home::new();
        home.write("a.json", &export("ses_a", "a", &[(1_790_000_001_000, tokens.clone())]));
        assert_eq!(total(&home.usage()), expected, "{tokens}");
    }
}

#[test]
fn a_fork_under_new_ids_counts_once_and_like_answers_twice() {
    let tokens = |output| opencode_tokens(output, 0, None);
    let (first, second) = ((1_790_000_001_000, tokens(5)), (1_790_000_002_000, tokens(6)));
    let home = Home::new();
    let copied = [first.clone(), second.clone()];
    let added = [first.clone(), second.clone(), (1_790_000_003_000, tokens(6))];
    home.write("one/a.json", &export("ses_a", "a", &copied));
    home.write("two/b.json", &export("ses_b", "b", &added));
    assert_eq!(total(&home.usage()), 15 + 16 + 16);
    // The same counters a moment later are another answer.
    let later = (first.0 + 1, tokens(5));
    home.write("two/b.json", &export("ses_b", "b", &[later]));
    assert_eq!(total(&home.usage()), 15 + 16 + 15);
    // And so are those after another prompt at the same time.
    let other = export("ses_b", "b", &[first]).replace("VAT up", "VAT down");
    home.write("two/b.json", &other);
    assert_eq!(total(&home.usage()), 15 + 16 + 15);
}

#[test]
fn an_aborted_answer_with_zeros_alone_is_none() {
    let home = Home::new();
    let zero = json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
    let answers = [(1_790_000_001_000, opencode_tokens(5, 0, None)), (1_790_000_002_000, zero)];
    home.write("a.json", &export("ses_a", "a", &answers));
    let usage = home.usage();
    assert_eq!(parts(&usage), BTreeMap::from([(Part::Main, (1, 15))]));
    assert!(usage.spent().any(|spent| spent.counted == Counted::Empty));
}

#[test]
fn a_sum_without_answers_is_a_sum_and_no_answer() {
    let home = Home::new();
    let id = "3f6d0a52-9d1e-4c0b-8a77-51c2b0d4e9aa";
    let saved = |total: u64| {
        let metadata = json!({"id": id, "title": "VAT", "created_at": "2026-09-21T14:13:20Z",
            "updated_at": "2026-09-21T14:13:29Z", "message_count": 1, "total_tokens": total,
            "model": "deepseek-x", "model_provider": "deepseek", "workspace": "/home/ana/shop"});
        let text = json!([{"type": "text", "text": "hi"}]);
        json!({"schema_version": 1, "metadata": metadata, "system_prompt": null,
            "messages": [{"role": "user", "content": text}]})
        .to_string()
    };
    home.write(&format!(".codewhale/sessions/{id}.json"), &saved(7577));
    let usage = home.usage();
    assert_eq!(parts(&usage), BTreeMap::from([(Part::Whole, (1, 7577))]));
    let sum = sums(usage.spent(), |_| String::new()).into_values().next().expect("a sum");
    assert_eq!((sum.answers, sum.wholes, sum.tokens.unsplit), (0, 1, Some(7577)));
    assert_eq!((sum.tokens.output, sum.recorded), (None, None));
    // An earlier state elsewhere is contained in the later one.
    home.write(&format!("copy/{id}.json"), &saved(7000));
    assert_eq!(total(&home.usage()), 7577);
}

/// If a session's answers are recorded, its sum in a copy of one of its files repeats them.
#[test]
fn a_sum_in_a_copy_repeats_the_answers() {
    let home = Home::new();
    let id = "3f6d0a52-9d1e-4c0b-8a77-51c2b0d4e9aa";
    let sample = samples::format("codewhale").join("samples/joined");
    let state = ".codewhale/tasks/runtime";
    let saved = format!(".codewhale/sessions/{id}.json");
    let parts = ["threads/thr_5a1b9c3d", "turns/turn_77aa01bc"];
    for file in parts.iter().map(|part| format!("{state}/{part}.json")).chain([saved.clone()]) {
        home.write(&file, &std::fs::read_to_string(sample.join(&file)).expect("a sample"));
    }
    let before = total(&home.usage());
    assert!(before > 0);
    for copy in ["copy/saved.json".to_owned(), format!("other/{id}.json")] {
        home.write(&copy, &std::fs::read_to_string(sample.join(&saved)).expect("a sample"));
        assert_eq!(total(&home.usage()), before, "{copy}");
    }
}

/// All numbers of real files, found by another parser, are counted or excluded with a reason.
#[test]
fn real_numbers_add_up() {
    let Some(corpus) = samples::corpus() else { return };
    let usage = counted(&corpus.join("claude-code"));
    let (counts, out) = (total(&usage), Totals::of(&usage, usage.spent()).left_out);
    let whole = counts + out.values().map(|(_, tokens)| tokens).sum::<u64>();
    let mut told = 0;
    let mut files: Vec<_> = usage.spent().map(|spent| spent.path.to_owned()).collect();
    files.sort();
    files.dedup();
    for file in &files {
        let bytes = std::fs::read(file).expect("a file");
        // A line may have several values, glued together.
        for line in bytes.split(|&byte| byte == b'\n') {
            let values = serde_json::Deserializer::from_slice(line).into_iter::<Value>();
            told += values.map_while(Result::ok).map(|value| all_told(&value)).sum::<u64>();
        }
    }
    assert!(files.len() > 20, "{}", files.len());
    assert_eq!(whole, told, "counted {counts}, left out {out:?}");
    let parts = parts(&usage);
    assert_eq!(parts.values().map(|(_, tokens)| tokens).sum::<u64>(), counts);
    for part in [Part::Main, Part::SubAgent, Part::Advisor] {
        assert!(parts.contains_key(&part), "{parts:?}");
    }
}

/// The tokens that a line reports: its own, the advisors', and those of a sub-agent's message.
fn all_told(line: &Value) -> u64 {
    let counters = |usage: &Value| -> u64 {
        let names = [
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        ];
        names.iter().filter_map(|name| usage[name].as_u64()).sum()
    };
    let of = |usage: &Value| {
        let rounds = usage["iterations"].as_array().into_iter().flatten();
        let advice = rounds.filter(|round| round["type"] == "advisor_message");
        counters(usage) + advice.map(counters).sum::<u64>()
    };
    of(&line["message"]["usage"]) + of(&line["data"]["message"]["message"]["usage"])
}
