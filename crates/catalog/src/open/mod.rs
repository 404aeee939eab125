//! Opening of a source: its files become its bundle. Nothing is written except copies of databases
//! that are in use.

pub mod archived;
pub mod before;
pub mod beginning;
pub mod bundle;
pub mod bytes;
pub mod cbor_record;
pub mod content;
pub mod database;
pub mod ends;
pub mod file_stat;
pub(crate) mod known_files;
pub mod session_archive;
pub mod session_index;
pub mod source;
pub mod unpack;
