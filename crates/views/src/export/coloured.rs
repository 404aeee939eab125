//! Code in colours: its comments, texts, numbers and keywords as elements with a class each, which
//! the style colours. What the page shows is the code, byte by byte; the classes only mark it.

use std::cell::Cell;

use super::languages::{Language, named};
use super::safe::escape_text;

/// The largest block of code that is coloured, and the most code of a page, in bytes.
const BLOCK: usize = 200 << 10;
const PAGE: usize = 2 << 20;

/// The code of a page that is coloured so far.
#[derive(Debug, Default)]
pub(super) struct Colours {
    bytes: Cell<usize>,
}

impl Colours {
    /// Appends code as HTML, in colours if its language is known and there is not too much of it.
    pub(super) fn put(&self, language: Option<&str>, code: &str, out: &mut String) {
        let bytes = self.bytes.get() + code.len();
        let fits = code.len() <= BLOCK && bytes <= PAGE;
        let Some(name) = language.filter(|_| fits) else { return escape_text(code, out) };
        if name.eq_ignore_ascii_case("diff") || name.eq_ignore_ascii_case("patch") {
            self.bytes.set(bytes);
            return diff(code, out);
        }
        let Some(language) = named(name) else { return escape_text(code, out) };
        self.bytes.set(bytes);
        let open = vec![0; language.texts.len()];
        Lexer { language, code, at: 0, plain: 0, open, out }.run();
    }
}

/// Appends text in an element of a class.
fn mark(class: &str, text: &str, out: &mut String) {
    out.extend(["<span class=\"", class, "\">"]);
    escape_text(text, out);
    out.push_str("</span>");
}

/// Appends the lines of a diff.
fn diff(code: &str, out: &mut String) {
    for line in code.split_inclusive('\n') {
        match line.as_bytes().first() {
            Some(b'+') => mark("s", line, out),
            Some(b'-') => mark("d", line, out),
            Some(b'@') => mark("c", line, out),
            _ => escape_text(line, out),
        }
    }
}

struct Lexer<'l> {
    language: &'static Language,
    code: &'l str,
    /// The place of the lexer, and the beginning of the text before it that is not written.
    at: usize,
    plain: usize,
    /// For each kind of text, the place before which no text that has begun ends.
    open: Vec<usize>,
    out: &'l mut String,
}

impl<'l> Lexer<'l> {
    fn run(mut self) {
        while let Some(letter) = self.code[self.at..].chars().next() {
            let after = self.code[..self.at].chars().next_back();
            match self.token(letter, after) {
                Some((class, end)) if end > self.at => {
                    escape_text(&self.code[self.plain..self.at], self.out);
                    mark(class, &self.code[self.at..end], self.out);
                    (self.at, self.plain) = (end, end);
                }
                _ => self.at += self.width(letter),
            }
        }
        escape_text(&self.code[self.plain..], self.out);
    }

    /// The width of what is no token: a word, else a letter.
    fn width(&self, letter: char) -> usize {
        match is_word(letter) {
            true => self.word().len(),
            false => letter.len_utf8(),
        }
    }

    /// The class and the end of the token that begins here.
    fn token(&mut self, letter: char, before: Option<char>) -> Option<(&'static str, usize)> {
        let code = self.code;
        let rest = &code[self.at..];
        if letter.is_ascii_digit() {
            let more = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_');
            return Some(("n", self.at + rest.find(more).unwrap_or(rest.len())));
        }
        if is_word(letter) {
            let word = self.word();
            let words = self.language.words;
            let is_known = match self.language.case {
                true => words.binary_search(&word).is_ok(),
                false => words.binary_search(&&*word.to_ascii_lowercase()).is_ok(),
            };
            return is_known.then_some(("k", self.at + word.len()));
        }
        match self.comment(rest, before) {
            Some(comment) => Some(comment),
            None => self.text(rest),
        }
    }

    fn comment(&self, rest: &str, before: Option<char>) -> Option<(&'static str, usize)> {
        for (begin, end) in self.language.block {
            if let Some(within) = rest.strip_prefix(begin) {
                let length = within.find(end).map_or(within.len(), |at| at + end.len());
                return Some(("c", self.at + begin.len() + length));
            }
        }
        let begin = self.language.line.iter().find(|begin| rest.starts_with(**begin))?;
        // `#` is in words of shells and in colours, and `//` in addresses.
        let begins =
            before.is_none_or(|letter| letter.is_whitespace() || ";{}(),".contains(letter));
        (begins || *begin == "--").then(|| ("c", self.at + rest.find('\n').unwrap_or(rest.len())))
    }

