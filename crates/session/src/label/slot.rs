//! Meanings: the kind of an event, the slot of a field, the standing in the conversation.

/// Kind of an event: the record's entry types, and unreadable bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Text of the user's side: prompts, carriers of tool results, injected context.
    User,
    /// Text of the model.
    Assistant,
    /// Reasoning of the model.
    Reasoning,
    /// A tool call.
    ToolCall,
    /// A tool's result.
    ToolResult,
    /// Any other record of the agent.
    Notice,
    /// Bytes that are not JSON, kept unchanged.
    Opaque,
}

/// Meaning of a native field, whatever the order of fields in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Slot {
    /// No canonical meaning: kept unchanged.
    Native,
    /// Time of the event (RFC 3339, or epoch seconds or milliseconds).
    Time,
    /// The event's own id.
    Id,
    /// The id of the event's parent.
    Parent,
    /// The id of the parent across a cut in the chain (a compaction).
    Link,
    /// The id that joins a tool call and its result.
    Call,
    /// The model.
    Model,
    /// The model's provider.
    Provider,
    /// Content: a string, or an array of blocks.
    Content,
    /// A tool's name, or an event's own type.
    Name,
    /// A tool's arguments. On a result: those of its call.
    Input,
    /// A tool's output.
    Output,
    /// True if the tool failed.
    IsError,
    /// The files that a tool changed: an object of paths, each with its change.
    Changes,
    /// True if the tool succeeded, false if it failed.
    Success,
    /// The exit code of a command: 0 means success.
    ExitCode,
    /// Status of a call, in the agent's words.
    Status,
    /// A tool's metadata of its run, beside its output.
    Detail,
    /// Content that only the provider can read.
    Encrypted,
    /// A picture or another file beside the text: its address or its bytes, or a list of such.
    Media,
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
    /// The part of [`Slot::CacheWrite`] that the cache keeps for an hour: it costs more.
    CacheWriteHour,
    /// Tokens of reasoning.
    TokensReasoning,
    /// Tokens used by tools.
    TokensTool,
    /// All tokens, as summed up by the agent.
    TokensTotal,
    /// The container of running totals (as opposed to one answer's usage).
    UsageTotal,
    /// Cost in US dollars.
    Cost,
    /// The id of the model's answer: several events may be one answer.
    Message,
    /// The id of the request that the answer belongs to.
    Request,
    /// The native type of the record, which decides its kind.
    Type,
    /// Role, in the agent's words.
    Role,
    /// The session's id.
    Session,
    /// The session that this one was forked from.
    ParentSession,
    /// The session that started this one as its sub-agent.
    SpawnedBy,
    /// The file that this one continues: it has the earlier history, and running totals continue
    /// from it.
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
    /// A generated title, used only without a [`Slot::Title`].
    AutoTitle,
    /// Start of the session, in a header.
    Started,
    /// Last update of the session, in a header.
    Updated,
    /// Last write of the file, whether or not anything was added: an automatic save, an export.
    Saved,
    /// A true value marks a side chain.
    Sidechain,
    /// A true value marks text that no person typed.
    Meta,
    /// A true value marks a summary that replaces the events before it.
    CompactSummary,
    /// The id of the leaf of the active path.
    Leaf,
    /// The id of an event that this one refers to (a rewind, a snapshot's message).
    Target,
    /// Number of turns that are taken back.
    Count,
    /// The source's own sequence number.
    Ordinal,
    /// Reason why the answer ended.
    Finish,
    /// Duration.
    Duration,
    /// A path of a file that the event is about.
    Path,
    /// A value that gives access to something. It is not shown or shared unless requested.
    Secret,
}

/// A set has a bit for each slot; this is the last one.
const _: () = assert!((Slot::Secret as u8) < 128);

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots(u128);

impl Slots {
    /// The set with one slot more.
    #[must_use]
    pub const fn with(self, slot: Slot) -> Self {
        Self(self.0 | 1 << slot as u8)
    }

    /// The set of these slots.
    #[must_use]
    pub const fn of(slots: &[Slot]) -> Self {
        let (mut set, mut at) = (Self(0), 0);
        while at < slots.len() {
            set = set.with(slots[at]);
            at += 1;
        }
        set
    }

    /// Whether a slot is in the set.
    ///
    /// ```
    /// use verbatim_session::{Slot, Slots};
    ///
    /// let slots = Slots::of(&[Slot::Usage, Slot::Cost]);
    /// assert!(slots.has(Slot::Usage) && !slots.has(Slot::Model));
    /// ```
    #[must_use]
    pub const fn has(self, slot: Slot) -> bool {
        self.0 >> slot as u8 & 1 == 1
    }
}

/// Standing of an event in the conversation that the agent would resume. All events are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Standing {
    /// Part of the conversation that the agent would resume.
    #[default]
    Live,
    /// Conversation that a summary replaced: no longer in the context.
    Compacted,
    /// A repetition of another event of the session.
    Echo,
    /// Replaced by a later state of the same event.
    Superseded,
    /// Taken back.
    Rewound,
    /// On a branch that was left.
    OtherBranch,
    /// Copied from another session, as the file itself shows, and in the context here too.
    Copied,
    /// Copied, and replaced by a summary: no longer in the context.
    CopiedCompacted,
    /// Copied, and otherwise no part of the context.
    CopiedLeft,
}

impl Standing {
    /// Its name in documents.
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
            Self::CopiedCompacted => "copied-compacted",
            Self::CopiedLeft => "copied-left",
        }
    }

    /// The standing with this name.
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
            Self::CopiedCompacted,
            Self::CopiedLeft,
        ]
        .into_iter()
        .find(|standing| standing.word() == word)
    }

    /// Whether the context holds it: what the agent would send with its next request.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Live | Self::Copied)
    }

    /// Whether a summary replaced it.
    #[must_use]
    pub const fn is_compacted(self) -> bool {
        matches!(self, Self::Compacted | Self::CopiedCompacted)
    }

    /// Whether another session has it too.
    #[must_use]
    pub const fn is_copied(self) -> bool {
        matches!(self, Self::Copied | Self::CopiedCompacted | Self::CopiedLeft)
    }

    /// The same standing of a copy of another session's event.
    #[must_use]
    pub const fn copied(self) -> Self {
        match self {
            Self::Live | Self::Copied => Self::Copied,
            Self::Compacted | Self::CopiedCompacted => Self::CopiedCompacted,
            _ => Self::CopiedLeft,
        }
    }

    /// The standing that a copy of another session's event has there.
    #[must_use]
    pub const fn original(self) -> Self {
        match self {
            Self::Copied => Self::Live,
            Self::CopiedCompacted => Self::Compacted,
            Self::CopiedLeft => Self::OtherBranch,
            own => own,
        }
    }

    /// Whether it is the session's own conversation, as used by transcripts and turns.
    #[must_use]
    pub const fn is_conversation(self) -> bool {
        matches!(self, Self::Live | Self::Compacted)
    }
}
