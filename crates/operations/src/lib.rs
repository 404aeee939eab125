//! Operations on sessions: each plans, acts and reports, and none prints.
//!
//! The command line calls them, and a server or a test can: they know no terminal, no arguments and
//! no environment, and time and randomness are handed in. What reads the disk is `catalog`, what
//! writes it `store`; here they are one transaction.
//!
//! # Placing a session
//!
//! `verbatim resume` is one operation, a plan and a transaction (`placing/place.rs`).
//!
//! The plan (`resume.rs`) writes the session in memory. The target's rules (`resume.rs` in its
//! folder) say at which paths its store takes the files in, or which import of the agent does, and
//! which command continues the session. They also say which sessions of the agent itself it takes
//! as they are stored. The others are written anew, as another agent's would be. A session that its
//! agent, started in the asked folder, would not find is refused.
//!
//! The transaction is `store::placing`. The journal notes files, digests and new folders. Each file
//! is written whole and linked to its name, which must not exist; the file that lists the session
//! comes last. Then the operation reads the session back, and if anything differs, all of it is
//! removed. The journal has one file for each session in verbatim's own state folder. One process
//! at a time uses such a file, and none does while an agent's import runs (`placing/import.rs`). A
//! process that opens it first ends what a killed one began, and reports it.
//!
//! Each placed file is unchanged, changed or missing. If one has changed, the agent has continued
//! the session, and nothing of it is removed, whatever was killed. A store that cannot be read now
//! is not an empty one: nothing is imported, removed or forgotten then. An entry of the journal is
//! obeyed only if it has this version's schema, its own name, and paths in the agent's folders;
//! others are reported. `--undo` removes only files that still have their digests. The
//! administrator writes into no other user's store.
//!
//! `verbatim migrate` (`placing/migrating.rs`) compares the folder before another one gets its
//! place, migrates again what has changed, and carries over what the agent wrote between the
//! comparison and the exchange (`migrating/follow.rs`). After a kill, the next run for that folder
//! finds the old one under any of its names, carries over the rest once, and removes what was not
//! complete.
//!
//! # Redaction and signatures
//!
//! `redact.rs` joins `redact` with the formats, in rounds: scan, edit, read again, verify. If
//! anything is left after some rounds, whole texts are replaced. Only then is there a `Clean`
//! session. `export.rs` gives it, or one that the user's own flag lets through, to the forms that
//! leave the program.
//!
//! `attest/` has signatures. `keys.rs` is the folder of keys: a secret key is refused if others can
//! read its file, a list of trusted keys if others can write it. `signer.rs` finds the key that
//! signs, in a file or in the ssh agent. `content.rs` says what can be signed. `schema.rs` judges
//! content before it is signed, so that `sign` refuses what `verify` would call wrong. `verify.rs`
//! makes the lines of a verdict, in the order in which they depend on each other: without a known
//! key nothing is said of the signer or of the content.

#![forbid(unsafe_code)]

pub mod agents;
pub mod attest;
pub mod blame;
pub mod check;
mod checked;
mod convert;
mod cut;
pub mod doctor;
mod export;
pub mod fidelity;
pub mod filter;
mod indexing;
pub mod ledger;
pub mod migrate;
pub mod placing;
pub mod prove;
mod query;
mod redact;
pub mod resume;
pub mod rows;
pub mod scan;
pub mod search;
pub mod stats;
mod stopped;
mod turn_store;
pub mod twin;
pub mod usage;
pub mod validate;

pub use check::check;
pub use checked::{
    CheckedHits, CheckedSearch, FindingRules, FoundTexts, keep_findings, lacking_findings,
    search_checked,
};
pub use convert::{Converted, convert, convert_to, convert_to_cbor, native, prove_convert};
pub use cut::cut_out;
pub use export::{
    ExportChoice, ExportForm, ExportPlan, outgoing_files, plan_export, write_presented,
};
pub use fidelity::fidelity;
pub use indexing::{IndexReport, index_files, index_sessions};
pub use migrate::{
    MigratedFile, MigrationPhases, MigrationPlan, migrated, plan_migration, projects,
};
pub use prove::conversion::{ConversionProof, prove_conversion};
pub use prove::drift::{Drift, Level, Strange};
pub use query::{QUERY_TABLES, query_tables};
pub use redact::{Redaction, marked, redact, redact_opened, redact_text};
pub use resume::agent::{add_listed_titles, agent, agent_folders, listed_title, takers};
pub use resume::repair::{Damage, Mended, damages};
pub use resume::{PlacementPlan, ResumeChoice, ResumePlan, conversation, plan_resume, read_back};
pub use scan::texts::add_side_files;
pub use scan::{ScanResult, ScannedSource, SkippedFile, scan_bytes, scan_secrets, scan_sources};
pub use search::{SearchHits, SearchResult, search, search_in_order, search_newest};
pub use turn_store::{StoreTurn, ThreadStore, store_turn};
pub use usage::spending::usage;
