//! Source map: from which bytes of a wrapped text each part of the decoded one came.

use std::ops::Range;

/// Parts of a decoded text that follow each other: they begin at `at`, and came from the range from
/// `from` to `to` of the wrapped text, `unit.1` bytes for each `unit.0`.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: u32,
    from: u32,
    to: u32,
    unit: (u32, u32),
}

/// The receiver of a text while it is decoded.
pub(crate) trait Sink {
    /// `bytes` came from the range `from`.
    fn put(&mut self, bytes: &[u8], from: Range<usize>);
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8], _: Range<usize>) {
        self.extend_from_slice(bytes);
    }
}

/// The parts of a decoded text.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<Part>,
    length: usize,
}

impl Sink for Parts {
    fn put(&mut self, bytes: &[u8], from: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        let even = bytes.len() == from.len();
        let unit = if even { (1, 1) } else { (bytes.len() as u32, from.len() as u32) };
        let (start, end, at) = (from.start as u32, from.end as u32, self.length as u32);
        self.length += bytes.len();
        match self.parts.last_mut() {
            // A run of equal escapes is one part: memory is that of the text at most.
            Some(last) if last.unit == unit && last.to == start => last.to = end,
            _ => self.parts.push(Part { at, from: start, to: end, unit }),
        }
    }
}

impl Parts {
    /// The range of the wrapped text from which a range of the decoded one came; a part that does
    /// not correspond byte by byte counts whole. `None` for an empty range, and beyond the end.
    pub(crate) fn from(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() || range.end > self.length {
            return None;
        }
        let (start, end) = (range.start as u32, range.end as u32);
        let first = self.parts.partition_point(|part| part.at <= start).checked_sub(1)?;
        let last = self.parts.partition_point(|part| part.at < end).checked_sub(1)?;
        let (first, last) = (self.parts[first], self.parts[last]);
        let start = first.from + (start - first.at) / first.unit.0 * first.unit.1;
        let end = last.from + (end - last.at).div_ceil(last.unit.0) * last.unit.1;
        Some(start as usize..end as usize)
    }
}

/// A sink of a part of a text that begins there.
pub(crate) struct At<'s, S>(pub(crate) &'s mut S, pub(crate) usize);

impl<S: Sink> Sink for At<'_, S> {
    fn put(&mut self, bytes: &[u8], from: Range<usize>) {
        self.0.put(bytes, from.start + self.1..from.end + self.1);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    pub(crate) fn both(text: &[u8], decode: impl Fn(&[u8], &mut dyn Put)) -> (Vec<u8>, Parts) {
        let (mut bytes, mut parts) = (Vec::new(), Parts::default());
        decode(text, &mut bytes);
        decode(text, &mut parts);
        assert_eq!(bytes.len(), parts.length);
        (bytes, parts)
    }

    /// A sink as an object.
    pub(crate) trait Put {
        fn take(&mut self, bytes: &[u8], from: Range<usize>);
    }

    impl<S: Sink> Put for S {
        fn take(&mut self, bytes: &[u8], from: Range<usize>) {
            self.put(bytes, from);
        }
    }

    impl Sink for &mut dyn Put {
        fn put(&mut self, bytes: &[u8], from: Range<usize>) {
            (**self).take(bytes, from);
        }
    }

    pub(crate) fn origin<'t>(
        text: &'t [u8],
        parts: &Parts,
        decoded: &[u8],
        word: &str,
    ) -> &'t [u8] {
        let at = memchr::memmem::find(decoded, word.as_bytes()).expect("there");
        &text[parts.from(&(at..at + word.len())).expect("a place")]
    }
}
