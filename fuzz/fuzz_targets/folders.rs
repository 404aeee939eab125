//! Folders of any shape: each file is found once, and grouping ends.
#![no_main]

#[path = "../../crates/operations/tests/rounds/mod.rs"]
mod rounds;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::folders::round(&mut samples::Dice::of_bytes(input)));
