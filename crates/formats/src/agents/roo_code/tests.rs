//! Tests of what Roo Code adds.

use session::{Kind, Outcome, Session, Slot, Standing};

use crate::testing;

fn sample(name: &str, id: &str) -> Session {
    let read = testing::open(&super::ROO_CODE, &testing::samples(super::NAME, name));
    let mut sessions = read.sessions.into_values().flatten();
    sessions.find(|session| session.id.starts_with(id)).expect("the session")
}

#[test]
fn what_a_summary_or_a_mark_took_out_is_compacted() {
    let session = sample("summary", "6a1f");
    let of = |standing| {
        let is = move |event: &session::EventRef<'_>| {
            event.field(Slot::Role).is_some() && event.standing() == standing
        };
        session.events().filter(is).count()
    };
    assert_eq!((of(Standing::Compacted), of(Standing::Live)), (4, 8));
    let failed = |event: &session::EventRef<'_>| event.outcome() == Some(Outcome::Failed);
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    assert_eq!(results.filter(failed).count(), 1, "the exit code is 1");
}

#[test]
fn a_task_names_the_one_that_started_it() {
    let session = sample("summary", "0b7d");
    let by = session.events().find_map(|event| event.text(Slot::SpawnedBy));
    assert_eq!(by.as_deref(), Some("6a1f0c52-9e34-4d7a-8c15-2f90ab37de61"));
    assert_eq!(session.first(Slot::WorkingDir).as_deref(), Some("/home/ana/bakery"));
}

#[test]
fn the_second_version_of_the_messages_is_read() {
    let session = sample("second", "9d4e");
    let pairs = meaning::Calls::of(&session);
    let call = session.events().find(|event| event.kind == Kind::ToolCall).unwrap();
    let result = session.event(pairs.result(call.index).unwrap());
    assert_eq!(result.text(Slot::Output).as_deref(), Some("12 kg"));
    let thought = session.events().find(|event| event.kind == Kind::Reasoning).unwrap();
    assert_eq!(thought.said(), "Read the scale.");
}
