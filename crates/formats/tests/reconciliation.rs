//! Reconciliation: the counters that each agent's files tell, by another parser and the agent's own
//! rule, are those that verbatim counts or leaves out with a reason.

use std::collections::BTreeMap;

use catalog::{Found, Root, Source, bundle, scan};
use meaning::usage::Part;
use operations::usage::{Counted, usage};
use serde_json::Value;
use verbatim_formats::{stead, vac};

fn sum(value: &Value, names: &[&str]) -> u64 {
    names.iter().filter_map(|name| value[name].as_u64()).sum()
}

/// Calls `see` with each object below a value, and the name that it is under. Texts that are JSON
/// are entered.
fn objects(name: &str, value: &Value, see: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            see(name, value);
            members.iter().for_each(|(name, value)| objects(name, value, see));
        }
        Value::Array(elements) => elements.iter().for_each(|value| objects(name, value, see)),
        Value::String(text) if text.starts_with('{') => {
            if let Ok(value) = serde_json::from_str(text) {
                objects(name, &value, see);
            }
        }
        _ => {}
    }
}

/// Codex: the running total says what an answer cost; if it fell or is missing, the line itself.
/// The first total of a file that continues another, or of another one's sub-agent, includes that
/// one's.
#[derive(Default)]
struct Totals {
    before: Option<Value>,
    continues: bool,
}

impl Totals {
    fn step(&mut self, info: &Value) -> u64 {
        const NAMES: [&str; 2] = ["input_tokens", "output_tokens"];
        let (total, last) = (&info["total_token_usage"], &info["last_token_usage"]);
        if total.is_null() {
            return sum(if last.is_null() { info } else { last }, &NAMES);
        }
        let first = self.before.is_none() && self.continues && !last.is_null();
        let before = self.before.replace(total.clone()).unwrap_or_default();
        let fell = ["input_tokens", "cached_input_tokens", "output_tokens"]
            .iter()
            .any(|name| total[name].as_u64() < before[name].as_u64());
        if first || fell { sum(last, &NAMES) } else { sum(total, &NAMES) - sum(&before, &NAMES) }
    }
}

/// OpenCode: reasoning is a part of the output, unless the total or the generation says otherwise.
fn of_message(message: &Value) -> u64 {
    let tokens = &message["tokens"];
    // The counters of the session as a whole are the sum of the others.
    if !tokens.is_object() || !message["projectID"].is_null() {
        return 0;
    }
    let is_second = message["model"].is_object();
    let plain = sum(tokens, &["input", "output"]) + sum(&tokens["cache"], &["read", "write"]);
    let reasoning = sum(tokens, &["reasoning"]);
    let is_impossible = reasoning > sum(tokens, &["output"]);
    let is_beside = match tokens["total"].as_u64() {
        _ if is_impossible => true,
        Some(total) if total == plain => false,
        Some(total) if total == plain + reasoning => true,
        _ => is_second,
    };
    plain + if is_beside { reasoning } else { 0 }
}

/// Thoughts are a part of the output. Where they are more than it, they are beside it.
fn of_pi(usage: &Value) -> u64 {
    let (output, reasoning) = (sum(usage, &["output"]), sum(usage, &["reasoning"]));
    let beside = if reasoning > output { reasoning } else { 0 };
    beside + sum(usage, &["input", "output", "cacheRead", "cacheWrite"])
}

