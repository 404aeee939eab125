//! Items of a transcript.

use std::borrow::Cow;

use formats::told;
use formats::wrapped::unwrapped;
use meaning::Timing;
use meaning::conversation::TalkPart;
use session::{EventRef, Kind, Slot, Standing};

use super::agents::AgentSum;
use super::answered::Answered;
use super::change::FileDiff;
use super::kinds::CallKind;
use super::lines;
use super::media::{self, Media};

/// Level of detail of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The conversation only. Other items are counted by reason ([`Item::hidden`]).
    Brief,
    /// Every event that has content.
    Whole,
}

/// Reason why a brief transcript omits an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hidden {
    /// Copied from another session.
    Copied,
    /// A repetition of another event.
    Echo,
    /// On a branch that was left.
    OtherBranch,
    /// A second or later result of the same call.
    FurtherResult,
    /// Text that the agent inserted; no person typed it.
    Injected,
    /// A notice, or a setting.
    Notice,
    /// Taken back by the user.
    Rewound,
    /// Replaced by a later state of the same event.
    Superseded,
    /// A record that is not JSON.
    Unreadable,
}

impl Hidden {
    /// The name for one such item and for several: `notice`, `notices`.
    #[must_use]
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Copied => ["copied event", "copied events"],
            Self::Echo => ["echo", "echoes"],
            Self::OtherBranch => ["event of another branch", "events of other branches"],
            Self::FurtherResult => ["further result of a call", "further results of calls"],
            Self::Injected => ["injected text", "injected texts"],
            Self::Notice => ["notice", "notices"],
            Self::Rewound => ["rewound event", "rewound events"],
            Self::Superseded => ["superseded event", "superseded events"],
            Self::Unreadable => ["unreadable record", "unreadable records"],
        }
    }

    /// The reason that follows from an event's standing.
    pub(super) const fn of(standing: Standing) -> Option<Self> {
        match standing {
            Standing::Live | Standing::Compacted => None,
            Standing::Echo => Some(Self::Echo),
            Standing::Superseded => Some(Self::Superseded),
            Standing::Rewound => Some(Self::Rewound),
            Standing::OtherBranch => Some(Self::OtherBranch),
            Standing::Copied | Standing::CopiedCompacted | Standing::CopiedLeft => {
                Some(Self::Copied)
            }
        }
    }
}

/// One item of a transcript.
#[derive(Debug)]
pub struct Item<'s> {
    /// The event. It has the item's standing, time, stream (each sub-agent has its own) and place
    /// in the files.
    pub event: EventRef<'s>,
    /// The part of the conversation that it is.
    pub part: TalkPart,
    /// The number of its turn, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The number of sub-agents that it is within, whose calls come before it.
    pub depth: usize,
    /// The content of the item.
    pub body: Body<'s>,
    /// The reason why a brief transcript omits it; `None` for the conversation.
    pub hidden: Option<Hidden>,
}

impl Item<'_> {
    /// A name for a text that no person typed and no model said.
    #[must_use]
    pub fn beside(&self) -> &'static str {
        match self.part {
            TalkPart::Told => match &self.body {
                Body::Injected(said) => told::name(&said.text),
                _ => told::name(""),
            },
            TalkPart::Expansion => "text of the command",
            TalkPart::Report => "report",
            TalkPart::Task => "task of the sub-agent",
            TalkPart::Summary => "summary of the conversation before",
            TalkPart::Picture => "picture",
            _ => "inserted by the agent",
        }
    }
}

