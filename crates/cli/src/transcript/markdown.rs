//! The Markdown that helps to read an answer in a terminal: headings, strong words, emphasis, code.

use views::inline::Inline;

use crate::screen::{Line, Style};
use crate::terminal::Plain;

/// The pieces of a line of an answer as lines that fit. `base` is the style of everything else.
pub(super) fn lines(pieces: Vec<(Inline, &str)>, width: usize, base: Style) -> Vec<Line> {
    let bare: String = pieces.iter().map(|(_, piece)| *piece).collect();
    let mut styles = pieces
        .into_iter()
        .flat_map(|(inline, piece)| piece.chars().map(move |_| style(inline, base)));
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

/// The style of a piece of a line. In a line that is faint, a strong word is an ordinary one.
const fn style(inline: Inline, base: Style) -> Style {
    match (inline, base) {
        (Inline::Plain, _) => base,
        (Inline::Strong, Style::Faint) => Style::Normal,
        (_, Style::Faint) => Style::Faint,
        (Inline::Strong, _) => Style::Strong,
        (Inline::Emphasis, _) => Style::Emphasis,
        (Inline::Code, _) => Style::Name,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use views::inline::typeset;

    use super::*;
    use crate::screen::Screen;

    fn drawn(text: &str, width: usize) -> String {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, true, None);
        let (_, pieces) = typeset(text).swap_remove(0);
        for line in lines(pieces, width, Style::Normal) {
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
        assert_eq!(drawn("`**kwargs` and **kw", 40), "\u{1b}[36m`**kwargs`\u{1b}[0m and **kw\n");
        assert_eq!(
            drawn("**Read `a.rs`**: the **only** one", 40),
            "\u{1b}[1mRead \u{1b}[0m\u{1b}[36m`a.rs`\u{1b}[0m: the \u{1b}[1monly\u{1b}[0m one\n"
        );
        assert_eq!(drawn("", 40), "\n");
        assert_eq!(drawn("  - a **long** list of words", 12), {
            "  - a \u{1b}[1mlong\u{1b}[0m\n  list of\n  words\n"
        });
    }
}