/// The tokens that the values of a file tell, by the rule of their agent.
fn told(format: &str, values: &[Value]) -> u64 {
    if format == "copilot" {
        return copilot(values);
    }
    let (mut told, mut totals) = (0, Totals::default());
    for value in values {
        objects("", value, &mut |name, object| {
            let thread = ["forked_from_id", "parent_thread_id"];
            totals.continues |=
                name == "history_base" || thread.iter().any(|name| object[*name].is_string());
            told += match (format, name) {
                ("codex", "info") => totals.step(object),
                ("codex", "payload") if object["type"] == "token_count" => {
                    sum(object, &["input_tokens", "output_tokens"])
                }
                ("codex" | "codewhale", "usage") => sum(object, &["input_tokens", "output_tokens"]),
                ("gemini", "tokens") => sum(object, &["input", "output", "thoughts", "tool"]),
                ("opencode", _) => of_message(object),
                ("pi" | "openclaw" | "oh-my-pi", "usage") => of_pi(object),
                ("cursor", "tokenCount") => sum(object, &["inputTokens", "outputTokens"]),
                ("sage", "usage") => sum(
                    object,
                    &[
                        "input_tokens",
                        "output_tokens",
                        "cache_read_input_tokens",
                        "cache_creation_input_tokens",
                    ],
                ),
                _ => 0,
            };
        });
    }
    told
}

/// The tokens of a process of Copilot: by records, by its sums, by outputs; and its compactions.
#[derive(Default)]
struct Process {
    records: u64,
    sums: u64,
    outputs: u64,
    compactions: u64,
}

/// Records count, and behind the first one no sum of a process. Sums alone are of no answer.
fn copilot(values: &[Value]) -> u64 {
    let both = ["inputTokens", "outputTokens"];
    let (mut all, mut recorded) = (vec![Process::default()], false);
    for value in values {
        let (data, Some(last)) = (&value["data"], all.last_mut()) else { continue };
        match value["type"].as_str().unwrap_or_default() {
            "session.usage_record" => {
                last.records += sum(&data["usage"], &both);
                recorded = true;
            }
            "assistant.message" => last.outputs += sum(data, &["outputTokens"]),
            "session.compaction_complete" if data["success"] == true => {
                last.compactions += sum(&data["compactionTokensUsed"], &both);
            }
            "session.start" | "session.resume" => all.push(Process::default()),
            "session.shutdown" => {
                let models = data["modelMetrics"].as_object().into_iter().flatten();
                let sums = models.map(|(_, model)| sum(&model["usage"], &both)).sum();
                last.sums = if recorded { 0 } else { sums };
                all.push(Process::default());
            }
            _ => {}
        }
    }
    let is_known = |one: &Process| one.records == 0 && one.sums == 0 && one.outputs > 0;
    let mixed = all.iter().any(|one| is_known(one) || one.records > 0);
    let of = |one: &Process| match (one.records, one.sums) {
        (0, 0) => one.outputs + one.compactions,
        (0, sums) if mixed => sums,
        (0, _) => 0,
        (records, _) => records + one.compactions,
    };
    all.iter().map(of).sum()
}

