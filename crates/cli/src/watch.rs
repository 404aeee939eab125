//! Credentials in what `show` and `convert` print: their number, so that nobody shares it unaware.
//!
//! The rules that go by a credential's shape look through the beginning of it; `scan` looks through
//! all of it, and through every wrapping.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use evidence::redact::rules::{Rules, RulesError};
use session::Session;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;
use crate::terminal::Plain;

/// Number of bytes that are looked through: it costs little beside printing them.
const LIMIT: usize = 1 << 20;

/// An output that is looked through.
pub(crate) struct Watch<'w> {
    out: &'w mut dyn Write,
    begun: Vec<u8>,
    is_long: bool,
}

/// Result of looking through an output.
pub(crate) struct Seen {
    credentials: usize,
    is_long: bool,
}

impl<'w> Watch<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, begun: Vec::new(), is_long: false }
    }

    /// The credentials in what was written.
    pub(crate) fn end(self) -> Result<Seen, Failure> {
        seen(self.begun, self.is_long)
    }
}

impl Write for Watch<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        let room = LIMIT.saturating_sub(self.begun.len());
        self.is_long |= bytes.len() > room;
        self.begun.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Tells the credentials in the files of a session that was written.
pub(crate) fn session(
    session: &Session,
    name: &Path,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let (mut begun, mut length) = (Vec::new(), 0);
    for member in &session.bundle.members {
        let bytes = member.bytes();
        length += bytes.len();
        begun.extend_from_slice(&bytes[..bytes.len().min(LIMIT.saturating_sub(begun.len()))]);
    }
    seen(begun, length > LIMIT)?.tell(name, env)
}

fn seen(mut text: Vec<u8>, is_long: bool) -> Result<Seen, Failure> {
    let damaged = |error: RulesError| {
        Failure::Faulty(error.to_string(), "this program was built from damaged rules".into())
    };
    bare(&mut text);
    let mut hits = Vec::new();
    Rules::of_shapes().map_err(damaged)?.find(&text, &mut hits).map_err(damaged)?;
    let values: HashSet<&[u8]> = hits.iter().map(|hit| &text[hit.start..hit.end]).collect();
    Ok(Seen { credentials: values.len(), is_long })
}

/// Blanks escapes of JSON and colours, which would seem to be a part of the word behind them.
fn bare(text: &mut [u8]) {
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'\\', 0x1b, &text[at..]) {
        let start = at + next;
        let length = match (text[start], text.get(start + 1)) {
            (b'\\', Some(b'n' | b't' | b'r' | b'"' | b'/' | b'\\' | b'b' | b'f')) => 2,
            (0x1b, Some(b'[')) => {
                let rest = text[start + 2..].iter();
                2 + rest.take_while(|byte| byte.is_ascii_digit() || **byte == b';').count() + 1
            }
            _ => 1,
        };
        at = (start + length).min(text.len());
        text[start..at].fill(b' ');
    }
}

impl Seen {
    pub(crate) fn tell(&self, name: &Path, env: &mut Environment<'_>) -> Result<(), Failure> {
        let scan = match name == Path::new("-") {
            true => "`verbatim scan`".to_owned(),
            false => format!("`verbatim scan {}`", name.display()),
        };
        let text = match (self.credentials, self.is_long) {
            (0, false) => return Ok(()),
            (0, true) => format!("only its beginning was looked through for credentials: {scan}"),
            (some, _) => {
                let least = if self.is_long { "at least " } else { "" };
                let some = counted(some as u64, "credential", "credentials");
                format!("{least}{some} in it, not left out: {scan} tells where")
            }
        };
        Ok(writeln!(env.err, "note: {}", Plain::line(&text))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_seen_once_behind_escapes_and_colours() {
        let token = format!("gh{}_{}", 'p', "q7Wn2R".repeat(6));
        for text in [format!("a\\n{token}\\nb {token}"), format!("\x1b[2m{token}\x1b[0m")] {
            assert_eq!(seen(text.clone().into(), false).unwrap().credentials, 1, "{text}");
        }
        assert_eq!(seen(b"\\".to_vec(), false).unwrap().credentials, 0);
        assert_eq!(seen(b"\x1b[".to_vec(), false).unwrap().credentials, 0);
    }
}
