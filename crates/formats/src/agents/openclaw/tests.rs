//! Tests of what OpenClaw adds.

use session::{Kind, Outcome, Slot, Standing};

use crate::claim::Claim;
use crate::testing;

#[test]
fn ended_sessions_are_sessions_and_their_neighbors_are_none() {
    let read = testing::open(&super::OPENCLAW, &testing::samples(super::NAME, "gateway"));
    assert_eq!(read.sessions.len(), 3);
    let skipped: Vec<&str> =
        read.skipped.keys().filter_map(|name| name.rsplit('/').next()).collect();
    assert_eq!(skipped, ["3d0f7a52-9c1e-4b6d-8a70-5e4c3b2a1908.jsonl.lock", "sessions.json"]);
    assert!(read.skipped.values().all(|claim| matches!(claim, Claim::NoSession(_))));
}

#[test]
fn what_a_channel_delivered_is_an_echo_and_its_model_is_none() {
    let read = testing::open(&super::OPENCLAW, &testing::samples(super::NAME, "gateway"));
    let session = read.sessions.values().flatten().find(|it| it.id.starts_with("3d0f")).unwrap();
    let standings: Vec<Standing> = session
        .events()
        .filter(|event| event.kind == Kind::Assistant && event.case.name == "delivered")
        .map(|event| event.standing())
        .collect();
    assert_eq!(standings, [Standing::Echo, Standing::Live]);
    let models: Vec<_> = session.events().filter_map(|event| event.text(Slot::Model)).collect();
    assert!(models.iter().all(|model| model == "gpt-5.5"), "{models:?}");
}

#[test]
fn the_details_of_a_result_say_that_its_call_failed() {
    let read = testing::open(&super::OPENCLAW, &testing::samples(super::NAME, "gateway"));
    let session = read.sessions.values().flatten().find(|it| it.id.starts_with("c4d5")).unwrap();
    let outcomes: Vec<_> = session
        .events()
        .filter(|event| event.kind == Kind::ToolResult)
        .map(|event| (event.text(Slot::Name).unwrap().into_owned(), event.outcome().unwrap()))
        .collect();
    let outcomes: Vec<_> = outcomes.iter().map(|(name, outcome)| (&**name, *outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("exec", Outcome::Failed),
            ("exec", Outcome::Failed),
            ("read", Outcome::Failed),
            ("web_search", Outcome::Failed),
            // A number is the status of a response on the web, and a task that was accepted runs.
            ("web_fetch", Outcome::Good),
            ("sessions_spawn", Outcome::Good),
            ("process", Outcome::Failed),
        ]
    );
}
