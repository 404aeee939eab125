//! Validation of a document by a compiled schema: linear in its size, without recursion.
//!
//! On the way down, each value gets the set of types that it may have to match, from the types of
//! its container. On the way up, children before parents, it is decided which of these it
//! matches. A choice is a set like any other, so nothing is checked twice. Values of any type are
//! not entered. Only the values around the current one, and their siblings, are held.

use std::collections::HashMap;

use super::Schema;
use super::atom::{Atom, Item, MapType, TypeSet};
use super::leaf;
use crate::value::{Document, Value, ValueKind};

/// A value with its candidate types. The children of a visit are adjacent, in order; those of a map
/// are its values only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    pub(super) node: u32,
    first: u32,
    count: u32,
    /// The class of its key, if it is a member of a map.
    pub(super) class: u32,
    pub(super) wanted: TypeSet,
    pub(super) met: TypeSet,
}

impl Visit {
    /// The outermost value of a document.
    pub(super) fn root(wanted: TypeSet) -> Self {
        Visit { node: 0, first: 0, count: 0, class: 0, wanted, met: TypeSet::EMPTY }
    }
}

/// The candidate types that the whole document matches. `depth` is the number of byte strings
/// around it.
pub(super) fn met(schema: &Schema, doc: &Document<'_>, wanted: TypeSet, depth: usize) -> TypeSet {
    let mut check = Check { doc, depth, visits: vec![Visit::root(wanted)] };
    check.judge(schema, 0);
    check.visits[0].met
}

/// The children of a value, each with the candidate types that it matches.
pub(super) fn children(
    schema: &Schema,
    doc: &Document<'_>,
    visit: Visit,
    depth: usize,
) -> Vec<Visit> {
    let mut check = Check { doc, depth, visits: vec![visit] };
    check.forward(schema, 0);
    for at in 1..check.visits.len() {
        check.judge(schema, at);
    }
    check.visits.split_off(1)
}

/// Every value in a value, itself included, with the candidate types that it matches: all are held.
pub(super) struct Whole(HashMap<u32, Visit>, Vec<Visit>);

impl Whole {
    pub(super) fn of(schema: &Schema, doc: &Document<'_>, visit: Visit, depth: usize) -> Self {
        let mut check = Check { doc, depth, visits: vec![visit] };
        let mut at = 0;
        while at < check.visits.len() {
            check.forward(schema, at);
            at += 1;
        }
        for at in (0..check.visits.len()).rev() {
            check.backward(schema, at);
        }
        Self(check.visits.iter().map(|visit| (visit.node, *visit)).collect(), check.visits)
    }

    /// The children of a value, if it is in there.
    pub(super) fn children(&self, visit: Visit) -> Option<Vec<Visit>> {
        let Visit { first, count, .. } = *self.0.get(&visit.node)?;
        Some(self.1.get(first as usize..)?.get(..count as usize)?.to_vec())
    }
}

/// The values around the current one, with their siblings: a stack.
struct Check<'d> {
    doc: &'d Document<'d>,
    visits: Vec<Visit>,
    /// Number of byte strings around the document.
    depth: usize,
}

