//! Tokens count once: over lines of one answer, forks, resumed files, sub-agents' copies and
//! running totals. The sums of the real files equal the agents' own reports.

use std::collections::BTreeMap;
use std::path::Path;

use catalog::{Root, Source, scan};
use operations::usage::{Counted, Usage, sums, usage};
use serde_json::Value;

fn spent(root: &Path) -> Usage {
    let found = scan(verbatim_formats::ALL, &[Root::named(root)]);
    usage(&found)
}

/// The tokens of one source.
fn of_one(source: &Source) -> u64 {
    total(&usage(&source.clone().into()))
}

fn total(usage: &Usage) -> u64 {
    sums(usage.spent(), |_| String::new()).values().map(|sum| sum.tokens.total()).sum()
}

/// One line of an answer: `line` is its uuid, `answer` names it, `out` is the output so far.
fn answer(session: &str, line: u32, request: u32, name: &str, out: u32, more: &str) -> String {
    format!(
        concat!(
            r#"{{"type":"assistant","uuid":"00000000-0000-4000-8000-{line:012}","#,
            r#""parentUuid":null,"#,
            r#""sessionId":"{session}","timestamp":"2026-08-02T09:14:{line:02}.000Z",{more}"#,
            r#""requestId":"req_{request}","message":{{"id":"{name}","type":"message","#,
            r#""role":"assistant","model":"claude-x-1","content":[{{"type":"text","text":"a"}}],"#,
            r#""usage":{{"input_tokens":10,"cache_creation_input_tokens":100,"#,
            r#""cache_read_input_tokens":1000,"output_tokens":{out}}}}}}}"#,
            "\n"
        ),
        session = session,
        line = line,
        request = request,
        name = name,
        out = out,
        more = more,
    )
}

#[test]
fn each_answer_is_counted_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        let path = folder.path().join("projects/-home-ana-shop").join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    let [main, fork, resumed] = [
        "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e10",
        "6a2e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11",
        "7b3e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e12",
    ];
    // A streamed answer over three lines: the output grows, the rest repeats.
    let streamed = |session| {
        answer(session, 1, 1, "msg_a", 3, "")
            + &answer(session, 2, 1, "msg_a", 90, "")
            + &answer(session, 3, 1, "msg_a", 90, "")
    };
    let second = |session| answer(session, 4, 2, "msg_b", 50, "");
    write(&format!("{main}.jsonl"), streamed(main) + &second(main));
    // A fork that copies both answers and adds one.
    let added = answer(fork, 5, 3, "msg_c", 7, "");
    write(&format!("{fork}.jsonl"), streamed(fork) + &second(fork) + &added);
    // A resumed file that copies the fork and adds one.
    let resumed_more = answer(resumed, 6, 4, "msg_d", 1, "");
    let copied = streamed(resumed) + &second(resumed) + &answer(resumed, 5, 3, "msg_c", 7, "");
    write(&format!("{resumed}.jsonl"), copied + &resumed_more);
    // A sub-agent that replays an answer of its parent under a new request, and adds its own.
    let side = r#""isSidechain":true,"agentId":"a91f3c","#;
    let replay = answer(main, 7, 9, "msg_b", 50, side) + &answer(main, 8, 10, "msg_e", 4, side);
    write(&format!("{main}/subagents/agent-a91f3c.jsonl"), replay);

    let spent = spent(folder.path());
    let answers = 5 * (10 + 100 + 1000);
    assert_eq!(total(&spent), answers + 90 + 50 + 7 + 1 + 4);
    assert_eq!(spent.spent().filter(|spent| spent.counted == Counted::Yes).count(), 5);
    // Each ignored answer says what it repeats, and each place is a line of a file.
    for spent in spent.spent() {
        let text = std::fs::read_to_string(spent.path).expect("the file is there");
        assert_eq!(text[..spent.byte as usize].matches('\n').count() + 1, spent.line as usize);
        assert!(spent.counted == Counted::Yes || matches!(spent.counted, Counted::Repeats(..)));
    }
}

