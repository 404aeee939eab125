//! Places of agents' sessions on a machine.

/// A data directory: a folder below a base.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The base of the folder.
    pub base: Base,
    /// The folder below the base, `/` between parts.
    pub folder: &'static str,
    /// Folders below the place that contain sessions, for a user who names the agent's home or one
    /// of them: `~/.codex` and `~/.codex/sessions` are the same place. A part `*` is any folder.
    pub leaves: &'static [&'static str],
}

/// Base of a [`Place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Environment variable, if set and not empty. It replaces the default places of its format
    /// that follow it.
    Variable(&'static str),
    /// Environment variable with several folders, separated by commas.
    List(&'static str),
    /// Environment variable whose value is trimmed and in which `~` is expanded to the user's home.
    /// If the result is not absolute, the variable is ignored.
    Expanded(&'static str),
    /// Environment variable that names a folder or a file, absolutely. It adds to the default
    /// places.
    Added(&'static str),
    /// Environment variable naming a database. A relative value is resolved against the place's
    /// data folder. A path inside that folder is ignored, because the folder is scanned anyway.
    Beside(&'static str),
    /// The user's home.
    Home,
    /// The home for programs that came from Unix: `$HOME`, and on Windows also `%APPDATA%`.
    UnixHome,
    /// The folder for temporary files, if the user has no home or `$HOME` is empty.
    Temporary,
    /// `$XDG_CONFIG_HOME` or `~/.config`.
    Config,
    /// `$XDG_DATA_HOME` or `~/.local/share`.
    Data,
    /// `$XDG_STATE_HOME` or `~/.local/state`.
    State,
    /// The platform's folder for application data: `~/.config`, `~/Library/Application Support`,
    /// `%APPDATA%`.
    Application,
}
