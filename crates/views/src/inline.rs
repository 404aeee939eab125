//! Markdown as lines, for forms that have no elements: headings, strong words, emphasis and code,
//! as the parsed tree of the whole text has them.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

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
    let mut styles = Styles::default();
    let mut blocks: Vec<(Range<usize>, bool)> = Vec::new();
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                blocks.push((range, matches!(kind, CodeBlockKind::Fenced(_))));
            }
            event => styles.take(&event, range, text),
        }
    }
    styles.end(text.len());
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

/// The style of each byte of a text; `None` for a mark. The events of the parser come in the order
/// of the text, so each byte gets its style once, however deep the elements are.
#[derive(Default)]
struct Styles {
    bytes: Vec<Option<Inline>>,
    marks: Vec<Range<usize>>,
    /// The numbers of strong elements and of emphases that are open.
    strong: usize,
    emphasis: usize,
}

impl Styles {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>, text: &str) {
        match event {
            Event::Start(Tag::Strong) => {
                self.fill_to(range.start);
                self.strong += 1;
                self.mark(range, 2);
            }
            Event::Start(Tag::Emphasis) => {
                self.fill_to(range.start);
                self.emphasis += 1;
                self.mark(range, 1);
            }
            Event::Start(Tag::Heading { .. }) => {
                self.fill_to(range.start);
                self.strong += 1;
                let heading = text.get(range.clone()).unwrap_or_default();
                // One with a line below it has no `#` as a mark.
                if !heading.trim_end().contains('\n') {
                    let rest = heading.trim_start_matches('#').trim_start_matches([' ', '\t']);
                    self.marks.push(range.start..range.end - rest.len());
                }
            }
            Event::End(TagEnd::Strong | TagEnd::Heading(_)) => {
                self.fill_to(range.end);
                self.strong = self.strong.saturating_sub(1);
            }
            Event::End(TagEnd::Emphasis) => {
                self.fill_to(range.end);
                self.emphasis = self.emphasis.saturating_sub(1);
            }
            Event::Code(_) => {
                self.fill_to(range.start);
                self.fill(range.end, Inline::Code);
            }
            _ => {}
        }
    }

    /// Notes the marks at both ends of an element.
    fn mark(&mut self, range: Range<usize>, length: usize) {
        self.marks.push(range.start..range.start + length);
        self.marks.push(range.end.saturating_sub(length)..range.end);
    }

    /// The bytes up to this one have the style of what is open.
    fn fill_to(&mut self, end: usize) {
        let style = match (self.strong, self.emphasis) {
            (1.., _) => Inline::Strong,
            (0, 1..) => Inline::Emphasis,
            (0, 0) => Inline::Plain,
        };
        self.fill(end, style);
    }

    fn fill(&mut self, end: usize, style: Inline) {
        self.bytes.resize(end.max(self.bytes.len()), Some(style));
    }

    /// Ends a text of this length.
    fn end(&mut self, length: usize) {
        self.fill_to(length);
        for mark in std::mem::take(&mut self.marks) {
            self.bytes.get_mut(mark).into_iter().flatten().for_each(|byte| *byte = None);
        }
    }

    fn pieces<'t>(&self, line: &'t str, range: Range<usize>) -> Vec<(Inline, &'t str)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        let styles = self.bytes.get(range).unwrap_or_default();
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
        let nested = pieces("*a **b `c` d** e*");
        let styles: Vec<Inline> = nested.iter().map(|(style, _)| *style).collect();
        assert_eq!(styles, [Emphasis, Strong, Code, Strong, Emphasis], "{nested:?}");
        // The mark of this kind of heading is the line below it.
        assert_eq!(pieces("#42 is fixed\n===")[0], (Strong, "#42 is fixed"));
        assert_eq!(pieces("> #7 it\n> ---")[1], (Strong, "#7 it"));
        for text in ["2 ** 3 ** 4", "***", "[a](https://a.example/*x*y)", "", "\u{e9}**", "#x"] {
            let whole: String = pieces(text).iter().map(|(_, piece)| *piece).collect();
            assert_eq!(whole, text);
        }
    }

    /// Elements within elements cost as much as the text is long.
    #[test]
    fn deep_emphasis_takes_linear_time() {
        let took = |depth: usize| {
            let text = format!("{}x{}", "*a ".repeat(depth), " b*".repeat(depth));
            let stars = format!("{0}word{0}", "*".repeat(depth));
            let begun = std::time::Instant::now();
            assert!(typeset(&text).len() == 1 && typeset(&stars).len() == 1);
            begun.elapsed()
        };
        let short = took(2_000).max(std::time::Duration::from_millis(20));
        let long = took(32_000);
        assert!(long < short * 64, "{long:?} against {short:?}");
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
