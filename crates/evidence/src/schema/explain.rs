//! Explanation of a failed validation: from the root down the intended branches, to the wrong
//! values. Only failed documents come here, so valid ones cost nothing.

use std::collections::VecDeque;

use super::atom::{Atom, Item, MapType, Member, TypeSet};
use super::check::{self, Visit, Whole, taken};
use super::leaf::EMBEDDED_DEPTH;
use super::{ERRORS, Schema, SchemaError, Violations, unreadable};
use crate::value::{Document, Encoding, Limits, Value, ValueKind};

pub(super) fn explain(
    schema: &Schema,
    doc: &Document<'_>,
    wanted: TypeSet,
    rule: &str,
) -> Violations {
    let mut violations = Violations::default();
    Explanation::of(schema, doc, 0, "", &mut violations).run(wanted, rule);
    if violations.errors.is_empty() {
        // Without any error the document would count as valid.
        violations.errors.push(SchemaError {
            path: "$".into(),
            offset: 0,
            rule: rule.to_owned(),
            hint: UNEXPLAINED.into(),
        });
    }
    violations
}

/// The values that an explanation judges once more, as a multiple of the document's. Each level of
/// a branch judges what is in it.
const AGAIN: usize = 16;

/// Largest value, in values, whose contents are all held while it is explained.
const HELD: usize = 1 << 19;

/// The least number of values that an explanation may judge once more.
const LEAST: usize = 1 << 20;

/// The hint if no branch below explains more.
const UNEXPLAINED: &str = "the document does not match";

struct Explanation<'s, 'd> {
    schema: &'s Schema,
    doc: &'s Document<'d>,
    /// Number of byte strings around the document.
    depth: usize,
    /// The last value that was judged once more.
    held: Option<Whole>,
    /// Number of values that may be judged once more.
    left: usize,
    /// The path of the byte string that the document is embedded in.
    prefix: &'s str,
    violations: &'s mut Violations,
    /// Values that fail their intended types, and the rule of these types.
    queue: VecDeque<(Visit, TypeSet, String)>,
}

impl<'s, 'd> Explanation<'s, 'd> {
    fn of(
        schema: &'s Schema,
        doc: &'s Document<'d>,
        depth: usize,
        prefix: &'s str,
        violations: &'s mut Violations,
    ) -> Self {
        let left = doc.len().saturating_mul(AGAIN).saturating_add(LEAST);
        Self { schema, doc, depth, held: None, left, prefix, violations, queue: VecDeque::new() }
    }

    /// The children of a value, judged once more: a verdict does not keep them. `None` if the
    /// branch is too deep for that.
    fn children(&mut self, visit: Visit) -> Option<Vec<Visit>> {
        if let Some(children) = self.held.as_ref().and_then(|held| held.children(visit)) {
            return Some(children);
        }
        let count = self.doc.at(visit.node).count();
        self.left = self.left.checked_sub(count)?;
        if count > HELD {
            return Some(check::children(self.schema, self.doc, visit, self.depth));
        }
        self.held.insert(Whole::of(self.schema, self.doc, visit, self.depth)).children(visit)
    }

    fn run(&mut self, wanted: TypeSet, rule: &str) {
        self.queue.push_back((Visit::root(wanted), wanted, rule.to_owned()));
        while let Some((visit, wanted, rule)) = self.queue.pop_front() {
            if self.violations.errors.len() == ERRORS {
                self.violations.more = true;
                return;
            }
            self.value(visit, wanted, &rule);
        }
    }

    /// Queues a value for explanation. The queue is limited to the number of errors that can be
    /// reported, since each value has an error.
    fn later(&mut self, visit: Visit, wanted: TypeSet, rule: String) {
        if self.queue.len() <= ERRORS {
            self.queue.push_back((visit, wanted, rule));
        }
    }

    fn error(&mut self, value: Value<'_>, rule: &str, hint: String) {
        if self.violations.errors.len() == ERRORS {
            self.violations.more = true;
            return;
        }
        let path = self.path(value);
        let rule = rule.to_owned();
        self.violations.errors.push(SchemaError { path, offset: value.offset(), rule, hint });
    }

    fn path(&self, value: Value<'_>) -> String {
        let path = self.doc.path(value);
        match path.strip_prefix('$') {
            Some(path) if !self.prefix.is_empty() => format!("{}{path}", self.prefix),
            _ => path,
        }
    }

