//! Index of many texts that are looked for at once. Its memory is that of the texts and a few bytes
//! for each, and a search costs the same however many texts begin alike.

use std::ops::Range;

use session::Sorting as _;

/// The longest beginning by which a text is looked up.
const WIDTH: usize = 8;
/// The largest number of texts that begin with each other which are tried at one place.
const TRIES: usize = 64;
/// The number of values of two bytes.
const PAIRS: usize = 1 << 16;
const NONE: u32 = u32::MAX;

/// Texts, each with what it is.
#[derive(Debug)]
pub(crate) struct Index<T> {
    bytes: Vec<u8>,
    entries: Vec<Entry<T>>,
    /// By width of the beginning.
    groups: Vec<Group>,
    /// A bit for each two bytes with which a text begins.
    pairs: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    start: u32,
    length: u32,
    item: T,
}

/// The texts of one width.
#[derive(Debug)]
struct Group {
    width: usize,
    /// The entries, in the order of their texts.
    sorted: Vec<u32>,
    /// For each of them, the longest one before that it begins with.
    within: Vec<u32>,
    /// A bit for each hash of a beginning.
    filter: Vec<u64>,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), entries: Vec::new(), groups: Vec::new(), pairs: Vec::new() }
    }
}

impl<T: Copy> Index<T> {
    /// An index with room for some texts, of so many bytes together.
    pub(crate) fn with_room((texts, bytes): (usize, usize)) -> Self {
        let (bytes, entries) = (Vec::with_capacity(bytes), Vec::with_capacity(texts));
        Self { bytes, entries, ..Self::default() }
    }

    /// Adds a text, and gives its number. One of less than two bytes is not found.
    pub(crate) fn add(&mut self, text: &[u8], item: T) -> u32 {
        let (start, number) = (self.bytes.len() as u32, self.entries.len() as u32);
        self.bytes.extend_from_slice(text);
        self.entries.push(Entry { start, length: text.len() as u32, item });
        number
    }

    /// The number of bytes of its texts.
    #[cfg(test)]
    pub(crate) const fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The text of a number.
    pub(crate) fn text(&self, entry: u32) -> &[u8] {
        let Entry { start, length, .. } = self.entries[entry as usize];
        &self.bytes[start as usize..(start + length) as usize]
    }

    /// Makes the index, once all texts are added.
    pub(crate) fn build(&mut self) {
        self.pairs = vec![0; PAIRS / 64];
        for entry in 0..self.entries.len() as u32 {
            let text = self.text(entry);
            if text.len() < 2 {
                continue;
            }
            let pair = pair(text);
            self.pairs[pair / 64] |= 1 << (pair % 64);
        }
        for width in 2..=WIDTH {
            let is_one = |&entry: &u32| self.text(entry).len().min(WIDTH) == width;
            let mut sorted: Vec<u32> = (0..self.entries.len() as u32).filter(is_one).collect();
            if sorted.is_empty() {
                continue;
            }
            // Of equal texts, the first one counts.
            sorted.in_order_by(|&a, &b| self.text(a).cmp(self.text(b)).then(a.cmp(&b)));
            sorted.dedup_by(|later, first| self.text(*later) == self.text(*first));
            let (mut within, mut open) = (Vec::with_capacity(sorted.len()), Vec::<u32>::new());
            let bits = (sorted.len() * 32).next_power_of_two().clamp(1 << 12, 1 << 26);
            let mut filter = vec![0; bits / 64];
            for (at, &entry) in (0u32..).zip(&sorted) {
                let text = self.text(entry);
                while let Some(&last) = open.last() {
                    if text.starts_with(self.text(sorted[last as usize])) {
                        break;
                    }
                    open.pop();
                }
                within.push(open.last().copied().unwrap_or(NONE));
                open.push(at);
                let bit = hash(&text[..width]) as usize & (bits - 1);
                filter[bit / 64] |= 1 << (bit % 64);
            }
            self.groups.push(Group { width, sorted, within, filter });
        }
    }

    /// Gives each text that is found to `take`, with its place; the longest at a place first, and
    /// the others only until `take` returns true.
    pub(crate) fn find(&self, text: &[u8], take: &mut dyn FnMut(&T, Range<usize>) -> bool) {
        for group in &self.groups {
            let mask = group.filter.len() * 64 - 1;
            for (at, beginning) in text.windows(group.width).enumerate() {
                let pair = pair(beginning);
                if self.pairs[pair / 64] >> (pair % 64) & 1 == 0 {
                    continue;
                }
                let bit = hash(beginning) as usize & mask;
                if group.filter[bit / 64] >> (bit % 64) & 1 == 1 {
                    self.at(group, text, at, take);
                }
            }
        }
    }

    fn at(
        &self,
        group: &Group,
        text: &[u8],
        at: usize,
        take: &mut dyn FnMut(&T, Range<usize>) -> bool,
    ) {
        let rest = &text[at..];
        let behind = group.sorted.partition_point(|&entry| self.text(entry) <= rest);
        let mut candidate = behind.checked_sub(1).map_or(NONE, |before| before as u32);
        for _ in 0..TRIES {
            let Some(&entry) = group.sorted.get(candidate as usize) else { return };
            let length = self.text(entry).len();
            if rest.starts_with(self.text(entry))
                && take(&self.entries[entry as usize].item, at..at + length)
            {
                return;
            }
            candidate = group.within[candidate as usize];
        }
    }
}

fn pair(text: &[u8]) -> usize {
    usize::from(u16::from_le_bytes([text[0], text[1]]))
}

fn hash(beginning: &[u8]) -> u64 {
    let mut bytes = [0; WIDTH];
    bytes[..beginning.len()].copy_from_slice(beginning);
    u64::from_le_bytes(bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
