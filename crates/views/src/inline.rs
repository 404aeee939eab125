//! Strong words, emphasis and code within one line of Markdown, for forms that have no elements.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

/// The way in which a piece of a line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inline {
    /// As any other text.
    #[default]
    Plain,
    /// Between `**` or `__`.
    Strong,
    /// Between `*` or `_`.
    Emphasis,
    /// Between backticks, which stay: the piece can be copied as code.
    Code,
}

/// The pieces of a line of Markdown, without the marks of strong words and of emphasis. All other
/// bytes of the line are in one of them, in their order.
///
/// ```
/// use verbatim_views::inline::{Inline, pieces};
///
/// let found = pieces("the **only** `a.rs`");
/// assert_eq!(found[1], (Inline::Strong, "only"));
/// assert_eq!(found[3], (Inline::Code, "`a.rs`"));
/// ```
#[must_use]
pub fn pieces(line: &str) -> Vec<(Inline, &str)> {
    // An indented line continues an item of a list: by itself it would be a block of code.
    let begin = line.len() - line.trim_start().len();
    let mut styles = vec![Some(Inline::Plain); line.len()];
    let mut set = |range: Range<usize>, style: Option<Inline>| {
        if let Some(part) = styles.get_mut(begin + range.start..begin + range.end) {
            part.fill(style);
        }
    };
    for (event, range) in Parser::new(&line[begin..]).into_offset_iter() {
        let (marks, style) = match event {
            Event::Start(Tag::Strong) => (2, Inline::Strong),
            Event::Start(Tag::Emphasis) => (1, Inline::Emphasis),
            Event::Code(_) => (0, Inline::Code),
            _ => continue,
        };
        set(range.start..range.start + marks, None);
        set(range.start + marks..range.end - marks, Some(style));
        set(range.end - marks..range.end, None);
    }
    let mut pieces: Vec<(Inline, &str)> = Vec::new();
    let mut from = 0;
    for chunk in styles.chunk_by(|one, next| one == next) {
        let to = from + chunk.len();
        if let (Some(Some(style)), Some(text)) = (chunk.first(), line.get(from..to)) {
            pieces.push((*style, text));
        }
        from = to;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{Inline, pieces};

    #[test]
    fn marks_go_and_everything_else_stays() {
        use Inline::{Code, Emphasis, Plain, Strong};
        assert_eq!(
            pieces("- **Read `a.rs`**: it is *the* **only** one"),
            [
                (Plain, "- "),
                (Strong, "Read "),
                (Code, "`a.rs`"),
                (Plain, ": it is "),
                (Emphasis, "the"),
                (Plain, " "),
                (Strong, "only"),
                (Plain, " one"),
            ]
        );
        assert_eq!(pieces("    far **in**"), [(Plain, "    far "), (Strong, "in")]);
        assert_eq!(pieces("`**kwargs` and **kw"), [(Code, "`**kwargs`"), (Plain, " and **kw")]);
        for text in ["2 ** 3 ** 4", "***", "[a](https://a.example/*x*y)", "", "\u{e9}**"] {
            let whole: String = pieces(text).iter().map(|(_, piece)| *piece).collect();
            assert_eq!(whole, text);
        }
    }
}
