//! The calls and results of receipts, against the second reader and against the raw JSON of the
//! bytes that a receipt names.

use std::collections::BTreeMap;
use std::path::Path;

use receipt::{Available, Receipt, SessionTurns};
use serde_json::Value;
use session::{Session, Standing};

use super::theirs::{SecondReader, read_all};
use super::{AGENTS, files, session, shortened};

/// Calls and results.
type Counts = (u64, u64);

/// Whether the whole conversation is live, and no sub-agent's: the second reader reads only such.
fn is_plain(session: &Session) -> bool {
    let odd = |event: session::EventRef<'_>| {
        event.is_true(session::Slot::Sidechain)
            || *event.stream() != session::Stream::Main
            || event.is_true(session::Slot::CompactSummary)
            || !matches!(event.standing, Standing::Live | Standing::Echo | Standing::Superseded)
    };
    !session.events().any(odd)
}

/// Whether a file has records that only the tests of other programs have, or ends of calls that
/// are on screen only: neither the second reader nor the count by hand knows them.
fn is_odd(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    ["\"type\":\"tool_call\"", "\"function_call\":{", "\"tool_name\":", "[trimmed for"]
        .iter()
        .any(|odd| text.contains(odd))
}

/// Whether something ran before the first prompt, for a command of the person: it is in no turn.
fn runs_before(session: &Session) -> bool {
    let first = meaning::turn::turns(session).into_iter().find(|turn| turn.prompt.is_none());
    let is_call = |event: session::EventRef<'_>| {
        event.kind == session::Kind::ToolCall
            || event.children().any(|child| child.kind == session::Kind::ToolCall)
    };
    first.is_some_and(|turn| turn.events.iter().any(|at| is_call(session.event(*at))))
}

/// The receipt of each turn.
fn receipts(session: &Session) -> Vec<Receipt> {
    let turns = SessionTurns::of(session);
    (1..=turns.len()).map(|number| turns.receipt(number, true).expect("a receipt")).collect()
}

fn counts(receipt: &Receipt) -> Counts {
    let number = |count: &Available<u64>| match count {
        Available::Value(count) => *count,
        Available::No => 0,
    };
    let tools = &receipt.tool_lineage;
    (number(&tools.tool_call_count), number(&tools.tool_result_count))
}

/// The calls and results in lines of raw JSON, by the agents' own names, each id once.
fn raw(agent: &str, path: &Path, bytes: &[u8]) -> Option<Counts> {
    path.extension().filter(|ending| *ending == "jsonl")?;
    if !["claude-code", "codex"].contains(&agent) {
        return None;
    }
    let mut ids: [std::collections::BTreeSet<String>; 2] = Default::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        match agent {
            "claude-code" => {
                for block in line["message"]["content"].as_array().into_iter().flatten() {
                    match block["type"].as_str() {
                        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                            ids[0].insert(block["id"].to_string())
                        }
                        Some(kind) if kind.ends_with("tool_result") => {
                            ids[1].insert(block["tool_use_id"].to_string())
                        }
                        _ => false,
                    };
                }
            }
            "codex" => {
                // The first rollouts have no envelope.
                let payload = if line["payload"].is_object() { &line["payload"] } else { &line };
                match payload["type"].as_str() {
                    Some("function_call" | "custom_tool_call") => {
                        ids[0].insert(payload["call_id"].to_string())
                    }
                    Some("function_call_output" | "custom_tool_call_output") => {
                        ids[1].insert(payload["call_id"].to_string())
                    }
                    // The end of a tool that a script called is no result of a call.
                    Some("exec_command_end" | "patch_apply_end" | "mcp_tool_call_end")
                        if payload["call_id"]
                            .as_str()
                            .is_some_and(|id| id.starts_with("exec-")) =>
                    {
                        false
                    }
                    Some("exec_command_end" | "patch_apply_end" | "mcp_tool_call_end") => {
                        ids[1].insert(payload["call_id"].to_string())
                    }
                    // A search has no id, and other records repeat it: no count by hand.
                    Some("web_search_call" | "local_shell_call" | "tool_search_call") => {
                        return None;
                    }
                    _ => false,
                };
            }
            _ => return None,
        }
    }
    Some((ids[0].len() as u64, ids[1].len() as u64))
}

#[test]
fn the_receipts_of_real_sessions_count_what_others_count() {
    let Some(corpus) = samples::corpus() else { return };
    let Some(reader) = SecondReader::find() else { return };
    let (mut sums, mut turns) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    let mut wrong = Vec::new();
    for (agent, name) in AGENTS {
        let mut paths = Vec::new();
        files(&corpus.join(agent), &mut paths);
        for (path, theirs) in paths.iter().zip(read_all(&reader, name, &paths)) {
            let Some(session) = session(agent, path) else { continue };
            let receipts = receipts(&session);
            let place = path.strip_prefix(&corpus).unwrap_or(path).display();
            let bytes = std::fs::read(path).expect("a real file");
            if agent == "codex" && is_odd(&bytes) {
                continue;
            }
            for (at, receipt) in receipts.iter().enumerate() {
                let json = receipt.json(true).expect("JSON");
                assert_eq!(Receipt::read(json.as_bytes()).as_ref(), Ok(receipt), "{place}");
                let evidence = receipt.evidence.as_ref().expect("evidence");
                let parts = evidence
                    .ranges
                    .iter()
                    .filter_map(|range| bytes.get(range.start as usize..range.end as usize));
                let lines = parts.collect::<Vec<_>>().join(&b'\n');
                if let Some(raw) = raw(agent, path, &lines) {
                    *turns.entry(agent).or_default() += 1;
                    if raw != counts(receipt) {
                        wrong.push(format!(
                            "{place} turn {}: {:?}, raw {raw:?}",
                            at + 1,
                            counts(receipt)
                        ));
                    }
                }
            }
            let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) else { continue };
            let short = shortened(agent, path).is_some();
            if !is_plain(&session) || short || runs_before(&session) {
                continue;
            }
            let count = |kind| theirs.iter().filter(|item| item.kind == kind).count() as u64;
            let mut theirs = (count("call"), count("result"));
            let sum = receipts.iter().map(counts).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            *sums.entry(agent).or_default() += 1;
            // Of a transcript in plain text it reads no results.
            if path.extension().is_some_and(|ending| ending == "txt") {
                theirs.1 = sum.1;
            }
            if sum != theirs {
                wrong.push(format!("{place}: {sum:?}, the second reader {theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(turns.values().sum::<usize>() > 300, "{turns:?}");
    assert!(sums.values().sum::<usize>() > 100, "{sums:?}");
}
