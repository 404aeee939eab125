//! The kind of system. Rules that depend on it take it as an argument, so that those of each system
//! are tested on all.

/// The kinds of system on which agents keep their sessions differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// Linux and other systems like it.
    #[default]
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl System {
    /// The system that this program runs on.
    #[must_use]
    pub fn here() -> Self {
        match std::env::consts::OS {
            "macos" | "ios" => Self::Mac,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }
}
