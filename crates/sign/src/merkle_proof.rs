//! Proofs about Merkle trees, verified: each gives the root that it leads to, and a proof is good
//! if that is the root which is known.

use crate::tree::{Hash, covering, left_count, node_hash};

/// The reason why a proof leads to no root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// The sizes or the index are not those of a tree.
    #[error("its index and sizes are not those of a tree")]
    Range,
    /// It has more or fewer hashes than such a proof has.
    #[error("it has {has} hashes, and a proof of these sizes has another number")]
    Length {
        /// The number of its hashes.
        has: usize,
    },
    /// It leads to another root than the known one.
    #[error("it leads to another root")]
    Root,
}

/// The root of a tree of `size` leaves that has this leaf at `index` (RFC 9162, 2.1.3.2).
///
/// # Errors
/// The index is not in the tree, or the path is not of this length.
pub fn inclusion_root(
    index: u64,
    size: u64,
    leaf: &Hash,
    path: &[Hash],
) -> Result<Hash, ProofFault> {
    if index >= size {
        return Err(ProofFault::Range);
    }
    let wrong = ProofFault::Length { has: path.len() };
    let (mut at, mut last, mut root) = (index, size - 1, *leaf);
    for other in path {
        if last == 0 {
            return Err(wrong);
        }
        if at & 1 == 1 || at == last {
            root = node_hash(other, &root);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            root = node_hash(&root, other);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    if last == 0 { Ok(root) } else { Err(wrong) }
}

/// The root of a tree of `new` leaves whose first `old` leaves have `old_root` (RFC 9162, 2.1.4.2).
///
/// # Errors
/// The sizes are not those of two trees, the path is not of this length, or it does not lead to
/// `old_root`.
pub fn consistency_root(
    old: u64,
    new: u64,
    old_root: &Hash,
    path: &[Hash],
) -> Result<Hash, ProofFault> {
    let wrong = ProofFault::Length { has: path.len() };
    match (old, new) {
        // A tree without leaves is the beginning of every other: that shows nothing.
        _ if old > new || old == 0 => return Err(ProofFault::Range),
        _ if old == new && path.is_empty() => return Ok(*old_root),
        _ if old == new => return Err(wrong),
        _ => {}
    }
    let (first, rest) = match old.is_power_of_two() {
        true if path.is_empty() => return Err(wrong),
        true => (*old_root, path),
        false => {
            let (first, rest) = path.split_first().ok_or(wrong)?;
            (*first, rest)
        }
    };
    let complete = (old - 1).trailing_ones();
    let (mut at, mut last) = ((old - 1) >> complete, (new - 1) >> complete);
    let (mut old_side, mut new_side) = (first, first);
    for other in rest {
        if last == 0 {
            return Err(wrong);
        }
        if at & 1 == 1 || at == last {
            old_side = node_hash(other, &old_side);
            new_side = node_hash(other, &new_side);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            new_side = node_hash(&new_side, other);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    match last {
        0 if old_side == *old_root => Ok(new_side),
        0 => Err(ProofFault::Root),
        _ => Err(wrong),
    }
}

/// A part of the leaves of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreePart {
    /// The hash of one leaf.
    Leaf(Hash),
    /// Leaves that are known only by the hashes of the fewest subtrees that cover them.
    Covered {
        /// The number of leaves.
        leaves: u64,
        /// The hashes, from the left.
        nodes: Vec<Hash>,
    },
}

impl TreePart {
    /// The number of leaves.
    #[must_use]
    pub const fn leaves(&self) -> u64 {
        match self {
            Self::Leaf(_) => 1,
            Self::Covered { leaves, .. } => *leaves,
        }
    }
}

/// The root of the tree that has these parts, from the left, and no other leaf.
///
/// # Errors
/// A part that is covered has another number of hashes than such a cover has, or no leaf.
pub fn root_of_parts(parts: &[TreePart]) -> Result<Hash, ProofFault> {
    let count = |sum: u64, part: &TreePart| sum.checked_add(part.leaves());
    let size = parts.iter().try_fold(0, count).ok_or(ProofFault::Range)?;
    if size == 0 || size > 1 << 53 {
        return Err(ProofFault::Range);
    }
    // Each node joins the one on its left as soon as both are siblings.
    let (mut open, mut start) = (Vec::new(), 0);
    for part in parts {
        match part {
            TreePart::Leaf(hash) => join(&mut open, size, (start, 1, *hash)),
            TreePart::Covered { leaves, nodes } => {
                let subtrees = covering(size, start, start + leaves);
                if subtrees.len() != nodes.len() || nodes.is_empty() {
                    return Err(ProofFault::Length { has: nodes.len() });
                }
                for ((first, count), hash) in subtrees.into_iter().zip(nodes) {
                    join(&mut open, size, (first, count, *hash));
                }
            }
        }
        start += part.leaves();
    }
    match *open {
        [(0, count, root)] if count == size => Ok(root),
        _ => Err(ProofFault::Range),
    }
}

/// A subtree: its first leaf, its number of leaves, its hash.
type Subtree = (u64, u64, Hash);

/// Adds a subtree behind the others, and joins those that are siblings.
fn join(open: &mut Vec<Subtree>, size: u64, next: Subtree) {
    let mut next = next;
    while let Some((first, count, hash)) = open.last() {
        let both = count + next.1;
        // Siblings are as large as each other, or the right one is at the end of the tree.
        let at_end = next.0 + next.1 == size && *count > next.1;
        let aligned = first.is_multiple_of(count * 2) && *count == left_count(both);
        if !(aligned && (*count == next.1 || at_end)) {
            break;
        }
        next = (*first, both, node_hash(hash, &next.2));
        open.pop();
    }
    open.push(next);
}
