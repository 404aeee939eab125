//! Records in CBOR: known by their beginning, and unpacked to the JSON that their format reads.
//! The stored bytes stay beside it. What a value means is not looked at.

use evidence::cbor::{ConvertError, from_json, to_json};
use evidence::value::Limits;
use formats::{Candidate, Claim, Content, Format, Formats, Role, Written, vac};
use session::{Member, Transport};

use crate::error::Error;

/// The only document with a form in CBOR, by its name in the registry.
const RECORD: &str = vac::NAME;

/// Keys that a record has before its entries, wherever its keys are sorted; encoded as text.
const KEYS: [&[u8]; 2] = [b"\x67session", b"\x67entries"];

/// The format of a file that is a record in CBOR, and its claim: no format sees more than JSON.
pub(crate) fn claim(
    formats: Formats<'_>,
    file: &Candidate<'_>,
) -> Option<(&'static dyn Format, Claim)> {
    let format = formats.iter().find(|format| format.name() == RECORD)?;
    let claim = || Claim::Part { group: file.path.to_owned(), role: Role::Main };
    is_record(file.head).then(|| (*format, claim()))
}

/// True for the first bytes of a record in CBOR: a map (behind the tag that says "CBOR", RFC 8949,
/// section 3.4.6, where that stands) with a session and its entries.
pub(crate) fn is_record(head: &[u8]) -> bool {
    let map = head.strip_prefix(b"\xd9\xd9\xf7").unwrap_or(head);
    matches!(map.first(), Some(0xa1..=0xbb | 0xbf))
        && KEYS.iter().all(|key| memchr::memmem::find(map, key).is_some())
}

/// The member as its format reads it.
///
/// # Errors
/// Where it is a record in CBOR that JSON can't hold, or none at all.
pub(crate) fn decode(format: &dyn Format, member: Member) -> Result<Member, ConvertError> {
    if format.name() != RECORD || !is_record(member.bytes()) {
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
