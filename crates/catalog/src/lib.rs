//! This machine's sessions: where they live, which files make one up, what can be done with them.
//!
//! The catalog opens files; the formats never do. It knows no agent by name: places, claims and
//! tables come from the registry (or from whatever list of formats it is given), and what it was
//! not told about the machine it does not ask ([`Machine`] is an argument). Nothing here writes.

#![forbid(unsafe_code)]

mod around;
pub mod check;
mod claim;
mod convert;
pub mod database;
mod drift;
mod ends;
mod error;
mod glance;
mod group;
mod ids;
mod leaves;
mod machine;
mod open;
mod own;
mod packed;
pub mod recipe;
mod replay;
mod scan;
mod unpack;
pub mod usage;
pub mod validate;
pub mod view;
mod walk;
mod work;

pub use around::around;
pub use drift::{Drift, Level, Strange};
pub use error::Error;
pub use glance::{Entry, glance};
pub use machine::{Machine, Root, System};
pub use open::{MEMBER_BYTES, Unread, bundle, whole};
pub use scan::{Aside, File, Found, Source, Why, scan};

/// The formats that a function is to know: the registry, or a test's own.
pub type Formats<'f> = &'f [&'static dyn formats::Format];
