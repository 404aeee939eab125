//! Sessions of this machine: their locations, their files, and the operations on them.
//!
//! The catalog opens files; the formats never do. It knows no agent by name: places, claims and
//! tables come from the registry, or from another given list of formats. All facts about the
//! machine come from the argument [`Machine`]. Nothing here writes.

#![forbid(unsafe_code)]

pub mod api;
mod catalog;
mod error;
mod find;
mod open;
mod parallel;
mod paths;
mod prove;
pub mod view;

pub use catalog::convert::Converted;
pub use catalog::migrate::{MigratedFile, MigrationPhases, MigrationPlan};
pub use catalog::opened::Opened;
pub use catalog::redact::Redaction;
pub use catalog::resume::{ResumeChoice, ResumePlan, Way};
pub use catalog::scanning::{ScanResult, ScannedSource, SkippedFile};
pub use catalog::search::{SearchHits, SearchResult};
pub use catalog::turn_store::StoreTurn;
pub use catalog::{Catalog, Listing};
pub use error::{Choice, Error};
pub use find::environment::{Machine, Root, System};
pub use find::found::{Aside, Found, SkipReason};
pub use find::scan::scan;
pub use find::siblings::siblings;
pub use find::walk::is_of_system;
pub use formats::Formats;
pub use open::bundle::{Unread, bundle};
pub use open::bytes::{MEMBER_BYTES, stable as stored};
pub use open::content::whole;
pub use open::database;
pub use open::source::{Source, SourceFile};
pub use paths::absolute;
pub use prove::check;
pub use prove::conversion::{ConversionProof, prove_conversion};
pub use prove::drift::{Drift, Level, Strange};
pub use view::summary::{Entry, Listed, summaries};
pub use view::{fidelity, usage, validate};
