//! JSON text formatted for people: one member per line, two spaces per level.

use std::io::{Result, Write};

/// Depth from which a text continues on one line: indentation alone would be quadratic in hostile
/// nesting.
const INDENTED: usize = 48;

/// A compact JSON text, formatted for people.
pub(crate) fn pretty(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 4);
    let mut laid = Pretty::new(&mut out);
    // Writing into memory cannot fail.
    let _ = laid.write_all(text).and_then(|()| laid.finish());
    out
}

/// A writer that formats the JSON text it receives, in pieces of any length.
pub(crate) struct Pretty<'w> {
    sink: &'w mut dyn Write,
    /// Text that the sink has not received yet.
    laid: Vec<u8>,
    depth: usize,
    /// Whether it is within a string.
    quoted: bool,
    /// Whether the previous byte was a backslash.
    escaped: bool,
    /// Whether the previous byte began a container.
    begun: bool,
}

/// Length from which the output is passed on, in bytes.
const CHUNK: usize = 1 << 16;

impl<'w> Pretty<'w> {
    pub(crate) fn new(sink: &'w mut dyn Write) -> Self {
        let laid = Vec::new();
        Self { sink, laid, depth: 0, quoted: false, escaped: false, begun: false }
    }

    /// Ends the text with a line end.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.laid.push(b'\n');
        self.sink.write_all(&self.laid)
    }

    fn line(&mut self) {
        if self.depth <= INDENTED {
            self.laid.push(b'\n');
            self.laid.resize(self.laid.len() + 2 * self.depth, b' ');
        }
    }

    /// Consumes the part of `bytes` that is within the open string.
    fn string<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let mut at = 0;
        if std::mem::take(&mut self.escaped) {
            at = 1;
        }
        while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
            at += found + 1;
            if bytes[at - 1] == b'"' {
                self.quoted = false;
                break;
            }
            self.escaped = at == bytes.len();
            at += 1;
        }
        let end = if self.quoted { bytes.len() } else { at };
        let (taken, rest) = bytes.split_at(end);
        self.laid.extend_from_slice(taken);
        rest
    }

    fn token(&mut self, byte: u8) {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return;
        }
        let begun = std::mem::take(&mut self.begun);
        let ends = matches!(byte, b'}' | b']');
        if ends {
            self.depth = self.depth.saturating_sub(1);
        }
        if begun != ends {
            self.line();
        }
        self.laid.push(byte);
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.begun = true;
            }
            b',' => self.line(),
            b':' => self.laid.push(b' '),
            b'"' => self.quoted = true,
            _ => {}
        }
    }
}

impl Write for Pretty<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let bytes = &bytes[..bytes.len().min(CHUNK)];
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            if self.quoted {
                rest = self.string(rest);
            } else {
                self.token(byte);
                rest = behind;
            }
        }
        if self.laid.len() >= CHUNK {
            self.sink.write_all(&self.laid)?;
            self.laid.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.flush()
    }
}
