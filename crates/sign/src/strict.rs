//! Strict reading of CBOR (RFC 8949) before it is decoded: definite lengths, shortest heads and
//! numbers, each name once, a limited depth, nothing behind the end. Nothing is allocated for a
//! claimed length.

/// The reason why bytes are no envelope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeFault {
    /// It is not one well-formed CBOR item in the strict form.
    #[error("byte {at}: {what}")]
    Cbor {
        /// Offset of the byte.
        at: usize,
        /// The broken rule.
        what: &'static str,
    },
    /// It is CBOR, but not a COSE_Sign1 as RFC 9052 says.
    #[error("{0}")]
    Structure(String),
    /// It asks for something that is not accepted.
    #[error("{0}")]
    Policy(String),
}

/// Greatest nesting of an envelope.
const DEPTH: usize = 16;

/// Greatest number of values in an envelope: its content is one of them.
const VALUES: usize = 10_000;

/// Checks that bytes are exactly one CBOR item in the strict form. Returns whether the names of
/// each map are in the order of the deterministic encoding (RFC 8949, 4.2.1): then the item has no
/// other encoding.
pub(crate) fn check(bytes: &[u8]) -> Result<bool, EnvelopeFault> {
    let mut reader = Reader { bytes, at: 0, values: 0, ordered: true };
    reader.item(0)?;
    if reader.at < bytes.len() {
        return Err(reader.fault("there is more behind the end"));
    }
    Ok(reader.ordered)
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The number of values so far.
    values: usize,
    /// Whether the names of each map so far are in order.
    ordered: bool,
}

impl Reader<'_> {
    const fn fault(&self, what: &'static str) -> EnvelopeFault {
        EnvelopeFault::Cbor { at: self.at, what }
    }

    fn take(&mut self, length: u64) -> Result<&[u8], EnvelopeFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let Some(taken) = taken else { return Err(self.fault("it ends too early")) };
        self.at += taken.len();
        Ok(taken)
    }

    /// A head: its major type and argument, which has the shortest form.
    fn head(&mut self) -> Result<(u8, u64), EnvelopeFault> {
        let start = self.at;
        let first = self.take(1)?.first().copied().unwrap_or_default();
        let (major, info) = (first >> 5, first & 31);
        let width = match info {
            0..=23 => return Ok((major, u64::from(info))),
            24..=27 => 1_u64 << (info - 24),
            31 => {
                self.at = start;
                return Err(self.fault("a length is indefinite"));
            }
            _ => {
                self.at = start;
                return Err(self.fault("a head has a reserved form"));
            }
        };
        let number =
            self.take(width)?.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        let least = match width {
            1 => 24,
            2 => 1 << 8,
            4 => 1 << 16,
            _ => 1 << 32,
        };
        // A float has no shorter form by its bits alone; a simple value begins at 32.
        let short = if major == 7 { width == 1 && number < 32 } else { number < least };
        if short {
            self.at = start;
            return Err(self.fault("a number or length is not in its shortest form"));
        }
        Ok((major, number))
    }

    fn item(&mut self, depth: usize) -> Result<(), EnvelopeFault> {
        if depth > DEPTH {
            return Err(self.fault("it is nested too deeply"));
        }
        self.values += 1;
        if self.values > VALUES {
            return Err(self.fault("it has too many values"));
        }
        let start = self.at;
        let (major, number) = self.head()?;
        // The decoder takes `undefined` for null, so that two envelopes would be one.
        let width = self.at - start;
        if major == 7 && (width == 2 || (width == 1 && !(20..=22).contains(&number))) {
            self.at = start;
            return Err(self.fault("a simple value is not one of false, true and null"));
        }
        match major {
            0 | 1 | 7 => Ok(()),
            2 => self.take(number).map(|_| ()),
            3 => {
                let good = std::str::from_utf8(self.take(number)?).is_ok();
                if good {
                    return Ok(());
                }
                self.at = start;
                Err(self.fault("a text is not UTF-8"))
            }
            4 => (0..number).try_for_each(|_| self.item(depth + 1)),
            5 => self.map(number, depth),
            _ => self.tagged(number, start, depth),
        }
    }

    /// The content of a tag. A number that fits into a head has no tag of large ones: it would be
    /// another spelling, by which one label could be there twice.
    fn tagged(&mut self, tag: u64, start: usize, depth: usize) -> Result<(), EnvelopeFault> {
        let inside = self.at;
        self.item(depth + 1)?;
        let content = self.bytes.get(inside..self.at).unwrap_or_default();
        let fits = matches!(content, [0x40..=0x48, ..]);
        let led = matches!(content, [0x49..=0x57, 0, ..] | [0x58, _, 0, ..] | [0x59, _, _, 0, ..]);
        if matches!(tag, 2 | 3) && (fits || led) {
            self.at = start;
            return Err(self.fault("a number or length is not in its shortest form"));
        }
        Ok(())
    }

    fn map(&mut self, count: u64, depth: usize) -> Result<(), EnvelopeFault> {
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..count {
            let start = self.at;
            self.item(depth + 1)?;
            let name = self.bytes.get(start..self.at).unwrap_or_default();
            self.ordered &= names.last().is_none_or(|last| *last < name);
            if !names.insert(name) {
                self.at = start;
                return Err(self.fault("a map has a name twice"));
            }
            self.item(depth + 1)?;
        }
        Ok(())
    }
}
