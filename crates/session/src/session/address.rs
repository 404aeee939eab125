//! Event address: a name of an event that is the same in every reading of a session, even if the
//! agent has added to its files since, or bytes of other lines were changed.
//!
//! [`crate::EventIx`] is the index of one reading. An address counts lines, and the events of one
//! line.

use std::fmt;
use std::str::FromStr;

use crate::session::{EventRef, Session};

/// Address of an event. As text: `claude-code:5f1e7f1e/5f1e7f1e.jsonl/12.0`. Bytes other than
/// letters, digits, `-`, `.`, `_`, `~` or `:` (in a member's name also `/`) are written `%XX`. So
/// the text is ASCII and harmless in a terminal, a log and a query of a URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventAddress {
    /// The uid of the session.
    pub uid: String,
    /// The name of the member. It is hostile: never a path to open.
    pub member: String,
    /// The line on which the event's record begins, from 1.
    pub line: u32,
    /// The number of the event among those of the records that begin on this line, from 0.
    pub part: u32,
}

/// Text that is not an event address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAddress;

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an event address: one is `UID/FILE/LINE.PART`, as in `show --json`")
    }
}

impl std::error::Error for NoAddress {}

impl fmt::Display for EventAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        encode(&self.uid, b"", f)?;
        f.write_str("/")?;
        encode(&self.member, b"/", f)?;
        write!(f, "/{}.{}", self.line, self.part)
    }
}

impl FromStr for EventAddress {
    type Err = NoAddress;

    /// Parses the one spelling that [`EventAddress`] writes, and no other.
    fn from_str(text: &str) -> Result<Self, NoAddress> {
        let parse = || {
            let (names, place) = text.rsplit_once('/')?;
            let (uid, member) = names.split_once('/')?;
            let (line, part) = place.split_once('.')?;
            let (line, part) = (line.parse().ok()?, part.parse().ok()?);
            Some(Self { uid: decode(uid)?, member: decode(member)?, line, part })
        };
        parse().filter(|address: &Self| address.to_string() == text).ok_or(NoAddress)
    }
}

/// Writes a name, with each other byte as `%XX` (RFC 3986, section 2.1).
fn encode(name: &str, also: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte) || also.contains(&byte);
    for byte in name.bytes() {
        match plain(byte) {
            true => write!(f, "{}", char::from(byte))?,
            false => write!(f, "%{byte:02X}")?,
        }
    }
    Ok(())
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        (rest, _) = match (first, behind) {
            (b'%', [high, low, behind @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let byte = digit(*high)? * 16 + digit(*low)?;
                (behind, bytes.push(u8::try_from(byte).ok()?))
            }
            (b'%', _) => return None,
            _ => (behind, bytes.push(*first)),
        };
    }
    String::from_utf8(bytes).ok()
}

/// The uid of a session as text that is harmless anywhere, as an address begins with it.
#[must_use]
pub fn uid_text(uid: &str) -> String {
    struct Encoded<'u>(&'u str);
    impl fmt::Display for Encoded<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            encode(self.0, b"", f)
        }
    }
    Encoded(uid).to_string()
}

/// The uid in such a text; `None` for any other text.
#[must_use]
pub fn uid_of_text(text: &str) -> Option<String> {
    decode(text).filter(|uid| uid_text(uid) == text)
}

impl Session {
    /// The event at an address; `None` if this session has no such event.
    #[must_use]
    pub fn find(&self, address: &EventAddress) -> Option<EventRef<'_>> {
        if address.uid != self.uid() {
            return None;
        }
        let members = (0..).zip(&self.bundle.members);
        let mut members = members.filter(|(_, member)| member.name == address.member);
        members.find_map(|(member, _)| {
            let first = self.first_of(member, address.line);
            let index = first.checked_add(address.part as usize)?;
            let event = self.events.get(index)?;
            let record = self.records.get(event.origin.record as usize)?;
            let here = (record.member, record.line) == (member, address.line);
            here.then(|| self.event(crate::json::index::offset(index)))
        })
    }

    /// The index of the first event whose record begins on a line of a member, or after it. Records
    /// and events are in the order of members and lines.
    fn first_of(&self, member: u32, line: u32) -> usize {
        let place = (member, line);
        let record = self.records.partition_point(|each| (each.member, each.line) < place);
        self.events.partition_point(|event| (event.origin.record as usize) < record)
    }
}

impl EventRef<'_> {
    /// The address of the event.
    #[must_use]
    pub fn address(self) -> EventAddress {
        let session = self.session();
        let record = session.records.get(self.origin.record as usize);
        let line = record.map_or(self.origin.line, |record| record.line);
        let first = session.first_of(self.origin.member, line);
        let member = session.bundle.members.get(self.origin.member as usize);
        EventAddress {
            uid: session.uid(),
            member: member.map_or_else(String::new, |member| member.name.clone()),
            line,
            part: crate::json::index::offset((self.index as usize).saturating_sub(first)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EventAddress, NoAddress};

    fn address(uid: &str, member: &str, line: u32, part: u32) -> EventAddress {
        EventAddress { uid: uid.into(), member: member.into(), line, part }
    }

    #[test]
    fn text_gives_the_address_back() {
        for (address, text) in [
            (address("codex:0199", "2026/05/a.jsonl", 12, 0), "codex:0199/2026/05/a.jsonl/12.0"),
            (address("sage:-home-", "", 1, 4_294_967_295), "sage:-home-//1.4294967295"),
            (address("x:a/b%", "é/../\u{1b}[2J\n", 0, 3), "x:a%2Fb%25/%C3%A9/../%1B%5B2J%0A/0.3"),
            (address("x:\u{202e}", "a.b/1.2", 1, 1), "x:%E2%80%AE/a.b/1.2/1.1"),
        ] {
            assert_eq!(address.to_string(), text);
            assert_eq!(text.parse(), Ok(address), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_address() {
        for text in [
            "",
            "/",
            "//",
            "codex:a",
            "codex:a/m",
            "codex:a/m/1",
            "codex:a/m/1.",
            "codex:a/m/.1",
            "codex:a/m/01.0",
            "codex:a/m/+1.0",
            "codex:a/m/1.0 ",
            "codex:a/m/1.4294967296",
            "codex:a/m/-1.0",
            "codex:a/m m/1.0",
            "codex:a/%6d/1.0",
            "codex:a/%2f/1.0",
            "codex:a/%/1.0",
            "codex:a/%2/1.0",
            "codex:a/%FF/1.0",
            "codex:a/é/1.0",
            "codex:a/m/1.0\n",
            "codex:a/%+1/1.0",
        ] {
            assert_eq!(text.parse::<EventAddress>(), Err(NoAddress), "{text:?}");
        }
    }
}
