//! How long bytes may become that were packed: one budget for every unpacking.

/// No unpacking gives more bytes than this, however much was stored.
pub const MOST: usize = 1 << 30;

/// So many times what is stored.
const TIMES: usize = 100;

/// What little bytes may always become: a ratio says nothing of a short text.
pub const SMALL: usize = 1 << 20;

/// How many bytes may come of `packed` ones.
#[must_use]
pub const fn room(packed: usize) -> usize {
    let room = packed.saturating_mul(TIMES).saturating_add(SMALL);
    if room < MOST { room } else { MOST }
}