    fn text(&mut self, rest: &str) -> Option<(&'static str, usize)> {
        let texts = self.language.texts;
        let kind = texts.iter().position(|(begin, ..)| rest.starts_with(begin))?;
        // What is looked for once is not looked for again: the cost stays linear.
        if self.at < self.open[kind] {
            return None;
        }
        let (begin, end, lines) = texts[kind];
        match length(&rest[begin.len()..], end, lines) {
            Ok(length) => Some(("s", self.at + begin.len() + length)),
            Err(looked) => {
                self.open[kind] = self.at + begin.len() + looked;
                None
            }
        }
    }

    fn word(&self) -> &'l str {
        let rest = &self.code[self.at..];
        &rest[..rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())]
    }
}

/// The length of a text with its end, from behind its beginning; else how far no end of it is: an
/// apostrophe in a word begins no text.
fn length(rest: &str, end: &str, lines: bool) -> Result<usize, usize> {
    let first = end.chars().next().unwrap_or('"');
    let mut at = 0;
    while let Some(next) = rest[at..].find(['\\', '\n', first]) {
        at += next;
        if rest[at..].starts_with(end) {
            return Ok(at + end.len());
        }
        let mut letters = rest[at..].chars();
        match letters.next() {
            Some('\\') => at += 1 + letters.next().map_or(0, char::len_utf8),
            Some('\n') if !lines => return Err(at),
            letter => at += letter.map_or(1, char::len_utf8),
        }
    }
    Err(rest.len())
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Colours, PAGE};

    fn html(language: &str, code: &str) -> String {
        let mut out = String::new();
        Colours::default().put(Some(language), code, &mut out);
        out
    }

    /// The text that a reader sees.
    fn seen(html: &str) -> String {
        html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
    }

    #[test]
    fn comments_texts_numbers_and_keywords_have_classes() {
        assert_eq!(
            html("rust", "let x = 12; // a \"b\"\n"),
            "<span class=\"k\">let</span> x = <span class=\"n\">12</span>; \
             <span class=\"c\">// a \"b\"</span>\n"
        );
        assert_eq!(html("PY", "x='''a\nb'''"), "x=<span class=\"s\">'''a\nb'''</span>");
        assert_eq!(
            html("sql", "Select 1"),
            "<span class=\"k\">Select</span> <span class=\"n\">1</span>"
        );
        assert_eq!(html("sh", "a#b $# don't"), "a#b $# don't");
        assert_eq!(html("js", "\"a\\\"b\" letter"), "<span class=\"s\">\"a\\\"b\"</span> letter");
        assert_eq!(html("diff", "-a\n b\n"), "<span class=\"d\">-a\n</span> b\n");
        assert_eq!(html("text", "let 1"), "let 1");
    }

    /// Whatever the code is, the reader sees it whole, and it makes no element.
    #[test]
    fn code_stays_what_it_is() {
        let hostile = [
            "\"",
            "'",
            "/*",
            "<script>alert(1)</script>",
            "</code></pre><img src=x onerror=x>",
            "\\",
            "\"\\",
            "'''",
            "`${",
            "--[[",
            "<!--",
            "é\u{301}'ü",
            "r#\"",
            "=begin",
            "\u{202e}1\u{7}",
        ];
        for language in ["rust", "python", "js", "html", "lua", "sql", "ruby", "diff", "sh", "nix"]
        {
            for code in
                hostile.iter().flat_map(|a| hostile.iter().map(move |b| format!("{a} {b}{a}")))
            {
                let (html, mut plain) = (html(language, &code), String::new());
                super::escape_text(&code, &mut plain);
                assert_eq!(seen(&html), plain, "{language}: {code}");
            }
        }
    }

    /// Texts that begin often and never end cost no more than others.
    #[test]
    fn texts_without_an_end_are_looked_for_once() {
        for (language, part) in
            [("rust", "r#\" "), ("js", "\"\\"), ("lua", "[[ "), ("py", "\"\"\"\\")]
        {
            let code = part.repeat(BLOCK / part.len());
            assert!(seen(&html(language, &code)).len() >= code.len(), "{language}");
        }
    }

    #[test]
    fn long_code_is_plain() {
        let code = "let x = 1;\n".repeat(BLOCK / 11 + 1);
        assert!(!html("rust", &code).contains("<span"));
        let (colours, mut out, part) = (Colours::default(), String::new(), &code[..BLOCK / 2]);
        let mut blocks = 0;
        while blocks < 100 && (blocks == 0 || out.contains("<span")) {
            out.clear();
            colours.put(Some("rust"), part, &mut out);
            blocks += 1;
        }
        assert_eq!(blocks, PAGE / part.len() + 1);
    }
}
