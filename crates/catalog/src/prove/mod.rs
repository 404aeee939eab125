//! Proof: nothing of a session is lost, and what no table names is listed.

pub mod check;
mod deep;
pub(crate) mod drift;
mod witness;
mod witness_tokens;
