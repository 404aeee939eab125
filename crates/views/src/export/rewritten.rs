//! Markdown of a session, written anew from its parsed tree. HTML within it is text, pictures are
//! links, and only addresses of pages and mail can be followed. Code is exactly as it was.

use std::iter::Peekable;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Tag, TagEnd};

use super::parsed::{Headings, language, parsed, task};
use super::safe::{is_address, plain};
use super::writer::Writer;

/// Writes a Markdown text into the container that is open.
pub(super) fn rewritten(text: &str, writer: &mut Writer) {
    let text = plain(text);
    let mut events = parsed(&text).peekable();
    let mut rewriter = Rewriter {
        writer,
        headings: Headings::default(),
        lists: Vec::new(),
        links: Vec::new(),
        code: None,
        html: None,
        columns: Vec::new(),
    };
    while let Some(event) = events.next() {
        rewriter.event(event, &mut events);
    }
}

/// A list that is open.
struct List {
    mark: char,
    /// The number of the next item.
    number: Option<u64>,
    /// Whether an item came already, and had paragraphs.
    loose: Option<bool>,
}

struct Rewriter<'w> {
    writer: &'w mut Writer,
    headings: Headings,
    lists: Vec<List>,
    /// The links that are open: the address, and where the text begins.
    links: Vec<(Option<String>, usize)>,
    /// The language and the text of the block of code that is open.
    code: Option<(String, String)>,
    /// The lines of the HTML that is open, which are text.
    html: Option<String>,
    /// The alignments of the columns of the table that is open.
    columns: Vec<&'static str>,
}

impl Rewriter<'_> {
    fn event<'t>(
        &mut self,
        event: Event<'t>,
        rest: &mut Peekable<impl Iterator<Item = Event<'t>>>,
    ) {
        match event {
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Start(Tag::Item) => {
                let loose = matches!(rest.peek(), Some(Event::Start(Tag::Paragraph)));
                self.item(loose);
            }
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Html(text) => match &mut self.html {
                Some(html) => html.push_str(&text),
                None => self.text(&text),
            },
            Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text)
            }
            Event::FootnoteReference(name) => self.text(&name),
            Event::Code(text) => {
                self.inline();
                self.writer.code(&text);
            }
            Event::SoftBreak => self.writer.line_break(),
            Event::HardBreak => {
                if !self.writer.cell && !self.writer.heading {
                    self.writer.raw("\\");
                }
                self.writer.line_break();
            }
            Event::Rule => {
                self.writer.block();
                self.writer.raw("___");
                self.writer.close();
            }
            Event::TaskListMarker(done) => self.text(task(done)),
        }
    }

    /// Begins the text of an item without paragraphs.
    fn inline(&mut self) {
        self.writer.text_block();
    }

    fn text(&mut self, text: &str) {
        self.inline();
        self.writer.text(text);
    }

    fn item(&mut self, loose: bool) {
        let Some(list) = self.lists.last_mut() else { return };
        let number = list.number;
        list.number = number.map(|number| number.saturating_add(1));
        let before = list.loose.replace(loose);
        let close = before.is_some_and(|before| !before && !loose);
        // The first item follows what is before the list, as that container has it.
        let close = if before.is_none() { self.writer.is_tight() } else { close };
        self.writer.item(list.mark, number, close, !loose);
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph => self.writer.block(),
            Tag::HtmlBlock => {
                self.writer.block();
                self.html = Some(String::new());
            }
            Tag::Heading { level, .. } => {
                let level = self.headings.next(*level);
                self.writer.begin_heading(level);
            }
            Tag::BlockQuote(_) => self.writer.quote(),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language(info).unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                self.code = Some((language.to_owned(), String::new()));
            }
            Tag::List(first) => {
                let mark = self.writer.mark(first.is_some());
                self.lists.push(List { mark, number: *first, loose: None });
            }
            Tag::Table(alignments) => self.table(alignments),
            Tag::TableHead => self.writer.raw("|"),
            Tag::TableRow => {
                self.writer.cell = false;
                self.writer.line_break();
                self.writer.cell = true;
                self.writer.raw("|");
            }
            Tag::TableCell => self.writer.raw(" "),
            Tag::Emphasis => self.delimiter("*"),
            Tag::Strong => self.delimiter("**"),
            Tag::Strikethrough => self.delimiter("~~"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link(dest_url, matches!(tag, Tag::Image { .. }));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.writer.close(),
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.writer.text(html.trim_end());
                self.writer.close();
            }
            TagEnd::Heading(_) => {
                self.writer.heading = false;
                self.writer.close();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => self.writer.leave(),
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.writer.code_block(&language, &code);
                }
            }
            TagEnd::List(_) => {
                if let Some(list) = self.lists.pop() {
                    self.writer.list(list.mark);
                }
            }
            TagEnd::TableHead => self.ruler(),
            TagEnd::TableCell => self.writer.raw(" |"),
            TagEnd::Table => {
                self.writer.cell = false;
                self.writer.close();
            }
            TagEnd::Emphasis => self.writer.closing("*"),
            TagEnd::Strong => self.writer.closing("**"),
            TagEnd::Strikethrough => self.writer.closing("~~"),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn delimiter(&mut self, mark: &str) {
        self.inline();
        self.writer.delimiter(mark);
    }

    fn link(&mut self, address: &str, is_picture: bool) {
        self.inline();
        let within = self.links.iter().any(|(address, _)| address.is_some());
        let address = (is_address(address) && !within).then(|| written(address));
        if address.is_some() {
            self.writer.raw("[");
        }
        self.links.push((address, self.writer.out.len()));
        if is_picture {
            self.writer.text("\u{25a3} picture ");
        }
    }

    fn end_link(&mut self) {
        let Some((Some(address), from)) = self.links.pop() else { return };
        if self.writer.out.len() == from {
            self.writer.text(&address);
        }
        self.writer.raw("](");
        self.writer.raw(&address);
        self.writer.raw(")");
    }

    fn table(&mut self, alignments: &[Alignment]) {
        self.writer.block();
        self.writer.cell = true;
        self.columns = alignments
            .iter()
            .map(|alignment| match alignment {
                Alignment::None => "---",
                Alignment::Left => ":--",
                Alignment::Center => ":-:",
                Alignment::Right => "--:",
            })
            .collect();
    }

    /// The line between the head of a table and its rows.
    fn ruler(&mut self) {
        self.writer.cell = false;
        self.writer.line_break();
        self.writer.cell = true;
        let columns = std::mem::take(&mut self.columns);
        self.writer.raw("|");
        for column in columns {
            self.writer.raw(" ");
            self.writer.raw(column);
            self.writer.raw(" |");
        }
    }
}

/// An address as it is written between round brackets.
fn written(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for letter in address.chars() {
        match letter {
            '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '\\' | '`' | '"' | '|' | '*' | '_'
            | '~' | '$' => out.push_str(&format!("%{:02X}", u32::from(letter))),
            '&' => out.push_str("&amp;"),
            _ => out.push(letter),
        }
    }
    out
}
