//! Bytes of a member. A copy may cover parts of them: it shares all others with the original, so
//! that covering costs the memory of these parts only.

use std::sync::{Arc, OnceLock};

use crate::json::span::Span;

/// The decoded bytes of a member.
#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    shared: Arc<Vec<u8>>,
    /// The covered parts in order; none touches another.
    parts: Vec<Part>,
    /// All bytes in one piece, made if somebody needs them so.
    whole: OnceLock<Vec<u8>>,
    /// The beginning that an earlier reading has read.
    pub(crate) known: Option<Known>,
}

/// The beginning of a member that an earlier reading has read.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The reading: no two have the same one.
    pub reading: Arc<()>,
    /// The member of that reading.
    pub member: u32,
    /// The number of its bytes.
    pub length: usize,
}

/// A part in place of the shared bytes there.
#[derive(Clone, Debug)]
struct Part {
    span: Span,
    bytes: Vec<u8>,
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { shared: Arc::new(bytes), parts: Vec::new(), whole: OnceLock::new(), known: None }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Eq for Bytes {}

impl Bytes {
    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether a part of it is covered.
    pub(crate) fn is_covered(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Adds bytes at the end; nothing may be covered. They are copied only if another copy shares
    /// them.
    pub(crate) fn append(&mut self, more: &[u8]) {
        match Arc::get_mut(&mut self.shared) {
            Some(own) => own.extend_from_slice(more),
            None => {
                let mut copy = Vec::with_capacity(self.shared.len() + more.len());
                copy.extend_from_slice(&self.shared);
                copy.extend_from_slice(more);
                self.shared = Arc::new(copy);
            }
        }
    }

    /// All bytes. If some are covered, this makes a copy, and keeps it.
    #[inline]
    pub(crate) fn all(&self) -> &[u8] {
        match &*self.parts {
            [] => &self.shared,
            [part] if part.bytes.len() == self.shared.len() => &part.bytes,
            parts => self.whole.get_or_init(|| {
                let mut whole = self.shared.to_vec();
                for Part { span, bytes } in parts {
                    put(&mut whole, span.start, bytes);
                }
                whole
            }),
        }
    }

    /// The bytes of a span; empty if they end before it does.
    #[inline]
    pub(crate) fn slice(&self, span: Span) -> &[u8] {
        if self.parts.is_empty() { span.of(&self.shared) } else { self.around(span) }
    }

    #[cold]
    fn around(&self, span: Span) -> &[u8] {
        let next = self.parts.partition_point(|part| part.span.end <= span.start);
        match self.parts.get(next).filter(|part| part.span.start < span.end) {
            None => span.of(&self.shared),
            Some(part) if part.span.holds(span) => {
                let start = part.span.start;
                Span::new(span.start - start, span.end - start).of(&part.bytes)
            }
            Some(_) => span.of(self.all()),
        }
    }

    /// Covers `span` with what `change` makes of its bytes. `within` is the part that is copied:
    /// what is read later is read within it, or beside it.
    pub(crate) fn cover(&mut self, span: Span, within: Span, change: impl FnOnce(&mut [u8])) {
        let length = self.len() as u32;
        if span.end > length || span.start > span.end {
            return;
        }
        (self.whole, self.known) = (OnceLock::new(), None);
        let (start, end) = (within.start.min(span.start), within.end.min(length).max(span.end));
        let at = self.part(Span::new(start, end));
        if let Some(Part { span: part, bytes }) = self.parts.get_mut(at)
            && let Some(bytes) =
                bytes.get_mut((span.start - part.start) as usize..(span.end - part.start) as usize)
        {
            change(bytes);
        }
    }

    /// The part that has all of a span. Parts that touch it become one with it.
    fn part(&mut self, mut span: Span) -> usize {
        let from = self.parts.partition_point(|part| part.span.end < span.start);
        let to = self.parts.partition_point(|part| part.span.start <= span.end);
        if let Some([part]) = self.parts.get(from..to)
            && part.span.holds(span)
        {
            return from;
        }
        for part in self.parts.get(from..to).unwrap_or_default() {
            span = Span::new(span.start.min(part.span.start), span.end.max(part.span.end));
        }
        let mut bytes = span.of(&self.shared).to_vec();
        for old in self.parts.drain(from..to) {
            put(&mut bytes, old.span.start - span.start, &old.bytes);
        }
        self.parts.insert(from, Part { span, bytes });
        from
    }
}

/// Puts a part into the bytes around it.
fn put(whole: &mut [u8], start: u32, part: &[u8]) {
    let start = start as usize;
    if let Some(place) = whole.get_mut(start..start + part.len()) {
        place.copy_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is covered, each span reads as in a copy of all bytes, and the original is as it
    /// was.
    #[test]
    fn a_covered_copy_reads_as_a_copy_of_all_bytes() {
        let original = Bytes::from((b'a'..=b'z').collect::<Vec<u8>>());
        let spans = || (0..28).flat_map(|start| (start..28).map(move |end| Span::new(start, end)));
        let covers = [(3, 5, 2, 8), (9, 10, 9, 12), (7, 9, 6, 10), (20, 26, 20, 26), (0, 30, 0, 9)];
        let (mut bytes, mut plain) = (original.clone(), original.all().to_vec());
        for (start, end, from, to) in covers {
            bytes.cover(Span::new(start, end), Span::new(from, to), |part| part.fill(b'*'));
            if let Some(part) = plain.get_mut(start as usize..end as usize) {
                part.fill(b'*');
            }
            for span in spans() {
                assert_eq!(bytes.slice(span), span.of(&plain), "{span:?}");
            }
            assert_eq!(bytes.all(), plain);
        }
        assert_eq!(original.all(), (b'a'..=b'z').collect::<Vec<u8>>());
        assert!(bytes.parts.iter().map(|part| part.bytes.len()).sum::<usize>() < 20);
    }
}
