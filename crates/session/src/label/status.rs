//! Status words: the words of a format that say how a tool's call ended.

/// How a tool's call went, as far as its result tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tool did what it was asked to.
    Good,
    /// It failed.
    Failed,
    /// The person, or a rule, did not let it run.
    Declined,
    /// It ran, and was stopped before its end.
    Incomplete,
}

impl Outcome {
    /// True where the tool did not do, or not all of, what it was asked to.
    #[must_use]
    pub fn is_bad(self) -> bool {
        self != Self::Good
    }
}

/// The status words of one format, as it writes them. A word that is in no list says nothing.
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
    /// The outcome that the text of an answer tells, where the result has no other sign of it.
    pub told: fn(&str) -> Option<Outcome>,
    /// Formats whose words are these too: a document holds sessions of other agents.
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
        others: &[],
    };

    /// The outcome that a word names: `None` for a word that is not known, `Some(None)` where the
    /// call has not ended.
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
