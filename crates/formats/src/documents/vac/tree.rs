//! Native values under construction from their parts, which come in any order.

use std::borrow::Cow;
use std::collections::BTreeMap;

use session::Sorting as _;

use crate::documents::shared::out::Out;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step<'r> {
    /// The member of an object.
    Key(Cow<'r, str>),
    /// The element of an array.
    Index(u64),
}

/// Largest depth of a value. No session is deeper, so a record with a deeper path is hostile.
pub(super) const DEPTH: usize = 512;

/// A value, or its known parts.
#[derive(Default)]
pub(super) struct Tree<'r> {
    /// The value itself, if it is known whole.
    whole: Option<&'r [u8]>,
    /// Its members by key, with the order of their insertion.
    members: BTreeMap<Cow<'r, str>, (usize, Tree<'r>)>,
    /// Its elements by index. If there are any, it is an array.
    elements: BTreeMap<u64, Tree<'r>>,
}

impl<'r> Tree<'r> {
    /// The value at the end of some steps, inserted if it is missing.
    pub(super) fn at(&mut self, steps: impl IntoIterator<Item = Step<'r>>) -> &mut Self {
        steps.into_iter().fold(self, |tree, step| match step {
            Step::Index(index) => tree.elements.entry(index).or_default(),
            Step::Key(key) => {
                let order = tree.members.len();
                &mut tree.members.entry(key).or_insert_with(|| (order, Self::default())).1
            }
        })
    }

    /// Sets the whole value.
    pub(super) fn set(&mut self, raw: &'r [u8]) {
        self.whole = Some(raw);
    }

    /// Writes the value.
    pub(super) fn write(self, out: &mut Out<'_>) {
        if let Some(raw) = self.whole {
            return out.raw(raw);
        }
        if self.elements.is_empty() {
            let mut members: Vec<_> = self.members.into_iter().collect();
            members.in_order_by_key(|(_, (order, _))| *order);
            out.open();
            for (key, (_, tree)) in members {
                out.key(&key);
                tree.write(out);
            }
            return out.close();
        }
        let mut elements = self.elements;
        // A path does not distinguish an index from a key that looks like one. Existing elements
        // do.
        for (key, (_, tree)) in self.members {
            if let Ok(index) = key.parse() {
                elements.insert(index, tree);
            }
        }
        out.open_array();
        for tree in elements.into_values() {
            tree.write(out);
        }
        out.close_array();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> Step<'_> {
        Step::Key(Cow::Borrowed(key))
    }

    #[test]
    fn values_grow_from_their_parts() {
        let mut tree = Tree::default();
        tree.at([key("b"), Step::Index(1), key("x")]).set(b"1");
        tree.at([key("a")]).set(b"[2]");
        tree.at([key("b"), key("0")]).set(b"null");
        tree.at([key("o"), key("0")]).set(b"true");
        tree.at([key("e")]);
        let mut out = Out::default();
        tree.write(&mut out);
        let text = String::from_utf8(out.text).unwrap();
        assert_eq!(text, r#"{"b":[null,{"x":1}],"a":[2],"o":{"0":true},"e":{}}"#);
    }
}
