//! Facts of a session that its own files do not tell.

/// Facts of a session from elsewhere: from files beside it, or from the document that it was
/// restored from. They count only if the session does not record them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The folder of its project.
    pub folder: Option<String>,
    /// The model that represents it.
    pub model: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// The session that this one was converted from.
    pub made_from: Option<MadeFrom>,
}

/// The conversion that made a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFrom {
    /// The format of the source.
    pub format: String,
    /// The native id of the source.
    pub id: String,
    /// The SHA-256 digest of the books of the conversion, in hexadecimal digits.
    pub books: String,
    /// The version of the program that converted it.
    pub by: String,
}
