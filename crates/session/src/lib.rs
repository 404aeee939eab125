//! The heart: bytes in, labelled events out. No input/output, no clock, no environment.
//!
//! The bytes an agent wrote stay in a [`Bundle`]; a [`Reading`] puts labels on them by a format's
//! tables ([`Map`], [`Case`]) and yields a [`Session`]: [`Event`]s, each a range of [`Field`]s that
//! are `(slot, span of the key, span of the value)`. There is no operation that skips,
//! moves or copies a field, so that no reader can lose one.

#![deny(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod json;
mod label;
pub mod proof;
mod read;
mod session;

pub use json::index::{JsonError, JsonFault, offset};
pub use json::node::{Counts, Doc, Elements, JsonMember, Members, Node, Shape};
pub use json::reader::Scan;
pub use json::span::Span;
pub use json::truncated::closed;
pub use json::value;
pub use label::event::{Event, EventIx, Field, Hold, Mark, NO_EVENT, Origin};
pub use label::injected::Injected;
pub use label::slot::{Kind, Slot, Standing};
pub use label::status::{Outcome, Statuses};
pub use label::table::{Case, Choose, Map, Named, OPAQUE, Row, STRANGE, UNKNOWN};
pub use label::time::UtcTime;
#[cfg(feature = "harm")]
pub use proof::fault as harm;
pub use read::reading::{Memory, Reading};
pub use read::split::Split;
pub use session::address::{EventAddress, NoAddress};
pub use session::beside::{Beside, MadeFrom};
pub use session::bundle::{Bundle, MEMBER_LIMIT, Member, Stream, Transport};
pub use session::canonical::{Canonical, Timed};
pub use session::edit;
pub use session::moment::Moment;
pub use session::partition::Owners;
pub use session::text;
pub use session::unread::UnreadRecord;
pub use session::{EventRef, Note, Record, Session};
