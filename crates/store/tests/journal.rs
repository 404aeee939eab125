//! Damaged journals: no entry makes verbatim remove what the agent or the user wrote.

mod rounds;

#[test]
fn a_damaged_journal_harms_nothing() {
    samples::rounds(150, rounds::round);
}
