//! JSON token stream of an independent parser, the witness of the proof. It keeps number spelling,
//! repeated keys and order, and reads nested values without recursion.

use jiter::{Jiter, Peek};

pub use jiter::JiterError as Fault;

use super::readable::readable;

/// Token of a JSON text. Commas, colons and white space are not tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A container begins.
    Open(Bracket),
    /// A container ends.
    Close(Bracket),
    /// The name of a member, escapes resolved.
    Key(&'a str),
    /// A string, escapes resolved.
    Text(&'a str),
    /// A number as it is spelled.
    Number(&'a [u8]),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// The two kinds of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `{` and `}`.
    Object,
    /// `[` and `]`.
    Array,
}

impl Bracket {
    /// The sign that opens it.
    #[must_use]
    pub const fn open(self) -> u8 {
        match self {
            Self::Object => b'{',
            Self::Array => b'[',
        }
    }

    /// The sign that closes it.
    #[must_use]
    pub const fn close(self) -> u8 {
        match self {
            Self::Object => b'}',
            Self::Array => b']',
        }
    }
}

impl Token<'_> {
    /// Whether it is a leaf: a value without members, which no reader may lose.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Number(_) | Self::Bool(_) | Self::Null)
    }
}

/// The tokens of a text. They end with an error if it is not exactly one JSON value.
#[derive(Debug)]
pub struct JsonTokens<'a> {
    parser: Jiter<'a>,
    /// The original text, from which the spelling of numbers is taken.
    spelling: &'a [u8],
    /// The containers that are open, the innermost last.
    open: Vec<Bracket>,
    next: Next,
    /// The first byte of the last value.
    start: usize,
}

/// Next token that the parser expects.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A value.
    Value,
    /// The first member or element of the innermost container, or its end.
    First,
    /// Another member or element, or the end of the container or text.
    Further,
}

impl<'a> JsonTokens<'a> {
    /// The tokens of a text.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Self::readable(text, text)
    }

    /// The tokens of `text`, parsed from its form after [`super::readable()`].
    #[must_use]
    pub fn readable(readable: &'a [u8], text: &'a [u8]) -> Self {
        let parser = Jiter::new(readable);
        Self { parser, spelling: text, open: Vec::new(), next: Next::Value, start: 0 }
    }

    /// The first byte of the last value, or of the container that the last token opened.
    #[must_use]
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Whether the last token ended the value. Other text may follow.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.open.is_empty() && matches!(self.next, Next::Further)
    }

    /// Number of bytes that the parser has read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.parser.current_index()
    }

    /// The next token; `None` at the end of the value.
    ///
    /// # Errors
    /// The fault of the text, in the parser's words.
    pub fn step(&mut self) -> Result<Option<Token<'_>>, Fault> {
        let Some(&innermost) = self.open.last() else {
            if matches!(self.next, Next::Further) {
                return self.parser.finish().map(|()| None);
            }
            return self.value().map(Some);
        };
        let first = match self.next {
            Next::Value => return self.value().map(Some),
            Next::First => true,
            Next::Further => false,
        };
        match innermost {
            Bracket::Array => {
                let element =
                    if first { self.parser.known_array() } else { self.parser.array_step() };
                if element?.is_some() {
                    return self.value().map(Some);
                }
            }
            Bracket::Object => {
                let name = if first { self.parser.known_object() } else { self.parser.next_key() };
                if let Some(name) = name? {
                    self.next = Next::Value;
                    return Ok(Some(Token::Key(name)));
                }
            }
        }
        self.open.pop();
        self.next = Next::Further;
        Ok(Some(Token::Close(innermost)))
    }

    fn value(&mut self) -> Result<Token<'_>, Fault> {
        let peek = self.parser.peek()?;
        self.next = Next::Further;
        self.start = self.at();
        Ok(match peek {
            Peek::Object => self.enter(Bracket::Object),
            Peek::Array => self.enter(Bracket::Array),
            Peek::String => Token::Text(self.parser.known_str()?),
            Peek::True | Peek::False => Token::Bool(self.parser.known_bool(peek)?),
            Peek::Null => {
                self.parser.known_null()?;
                Token::Null
            }
            _ => {
                self.parser.known_number_bytes(peek)?;
                Token::Number(self.spelling.get(self.start..self.at()).unwrap_or_default())
            }
        })
    }

    fn enter(&mut self, bracket: Bracket) -> Token<'static> {
        self.open.push(bracket);
        self.next = Next::First;
        Token::Open(bracket)
    }
}

