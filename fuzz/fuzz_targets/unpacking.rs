//! Damaged compressed files: refused, or read within the budget.
#![no_main]

#[path = "../../crates/operations/tests/rounds/mod.rs"]
mod rounds;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::unpacking::round(&mut samples::Dice::of_bytes(input)));
