//! Decompression budget: one limit on the length of unpacked bytes, for every unpacking.

/// Largest unpacked length in bytes, whatever the stored length.
pub const MOST: usize = 1 << 30;

/// Largest ratio of unpacked to stored length.
const TIMES: usize = 100;

/// Unpacked length in bytes that is always allowed: a ratio proves nothing for a short text.
pub const SMALL: usize = 1 << 20;

/// The number of bytes that `packed` ones may unpack to.
#[must_use]
pub const fn room(packed: usize) -> usize {
    let room = packed.saturating_mul(TIMES).saturating_add(SMALL);
    if room < MOST { room } else { MOST }
}
