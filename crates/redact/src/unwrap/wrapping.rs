//! Wrapping: a way in which a text is wrapped in another.

/// A way in which a text is wrapped in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Wrapping {
    /// Escapes of JSON (RFC 8259, section 7).
    Json,
    /// Percent encoding (RFC 3986, section 2.1).
    Percent,
    /// Percent encoding with `+` for a space, as forms are sent.
    Form,
    /// Colours and other control sequences of a terminal (ECMA-48).
    Ansi,
    /// A prefix of each line: its number, a path, the mark of a diff or a quotation.
    Prefixes,
    /// Lines that were cut at a width.
    Wrapped,
    /// Base64 or base64url (RFC 4648), and in it also a container (Gzip, zlib, zip) or UTF-16.
    Base64,
    /// Hexadecimal digits.
    Hex,
    /// Bytes as numbers: a dump in hexadecimal digits, or a list of numbers.
    Dump,
    /// References of HTML (`&#103;`).
    Entities,
    /// Characters that nobody sees: NUL, spaces and joiners without a width.
    Invisible,
    /// Quoted-printable (RFC 2045, section 6.7).
    Quoted,
    /// Strings put together, and words with tags or quotes within.
    Joined,
    /// Pieces of a stream: texts of several records, joined.
    Stream,
}

impl Wrapping {
    /// Whether no part of the wrapped text can be replaced alone.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Self::Base64 | Self::Hex | Self::Dump)
    }

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Percent => "percent",
            Self::Form => "form",
            Self::Ansi => "ansi",
            Self::Prefixes => "prefixes",
            Self::Wrapped => "wrapped",
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Dump => "dump",
            Self::Entities => "entities",
            Self::Invisible => "invisible",
            Self::Quoted => "quoted-printable",
            Self::Joined => "joined",
            Self::Stream => "stream",
        }
    }
}