    fn value(&mut self, visit: Visit, wanted: TypeSet, rule: &str) {
        let schema = self.schema;
        let value = self.doc.at(visit.node);
        let container = matches!(value.kind(), ValueKind::Map | ValueKind::Array | ValueKind::Tag);
        let children = match container.then(|| self.children(visit)) {
            Some(None) => return self.error(value, rule, UNEXPLAINED.into()),
            children => children.flatten().unwrap_or_default(),
        };
        let atoms = || wanted.atoms().map(|atom| (atom, &schema.atoms[atom]));
        match value.kind() {
            ValueKind::Map => {
                let maps = atoms().filter_map(|(at, atom)| match atom {
                    Atom::Map(map) => Some((at, map)),
                    _ => None,
                });
                let maps: Vec<_> = maps.collect();
                if !maps.is_empty() {
                    return self.choice(visit, &children, &maps, rule);
                }
            }
            ValueKind::Array => {
                let array = atoms().find_map(|(_, atom)| match atom {
                    Atom::Array(items) => Some(items),
                    _ => None,
                });
                if let Some(items) = array {
                    return self.array(visit, &children, items, rule);
                }
            }
            ValueKind::Tag => {
                let inside = atoms().find_map(|(_, atom)| match atom {
                    Atom::Tagged(tag, inside) if *tag == value.argument() => Some(*inside),
                    _ => None,
                });
                if let Some(inside) = inside {
                    return children.iter().for_each(|content| {
                        self.later(*content, inside, rule.to_owned());
                    });
                }
            }
            ValueKind::Bytes => {
                let inside = atoms().find_map(|(_, atom)| match atom {
                    Atom::Embedded(inside) => Some(*inside),
                    _ => None,
                });
                if let Some(inside) = inside {
                    return self.embedded(value, inside, rule);
                }
            }
            _ => {}
        }
        let expected: Vec<_> = wanted.atoms().map(|atom| self.describe(atom)).collect();
        // One word of a list is worth quoting. Any other text may be private.
        let listed = expected.iter().any(|name| name.starts_with('"'));
        let hint = format!("found {}; expected {}", found(value, listed), expected.join(" or "));
        self.error(value, rule, hint);
    }

    /// The name of an atom in a message.
    fn describe(&self, atom: usize) -> String {
        let name = &self.schema.names[atom];
        match &self.schema.atoms[atom] {
            Atom::Map(_) => format!("a map ({name})"),
            Atom::Array(_) => format!("an array ({name})"),
            Atom::Tagged(tag, _) => format!("tag {tag} ({name})"),
            _ => name.clone(),
        }
    }

    fn array(&mut self, visit: Visit, children: &[Visit], items: &[Item], rule: &str) {
        if let [item] = items
            && children.len() >= item.least as usize
            && children.len() <= item.most as usize
        {
            let wrong: Vec<_> = children
                .iter()
                .filter(|child| !child.met.meets(item.set))
                .take(ERRORS + 1)
                .copied()
                .collect();
            return wrong
                .into_iter()
                .for_each(|child| self.later(child, item.set, rule.to_owned()));
        }
        let Err((lacking, next)) = taken(items, children) else { return };
        let last = items.iter().rfind(|item| item.most == u32::MAX);
        let expected = lacking.map(|item| &items[item]).or(last);
        match (children.get(next), expected) {
            (Some(child), Some(item)) => {
                self.later(*child, item.set, rule.to_owned());
            }
            (child, _) => {
                let value = child.map_or(visit.node, |child| child.node);
                let least: u64 = items.iter().map(|item| u64::from(item.least)).sum();
                let hint = format!("found {} elements; expected {least}", children.len());
                self.error(self.doc.at(value), rule, hint);
            }
        }
    }

    fn embedded(&mut self, value: Value<'_>, inside: TypeSet, rule: &str) {
        if self.depth >= EMBEDDED_DEPTH {
            let hint = format!("CBOR in byte strings deeper than {EMBEDDED_DEPTH} levels");
            return self.error(value, rule, hint);
        }
        let content = value.bytes().unwrap_or_default();
        let prefix = format!("{}<<", self.path(value));
        match Document::read(&content, Encoding::Cbor, Limits::default()) {
            Ok(doc) => {
                Explanation::of(self.schema, &doc, self.depth + 1, &prefix, self.violations)
                    .run(inside, rule);
            }
            Err(error) => {
                let why = unreadable(Encoding::Cbor, error).hint;
                self.error(value, rule, format!("the byte string holds no CBOR item: {why}"));
            }
        }
    }

