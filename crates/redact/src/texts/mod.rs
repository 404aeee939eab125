//! Texts: where text is in a bundle, and what is known of each before anybody looks into it.
//!
//! `leaves.rs` walks the records and gives each text: of JSON the strings, names and values, of
//! other bytes the record, and the strings of a stream joined. `marks.rs` says what the tables of
//! the format know of a text, and which outputs are those of a call that names a value. `clean.rs`
//! and `known.rs` remember texts without findings, since agents write the same outputs again and
//! again. `plain.rs` makes a session of any other text.

pub(crate) mod clean;
pub(crate) mod credential_files;
pub(crate) mod format_words;
pub(crate) mod kinds;
pub(crate) mod known;
pub(crate) mod leaf;
pub(crate) mod leaves;
pub(crate) mod marks;
pub(crate) mod path;
pub mod plain;
pub(crate) mod pointer;
pub(crate) mod siblings;