/// Whether `text` is exactly one JSON value, once U+FFFD is in place of bytes that are not UTF-8.
#[must_use]
pub fn is_json(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let text = text.as_bytes();
    let readable = readable(text);
    let mut tokens = JsonTokens::readable(&readable, text);
    loop {
        match tokens.step() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<String>, Fault> {
        let mut tokens = JsonTokens::of(text.as_bytes());
        let mut all = Vec::new();
        while let Some(token) = tokens.step()? {
            all.push(match token {
                Token::Key(name) => format!("{name}:"),
                Token::Text(text) => format!("{text:?}"),
                Token::Number(number) => String::from_utf8_lossy(number).into_owned(),
                other => format!("{other:?}"),
            });
        }
        Ok(all)
    }

    #[test]
    fn a_text_is_its_tokens_in_order() {
        let tokens = all(r#" {"a":[1.0,-0,"\u00e9\n"],"a":{},"b":[[],null,true]} "#).unwrap();
        let expected = [
            "Open(Object)",
            "a:",
            "Open(Array)",
            "1.0",
            "-0",
            "\"é\\n\"",
            "Close(Array)",
            "a:",
            "Open(Object)",
            "Close(Object)",
            "b:",
            "Open(Array)",
            "Open(Array)",
            "Close(Array)",
            "Null",
            "Bool(true)",
            "Close(Array)",
            "Close(Object)",
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn numbers_keep_their_spelling() {
        for number in ["1e400", "-0.0", "1E+2", "9007199254740993"] {
            assert_eq!(all(number).unwrap(), [number]);
        }
    }

    #[test]
    fn an_integer_of_any_length_is_a_number() {
        let long = "9".repeat(10_000);
        for text in
            [long.clone(), format!(r#"{{"a":[-{long},{long}.5e{long}],"{long}":"\\\",{long}"}}"#)]
        {
            assert!(is_json(text.as_bytes()));
        }
        assert!(!is_json(format!("{long}x").as_bytes()));
        assert!(!is_json(format!("0{long}").as_bytes()));
        assert!(!is_json(format!("0.{long}.5").as_bytes()));
        assert!(!is_json(format!("{long}.5.5").as_bytes()));
        let text = format!("[-{long}]");
        let readable = readable(text.as_bytes());
        let mut tokens = JsonTokens::readable(&readable, text.as_bytes());
        tokens.step().unwrap();
        let number = format!("-{long}");
        assert_eq!(tokens.step().unwrap(), Some(Token::Number(number.as_bytes())));
    }

    #[test]
    fn what_is_not_one_value_is_an_error() {
        for text in ["", "{", "{}{}", "{} x", "01", "[1,]", "{\"a\"}", "[1 2]", "nul"] {
            assert!(all(text).is_err(), "{text}");
            assert!(!is_json(text.as_bytes()), "{text}");
        }
        assert!(is_json(b"[1,2]"));
    }

    /// Texts that the suite requires to be accepted have a token for each leaf and container. Texts
    /// that it requires to be rejected give an error.
    #[test]
    fn the_published_suite() {
        let Some(suite) = samples::shared("vectors/JSONTestSuite/test_parsing") else { return };
        let mut counts = [0, 0];
        for entry in std::fs::read_dir(suite).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap();
            match name.as_bytes()[0] {
                b'y' => {
                    counts[0] += 1;
                    assert!(is_json(&bytes), "{name} must be read");
                }
                b'n' => {
                    counts[1] += 1;
                    assert!(!is_json(&bytes), "{name} is no JSON");
                }
                _ => {}
            }
        }
        assert_eq!(counts, [95, 188]);
    }

    #[test]
    fn nesting_needs_no_call_depth() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(is_json(deep.as_bytes()));
    }
}
