//! Sessions of this machine: their locations, their files, and the operations on them.
//!
//! The catalog opens files; the formats never do. It knows no agent by name: places, claims and
//! tables come from the registry, or from another given list of formats. All facts about the
//! machine come from the argument [`Machine`]. Nothing here writes.

#![forbid(unsafe_code)]

mod acts;
mod archived;
mod catalog;
pub mod copies;
pub mod early;
pub mod error;
pub mod find;
mod history;
pub mod job;
mod listed;
mod listing;
mod lookup;
pub mod moved;
mod names;
pub mod open;
mod opened;
mod outputs;
mod owner;
pub mod packed;
pub mod parallel;
pub mod paths;
pub mod repository;
pub mod summary;
mod system;
mod typed;

pub use acts::SessionActs;
pub use catalog::{Catalog, member, once};
pub use error::{Choice, Error, MovedFolder};
pub use find::environment::{Machine, PlacedFolders, Root};
pub use find::found::{Claimed, Found, SkipReason, Skipped};
pub use find::scan::scan;
pub use find::siblings::siblings;
pub use find::unread_agents::UnreadAgent;
pub use find::walk::is_of_system;
pub use formats::Formats;
pub use job::{Job, JobProgress};
pub use listing::Listing;
pub use open::archived::{ArchivedFile, SourceLabels, StoredBytes};
pub use open::before::{ReadBefore, Trust};
pub use open::bundle::{Unread, bundle};
pub use open::bytes::{
    MEMBER_BYTES, beginning as stored_beginning, bounded, has_bytes, stable as stored,
};
pub use open::content::whole;
pub use open::database;
pub use open::ends::Kept;
pub use open::known_files::KnownClaim;
pub use open::session_archive::{ArchivedSession, SessionArchive};
pub use open::session_index::{MaybeIndex, SessionFact, SessionIndex};
pub use open::source::{Source, SourceFile};
pub use opened::Opened;
pub use owner::OwnedFolders;
pub use paths::absolute;
pub use summary::{Entry, Listed, summaries};
pub use system::System;
pub use typed::LeftPrompts;
