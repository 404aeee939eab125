//! What documents are written with: JSON text from slices, native paths, facts of a session. Knows
//! no document and no agent.

pub(crate) mod clean;
pub(crate) mod facts;
pub(crate) mod moment;
pub(crate) mod out;
pub(crate) mod paths;
pub(crate) mod places;

/// `uint` of RFC 8610, as far as 64 bits go.
pub(crate) fn is_uint(raw: &[u8]) -> bool {
    std::str::from_utf8(raw).is_ok_and(|text| !text.starts_with('+') && text.parse::<u64>().is_ok())
}
