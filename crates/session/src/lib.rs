//! The heart: bytes in, labelled events out. No input/output, no clock, no environment.
//!
//! The bytes an agent wrote stay in a [`Bundle`]; a [`Reading`] puts labels on them by a format's
//! tables ([`Map`], [`Case`]) and yields a [`Session`]: [`Event`]s, each a range of [`Field`]s that
//! are `(slot, span of the key, span of the value)`. There is no operation that skips,
//! moves or copies a field, so that no reader can lose one.
//!
//! # How a member is read
//!
//! The engine (`read/reading.rs`) takes one record after the other. For each it builds a structural
//! index (`json/index.rs`: one bit for each byte that is a quote, bracket, comma or colon), checks
//! the grammar of RFC 8259 without recursion (`json/grammar.rs`), and asks the format's `choose`
//! function for the [`Case`]. The case names a [`Map`], by which the engine walks the members
//! (`read/walk.rs`): `is(Slot)` labels a value, `within` enters an object of the same event, `each`
//! and `one` make separate events of the values inside, and `kept` says that a name is known and
//! has no canonical meaning. A name without a row becomes a native field, which is marked as drift.
//!
//! Most lines have the structure of an earlier one. A structure that is seen again is kept as a
//! template (`json/template.rs`), and the labels of its values in a cache (`read/label_cache.rs`).
//! If a line equals a template between its values, byte for byte, its tokens and labels are filled
//! in; a value that decides the case is read each time. The caller holds templates, caches and
//! buffers in a [`Memory`]. A law reads every sample and every real file with a used memory and
//! without templates: both give the same.
//!
//! A session whose files have grown is read on ([`EarlierReading`], `read/earlier.rs`): the labels
//! of its lines are taken over, and the bytes behind them are read. A law compares the result with
//! a reading of the whole, for each format and sample.
//!
//! Bytes that are not JSON become an opaque record with a note: member, line, byte, reason. A byte
//! in a string that is not UTF-8 is no such damage: the agents' own decoders read it as U+FFFD, and
//! so does every view (`value::unescape`). The byte stays in its place, and the record is noted.
//! JSON that no view can show counts as unread too: a member whose name is not UTF-8, and a line
//! that is no object.
//!
//! A field owns its bytes (`Hold::Own`), opens a container (`Hold::Open`), or views bytes that
//! another event owns (`Hold::View`). The proof walks a record from one owned piece to the next;
//! only the punctuation that JSON requires may be between them.
//!
//! An [`EventAddress`] names an event in a way that stays the same from one reading to the next.

#![deny(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod json;
mod label;
pub mod proof;
mod read;
mod session;
mod sorting;

pub use json::index::{JsonError, JsonFault, offset};
pub use json::node::{Counts, Doc, Elements, JsonMember, Members, Node, Shape};
pub use json::reader::Scan;
pub use json::span::Span;
pub use json::truncated::closed;
pub use json::value;
pub use label::event::{Event, EventIx, Field, Hold, Mark, NO_EVENT, Origin};
pub use label::injected::Injected;
pub use label::slot::{Kind, Slot, Slots, Standing};
pub use label::status::{Outcome, Statuses};
pub use label::table::{Case, Choose, Map, Named, OPAQUE, Row, STRANGE, UNKNOWN};
pub use label::time::UtcTime;
#[cfg(feature = "harm")]
pub use proof::fault as harm;
pub use read::earlier::EarlierReading;
pub use read::reading::{Memory, Reading};
pub use read::split::Split;
pub use session::address::{EventAddress, NoAddress, uid_of_text, uid_text};
pub use session::beside::{Beside, MadeFrom};
pub use session::bundle::{Bundle, MEMBER_LIMIT, Member, Stream, Transport};
pub use session::canonical::{Canonical, Timed};
pub use session::edit;
pub use session::moment::Moment;
pub use session::partition::Owners;
pub use session::text;
pub use session::unread::UnreadRecord;
pub use session::{EventRef, Note, Record, Session};
pub use sorting::Sorting;
