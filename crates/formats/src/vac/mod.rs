//! The verifiable agent record (`draft-birkholz-verifiable-agent-conversations`, profile
//! `vac-3.0`) as a format like the others. It is written from any session, driven by meanings,
//! kinds and standing alone: no agent's name or key stands here.

mod clean;
mod entry;
mod facts;
mod keys;
mod layout;
mod out;
mod paths;
mod places;
mod plan;
mod provider;
mod restore;
mod slots;
mod source;
mod telling;
#[cfg(test)]
mod tests;
mod tree;
mod usage;
mod write;

pub use restore::{Restored, restore};
pub use write::{record, write_record};
