//! Proof that nothing of a session is lost, and a list of names that no table knows.

pub mod check;
pub(crate) mod conversion;
mod deep;
pub(crate) mod drift;
mod inverse;
pub(crate) mod said;
mod witness;
mod witness_tokens;
