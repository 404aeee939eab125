//! Standings, on trees made for each rule at the head of `standing.rs`.

use std::sync::Arc;

use session::{Bundle, Member, NO_EVENT, Session, Slot, Stream};

use super::super::ClaudeCode;
use crate::format::Format;

const OWN: &str = "00000000-0000-4000-8000-000000000001";
const OTHER: &str = "00000000-0000-4000-8000-000000000002";

/// A line with an id and a parent (`-`: none).
fn line(kind: &str, id: &str, parent: &str, more: &str) -> String {
    let parent = if parent == "-" { "null".to_owned() } else { format!("{parent:?}") };
    let session = if more.contains("sessionId") { "" } else { r#","sessionId":"$own""# };
    let line = format!(r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent}{session}{more}}}"#);
    line.replace("$own", OWN).replace("$other", OTHER)
}

fn prompt(id: &str, parent: &str) -> String {
    line("user", id, parent, &format!(r#","message":{{"role":"user","content":"do {id}"}}"#))
}

/// A line of the answer `message`.
fn answer(id: &str, parent: &str, message: &str) -> String {
    let content = r#"[{"type":"text","text":"done"}]"#;
    let message = format!(r#"{{"id":"{message}","role":"assistant","content":{content}}}"#);
    line("assistant", id, parent, &format!(r#","requestId":"req","message":{message}"#))
}

fn result(id: &str, parent: &str) -> String {
    let content = r#"[{"type":"tool_result","tool_use_id":"t","content":"ok"}]"#;
    line("user", id, parent, &format!(r#","message":{{"role":"user","content":{content}}}"#))
}

fn progress(id: &str, parent: &str) -> String {
    line("progress", id, parent, r#","data":{"type":"bash_progress"}"#)
}

fn boundary(id: &str, link: &str, metadata: &str) -> String {
    let more = format!(
        r#","subtype":"compact_boundary","logicalParentUuid":"{link}","compactMetadata":{metadata}"#
    );
    line("system", id, "-", &more)
}

fn summary(id: &str, parent: &str) -> String {
    let message = r#","isCompactSummary":true,"message":{"role":"user","content":"In short: x"}"#;
    line("user", id, parent, message)
}

fn read(members: &[(&str, Stream, &[String])]) -> Session {
    let member = |(name, stream, lines): &(&str, Stream, &[String])| {
        Member::new(*name, stream.clone(), lines.join("\n").into_bytes()).expect("a member")
    };
    let members = members.iter().map(member).collect();
    ClaudeCode.read(Arc::new(Bundle { members })).remove(0)
}

/// Every line that is not live, with its standing. Children must have the standing of their line.
fn not_live(session: &Session) -> String {
    let mut found = Vec::new();
    let mut line = session::Standing::Live;
    for event in session.events() {
        if event.parent != NO_EVENT {
            assert_eq!(event.standing(), line, "a block stands as its line");
            continue;
        }
        line = event.standing();
        if line != session::Standing::Live {
            found.push(format!("{} {}", event.text(Slot::Id).unwrap_or_default(), line.word()));
        }
    }
    found.join(", ")
}

fn main(lines: &[String]) -> String {
    not_live(&read(&[(&format!("{OWN}.jsonl"), Stream::Main, lines)]))
}

#[test]
fn results_of_parallel_calls_and_all_lines_of_an_answer_stay() {
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        answer("a2", "a1", "m1"),
        progress("p1", "a1"),
        result("r1", "a1"),
        answer("a3", "a1", "m1"),
        result("r2", "a2"),
        answer("a4", "r2", "m2"),
        line("attachment", "h1", "a4", r#","attachment":{"type":"hook_success"}"#),
    ];
    assert_eq!(main(&lines), "");
}

#[test]
fn an_edited_prompt_leaves_its_branch() {
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        prompt("u2", "a1"),
        answer("a2", "u2", "m2"),
        result("r2", "a2"),
        progress("p2", "r2"),
        prompt("u3", "a1"),
        answer("a3", "u3", "m3"),
    ];
    let left = "u2 other-branch, a2 other-branch, r2 other-branch, p2 other-branch";
    assert_eq!(main(&lines), left);
}

#[test]
fn an_edited_command_leaves_its_branch() {
    let command = |id: &str, arguments: &str| {
        let content = format!("<command-message>tidy</command-message>\\n{arguments}");
        let message = format!(r#","message":{{"role":"user","content":"{content}"}}"#);
        line("user", id, "a1", &message)
    };
    let skill = r#","isMeta":true,"message":{"role":"user","content":"Tidy the shelves."}"#;
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        command("u2", ""),
        line("user", "s2", "u2", skill),
        line("attachment", "h2", "s2", r#","attachment":{"type":"skill_listing"}"#),
        command("u3", "<command-args>all</command-args>"),
        line("user", "s3", "u3", skill),
        answer("a3", "s3", "m3"),
    ];
    assert_eq!(main(&lines), "u2 other-branch, s2 other-branch, h2 other-branch");
}

#[test]
fn an_answer_that_was_tried_again_is_another_branch() {
    let lines = [prompt("u1", "-"), answer("a1", "u1", "m1"), answer("a2", "u1", "m2")];
    assert_eq!(main(&lines), "a1 other-branch");
}

#[test]
fn the_first_prompt_edited_leaves_the_first_tree() {
    let first = [prompt("u1", "-"), answer("a1", "u1", "m1")];
    let second = [prompt("u2", "-"), answer("a2", "u2", "m2")];
    let both = [&first[..], &second[..]].concat();
    assert_eq!(main(&both), "u1 other-branch, a1 other-branch");
}

#[test]
fn a_cleared_context_was_conversation() {
    let plan = r#","planContent":"1. x","message":{"role":"user","content":"Implement: 1. x"}"#;
    let first = [prompt("u1", "-"), answer("a1", "u1", "m1")];
    let by_plan = [line("user", "u2", "-", plan), answer("a2", "u2", "m2")];
    assert_eq!(main(&[&first[..], &by_plan[..]].concat()), "u1 compacted, a1 compacted");
    let by_hook = [progress("h1", "-"), prompt("u2", "h1"), answer("a2", "u2", "m2")];
    assert_eq!(main(&[&first[..], &by_hook[..]].concat()), "u1 compacted, a1 compacted");
}

#[test]
fn what_a_compaction_summed_up_is_compacted_but_for_what_it_left() {
    let before = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        result("r1", "a1"),
        prompt("u2", "a1"),
        answer("a2", "u2", "m2"),
        answer("a3", "a2", "m2"),
        // The command that started it, off the path.
        line("user", "c", "a3", r#","message":{"role":"user","content":"/compact"}"#),
    ];
    let after = [summary("s", "b"), prompt("u3", "s"), answer("a4", "u3", "m4")];
    let with = |metadata: &str| {
        main(&[&before[..], &[boundary("b", "a3", metadata)], &after[..]].concat())
    };
    let all = "u1 compacted, a1 compacted, r1 compacted, u2 compacted";
    assert_eq!(with("{}"), format!("{all}, a2 compacted, a3 compacted, c compacted"));
    let segment = r#"{"preservedSegment":{"headUuid":"a2","anchorUuid":"s","tailUuid":"a3"}}"#;
    // The command is not among what it left.
    let all = format!("{all}, c compacted");
    assert_eq!(with(segment), all);
    assert_eq!(with(r#"{"preservedMessages":{"anchorUuid":"s","uuids":["a2","a3"]}}"#), all);
    assert_eq!(with(r#"{"preservedMessages":{"allUuids":["a2","a3","gone"]}}"#), all);
}

#[test]
fn a_second_compaction_takes_what_the_first_left() {
    let lines = [
        prompt("u1", "-"),
        boundary("b1", "u1", r#"{"preservedMessages":{"uuids":["u1"]}}"#),
        summary("s1", "b1"),
        answer("a1", "s1", "m1"),
        boundary("b2", "a1", "{}"),
        summary("s2", "b2"),
    ];
    let all = "u1 compacted, b1 compacted, s1 compacted, a1 compacted";
    assert_eq!(main(&lines), all);
}

#[test]
fn a_boundary_or_a_line_whose_predecessor_is_gone_follows_the_message_before_it() {
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        // The progress line that is this one's parent was removed from the file.
        prompt("u2", "removed"),
        boundary("b", "removed-too", "{}"),
        summary("s", "b"),
    ];
    assert_eq!(main(&lines), "u1 compacted, a1 compacted, u2 compacted");
    let old = [prompt("u1", "-"), answer("a1", "u1", "m1"), summary("s", "-"), prompt("u2", "s")];
    assert_eq!(main(&old), "u1 compacted, a1 compacted");
}

#[test]
fn files_without_a_chain_are_one() {
    let absent = |id: &str| prompt(id, "-").replace(r#""parentUuid":null,"#, "");
    assert_eq!(main(&[absent("u1"), absent("u2"), absent("u3")]), "");
    assert_eq!(main(&[prompt("u1", "-"), answer("a1", "-", "m1"), prompt("u2", "-")]), "");
}

#[test]
fn the_last_word_on_the_active_end_counts() {
    let tree = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        prompt("u2", "a1"),
        answer("a2", "u2", "m2"),
        prompt("u3", "a1"),
        answer("a3", "u3", "m3"),
    ];
    let with = |word: &str| {
        let word = word.replace("$own", OWN);
        main(&[&tree[..], &[word]].concat())
    };
    let (left, right) = ("u2 other-branch, a2 other-branch", "u3 other-branch, a3 other-branch");
    assert_eq!(with(""), left);
    assert_eq!(with(r#"{"type":"last-prompt","leafUuid":"a2","sessionId":"$own"}"#), right);
    // Not a leaf: the conversation continued after it.
    assert_eq!(with(r#"{"type":"last-prompt","leafUuid":"a1","sessionId":"$own"}"#), left);
    assert_eq!(with(r#"{"type":"last-prompt","leafUuid":"gone","sessionId":"$own"}"#), left);
    let rewound = with(r#"{"type":"rewind-pointer","leafUuid":"a1","sessionId":"$own"}"#);
    assert_eq!(rewound, format!("{left}, {right}").replace("other-branch", "rewound"));
    let newer = r#"{"type":"last-prompt","leafUuid":"a1","explicit":true,"rewound":true}"#;
    assert_eq!(with(newer), rewound);
    assert_eq!(with(&newer.replace("true}", "false}")), left);
    let early = [r#"{"type":"last-prompt","leafUuid":"u1"}"#.to_owned()];
    assert_eq!(main(&[&early[..], &tree[..]].concat()), left);
}

#[test]
fn side_chains_and_agents_are_trees_of_their_own() {
    let side = |line: String| line.replacen("{", r#"{"isSidechain":true,"#, 1);
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        side(prompt("x1", "-")),
        side(answer("y1", "x1", "n1")),
        side(prompt("x2", "a1")),
        side(answer("y2", "x2", "n2")),
        side(answer("y3", "x2", "n3")),
        result("r1", "a1"),
        answer("a2", "r1", "m2"),
    ];
    assert_eq!(main(&lines), "y2 other-branch");
    let agent = [prompt("u1", "-"), side(prompt("z1", "u1")), side(answer("z2", "z1", "k"))];
    let name = format!("{OWN}.jsonl");
    let sub = Stream::Sub("agent-1".to_owned());
    let session = read(&[(&name, Stream::Main, &lines), ("agent-1.jsonl", sub, &agent)]);
    assert_eq!(not_live(&session), "y2 other-branch, u1 copied");
}

#[test]
fn a_later_line_with_the_same_id_takes_the_place_of_the_earlier() {
    let old = prompt("u1", "-").replace("do u1", "old");
    let lines = [old, answer("a1", "u1", "m1"), prompt("u1", "-"), answer("a2", "a1", "m2")];
    let session = read(&[(&format!("{OWN}.jsonl"), Stream::Main, &lines)]);
    assert_eq!(not_live(&session), "u1 superseded");
    assert_eq!(session.event(0).standing(), session::Standing::Superseded);
}

#[test]
fn of_two_files_the_newer_one_counts_in_either_order() {
    let at = |line: &str, time: &str| line.replacen('{', &format!(r#"{{"timestamp":"{time}","#), 1);
    let old = [at(&prompt("u1", "-"), "2026-01-01T00:00:00Z")];
    let new = [old[0].clone(), at(&answer("a1", "u1", "m1"), "2026-01-02T00:00:00Z")];
    let (name, version) = (format!("{OWN}.jsonl"), format!("{OWN}.v-2.jsonl"));
    for (first, second, place) in [(&old[..], &new[..], 0), (&new[..], &old[..], 2)] {
        let session = read(&[(&name, Stream::Main, first), (&version, Stream::Main, second)]);
        assert_eq!(not_live(&session), "u1 superseded");
        assert_eq!(session.event(place).standing(), session::Standing::Superseded);
    }
}

#[test]
fn a_fork_begins_with_copies() {
    let foreign = |line: &str| line.replace(OWN, OTHER);
    let lines = [
        foreign(&prompt("u1", "-")),
        foreign(&answer("a1", "u1", "m1")),
        prompt("u2", "a1"),
        // Another session's id after the session's own first line is not a copy.
        foreign(&answer("a2", "u2", "m2")),
    ];
    assert_eq!(main(&lines), "u1 copied, a1 copied");
    let from =
        r#","forkedFrom":{"sessionId":"$other","messageUuid":"x"},"message":{"content":"a"}"#;
    assert_eq!(main(&[line("user", "u1", "-", from), prompt("u2", "u1")]), "u1 copied");
}

#[test]
fn what_is_retracted_or_replaced_says_so() {
    let lines = [
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        answer("a2", "a1", "m1"),
        line("assistant", "a3", "u1", r#","supersedesUuids":["a1"],"message":{"id":"m3"}"#),
        line("system", "s", "a3", r#","subtype":"api_refusal","retractedMessageUuids":["a2"]"#),
    ];
    assert_eq!(main(&lines), "a1 superseded, a2 rewound");
}

#[test]
fn circles_end() {
    let own = [prompt("u1", "u1"), answer("a1", "u1", "m1")];
    assert_eq!(main(&own), "");
    let two = [prompt("u1", "a1"), answer("a1", "u1", "m1")];
    assert_eq!(main(&two), "");
    let beside = [
        progress("p1", "p2"),
        progress("p2", "p1"),
        prompt("u1", "-"),
        answer("a1", "u1", "m1"),
        answer("x1", "x2", "n1"),
        answer("x2", "x1", "n2"),
        prompt("u2", "a1"),
    ];
    assert_eq!(main(&beside), "x1 other-branch, x2 other-branch");
    let preserved = [
        prompt("u1", "s"),
        boundary("b", "u1", r#"{"preservedSegment":{"headUuid":"z","tailUuid":"u1"}}"#),
        summary("s", "b"),
    ];
    let _ = main(&preserved);
}

/// Trees that cost a careless walk more than linear time: many leaves on one long branch, long
/// stretches of progress, many cycles. Quadratic time would take minutes.
#[test]
fn hostile_trees_cost_linear_time() {
    let count = 20_000;
    let mut lines = vec![prompt("u0", "-")];
    for number in 0..count {
        lines.push(progress(
            &format!("p{number}"),
            &match number {
                0 => "u0".to_owned(),
                _ => format!("p{}", number - 1),
            },
        ));
    }
    for number in 0..count {
        let side = answer(&format!("a{number}"), &format!("p{}", count - 1), "m");
        lines.push(side.replacen('{', r#"{"isSidechain":true,"#, 1));
        lines.push(answer(
            &format!("b{number}"),
            &format!("p{}", count - 1),
            &format!("n{number}"),
        ));
    }
    let left = main(&lines);
    assert_eq!(left.matches("other-branch").count(), count - 1);
}
