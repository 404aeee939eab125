//! Meanings of a session: each question about it is answered here, once.
//!
//! - [`conversation`]: the part of each event in the conversation, and whether it is live
//! - [`turn`]: the prompts that begin turns
//! - [`Calls`]: the result of each call
//! - [`Timing`]: when a call began and ended
//! - [`identity`]: whether two values with one id are one thing
//! - [`facts`]: times, folder, models and version of a session
//! - [`usage`]: its token counters, each answer once
//! - [`secret`]: its values that give access to something
//! - [`account`]: the fate of each field in another form
//!
//! All of it is computed from a session alone.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod account;
mod calls;
pub mod conversation;
pub mod facts;
pub mod identity;
pub mod secret;
mod timing;
pub mod turn;
pub mod usage;

pub use calls::Calls;
pub use timing::Timing;