/// The reports of answers to the screen, and the records of answers: of each agent, one of them has
/// all that the other has.
fn qwen(values: &[Value]) -> u64 {
    let mut agents: BTreeMap<&str, (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    let mut documents = 0;
    for value in values {
        objects("", value, &mut |name, object| {
            if value["messages"].is_array() && name == "tokens" {
                documents += sum(object, &["input", "output", "thoughts", "tool"]);
            }
        });
        let event = &value["systemPayload"]["uiEvent"];
        let agent = value["agentId"].as_str().or(event["subagent_id"].as_str());
        let (reports, records) = agents.entry(agent.unwrap_or_default()).or_default();
        if event["event.name"] == "qwen-code.api_response" {
            *reports += sum(event, &["input_token_count", "output_token_count"]);
        }
        let used = &value["usageMetadata"];
        if used.is_object() {
            let id = value["uuid"].as_str().unwrap_or_default();
            records.insert(id, sum(used, &["promptTokenCount", "candidatesTokenCount"]));
        }
    }
    let larger =
        |(reports, records): &(u64, BTreeMap<&str, u64>)| (*reports).max(records.values().sum());
    documents + agents.values().map(larger).sum::<u64>()
}

/// The requests on the screen of a task; without them the counters of its messages; and the answers
/// of a session, of which a file of a compaction repeats some.
fn cline(values: &[Value]) -> u64 {
    let (mut shown, mut requests, mut metrics) = (false, 0, 0);
    let mut answers: BTreeMap<String, u64> = BTreeMap::new();
    for value in values {
        objects("", value, &mut |name, object| {
            let say = object["say"].as_str().unwrap_or_default();
            shown |= object["say"].is_string() || object["ask"].is_string();
            if ["api_req_started", "deleted_api_reqs"].contains(&say) {
                let text = object["text"].as_str().unwrap_or_default();
                let told: Value = serde_json::from_str(text).unwrap_or_default();
                requests += sum(&told, &["tokensIn", "tokensOut", "cacheReads", "cacheWrites"]);
            }
            if name == "tokens" {
                metrics += sum(object, &["prompt", "completion", "cached"]);
            }
            if object["metrics"]["inputTokens"].is_u64() {
                let names = ["inputTokens", "outputTokens", "cacheWriteTokens"];
                answers.insert(object["id"].to_string(), sum(&object["metrics"], &names));
            }
        });
    }
    let task = if shown { requests } else { metrics };
    task + answers.values().sum::<u64>()
}

/// The values of a file: in sequence, or one or more a line.
fn values(bytes: &[u8]) -> Vec<Value> {
    let all = serde_json::Deserializer::from_slice(bytes).into_iter();
    if let Ok(values) = all.collect() {
        return values;
    }
    let lines = bytes.split(|&byte| byte == b'\n');
    let values =
        |line| serde_json::Deserializer::from_slice(line).into_iter().map_while(Result::ok);
    lines.flat_map(values).collect()
}

fn of_source(source: &Source) -> (u64, u64) {
    let members = bundle(source).0.members;
    let of = |values: &[Value]| told(source.format.name(), values);
    let told = match source.format.name() {
        // The log of a session tells what is in the files of its sub-agents too.
        "qwen" => {
            let all = members.iter().flat_map(|member| values(member.bytes()));
            qwen(&all.collect::<Vec<_>>())
        }
        "cline" | "roo-code" | "kilo-code" => {
            let all = members.iter().flat_map(|member| values(member.bytes()));
            cline(&all.collect::<Vec<_>>())
        }
        _ => members.iter().map(|member| of(&values(member.bytes()))).sum(),
    };
    let ours = usage(&Found { sources: vec![source.clone()], ..Found::default() });
    // Of other agents each counter is compared, whether it counts or not.
    let repeats = ["qwen", "cline"].contains(&source.format.name());
    let counts = |counted| !repeats || counted == Counted::Yes;
    let ours = ours.spent().filter(|spent| spent.part != Part::Whole && counts(spent.counted));
    (told, ours.map(|spent| spent.tokens.total()).sum())
}

#[test]
fn counters_add_up_for_every_agent() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.iter().map(Root::named).collect();
    let (mut faults, mut agents) = (Vec::new(), BTreeMap::<&str, (u64, u64)>::new());
    for source in scan(verbatim_formats::ALL, &roots).sources {
        let name = source.format.name();
        if [vac::NAME, stead::NAME, "claude-code"].contains(&name) {
            continue;
        }
        let (told, ours) = of_source(&source);
        let (sessions, tokens) = agents.entry(name).or_default();
        (*sessions, *tokens) = (*sessions + u64::from(told > 0), *tokens + told);
        if told != ours {
            faults.push(format!("{name} {:?}: told {told}, ours {ours}", source.files[0].path));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let names: Vec<&str> = agents.keys().copied().collect();
    let all = [
        "cline",
        "codewhale",
        "codex",
        "copilot",
        "cursor",
        "gemini",
        "kilo-code",
        "oh-my-pi",
        "openclaw",
        "opencode",
        "pi",
        "qwen",
        "roo-code",
        "sage",
    ];
    assert_eq!(names, all);
    assert!(agents.values().all(|(sessions, tokens)| *sessions > 0 && *tokens > 0), "{agents:?}");
    if samples::corpus().is_some() {
        assert!(agents["codex"].0 > 60 && agents["gemini"].0 > 20, "{agents:?}");
    }
}
