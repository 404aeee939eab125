//! Merkle trees of RFC 9162, section 2.1: hashes, proofs that are made, and covers of ranges.
//!
//! A tree only grows: the root of its first leaves is the root that it had when it had no more, so
//! that every earlier head can be proven from the tree as it is now.

use sha2::{Digest as _, Sha256};

/// A hash of a tree: SHA-256.
pub type Hash = [u8; 32];

/// The hash of a leaf with this data.
#[must_use]
pub fn leaf_hash(data: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(data).finalize().into()
}

/// The hash of a node with these two below it.
#[must_use]
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// A hash of its hexadecimal digits, in small letters.
#[must_use]
pub fn hash_of_hex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    (hex(&hash) == text).then_some(hash)
}

/// Bytes in hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The root of a tree without leaves.
#[must_use]
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The number of leaves on the left of a subtree of `count`: the greatest power of two below it.
/// There are at least two.
pub(crate) const fn left_count(count: u64) -> u64 {
    1 << (count - 1).ilog2()
}

/// The subtrees that cover the leaves of a range, as their first leaf and their number of leaves.
/// There are no fewer that cover it, and at most two for each level.
pub(crate) fn covering(size: u64, first: u64, end: u64) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut open = if size > 0 { vec![(0, size)] } else { Vec::new() };
    while let Some((start, count)) = open.pop() {
        let behind = start + count;
        if first >= behind || end <= start {
            continue;
        }
        if first <= start && behind <= end {
            found.push((start, count));
            continue;
        }
        let left = left_count(count);
        open.push((start + left, count - left));
        open.push((start, left));
    }
    found
}

/// A tree, with the hashes of all complete subtrees: two for each leaf.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    levels: Vec<Vec<Hash>>,
}

impl Tree {
    /// The number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.levels.first().map_or(0, |leaves| leaves.len() as u64)
    }

    /// Adds a leaf behind the others.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            let Some(nodes) = self.levels.get_mut(level) else { return };
            nodes.push(hash);
            match **nodes {
                [.., left, right] if nodes.len().is_multiple_of(2) => {
                    hash = node_hash(&left, &right);
                }
                _ => return,
            }
        }
    }

    /// The root of the first leaves; `None` if there are not so many.
    #[must_use]
    pub fn root(&self, size: u64) -> Option<Hash> {
        match size {
            0 => Some(empty_root()),
            _ if size > self.size() => None,
            _ => self.subtree(0, size),
        }
    }

    /// The hash of a subtree, which the tree has or will have when it has grown.
    fn subtree(&self, start: u64, count: u64) -> Option<Hash> {
        if count.is_power_of_two() {
            let level = self.levels.get(count.ilog2() as usize)?;
            return level.get(usize::try_from(start / count).ok()?).copied();
        }
        let left = left_count(count);
        Some(node_hash(&self.subtree(start, left)?, &self.subtree(start + left, count - left)?))
    }

    /// The hashes that lead from a leaf to the root of the first `size` leaves (2.1.3.1).
    #[must_use]
    pub fn inclusion(&self, index: u64, size: u64) -> Option<Vec<Hash>> {
        if index >= size || size > self.size() {
            return None;
        }
        let (mut start, mut count, mut path) = (0, size, Vec::new());
        while count > 1 {
            let left = left_count(count);
            if index < start + left {
                path.push(self.subtree(start + left, count - left)?);
                count = left;
            } else {
                path.push(self.subtree(start, left)?);
                (start, count) = (start + left, count - left);
            }
        }
        path.reverse();
        Some(path)
    }

    /// The hashes that show that the first `old` leaves are the beginning of the first `new`
    /// (2.1.4.1).
    #[must_use]
    pub fn consistency(&self, old: u64, new: u64) -> Option<Vec<Hash>> {
        if old == 0 || old > new || new > self.size() {
            return None;
        }
        let (mut start, mut count, mut path) = (0, new, Vec::new());
        while start + count != old {
            let left = left_count(count);
            if old <= start + left {
                path.push(self.subtree(start + left, count - left)?);
                count = left;
            } else {
                path.push(self.subtree(start, left)?);
                (start, count) = (start + left, count - left);
            }
        }
        if start > 0 {
            path.push(self.subtree(start, count)?);
        }
        path.reverse();
        Some(path)
    }

    /// The hashes of the fewest subtrees that cover the leaves from `first` up to `end`.
    #[must_use]
    pub fn cover(&self, first: u64, end: u64) -> Option<Vec<Hash>> {
        if first > end || end > self.size() {
            return None;
        }
        let subtrees = covering(self.size(), first, end).into_iter();
        subtrees.map(|(start, count)| self.subtree(start, count)).collect()
    }
}
