//! Databases and folders of any shape: no panic, an end, and nothing that is dropped in silence.
//! The seed of a round that fails is printed; `SEED=n` runs that round alone, `CI_DEEP=1` continues
//! with new rounds for ten minutes.

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

/// Damaged packed files are refused or read, and never end the program.
#[test]
fn damaged_packed_files() {
    samples::rounds(3000, rounds::unpacking::round);
}
