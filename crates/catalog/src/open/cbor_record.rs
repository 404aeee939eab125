//! Records in CBOR: unpacked to the JSON that their format reads, and packed again. The stored
//! bytes stay beside it.

use evidence::cbor::{ConvertError, from_json, to_json};
use evidence::value::Limits;
use formats::{Content, Format, Written, vac};
use session::{Member, Transport};

use crate::error::Error;

/// The only document with a form in CBOR, by its name in the registry.
const RECORD: &str = vac::NAME;

/// The member as its format reads it.
///
/// # Errors
/// Where it is a record in CBOR that JSON can't hold, or none at all.
pub(crate) fn decode(format: &dyn Format, member: Member) -> Result<Member, ConvertError> {
    if format.name() != RECORD || !vac::is_cbor(member.bytes()) {
        return Ok(format.decode(member));
    }
    let json = to_json(untagged(member.bytes()), Limits::default())?;
    let (name, stream) = (member.name.clone(), member.stream.clone());
    let stored = member.stored_bytes().to_vec();
    Ok(Member::stored(name, stream, json, Transport::Cbor(stored)).unwrap_or(member))
}

fn untagged(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xd9\xd9\xf7").unwrap_or(bytes)
}

/// A document that was written as JSON, in deterministic CBOR (RFC 8949, section 4.2.1).
///
/// # Errors
/// Where it is no record, or holds a number beyond the limits of [`evidence::cbor`].
pub(crate) fn pack(written: &mut Written, to: &str) -> Result<(), Error> {
    if to != RECORD {
        return Err(Error::NoCbor { format: to.into(), only: RECORD });
    }
    for (name, content) in &mut written.files {
        let bytes = from_json(content, Limits::default()).map_err(|error| Error::Pack { error })?;
        *content = Content::from(bytes);
        if let Some(stem) = name.strip_suffix(".json") {
            *name = format!("{stem}.cbor");
        }
    }
    Ok(())
}
