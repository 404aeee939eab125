//! Meanings of a session: each question about it is answered here, once.
//!
//! What is conversation, and what of it is live ([`conversation`]); where a turn begins ([`turn`]);
//! which result answers which call ([`Calls`]); when, where and by which models the session ran
//! ([`facts`]); what it spent ([`usage`]); which values give access to something ([`secret`]); what
//! became of each field in another form ([`account`]). All of it is computed from a session alone.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod account;
mod calls;
pub mod conversation;
pub mod facts;
pub mod secret;
pub mod turn;
pub mod usage;

pub use calls::Calls;
