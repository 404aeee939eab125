//! Databases of any shape: no panic, no endless loop, no row lost silently.
#![no_main]

#[path = "../../crates/operations/tests/rounds/mod.rs"]
mod rounds;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::databases::round(&mut samples::Dice::of_bytes(input)));
