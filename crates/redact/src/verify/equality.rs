//! Verification: a redacted bundle differs from the one before in the edits alone.

use session::{Bundle, Doc, Node, Scan, Session, Shape, Span};

use crate::edit::edits::Edits;

/// A fault of a redacted bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A value is still there.
    #[error("something is left in {file}, line {line}, {path}")]
    Left {
        /// The file, by its redacted name.
        file: String,
        /// The line of its record.
        line: u32,
        /// The way to it in the record as a JSON pointer.
        path: String,
    },
    /// Another number of records or members.
    #[error("the number of its records changed")]
    Records,
    /// A record whose shape changed.
    #[error("the shape of the record changed in {file}, line {line}, {path}")]
    Shape {
        /// The file, by its name.
        file: String,
        /// The line of its record.
        line: u32,
        /// The way to the value in the record as a JSON pointer.
        path: String,
    },
    /// A byte that no finding explains changed.
    #[error("a byte changed that no finding has, in member {member} at byte {at}")]
    Byte {
        /// The member of the bundle.
        member: u32,
        /// The byte before the redaction.
        at: u32,
    },
}

/// Each byte outside the edits is equal, and each edit has its new bytes.
pub(crate) fn bytes(edits: Edits<'_>, after: &Bundle) -> Result<(), Fault> {
    let before = edits.before;
    if before.members.len() != after.members.len() {
        return Err(Fault::Records);
    }
    let mut same = Same { before, after, member: 0, at: 0, to: 0, fault: None };
    edits.each(&mut |member, span, with| same.edit(member, span, &with));
    same.end(before.members.len() as u32);
    same.fault.map_or(Ok(()), |(member, at)| Err(Fault::Byte { member, at: at as u32 }))
}

/// The comparison of two bundles, until some place.
struct Same<'s> {
    before: &'s Bundle,
    after: &'s Bundle,
    member: u32,
    /// The place in the member before, and that in the one after.
    at: usize,
    to: usize,
    /// The first member and byte that is not equal.
    fault: Option<(u32, usize)>,
}

impl Same<'_> {
    fn edit(&mut self, member: u32, span: Span, with: &[u8]) {
        self.end(member);
        let between = self.before.bytes(member).get(self.at..span.start as usize);
        let new = self.after.bytes(member);
        let is_equal = between.is_some_and(|between| {
            let kept = new.get(self.to..self.to + between.len()) == Some(between);
            self.to += between.len();
            let put = new.get(self.to..self.to + with.len()) == Some(with);
            self.to += with.len();
            kept && put
        });
        if !is_equal {
            self.fault = self.fault.or(Some((member, self.at)));
        }
        self.at = span.end as usize;
    }

    /// Compares what is left of the members before one.
    fn end(&mut self, member: u32) {
        while self.member < member {
            let (old, new) = (self.before.bytes(self.member), self.after.bytes(self.member));
            if old.get(self.at..) != new.get(self.to..) {
                self.fault = self.fault.or(Some((self.member, self.at)));
            }
            (self.member, self.at, self.to) = (self.member + 1, 0, 0);
        }
    }
}

/// Each record is still of the same shape: its members in their order, its numbers as spelled.
pub(crate) fn structure(before: &[&Session], after: &[&Session]) -> Result<(), Fault> {
    if before.len() != after.len() {
        return Err(Fault::Records);
    }
    let (mut old_scan, mut new_scan) = (Scan::new(), Scan::new());
    for (old, new) in before.iter().zip(after) {
        if old.records.len() != new.records.len() {
            return Err(Fault::Records);
        }
        for (was, is) in old.records.iter().zip(&new.records) {
            let (a, b) = (old.record_bytes(was), new.record_bytes(is));
            if a == b {
                continue;
            }
            let changed = match (old_scan.read(a, 0), new_scan.read(b, 0)) {
                (Ok(a), Ok(b)) => changed(&a, &b),
                (Ok(_), Err(_)) => Some("where it is no JSON any more".to_owned()),
                _ => None,
            };
            if let Some(path) = changed {
                let file = name(&old.bundle, was.member);
                return Err(Fault::Shape { file, line: was.line, path });
            }
        }
    }
    Ok(())
}

/// A fault: a value is left.
pub(crate) fn left(bundle: &Bundle, member: u32, line: u32, path: String) -> Fault {
    let path = if path.is_empty() { "in its text".to_owned() } else { format!("at {path}") };
    Fault::Left { file: name(bundle, member), line, path }
}

fn name(bundle: &Bundle, member: u32) -> String {
    bundle.members.get(member as usize).map(|member| member.name.clone()).unwrap_or_default()
}

/// A step to a value from the one that it is in.
#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a [u8]),
    Index(usize),
}

/// The steps to the values of a record, each with the number of the one before. A way is made of
/// them for a fault alone, so that the cost of a value does not grow with its depth.
struct Steps<'a>(Vec<(usize, Step<'a>)>);

impl<'a> Steps<'a> {
    /// The number of the step to a value.
    fn add(&mut self, before: usize, step: Step<'a>) -> usize {
        self.0.push((before, step));
        self.0.len()
    }

    /// The way to a value as a JSON pointer.
    fn way(&self, mut last: usize) -> String {
        let mut steps = Vec::new();
        while let Some(&(before, step)) = last.checked_sub(1).and_then(|at| self.0.get(at)) {
            steps.push(step);
            last = before;
        }
        let text = |step: &Step<'_>| match step {
            Step::Name(name) => {
                let name = String::from_utf8_lossy(name);
                format!("/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Step::Index(index) => format!("/{index}"),
        };
        steps.iter().rev().map(text).collect()
    }
}

/// The way to the first value that has another shape.
fn changed(a: &Doc<'_>, b: &Doc<'_>) -> Option<String> {
    let mut steps = Steps(Vec::new());
    let mut pairs = vec![(a.root(), b.root(), 0)];
    while let Some((a, b, last)) = pairs.pop() {
        let is_replaced = b.text().is_some_and(|text| text.starts_with(b"[REDACTED:"));
        if is_replaced {
            continue;
        }
        let is_alike = a.shape() == b.shape()
            && match a.shape() {
                Shape::Object => both(&mut a.members(), &mut b.members(), |a, b| {
                    pairs.push((a.value, b.value, steps.add(last, Step::Name(a.name))));
                }),
                Shape::Array => {
                    let mut index = 0;
                    both(&mut a.elements(), &mut b.elements(), |a, b| {
                        pairs.push((a, b, steps.add(last, Step::Index(index))));
                        index += 1;
                    })
                }
                Shape::String => true,
                Shape::Number | Shape::Bool | Shape::Null => Node::raw(a) == b.raw(),
            };
        if !is_alike {
            return Some(format!("at {}", steps.way(last)));
        }
    }
    None
}

/// Takes the items of both in pairs; false if one has more.
fn both<I: Iterator>(a: &mut I, b: &mut I, mut take: impl FnMut(I::Item, I::Item)) -> bool {
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => take(a, b),
            (None, None) => return true,
            _ => return false,
        }
    }
}
