//! A format's claim on a file: the bytes and names that it sees, and its answer.

use std::borrow::Cow;

use session::Stream;

/// The bytes of a file's beginning, and of its end, that detection looks at, at most.
pub const END_BYTES: usize = 64 * 1024;

/// A file that may be a session or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path, `/` between parts, as far as it is known; at least the file's name.
    pub path: &'a str,
    /// Its first bytes, decompressed: 64 KiB, or all of a shorter file.
    pub head: &'a [u8],
    /// Its last bytes, 64 KiB at most. Empty if `head` is the whole file.
    pub tail: Tail<'a>,
    /// Its whole length in bytes as stored.
    pub length: u64,
}

/// The last bytes of a file. Few formats need them, and seldom.
#[derive(Clone, Copy)]
pub enum Tail<'a> {
    /// The bytes, already read.
    Is(&'a [u8]),
    /// The bytes, read on demand; empty if they can't be read.
    Later(&'a dyn Fn() -> Vec<u8>),
}

impl<'a> Tail<'a> {
    /// The bytes.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Is(bytes) => Cow::Borrowed(bytes),
            Self::Later(read) => Cow::Owned(read()),
        }
    }
}

impl std::fmt::Debug for Tail<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tail")
    }
}

impl<'a> Candidate<'a> {
    /// The candidate of a whole file whose bytes are in memory.
    #[must_use]
    pub fn of(path: &'a str, bytes: &'a [u8]) -> Self {
        let head = &bytes[..bytes.len().min(END_BYTES)];
        let tail = &bytes[bytes.len().saturating_sub(END_BYTES).max(head.len())..];
        Self { path, head, tail: Tail::Is(tail), length: bytes.len() as u64 }
    }

    /// The file's name.
    #[must_use]
    pub fn file(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// The folders above the file, nearest first.
    pub fn folders(&self) -> impl Iterator<Item = &'a str> {
        self.path.rsplit('/').skip(1)
    }
}

/// A format's claim on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A part of the session (or sessions) of `group`. All files with one group are one bundle.
    /// `id` is the session's id as far as name and head show.
    Part {
        /// Equal for the files of one session: mostly the session's id.
        group: String,
        /// Role of the file in the session.
        role: Role,
    },
    /// Written by this agent, but not a session; the reason, in words for people.
    NoSession(&'static str),
    /// Not this format's.
    No,
}

/// Role of a file in its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The session itself.
    Main,
    /// A sub-agent's history; the stem of its file.
    Sub(String),
    /// A side file of the stream with this stem (`None`: of the main stream).
    Beside(Option<String>),
}

impl Role {
    /// The stream of the bundle that the file belongs to.
    #[must_use]
    pub fn stream(&self) -> Stream {
        match self {
            Self::Main | Self::Beside(None) => Stream::Main,
            Self::Sub(stem) | Self::Beside(Some(stem)) => Stream::Sub(stem.clone()),
        }
    }
}
