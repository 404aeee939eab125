//! Sessions kept for ever, in a folder of immutable files.
//!
//! *Packs* have the bytes, in pieces that are each stored once; *runs* say what was seen when, and
//! which pieces make which version of which session. The state of an archive is the union of its
//! runs. Nothing in the folder is changed in place: a file is written beside the others, is on the
//! disk before it gets its name, and what it replaces goes afterwards. `docs/archive.md` describes
//! the layout.
//!
//! The time and the name of the machine are arguments.

#![forbid(unsafe_code)]

mod compact;
mod cut;
mod digest;
mod error;
mod exclude;
pub mod expiry;
mod forgotten;
mod keep;
mod lost;
pub mod merge;
mod named;
mod pack;
mod place;
mod restore;
mod roles;
mod run;
mod sealed;
mod shares;
mod sidecars;
mod stat;
mod state;
pub mod sync;
mod verify;
mod view;
mod watch;

pub use compact::Compacted;
pub use digest::Digest;
pub use error::Error;
pub use forgotten::BesideSession;
pub use place::{ArchiveFolder, LAYOUT, Lock};
pub use restore::{RestoredVersion, ReturnedFile};
pub use run::{MachineName, PathText, SessionName, SessionVersion, Stat, VersionFile};
pub use shares::AgentShare;
pub use state::{Archive, ArchiveFault, Version};
pub use verify::Verification;
pub use view::{ArchiveView, KeptVersion};
pub use watch::{SeenStates, Watch};
