//! What the mock told: each answer with numbers that no other answer has.

use serde_json::{Value, json};

/// What an answer cost, as its protocol reports it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tokens {
    /// The prompt, without what a cache gave or took.
    pub fresh: u64,
    /// Of the prompt, what a cache gave.
    pub cache_read: u64,
    /// Of the prompt, what a cache took; only one protocol tells it.
    pub cache_write: u64,
    /// What the model wrote, thoughts included.
    pub output: u64,
    /// Of that, thoughts; some protocols don't tell it.
    pub reasoning: u64,
}

impl Tokens {
    /// The numbers of an answer. A sum of them tells which answers were counted, because each
    /// has a power of two of its own in it.
    pub(crate) fn of(number: usize) -> Self {
        let bit = 1_u64 << number.min(15);
        Self {
            fresh: 10_000 + bit + 31 * number.saturating_sub(15) as u64,
            cache_read: 2_003 + 101 * number as u64,
            cache_write: 0,
            output: 307 + 13 * number as u64,
            reasoning: 41 + 3 * number as u64,
        }
    }

    /// The whole prompt.
    pub(crate) fn prompt(self) -> u64 {
        self.fresh + self.cache_read + self.cache_write
    }

    /// All of it.
    pub(crate) fn total(self) -> u64 {
        self.prompt() + self.output
    }
}

/// One answer that was told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Which one of the run, from 1.
    pub number: usize,
    /// What it cost, as far as it was told.
    pub tokens: Tokens,
    /// Its text, which has a word that no other text has.
    pub text: String,
    /// The script and step that it followed; nothing where the agent asked for something aside.
    pub part: Option<(String, usize)>,
    /// How many tools it calls.
    pub calls: usize,
    /// How many parts the conversation had that was sent.
    pub turns: usize,
}

impl Told {
    /// The script that it followed.
    pub(crate) fn script(&self) -> Option<&str> {
        self.part.as_ref().map(|(script, _)| script.as_str())
    }

    /// The word that stands in no other answer.
    pub(crate) fn word(&self) -> String {
        format!("told{:03}word", self.number)
    }

    /// For the file beside the run.
    pub(crate) fn to_json(&self) -> Value {
        let Tokens { fresh, cache_read, cache_write, output, reasoning } = self.tokens;
        let part = self.part.as_ref().map(|(script, step)| json!({"script": script, "step": step}));
        json!({
            "number": self.number, "part": part, "text": self.text, "input": fresh,
            "cache_read": cache_read, "cache_write": cache_write, "output": output,
            "reasoning": reasoning,
        })
    }
}
