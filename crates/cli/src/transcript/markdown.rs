//! The little of Markdown that helps to read an answer in a terminal: headings and strong words.

use crate::screen::{Line, Style};
use crate::terminal::Plain;

/// A line of an answer as lines that fit: a heading is strong, and so are words between `**`.
pub(super) fn lines(text: &Plain, width: usize) -> Vec<Line> {
    let heading = text.as_str().trim_start_matches('#');
    let hashes = text.as_str().len() - heading.len();
    if (1..=6).contains(&hashes) && heading.starts_with(' ') {
        let heading = text.part(hashes + 1..text.as_str().len());
        let lines = heading.wrapped(width).into_iter();
        return lines.map(|line| Line::new().put(Style::Strong, line)).collect();
    }
    let pieces = strong(text.as_str());
    let bare: String = pieces.iter().map(|(_, piece)| *piece).collect();
    let mut styles =
        pieces.into_iter().flat_map(|(style, piece)| piece.chars().map(move |_| style));
    let mut rest = &*bare;
    let mut lines = Vec::new();
    for part in Plain::words(&bare).wrapped(width) {
        // A break takes the spaces there away, and an indentation may have been put in.
        let body = part.as_str().trim_start_matches(' ');
        let indent = part.as_str().len() - body.len();
        let skipped = rest.find(body).unwrap_or_default();
        let own = indent.min(skipped);
        let mut styles = styles.by_ref().skip(rest[..skipped].chars().count());
        rest = rest.get(skipped + body.len()..).unwrap_or_default();
        let mut line = Line::new().put(Style::Normal, Plain::words(&" ".repeat(indent.max(own))));
        let mut run: Option<(Style, String)> = None;
        for c in body.chars() {
            let style = styles.next().unwrap_or_default();
            match &mut run {
                Some((known, text)) if *known == style => text.push(c),
                _ => {
                    if let Some((style, text)) = run.replace((style, c.to_string())) {
                        line = line.put(style, Plain::words(&text));
                    }
                }
            }
        }
        if let Some((style, text)) = run {
            line = line.put(style, Plain::words(&text));
        }
        lines.push(line);
    }
    lines
}

/// The pieces of a line between `**`, if these are in pairs.
fn strong(text: &str) -> Vec<(Style, &str)> {
    let pieces: Vec<&str> = text.split("**").collect();
    let closed = pieces.len() % 2 == 1 && pieces[1..].iter().all(|piece| !piece.trim().is_empty());
    if pieces.len() < 3 || text.contains('`') || !(closed || pieces.len() % 2 == 1) {
        return vec![(Style::Normal, text)];
    }
    let style = |at: usize| if at % 2 == 1 { Style::Strong } else { Style::Normal };
    pieces.into_iter().enumerate().map(|(at, piece)| (style(at), piece)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::screen::Screen;

    fn drawn(text: &str, width: usize) -> String {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, true, None);
        for line in lines(&Plain::words(text), width) {
            screen.line(&line).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn headings_and_strong_words_have_no_marks() {
        assert_eq!(drawn("## Rounding", 40), "\u{1b}[1mRounding\u{1b}[0m\n");
        assert_eq!(drawn("the **green** door", 40), "the \u{1b}[1mgreen\u{1b}[0m door\n");
        assert_eq!(drawn("#no heading", 40), "#no heading\n");
        assert_eq!(drawn("2 ** 3", 40), "2 ** 3\n");
        assert_eq!(drawn("`**kwargs` and **kw", 40), "`**kwargs` and **kw\n");
        assert_eq!(drawn("", 40), "\n");
        assert_eq!(drawn("  - a **long** list of words", 12), {
            "  - a \u{1b}[1mlong\u{1b}[0m\n  list of\n  words\n"
        });
    }
}
