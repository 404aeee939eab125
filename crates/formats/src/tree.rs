//! Trees of messages: nodes that name their parent. Such trees come from files, so a parent may be
//! missing, and a node may be its own ancestor.

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// The number of a node as stored. A member has fewer bytes than a `u32` can count.
pub(crate) fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// The nodes from a leaf up to its root, the leaf first. A cycle ends before its first repetition.
pub(crate) fn path(leaf: u32, nodes: usize, parent: impl Fn(usize) -> u32) -> Vec<u32> {
    let (mut path, mut passed) = (Vec::new(), vec![false; nodes]);
    let mut at = leaf as usize;
    while at < nodes && !std::mem::replace(&mut passed[at], true) {
        path.push(index(at));
        at = parent(at) as usize;
    }
    path
}

/// Gives each node without a value one that follows from its parent's: `follow` gets the node and
/// that value, `None` at a root and where a cycle begins.
pub(crate) fn inherit<T: Copy>(
    values: &mut [Option<T>],
    parent: impl Fn(usize) -> u32,
    mut follow: impl FnMut(usize, Option<T>) -> T,
) {
    let (mut way, mut entered) = (Vec::new(), vec![false; values.len()]);
    for number in 0..values.len() {
        let mut at = number;
        let mut above = loop {
            match values.get(at) {
                Some(None) if !std::mem::replace(&mut entered[at], true) => {
                    way.push(at);
                    at = parent(at) as usize;
                }
                Some(known) => break *known,
                None => break None,
            }
        };
        while let Some(at) = way.pop() {
            let value = follow(at, above);
            values[at] = Some(value);
            above = values[at];
        }
    }
}

/// The root of each node.
pub(crate) fn roots(nodes: usize, parent: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut roots = vec![None; nodes];
    inherit(&mut roots, parent, |at, above| above.unwrap_or(index(at)));
    roots.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two roots, a branch, and a cycle.
    const PARENTS: [u32; 7] = [NONE, 0, 1, 1, NONE, 6, 5];

    fn parent(at: usize) -> u32 {
        PARENTS[at]
    }

    #[test]
    fn a_path_ends_at_its_root_and_before_a_repetition() {
        assert_eq!(path(3, 7, parent), [3, 1, 0]);
        assert_eq!(path(4, 7, parent), [4]);
        assert_eq!(path(5, 7, parent), [5, 6]);
        assert_eq!(path(NONE, 7, parent), [0; 0]);
    }

    #[test]
    fn each_node_has_one_root() {
        assert_eq!(roots(7, parent), [0, 0, 0, 0, 4, 6, 6]);
    }

    #[test]
    fn values_follow_from_the_nearest_known_ancestor() {
        let mut values = [Some(1), None, None, Some(9), None, None, None];
        inherit(&mut values, parent, |at, above| above.unwrap_or(at * 100) + 1);
        assert_eq!(values.map(Option::unwrap), [1, 2, 3, 9, 401, 602, 601]);
    }
}
