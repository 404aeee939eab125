//! Meanings: the kind of an event, the slot of a field, the standing in the conversation.

/// What an event is: the record's entry types, and bytes that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What the user's side said: prompts, tool results' carriers, injected context.
    User,
    /// What the model said.
    Assistant,
    /// What the model thought.
    Reasoning,
    /// A tool is called.
    ToolCall,
    /// A tool answered.
    ToolResult,
    /// Everything else that the agent wrote down.
    Notice,
    /// Bytes that are not JSON: kept as they are.
    Opaque,
}

/// What a native field means. Field order in the source says nothing about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Slot {
    /// Nothing canonical: kept as it is.
    Native,
    /// When it happened (RFC 3339, or epoch seconds or milliseconds).
    Time,
    /// The event's own id.
    Id,
    /// The id of the event that it follows.
    Parent,
    /// The id of the event that it follows across a cut in the chain (a compaction).
    Link,
    /// The id that joins a tool call and its result.
    Call,
    /// The model.
    Model,
    /// The model's provider.
    Provider,
    /// What was said: a string, or an array of blocks.
    Content,
    /// A tool's name, or an event's own type word.
    Name,
    /// A tool's arguments.
    Input,
    /// A tool's answer.
    Output,
    /// True where the tool failed.
    IsError,
    /// True where the tool did what it was asked to, false where it failed.
    Success,
    /// The code with which a command ended: 0 where it went well.
    ExitCode,
    /// How it went, in the agent's words.
    Status,
    /// What a tool tells of its run beside the answer.
    Detail,
    /// Content that only the provider can read.
    Encrypted,
    /// The topic of a thought.
    Subject,
    /// The container of the token counters.
    Usage,
    /// Input tokens, by the format's convention.
    TokensIn,
    /// Output tokens, by the format's convention.
    TokensOut,
    /// Input tokens read from a cache.
    CacheRead,
    /// Input tokens written to a cache.
    CacheWrite,
    /// Tokens of reasoning.
    TokensReasoning,
    /// Tokens that tools used up.
    TokensTool,
    /// All tokens, as the agent adds them up.
    TokensTotal,
    /// The container of running totals (as opposed to one answer's usage).
    UsageTotal,
    /// What it cost, in US dollars.
    Cost,
    /// The id of the model's answer: several events may be one answer.
    Message,
    /// The id of the request that the answer belongs to.
    Request,
    /// The native type word that tells the record's kind.
    Type,
    /// Who speaks, in the agent's words.
    Role,
    /// The session's id.
    Session,
    /// The session that this one was forked from.
    ParentSession,
    /// The session that started this one as its sub-agent.
    SpawnedBy,
    /// The file that this one goes on from: what came before stands there, and running totals go
    /// on from it.
    Base,
    /// The id of a sub-agent.
    Agent,
    /// The turn it belongs to.
    Turn,
    /// The working directory.
    WorkingDir,
    /// The branch of version control.
    Branch,
    /// The revision of version control.
    Revision,
    /// The repository's address.
    Repository,
    /// The kind of version control: `git`.
    VersionControl,
    /// The agent's version.
    Version,
    /// The session's title.
    Title,
    /// A title that a machine made: weaker than [`Slot::Title`].
    AutoTitle,
    /// When the session began, where a header says so.
    Started,
    /// When the session was last added to, where a header says so.
    Updated,
    /// When the file was last written, whether or not anything was added: an automatic save, an
    /// export.
    Saved,
    /// A true value marks a side chain.
    Sidechain,
    /// A true value marks text that no person typed.
    Meta,
    /// A true value marks a summary that stands for what came before it.
    CompactSummary,
    /// The id of the event that is the active end of the conversation.
    Leaf,
    /// The id of an event that this one points at (a rewind, a snapshot's message).
    Target,
    /// How many turns are taken back.
    Count,
    /// The source's own sequence number.
    Ordinal,
    /// Why the answer ended.
    Finish,
    /// How long it took.
    Duration,
    /// A path of a file that the event is about.
    Path,
    /// A value that gives access to something: not shown and not shared unless it is asked for.
    Secret,
}

/// How an event stands to the conversation that the agent would resume. All of it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Standing {
    /// Part of what the agent would resume.
    #[default]
    Live,
    /// Conversation that a summary replaced: no longer context.
    Compacted,
    /// Says again what another event of the session says.
    Echo,
    /// Replaced by a later state of the same event.
    Superseded,
    /// Taken back.
    Rewound,
    /// On a branch that was left.
    OtherBranch,
    /// Copied from another session, as the file itself shows.
    Copied,
}

impl Standing {
    /// The word for it in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Compacted => "compacted",
            Self::Echo => "echo",
            Self::Superseded => "superseded",
            Self::Rewound => "rewound",
            Self::OtherBranch => "other-branch",
            Self::Copied => "copied",
        }
    }

    /// The standing that a word names.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [
            Self::Live,
            Self::Compacted,
            Self::Echo,
            Self::Superseded,
            Self::Rewound,
            Self::OtherBranch,
            Self::Copied,
        ]
        .into_iter()
        .find(|standing| standing.word() == word)
    }

    /// Conversation: what transcripts, turns and conversion use.
    #[must_use]
    pub const fn is_conversation(self) -> bool {
        matches!(self, Self::Live | Self::Compacted)
    }
}
