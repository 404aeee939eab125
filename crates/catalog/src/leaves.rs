//! A JSON text as a stream of tokens, read by a parser that shares nothing with ours: the witness
//! of the proof. It keeps number spelling, repeated keys and order, and needs no call depth for
//! nesting.

use std::borrow::Cow;

use json_event_parser::{JsonEvent, LowLevelJsonParser};

/// One step through a JSON text. Commas, colons and white space are no steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Open(Bracket),
    Close(Bracket),
    /// The name of a member, escapes resolved.
    Key(Cow<'a, str>),
    /// A string, escapes resolved.
    Text(Cow<'a, str>),
    /// A number, as it is spelt.
    Number(Cow<'a, str>),
    Bool(bool),
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Object,
    Array,
}

impl Token<'_> {
    /// A value without members: what no reader may lose.
    pub(crate) const fn is_leaf(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Number(_) | Self::Bool(_) | Self::Null)
    }
}

/// The tokens of `text`; ends with an error where it is not exactly one JSON value.
pub(crate) struct Tokens<'a> {
    text: &'a [u8],
    parser: LowLevelJsonParser,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Self {
        Self { text, parser: LowLevelJsonParser::new().with_max_stack_size(usize::MAX), at: 0 }
    }

    /// How many bytes have been read.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The next token; `None` at the end of the value.
    ///
    /// # Errors
    /// What is wrong with the text, in the parser's words.
    pub(crate) fn step(&mut self) -> Result<Option<Token<'a>>, String> {
        let step = self.parser.parse_next(&self.text[self.at..], true);
        self.at += step.consumed_bytes;
        let event = step.event.unwrap_or(Ok(JsonEvent::Eof)).map_err(|error| error.to_string())?;
        Ok(Some(match event {
            JsonEvent::String(text) => Token::Text(text),
            JsonEvent::Number(text) => Token::Number(text),
            JsonEvent::Boolean(value) => Token::Bool(value),
            JsonEvent::Null => Token::Null,
            JsonEvent::StartArray => Token::Open(Bracket::Array),
            JsonEvent::EndArray => Token::Close(Bracket::Array),
            JsonEvent::StartObject => Token::Open(Bracket::Object),
            JsonEvent::EndObject => Token::Close(Bracket::Object),
            JsonEvent::ObjectKey(key) => Token::Key(key),
            JsonEvent::Eof => return Ok(None),
        }))
    }
}

/// True where `text` is one JSON value.
pub(crate) fn is_json(text: &[u8]) -> bool {
    let mut tokens = Tokens::of(text);
    loop {
        match tokens.step() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// The text with `\ufffd` for each escaped surrogate that has no partner: RFC 8259 allows them
/// (section 8.2), the witness does not. Our own view of such a string shows U+FFFD there too. The
/// length stays, and so does every place.
pub(crate) fn without_lone_surrogates(text: &[u8]) -> Cow<'_, [u8]> {
    let mut fixed = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &text[at..]) {
        at += next;
        let step = match (surrogate(text, at), surrogate(text, at + 6)) {
            (Some(false), Some(true)) => 12,
            (Some(_), _) => {
                fixed.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (None, _) => 2,
        };
        at = (at + step).min(text.len());
    }
    fixed
}

/// Is there an escaped surrogate, and is it a low one?
fn surrogate(text: &[u8], at: usize) -> Option<bool> {
    let escape = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    match (escape[0], escape[1].to_ascii_lowercase()) {
        (b'd' | b'D', b'8'..=b'9' | b'a'..=b'b') => Some(false),
        (b'd' | b'D', b'c'..=b'f') => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<Token<'_>>, String> {
        let mut tokens = Tokens::of(text.as_bytes());
        std::iter::from_fn(|| tokens.step().transpose()).collect()
    }

    #[test]
    fn a_text_is_its_tokens_in_order() {
        let tokens = all(r#" {"a":[1.0,-0,"\u00e9\n"],"a":{},"b":null} "#).unwrap();
        let leaves = tokens.iter().filter(|token| token.is_leaf()).count();
        assert_eq!((tokens.len(), leaves), (13, 4), "{tokens:?}");
        assert_eq!(tokens[3], Token::Number("1.0".into()));
        assert_eq!(tokens[5], Token::Text("é\n".into()));
        assert_eq!(tokens[7], Token::Key("a".into()));
    }

    #[test]
    fn what_is_not_one_value_is_an_error() {
        for text in ["", "{", "{}{}", "{} x", "01", "[1,]", "\"\\ud800\"", "nul"] {
            assert!(all(text).is_err(), "{text}");
            assert!(!is_json(text.as_bytes()), "{text}");
        }
        assert!(is_json(b"[1,2]"));
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let cases = [
            (r#""\ud83d\ude00 \\ud800 x""#, r#""\ud83d\ude00 \\ud800 x""#),
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\uD800\"""#, r#""\\\ufffd\"""#),
            (r#""cut\ud8"#, r#""cut\ud8"#),
        ];
        for (text, expected) in cases {
            assert_eq!(&*without_lone_surrogates(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn nesting_needs_no_call_depth() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(is_json(deep.as_bytes()));
    }
}
