//! Markdown as lines, for forms that have no elements: headings, strong words, emphasis and code,
//! as the parsed tree of the whole text has them.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// The way in which a piece of a line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inline {
    /// As any other text.
    #[default]
    Plain,
    /// Between `**` or `__`, or a heading.
    Strong,
    /// Between `*` or `_`.
    Emphasis,
    /// Between backticks, which stay: the piece can be copied as code.
    Code,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It has words, which may go on in the next line of a narrow form.
    Words,
    /// It is of a block of code.
    Code,
    /// It begins or ends a block of code.
    Fence,
}

/// A line of a text: its kind, and its pieces without the marks of headings, of strong words and of
/// emphasis. All other bytes of the line are in one of them, in their order.
pub type TypesetLine<'t> = (LineKind, Vec<(Inline, &'t str)>);

/// The extensions of Markdown that are read.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// The lines of a text in Markdown.
///
/// ```
/// use verbatim_views::inline::{Inline, LineKind, typeset};
///
/// let lines = typeset("## Doors\n\nthe **front\none**");
/// assert_eq!(lines[0], (LineKind::Words, vec![(Inline::Strong, "Doors")]));
/// assert_eq!(lines[3], (LineKind::Words, vec![(Inline::Strong, "one")]));
/// ```
#[must_use]
pub fn typeset(text: &str) -> Vec<TypesetLine<'_>> {
    let mut styles = Styles(vec![Some(Inline::Plain); text.len()]);
    let mut blocks: Vec<(Range<usize>, bool)> = Vec::new();
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Strong) => styles.set(range, 2, Inline::Strong),
            Event::Start(Tag::Emphasis) => styles.set(range, 1, Inline::Emphasis),
            Event::Code(_) => styles.set(range, 0, Inline::Code),
            Event::Start(Tag::Heading { .. }) => {
                let heading = text.get(range.clone()).unwrap_or_default();
                let rest = heading.trim_start_matches('#').trim_start_matches([' ', '\t']);
                let words = range.end - rest.len();
                styles.fill(range.start..words, None);
                styles.fill(words..range.end, Some(Inline::Strong));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                blocks.push((range, matches!(kind, CodeBlockKind::Fenced(_))));
            }
            _ => {}
        }
    }
    let mut blocks = blocks.into_iter().peekable();
    let mut from = 0;
    let line = |line| {
        let range = from..from + str::len(line);
        from = range.end + 1;
        while blocks.next_if(|(block, _)| block.end <= range.start).is_some() {}
        let kind = match blocks.peek() {
            Some((block, is_fenced)) if block.start <= range.end => {
                let first = range.start <= block.start;
                let last = block.end <= range.end + 1 && is_fence(line);
                if *is_fenced && (first || last) { LineKind::Fence } else { LineKind::Code }
            }
            _ => LineKind::Words,
        };
        (kind, styles.pieces(line, range))
    };
    text.split('\n').map(line).collect()
}

/// Whether a line ends a block of code.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '>']);
    line.starts_with("```") || line.starts_with("~~~")
}

/// The style of each byte of a text; `None` for a mark.
struct Styles(Vec<Option<Inline>>);

impl Styles {
    fn fill(&mut self, range: Range<usize>, style: Option<Inline>) {
        let within = |slot: &Option<Inline>| {
            style == Some(Inline::Emphasis) && *slot == Some(Inline::Strong)
        };
        for slot in self.0.get_mut(range).into_iter().flatten().filter(|slot| !within(slot)) {
            *slot = style;
        }
    }

    /// Sets the style between two marks of this length.
    fn set(&mut self, range: Range<usize>, marks: usize, style: Inline) {
        self.fill(range.start + marks..range.end - marks, Some(style));
        self.fill(range.start..range.start + marks, None);
        self.fill(range.end - marks..range.end, None);
    }

    fn pieces<'t>(&self, line: &'t str, range: Range<usize>) -> Vec<(Inline, &'t str)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        let styles = self.0.get(range).unwrap_or_default();
        for chunk in styles.chunk_by(|one, next| one == next) {
            let to = from + chunk.len();
            if let (Some(Some(style)), Some(text)) = (chunk.first(), line.get(from..to)) {
                pieces.push((*style, text));
            }
            from = to;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::Inline::{Code, Emphasis, Plain, Strong};
    use super::{Inline, LineKind, typeset};

    fn pieces(line: &str) -> Vec<(Inline, &str)> {
        typeset(line).into_iter().flat_map(|(_, pieces)| pieces).collect()
    }

    #[test]
    fn marks_go_and_everything_else_stays() {
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
        assert_eq!(pieces("`**kwargs` and **kw"), [(Code, "`**kwargs`"), (Plain, " and **kw")]);
        assert_eq!(
            pieces("## The *old* door"),
            [(Strong, "The "), (Strong, "old"), (Strong, " door")].to_vec()
        );
        for text in ["2 ** 3 ** 4", "***", "[a](https://a.example/*x*y)", "", "\u{e9}**", "#x"] {
            let whole: String = pieces(text).iter().map(|(_, piece)| *piece).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn the_whole_text_is_parsed() {
        let kinds = |text: &str| typeset(text).iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
        use LineKind::{Code, Fence, Words};
        assert_eq!(kinds("a\n```sh\n**x**\n```\nb"), [Words, Fence, Code, Fence, Words]);
        assert_eq!(kinds("````\n```\n````\nb"), [Fence, Code, Fence, Words]);
        assert_eq!(kinds("- a\n  ~~~\n  b\n  ~~~\nc"), [Words, Fence, Code, Fence, Words]);
        assert_eq!(kinds("a\n\n    b\n\nc"), [Words, Words, Code, Words, Words]);
        assert_eq!(kinds("- a\n\n    b"), [Words, Words, Words]);
        assert_eq!(pieces("**one\ntwo** x"), [(Strong, "one"), (Strong, "two"), (Plain, " x")]);
        assert_eq!(pieces("- a\n\n    far **in**").last(), Some(&(Strong, "in")));
        assert_eq!(pieces("```\n**x**\n```")[1], (Plain, "**x**"));
    }
}
