//! Kinds of acts on the machine.

use formats::tools::Common;

/// A kind of act on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// A command was executed.
    Command,
    /// A file was changed.
    FileChange,
    /// The web was fetched from, or searched.
    Network,
    /// A server's tool was called.
    ServerTool,
}

/// The kinds of acts, in the order of an account.
pub(crate) const ACTS: [Act; 4] = [Act::Command, Act::FileChange, Act::Network, Act::ServerTool];

impl Act {
    /// The act that a tool is for.
    pub(crate) const fn of(tool: Common) -> Option<Self> {
        match tool {
            Common::Shell => Some(Self::Command),
            Common::Write | Common::Edit | Common::Patch | Common::Notebook | Common::Delete => {
                Some(Self::FileChange)
            }
            Common::Fetch | Common::Search => Some(Self::Network),
            Common::Mcp => Some(Self::ServerTool),
            _ => None,
        }
    }
}
