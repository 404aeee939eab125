//! The oldest transcripts: plain text. `user:` and `assistant:` on a line of their own open a
//! message. Within an answer, marks in brackets open a thought, a call or a result. A prompt with
//! such a line can't be distinguished from a message.

use session::Member;
use session::text::block;

/// Type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    User,
    Assistant,
    Thought,
    Call,
    Result,
}

/// The marks, with those that count within an answer only.
const MARKS: &[(&str, Head)] = &[
    ("user:", Head::User),
    ("assistant:", Head::Assistant),
    ("[Thinking]", Head::Thought),
    ("[Tool call]", Head::Call),
    ("[Tool result]", Head::Result),
];

impl Head {
    /// The block that the mark at the beginning of a text opens.
    pub(super) fn of(text: &str) -> Option<Self> {
        MARKS.iter().find(|(mark, _)| text.starts_with(mark)).map(|(_, head)| *head)
    }

    /// The block that a line opens, and the length of the mark.
    fn opens(line: &str, in_answer: bool) -> Option<(Self, usize)> {
        let (mark, head) = MARKS.iter().find(|(mark, _)| line.starts_with(mark))?;
        let rest = &line[mark.len()..];
        match head {
            Self::User | Self::Assistant => {
                rest.trim_end().is_empty().then_some((*head, line.len()))
            }
            _ if !in_answer => None,
            _ => Some((*head, mark.len() + rest.len() - rest.trim_start_matches(' ').len())),
        }
    }
}

/// Whether a head begins such a transcript.
pub(super) fn is_transcript(head: &[u8]) -> bool {
    let first = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    matches!(first.map(<[u8]>::trim_ascii_end), Some(b"user:" | b"assistant:"))
}

/// The member with its text split into blocks, if it is such a text.
pub(super) fn member(member: Member) -> Member {
    let stored = member.bytes();
    let Some(text) = std::str::from_utf8(stored).ok().filter(|_| is_transcript(stored)) else {
        return member;
    };
    let blocks = blocks(text);
    session::text::member(&member.name, member.stream.clone(), stored, blocks).unwrap_or(member)
}

/// A transcript's blocks, one JSON object per line.
fn blocks(text: &str) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len() + text.len() / 8);
    let (mut start, mut at, mut in_answer) = (0, 0, false);
    let mut open = None;
    for line in text.split_inclusive('\n') {
        if let Some((head, length)) = Head::opens(line, in_answer) {
            close(&text[start..at], open, &mut lines);
            in_answer = head != Head::User;
            (start, open) = (at, Some((head, length)));
        }
        at += line.len();
    }
    close(&text[start..], open, &mut lines);
    lines
}

/// Writes a block: its mark, a tool's name, its text, and the white space after it.
fn close(text: &str, open: Option<(Head, usize)>, lines: &mut Vec<u8>) {
    let length = open.map_or(0, |(_, length)| length);
    let (head, rest) = text.split_at(length);
    let (body, tail) = rest.split_at(rest.trim_end().len());
    match open {
        Some((Head::Call | Head::Result, _)) => {
            let (name, body) = body.split_at(name_length(body));
            block(&[("head", head), ("name", name), ("text", body), ("tail", tail)], lines);
        }
        _ => block(&[("head", head), ("text", body), ("tail", tail)], lines),
    }
}

/// Length of a tool's name. It ends with its line, or before a patch.
fn name_length(body: &str) -> usize {
    body.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/')))
        .unwrap_or(body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_marks() {
        let text = concat!(
            "user:\nfix it\n[Tool call] not here\n\n",
            "assistant:\n[Thinking] twice\n\nmore\n[Tool call] Read\n  path: a.rs\n",
            "[Tool call] ApplyPatch*** Begin Patch\n+assistant: no\n*** End Patch\n\n",
            "[Tool result] Read\n  1| fn\nuser: no mark\n\nassistant:\nDone.",
        );
        let lines = String::from_utf8(blocks(text)).expect("UTF-8");
        let expected = [
            r#"{"head":"user:\n","text":"fix it\n[Tool call] not here","tail":"\n\n"}"#,
            r#"{"head":"assistant:\n"}"#,
            r#"{"head":"[Thinking] ","text":"twice\n\nmore","tail":"\n"}"#,
            r#"{"head":"[Tool call] ","name":"Read","text":"\n  path: a.rs","tail":"\n"}"#,
            concat!(
                r#"{"head":"[Tool call] ","name":"ApplyPatch","#,
                r#""text":"*** Begin Patch\n+assistant: no\n*** End Patch","tail":"\n\n"}"#,
            ),
            concat!(
                r#"{"head":"[Tool result] ","name":"Read","#,
                r#""text":"\n  1| fn\nuser: no mark","tail":"\n\n"}"#,
            ),
            r#"{"head":"assistant:\n","text":"Done."}"#,
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_text_comes_back() {
        for text in ["user:", "assistant:\r\n\r\nuser:\n", " user:\n", "user:\n\u{0}\"\\\u{2028}"] {
            let lines = blocks(text);
            assert_eq!(session::text::joined(&lines).as_deref(), Some(text.as_bytes()), "{text:?}");
        }
    }
}
