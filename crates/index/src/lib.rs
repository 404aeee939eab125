//! An index of facts that were read from sessions before. It can be deleted at any time: it saves
//! time, and changes no answer.
//!
//! It is one SQLite database. For each file it has the agent that wrote it, and the trigrams of its
//! letters and digits, by which a search leaves files out. For each session it has the entry in a
//! list, with the title and the first prompt, the counts of what was done, and the usages. It holds
//! no other text. It also has the places that a redaction of the session replaces, with the
//! placeholders and without the values.
//!
//! Places of findings are those of one version of the rules, and of the choices and names of the
//! machine that the redaction used: these are part of the place of such a row. Sessions of
//! databases and of the archive have findings too. Findings are checked against the bytes when they
//! are used (`redact/kept.rs`). So those of a session in a database stay good when others in it
//! grow.
//!
//! A row is believed only if the state of its files is the one that it was made of: device, inode,
//! length, and the times of the last change of content and of metadata. A file that had changed
//! within the last two seconds gets no row: it may change again without another time. Each row has
//! a seal, a digest of all that is in it, so that a damaged row is as good as none.
//!
//! The time and the name of the reader are arguments.
//!
//! # What asks it
//!
//! The catalog asks the index through a trait (`catalog/open/session_index.rs`) where a file would
//! be opened: for the claim to a file, the entries of a source, its usages, and whether a file may
//! contain the words of a search. Whatever the index does not know is read as without it, so that a
//! half-filled index gives the same answer. It has no facts that depend on files beside a session,
//! such as the folder of a project, and none but findings of databases and archived sessions.
//!
//! A search needs, for each word, its runs of three or more ASCII letters and digits in the bytes
//! of the file. The test of bytes (`operations/search/pattern.rs`) demands the same, except for
//! letters that are written as escapes: a file that has such an escape is always read. For each
//! 64 kB of a file the index has the exact set of those trigrams. On 12 MB of real sessions that
//! costs 5.8 % of the bytes and 7.2 % of the texts. Parts of 256 kB need 2.9 % and leave in two to
//! five times as many files. A contentless FTS5 table of trigrams without positions needs 7.6 %
//! with one row a session, and does not see escaped letters as the test does.

#![forbid(unsafe_code)]

mod database;
mod fill;
mod query;
mod reading;
mod rows;
mod state;
mod trigrams;

pub use database::{IndexError, IndexState};
pub use fill::{FileFacts, IndexWriter, SourceFacts};
pub use query::{QueryAnswer, QueryTable, QueryValue, query};
pub use reading::Index;
pub use trigrams::{Trigrams, runs_in};
