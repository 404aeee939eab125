//! Proof that nothing of a session is lost, and a list of names that no table knows.

mod canonical;
pub mod conversion;
pub mod deep;
pub mod drift;
mod inverse;
mod lost_words;
mod pairs;
pub(crate) mod said;
