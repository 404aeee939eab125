//! Injected text: the marks by which an agent's own text in a person's place begins.

use std::borrow::Cow;

use memchr::memmem;
use session::{EventRef, Injected, Kind, Mark, Session, Slot, value};

use crate::tagged::{within_tag, without_tag};

/// Whether a text (as written, escapes unresolved) begins with a mark. If the mark begins a tag,
/// the tag is closed in the text: an agent closes its own, so an open one was typed by a person.
pub(crate) fn begins(text: &[u8], mark: &[u8]) -> bool {
    if !text.starts_with(mark) {
        return false;
    }
    let (Some(tag), true) = (text.get(1..), mark.starts_with(b"<")) else { return true };
    let ends = |byte: &u8| matches!(byte, b'>' | b' ' | b'\\' | b'\n');
    let length = match mark.ends_with(b">") {
        true => mark.len() - 2,
        false => tag.iter().position(ends).unwrap_or(tag.len()),
    };
    // Some programs write the slash as an escape.
    let close = [b"/", &tag[..length], b">"].concat();
    memmem::find(&tag[length..], &close).is_some()
}

/// Marks of the report of a sub-agent, or of work that ran beside the conversation. A report of one
/// agent crosses to another as it is.
const REPORTS: [&[u8]; 3] = [b"<subagent_notification>", b"<teammate-message", b"<agent-message"];
/// The mark of a notification, and that of the report in it: most say only that something ended.
const NOTIFICATION: &[u8] = b"<task-notification>";
const RESULT: &[u8] = b"<result>";

/// Whether a text (as written, escapes unresolved) is the report of a sub-agent, or of work that
/// ran beside the conversation.
pub(crate) fn is_report(text: &[u8]) -> bool {
    let text = trimmed(text);
    let notifies = || begins(text, NOTIFICATION) && memmem::find(text, RESULT).is_some();
    text.first() == Some(&b'<') && (REPORTS.iter().any(|mark| begins(text, mark)) || notifies())
}

/// The name of the tag in which agents put what they tell the model in a person's place.
pub(crate) const REMINDER: &str = "system-reminder";

/// A text of an agent within the tag, for another agent whose files have no other mark of one.
pub(crate) fn reminder(text: &str) -> String {
    within_tag(REMINDER, &within_reminder(text))
}

/// A text without the tag, if that is all around it.
pub(crate) fn within_reminder(text: &str) -> Cow<'_, str> {
    without_tag(REMINDER, text).unwrap_or(Cow::Borrowed(text))
}

/// Marks the messages in a person's place whose text is within the tag: an agent passed it to
/// the model.
pub(crate) fn mark_told(session: &mut Session) {
    let is_told = |event: &EventRef<'_>| {
        let content = || event.raw(Slot::Content).unwrap_or_default();
        event.kind == Kind::User
            && event.injected.is_none()
            && memmem::find(content(), REMINDER.as_bytes()).is_some()
            && without_tag(REMINDER, &event.said()).is_some()
    };
    let told: Vec<_> = session.events().filter(is_told).map(|event| event.index).collect();
    for event in told {
        session.mark(event, Mark::Injected(Some(Injected::Told)));
    }
}

/// A text as written whose first sign is no escape: some programs write `<` as one.
pub(crate) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    match trimmed(text).get(..5) {
        Some(b"\\u003") => Cow::Owned(value::unescape(text).into_owned().into_bytes()),
        _ => Cow::Borrowed(text),
    }
}

/// A text without white space before it, plain or escaped.
pub(crate) fn trimmed(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    while let Some(behind) = rest.strip_prefix(b"\\n") {
        rest = behind.trim_ascii_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{begins, is_report, unescaped};

    #[test]
    fn a_report_says_something() {
        assert!(is_report(br#"<subagent_notification>\n{\"a\":1}\n</subagent_notification>"#));
        assert!(is_report(br"\n <task-notification><result>fine</result></task-notification>"));
        assert!(is_report(br#"<teammate-message id=\"a\">fine</teammate-message>"#));
        assert!(!is_report(b"<task-notification><status>done</status></task-notification>"));
        assert!(!is_report(b"why <subagent_notification></subagent_notification>?"));
    }

    #[test]
    fn a_mark_may_be_escaped() {
        assert_eq!(&*unescaped(br"\n\u003cskill\u003e"), b"\n<skill>");
        assert_eq!(&*unescaped(br"a \u003c b"), br"a \u003c b");
    }

    #[test]
    fn a_tag_is_a_mark_if_it_is_closed() {
        assert!(begins(b"<rules>be kind</rules> now", b"<rules>"));
        assert!(begins(br"<rules>be kind<\/rules>", b"<rules>"));
        assert!(begins(b"<two words>x</two words>", b"<two words>"));
        assert!(begins(b"<hook_prompt id=\\\"1\\\">x</hook_prompt>", b"<hook_prompt"));
        assert!(begins(b"<external_file>x</external_file>", b"<external_"));
        assert!(begins(b"# AGENTS.md instructions", b"# AGENTS.md"));
        assert!(!begins(b"<rules> is the tag that I want to read", b"<rules>"));
        assert!(!begins(b"<hook_prompt id=\\\"1\\\"> why?", b"<hook_prompt"));
        assert!(!begins(b"the <rules></rules>", b"<rules>"));
    }
}
