//! Values that are none, whatever the rule: references, and what somebody wrote in place of one.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::fault::RulesError;
use super::{random, regex, words};

/// The patterns of all files of rules.
#[derive(Debug, Default)]
pub(super) struct Never {
    /// Those of values that are none.
    whole: Patterns,
    /// Those of parts which say that the value is an example.
    examples: Patterns,
}

/// Patterns that are compiled when they are first used.
#[derive(Debug, Default)]
struct Patterns {
    texts: Vec<String>,
    compiled: OnceLock<Result<Vec<Regex>, regex::Error>>,
}

impl Patterns {
    fn all(&self) -> Result<&[Regex], RulesError> {
        let compile = || self.texts.iter().map(|text| regex(text)).collect();
        self.compiled.get_or_init(compile).as_deref().map_err(|error| RulesError::Pattern {
            rule: "of all rules".into(),
            why: error.to_string(),
        })
    }
}

impl Never {
    /// Adds the patterns of a file.
    pub(super) fn add(&mut self, whole: Vec<String>, examples: Vec<String>) {
        self.whole.texts.extend(whole);
        self.examples.texts.extend(examples);
    }

    /// Whether a value can be left out.
    pub(super) fn holds(&self, value: &[u8]) -> Result<bool, RulesError> {
        if self.whole.all()?.iter().any(|pattern| pattern.is_match(value)) {
            return Ok(true);
        }
        let examples = self.examples.all()?;
        if !examples.iter().any(|pattern| pattern.is_match(value)) {
            return Ok(false);
        }
        let without = |left: Vec<u8>, of: &Regex| of.replace_all(&left, &b""[..]).into_owned();
        Ok(!is_made(&examples.iter().fold(value.to_vec(), without)))
    }
}

/// Whether what is left of an example was made by chance, or mixes kinds of characters as a
/// password does: then a word in it says nothing.
fn is_made(left: &[u8]) -> bool {
    let kinds = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let is_mixed = left.len() >= 8 && kinds.iter().all(|kind| left.iter().any(kind));
    (random::is_random(left) || is_mixed) && !words::is_placeholder(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_an_example_is_believed_of_the_whole_value() {
        let mut never = Never::default();
        let word = "(?i)(?:example|dummy|redacted)".to_owned();
        never.add(vec!["^none$".into()], vec![word, "^x{3,}".into()]);
        let holds = |value: &str| never.holds(value.as_bytes()).expect("patterns");
        for value in
            ["none", "example", "dummy-password-1", "my_example_key", "xxxxxxxx", "XXexamp1e"]
        {
            assert_eq!(holds(value), value != "XXexamp1e", "{value}");
        }
        let made = ["Qz7", "wK2", "mRt9"].concat();
        for head in ["example-", "dummy", "Redacted", "xxx", "a-dummy-"] {
            assert!(!holds(&format!("{head}{made}")), "{head}");
        }
        assert!(!holds(&format!("{made}example")));
    }
}
