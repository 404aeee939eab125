//! Paths of values.

use std::fmt::Write as _;

use super::{Document, OPEN, Value, ValueKind};

impl Document<'_> {
    /// The path from the root to a value: `$.session.entries[3].timestamp`. Keys other than plain
    /// words are quoted (`$["a b"]`), integer keys are in parentheses (`$(15)`), a tag shows its
    /// number (`$#6.18[0]`).
    #[must_use]
    pub fn path(&self, value: Value<'_>) -> String {
        self.path_to(value.index())
    }

    /// The path to the value at which reading stopped.
    pub(crate) fn path_of_last(&self) -> String {
        match self.nodes.len() {
            0 => "$".into(),
            n => self.path_to(n as u32 - 1),
        }
    }

    fn path_to(&self, target: u32) -> String {
        let mut out = String::from("$");
        let mut at = 0u32;
        while at != target {
            let kind = self.node(at).kind;
            let (mut child, mut index) = (at + 1, 0usize);
            let mut key = None;
            while !self.holds(child, target) {
                if kind == ValueKind::Map && index.is_multiple_of(2) {
                    key = Some(child);
                }
                child = self.node(child).next;
                index += 1;
            }
            match kind {
                ValueKind::Array => _ = write!(out, "[{index}]"),
                ValueKind::Tag => _ = write!(out, "#6.{}", self.at(at).argument()),
                ValueKind::Map if index.is_multiple_of(2) => self.step(child, &mut out),
                ValueKind::Map => {
                    if let Some(key) = key {
                        self.step(key, &mut out);
                    }
                }
                _ => return out,
            }
            at = child;
        }
        out
    }

    /// Whether a node is the target or contains it.
    fn holds(&self, node: u32, target: u32) -> bool {
        let next = self.node(node).next;
        next == OPEN || next > target
    }

    fn step(&self, key: u32, out: &mut String) {
        let key = self.at(key);
        let written = match key.kind() {
            ValueKind::Text => {
                push_key(&key.text().unwrap_or_default(), out);
                Ok(())
            }
            ValueKind::Uint => write!(out, "({})", key.argument()),
            ValueKind::Nint => write!(out, "({})", -1 - i128::from(key.argument())),
            kind => write!(out, "({kind:?})"),
        };
        let _ = written;
    }
}

/// Adds the step to the member of a text key.
pub(crate) fn push_key(key: &str, out: &mut String) {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let written = match !key.is_empty() && key.chars().all(word) {
        true => write!(out, ".{key}"),
        false => write!(out, "[{key:?}]"),
    };
    let _ = written;
}
