//! Containers that the walk enters. Any other container is one field, whole.

use crate::json::node::{Node, Shape};

/// Depth from which a value is kept whole instead of being walked: hostile nesting costs no call
/// depth. Real sessions stay below 12.
pub(crate) const DEPTH: u8 = 48;

/// Largest number of values of a container that may be small. A field or an event costs many times
/// the memory of a small value.
const MANY: usize = 1 << 17;

/// Length that the values of a larger container must have on average, in bytes. Real messages are
/// longer.
const SMALL: usize = 64;

/// Whether the walk may enter a value at this depth, if it has this shape.
#[inline(always)]
pub(crate) fn opens(value: Node<'_>, shape: Shape, depth: u8) -> bool {
    value.shape() == shape && depth < DEPTH && !value.is_empty_container() && !is_crowded(value)
}

/// Whether a value is a container with a great number of small values.
#[inline]
pub(crate) fn is_crowded(value: Node<'_>) -> bool {
    let span = value.span();
    let length = (span.end - span.start) as usize;
    length > 2 * MANY && has_more_than(value, MANY.max(length / SMALL))
}

#[cold]
fn has_more_than(container: Node<'_>, count: usize) -> bool {
    container.values().nth(count).is_some() || container.elements().nth(count).is_some()
}
