//! Causes of the fates of fields, and of made values.

/// The cause of a fate other than "carried", or of a made value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Cause {
    /// The target states the value once for many events.
    StatedOnce,
    /// The target has no place for the value.
    NoPlace,
    /// Only the provider can read the value.
    Encrypted,
    /// The value gives access to something, and it was not asked for.
    Secret,
    /// The value is the address of something shared.
    Shared,
    /// Only the rows of a database have a place for it.
    Rows,
    /// A database is written as its rows.
    Dump,
    /// The target requires a value, and the session tells none.
    Required,
    /// Success that is inferred: the session records failures alone.
    NotSaid,
    /// The value of a neighbor: an event without a time has that of the event before it.
    Neighbor,
    /// The target's schema does not list the value.
    Unlisted,
    /// The value is from a file beside the session, or the document that it was restored from.
    Beside,
    /// The folder in which the user continues the session.
    Moved,
    /// The time at which the session is placed into its agent's store.
    Placed,
    /// Several values of the source are one text in the target.
    Joined,
    /// The target writes the same value in another form.
    Form,
    /// The target repeats a value of the session in each of its records.
    Repeated,
    /// A name for something of the target, derived from its place in the source.
    Derived,
    /// A part of the target's form, the same in all its sessions.
    Frame,
    /// The target has only a part of the value.
    InPart,
    /// The target has another form of the value, which does not give it back.
    Altered,
    /// Characters or keys that other programs refuse were replaced.
    Cleaned,
    /// The time was moved, so that the target keeps the order.
    Order,
    /// The result of a call that has none in the session: a provider refuses a call without one.
    NoResult,
    /// A text for a message of which nothing crosses: a provider refuses an empty one.
    Empty,
    /// The session does not record it: it is the time of its file.
    File,
    /// The event is not in the conversation any more.
    NotLive,
    /// The history of a sub-agent, which the target does not have.
    SubAgent,
    /// A text that the source's agent adds to each session; the target's agent adds its own.
    Injected,
    /// Bookkeeping of the source's agent.
    Bookkeeping,
}

impl Cause {
    /// The cause in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::StatedOnce => "stated once for many events",
            Self::NoPlace => "the target has no place for it",
            Self::Encrypted => "only the provider can read it",
            Self::Secret => "gives access to something",
            Self::Shared => "gives access to what was shared; `--rows` writes it",
            Self::Rows => {
                "the form that the agent takes in has no place for it; `--rows` writes it"
            }
            Self::Dump => "as a dump, a row a line: the agent takes in no form of it",
            Self::Required => "the target requires it, and the session does not record it",
            Self::NotSaid => "the session records failures only",
            Self::Neighbor => "the session does not record it; taken from the event before",
            Self::Unlisted => "the target's schema does not list it",
            Self::Beside => "from elsewhere: the session does not record it",
            Self::Moved => "the folder in which it will be continued",
            Self::Placed => "the time at which it is placed",
            Self::Joined => "several values are one text there",
            Self::Form => "in another form",
            Self::Repeated => "each record there repeats it",
            Self::Derived => "derived from its place in the session",
            Self::Frame => "a part of the target's form",
            Self::InPart => "the target has only a part of it",
            Self::Altered => "in another form, which does not give it back",
            Self::Cleaned => "with replacements for what other programs refuse",
            Self::Order => "moved, so that the target keeps the order",
            Self::NoResult => "the session records no result of the call",
            Self::Empty => "the message has nothing that can cross",
            Self::File => "the session does not record it; the time of its file",
            Self::NotLive => "not in the conversation any more",
            Self::SubAgent => "the history of a sub-agent",
            Self::Injected => "the agent adds it to each session; the other agent adds its own",
            Self::Bookkeeping => "the agent's own bookkeeping",
        }
    }
}
