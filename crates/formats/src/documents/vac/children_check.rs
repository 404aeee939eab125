//! Check of children against content: children repeat parts of an entry's content, for readers who
//! want them typed. Content takes precedence; a child that disagrees is found here.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use session::Sorting as _;
use session::{Node, Scan, Shape, Span, value};

use super::layout_read::{Layout, layout_name};
use super::restore::put;
use super::tree::Tree;
use crate::documents::shared::out::Out;

const ENTRIES: &[&str] = &["session", "entries"];
const LAYOUTS: &[&str] = &["session", "verbatim", "paths"];
const CHILDREN: &[&str] = &["children"];
const OURS: &[&str] = &["verbatim"];

/// Depth from which values are compared as written, and entries not at all.
const DEPTH: usize = 64;
/// Number of comparisons per child and part of the content. More are not needed if both have the
/// same order, and hostile ones would take quadratic time.
const TRIES: usize = 64;

/// The children of a record that match no part of their entry's content. Only a record with layouts
/// can be checked.
pub(super) fn disagreements(root: Node<'_>) -> Vec<Span> {
    let mut layouts = HashMap::new();
    for member in root.at(LAYOUTS).into_iter().flat_map(Node::members) {
        if let Ok(layout) = Layout::of(member.value, root) {
            layouts.insert(value::unescape(member.name), layout);
        }
    }
    let mut found = Vec::new();
    let mut open: Vec<(Node<'_>, usize)> = Vec::new();
    open.extend(root.at(ENTRIES).into_iter().flat_map(Node::elements).map(|entry| (entry, 0)));
    while let Some((entry, depth)) = open.pop() {
        let Some(children) = entry.at(CHILDREN).filter(|_| depth < DEPTH) else { continue };
        let mut said: Option<Said> = None;
        for child in children.elements() {
            open.push((child, depth + 1));
            let ours = child.at(OURS);
            let layout = layouts.get(&layout_name(child, ours)).filter(|layout| layout.covered);
            // A child with children of its own is not checked.
            let (Some(layout), None) = (layout, child.at(CHILDREN)) else { continue };
            let mut tree = Tree::default();
            if put(&mut tree, child, ours, Some(layout)).is_err() {
                continue;
            }
            let mut out = Out::default();
            tree.write(&mut out);
            if !said.get_or_insert_with(|| Said::of(entry)).has(&leaves_of(&out.text)) {
                found.push(child.span());
            }
        }
    }
    found.in_order();
    found
}

/// The leaves of a value, hashed: each path (`-` for every index) with its value.
type Leaves = HashSet<u64>;

/// The leaves of an entry, part by part.
struct Said {
    parts: Vec<Leaves>,
    /// The part that matched the last child: the next child is in it, or later.
    at: usize,
    tries: usize,
}

impl Said {
    /// The values of an entry, and the elements of its arrays.
    fn of(entry: Node<'_>) -> Self {
        let mut parts = Vec::new();
        for member in entry.members() {
            match member.value.shape() {
                _ if CHILDREN[0].as_bytes() == member.name => {}
                Shape::Array => parts.extend(member.value.elements().map(leaves)),
                Shape::Object => parts.push(leaves(member.value)),
                _ => {}
            }
        }
        let tries = TRIES * parts.len();
        Self { parts, at: 0, tries }
    }

    /// Whether one part has all leaves of the child, which may be only one side of the part.
    fn has(&mut self, child: &Leaves) -> bool {
        self.tries += TRIES;
        for step in 0..self.parts.len() {
            if self.tries == 0 {
                return true;
            }
            self.tries -= 1;
            let at = (self.at + step) % self.parts.len();
            if child.is_subset(&self.parts[at]) {
                self.at = at;
                return true;
            }
        }
        false
    }
}

fn leaves_of(raw: &[u8]) -> Leaves {
    Scan::new().read(raw, 0).map(|doc| leaves(doc.root())).unwrap_or_default()
}

fn leaves(node: Node<'_>) -> Leaves {
    let mut leaves = Leaves::new();
    let mut open = vec![(node, DefaultHasher::new(), 0)];
    while let Some((node, path, depth)) = open.pop() {
        match node.shape() {
            Shape::Object if depth < DEPTH && !node.is_empty_container() => {
                open.extend(node.members().map(|member| {
                    let mut path = path.clone();
                    value::unescape(member.name).hash(&mut path);
                    (member.value, path, depth + 1)
                }));
            }
            Shape::Array if depth < DEPTH && !node.is_empty_container() => {
                let mut path = path;
                "-".hash(&mut path);
                open.extend(node.elements().map(|element| (element, path.clone(), depth + 1)));
            }
            _ => {
                let mut leaf = path;
                match node.text() {
                    Some(text) => value::unescape(text).hash(&mut leaf),
                    None => node.raw().trim_ascii().hash(&mut leaf),
                }
                leaves.insert(leaf.finish());
            }
        }
    }
    leaves
}
