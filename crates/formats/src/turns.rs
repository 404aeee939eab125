//! Facts of turns for which the tables have no slot: how a turn ended, the settings it ran under,
//! approvals, acts within other records. The folder of each format has its agent's rules
//! (`turns.rs`); receipts read them.

use session::{EventRef, Node, Outcome, Span, value};

use crate::tools::Common;

/// The end of a turn, as a record of the agent says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnEnd {
    /// The model ended its answer.
    Completed,
    /// It ended with an error, or at a limit.
    Failed,
    /// The person stopped it.
    Interrupted,
    /// It was withdrawn before it ran.
    Canceled,
}

impl TurnEnd {
    /// Its name in receipts.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Canceled => "canceled",
        }
    }
}

/// A setting that holds from an event on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnSetting {
    /// The agent's mode, in its own word.
    Mode(String),
    /// Whether every tool runs without a question.
    AutoApprove(bool),
    /// Whether tools run without a sandbox.
    TrustMode(bool),
    /// Whether commands may run.
    AllowShell(bool),
}

/// An event at the border between the model and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Border {
    /// The agent asked for approval.
    Required,
    /// The person, or a rule, allowed it.
    Allowed,
    /// The person, or a rule, did not allow it.
    Denied,
    /// The sandbox stopped it.
    SandboxDenied,
}

impl Border {
    /// Every kind, in the order of a receipt.
    pub const ALL: [Self; 4] = [Self::Required, Self::Allowed, Self::Denied, Self::SandboxDenied];
}

/// Kinds of acts at the border, and the name of the type of record that tells them.
pub type ShownBorders = (&'static [Border], &'static str);

/// A call, or a result, within an event that is no call or result itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerCall {
    /// The call's id.
    pub id: String,
    /// Its bytes in the member.
    pub span: Span,
    /// The sub-agent that it is of.
    pub agent: Option<String>,
    /// Its kind, with what it says.
    pub says: InnerSays,
}

/// The kind of a record within another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerSays {
    /// A call of a tool.
    Call(Option<Common>),
    /// The result of a call, and whether the call was run at all.
    Result(Outcome, bool),
}

/// The part of the history before it that a record takes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewind {
    /// So many turns.
    Turns(u64),
    /// The event with this id, and all behind it.
    To(String),
}

/// The session of a sub-agent that has files of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawned {
    /// The id of the call that the sub-agent was started by.
    pub call: String,
    /// The id of its session.
    pub session: String,
}

/// Sums of a sub-agent, as the result of the call that started it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToldAgent {
    /// The number of its calls.
    pub calls: Option<u64>,
    /// The time that it worked, in milliseconds.
    pub milliseconds: Option<u64>,
    /// The number of its tokens.
    pub tokens: Option<u64>,
}

