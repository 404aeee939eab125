//! Reading of a document in either encoding.

use session::Doc;

use crate::cbor;
use crate::value::{Document, Encoding, Limits, ReadError, ReadFault, json};

impl<'a> Document<'a> {
    /// Parses a document, without recursion and in linear time, except for sorting the keys of
    /// large maps.
    ///
    /// # Errors
    /// The first place at which the bytes are not one well-formed, valid item within the limits.
    pub fn read(bytes: &'a [u8], encoding: Encoding, limits: Limits) -> Result<Self, ReadError> {
        Self::read_seeing(bytes, encoding, limits, &mut |_| ())
    }

    /// The same, and `see` gets a text in JSON as it was read, so that it is not read again for
    /// something else. It gets none that is no JSON, or too long.
    ///
    /// # Errors
    /// As of [`Document::read`].
    pub fn read_seeing(
        bytes: &'a [u8],
        encoding: Encoding,
        limits: Limits,
        see: &mut dyn FnMut(&Doc<'_>),
    ) -> Result<Self, ReadError> {
        let most = limits.bytes.min(u32::MAX as usize - 1);
        if bytes.len() > most {
            let path = "$".into();
            return Err(ReadError { offset: most as u64, path, why: ReadFault::TooLong });
        }
        match encoding {
            Encoding::Json => json::read(bytes, limits, see),
            Encoding::Cbor => cbor::read(bytes, limits),
        }
    }
}
