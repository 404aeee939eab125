//! Texts of the conversation that no single string of the session is: an agent words what it
//! attached, and a command's line is its name with its arguments.

use session::EventRef;

/// The text of an event in words that no single string of its record is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worded {
    /// The text, as the agent's own next request has it.
    pub text: String,
    /// The numbers of the event's fields that the text is made of.
    pub fields: Vec<usize>,
}

/// The text of an event, if it is worded. `None` for an event whose content is its text.
pub type WordedOf = fn(EventRef<'_>) -> Option<Worded>;