/// A running total, repeated lines of it, and a second count that starts again.
#[test]
fn running_totals_are_counted_by_what_they_grow() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = "0198f2aa-1c2d-7e3f-8a4b-5c6d7e8f9012";
    let mut text = format!(
        concat!(
            r#"{{"timestamp":"2026-07-30T08:01:02.003Z","type":"session_meta","payload":"#,
            r#"{{"id":"{}","timestamp":"2026-07-30T08:01:01.950Z","cwd":"/home/ana/shop","#,
            r#""originator":"codex-tui","cli_version":"0.146.0","source":"cli","#,
            r#""model_provider":"openai"}}}}"#,
            "\n"
        ),
        id
    );
    let total_line = |second: u32, input: u32, cached: u32, output: u32, last: u32| {
        format!(
            concat!(
                r#"{{"timestamp":"2026-07-30T08:02:{second:02}.000Z","type":"event_msg","#,
                r#""payload":{{"type":"token_count","info":{{"total_token_usage":"#,
                r#"{{"input_tokens":{input},"cached_input_tokens":{cached},"#,
                r#""output_tokens":{output},"reasoning_output_tokens":0,"#,
                r#""total_tokens":{total}}},"last_token_usage":"#,
                r#"{{"input_tokens":{last},"cached_input_tokens":0,"output_tokens":{output},"#,
                r#""reasoning_output_tokens":0,"total_tokens":{last}}}}},"rate_limits":null}}}}"#,
                "\n"
            ),
            second = second,
            input = input,
            cached = cached,
            output = output,
            total = input + output,
            last = last,
        )
    };
    text += &total_line(1, 900, 700, 20, 900);
    text += &total_line(2, 900, 700, 20, 900);
    text += &total_line(3, 2000, 1500, 50, 1100);
    let name = format!("sessions/2026/07/30/rollout-2026-07-30T10-01-02-{id}.jsonl");
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, text).expect("a file");
    let spent = spent(folder.path());
    assert_eq!(total(&spent), 2050);
    let verdicts: Vec<_> = spent.spent().map(|spent| spent.counted).collect();
    assert_eq!(verdicts, [Counted::Yes, Counted::Standing("echo"), Counted::Yes]);
}

