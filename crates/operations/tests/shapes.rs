//! Databases and folders of any shape: no panic, an end, and nothing dropped silently. A failed
//! round prints its seed. `SEED=n` runs that round alone, and `CI_DEEP=1` runs new rounds for ten
//! minutes.

mod rounds;

/// Number of rounds of an ordinary run.
const ROUNDS: u64 = 24;

#[test]
fn databases_of_any_shape() {
    samples::rounds(ROUNDS, rounds::databases::round);
}

#[test]
fn folders_of_any_shape() {
    samples::rounds(ROUNDS, rounds::folders::round);
}

/// Damaged compressed files are refused or read, and never crash the program.
#[test]
fn damaged_packed_files() {
    samples::rounds(3000, rounds::unpacking::round);
}
