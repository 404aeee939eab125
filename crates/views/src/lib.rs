//! Views of a session for people: a transcript of items, and the page, the Markdown and the screen
//! that are drawn from it; numbers and characters as people read them.
//!
//! All of it is computed from a session. What leaves the machine is drawn from a session that
//! passed the gate (`export`, a feature).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

#[cfg(feature = "export")]
pub mod export;
pub mod human;
#[cfg(feature = "export")]
pub mod inline;
pub mod money;
pub mod transcript;
pub mod visible;
