//! The heart: bytes in, labelled events out. No input/output, no clock, no environment.
//!
//! The bytes an agent wrote stay in a [`Bundle`]; a [`Reading`] puts labels on them by a format's
//! tables ([`Map`], [`Case`]) and yields a [`Session`]: [`Event`]s, each a range of [`Field`]s that
//! say `(slot, where the key stands, where the value stands)`. There is no operation that skips,
//! moves or copies a field, so that no reader can lose one.

#![deny(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod attribution;
mod blocks;
mod bundle;
mod calls;
mod canonical;
mod cut;
pub mod edit;
mod event;
mod grammar;
#[doc(hidden)]
pub mod harm;
mod index;
mod json;
mod label;
mod name;
mod node;
mod order;
mod outline;
mod partition;
mod plan;
pub mod proof;
mod reading;
pub mod secret;
mod session;
mod split;
pub mod text;
mod time;
pub mod told;
pub mod turn;
pub mod usage;
pub mod value;
mod walk;

pub use bundle::{Bundle, MEMBER_LIMIT, Member, Span, Stream, Transport};
pub use calls::{Calls, Outcome};
pub use canonical::{Canonical, Timed};
pub use cut::closed;
pub use event::{Event, EventIx, Field, Hold, Kind, NO_EVENT, Origin, Slot, Standing};
pub use index::{Fault, Why};
pub use json::{Scan, plainly};
pub use label::{Case, Choose, Map, Named, OPAQUE, Row, STRANGE, UNKNOWN};
pub use node::{Doc, Elements, Member as JsonMember, Members, Node, Shape};
pub use partition::Owners;
pub use reading::Reading;
pub use session::{EventRef, Note, Record, Session};
pub use split::Split;
pub use time::Instant;
