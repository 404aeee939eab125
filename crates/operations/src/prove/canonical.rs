//! JSON values in one spelling, by the independent parser: for comparing values however deep they
//! are nested, without call depth and at a cost that grows with their length.

use std::ops::Range;

use evidence::witness::{JsonTokens, Token, readable};
use session::Span;

/// A JSON value without white space, in one spelling of its texts. Numbers, repeated names and the
/// order of members stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Canonical {
    bytes: Vec<u8>,
    /// The members of an object: the name of each, and the bytes of its value.
    members: Option<Vec<(String, Range<usize>)>>,
    /// The text that the value is.
    text: Option<String>,
}

impl Canonical {
    /// The value of a JSON text; `None` if it is not exactly one, or has half of a surrogate pair.
    pub(super) fn of(json: &[u8]) -> Option<Self> {
        let mut tokens = JsonTokens::of(json);
        let (mut own, mut depth) = (Self::default(), 0_usize);
        // Whether a comma is due before the next element or name.
        let mut further = false;
        while let Some(token) = tokens.step().ok()? {
            let closes = matches!(token, Token::Close(_));
            if further && !closes {
                own.bytes.push(b',');
            }
            further = !matches!(token, Token::Key(_) | Token::Open(_));
            own.begin(&token, depth);
            match token {
                Token::Open(bracket) => {
                    own.bytes.push(bracket.open());
                    depth += 1;
                }
                Token::Close(bracket) => {
                    own.bytes.push(bracket.close());
                    depth -= 1;
                }
                Token::Key(name) => {
                    quote(name, &mut own.bytes);
                    own.bytes.push(b':');
                }
                Token::Text(text) => quote(text, &mut own.bytes),
                Token::Number(number) => own.bytes.extend_from_slice(number),
                Token::Bool(true) => own.bytes.extend_from_slice(b"true"),
                Token::Bool(false) => own.bytes.extend_from_slice(b"false"),
                Token::Null => own.bytes.extend_from_slice(b"null"),
            }
            own.end(depth);
        }
        Some(own)
    }

    /// Notes the beginning of a member of the outermost object, or the text that the value is.
    fn begin(&mut self, token: &Token<'_>, depth: usize) {
        match (token, depth) {
            (Token::Close(_), _) => {}
            (Token::Open(bracket), 0) if bracket.open() == b'{' => self.members = Some(Vec::new()),
            (Token::Text(text), 0) => self.text = Some((*text).to_owned()),
            (Token::Key(name), 1) => {
                let members = self.members.get_or_insert_default();
                members.push(((*name).to_owned(), 0..0));
            }
            (_, 1) => {
                let at = self.bytes.len();
                if let Some((_, range)) = self.members.as_mut().and_then(|all| all.last_mut()) {
                    *range = at..at;
                }
            }
            _ => {}
        }
    }

    /// Notes the end of a member of the outermost object.
    fn end(&mut self, depth: usize) {
        let at = self.bytes.len();
        if depth == 1
            && let Some((_, range)) = self.members.as_mut().and_then(|all| all.last_mut())
        {
            range.end = at;
        }
    }

    /// The text that it is.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The members of an object, each as its value in this spelling.
    pub(super) fn members(&self) -> Option<impl Iterator<Item = (&str, &[u8])>> {
        let members = self.members.as_ref()?;
        Some(members.iter().map(|(name, range)| (&**name, &self.bytes[range.clone()])))
    }

    /// Whether it is the value with this spelling.
    pub(super) fn is(&self, spelt: &[u8]) -> bool {
        self.bytes == spelt
    }
}

fn quote(text: &str, out: &mut Vec<u8>) {
    session::value::quote(text, out);
}

/// The places of the leaves of JSON texts one after the other: scalars and empty containers.
///
/// # Errors
/// The fault of the text, in the parser's words.
pub(super) fn leaves(text: &str) -> Result<Vec<Span>, String> {
    let (mut found, mut from) = (Vec::new(), 0);
    let readable = readable(text.as_bytes());
    let span = |start: usize, end: usize| {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span::new(place(start), place(end))
    };
    while !text[from..].trim_start().is_empty() {
        let mut tokens = JsonTokens::readable(&readable[from..], &text.as_bytes()[from..]);
        // The place of the container that has just begun.
        let mut begun = None;
        loop {
            let token = tokens.step().map_err(|error| error.to_string())?;
            let Some(token) = token else { break };
            let (is_leaf, opens) = (token.is_leaf(), matches!(token, Token::Open(_)));
            let closes = matches!(token, Token::Close(_));
            let (start, end) = (from + tokens.start(), from + tokens.at());
            match begun.take() {
                Some(open) if closes => found.push(span(open, end)),
                _ if is_leaf => found.push(span(start, end)),
                _ => begun = opens.then_some(start),
            }
            if tokens.is_complete() {
                break;
            }
        }
        from += tokens.at();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_spelling() {
        let of = |json: &str| Canonical::of(json.as_bytes());
        let spelt = of(r#" { "a" : [ 1.0 , "\u00e9" , {} , [ ] ] , "b" : null } "#).expect("JSON");
        assert!(spelt.is("{\"a\":[1.0,\"é\",{},[]],\"b\":null}".as_bytes()));
        let members: Vec<_> = spelt.members().expect("an object").collect();
        assert_eq!(members, [("a", "[1.0,\"é\",{},[]]".as_bytes()), ("b", b"null")]);
        assert_eq!(of(r#""a\n""#).expect("JSON").text(), Some("a\n"));
        assert!(of("[1]").expect("JSON").members().is_none());
        for other in [r#"{"a":1} x"#, r#""\ud800""#, "", "[1,]"] {
            assert_eq!(of(other), None, "{other}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(of(&deep).expect("JSON").is(deep.as_bytes()));
    }

    #[test]
    fn the_leaves_are_scalars_and_empty_containers() {
        let text = "{\"a\":[1, {}],\"b\":\"x\"}\n[ ] true\n";
        let found = leaves(text).expect("JSON");
        let found: Vec<&[u8]> = found.iter().map(|span| span.of(text.as_bytes())).collect();
        assert_eq!(found, [&b"1"[..], b"{}", b"\"x\"", b"[ ]", b"true"]);
        assert!(leaves("{\"a\":1}\n{\"a\"").is_err());
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(leaves(&deep).expect("JSON").len(), 1);
    }
}
