//! Redaction of any bytes: the round `scan` of its tests.
#![no_main]

#[path = "../../crates/redact/tests/rounds/mod.rs"]
mod rounds;

use ::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::scan(input));
