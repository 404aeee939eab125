//! Markdown of a session as HTML: the elements of CommonMark and tables, nothing else. HTML within
//! it is text, pictures are links, and only addresses of pages and mail can be followed.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Tag, TagEnd};

use super::bare::{linked, open_link};
use super::coloured::Colours;
use super::parsed::{Headings, is_inline, language, parsed, task};
use super::safe::{escape_text, is_address};

/// Appends a Markdown text as HTML, its code in colours.
pub(super) fn typeset(text: &str, colours: &Colours, out: &mut String) {
    let mut typesetter = Typesetter::new(colours, out);
    for event in parsed(text) {
        typesetter.event(event);
    }
}

struct Typesetter<'o> {
    out: &'o mut String,
    colours: &'o Colours,
    headings: Headings,
    /// The levels of the headings that are open.
    open: Vec<usize>,
    /// The links that are open, and whether they can be followed.
    links: Vec<bool>,
    /// Whether a block of code is open, and its language.
    code: bool,
    language: Option<String>,
    columns: Vec<Alignment>,
    column: usize,
    head: bool,
}

impl<'o> Typesetter<'o> {
    fn new(colours: &'o Colours, out: &'o mut String) -> Self {
        Self {
            out,
            colours,
            headings: Headings::default(),
            open: Vec::new(),
            links: Vec::new(),
            code: false,
            language: None,
            columns: Vec::new(),
            column: 0,
            head: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if !self.code && self.links.is_empty() => linked(&text, self.out),
            Event::Text(text) if self.code => {
                self.colours.put(self.language.as_deref(), &text, self.out);
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                escape_text(&text, self.out);
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.push_str("<code>");
                escape_text(&text, self.out);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(task(done)),
            Event::FootnoteReference(name) => escape_text(&name, self.out),
        }
    }

    fn tag(&mut self, name: &str) {
        self.out.extend(["<", name, ">"]);
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                let level = self.headings.next(*level);
                self.open.push(level);
                self.tag(&format!("h{level}"));
            }
            Tag::CodeBlock(kind) => {
                self.code = true;
                self.language = None;
                self.out.push_str("<pre>");
                if let CodeBlockKind::Fenced(info) = kind
                    && let Some(language) = language(info)
                {
                    self.out.extend(["<span class=\"lang\">", language, "</span>"]);
                    self.language = Some(language.to_owned());
                }
                self.out.push_str("<code>");
            }
            Tag::List(Some(first)) if *first != 1 => {
                self.out.push_str(&format!("<ol start=\"{first}\">"));
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link(dest_url, matches!(tag, Tag::Image { .. }));
            }
            Tag::Table(columns) => {
                self.columns.clone_from(columns);
                self.tag("table");
            }
            Tag::TableHead => {
                (self.head, self.column) = (true, 0);
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.tag("tr");
            }
            Tag::TableCell => self.cell(),
            _ => {
                if let Some(name) = element(tag.to_end()) {
                    self.tag(name);
                }
            }
        }
    }

    fn cell(&mut self) {
        let class = match self.columns.get(self.column) {
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"right\"",
            _ => "",
        };
        self.column += 1;
        self.out.push_str(if self.head { "<th scope=\"col\"" } else { "<td" });
        self.out.extend([class, ">"]);
    }

    fn link(&mut self, address: &str, is_picture: bool) {
        let follows = is_address(address);
        self.links.push(follows);
        if follows {
            open_link(address, self.out);
        }
        if is_picture {
            self.out.push_str("[picture] ");
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let level = self.open.pop().unwrap_or(6);
                self.out.push_str(&format!("</h{level}>\n"));
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.out.push_str("</code></pre>\n");
            }
            TagEnd::Link | TagEnd::Image => {
                if self.links.pop() == Some(true) {
                    self.out.push_str("</a>");
                }
            }
            TagEnd::TableHead => {
                self.head = false;
                self.out.push_str("</tr></thead><tbody>\n");
            }
            TagEnd::Table => self.out.push_str("</tbody></table>\n"),
            TagEnd::TableCell if self.head => self.out.push_str("</th>"),
            _ => {
                if let Some(name) = element(tag) {
                    self.out.extend(["</", name, ">"]);
                    if !is_inline(tag) {
                        self.out.push('\n');
                    }
                }
            }
        }
    }
}

/// The element of a tag; `None` for those without one of their own.
const fn element(tag: TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock => "p",
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "del",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_makes_no_element_of_its_own() {
        let html = |text: &str| {
            let mut out = String::new();
            typeset(text, &Colours::default(), &mut out);
            out
        };
        assert_eq!(html("# A *b*"), "<h3>A <em>b</em></h3>\n");
        assert_eq!(html("# A\n### B"), "<h3>A</h3>\n<h4>B</h4>\n");
        assert_eq!(
            html("<img src=x onerror=alert(1)>"),
            "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"
        );
        assert_eq!(html("[a](javascript:alert(1))"), "<p>a</p>\n");
        assert_eq!(html("![a](https://h.example/p.png)").matches("<img").count(), 0);
        assert!(html("[a](https://h.example/\"x)").contains("href=\"https://h.example/&quot;x\""));
        assert_eq!(html("```<script>\nx</pre>\n```"), "<pre><code>x&lt;/pre&gt;\n</code></pre>\n");
        let table = html("|a|b|\n|-|-:|\n|1|2|");
        assert!(table.contains("<th scope=\"col\">a</th>") && table.contains("class=\"right\">2"));
    }
}
