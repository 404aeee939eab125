//! Tests of what oh-my-pi adds.

use session::{Kind, Slot, Stream};

use crate::testing;

#[test]
fn a_sub_agent_is_a_part_of_its_session() {
    let read = testing::open(&super::OH_MY_PI, &testing::samples(super::NAME, "charts"));
    let [session] = read.sessions.values().flatten().collect::<Vec<_>>()[..] else { panic!("one") };
    assert_eq!(session.id, "019e0a11-4b5c-7d6e-8f70-8192a3b4c5d6");
    assert!(session.events().any(|event| *event.stream() == Stream::Sub("Charts".to_owned())));
    assert_eq!(session.first(Slot::AutoTitle).as_deref(), Some("Mend the fog signal"));
}

#[test]
fn the_context_begins_behind_a_boundary_and_a_compaction() {
    let read = testing::open(&super::OH_MY_PI, &testing::samples(super::NAME, "charts"));
    let session = read.sessions.values().flatten().next().unwrap();
    let live: Vec<_> = session
        .top()
        .filter(|event| event.standing().is_live() && event.kind != Kind::Notice)
        .filter(|event| *event.stream() == Stream::Main)
        .map(|event| event.said().into_owned())
        .collect();
    assert_eq!(
        live,
        [
            "The charts are fine; the horn is empty.",
            "A look at bells was left.",
            "Then write the horn.",
            "It is written.",
        ]
    );
}

#[test]
fn a_person_may_name_a_session() {
    let read = testing::open(&super::OH_MY_PI, &testing::samples(super::NAME, "hinges"));
    let session = read.sessions.values().flatten().next().unwrap();
    let titles: Vec<_> = session.events().filter_map(|event| event.text(Slot::Title)).collect();
    assert_eq!(titles, ["Oil the hinges", "Oil all hinges"]);
}
