//! Markdown of a session as HTML: the elements of CommonMark and tables, nothing else. HTML within
//! it is text, pictures are links, and only addresses of pages and mail can be followed.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::safe::{escape, is_address};

/// Appends a Markdown text as HTML.
pub(super) fn typeset(text: &str, out: &mut String) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut links = Vec::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => start(&tag, &mut links, out),
            Event::End(tag) => end(tag, &mut links, out),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => escape(&text, out),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                out.push_str("<code>");
                escape(&text, out);
                out.push_str("</code>");
            }
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>"),
            Event::Rule => out.push_str("<hr>"),
            Event::TaskListMarker(done) => {
                out.push_str(if done { "\u{2611} " } else { "\u{2610} " })
            }
            Event::FootnoteReference(name) => escape(&name, out),
        }
    }
}

/// The element of a tag; `None` for those without one.
const fn element(tag: TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph => "p",
        TagEnd::Heading(level) => match level {
            // The page's own headings are above those of its texts.
            HeadingLevel::H1 | HeadingLevel::H2 | HeadingLevel::H3 => "h4",
            HeadingLevel::H4 => "h5",
            HeadingLevel::H5 | HeadingLevel::H6 => "h6",
        },
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Table => "table",
        TagEnd::TableHead | TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "del",
        _ => return None,
    })
}

fn start(tag: &Tag<'_>, links: &mut Vec<bool>, out: &mut String) {
    match tag {
        Tag::CodeBlock(_) => out.push_str("<pre><code>"),
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
            let follows = is_address(dest_url);
            links.push(follows);
            if follows {
                out.push_str("<a rel=\"noreferrer noopener nofollow\" href=\"");
                escape(dest_url, out);
                out.push_str("\">");
            }
            if matches!(tag, Tag::Image { .. }) {
                out.push_str("[picture] ");
            }
        }
        _ => {
            if let Some(name) = element(tag.to_end()) {
                out.push('<');
                out.push_str(name);
                out.push('>');
            }
        }
    }
}

fn end(tag: TagEnd, links: &mut Vec<bool>, out: &mut String) {
    match tag {
        TagEnd::CodeBlock => out.push_str("</code></pre>\n"),
        TagEnd::Link | TagEnd::Image => {
            if links.pop() == Some(true) {
                out.push_str("</a>");
            }
        }
        _ => {
            if let Some(name) = element(tag) {
                out.push_str("</");
                out.push_str(name);
                out.push_str(">\n");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_makes_no_element_of_its_own() {
        let html = |text: &str| {
            let mut out = String::new();
            typeset(text, &mut out);
            out
        };
        assert_eq!(html("# A *b*"), "<h4>A <em>b</em>\n</h4>\n");
        assert_eq!(html("<img src=x onerror=alert(1)>"), "&lt;img src=x onerror=alert(1)&gt;");
        assert_eq!(html("[a](javascript:alert(1))"), "<p>a</p>\n");
        assert_eq!(html("![a](https://h.example/p.png)").matches("<img").count(), 0);
        assert!(html("[a](https://h.example/\"x)").contains("href=\"https://h.example/&quot;x\""));
        assert_eq!(html("```<script>\nx</pre>\n```"), "<pre><code>x&lt;/pre&gt;\n</code></pre>\n");
    }
}
