//! Sorting that is compiled once: the standard library's sort is compiled anew for each type,
//! which was a twenty-fifth of the program.

use std::cmp::Ordering;

/// Stable sorts of slices with the meaning of [`slice::sort`], [`slice::sort_by`] and
/// [`slice::sort_by_key`].
///
/// # Example
/// ```
/// use verbatim_session::Sorting as _;
///
/// let mut words = ["three", "one", "two"];
/// words.in_order_by_key(|word| word.len());
/// assert_eq!(words, ["one", "two", "three"]);
/// ```
pub trait Sorting<T> {
    /// Sorts by the order of the type.
    fn in_order(&mut self)
    where
        T: Ord;

    /// Sorts by a comparison.
    fn in_order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is computed for each comparison.
    fn in_order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Sorting<T> for [T] {
    fn in_order(&mut self)
    where
        T: Ord,
    {
        self.in_order_by(T::cmp);
    }

    fn in_order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() <= FEW {
            return insert(self.len(), &mut |at| {
                let is_behind = compare(&self[at - 1], &self[at]) == Ordering::Greater;
                if is_behind {
                    self.swap(at - 1, at);
                }
                is_behind
            });
        }
        if let Some(order) = order(self.len(), &mut |a, b| compare(&self[a], &self[b])) {
            put(order, &mut |a, b| self.swap(a, b));
        }
    }

    fn in_order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.in_order_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// The number of items up to which each is moved to its place by steps: most slices have fewer, and
/// are in order already.
const FEW: usize = 16;

/// Moves each item before those that belong behind it. `step` does so by one place, and says
/// whether it had to.
fn insert(length: usize, step: &mut dyn FnMut(usize) -> bool) {
    for end in 1..length {
        let mut at = end;
        while at > 0 && step(at) {
            at -= 1;
        }
    }
}

/// The places of the items in their new order; `None` if they are in order already.
fn order(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    if (1..length).all(|at| compare(at - 1, at) != Ordering::Greater) {
        return None;
    }
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| compare(*a, *b));
    Some(order)
}

/// Moves each item to its new place, one cycle of places after another.
fn put(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sort_of_the_standard_library() {
        let mut seed = 7_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for length in 0..200 {
            let items: Vec<(u32, usize)> = (0..length).map(|at| (random(20), at)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            // A stable sort keeps the second member in its order.
            ours.in_order_by_key(|item| item.0);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
            ours.in_order_by(|a, b| b.cmp(a));
            theirs.sort_by(|a, b| b.cmp(a));
            assert_eq!(ours, theirs);
            ours.in_order();
            assert!(ours.is_sorted());
        }
    }
}
