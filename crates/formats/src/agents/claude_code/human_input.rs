//! Detection of human input: whether a person typed a user line. The agent writes much else in the
//! user's role: tool results, reminders, command output, notifications, summaries (traps 14 and
//! 17).

use std::borrow::Cow;

use session::{Case, Injected, JsonMember, Node, Shape, value};

use super::{attached, map, typed};
use crate::injected;

/// Facts of a user line about its origin.
#[derive(Default)]
pub(super) struct Marks<'a> {
    word: Option<&'a [u8]>,
    message: Option<Node<'a>>,
    attachment: Option<Node<'a>>,
    /// Whether the line has the agent's words of an attachment.
    rendered: bool,
    /// The subtype of a system line.
    subtype: Option<&'a [u8]>,
    /// A mark says that the agent shows the line and does not send it.
    unsent: bool,
    /// A mark says that no person typed it.
    made: bool,
    /// Two marks say that a person typed it.
    human: bool,
    typed: bool,
    /// A mark says that it belongs to a sub-agent's conversation.
    within: bool,
    /// A mark says that it is an error of the API.
    failed: bool,
}

impl<'a> Marks<'a> {
    #[inline]
    pub(super) fn see(&mut self, member: &JsonMember<'a>) {
        let value = member.value;
        match member.name {
            map::TYPE_NAME => self.word = value.text(),
            typed::MESSAGE => self.message = Some(value),
            typed::ATTACHMENT => self.attachment = Some(value),
            typed::RENDERED => self.rendered = true,
            typed::SUBTYPE => self.subtype = value.text(),
            typed::ORIGIN => {
                let kind = value.word(map::KIND);
                self.made |= !is_person(kind);
                self.human = kind == Some(b"human");
            }
            typed::WITHIN => self.within |= value.shape() == Shape::String,
            typed::SOURCE => {
                self.made |= value.text() == Some(b"system");
                self.typed = value.text() == Some(b"typed");
            }
            name if value.shape() == Shape::Bool && value.raw() == b"true" => {
                self.made |= typed::FLAGS.contains(&name);
                self.within |= name == typed::SIDE;
                self.failed |= name == typed::FAILED;
                self.unsent |= typed::UNSENT.contains(&name);
            }
            _ => {}
        }
    }

    /// The reason why no person typed the message; `None` if it has at least one block that a
    /// person gave.
    pub(super) fn reason(&self) -> Option<Injected> {
        let content = self.message.and_then(|message| message.at(map::CONTENT));
        // A person may type words that the agent writes too.
        let told = self.human && self.typed;
        match !self.made && content.is_some_and(|content| told || holds_typed(content)) {
            true if self.within => Some(Injected::Task),
            true => None,
            false => Some(match content.map_or(Injected::Context, reason) {
                Injected::Told | Injected::Command if self.unsent => Injected::Context,
                reason => reason,
            }),
        }
    }

    /// Whether a system line is the output of a command that the person gave to the agent itself.
    pub(super) fn is_local_output(&self) -> bool {
        self.subtype == Some(typed::LOCAL)
    }

    /// Whether an attachment is sent with the next request, and not added anew to each session.
    pub(super) fn is_told(&self) -> bool {
        self.attachment.is_some_and(|attachment| attached::is_told(attachment, self.rendered))
    }

    /// The case of an attachment that is sent: in words, or, if its content is an object, a file.
    pub(super) fn attached(&self) -> &'static Case {
        let content = self.attachment.and_then(|attachment| attachment.at(map::CONTENT));
        match content.filter(|content| content.shape() == Shape::Object) {
            Some(content) if content.word(map::TYPE) == Some(b"image") => &map::PICTURE,
            Some(_) => &map::FILE,
            None if self.rendered && !self.attachment.is_some_and(attached::has_words) => {
                &map::RENDERED
            }
            None => &map::ATTACHED,
        }
    }

    /// Whether the agent itself wrote an answer in the model's place: an error, or a filler.
    pub(super) fn is_filler(&self) -> bool {
        let model = || self.message.and_then(|message| message.word(typed::MODEL));
        self.failed || model() == Some(typed::NO_MODEL)
    }

    /// Whether the message is an object of letters. Its numeric members come first, whatever
    /// follows.
    pub(super) fn is_spread(&self) -> bool {
        let first = self.message.and_then(|message| message.members().next());
        first.is_some_and(|first| first.name == map::FIRST_LETTER)
    }

    /// The type of the line.
    pub(super) fn word(&self) -> Option<&'a [u8]> {
        self.word
    }

    /// Whether an attachment is a report that came during a turn.
    pub(super) fn are_reported(&self) -> bool {
        let queued = |node: &Node<'_>| node.word(map::TYPE) == Some(typed::QUEUED);
        let prompt = self.attachment.filter(queued).and_then(|queued| queued.at(typed::PROMPT));
        prompt.is_some_and(|prompt| reason(prompt) == Injected::Report)
    }

    /// Whether an attachment is a prompt that a person sent during a turn.
    pub(super) fn are_queued(&self) -> bool {
        let queued = |node: &Node<'_>| node.word(map::TYPE) == Some(typed::QUEUED);
        let Some(queued) = self.attachment.filter(queued) else { return false };
        let made = self.made
            || self.within
            || !matches!(queued.word(typed::MODE), None | Some(b"prompt"))
            || !is_person(queued.word(typed::QUEUED_BY))
            || queued.at(typed::QUEUED_META).is_some_and(|meta| meta.raw() == b"true")
            || queued.at(typed::FORWARDED).is_some();
        !made && queued.at(typed::PROMPT).is_some_and(holds_typed)
    }
}