/// Content of an item.
#[derive(Debug)]
pub enum Body<'s> {
    /// A prompt that a person typed. It opens a turn.
    Prompt(Said<'s>),
    /// An answer of the model.
    Answer(Said<'s>),
    /// Text that no person typed and no model said, or a picture beside a prompt: a report, the
    /// task of a sub-agent, context that the agent inserted ([`Item::part`]).
    Injected(Said<'s>),
    /// A thought of the model.
    Thought(Thought<'s>),
    /// A call of a tool, with its result.
    Call(Call<'s>),
    /// A result without its call, or a second or later result of a call.
    Result {
        /// The result.
        answered: Answered<'s>,
        /// True for a second or later result of a call.
        further: bool,
        /// The target of the call, if the result records it. Some agents store no calls.
        target: Option<String>,
        /// The files that it says were changed, if no call in the session says it: a script may
        /// call tools without a record of the call.
        files: Vec<FileDiff>,
    },
    /// A notice, a setting, or a record that is not JSON.
    Notice(Notice<'s>),
}

/// Text with its media.
#[derive(Debug)]
pub struct Said<'s> {
    /// The text.
    pub text: Cow<'s, str>,
    /// The pictures, documents and sounds.
    pub media: Vec<Media>,
    /// Texts that the agent put around a prompt, in a brief transcript: a name and the text.
    pub around: Vec<(String, String)>,
}

/// A thought of the model.
#[derive(Debug)]
pub struct Thought<'s> {
    /// Its text; empty if the agent stored none.
    pub text: Cow<'s, str>,
    /// The size in bytes of the encrypted text, which only the provider can read.
    pub encrypted: Option<usize>,
    /// Its subject, if it has one.
    pub subject: Option<Cow<'s, str>>,
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call<'s> {
    pub(super) event: EventRef<'s>,
    /// The tool's name.
    pub name: Option<Cow<'s, str>>,
    /// The server and its tool, if the name of the tool has both.
    pub served: Option<(String, String)>,
    /// The argument that identifies the call's object best: a path, a command.
    pub target: Option<String>,
    /// The text that it shows to the person: a plan, or the report of a task.
    pub report: Option<Box<str>>,
    /// The files that it changed, or asked to change.
    pub files: Vec<FileDiff>,
    /// Its kind.
    pub kind: CallKind,
    /// When it began and ended.
    pub timing: Timing,
    /// The sums of the sub-agents that it started; `None` if the session has no such.
    pub agent: Option<Box<AgentSum>>,
    /// Whether items of a sub-agent follow that it started: they are deeper.
    pub starts: bool,
    /// Its result, if the transcript shows it with the call.
    pub answered: Option<Answered<'s>>,
}

impl Call<'_> {
    /// The arguments, as lines: all but the report, which is a text of its own.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let raw = self.event.raw(Slot::Input);
        let lines = raw.map(|raw| match &self.report {
            Some(report) => lines::without(raw, report),
            None => lines::lines(raw),
        });
        lines.unwrap_or_default()
    }
}

/// A notice, a setting, or a record that is not JSON.
#[derive(Debug)]
pub struct Notice<'s> {
    pub(super) event: EventRef<'s>,
    /// Its native name, else its name in the format's tables.
    pub name: Cow<'s, str>,
    /// True for the summary that replaced the conversation before it.
    pub summary: bool,
}

impl<'s> Notice<'s> {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> Cow<'s, str> {
        self.event.said()
    }

    /// Its fields with their values, as lines. A record that is not JSON is shown as its bytes.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self.event.kind {
            Kind::Opaque => vec![String::from_utf8_lossy(self.event.bytes()).into_owned()],
            _ => lines::fields(self.event),
        }
    }
}

impl<'s> Said<'s> {
    pub(super) fn of(event: EventRef<'s>) -> Self {
        Self { text: trimmed(told::text(event)), media: media::all(event), around: Vec::new() }
    }

    /// A prompt without the texts that its agent put around it.
    pub(super) fn prompt(event: EventRef<'s>) -> Self {
        let said = Self::of(event);
        let told = unwrapped(event.session().format, &said.text);
        if told.own.len() == said.text.len() {
            return said;
        }
        let around = told.around.iter().filter(|(_, text)| !text.is_empty());
        let around = around.map(|(tag, text)| ((*tag).to_owned(), (*text).to_owned())).collect();
        Self { text: Cow::Owned(told.own.to_owned()), media: said.media, around }
    }

    pub(super) fn something(self) -> Option<Self> {
        (!self.text.is_empty() || !self.media.is_empty()).then_some(self)
    }
}

impl<'s> Thought<'s> {
    pub(super) fn of(event: EventRef<'s>) -> Option<Self> {
        let text = trimmed(event.said());
        let encrypted = event.raw(Slot::Encrypted).map(<[u8]>::len);
        let says = !text.is_empty() || encrypted.is_some();
        says.then(|| Self { text, encrypted, subject: event.text(Slot::Subject) })
    }
}

impl<'s> Notice<'s> {
    pub(super) fn of(event: EventRef<'s>) -> Self {
        let name = event.text(Slot::Name).or_else(|| event.text(Slot::Type));
        let name = name.unwrap_or(Cow::Borrowed(event.case.name));
        Self { event, name, summary: event.is_true(Slot::CompactSummary) }
    }
}

/// A text without surrounding white space.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
