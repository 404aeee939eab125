//! Replay of unchecked changes: it never panics, it ends, and its ranges are correct. `SEED=n` runs
//! one round, and `CI_DEEP=1` runs new rounds for ten minutes.

mod rounds;

#[test]
fn any_changes_are_followed_or_named() {
    samples::rounds(20_000, rounds::round);
}
