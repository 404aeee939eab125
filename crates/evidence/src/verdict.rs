//! Verdicts on claims.

/// Verdict on a claim, such as "this document follows its schema".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<W> {
    /// The claim holds.
    Good,
    /// The claim does not hold: the reasons.
    Bad(W),
    /// The claim can't be decided: the reason, in words for people.
    Unknown(String),
}

impl<W> Verdict<W> {
    /// Whether the claim holds.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        matches!(self, Self::Good)
    }

    /// The reasons why the claim does not hold.
    #[must_use]
    pub const fn bad(&self) -> Option<&W> {
        match self {
            Self::Bad(reasons) => Some(reasons),
            Self::Good | Self::Unknown(_) => None,
        }
    }
}
