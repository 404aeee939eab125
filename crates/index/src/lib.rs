//! An index of facts that were read from sessions before. It can be deleted at any time: it saves
//! time, and changes no answer.
//!
//! It is one SQLite database. For each file it has the agent that wrote it, and the trigrams of its
//! letters and digits, by which a search leaves files out. For each session it has the entry in a
//! list, with the title and the first prompt, and the usages. It holds no other text.
//!
//! A row is believed only if the state of its files is the one that it was made of: device, inode,
//! length, and the times of the last change of content and of metadata. A file that had changed
//! within the last two seconds gets no row: it may change again without another time. Each row has
//! a seal, a digest of all that is in it, so that a damaged row is as good as none.
//!
//! The time and the name of the reader are arguments.

#![forbid(unsafe_code)]

mod database;
mod fill;
mod reading;
mod rows;
mod state;
mod trigrams;

pub use database::{IndexError, IndexState};
pub use fill::{FileFacts, IndexWriter, SourceFacts};
pub use reading::Index;
pub use trigrams::{Trigrams, runs_in};
