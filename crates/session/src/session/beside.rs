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
}