/// Whether a person caused it: true unless the line names another cause.
fn is_person(kind: Option<&[u8]>) -> bool {
    matches!(kind, None | Some(b"human" | b"cli"))
}

/// The reason why no person typed a content, by the beginnings of its texts.
fn reason(content: Node<'_>) -> Injected {
    let blocks = content.elements().filter_map(|block| block.word(map::TEXT));
    let texts = content.text().into_iter().chain(blocks).map(injected::unescaped);
    let texts: Vec<Cow<'_, [u8]>> = texts.collect();
    let begins = |text: &[u8], marks: &[&str]| {
        let text = injected::trimmed(text);
        marks.iter().any(|mark| text.starts_with(mark.as_bytes()))
    };
    if texts.iter().any(|text| injected::is_report(text)) {
        Injected::Report
    } else if texts.iter().any(|text| begins(text, SUMMED_UP)) {
        Injected::Summary
    } else if texts.iter().any(|text| begins(text, COMMANDS)) {
        Injected::Command
    } else if content.text().is_none() && !content.elements().any(says)
        || !texts.is_empty() && texts.iter().all(|text| begins(text, OWN))
    {
        Injected::Context
    } else {
        Injected::Told
    }
}

/// Whether a block is a text or a picture, as opposed to a result.
fn says(block: Node<'_>) -> bool {
    block.shape() == Shape::String
        || matches!(block.word(map::TYPE), Some(b"text" | b"image" | b"document"))
}

/// Beginnings of the texts that the agent adds anew to each session. Builds before 2.1 wrote some
/// of them as lines (format reference, section 2.5); the newer ones have attachments in their
/// place, and the recorded requests have each of them again.
const OWN: &[&str] = &[
    "<system-reminder>\\nAs you answer the user's questions, you can use the following context",
    "<system-reminder>\\nToday's date is",
    "<system-reminder>\\nThe TodoWrite tool hasn't been used recently",
    "<system-reminder>\\nThe task tools haven't been used recently",
    "<system-reminder>\\nThis is a reminder that your todo list is currently empty",
    "<system-reminder>\\nPlan mode is active",
    "<system-reminder>\\nWhenever you read a file, you should consider whether it",
];

/// The beginning of the summary of a compaction.
const SUMMED_UP: &[&str] = &["This session is being continued from a previous conversation"];

/// Beginnings of a command that the person gave to the agent itself, and of a command's output.
const COMMANDS: &[&str] = &["<bash-", "<command-", "<local-command-", "Caveat: The messages below"];

/// Whether a text, or a block of a list, contains anything that a person gave.
fn holds_typed(content: Node<'_>) -> bool {
    match content.text() {
        Some(text) => is_typed(text),
        None => content.elements().any(given),
    }
}

/// Whether a person typed the block, or attached it as a picture or file.
fn given(block: Node<'_>) -> bool {
    if block.shape() == Shape::String {
        return block.text().is_some_and(is_typed);
    }
    match block.word(map::TYPE) {
        Some(b"text") => block.word(map::TEXT).is_some_and(is_typed),
        Some(b"image" | b"document") => true,
        _ => false,
    }
}

/// Tags around text of the agent or the terminal. A prompt may follow them.
pub(super) const TAGS: &[&str] = &[
    "bash-input",
    "bash-stderr",
    "bash-stdout",
    "command-args",
    "command-contents",
    "command-message",
    "command-name",
    "goal",
    "ide_diagnostics",
    "ide_opened_file",
    "ide_selection",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "new-diagnostics",
    "session-start-hook",
    "system-reminder",
    "tick",
    "user-memory-input",
    "user-prompt-submit-hook",
];

/// Beginnings of injected text.
const BEGINNINGS: &[&str] = &[
    "This session is being continued",
    "[Request interrupted",
    "Stop hook feedback:",
    "Operation stopped by hook:",
    // Their text continues after the element.
    "<agent-message",
    "<bash-notification>",
    "<ci-monitor-event>",
    "<cross-session-message",
    "<task-notification>",
    "<teammate-message",
    "Caveat: The messages below",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
];

/// Whether a text is a command that a person gave: one of the agent's, or one of the shell.
pub(super) fn is_command(text: &str) -> bool {
    let begins = ["<command-name>", "<command-message>", "<bash-input>"];
    begins.iter().any(|tag| text.trim_start().starts_with(tag))
}

/// Whether a text is a person's without a mark that says so.
pub(super) fn is_plainly_typed(text: &str) -> bool {
    let mut json = Vec::new();
    value::quote(text, &mut json);
    is_typed(&json[1..json.len() - 1])
}

/// Whether something of a JSON string remains after everything that the agent put before it is
/// removed.
fn is_typed(raw: &[u8]) -> bool {
    // Only a text that begins with a tag or an escape needs more than a look at its first byte.
    let text = match raw.first() {
        None => return false,
        Some(b'<' | b'\\' | b' ') => value::unescape(raw),
        Some(_) => String::from_utf8_lossy(raw.get(..64).unwrap_or(raw)),
    };
    let mut rest: &str = match &text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => text,
    };
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || BEGINNINGS.iter().any(|beginning| rest.starts_with(beginning)) {
            return false;
        }
        match behind_tag(rest) {
            Some(behind) => rest = behind,
            None => return true,
        }
    }
}

/// The rest of a text after its first element, if that is one of [`TAGS`]. The agent closes every
/// tag, so a tag without an end was typed by a person.
fn behind_tag(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let name = inner.split(['>', ' ', '\n']).next()?;
    let tag = TAGS.iter().find(|tag| **tag == name)?;
    let close = memchr::memmem::find(inner.as_bytes(), format!("</{tag}>").as_bytes())?;
    inner.get(close + tag.len() + 3..)
}
