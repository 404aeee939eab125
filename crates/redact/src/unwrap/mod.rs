//! Wrappings: the forms around a text, undone one after the other.
//!
//! There is one file for each wrapping: `base64.rs`, `escapes.rs`, `ansi.rs`, `entities.rs`,
//! `percent.rs`, `wrapped_lines.rs` and so on. `wrapping.rs` lists them. `walk.rs` undoes them in
//! their order within one budget, `view.rs` is a text with some of them undone, and
//! `source_map.rs` says from which bytes of the file each of its bytes came. `runs.rs` finds runs
//! of encoded bytes within a text, and `containers.rs` unpacks what they hold.
//!
//! To add a wrapping: write its file with a function that finds it and one that decodes it into a
//! `Sink`, name it in `wrapping.rs`, and call it in `walk.rs` (where it is) and `view.rs` (how it
//! is undone).

pub(crate) mod ansi;
pub(crate) mod base64;
pub(crate) mod byte_lists;
pub(crate) mod changes;
pub(crate) mod containers;
pub(crate) mod decoded_text;
pub(crate) mod entities;
pub(crate) mod escapes;
pub(crate) mod hex;
pub(crate) mod hex_dump;
pub(crate) mod invisible;
pub(crate) mod joined_strings;
pub(crate) mod line_prefixes;
pub(crate) mod markup;
pub(crate) mod percent;
pub(crate) mod plan;
pub(crate) mod quoted_printable;
pub(crate) mod quotes;
pub(crate) mod run_lines;
pub(crate) mod runs;
pub(crate) mod source_map;
pub(crate) mod view;
pub(crate) mod walk;
pub(crate) mod wrapped_lines;
pub(crate) mod wrapping;
