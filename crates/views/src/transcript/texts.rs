//! The texts of a session: everything in it that can be searched for, each with its place and its
//! part. `search`, `show --grep`, `show --only` and the library read them here, and nowhere else is
//! it decided what a text of an item is.
//!
//! The index of a search has no definition of its own: it takes the bytes of whole files, and all
//! of these texts are in them.

use std::borrow::Cow;
use std::rc::Rc;

use formats::calls;
use formats::tools::Common;
use meaning::facts;
use session::{EventAddress, EventRef, Kind, Session, Slot, Standing, UtcTime};

use super::Transcript;
use super::answered::Answered;
use super::item::{Body, Detail, Hidden, Item};

/// A part of a conversation that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TalkSection {
    /// Prompts of a person.
    Prompts,
    /// Answers of the model.
    Answers,
    /// Thoughts of the model.
    Thoughts,
    /// Calls of tools: the name of the tool, and the arguments.
    Calls,
    /// Outputs of tools.
    Outputs,
    /// Calls that change files.
    Edits,
    /// Outputs of calls that did not succeed.
    Errors,
    /// Texts of neither: summaries, reports, tasks of sub-agents.
    Notes,
    /// Reports of the agent itself, as that a request failed.
    Notices,
    /// Titles of sessions, as a list shows them.
    Titles,
}

impl TalkSection {
    /// Its name for one of them.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompts => "prompt",
            Self::Answers => "answer",
            Self::Thoughts => "thought",
            Self::Calls => "call",
            Self::Outputs => "output",
            Self::Edits => "edit",
            Self::Errors => "error",
            Self::Notes => "note",
            Self::Notices => "notice",
            Self::Titles => "title",
        }
    }

    /// Whether a brief transcript folds its texts, or leaves them out.
    #[must_use]
    pub const fn is_folded(self) -> bool {
        match self {
            Self::Prompts | Self::Answers | Self::Notes | Self::Titles => false,
            Self::Thoughts
            | Self::Calls
            | Self::Outputs
            | Self::Edits
            | Self::Errors
            | Self::Notices => true,
        }
    }
}

/// A text of an item. It is decoded on demand.
#[derive(Debug)]
pub struct ItemText<'i, 's> {
    /// The part of the conversation.
    pub part: TalkSection,
    /// The event that it is of: of an output, the result.
    pub event: EventRef<'s>,
    body: &'i Body<'s>,
}

/// A text of a session. It is decoded on demand.
#[derive(Debug)]
pub struct SessionText<'s> {
    /// The number of its turn, from 1; 0 before the first prompt, and for the title.
    pub turn: u64,
    /// The part of the conversation.
    pub part: TalkSection,
    of: TextOf<'s>,
}

#[derive(Debug)]
enum TextOf<'s> {
    Title(Cow<'s, str>),
    Item { item: Rc<Item<'s>>, event: EventRef<'s> },
}

/// The texts of a session in source order, the title first: those of the conversation, and what the
/// agent itself reports. What repeats another item is left out, and so is the context that the
/// agent inserts.
pub fn texts(session: &Session) -> impl Iterator<Item = SessionText<'_>> {
    texts_with_title(session, facts::title_text(session))
}

/// The same, with the title that a list shows: it may come from another file than the session's.
pub fn texts_with_title<'s>(
    session: &'s Session,
    title: Option<Cow<'s, str>>,
) -> impl Iterator<Item = SessionText<'s>> {
    let title = title.map(|title| SessionText {
        turn: 0,
        part: TalkSection::Titles,
        of: TextOf::Title(title),
    });
    let items = Transcript::of(session, Detail::Whole).filter(is_of_talk);
    title.into_iter().chain(items.flat_map(|item| {
        let item = Rc::new(item);
        let texts: Vec<SessionText<'s>> = item
            .texts()
            .map(|text| SessionText {
                turn: item.turn,
                part: text.part,
                of: TextOf::Item { item: Rc::clone(&item), event: text.event },
            })
            .collect();
        texts
    }))
}

/// Whether an item belongs to the conversation and does not repeat another one, or is a report of
/// the agent itself, but for the context that it inserts.
fn is_of_talk(item: &Item<'_>) -> bool {
    match item.hidden {
        None | Some(Hidden::Rewound | Hidden::OtherBranch | Hidden::Notice) => true,
        Some(Hidden::Injected) => item.event.kind == Kind::Assistant,
        _ => false,
    }
}

impl<'s> SessionText<'s> {
    /// Its event: of an output, the result. A title has none.
    #[must_use]
    pub const fn event(&self) -> Option<EventRef<'s>> {
        match &self.of {
            TextOf::Title(_) => None,
            TextOf::Item { event, .. } => Some(*event),
        }
    }

    /// The address of its event.
    #[must_use]
    pub fn address(&self) -> Option<EventAddress> {
        self.event().map(EventRef::address)
    }

    /// The time of its item: of an output, that of the call.
    #[must_use]
    pub fn time(&self) -> Option<UtcTime> {
        self.item()?.event.when()
    }

    /// The standing of its item; that of a title is live.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.item().map_or(Standing::Live, |item| item.event.standing())
    }

    /// The narrower part: of a call that changes files, and of the output of one that failed.
    #[must_use]
    pub fn narrow(&self) -> Option<TalkSection> {
        self.of_item()?.narrow()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.of {
            TextOf::Title(title) => Cow::Borrowed(title),
            TextOf::Item { .. } => self.of_item().map(|text| text.text()).unwrap_or_default(),
        }
    }

    fn of_item(&self) -> Option<ItemText<'_, 's>> {
        self.item()?.texts().find(|text| text.part == self.part)
    }

    /// The fields of the file that the text is made of, where it costs much to make it: what is not
    /// in their bytes is not in the text. `None` for a text that is made already.
    pub fn fields(&self) -> Option<impl Iterator<Item = &'s [u8]> + use<'s>> {
        fields(self.part, self.event()?)
    }

    fn item(&self) -> Option<&Item<'s>> {
        match &self.of {
            TextOf::Title(_) => None,
            TextOf::Item { item, .. } => Some(item),
        }
    }
}

