//! The conversation, defined once: what each event is of it, and whether the agent's own next
//! request holds it. Turns, transcripts, conversion, its books and its proof ask here. Whether an
//! event is on the branch that the agent continues is its [`session::Standing`], which the agent's
//! `standing.rs` decides.

use session::{
    EventRef, Field, Hold, Injected, Kind, NO_EVENT, Session, Slot, Span, Stream, value,
};

/// A part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TalkPart {
    /// A person's prompt; of a sub-agent's own session, the task that it was given.
    Prompt,
    /// A picture, or another file with its bytes, that is an event by itself.
    Picture,
    /// The model's text.
    Answer,
    /// The model's thought, in plain text.
    Thought,
    /// A tool call.
    Call,
    /// A tool's result.
    Result,
    /// The report of a sub-agent, or of work that ran beside the conversation.
    Report,
    /// The task of a sub-agent, in the session of the agent that gave it.
    Task,
    /// The summary that replaced the conversation before it.
    Summary,
    /// The text that the command of the prompt before it expands to. It is a part of that prompt,
    /// and begins no turn.
    Expansion,
    /// A text that the agent passes to the model in a person's place, with each request: a skill,
    /// what a hook said, an attached file, a command that the person ran and its output, the end
    /// of a background command, an interruption. It is no prompt, no title, and begins no turn.
    Told,
    /// Nothing of the conversation.
    Nothing(Outside),
}

/// The reason why an event is nothing of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// A text that the agent adds anew to each session: its instructions, its surroundings, lists
    /// of its tools, the memory files of the project; and a filler or an error in the model's
    /// place.
    Context,
    /// A message with results of calls only, which are events themselves.
    Carrier,
    /// Only the provider can read it.
    Sealed,
    /// It has no content.
    Empty,
    /// The agent's bookkeeping.
    Bookkeeping,
    /// Bytes that are not JSON.
    Unreadable,
}

impl TalkPart {
    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Picture => "picture",
            Self::Answer => "answer",
            Self::Thought => "thought",
            Self::Call => "call",
            Self::Result => "result",
            Self::Report => "report",
            Self::Task => "task",
            Self::Summary => "summary",
            Self::Expansion => "expansion",
            Self::Told => "told",
            Self::Nothing(outside) => outside.word(),
        }
    }

    /// Its name for people: of one, and of several.
    #[must_use]
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Prompt => ("prompt", "prompts"),
            Self::Picture => ("picture", "pictures"),
            Self::Answer => ("answer", "answers"),
            Self::Thought => ("thought", "thoughts"),
            Self::Call => ("call", "calls"),
            Self::Result => ("result", "results"),
            Self::Report => ("report of a sub-agent", "reports of sub-agents"),
            Self::Task => ("task of a sub-agent", "tasks of sub-agents"),
            Self::Summary => ("summary", "summaries"),
            Self::Expansion => ("text of a command", "texts of commands"),
            Self::Told => ("text from the agent", "texts from the agent"),
            Self::Nothing(outside) => outside.names(),
        }
    }

    /// The slots with its content.
    const fn slots(self) -> &'static [Slot] {
        match self {
            Self::Prompt
            | Self::Answer
            | Self::Thought
            | Self::Report
            | Self::Task
            | Self::Summary
            | Self::Expansion => &[Slot::Content],
            Self::Told => &[Slot::Content, Slot::Media, Slot::Path],
            Self::Picture => &[Slot::Media],
            Self::Call => &[Slot::Name, Slot::Input],
            Self::Result => &[Slot::Output, Slot::Content, Slot::Media],
            Self::Nothing(_) => &[],
        }
    }

    /// Whether it is something of the conversation.
    #[must_use]
    pub const fn is_something(self) -> bool {
        !matches!(self, Self::Nothing(_))
    }
}

impl Outside {
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Context => ("text of the agent itself", "texts of the agent itself"),
            Self::Carrier => ("message of results", "messages of results"),
            Self::Sealed => ("sealed item", "sealed items"),
            Self::Empty => ("empty item", "empty items"),
            Self::Bookkeeping => ("note of the agent", "notes of the agent"),
            Self::Unreadable => ("unreadable line", "unreadable lines"),
        }
    }

    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Carrier => "carrier",
            Self::Sealed => "sealed",
            Self::Empty => "empty",
            Self::Bookkeeping => "bookkeeping",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The part of the conversation that an event is, and whether it is in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TalkItem {
    /// The part of the conversation that it is.
    pub part: TalkPart,
    /// Whether the agent's own next request holds it.
    pub live: bool,
}

