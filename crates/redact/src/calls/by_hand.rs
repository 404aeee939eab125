//! Commands that a person ran by hand: agents write the command and its output as texts of the
//! person.

use std::ops::Range;

/// Words of which one is in each such text.
pub(crate) const SIGNS: [&[u8]; 4] =
    [b"<bash-", b"<user_shell_command>", b"following shell command", b"bash-std"];

/// The commands in a text, in their order.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let mut all = between(text, "<bash-input>", "</bash-input>");
    if text.contains("<user_shell_command>") {
        all.extend(between(text, "<command>", "</command>"));
    }
    if let Some((_, behind)) = text.split_once("following shell command")
        && let Some((_, fenced)) = behind.split_once("```")
        && let Some((_, fenced)) = fenced.split_once('\n')
    {
        all.extend(fenced.split("\n```").next());
    }
    all.into_iter().map(|command| without_entities(command.trim())).collect()
}

/// A command as it was typed: agents write its signs as references in their elements.
fn without_entities(command: &str) -> String {
    const SIGNS: [(&str, &str); 7] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ];
    SIGNS.iter().fold(command.to_owned(), |all, (written, sign)| all.replace(written, sign))
}

/// The texts between two marks.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    text.split(open).skip(1).map(|rest| rest.split(close).next().unwrap_or(rest)).collect()
}

/// The parts of such a text that a command printed; `None` for another text.
pub(crate) fn printed(text: &[u8]) -> Option<Vec<Range<usize>>> {
    const FORMS: [(&[u8], &[u8]); 3] = [
        (b"<bash-stdout>", b"</bash-stdout>"),
        (b"<bash-stderr>", b"</bash-stderr>"),
        (b"<result>", b"</result>"),
    ];
    let mut all = Vec::new();
    for (open, close) in FORMS {
        if open == b"<result>" && memchr::memmem::find(text, b"<user_shell_command>").is_none() {
            continue;
        }
        for at in memchr::memmem::find_iter(text, open) {
            let from = at + open.len();
            let length = memchr::memmem::find(&text[from..], close);
            all.push(from..length.map_or(text.len(), |length| from + length));
        }
    }
    if memchr::memmem::find(text, b"following shell command").is_some()
        && let Some(at) = memchr::memmem::find(text, b"following result:")
    {
        all.push(at + b"following result:".len()..text.len());
    }
    (!all.is_empty()).then_some(all)
}
