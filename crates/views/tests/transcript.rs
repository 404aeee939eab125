//! Transcripts of all samples: a brief transcript is a part of the full one, and omitted items are
//! counted.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use catalog::Catalog;
use formats::secrets::withheld;
use meaning::turn;
use session::{Kind, Session, Slot, Stream};
use verbatim_views::transcript::{
    Body, Detail, Hidden, Item, TalkSection, Transcript, TurnSum, texts,
};

/// All sessions of all samples.
fn samples() -> Vec<Session> {
    let catalog = Catalog { formats: formats::ALL, machine: Default::default() };
    let folders = samples::formats().into_iter().map(|folder| folder.join("samples"));
    let folders: Vec<PathBuf> = folders.collect();
    let sources = catalog.find(&folders).sources;
    sources.iter().flat_map(|source| catalog.read(source).unwrap().sessions).collect()
}

fn indices(items: &[Item<'_>]) -> BTreeSet<u32> {
    items.iter().map(|item| item.event.index).collect()
}

#[test]
fn a_brief_transcript_is_a_part_of_the_whole_one() {
    let (mut left_out, mut sub_agents) = (BTreeSet::new(), 0);
    for session in samples() {
        let whole: Vec<Item<'_>> = Transcript::of(&session, Detail::Whole).collect();
        let mut items = Transcript::of(&session, Detail::Brief);
        let brief: Vec<Item<'_>> = items.by_ref().collect();
        assert!(brief.iter().all(|item| item.hidden.is_none()), "{}", session.uid());
        let (all, some) = (indices(&whole), indices(&brief));
        for missing in whole.iter().filter(|item| !some.contains(&item.event.index)) {
            let within = std::iter::successors(Some(missing.event), |event| {
                (event.parent != session::NO_EVENT).then(|| session.event(event.parent))
            });
            let left = within.into_iter().any(|event| !event.standing.is_conversation());
            assert!(missing.hidden.is_some() || left, "{}", session.uid());
        }
        // The full transcript shows a rewound result with its call, so only results differ.
        for event in some.difference(&all).map(|index| session.event(*index)) {
            assert_eq!(event.kind, Kind::ToolResult, "{}", session.uid());
        }
        let counted: u64 = items.hidden().values().sum();
        assert_eq!(counted == 0, items.hidden().is_empty());
        left_out.extend(items.hidden().keys().copied());
        let sub = |item: &&Item<'_>| matches!(item.event.stream(), Stream::Sub(_));
        sub_agents += brief.iter().filter(sub).count();
        // A turn is opened by a prompt at the top level only.
        let top = |item: &&Item<'_>| item.event.parent == session::NO_EVENT;
        let prompts = brief.iter().filter(top);
        let prompts = prompts.filter(|item| matches!(item.body, Body::Prompt(_))).count();
        let turns = turn::turns(&session).into_iter().filter(|turn| turn.prompt.is_some());
        assert_eq!(prompts, turns.count(), "{}", session.uid());
    }
    assert!(sub_agents > 10, "{sub_agents}");
    for hidden in [Hidden::Echo, Hidden::Injected, Hidden::Notice, Hidden::Rewound] {
        assert!(left_out.contains(&hidden), "no sample has {hidden:?}: {left_out:?}");
    }
}

/// The parts of an item that a form draws.
fn drawn(item: &Item<'_>) -> String {
    let call = match &item.body {
        Body::Call(call) => format!("{:?} {:?} {} {:?}", call.files, call.agent, call.starts, {
            call.answered.as_ref().map(|answered| (answered.event.index, &answered.brief))
        }),
        Body::Result { files, .. } => format!("{files:?}"),
        _ => String::new(),
    };
    format!("{} {} {} {:?} {call}", item.event.index, item.turn, item.depth, item.hidden)
}

#[test]
fn turns_that_are_made_alone_are_those_of_the_whole_session() {
    let mut compared = 0;
    for session in samples() {
        let mut items =
            Transcript::of(&session, Detail::Brief).with_changes().with_spending(&|_| None);
        let all: Vec<Item<'_>> = items.by_ref().collect();
        let sums = TurnSum::all(&session, None, &|_| None);
        let mut hidden = BTreeMap::new();
        for turn in 0..=all.last().map_or(0, |item| item.turn) {
            let of_turn: Vec<String> =
                all.iter().filter(|item| item.turn == turn).map(drawn).collect();
            let alone = || Transcript::of(&session, Detail::Brief).of_turns(Some((turn, turn)));
            let calls = alone().map(|item| item.event.index).collect();
            let mut alone = alone().with_changes_of(&calls).with_sums_of(&sums);
            let drawn: Vec<String> = alone.by_ref().map(|item| drawn(&item)).collect();
            assert_eq!(drawn, of_turn, "{}: turn {turn}", session.uid());
            for (why, count) in alone.hidden() {
                *hidden.entry(*why).or_insert(0) += count;
            }
            compared += drawn.len();
        }
        // Behind its last item, a session may have prompts that are left out.
        let more: u64 = hidden.values().sum();
        assert!(more <= items.hidden().values().sum(), "{}", session.uid());
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn each_text_of_the_conversation_is_in_it() {
    let mut texts = 0;
    for session in samples() {
        let mut shown = BTreeSet::new();
        for item in Transcript::of(&session, Detail::Whole) {
            shown.insert(item.event.index);
            if let Body::Call(call) = item.body {
                shown.extend(call.answered.map(|answered| answered.event.index));
            }
        }
        for event in session.events() {
            let says = match event.kind {
                Kind::ToolCall | Kind::ToolResult | Kind::Notice | Kind::Opaque => true,
                Kind::User | Kind::Assistant | Kind::Reasoning => !event.said().trim().is_empty(),
            };
            assert!(!says || shown.contains(&event.index), "{} {}", session.uid(), event.index);
            texts += usize::from(says);
        }
    }
    assert!(texts > 1000, "{texts}");
}

#[test]
fn values_that_give_access_are_in_no_transcript_of_a_session_without_them() {
    let mut checked = 0;
    for session in samples() {
        let Some((covered, secrets)) = withheld(&session) else { continue };
        let mut text = String::new();
        for item in Transcript::of(&covered, Detail::Whole) {
            match &item.body {
                Body::Prompt(said) | Body::Answer(said) | Body::Injected(said) => {
                    text.push_str(&said.text);
                }
                Body::Thought(thought) => text.push_str(&thought.text),
                Body::Call(call) => {
                    text.extend(call.arguments());
                    text.extend(call.answered.iter().flat_map(|answered| answered.lines()));
                }
                Body::Result { answered, .. } => text.extend(answered.lines()),
                Body::Notice(notice) => text.extend(notice.lines()),
            }
        }
        for secret in &secrets {
            let raw = secret.span.of(session.bundle.bytes(secret.member));
            let raw = String::from_utf8_lossy(raw);
            assert!(!text.contains(raw.trim_matches('"')), "{}: {}", session.uid(), secret.path);
            checked += 1;
        }
    }
    assert!(checked > 3, "{checked}");
}

/// A result is shown as "without a call" only if no call with its id comes before it in its file. A
/// second copy of a result has its call, and so has the result of a call that was repeated after a
/// resume.
#[test]
fn a_result_whose_call_is_there_is_not_without_a_call() {
    let (mut results, mut faults) = (0, Vec::new());
    for session in samples() {
        let mut calls = BTreeSet::new();
        let mut answers = BTreeSet::new();
        for event in session.events() {
            let Some(id) = event.text(Slot::Call) else { continue };
            let id = (event.origin.member, id.into_owned());
            if event.kind == Kind::ToolCall && event.standing().is_conversation() {
                calls.insert(id);
            } else if event.kind == Kind::ToolResult && calls.contains(&id) {
                answers.insert(event.index);
            }
        }
        results += answers.len();
        for item in Transcript::of(&session, Detail::Whole) {
            let alone = matches!(item.body, Body::Result { further: false, target: None, .. });
            if alone && answers.contains(&item.event.index) {
                faults.push(format!("{}:{}", session.uid(), item.event.origin.line));
            }
        }
    }
    assert!(results > 100, "{results} results");
    assert!(faults.is_empty(), "{faults:?}");
}

/// A fork in which nobody has said anything yet holds nothing but copies. The session that it was
/// forked from may be gone, so they are its turns, and its texts are shown and found.
#[test]
fn a_fork_without_words_of_its_own_shows_what_it_holds() {
    let entry = |time: &str, message: &str| {
        format!("{{\"type\":\"message\",\"timestamp\":\"{time}\",\"message\":{message}}}\n")
    };
    let header = "{\"type\":\"session\",\"id\":\"5d1f0c2b-9a8e-4b7d-8c6f-1a2b3c4d5e6f\",\
                  \"timestamp\":\"2025-12-09T08:00:00.000Z\",\"cwd\":\"/home/ana/tower\",\
                  \"branchedFrom\":\"/home/ana/gone.jsonl\"}\n";
    let said = "{\"role\":\"user\",\"content\":\"Count the steps of the tower.\"}";
    let answer = "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Ninety.\"}]}";
    let copied =
        entry("2025-12-09T07:00:00.000Z", said) + &entry("2025-12-09T07:00:05.000Z", answer);
    let level = "{\"type\":\"thinking_level_change\",\"timestamp\":\"2025-12-09T08:00:01.000Z\",\
                 \"thinkingLevel\":\"off\"}\n";
    let own =
        entry("2025-12-09T08:01:00.000Z", "{\"role\":\"user\",\"content\":\"And the windows?\"}");
    let name = "2025-12-09T08-00-00-000Z_5d1f0c2b-9a8e-4b7d-8c6f-1a2b3c4d5e6f.jsonl";
    let shown = |text: String| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        let catalog = Catalog { formats: formats::ALL, machine: Default::default() };
        let sources = catalog.find(&[folder.path().to_path_buf()]).sources;
        let session = catalog.read(&sources[0]).unwrap().sessions.remove(0);
        let turns: Vec<_> =
            turn::turns(&session).into_iter().filter_map(|turn| turn.prompt).collect();
        let brief = Transcript::of(&session, Detail::Brief).count();
        let texts = texts(&session).filter(|text| text.part != TalkSection::Notices).count();
        (session.holds_only_copies(), turns.len(), brief, texts)
    };
    assert_eq!(shown(format!("{header}{copied}{level}")), (true, 1, 2, 2));
    // With a prompt of its own, the rest is that of the other session again.
    assert_eq!(shown(format!("{header}{copied}{level}{own}")), (false, 1, 1, 1));
}
