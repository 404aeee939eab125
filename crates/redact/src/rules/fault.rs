//! Faults of rules.

/// The reason why rules can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// A line that is no part of a rule.
    #[error("{file}: line {line}: {why}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
    /// A pattern that can't be used.
    #[error("rule {rule}: {why}")]
    Pattern {
        /// The rule.
        rule: String,
        /// The reason.
        why: String,
    },
}
