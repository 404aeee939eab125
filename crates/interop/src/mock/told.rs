//! The mock's answers, each with token counts that no other answer has.

use serde_json::{Value, json};

/// Token counts of an answer, as its protocol reports them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tokens {
    /// Prompt tokens, without cache reads and writes.
    pub fresh: u64,
    /// Prompt tokens read from a cache.
    pub cache_read: u64,
    /// Prompt tokens written to a cache; only one protocol reports them.
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Reasoning tokens, contained in `output`; some protocols don't report them.
    pub reasoning: u64,
}

impl Tokens {
    /// The token counts of an answer. Each has its own power of two, so a sum shows which answers
    /// were counted.
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

    /// All prompt tokens.
    pub(crate) fn prompt(self) -> u64 {
        self.fresh + self.cache_read + self.cache_write
    }

    /// All tokens.
    pub(crate) fn total(self) -> u64 {
        self.prompt() + self.output
    }
}

/// One recorded answer.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Its number in the run, from 1.
    pub number: usize,
    /// Its token counts, as far as they were sent.
    pub tokens: Tokens,
    /// Its text. One word of it occurs in no other text.
    pub text: String,
    /// Its script and step; `None` for a request outside a script.
    pub part: Option<(String, usize)>,
    /// Number of its tool calls.
    pub calls: usize,
    /// Number of turns in its request.
    pub turns: usize,
}

impl Told {
    /// The name of its script.
    pub(crate) fn script(&self) -> Option<&str> {
        self.part.as_ref().map(|(script, _)| script.as_str())
    }

    /// The word that occurs in no other answer.
    pub(crate) fn word(&self) -> String {
        format!("told{:03}word", self.number)
    }

    /// The JSON for the log of the run.
    pub(crate) fn to_json(&self) -> Value {
        let Tokens { fresh, cache_read, cache_write, output, reasoning } = self.tokens;
        let part = self.part.as_ref().map(|(script, step)| json!({"script": script, "step": step}));
        json!({
            "number": self.number, "part": part, "text": self.text, "input": fresh,
            "cache_read": cache_read, "cache_write": cache_write, "output": output,
            "reasoning": reasoning, "calls": self.calls,
        })
    }
}
