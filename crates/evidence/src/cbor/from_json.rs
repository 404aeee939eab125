//! JSON to deterministic CBOR.

use super::{ConvertError, deterministic};
use crate::value::{Document, Encoding, Limits};

/// The deterministic CBOR of a JSON document, value for value.
///
/// # Errors
/// The bytes are not JSON that CBOR can represent (see [`crate::value::ReadFault`]), or a number is
/// beyond the limits of the module.
pub fn from_json(json: &[u8], limits: Limits) -> Result<Vec<u8>, ConvertError> {
    deterministic(&Document::read(json, Encoding::Json, limits)?)
}
