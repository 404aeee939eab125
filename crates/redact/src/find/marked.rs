//! Values that the tables of the formats name. A place that they name ends where the text ends that
//! it is in, and of a list or an object each value counts.

use std::ops::Range;

use meaning::secret::Secret;
use session::Span;

use super::finding::SecretFinding;
use crate::edit::placeholder;
use crate::rules::Class;
use crate::texts::leaf::Leaf;
use crate::unwrap::view::View;

/// The values, in the order of their places.
pub(crate) struct Marked<'m> {
    secrets: &'m [Secret],
    /// Whether each begins within a text, in which it ends.
    done: Vec<bool>,
    longest: u32,
}

impl<'m> Marked<'m> {
    /// The values, which are sorted by their places.
    pub(crate) fn of(secrets: &'m [Secret]) -> Self {
        let longest = secrets.iter().map(|secret| secret.span.len() as u32).max();
        Self { secrets, done: vec![false; secrets.len()], longest: longest.unwrap_or(0) }
    }

    /// The values in a text.
    pub(crate) fn at(&mut self, leaf: &Leaf<'_>, view: &View<'_>) -> Vec<SecretFinding> {
        let is_quoted = view.is_string() && !leaf.is_number();
        let edge = u32::from(is_quoted);
        let inner = Span::new(leaf.value.start + edge, leaf.value.end - edge);
        let behind = self.secrets.partition_point(|secret| {
            (secret.member, secret.span.start) < (leaf.member, inner.end)
        });
        let mut found = Vec::new();
        for number in (0..behind).rev() {
            let secret = &self.secrets[number];
            let is_near = secret.member == leaf.member
                && secret.span.start.saturating_add(self.longest) >= inner.start;
            if !is_near {
                break;
            }
            if secret.span.end <= inner.start || self.done[number] {
                continue;
            }
            let is_within = secret.span.start >= inner.start;
            self.done[number] |= is_within;
            let start = if is_within { secret.span.start } else { inner.start };
            let span = Span::new(start, secret.span.end.min(inner.end));
            found.extend(finding(leaf, view, secret, span));
        }
        found
    }
}

fn finding(leaf: &Leaf<'_>, view: &View<'_>, secret: &Secret, span: Span) -> Option<SecretFinding> {
    let raw = view.raw();
    let from =
        leaf.value.end as usize - raw.len() - usize::from(view.is_string() && !leaf.is_number());
    let range = whole_escapes(raw, span.start as usize - from..span.end as usize - from);
    let span = Span::new((from + range.start) as u32, (from + range.end) as u32);
    let inner = raw.get(range)?;
    let value = crate::unwrap::view::unescaped(inner).into_owned();
    // Somebody else has redacted it, as `<REDACTED>` or `x-access-token:<REDACTED>`.
    let secret_part = value.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let foreign = matches!(secret_part, b"<REDACTED>" | b"[REDACTED]");
    let replaced = placeholder::is_replaced(&value, 0, value.len()) || foreign;
    let rule = secret.path.rsplit('/').next().unwrap_or_default();
    // A picture within its address gives access to nothing.
    let is_data = value.starts_with(b"data:");
    if span.is_empty() || replaced || is_data {
        return None;
    }
    let mut finding = SecretFinding::whole(leaf, Class::Marked, rule);
    finding.span = if leaf.is_number() { leaf.value } else { span };
    (finding.quoted, finding.is_value) = (leaf.is_number(), !leaf.is_number());
    finding.set_value(&value);
    Some(finding)
}

/// A range of a string between its quotes, without a part of an escape at its ends.
fn whole_escapes(raw: &[u8], range: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (range.start, range.end);
    let mut done = 0;
    for at in memchr::memchr_iter(b'\\', raw).take_while(|&at| at < range.end) {
        if at < done {
            continue;
        }
        let length = if raw.get(at + 1) == Some(&b'u') { 6 } else { 2 };
        done = (at + length).min(raw.len());
        if at < start && start < done {
            start = at;
        }
        if at < end && end < done {
            end = done;
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::whole_escapes;

    #[test]
    fn no_escape_is_cut() {
        let raw = br#"a\"b\u0041\\"#;
        assert_eq!(whole_escapes(raw, 2..5), 1..10);
        assert_eq!(whole_escapes(raw, 3..4), 3..4);
        assert_eq!(whole_escapes(raw, 3..11), 3..12);
    }
}
