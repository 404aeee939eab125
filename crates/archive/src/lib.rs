//! Sessions kept for ever, in a folder of immutable files.
//!
//! *Packs* have the bytes, in pieces that are each stored once; *runs* say what was seen when, and
//! which pieces make which version of which session. The state of an archive is the union of its
//! runs. Nothing in the folder is changed in place: a file is written beside the others, is on the
//! disk before it gets its name, and what it replaces goes afterwards. `docs/archive.md` describes
//! the layout.
//!
//! The time and the name of the machine are arguments.
//!
//! # How it stays whole
//!
//! A pack or a run is written to a file without a name (`store::unnamed`), which gets its name when
//! its bytes are on the disk. The run that names the pieces of a pack comes after the pack. The
//! state is the union of the runs in the order of their times, and a new run is always put behind
//! all others, whatever the clock says. `sync` holds a shared lock; a run that removes files holds
//! an exclusive one. A lock ends with its process. `compact` writes the new files before it removes
//! the old ones, and reads each piece first. A damaged archive is not rewritten.
//!
//! `sync` finds sessions as `list` does, but follows no link out of an agent's folder. The archive
//! knows a file that did not change, so that the file is not opened. Each format lists what is kept
//! beside its sessions (`sidecars`). `sealed.rs` refuses credentials by their names, by the targets
//! of links, and by the number of the file.
//!
//! A session is known by its agent and its group. Where the group is the path of a file,
//! `sync/moved.rs` knows a session that was moved by its ids. A machine is known by the id in
//! verbatim's state folder. `exclude.rs` has the patterns, `sync/unseen.rs` names links and folders
//! that can't be read, and `watch.rs` decides when a change is kept. `restore` adds the files
//! beside a session.
//!
//! The catalog asks an archive for sessions that are gone and for `ID@VERSION`;
//! `catalog/archived.rs` decides when one of these is meant. A file of such a session has its bytes
//! in the archive, at the path that it had, and every reader gets them from there. `merge` trusts
//! nothing: it checks names, digests, lengths and claims of ids before it takes a byte.

#![forbid(unsafe_code)]

mod compact;
pub mod custody;
mod cut;
mod digest;
mod error;
mod exclude;
pub mod expiry;
mod export_key;
mod forgotten;
mod keep;
mod lost;
mod machine;
pub mod merge;
mod named;
mod pack;
mod place;
mod redactions;
mod restore;
mod roles;
mod run;
mod sealed;
mod shares;
mod sidecars;
mod stat;
mod state;
pub mod sync;
pub mod twin;
mod verify;
mod view;
mod watch;

pub use compact::Compacted;
pub use digest::Digest;
pub use error::Error;
pub use export_key::ExportKey;
pub use forgotten::BesideSession;
pub use machine::MachineName;
pub use place::{ArchiveFolder, LAYOUT, Lock};
pub use redactions::{
    LeftOutSession, RedactedFile, RedactedVersion, ReplacedValues, UnsafeVersion,
};
pub use restore::{RestoredVersion, ReturnedFile};
pub use run::{PathText, SessionName, SessionVersion, Stat, VersionFile};
pub use shares::AgentShare;
pub use state::{Archive, ArchiveFault, Version};
pub use verify::Verification;
pub use view::{ArchiveView, KeptVersion};
pub use watch::{SeenStates, Watch};
