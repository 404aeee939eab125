//! Verify: nothing is left, and nothing else was changed.
//!
//! `equality.rs` compares each byte beside the edits and the shape of each record. `judge/` looks
//! for the found values once more. Neither uses the walks or decoders of `texts/` and `unwrap/`:
//! a fault there is no fault here. Keep it so.

pub(crate) mod equality;
pub(crate) mod judge;
