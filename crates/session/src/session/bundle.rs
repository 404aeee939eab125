//! Source bytes of one or more sessions. They are the truth; everything else labels them.

use std::fmt;
use std::sync::Arc;

use crate::json::span::Span;
use crate::session::bytes::{Bytes, Known};
use crate::sorting::Sorting as _;

/// Stream of a member, among a session's parallel histories.
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

/// Stored form of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Unchanged.
    Plain,
    /// Compressed with Zstandard: the stored bytes, kept for writing.
    Zstd(Vec<u8>),
    /// Rows of a database, written out as its documented dump.
    Dump,
    /// Plain text, split into blocks: one JSON object per line, whose strings, concatenated, are
    /// the text. The stored text.
    Text(Vec<u8>),
    /// The same values in CBOR: the stored bytes.
    Cbor(Vec<u8>),
}

/// One file, or one database's dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name relative to the session's own folder, `/` between parts. It is hostile: never a
    /// path to open.
    pub name: String,
    /// The history it belongs to.
    pub stream: Stream,
    bytes: Bytes,
    transport: Arc<Transport>,
}

impl Transport {
    /// Its name in documents.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Zstd(_) => "zstd",
            Self::Dump => "dump",
            Self::Text(_) => "text",
            Self::Cbor(_) => "cbor",
        }
    }
}

/// The largest length of a member that spans can address.
pub const MEMBER_LIMIT: usize = u32::MAX as usize - 64;

impl Member {
    /// A member of plain bytes; `None` if it exceeds [`MEMBER_LIMIT`].
    #[must_use]
    pub fn new(name: impl Into<String>, stream: Stream, bytes: Vec<u8>) -> Option<Self> {
        Self::stored(name, stream, bytes, Transport::Plain)
    }

    /// A member whose stored form differs from its bytes.
    #[must_use]
    pub fn stored(
        name: impl Into<String>,
        stream: Stream,
        bytes: Vec<u8>,
        transport: Transport,
    ) -> Option<Self> {
        (bytes.len() <= MEMBER_LIMIT).then(|| Self {
            name: name.into(),
            stream,
            bytes: bytes.into(),
            transport: Arc::new(transport),
        })
    }

    /// The decoded bytes, which are read and labelled.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    /// Number of decoded bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Adds bytes at the end, as an agent does that writes on. False, and nothing is added, if it
    /// is not stored plainly, if a part of it is covered, or if it would exceed [`MEMBER_LIMIT`].
    #[must_use]
    pub fn append(&mut self, more: &[u8]) -> bool {
        let grows = *self.transport == Transport::Plain
            && !self.bytes.is_covered()
            && self.length().saturating_add(more.len()) <= MEMBER_LIMIT;
        if grows {
            self.bytes.append(more);
        }
        grows
    }

    /// The beginning of it that an earlier reading has read.
    pub(crate) fn known(&self) -> Option<&Known> {
        self.bytes.known.as_ref()
    }

    /// Notes that a reading has read it whole. False if a part of it was covered since.
    pub(crate) fn set_known(&mut self, known: Known) -> bool {
        let is_read = !self.bytes.is_covered();
        self.bytes.known = is_read.then_some(known);
        is_read
    }

    /// Covers a span of the decoded bytes with what `change` makes of it, and copies no more than
    /// the part around it. Other stored bytes are unchanged.
    pub fn cover(&mut self, span: Span, around: Span, change: impl FnOnce(&mut [u8])) {
        self.bytes.cover(span, around, change);
    }

    /// The stored bytes, which native writing returns.
    #[must_use]
    pub fn stored_bytes(&self) -> &[u8] {
        match &*self.transport {
            Transport::Zstd(stored) | Transport::Text(stored) | Transport::Cbor(stored) => stored,
            Transport::Plain | Transport::Dump => self.bytes.all(),
        }
    }

    /// Number of stored bytes.
    #[must_use]
    pub fn stored_length(&self) -> usize {
        match &*self.transport {
            Transport::Zstd(stored) | Transport::Text(stored) | Transport::Cbor(stored) => {
                stored.len()
            }
            Transport::Plain | Transport::Dump => self.length(),
        }
    }

    /// Their stored form.
    #[must_use]
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The last part of the name up to its first dot, so that `a.jsonl.zst` gives `a`. A name that
    /// begins with a dot is kept whole.
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

    /// Sorts the members into canonical order: the main history first, then by stream and name.
    pub fn settle(&mut self) {
        self.members.in_order_by(|a, b| (&a.stream, &a.name).cmp(&(&b.stream, &b.name)));
    }

    /// The decoded bytes of a member; empty if there is no such member.
    #[must_use]
    pub fn bytes(&self, member: u32) -> &[u8] {
        self.members.get(member as usize).map_or(&[], Member::bytes)
    }

    /// The decoded bytes of a span of a member; empty if it has no such bytes. Of a session whose
    /// secrets are covered, this needs less memory than all bytes.
    #[must_use]
    pub fn slice(&self, member: u32, span: Span) -> &[u8] {
        self.members.get(member as usize).map_or(&[], |member| member.bytes.slice(span))
    }
}