/// A fork of a thread that is not there: what it copied counts once, also where the thread
/// repeated an unchanged total in the same moment.
#[test]
fn an_unchanged_total_takes_no_answer_away() {
    let [parent, fork] =
        ["0198f2aa-0000-7e3f-8a4b-5c6d7e8f9012", "0198f2bb-0000-7e3f-8a4b-5c6d7e8f9012"];
    let header = |id: &str, more: &str| {
        format!(
            concat!(
                r#"{{"timestamp":"2026-07-30T08:20:00.000Z","type":"session_meta","payload":"#,
                r#"{{"id":"{}","timestamp":"2026-07-30T08:20:00.000Z","cwd":"/home/ana/shop","#,
                r#""originator":"codex-tui","cli_version":"0.146.0","source":"cli"{}}}}}"#,
                "\n"
            ),
            id, more
        )
    };
    let count = |millis: u32, total: u32, last: u32| {
        let tokens = |number: u32| {
            format!(
                concat!(
                    r#"{{"input_tokens":{},"cached_input_tokens":0,"output_tokens":0,"#,
                    r#""reasoning_output_tokens":0,"total_tokens":{}}}"#
                ),
                number, number
            )
        };
        format!(
            concat!(
                r#"{{"timestamp":"2026-07-30T08:20:00.{:03}Z","type":"event_msg","payload":"#,
                r#"{{"type":"token_count","info":{{"total_token_usage":{},"#,
                r#""last_token_usage":{}}},"rate_limits":null}}}}"#,
                "\n"
            ),
            millis,
            tokens(total),
            tokens(last)
        )
    };
    let text = header(fork, &format!(r#","forked_from_id":"{parent}""#))
        + &header(parent, "")
        + &count(1, 900, 900)
        + &count(1, 900, 900)
        + &count(2, 2000, 1100);
    let folder = tempfile::tempdir().expect("a folder");
    let name = format!("sessions/2026/07/30/rollout-2026-07-30T08-20-00-{fork}.jsonl");
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, text).expect("a file");
    let spent = spent(folder.path());
    assert_eq!(total(&spent), 2000);
    let verdicts: Vec<_> = spent.spent().map(|spent| spent.counted).collect();
    assert_eq!(verdicts, [Counted::Yes, Counted::NothingNew, Counted::Yes]);
}

/// The real files: the sum of each session equals its own agent's report.
#[test]
fn real_totals_are_what_the_agent_reported() {
    let Some(corpus) = samples::corpus() else { return };
    let mut compared = [0; 2];
    let mut wrong = Vec::new();
    for source in scan(verbatim_formats::ALL, &[Root::named(&corpus)]).sources {
        let [file] = source.files.as_slice() else { continue };
        let values = values(&file.path);
        let (kind, reported) = match source.format.name() {
            "codex" => (0, running_total(&values)),
            "gemini" => (1, message_totals(&values)),
            _ => continue,
        };
        let Some(reported) = reported else { continue };
        let counted = of_one(&source);
        compared[kind] += 1;
        if counted != reported {
            wrong.push(format!("{}: {counted}, reported {reported}", file.path.display()));
        }
    }
    assert!(compared[0] > 50 && compared[1] > 3, "sessions that report a total: {compared:?}");
    assert!(wrong.is_empty(), "{} of {compared:?}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The sum of the steps of all answers, each step once: in dumps, trees and databases.
#[test]
fn real_steps_add_up() {
    let Some(corpus) = samples::corpus() else { return };
    let mut compared = 0;
    let mut wrong = Vec::new();
    for source in scan(verbatim_formats::ALL, &[Root::named(corpus.join("opencode"))]).sources {
        let mut steps = BTreeMap::new();
        for member in catalog::bundle(&source).0.members {
            let values = serde_json::Deserializer::from_slice(member.bytes()).into_iter::<Value>();
            values.flatten().for_each(|value| step_totals(&value, None, &mut steps));
        }
        let counted = of_one(&source);
        if !steps.is_empty() {
            compared += 1;
            let reported: u64 = steps.values().sum();
            if counted != reported {
                wrong.push(format!("{}: {counted}, reported {reported}", source.group));
            }
        }
    }
    assert!(compared > 3, "sessions that report steps: {compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The totals of the steps in a value, by the id of the part or of its row.
fn step_totals(value: &Value, row: Option<&str>, steps: &mut BTreeMap<String, u64>) {
    let id = value["id"].as_str().or(row);
    if value["type"] == "step-finish"
        && let Some(tokens) = value["tokens"].as_object()
    {
        let cache = ["/cache/read", "/cache/write"].map(|at| value["tokens"].pointer(at));
        let all = [tokens.get("input"), tokens.get("output")].into_iter().chain(cache);
        let total = all.flatten().filter_map(Value::as_u64).sum();
        let total = tokens.get("total").and_then(Value::as_u64).unwrap_or(total);
        steps.insert(id.map_or_else(|| value.to_string(), str::to_owned), total);
    }
    let array = value.as_array().into_iter().flatten();
    let object = value.as_object().into_iter().flat_map(serde_json::Map::values);
    array.chain(object).for_each(|inner| step_totals(inner, id, steps));
}

/// The JSON values of a file, by an independent parser.
fn values(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(value) => vec![value],
        Err(_) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    }
}

/// The last running total, input and output. If it falls, counting starts again.
fn running_total(values: &[Value]) -> Option<u64> {
    let totals = values.iter().filter_map(|line| {
        let total = line.pointer("/payload/info/total_token_usage")?;
        Some(total["input_tokens"].as_u64()? + total["output_tokens"].as_u64()?)
    });
    let totals: Vec<u64> = totals.collect();
    let peaks = totals.windows(2).filter(|pair| pair[1] < pair[0]).map(|pair| pair[0]);
    Some(peaks.sum::<u64>() + totals.last()?)
}

/// The totals of all messages, each in its last state.
fn message_totals(values: &[Value]) -> Option<u64> {
    let mut totals = BTreeMap::new();
    for value in values {
        let list = value["messages"].as_array().or(value["$set"]["messages"].as_array());
        for message in list.into_iter().flatten().chain([value]) {
            if let (Some(id), Some(total)) =
                (message["id"].as_str(), message["tokens"]["total"].as_u64())
            {
                totals.insert(id.to_owned(), total);
            }
        }
    }
    (!totals.is_empty()).then(|| totals.values().sum())
}