/// The records that tell facts of an agent's turns.
#[derive(Clone, Copy, Debug)]
pub struct TurnRules {
    /// Whether an event begins a turn before its prompt.
    pub begins: fn(EventRef<'_>) -> bool,
    /// The part of the history that an event takes back. Agents whose prompts name the event before
    /// them need no such record.
    pub rewinds: fn(EventRef<'_>) -> Option<Rewind>,
    /// The end of its turn that an event records; `None` if the agent records no end of a turn.
    pub end: Option<fn(EventRef<'_>) -> Option<TurnEnd>>,
    /// Whether the agent writes an event only when a turn is over. Where no record says how a turn
    /// ended, it was completed if there is such an event and nothing follows it.
    pub closes: fn(EventRef<'_>) -> bool,
    /// The settings that an event tells.
    pub settings: fn(EventRef<'_>) -> Vec<TurnSetting>,
    /// The approval, or the act of the sandbox, that an event records.
    pub border: fn(EventRef<'_>) -> Option<Border>,
    /// The kinds of `border` that records of this event's type tell, and the type's name: where a
    /// source has such a record, there was none of what it does not tell.
    pub shows: fn(EventRef<'_>) -> Option<ShownBorders>,
    /// Whether each refused call has a result that says so.
    pub refusals: bool,
    /// Whether a call asks to leave the sandbox; `None` for a call that can't ask.
    pub escalates: fn(EventRef<'_>) -> Option<bool>,
    /// Whether a call is a script that calls other tools, which have records of their own or none.
    pub is_script: fn(EventRef<'_>) -> bool,
    /// The tool whose end an event records, with or without a record of the call.
    pub ends: fn(EventRef<'_>) -> Option<Common>,
    /// The calls and results of a sub-agent within an event.
    pub inner: fn(EventRef<'_>) -> Vec<InnerCall>,
    /// The sums of a sub-agent that a result has.
    pub told_agent: fn(EventRef<'_>) -> Option<ToldAgent>,
    /// The session of a sub-agent, and the call that started it, as an event names them.
    pub spawned: fn(EventRef<'_>) -> Option<Spawned>,
    /// The id of the session whose sub-agent a session is of, as an event names it.
    pub spawned_by: fn(EventRef<'_>) -> Option<String>,
    /// Whether a result says that its call was never run.
    pub never_ran: fn(EventRef<'_>) -> bool,
    /// The agent's store of turns as records of their own.
    pub store: Option<&'static TurnStore>,
}

impl TurnRules {
    /// The rules of an agent that records none of these facts.
    pub const NONE: Self = Self {
        begins: |_| false,
        rewinds: |_| None,
        end: None,
        closes: |_| false,
        settings: |_| Vec::new(),
        border: |_| None,
        shows: |_| None,
        refusals: false,
        escalates: |_| None,
        is_script: |_| false,
        ends: |_| None,
        inner: |_| Vec::new(),
        told_agent: |_| None,
        spawned: |_| None,
        spawned_by: |_| None,
        never_ran: |_| false,
        store: None,
    };
}

/// A store with a record for each thread, turn and item, and numbered events.
#[derive(Clone, Copy, Debug)]
pub struct TurnStore {
    /// The schema of the receipts that its records fill.
    pub schema: &'static str,
    /// The part of a record's path inside the store that says what it is.
    pub part: fn(&str) -> Option<StorePart<'_>>,
    /// The facts of a turn.
    pub facts: fn(&StoreRecords<'_>, &str, &str) -> Result<TurnFacts, StoreFault>,
    /// The ways in which clients of the agent's own server send their token.
    pub tokens: TokenNames,
}

/// The names by which clients of an agent's own server send their token.
#[derive(Clone, Copy, Debug)]
pub struct TokenNames {
    /// Headers, in small letters.
    pub headers: &'static [&'static str],
    /// A cookie.
    pub cookie: &'static str,
}

/// A file of a store, with the id in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorePart<'n> {
    /// A thread.
    Thread(&'n str),
    /// A turn.
    Turn(&'n str),
    /// An item of a turn.
    Item(&'n str),
    /// The numbered events of a thread.
    Events(&'n str),
}

/// Files of a store, each with its path in the store and its bytes.
#[derive(Debug)]
pub struct StoreRecords<'b> {
    /// Of the thread: its record, its turns, their items, its events.
    pub files: Vec<(&'b str, &'b [u8])>,
    /// The numbers of the events of other threads; `None` if they are not at hand.
    pub elsewhere: Option<&'b [u64]>,
}

/// Why a store has no receipt of a turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// No such turn in this thread. A turn of another thread gets the same answer.
    #[error("no turn with this id in this thread")]
    Unknown,
    /// The turn has not ended.
    #[error("the turn has not ended: its status is `{0}`")]
    Unfinished(String),
    /// A record can't be read.
    #[error("the record {0} can't be read: it is not a JSON object of this store")]
    Unreadable(String),
}

/// A value of the source, or the reason why it is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told<T> {
    /// The source tells it.
    Value(T),
    /// The source does not tell it, and why.
    Unavailable(&'static str),
}

impl<T> Told<T> {
    /// The value, or the reason for its absence.
    pub fn or(value: Option<T>, why: &'static str) -> Self {
        value.map_or(Self::Unavailable(why), Self::Value)
    }
}

/// The facts of a turn that a receipt has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    /// The thread, or the session.
    pub thread: ThreadFacts,
    /// The id of the turn.
    pub id: Told<String>,
    /// Its end, in the words of the receipt.
    pub status: Told<String>,
    /// Its first time.
    pub started_at: Told<String>,
    /// Its last time.
    pub ended_at: Told<String>,
    /// Its duration in milliseconds.
    pub duration_ms: Told<u64>,
    /// The thoughts that the source holds.
    pub reasoning: Told<Vec<HeldThought>>,
    /// Tool calls and results.
    pub tools: ToolFacts,
    /// Tokens.
    pub usage: Told<UsageFacts>,
    /// Numbered events.
    pub events: Told<EventFacts>,
    /// Approvals and the sandbox, in the order of [`Border::ALL`].
    pub borders: [Told<u64>; 4],
    /// Commands that ran.
    pub commands: Told<u64>,
    /// Changes of files.
    pub file_changes: Told<u64>,
    /// The calls of commands, and those that change files, whether or not they went well: without
    /// those that were refused, and with them. The first receipts counted either.
    pub asked: [[u64; 2]; 2],
    /// Items that the turn names and the store lacks.
    pub missing_items: Vec<String>,
}

/// The thread of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFacts {
    /// Its id.
    pub id: String,
    /// The model.
    pub model: Told<String>,
    /// The agent's mode.
    pub mode: Told<String>,
    /// Whether every tool runs without a question.
    pub auto_approve: Told<bool>,
    /// Whether tools run without a sandbox.
    pub trust_mode: Told<bool>,
    /// Whether commands may run.
    pub allow_shell: Told<bool>,
}

/// A thought that the source holds: never its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldThought {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The SHA-256 digest of its text; of a sealed one, of its sealed value.
    pub sha256: String,
    /// The length of what the digest is of.
    pub bytes: u64,
}

/// The tool calls and results of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFacts {
    /// Calls.
    pub calls: u64,
    /// Results.
    pub results: u64,
    /// The ids of calls without a result.
    pub open_calls: Vec<String>,
    /// The ids of results without a call.
    pub stray_results: Vec<String>,
    /// The ids of the ends of tools that a script called.
    pub inner: Vec<String>,
}

/// The tokens of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageFacts {
    /// Input: cache reads, cache writes and what tools used included. `None` if the source has only
    /// a sum.
    pub prompt: Option<u64>,
    /// Output, reasoning included. `None` if the source has only a sum.
    pub completion: Option<u64>,
    /// Their sum, and that of the tokens that the source does not split.
    pub total: u64,
    /// The part of the input that tools used.
    pub tool: u64,
    /// Whether the source has the share that came from a cache.
    pub cache: bool,
}

/// The numbered events of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFacts {
    /// The first number.
    pub first: u64,
    /// The last number.
    pub last: u64,
    /// The number of events.
    pub count: u64,
    /// Numbers in that range that no event has.
    pub missing: Vec<MissingEvents>,
}

/// A range of numbers without events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingEvents {
    /// The first number.
    pub first: u64,
    /// The last number.
    pub last: u64,
    /// Whether a damaged line of the turn is there; else no thread has these numbers.
    pub damaged: bool,
}

/// The text at a path of an event's own value.
pub(crate) fn word(event: EventRef<'_>, path: &[&str]) -> Option<String> {
    value::look(event.bytes(), |root: Node<'_>| value::text_at(root, path))
}
