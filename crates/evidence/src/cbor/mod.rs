//! CBOR (RFC 8949): reading with limits, writing deterministically (section 4.2.1), and to and
//! from JSON without changing a value.
//!
//! JSON to CBOR and back is the identity on values:
//! - A number written without fraction and exponent is an integer: major type 0 or 1 within 64
//!   bits, a bignum (tags 2 and 3) beyond, up to [`number::DIGITS`] digits. `-0` is the float -0.0.
//! - Any other number is the shortest float that reads back as the very same decimal (`0.1`), else
//!   a decimal fraction (tag 4), which is exact.
//! - What JSON cannot hold (byte strings, other tags and simple values, keys that are no text,
//!   NaN and the infinities) is an error, never a guess.
//!
//! The wire level is our own because it is one function, `head`: the libraries for it hand out
//! typed values and no heads (`minicbor`), or read through a stream and merge float widths
//! (`ciborium`). Tests hold it to `ciborium`.

mod base;
mod encoder;
pub(crate) mod float;
mod from_json;
pub(crate) mod head;
mod number;
mod read;
mod to_json;
mod write;

pub use encoder::{EncodeError, Encoder, order};
pub use from_json::from_json;
pub use number::DIGITS;
pub(crate) use read::read;
pub use to_json::{compact_json, to_json};
pub use write::{deterministic, is_deterministic};

use crate::value::ReadError;

/// The reason why a document has no form in the other encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The bytes are not a document.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A value that the other encoding can't represent.
    #[error("byte {offset}, at {path}: {why}")]
    Value {
        /// The value's offset in bytes.
        offset: u64,
        /// The value's path in the document.
        path: String,
        /// The property that can't be represented.
        why: &'static str,
    },
}
