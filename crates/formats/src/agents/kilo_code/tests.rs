//! Tests of Kilo Code.

use crate::testing;

#[test]
fn a_task_of_its_own_home_is_its_own() {
    let read = testing::open(&super::KILO_CODE, &testing::samples(super::NAME, "mill"));
    let [session] = read.sessions.values().flatten().collect::<Vec<_>>()[..] else { panic!("one") };
    assert_eq!(session.format, "kilo-code");
    let counts = meaning::usage::counts(session, super::DATA.convention);
    // Without the screen's file the messages have the counters.
    let costs: Vec<_> = counts.iter().map(|count| (count.tokens.total(), count.cost)).collect();
    assert_eq!(costs, [(830, Some(0.003)), (900, Some(0.002))]);
}
