//! Operations on sessions: each plans, acts and reports, and none prints.
//!
//! The command line calls them, and a server or a test can: they know no terminal, no arguments and
//! no environment, and time and randomness are handed in. What reads the disk is `catalog`, what
//! writes it `store`; here they are one transaction.

#![forbid(unsafe_code)]

pub mod agents;
pub mod attest;
pub mod check;
mod convert;
mod cut;
mod export;
pub mod fidelity;
pub mod filter;
mod indexing;
pub mod ledger;
pub mod migrate;
pub mod placing;
pub mod prove;
mod redact;
pub mod resume;
pub mod scan;
pub mod search;
mod turn_store;
pub mod usage;
pub mod validate;

pub use check::check;
pub use convert::{Converted, convert, convert_to, convert_to_cbor, native, prove_convert};
pub use cut::cut_out;
pub use export::{ExportChoice, ExportForm, ExportPlan, outgoing_files, plan_export};
pub use fidelity::fidelity;
pub use indexing::{IndexReport, index_files, index_sessions};
pub use migrate::{
    MigratedFile, MigrationPhases, MigrationPlan, migrated, plan_migration, projects,
};
pub use prove::conversion::{ConversionProof, prove_conversion};
pub use prove::drift::{Drift, Level, Strange};
pub use redact::{Redaction, redact, redact_opened, redact_text};
pub use resume::agent::{add_listed_titles, agent, agent_folders, listed_title};
pub use resume::repair::{Damage, Mended, damages};
pub use resume::{PlacementPlan, ResumeChoice, ResumePlan, conversation, plan_resume, read_back};
pub use scan::texts::add_side_files;
pub use scan::{ScanResult, ScannedSource, SkippedFile, scan_bytes, scan_secrets};
pub use search::{SearchHits, SearchResult, search};
pub use turn_store::{StoreTurn, ThreadStore, store_turn};
pub use usage::spending::usage;