/// The part of its session's conversation that an event is, and whether the agent's own next
/// request holds it.
#[must_use]
pub fn of(event: EventRef<'_>) -> TalkItem {
    let own = is_own(event);
    let part = part(event, own);
    let sent = !matches!(
        part,
        TalkPart::Nothing(Outside::Empty | Outside::Bookkeeping | Outside::Unreadable)
    );
    TalkItem { part, live: own && sent && event.standing().is_live() }
}

/// The events of a session in the order in which they were said: source order, each before those
/// within it, but an answer behind the thoughts that led to it, and a prompt behind the pictures
/// that its agent attached to it.
pub fn events(session: &Session) -> impl Iterator<Item = EventRef<'_>> {
    let mut top = sent(session);
    // The next one last, and whether those within it follow it already.
    let mut waiting: Vec<(EventRef<'_>, bool)> = Vec::new();
    std::iter::from_fn(move || {
        loop {
            let (event, unfolded) = waiting.pop().or_else(|| Some((top.next()?, false)))?;
            if unfolded {
                return Some(event);
            }
            let within: Vec<EventRef<'_>> = event.children().collect();
            if within.is_empty() {
                return Some(event);
            }
            let (first, rest): (Vec<_>, Vec<_>) =
                within.into_iter().partition(|child| leads(*child, event));
            waiting.extend(rest.into_iter().rev().map(|child| (child, false)));
            waiting.push((event, true));
            waiting.extend(first.into_iter().rev().map(|child| (child, false)));
        }
    })
}

/// The top-level events in the order in which they were sent. An agent that tells its model of a
/// picture in a record of its own sends that before the prompt, and writes it behind.
fn sent(session: &Session) -> Box<dyn Iterator<Item = EventRef<'_>> + '_> {
    let shows = |event: EventRef<'_>| {
        let is_picture = || event.raw(Slot::Media).is_some_and(|raw| raw.starts_with(b"{"));
        event.injected == Some(Injected::Told) && is_picture()
    };
    if !session.events().any(shows) {
        return Box::new(session.top());
    }
    let mut top: Vec<EventRef<'_>> = session.top().collect();
    let between =
        |event: &EventRef<'_>| event.kind == Kind::Notice || event.injected == Some(Injected::Told);
    for at in (0..top.len()).filter(|at| shows(top[*at])).collect::<Vec<_>>() {
        let before = top[..at].iter().rposition(|event| !between(event));
        if let Some(prompt) = before.filter(|at| is_typed(top[*at])) {
            top[prompt..=at].rotate_right(1);
        }
    }
    Box::new(top.into_iter())
}

/// Whether a person said an event.
fn is_typed(event: EventRef<'_>) -> bool {
    event.kind == Kind::User && event.injected.is_none() && says_something(event)
}

/// Whether an event within a message was before the message's own text: a thought that led to an
/// answer, or a result that a prompt follows. They are beside the text, or before it in its list.
fn leads(child: EventRef<'_>, message: EventRef<'_>) -> bool {
    let Some(content) = message.field(Slot::Content) else { return false };
    let leading = [(Kind::Reasoning, Kind::Assistant), (Kind::ToolResult, Kind::User)];
    if !leading.contains(&(child.kind, message.kind)) {
        return false;
    }
    let text = || {
        value::look(message.value(content), |root| {
            let text = root.elements().find(|part| part.at(&["text"]).is_some())?;
            Some(content.value.start + text.span().start)
        })
    };
    !content.value.holds(child.span) || text().is_none_or(|text| child.span.start < text)
}

/// Whether an event belongs to the session's own history: the main one, or, if a sub-agent's is all
/// that there is, that one.
#[must_use]
pub fn is_own(event: EventRef<'_>) -> bool {
    let (session, stream) = (event.session(), event.stream());
    if *stream != Stream::Main {
        return session.bundle.members.iter().all(|member| member.stream == *stream);
    }
    // Some agents put a sub-agent's lines among their own.
    let line = match event.parent {
        NO_EVENT => event,
        parent => session.event(parent),
    };
    let first = || session.events().find(|event| event.field(Slot::Sidechain).is_some());
    !line.is_true(Slot::Sidechain) || first().is_some_and(|first| first.is_true(Slot::Sidechain))
}

