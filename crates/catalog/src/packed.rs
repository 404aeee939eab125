//! Values as bytes, for an index: numbers and texts one after another, without names. Who reads
//! them must be of the same version as who wrote them.

/// Values that are written one after another.
#[derive(Debug, Default)]
pub struct PackedWriter(Vec<u8>);

impl PackedWriter {
    /// Writes a number, a small one in few bytes.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes a number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }

    /// Writes a number that may have any size, in eight bytes.
    pub fn whole(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes bytes, with their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a text that may be absent.
    pub fn text(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        if let Some(text) = text {
            self.bytes(text.as_bytes());
        }
    }

    /// The bytes of all values.
    #[must_use]
    pub fn end(self) -> Vec<u8> {
        self.0
    }
}

/// Values that are read one after another. Each is `None` if the bytes have no such value.
#[derive(Debug)]
pub struct PackedReader<'b>(&'b [u8]);

impl<'b> PackedReader<'b> {
    /// A reader of these bytes.
    #[must_use]
    pub const fn of(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(first & 0x7f) << shift;
            if *first < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number that fits an index.
    pub fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads the number of values that follow, of which each has at least one byte.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    /// Reads a number that may be negative.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads a number of eight bytes.
    pub fn whole(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    /// Reads bytes.
    pub fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = self.count()?;
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    /// Reads a text that may be absent.
    pub fn text(&mut self) -> Option<Option<&'b str>> {
        match self.number()? {
            0 => Some(None),
            1 => Some(Some(std::str::from_utf8(self.bytes()?).ok()?)),
            _ => None,
        }
    }

    /// Whether all bytes have been read.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut writer = PackedWriter::default();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        numbers.iter().for_each(|number| writer.number(*number));
        let signed = [0, -1, 1, i64::MIN, i64::MAX];
        signed.iter().for_each(|number| writer.signed(*number));
        writer.whole(u64::MAX - 1);
        writer.text(None);
        writer.text(Some("für"));
        let bytes = writer.end();
        let mut reader = PackedReader::of(&bytes);
        assert!(numbers.iter().all(|number| reader.number() == Some(*number)));
        assert!(signed.iter().all(|number| reader.signed() == Some(*number)));
        assert_eq!(reader.whole(), Some(u64::MAX - 1));
        assert_eq!((reader.text(), reader.text()), (Some(None), Some(Some("für"))));
        assert!(reader.is_done() && reader.number().is_none());
    }

    /// A claim of a length allocates nothing, and no bytes are read beyond the end.
    #[test]
    fn damaged_bytes_have_no_value() {
        assert_eq!(PackedReader::of(&[0xff; 11]).number(), None);
        assert_eq!(PackedReader::of(&[200, 1, 65]).bytes(), None);
        assert_eq!(PackedReader::of(&[1, 2, 0xff, 0xff]).text(), None);
        assert_eq!(PackedReader::of(&[2]).text(), None);
        assert_eq!(PackedReader::of(&[5, 0]).count(), None);
    }
}
