//! Opening of a source: its files become its bundle. Nothing is written except copies of databases
//! that are in use.

pub(crate) mod beginning;
pub(crate) mod bundle;
pub(crate) mod bytes;
pub(crate) mod cbor_record;
pub(crate) mod content;
pub mod database;
pub(crate) mod ends;
pub(crate) mod source;
pub(crate) mod unpack;
