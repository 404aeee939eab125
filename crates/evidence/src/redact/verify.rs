//! Verification: a redacted bundle differs from the one before in the edits alone.

use session::edit::Edit;
use session::{Bundle, Doc, Node, Scan, Session, Shape, Span};

/// A fault of a redacted bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A value is still there.
    #[error("something is left in member {member}, line {line}")]
    Left {
        /// The member of the bundle.
        member: u32,
        /// The line of its record.
        line: u32,
    },
    /// Another number of records or members.
    #[error("the number of its records changed")]
    Records,
    /// A record whose shape changed.
    #[error("the shape of the record changed in member {member}, line {line}")]
    Shape {
        /// The member of the bundle.
        member: u32,
        /// The line of its record.
        line: u32,
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

/// Each byte outside the edits is equal.
pub(super) fn bytes(before: &Bundle, after: &Bundle, edits: &[Edit]) -> Result<(), Fault> {
    if before.members.len() != after.members.len() {
        return Err(Fault::Records);
    }
    let mut rest = edits;
    for (number, (old, new)) in (0u32..).zip(before.members.iter().zip(&after.members)) {
        let count = rest.iter().take_while(|edit| edit.member == number).count();
        let (mine, others) = rest.split_at(count);
        rest = others;
        same(old.bytes(), new.bytes(), mine)
            .map_err(|at| Fault::Byte { member: number, at: at as u32 })?;
    }
    Ok(())
}

fn same(old: &[u8], new: &[u8], edits: &[Edit]) -> Result<(), usize> {
    let (mut at, mut to) = (0, 0);
    for edit in edits {
        let Span { start, end } = edit.span;
        let between = old.get(at..start as usize).ok_or(at)?;
        let kept = new.get(to..to + between.len()) == Some(between);
        to += between.len();
        let put = new.get(to..to + edit.with.len()) == Some(&*edit.with);
        to += edit.with.len();
        if !(kept && put) {
            return Err(at);
        }
        at = end as usize;
    }
    if old.get(at..) == new.get(to..) { Ok(()) } else { Err(at) }
}

/// Each record is still of the same shape: its members in their order, its numbers as spelled.
pub(super) fn structure(before: &[&Session], after: &[&Session]) -> Result<(), Fault> {
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
            let fault = Fault::Shape { member: was.member, line: was.line };
            match (old_scan.read(a, 0), new_scan.read(b, 0)) {
                (Ok(a), Ok(b)) if !alike(&a, &b) => return Err(fault),
                (Ok(_), Err(_)) => return Err(fault),
                _ => {}
            }
        }
    }
    Ok(())
}

fn alike(a: &Doc<'_>, b: &Doc<'_>) -> bool {
    let mut pairs = vec![(a.root(), b.root())];
    while let Some((a, b)) = pairs.pop() {
        let is_replaced = b.text().is_some_and(|text| text.starts_with(b"[REDACTED:"));
        if is_replaced {
            continue;
        }
        if a.shape() != b.shape() {
            return false;
        }
        match a.shape() {
            Shape::Object => {
                let (mut old, mut new) = (a.members(), b.members());
                if !both(&mut old, &mut new, |a, b| pairs.push((a.value, b.value))) {
                    return false;
                }
            }
            Shape::Array => {
                let (mut old, mut new) = (a.elements(), b.elements());
                if !both(&mut old, &mut new, |a, b| pairs.push((a, b))) {
                    return false;
                }
            }
            Shape::String => {}
            Shape::Number | Shape::Bool | Shape::Null => {
                if Node::raw(a) != b.raw() {
                    return false;
                }
            }
        }
    }
    true
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
