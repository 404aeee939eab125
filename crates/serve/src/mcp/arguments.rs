//! The arguments of a call: each is read by its name and its kind, and no other is taken.

use rmcp::model::JsonObject;

/// The arguments that a tool knows.
pub(super) struct Arguments<'a> {
    given: &'a JsonObject,
}

/// Greatest number of bytes of a text.
const LONGEST: usize = 4000;

impl<'a> Arguments<'a> {
    /// The arguments of a call.
    ///
    /// # Errors
    /// One has a name that the tool does not know.
    pub(super) fn of(given: &'a JsonObject, known: &[&str]) -> Result<Self, String> {
        match given.keys().all(|name| known.contains(&&**name)) {
            true => Ok(Self { given }),
            false => Err(format!("the arguments of this tool are: {}", known.join(", "))),
        }
    }

    /// A text that has to be given.
    ///
    /// # Errors
    /// It is missing, no text, empty or too long.
    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        let text = self.given.get(name).and_then(serde_json::Value::as_str);
        let fits = |text: &&str| !text.trim().is_empty() && text.len() <= LONGEST;
        text.filter(fits)
            .ok_or_else(|| format!("`{name}` has to be a text of 1 to {LONGEST} bytes"))
    }

    /// A whole number between two others, or `usual` if it is not given.
    ///
    /// # Errors
    /// It is no such number.
    pub(super) fn number(
        &self,
        name: &str,
        (least, most): (u64, u64),
        usual: u64,
    ) -> Result<u64, String> {
        let Some(value) = self.given.get(name) else { return Ok(usual) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("`{name}` has to be a number from {least} to {most}"))
    }

    /// A switch, which is off by default.
    ///
    /// # Errors
    /// It is neither true nor false.
    pub(super) fn is(&self, name: &str) -> Result<bool, String> {
        let Some(value) = self.given.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| format!("`{name}` has to be true or false"))
    }

    /// One of some words, the first if none is given.
    ///
    /// # Errors
    /// It is not one of them.
    pub(super) fn one_of(
        &self,
        name: &str,
        words: &[&'static str],
    ) -> Result<&'static str, String> {
        let Some(value) = self.given.get(name) else { return Ok(words[0]) };
        let word = words.iter().find(|word| value.as_str() == Some(**word));
        word.copied().ok_or_else(|| format!("`{name}` has to be one of {}", words.join(", ")))
    }
}