fn fields<'s>(
    part: TalkSection,
    event: EventRef<'s>,
) -> Option<impl Iterator<Item = &'s [u8]> + use<'s>> {
    let slots: &[Slot] = match part {
        TalkSection::Calls => &[Slot::Name, Slot::Input],
        TalkSection::Outputs => &[Slot::Output, Slot::Content, Slot::Detail],
        _ => return None,
    };
    Some(slots.iter().filter_map(move |slot| event.raw(*slot)))
}

impl<'s> Item<'s> {
    /// The texts of this item, in the order in which a transcript shows them.
    ///
    /// A call with its result has two: `Bash`, `cargo test` and what the command printed.
    pub fn texts(&self) -> impl Iterator<Item = ItemText<'_, 's>> {
        let body = &self.body;
        let part = match body {
            Body::Prompt(_) => TalkSection::Prompts,
            Body::Answer(_) => TalkSection::Answers,
            Body::Thought(_) => TalkSection::Thoughts,
            Body::Call(_) => TalkSection::Calls,
            Body::Result { .. } => TalkSection::Outputs,
            // The agent wrote it in the place of an answer: its request failed.
            Body::Injected(_) if self.event.kind == Kind::Assistant => TalkSection::Notices,
            Body::Injected(_) => TalkSection::Notes,
            Body::Notice(_) => TalkSection::Notices,
        };
        let (own, answered) = match body {
            Body::Call(call) => (self.event, call.answered.as_ref()),
            Body::Result { answered, .. } => (answered.event, None),
            _ => (self.event, None),
        };
        let output = answered.map(|answered| (TalkSection::Outputs, answered.event));
        let all = [Some((part, own)), output].into_iter().flatten();
        all.map(move |(part, event)| ItemText { part, event, body })
    }

    /// Whether it is of one of these parts; every item is, if none is given.
    #[must_use]
    pub fn is_of(&self, parts: &[TalkSection]) -> bool {
        let is_given = |part: TalkSection| parts.contains(&part);
        let is_summary = matches!(&self.body, Body::Notice(notice) if notice.summary);
        let is_said = matches!(self.body, Body::Injected(_));
        parts.is_empty()
            || (is_said || is_summary) && is_given(TalkSection::Notes)
            // A call means its output too, whether it has one or not.
            || matches!(self.body, Body::Call(_)) && is_given(TalkSection::Outputs)
            || self.texts().any(|text| match text.part {
                TalkSection::Notices => false,
                part => is_given(part) || text.narrow().is_some_and(is_given),
            })
    }
}

/// Whether a call changes files.
fn edits(call: EventRef<'_>) -> bool {
    calls::of(call).is_some_and(|tool| {
        use Common::{Delete, Edit, Notebook, Patch, Write};
        matches!(tool.common, Edit | Patch | Write | Notebook | Delete)
    })
}

impl<'i, 's> ItemText<'i, 's> {
    /// The text.
    #[must_use]
    pub fn text(&self) -> Cow<'i, str> {
        match (self.body, self.part) {
            (Body::Prompt(said) | Body::Answer(said) | Body::Injected(said), _) => {
                Cow::Borrowed(&said.text)
            }
            (Body::Thought(thought), _) => Cow::Borrowed(&thought.text),
            (Body::Call(call), TalkSection::Calls) => {
                let name = call.name.as_deref().map(str::to_owned);
                let lines: Vec<String> = name.into_iter().chain(call.arguments()).collect();
                Cow::Owned(lines.join("\n"))
            }
            (Body::Call(call), _) => {
                let lines = call.answered.as_ref().map(|answered| answered.lines());
                Cow::Owned(lines.unwrap_or_default().join("\n"))
            }
            (Body::Result { answered, .. }, _) => Cow::Owned(answered.lines().join("\n")),
            (Body::Notice(notice), _) => Cow::Owned(notice.text().into_owned()),
        }
    }

    /// The narrower part: of a call that changes files, and of the output of one that failed.
    #[must_use]
    pub fn narrow(&self) -> Option<TalkSection> {
        let bad = |answered: &Answered<'_>| answered.outcome.is_some_and(|it| it.is_bad());
        let (is_narrow, narrow) = match (self.body, self.part) {
            (Body::Call(_), TalkSection::Calls) => (edits(self.event), TalkSection::Edits),
            (Body::Call(call), _) => (call.answered.as_ref().is_some_and(bad), TalkSection::Errors),
            (Body::Result { answered, .. }, _) => (bad(answered), TalkSection::Errors),
            _ => return None,
        };
        is_narrow.then_some(narrow)
    }

    /// The fields of the file that the text is made of, as those of a session's text.
    pub fn fields(&self) -> Option<impl Iterator<Item = &'s [u8]> + use<'s>> {
        fields(self.part, self.event)
    }
}
