//! Markdown of a session, parsed: the tree that pages and Markdown are written from, and the
//! rules that they share.

use pulldown_cmark::{Event, HeadingLevel, Parser, TagEnd, TextMergeStream};

use crate::inline::OPTIONS;

/// The events of a Markdown text.
pub(super) fn parsed(text: &str) -> impl Iterator<Item = Event<'_>> {
    TextMergeStream::new(Parser::new_ext(text, OPTIONS))
}

/// Levels of the headings of a text. The document's own headings are above them, and no level is
/// skipped.
#[derive(Debug, Default)]
pub(super) struct Headings {
    open: Vec<HeadingLevel>,
}

impl Headings {
    /// The level of the next heading in the document, from 3 to 6.
    pub(super) fn next(&mut self, level: HeadingLevel) -> usize {
        while self.open.last().is_some_and(|last| *last >= level) {
            self.open.pop();
        }
        self.open.push(level);
        (2 + self.open.len()).min(6)
    }
}

/// The language of a block of code: the first word of the text behind its fence.
pub(super) fn language(info: &str) -> Option<&str> {
    let word = info.split([' ', ',', '\t', '{']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-_#.".contains(c);
    (!word.is_empty() && word.len() <= 32 && word.chars().all(plain)).then_some(word)
}

/// The first words of a text, without its marks.
pub(super) fn words(text: &str) -> String {
    let end = text.char_indices().nth(FIRST).map_or(text.len(), |(end, _)| end);
    let mut words = String::new();
    for event in parsed(&text[..end]) {
        let ends = match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                words.push_str(&text);
                false
            }
            Event::End(end) => !is_inline(end),
            Event::SoftBreak | Event::HardBreak => true,
            _ => false,
        };
        if ends && !words.trim().is_empty() {
            break;
        }
    }
    words.trim().lines().next().unwrap_or_default().trim().to_owned()
}

/// Number of characters in which the first words of a text are looked for.
const FIRST: usize = 2000;

/// Whether a tag is within a line.
pub(super) const fn is_inline(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong, TableCell};
    matches!(tag, Emphasis | Strong | Strikethrough | TableCell | Link | Image)
}

/// The sign of a task: done or not.
pub(super) const fn task(done: bool) -> &'static str {
    if done { "\u{2611} " } else { "\u{2610} " }
}
