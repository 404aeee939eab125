//! Replay of unchecked changes: it never ends the program, and its ranges are correct. `SEED=n`
//! runs one round, `CI_DEEP=1` continues for ten minutes.

mod rounds;

#[test]
fn any_changes_are_followed_or_named() {
    samples::rounds(20_000, rounds::round);
}
