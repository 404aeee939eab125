//! JSON output: one document that begins with the name of its schema. Characters that could act on
//! a terminal are escaped.

use std::io::{self, Write};

use api::show::{self, Show};
use serde::Serialize;

use crate::terminal;

/// Number of bytes that are escaped and written at once.
const AT_ONCE: usize = 1 << 16;

/// Writes a value as one JSON document and a line break; the text is never whole in memory.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut harmless = Harmless { out, pending: Vec::with_capacity(AT_ONCE) };
    serde_json::to_writer_pretty(&mut harmless, value)?;
    harmless.write_all(b"\n")?;
    harmless.flush()
}

/// Writes JSON without characters that could act on a terminal.
struct Harmless<'w> {
    out: &'w mut dyn Write,
    pending: Vec<u8>,
}

impl Harmless<'_> {
    /// Writes the characters that are complete.
    fn put(&mut self) -> io::Result<()> {
        let whole = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.pending.len(),
        };
        let text = std::str::from_utf8(&self.pending[..whole]).map_err(io::Error::other)?;
        self.out.write_all(terminal::json(text).as_bytes())?;
        self.pending.drain(..whole);
        Ok(())
    }
}

impl Write for Harmless<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= AT_ONCE {
            self.put()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()?;
        self.out.flush()
    }
}

/// Writes a session as one JSON document, an event per line, so that a long session is never whole
/// in memory.
pub(crate) fn stream(out: &mut dyn Write, show: &Show<'_>) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{}\",\"session\":", show::SCHEMA)?;
    put(out, &show.head())?;
    out.write_all(b",\"events\":[")?;
    for (at, event) in show.events().enumerate() {
        out.write_all(if at > 0 { b",\n" } else { b"\n" })?;
        put(out, &event)?;
    }
    out.write_all(b"\n],\"turns\":[")?;
    for (at, turn) in show.turns().iter().enumerate() {
        out.write_all(if at > 0 { b",\n" } else { b"\n" })?;
        put(out, turn)?;
    }
    out.write_all(b"\n]}\n")
}

/// Writes a session as lines: itself, and then each event. Values are as the agent wrote them, and
/// may have line breaks between their parts: these mean nothing in JSON, and become spaces.
pub(crate) fn lines(out: &mut dyn Write, show: &Show<'_>) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{}\",\"session\":", show::LINES)?;
    put(out, &show.head())?;
    out.write_all(b"}\n")?;
    show.events().try_for_each(|event| {
        let text = serde_json::to_string(&event).map_err(io::Error::other)?;
        let line = terminal::json(&text).replace(['\n', '\r'], " ");
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")
    })
}

fn put(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    out.write_all(terminal::json(&text).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_is_written_in_parts_and_is_the_same() {
        let text = "é\u{9b}\u{202e}".repeat(AT_ONCE);
        let mut out = Vec::new();
        write(&mut out, &text).expect("written");
        assert!(!String::from_utf8_lossy(&out).contains(['\u{9b}', '\u{202e}']));
        assert_eq!(serde_json::from_slice::<String>(&out).expect("JSON"), text);
    }

    #[test]
    fn a_character_may_come_in_two_parts() {
        let text = "\"é\u{9b}\u{202e}日\"".repeat(AT_ONCE / 8);
        let mut out = Vec::new();
        let mut harmless = Harmless { out: &mut out, pending: Vec::new() };
        // Parts of 13 bytes end at each byte of a character.
        for part in text.as_bytes().chunks(13) {
            harmless.write_all(part).expect("written");
            harmless.put().expect("put");
        }
        harmless.flush().expect("flushed");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), terminal::json(&text));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = write(&mut Full, &"x".repeat(3 * AT_ONCE)).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