impl Check<'_> {
    /// Judges a value and everything in it. The visits above it are the stack's; they are gone
    /// afterwards.
    fn judge(&mut self, schema: &Schema, at: usize) {
        let end = self.visits.len();
        self.forward(schema, at);
        // The containers around the current value, and the number of their judged children.
        let mut open = vec![(at, 0)];
        while let Some((at, judged)) = open.last_mut() {
            let Visit { first, count, .. } = self.visits[*at];
            if *judged == count {
                self.backward(schema, *at);
                self.visits.truncate(if count > 0 { first as usize } else { self.visits.len() });
                open.pop();
                continue;
            }
            let child = (first + *judged) as usize;
            *judged += 1;
            self.forward(schema, child);
            match self.visits[child].count {
                0 => self.backward(schema, child),
                _ => open.push((child, 0)),
            }
        }
        self.visits.truncate(end);
    }

    fn children(&self, visit: &Visit) -> &[Visit] {
        &self.visits[visit.first as usize..][..visit.count as usize]
    }

    fn forward(&mut self, schema: &Schema, at: usize) {
        let Visit { node, wanted, .. } = self.visits[at];
        let doc = self.doc;
        let value = doc.at(node);
        let special = wanted.without(TypeSet::ANY);
        if special.is_empty() {
            return;
        }
        let first = self.visits.len();
        match value.kind() {
            ValueKind::Map => self.members(schema, value, special),
            ValueKind::Array => self.items(schema, value, special),
            ValueKind::Tag => {
                let inside = |atom: usize| match schema.atoms[atom] {
                    Atom::Tagged(tag, inside) if tag == value.argument() => inside,
                    _ => TypeSet::EMPTY,
                };
                let wanted = special.atoms().map(inside).fold(TypeSet::EMPTY, |a, b| a | b);
                value.children().for_each(|child| self.visit(child, 0, wanted));
            }
            _ => self.visits[at].met = leaf::judge(schema, value, special, self.depth),
        }
        self.visits[at].first = first as u32;
        self.visits[at].count = (self.visits.len() - first) as u32;
    }

    fn visit(&mut self, value: Value<'_>, class: usize, wanted: TypeSet) {
        self.visits.push(Visit {
            node: value.index(),
            first: 0,
            count: 0,
            class: class as u32,
            wanted,
            met: TypeSet::EMPTY,
        });
    }

    fn members(&mut self, schema: &Schema, map: Value<'_>, wanted: TypeSet) {
        let maps = || {
            wanted.atoms().filter_map(|atom| match &schema.atoms[atom] {
                Atom::Map(map) => Some(map),
                _ => None,
            })
        };
        if maps().next().is_none() {
            return;
        }
        for (key, value) in map.members() {
            let class = schema.keys.class(key);
            let wanted = maps().fold(TypeSet::EMPTY, |set, map| set | map.wanted[class]);
            self.visit(value, class, wanted);
        }
    }

    fn items(&mut self, schema: &Schema, array: Value<'_>, wanted: TypeSet) {
        let arrays = || {
            wanted.atoms().filter_map(|atom| match &schema.atoms[atom] {
                Atom::Array(items) => Some(items.as_slice()),
                _ => None,
            })
        };
        if arrays().next().is_none() {
            return;
        }
        for (i, value) in array.children().enumerate() {
            let wanted = arrays().fold(TypeSet::EMPTY, |set, items| set | wanted_at(items, i));
            self.visit(value, 0, wanted);
        }
    }

    fn backward(&mut self, schema: &Schema, at: usize) {
        let visit = self.visits[at];
        let mut met = visit.met | (visit.wanted & TypeSet::ANY);
        let kind = self.doc.node(visit.node).kind;
        if matches!(kind, ValueKind::Map | ValueKind::Array | ValueKind::Tag) {
            let children = self.children(&visit);
            for atom in visit.wanted.without(TypeSet::ANY).atoms() {
                let right = match (&schema.atoms[atom], kind) {
                    (Atom::Map(map), ValueKind::Map) => map.meets(children),
                    (Atom::Array(items), ValueKind::Array) => taken(items, children).is_ok(),
                    (Atom::Tagged(tag, inside), ValueKind::Tag) => {
                        *tag == self.doc.at(visit.node).argument() && children[0].met.meets(*inside)
                    }
                    _ => false,
                };
                if right {
                    met |= TypeSet::of(atom);
                }
            }
        }
        self.visits[at].met = met;
    }
}

/// The candidate types of an element: by its position if that is fixed, else by all entries from
/// there on.
fn wanted_at(items: &[Item], index: usize) -> TypeSet {
    let mut place = 0usize;
    for (i, item) in items.iter().enumerate() {
        if item.least != item.most {
            return items[i..].iter().fold(TypeSet::EMPTY, |set, item| set | item.set);
        }
        place += item.most as usize;
        if index < place {
            return item.set;
        }
    }
    TypeSet::EMPTY
}

/// Checks that the entries, each as often as possible, take the elements in sequence. Otherwise
/// returns the entry that lacks an element (none if elements are left) and the next element.
pub(super) fn taken(items: &[Item], children: &[Visit]) -> Result<(), (Option<usize>, usize)> {
    let mut next = 0;
    for (i, item) in items.iter().enumerate() {
        let rest = children[next..].iter().take(item.most as usize);
        let count = rest.take_while(|child| child.met.meets(item.set)).count();
        next += count;
        if count < item.least as usize {
            return Err((Some(i), next));
        }
    }
    if next == children.len() { Ok(()) } else { Err((None, next)) }
}

impl MapType {
    fn meets(&self, children: &[Visit]) -> bool {
        let mut counts = self.counts();
        children.iter().all(|child| self.take(child, &mut counts).is_some())
            && self.members.iter().zip(counts).all(|(member, count)| count >= member.least)
    }

    /// Counters of the members that each entry takes.
    pub(super) fn counts(&self) -> [u32; MapType::MEMBERS] {
        [0; MapType::MEMBERS]
    }

    /// The first entry that takes a member; the member is counted.
    pub(super) fn take(&self, child: &Visit, counts: &mut [u32]) -> Option<usize> {
        let takers = self.takers[child.class as usize].iter().copied();
        let taker = takers.into_iter().find(|&taker| {
            let member = &self.members[taker];
            counts[taker] < member.most && child.met.meets(member.set)
        })?;
        counts[taker] += 1;
        Some(taker)
    }
}
