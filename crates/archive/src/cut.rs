//! Cuts content into pieces. Where a piece ends depends only on the bytes around that place, so
//! that copies and forks of a session share their pieces. A piece ends at the end of a line, where
//! there is one.

use std::sync::LazyLock;

/// Least length of a piece in bytes, but for the last one.
pub(crate) const LEAST: usize = 256 * 1024;

/// Greatest length of a piece in bytes.
pub(crate) const MOST: usize = 4 * 1024 * 1024;

/// A place is chosen if these bits of the rolling hash are 0: one place in 512 KiB.
const MASK: u64 = ((1 << 19) - 1) << 40;

/// A number for each byte. They are the output of SplitMix64, and must never change: equal content
/// is cut at equal places by every version.
static NUMBERS: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut state: u64 = 0x7665_7262_6174_696d;
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = state;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    })
});

/// Length of the first piece of these bytes, which are at least [`MOST`] or all that is left.
pub(crate) fn first(bytes: &[u8]) -> usize {
    let window = &bytes[..bytes.len().min(MOST)];
    if window.len() <= LEAST {
        return window.len();
    }
    let (numbers, mut hash) = (&*NUMBERS, 0_u64);
    // The hash depends on the last 64 bytes alone.
    for byte in &window[LEAST - 64..LEAST] {
        hash = (hash << 1).wrapping_add(numbers[usize::from(*byte)]);
    }
    for (at, byte) in window.iter().enumerate().skip(LEAST) {
        hash = (hash << 1).wrapping_add(numbers[usize::from(*byte)]);
        if hash & MASK == 0 {
            if let Some(end) = memchr::memchr(b'\n', &window[at..]) {
                return at + end + 1;
            }
            break;
        }
    }
    if window.len() == bytes.len() && window.len() < MOST {
        return window.len();
    }
    // The last end of a line, if there is one behind the least length.
    memchr::memrchr(b'\n', &window[LEAST..]).map_or(window.len(), |end| LEAST + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let line = |at: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(at as u64 | 1);
            format!("{{\"n\":{at},\"text\":\"{:x}\"}}\n", state).repeat(1 + (state >> 60) as usize)
        };
        (0..count).map(line).collect::<String>().into_bytes()
    }

    fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(first(bytes));
            all.push(piece);
            bytes = rest;
        }
        all
    }

    #[test]
    fn pieces_end_at_lines_and_have_the_promised_lengths() {
        let bytes = lines(60_000, 7);
        let pieces = pieces(&bytes);
        assert!(pieces.len() > 4, "{}", pieces.len());
        let (last, others) = pieces.split_last().unwrap();
        assert!(others.iter().all(|piece| (LEAST..=MOST).contains(&piece.len())));
        assert!(others.iter().all(|piece| piece.ends_with(b"\n")) && !last.is_empty());
        assert_eq!(pieces.concat(), bytes);
    }

    #[test]
    fn a_change_at_the_beginning_leaves_later_pieces_equal() {
        let bytes = lines(60_000, 7);
        let other = [b"{\"new\":true}\n".as_slice(), &bytes].concat();
        let (ours, theirs) = (pieces(&bytes), pieces(&other));
        let same = theirs.iter().filter(|piece| ours.contains(piece)).count();
        assert!(same + 2 >= theirs.len(), "{same} of {}", theirs.len());
    }

    #[test]
    fn content_without_lines_is_cut_too() {
        let bytes = vec![b'x'; 2 * MOST + 10];
        let lengths: Vec<usize> = pieces(&bytes).iter().map(|piece| piece.len()).collect();
        assert_eq!(lengths, [MOST, MOST, 10]);
    }
}