fn part(event: EventRef<'_>, own: bool) -> TalkPart {
    let says = || !event.said().trim().is_empty();
    if event.injected == Some(Injected::Summary) || event.is_true(Slot::CompactSummary) {
        match (says(), event.field(Slot::Encrypted)) {
            (true, _) => return TalkPart::Summary,
            (false, Some(_)) => return TalkPart::Nothing(Outside::Sealed),
            (false, None) => {}
        }
    }
    match event.kind {
        Kind::User => from_user(event, own),
        Kind::Assistant if !says() => TalkPart::Nothing(Outside::Empty),
        Kind::Assistant => event.injected.map_or(TalkPart::Answer, injected),
        Kind::Reasoning if says() => TalkPart::Thought,
        Kind::Reasoning if event.field(Slot::Encrypted).is_some() => {
            TalkPart::Nothing(Outside::Sealed)
        }
        Kind::Reasoning => TalkPart::Nothing(Outside::Empty),
        Kind::ToolCall => TalkPart::Call,
        Kind::ToolResult if says_nothing(event) => TalkPart::Nothing(Outside::Bookkeeping),
        Kind::ToolResult => TalkPart::Result,
        Kind::Notice => TalkPart::Nothing(Outside::Bookkeeping),
        Kind::Opaque => TalkPart::Nothing(Outside::Unreadable),
    }
}

/// Whether a result answers no call and has no output: a list of the files that a step changed.
fn says_nothing(result: EventRef<'_>) -> bool {
    let slots = [Slot::Call, Slot::Output, Slot::Content, Slot::Media];
    slots.iter().all(|slot| result.field(*slot).is_none())
        && result.constant(Slot::Output).is_some()
}

/// The part that a text of the user's side is.
fn from_user(event: EventRef<'_>, own: bool) -> TalkPart {
    if !says_something(event) {
        let has = |slot| event.field(slot).is_some();
        if event.injected == Some(Injected::Told) && (has(Slot::Media) || has(Slot::Path)) {
            return TalkPart::Told;
        }
        let is_file = |raw: &[u8]| raw.starts_with(b"\"data:") || raw.starts_with(b"{");
        let is_picture = event.raw(Slot::Media).is_some_and(is_file);
        let carries = event.children().any(|child| child.kind == Kind::ToolResult);
        return match (is_picture, carries) {
            (true, _) => TalkPart::Picture,
            (_, true) => TalkPart::Nothing(Outside::Carrier),
            _ => TalkPart::Nothing(Outside::Empty),
        };
    }
    match event.injected {
        None | Some(Injected::Task) if own => TalkPart::Prompt,
        None | Some(Injected::Task) => TalkPart::Task,
        Some(reason) => injected(reason),
    }
}

const fn injected(reason: Injected) -> TalkPart {
    match reason {
        Injected::Context => TalkPart::Nothing(Outside::Context),
        Injected::Command | Injected::Told => TalkPart::Told,
        Injected::Expansion => TalkPart::Expansion,
        Injected::Report => TalkPart::Report,
        Injected::Task => TalkPart::Task,
        Injected::Summary => TalkPart::Summary,
    }
}

/// Whether the content has text, or a block that is not text (a picture, a file). Blocks that are
/// events themselves, such as results, are not counted.
fn says_something(event: EventRef<'_>) -> bool {
    let Some(raw) = event.raw(Slot::Content) else { return false };
    match raw.first() {
        Some(b'"') => !event.said().trim().is_empty(),
        Some(b'[') => !event.said().trim().is_empty() || event.holds_more(),
        _ => false,
    }
}

/// The content of an event as a part of the conversation: which of its fields are that.
#[derive(Clone, Debug)]
pub struct TalkContent {
    slots: &'static [Slot],
    /// Containers of such values: all that is in them is content.
    spans: Vec<Span>,
}

impl TalkContent {
    /// The content of an event that is this part.
    #[must_use]
    pub fn of(event: EventRef<'_>, part: TalkPart) -> Self {
        let slots = part.slots();
        let holds = |field: &&Field| field.hold == Hold::Open && slots.contains(&field.slot);
        let spans = event.fields().iter().filter(holds).map(|field| field.value).collect();
        Self { slots, spans }
    }

    /// Whether a field of the event is content.
    #[must_use]
    pub fn has(&self, field: Field) -> bool {
        self.slots.contains(&field.slot) || self.spans.iter().any(|span| span.holds(field.value))
    }
}
