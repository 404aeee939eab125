//! The head of a CBOR item: major type, additional information and argument (RFC 8949, section 3).

use crate::value::fault::ReadFault;

pub(super) const UINT: u8 = 0;
pub(super) const NINT: u8 = 1;
pub(super) const BYTES: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const ARRAY: u8 = 4;
pub(super) const MAP: u8 = 5;
pub(super) const MAJOR_TAG: u8 = 6;
pub(super) const SIMPLE: u8 = 7;

/// Additional information of an indefinite length, or with major type 7 of a break.
pub(super) const INDEFINITE: u8 = 31;

#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) major: u8,
    pub(super) info: u8,
    pub(super) argument: u64,
    /// Length of the head itself, in bytes.
    pub(super) length: usize,
}

pub(super) fn head(bytes: &[u8]) -> Result<Head, ReadFault> {
    let (&first, rest) = bytes.split_first().ok_or(ReadFault::Truncated)?;
    let (major, info) = (first >> 5, first & 31);
    let width = match info {
        0..24 => return Ok(Head { major, info, argument: info.into(), length: 1 }),
        24..28 => 1usize << (info - 24),
        INDEFINITE if (BYTES..=MAP).contains(&major) || major == SIMPLE => 0,
        _ => return Err(ReadFault::Reserved),
    };
    let argument = rest.get(..width).ok_or(ReadFault::Truncated)?;
    let argument = argument.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
    Ok(Head { major, info, argument, length: 1 + width })
}

/// Writes a head with the shortest argument (RFC 8949, section 4.2.1).
pub(super) fn put(out: &mut Vec<u8>, major: u8, argument: u64) {
    let major = major << 5;
    let bytes = argument.to_be_bytes();
    let (info, width) = match argument {
        0..24 => return out.push(major | argument as u8),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..0x1_0000_0000 => (26, 4),
        _ => (27, 8),
    };
    out.push(major | info);
    out.extend_from_slice(&bytes[8 - width..]);
}

/// The argument of an item that was parsed before.
pub(crate) fn argument(item: &[u8]) -> u64 {
    head(item).map_or(0, |head| head.argument)
}

/// The joined content of the chunks of an indefinite-length string that was parsed before.
pub(crate) fn joined_chunks(mut chunks: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(chunks.len());
    while let Ok(head) = head(chunks) {
        let content = head.length..head.length + head.argument as usize;
        out.extend_from_slice(&chunks[content.clone()]);
        chunks = &chunks[content.end..];
    }
    out
}