    /// Explains a map by the alternative that its distinctive members show.
    fn choice(
        &mut self,
        visit: Visit,
        children: &[Visit],
        maps: &[(usize, &'s MapType)],
        rule: &str,
    ) {
        let names = &self.schema.names;
        if let [(at, map)] = maps {
            return self.map(visit, children, map, &names[*at]);
        }
        let tells = |map: &MapType| {
            let mut telling = map.members.iter().enumerate().filter(|(_, m)| self.telling(m));
            telling.next().is_some_and(|(i, _)| map.member(i, children).is_some_and(|(_, met)| met))
        };
        if let Some((at, map)) = maps.iter().find(|(_, map)| tells(map)) {
            return self.map(visit, children, map, &names[*at]);
        }
        let mut expected = TypeSet::EMPTY;
        let mut at = None;
        let mut key = "";
        for (_, map) in maps {
            let telling = map.members.iter().enumerate().find(|(_, m)| self.telling(m));
            if let Some((i, member)) = telling {
                expected |= member.set;
                key = &member.text;
                at = at.or(map.member(i, children).map(|(child, _)| *child));
            }
        }
        match at {
            Some(child) => self.later(child, expected, rule.to_owned()),
            None => {
                let values: Vec<_> = expected.atoms().map(|atom| self.describe(atom)).collect();
                let key = key.split(':').next().unwrap_or("").trim().to_owned();
                let hint = format!("add `{key}`, which is {}", values.join(" or "));
                self.error(self.doc.at(visit.node), rule, hint);
            }
        }
    }

    /// Whether a member distinguishes alternatives: it is required, and one of some texts.
    fn telling(&self, member: &Member) -> bool {
        let text = |atom: usize| matches!(self.schema.atoms[atom], Atom::Text(_));
        member.least > 0 && member.set.atoms().all(text)
    }

    fn map(&mut self, visit: Visit, children: &[Visit], map: &'s MapType, name: &str) {
        let mut counts = map.counts();
        for child in children {
            if map.take(child, &mut counts).is_some() {
                continue;
            }
            match map.takers[child.class as usize].first() {
                Some(&taker) => {
                    let member = &map.members[taker];
                    let rule = format!("{name}: {}", member.text);
                    self.later(*child, member.set, rule);
                }
                None => {
                    let known: Vec<_> = map.members.iter().map(|m| m.text.as_str()).collect();
                    let hint = format!("no such key here; the map has: {}", known.join("; "));
                    self.error(self.doc.at(child.node), name, hint);
                }
            }
        }
        for (i, member) in map.members.iter().enumerate() {
            if counts[i] >= member.least {
                continue;
            }
            let rule = format!("{name}: {}", member.text);
            match map.member(i, children) {
                // It is present, but another entry took it because its value is wrong.
                Some((child, false)) if !member.cut => {
                    self.later(*child, member.set, rule);
                }
                Some((_, false)) => {}
                _ => {
                    let hint = format!("missing: add `{}`", member.text);
                    self.error(self.doc.at(visit.node), &rule, hint);
                }
            }
        }
    }
}

impl MapType {
    /// The child with the key of an entry with one literal key, and whether its value matches.
    fn member<'c>(&self, entry: usize, children: &'c [Visit]) -> Option<(&'c Visit, bool)> {
        let member = &self.members[entry];
        let keyed = |child: &&Visit| self.takers[child.class as usize].contains(&entry);
        let child = (member.keys.literals.len() == 1).then(|| children.iter().find(keyed))??;
        Some((child, child.met.meets(member.set)))
    }
}

/// A value in a few words; the words of a text only if they are to be quoted.
fn found(value: Value<'_>, quoted: bool) -> String {
    const SHOWN: usize = 40;
    match value.kind() {
        ValueKind::Null => "null".into(),
        ValueKind::False => "false".into(),
        ValueKind::True => "true".into(),
        ValueKind::Undefined => "undefined".into(),
        ValueKind::Simple => format!("simple({})", value.argument()),
        ValueKind::Uint => format!("the integer {}", value.argument()),
        ValueKind::Nint => format!("the integer {}", -1 - i128::from(value.argument())),
        ValueKind::Float => format!("the float {:?}", value.float().unwrap_or(f64::NAN)),
        ValueKind::Number => {
            let literal = value.literal().unwrap_or_default();
            format!("the number {}", literal.chars().take(SHOWN).collect::<String>())
        }
        ValueKind::Bytes => {
            format!("a byte string of {} bytes", value.bytes().map_or(0, |b| b.len()))
        }
        ValueKind::Text if !quoted => {
            let count = value.text().map_or(0, |text| text.chars().count());
            format!("a text of {count} characters")
        }
        ValueKind::Text => {
            let text = value.text().unwrap_or_default();
            let shown: String = text.chars().take(SHOWN).collect();
            let more = if shown.len() < text.len() { "…" } else { "" };
            format!("the text {shown:?}{more}")
        }
        ValueKind::Array => format!("an array of {}", value.children().count()),
        ValueKind::Map => format!("a map of {}", value.members().count()),
        ValueKind::Tag => format!("tag {}", value.argument()),
    }
}
