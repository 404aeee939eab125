//! A request as the answers see it: its path's parts, its query and its headers, decoded.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::HeaderMap;
use catalog::Job;
use tokio::sync::OwnedSemaphorePermit;

use super::access::Caller;

/// A request that passed the guard.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// The parts of the path that the route names, decoded.
    pub(crate) parts: BTreeMap<String, String>,
    /// The path as it was written.
    pub(crate) path: String,
    /// The query, decoded, in its order.
    pub(crate) query: Vec<(String, String)>,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The body; only actions have one.
    pub(crate) body: Vec<u8>,
    /// The one who asks.
    pub(crate) caller: Arc<Caller>,
    /// The work for its answer, which is cancelled when nobody waits for it any more.
    pub(crate) job: Job,
    /// The permit to work, which an answer keeps while it makes pieces.
    pub(crate) _permit: Arc<OwnedSemaphorePermit>,
}

impl Ask {
    /// A part of the path.
    pub(crate) fn part(&self, name: &str) -> &str {
        self.parts.get(name).map_or("", String::as_str)
    }

    /// The last value of a name in the query that is not empty.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut all =
            self.query.iter().rev().filter(|(key, value)| key == name && !value.is_empty());
        all.next().map(|(_, value)| value.as_str())
    }

    /// All values of a name in the query that are not empty.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        let all = self.query.iter().filter(|(key, value)| key == name && !value.is_empty());
        all.map(|(_, value)| value.clone()).collect()
    }

    /// Its address with other values in its query: those with a name in `set` are taken out first.
    pub(crate) fn link(&self, set: &[(&str, Option<&str>)]) -> String {
        let is_kept = |(name, value): &&(String, String)| {
            !value.is_empty() && !set.iter().any(|(other, _)| other == name)
        };
        let kept = self.query.iter().filter(is_kept);
        let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
        let new = set.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let pairs = kept.chain(new);
        let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        let pairs: Vec<String> = pairs.collect();
        match pairs.is_empty() {
            true => self.path.clone(),
            false => format!("{}?{}", self.path, pairs.join("&")),
        }
    }

    /// The word that the pages of a browser repeat to act. A program has none.
    pub(crate) fn word(&self) -> Option<&str> {
        match &*self.caller {
            Caller::Browser(word) => Some(word.text()),
            Caller::Program => None,
        }
    }

    /// A header's value as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// A header's value as text. A header that is there twice has none.
pub(crate) fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let value = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(value)
}

/// Decodes a query or a form.
pub(crate) fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(&key.replace('+', " ")), decoded(&value.replace('+', " ")))
    };
    text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}

/// Decodes `%41`. What is no such sequence stays as it is, and bytes that are not UTF-8 become
/// U+FFFD.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Encodes a text as one part of a path, or as a value in a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    // A part that is only dots would lead to another folder.
    match out.chars().all(|char| char == '.') {
        true => out.replace('.', "%2E"),
        false => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_survives_a_path_and_a_query() {
        for text in ["", "sage:-home-ana/x", "a b+c&d=e%41", "é\u{202e}\u{0}", "..", "%", "%zz"] {
            assert_eq!(decoded(&encoded(text)), text);
            let form = format!("q={}&x", encoded(text));
            assert_eq!(pairs(&form), [("q".into(), text.into()), ("x".into(), String::new())]);
        }
        assert_eq!(pairs("a=1+2&a=%2B"), [("a".into(), "1 2".into()), ("a".into(), "+".into())]);
        assert_eq!(decoded("%ff"), "\u{fffd}");
    }
}
