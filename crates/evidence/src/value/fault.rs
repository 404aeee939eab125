//! Faults in the bytes of a document.

/// The reason why bytes are not a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}, at {path}: {why}")]
pub struct ReadError {
    /// Offset in bytes at which reading stopped.
    pub offset: u64,
    /// The value being read, in the notation of [`Document::path`](super::Document::path).
    pub path: String,
    /// The fault at that place.
    pub why: ReadFault,
}

/// Faults in the bytes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ReadFault {
    #[error("the document ends before the value does")]
    Truncated,
    #[error("bytes follow the end of the document")]
    Trailing,
    #[error("longer than the limit")]
    TooLong,
    #[error("nested deeper than the limit")]
    TooDeep,
    #[error("more values than the limit, and shorter ones")]
    TooMany,
    #[error("not UTF-8")]
    Utf8,
    #[error("not JSON: {}", .0.words())]
    Json(session::JsonFault),
    #[error("half of a surrogate pair is not a character (RFC 7493, section 2.1)")]
    Surrogate,
    #[error("a CBOR head with a reserved additional information value")]
    Reserved,
    #[error("a CBOR simple value below 32 in two bytes")]
    Simple,
    #[error("a break outside an indefinite-length item")]
    Break,
    #[error("a chunk of an indefinite-length string that is no definite string of its type")]
    Chunk,
    #[error("the same key twice in one map")]
    DuplicateKey,
}

impl ReadFault {
    /// Whether the document may be right, and is only more than this reader takes.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::TooLong | Self::TooDeep | Self::TooMany)
    }
}
