//! The texts of an item: everything in it that can be searched for. `search` and `show --grep` read
//! the same ones.

use std::borrow::Cow;

use session::{EventRef, Slot};

use super::item::{Body, Item};

/// The part of an item that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemPart {
    /// The prompt of a person.
    Prompt,
    /// An answer of the model.
    Answer,
    /// A thought of the model.
    Thought,
    /// A call: the name of its tool, and its arguments.
    Call,
    /// The result of a call.
    Output,
    /// A text of neither: a summary, a report, the task of a sub-agent.
    Note,
    /// A notice of the agent, as that a request failed.
    Notice,
}

/// A text of an item. It is decoded on demand.
#[derive(Debug)]
pub struct ItemText<'i, 's> {
    /// The part of the item.
    pub part: ItemPart,
    /// The event that it is of: of an output, the result.
    pub event: EventRef<'s>,
    body: &'i Body<'s>,
}

impl<'s> Item<'s> {
    /// The texts of an item, in the order in which a transcript shows them.
    ///
    /// A call with its result has two: `Bash`, `cargo test` and what the command printed.
    pub fn texts(&self) -> impl Iterator<Item = ItemText<'_, 's>> {
        let body = &self.body;
        let part = match body {
            Body::Prompt(_) => ItemPart::Prompt,
            Body::Answer(_) => ItemPart::Answer,
            Body::Thought(_) => ItemPart::Thought,
            Body::Call(_) => ItemPart::Call,
            Body::Result { .. } => ItemPart::Output,
            Body::Injected(_) => ItemPart::Note,
            Body::Notice(_) => ItemPart::Notice,
        };
        let (own, answered) = match body {
            Body::Call(call) => (self.event, call.answered.as_ref()),
            Body::Result { answered, .. } => (answered.event, None),
            _ => (self.event, None),
        };
        let output = answered.map(|answered| (ItemPart::Output, answered.event));
        let all = [Some((part, own)), output].into_iter().flatten();
        all.map(move |(part, event)| ItemText { part, event, body })
    }
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
            (Body::Call(call), ItemPart::Call) => {
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

    /// The fields of the file that the text is made of, where it costs much to make it: what is not
    /// in their bytes is not in the text. `None` for a text that is made already.
    pub fn fields(&self) -> Option<impl Iterator<Item = &'s [u8]> + use<'s>> {
        let slots: &[Slot] = match self.part {
            ItemPart::Call => &[Slot::Name, Slot::Input],
            ItemPart::Output => &[Slot::Output, Slot::Content, Slot::Detail],
            _ => return None,
        };
        let event = self.event;
        Some(slots.iter().filter_map(move |slot| event.raw(*slot)))
    }
}
