//! Replay of changes that nobody checked: it never ends the program, and its ranges are true.
//! `SEED=n` runs one round, `CI_DEEP=1` continues for ten minutes.

mod rounds;

#[test]
fn any_changes_are_followed_or_named() {
    samples::rounds(20_000, rounds::round);
}
