//! Status words: a format's words for the outcome of a tool's call.

/// Outcome of a tool's call, as far as its result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The tool succeeded.
    Good,
    /// It failed.
    Failed,
    /// The person, or a rule, did not allow it.
    Declined,
    /// It ran, and was stopped before its end.
    Incomplete,
}

impl Outcome {
    /// Whether the tool did not succeed, or not completely.
    #[must_use]
    pub fn is_bad(self) -> bool {
        self != Self::Good
    }
}

/// The status words of one format. Any other word has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Statuses {
    /// [`Outcome::Good`].
    pub good: &'static [&'static str],
    /// [`Outcome::Failed`].
    pub failed: &'static [&'static str],
    /// [`Outcome::Declined`].
    pub declined: &'static [&'static str],
    /// [`Outcome::Incomplete`].
    pub incomplete: &'static [&'static str],
    /// The call has not ended.
    pub open: &'static [&'static str],
    /// The outcome in the text of an answer, if the result has no other sign of it.
    pub told: fn(&str) -> Option<Outcome>,
    /// Whether the text of an answer is the agent's own fixed text for a call that was not allowed.
    pub refused: fn(&str) -> bool,
    /// Whether the text of an answer says that the call was stopped while it ran, though it has the
    /// signs of one that was not allowed.
    pub stopped: fn(&str) -> bool,
    /// Members of the line around an answer, each with the text that says that the call was not
    /// allowed. An empty text is any.
    pub refused_by: &'static [(&'static str, &'static str)],
    /// Formats whose words are included: a document has sessions of other agents.
    pub others: &'static [&'static Statuses],
}

impl Statuses {
    /// A format without status words.
    pub const NONE: Statuses = Statuses {
        good: &[],
        failed: &[],
        declined: &[],
        incomplete: &[],
        open: &[],
        told: |_| None,
        refused: |_| false,
        stopped: |_| false,
        refused_by: &[],
        others: &[],
    };

    /// The outcome of a word: `None` for an unknown word, `Some(None)` if the call has not ended.
    #[must_use]
    #[allow(clippy::option_option)]
    pub fn outcome(&self, word: &str) -> Option<Option<Outcome>> {
        let lists = [
            (self.good, Some(Outcome::Good)),
            (self.failed, Some(Outcome::Failed)),
            (self.declined, Some(Outcome::Declined)),
            (self.incomplete, Some(Outcome::Incomplete)),
            (self.open, None),
        ];
        let own = lists.into_iter().find(|(words, _)| words.contains(&word));
        let other = || self.others.iter().find_map(|other| other.outcome(word));
        own.map(|(_, outcome)| outcome).or_else(other)
    }
}
