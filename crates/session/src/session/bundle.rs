//! The bytes an agent wrote for one or more sessions. They are the truth; all else labels them.

use std::fmt;

/// Which of a session's parallel histories a member holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// The session itself.
    Main,
    /// A sub-agent: the stem of the file it is written in.
    Sub(String),
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("main"),
            Self::Sub(stem) => write!(f, "subagent:{stem}"),
        }
    }
}

/// How the bytes were stored where they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// As they are.
    Plain,
    /// Compressed with Zstandard: the stored bytes, kept so that writing gives them back.
    Zstd(Vec<u8>),
    /// Rows of a database, written out as its documented dump.
    Dump,
    /// Plain text, cut into blocks: a JSON object a line, whose strings one behind another are the
    /// text; the stored text.
    Text(Vec<u8>),
    /// The same values in CBOR: the stored bytes.
    Cbor(Vec<u8>),
}

/// One file, or one database's dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name relative to the session's own folder, `/` between parts. Hostile: never a path to
    /// open.
    pub name: String,
    /// The history it belongs to.
    pub stream: Stream,
    bytes: Vec<u8>,
    transport: Transport,
}

/// The longest member that spans can address.
pub const MEMBER_LIMIT: usize = u32::MAX as usize - 64;

impl Member {
    /// A member of plain bytes. Bytes behind [`MEMBER_LIMIT`] cannot be addressed: `None`.
    #[must_use]
    pub fn new(name: impl Into<String>, stream: Stream, bytes: Vec<u8>) -> Option<Self> {
        Self::stored(name, stream, bytes, Transport::Plain)
    }

    /// A member whose stored form is not its bytes.
    #[must_use]
    pub fn stored(
        name: impl Into<String>,
        stream: Stream,
        bytes: Vec<u8>,
        transport: Transport,
    ) -> Option<Self> {
        (bytes.len() <= MEMBER_LIMIT).then(|| Self { name: name.into(), stream, bytes, transport })
    }

    /// The decoded bytes: what is read and labelled.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The decoded bytes, to cover some of them. The stored ones stay, where they are others.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The bytes as they were found: what native writing gives back.
    #[must_use]
    pub fn stored_bytes(&self) -> &[u8] {
        match &self.transport {
            Transport::Zstd(stored) | Transport::Text(stored) | Transport::Cbor(stored) => stored,
            Transport::Plain | Transport::Dump => &self.bytes,
        }
    }

    /// How they were stored.
    #[must_use]
    pub const fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The last part of the name without its extension.
    #[must_use]
    pub fn stem(&self) -> &str {
        let file = self.name.rsplit('/').next().unwrap_or(&self.name);
        file.split_once('.').map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem })
    }
}

/// The members of one session, or of the several that share a file or a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The members in the order in which they are read.
    pub members: Vec<Member>,
}

impl Bundle {
    /// A bundle of one member.
    #[must_use]
    pub fn of(member: Member) -> Self {
        Self { members: vec![member] }
    }

    /// Puts the members in their canonical order, whatever the order in which they were found:
    /// the main history first, then by stream and name.
    pub fn settle(&mut self) {
        self.members.sort_by(|a, b| (&a.stream, &a.name).cmp(&(&b.stream, &b.name)));
    }

    /// The decoded bytes of a member; empty for a member that does not exist.
    #[must_use]
    pub fn bytes(&self, member: u32) -> &[u8] {
        self.members.get(member as usize).map_or(&[], Member::bytes)
    }
}
