//! Names of members, prepared for comparison without a loop or a call.

/// A name: its length, its first and its last eight bytes (for a shorter name, all of them twice).
/// These are all bytes of a name of up to sixteen; [`Name::is`] compares the rest too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    head: u64,
    tail: u64,
    length: u32,
}

impl Name {
    /// The name that is these bytes.
    #[must_use]
    pub(crate) const fn of(text: &[u8]) -> Self {
        let length = text.len();
        let tail = load(text, length.saturating_sub(8));
        Self { head: load(text, 0), tail, length: length as u32 }
    }

    /// The name at `start..end` of `text`. Eight bytes from its start and before its end can nearly
    /// always be read, whatever its length.
    #[inline(always)]
    pub(crate) fn at(text: &[u8], start: u32, end: u32) -> Self {
        let (from, to) = (start as usize, end as usize);
        let length = end.wrapping_sub(start);
        match (eight(text, from), eight(text, to.wrapping_sub(8))) {
            (Some(head), Some(tail)) if length > 0 => {
                // The bits of eight bytes that are not the name's.
                let others = 64 - 8 * length.min(8);
                Self { head: head & (u64::MAX >> others), tail: tail >> others, length }
            }
            _ => Self::of(text.get(from..to).unwrap_or_default()),
        }
    }

    /// Whether this name, at `start..end` of `text`, is the name `own` with the bytes `bytes`.
    #[inline(always)]
    pub(crate) fn is(self, (text, start, end): (&[u8], u32, u32), own: Self, bytes: &[u8]) -> bool {
        let (from, to) = (start as usize, end as usize);
        self == own
            && match self.length {
                ..=16 => true,
                17..=24 => eight(text, from + 8) == eight(bytes, 8),
                _ => text.get(from..to) == Some(bytes),
            }
    }

    #[inline]
    pub(crate) const fn hash(self) -> u8 {
        let mixed = self.head ^ self.tail.rotate_left(29) ^ self.length as u64;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
    }
}

/// Whether two names are equal. Without a call: names are short, and compared often.
#[inline(always)]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(first), Some(last)) = (a.first_chunk::<8>(), a.last_chunk::<8>()) {
        let ends = b.first_chunk() == Some(first) && b.last_chunk() == Some(last);
        return ends && (a.len() <= 16 || a == b);
    }
    if let (Some(first), Some(last)) = (a.first_chunk::<4>(), a.last_chunk::<4>()) {
        return b.first_chunk() == Some(first) && b.last_chunk() == Some(last);
    }
    // All bytes, if there are at most three.
    let three = |text: &[u8]| (text.first().copied(), text.get(1).copied(), text.last().copied());
    three(a) == three(b)
}

/// The eight bytes of `text` from `from`, the first the lowest.
#[inline(always)]
fn eight(text: &[u8], from: usize) -> Option<u64> {
    let bytes = text.get(from..from.wrapping_add(8))?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Up to eight bytes of `text` from `from`, the first the lowest.
const fn load(text: &[u8], from: usize) -> u64 {
    if let Some(eight) = text.split_at(from).1.first_chunk::<8>() {
        return u64::from_le_bytes(*eight);
    }
    let (mut word, mut at) = (0, 0);
    while from + at < text.len() {
        word |= (text[from + at] as u64) << (8 * at);
        at += 1;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::{Name, same};

    /// A name is equal to itself at any position, and to no other name.
    #[test]
    fn a_name_is_its_bytes_wherever_it_stands() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        for start in 0..text.len() {
            for end in start..text.len() {
                let found = Name::at(text.as_bytes(), start as u32, end as u32);
                assert_eq!(found, Name::of(&text.as_bytes()[start..end]), "{start}..{end}");
                let others = (start..=end).filter(|&other| other != end);
                for other in others {
                    let (own, other) =
                        (&text.as_bytes()[start..end], &text.as_bytes()[start..other]);
                    assert_ne!(found, Name::of(other));
                    assert!(!same(own, other) && same(own, own));
                }
            }
        }
    }

    /// Also if they have the same length, beginning and end.
    #[test]
    fn names_that_differ_in_the_middle_are_told_apart() {
        for length in 1..40u32 {
            let own: Vec<u8> = (b'A'..).take(length as usize).collect();
            let known = Name::of(&own);
            let is = |text: &[u8]| Name::at(text, 0, length).is((text, 0, length), known, &own);
            assert!(is(&own) && same(&own, &own.clone()));
            for at in 0..own.len() {
                let mut other = own.clone();
                other[at] ^= 1;
                assert!(!is(&other) && !same(&other, &own), "{length} bytes, the one at {at}");
            }
        }
    }

    #[test]
    fn names_with_nul_bytes_are_told_apart() {
        assert_ne!(Name::of(b"id"), Name::of(b"id\0"));
        assert_ne!(Name::of(b"sessionId"), Name::of(b"sessionId\0"));
    }
}
