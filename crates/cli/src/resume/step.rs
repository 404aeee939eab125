//! Parts of a placement that each way into a store has.

use std::path::PathBuf;

use catalog::ResumePlan;
use store::placing::Placed;

use crate::environment::Environment;
use crate::exit::Failure;

/// Result for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// Its agent wrote it there itself.
    There,
    /// It would be placed.
    Planned,
    /// It was placed.
    Placed,
    /// It had been placed before.
    Before,
    /// It had been placed before, and its agent has continued it.
    Continued,
}

impl Done {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Planned => "planned",
            Self::Placed => "placed",
            Self::Before => "placed-before",
            Self::Continued => "continued",
        }
    }
}

/// The folder of the journal.
pub(super) fn journal(env: &Environment<'_>) -> Result<PathBuf, Failure> {
    let state = env.machine.state().ok_or_else(|| {
        let what = "this user has no home folder for what verbatim has to remember".to_owned();
        Failure::Refused(what, "set XDG_STATE_HOME to a folder".into())
    })?;
    Ok(state.join("placements"))
}

/// The journal's entry of a planned session.
pub(super) fn noted(plan: &ResumePlan, entries: Vec<Placed>) -> Option<Placed> {
    entries.into_iter().find(|entry| entry.agent == plan.agent && entry.id == plan.id)
}

/// The journal's entry of a session that is to be placed.
pub(super) fn entry_of(plan: &ResumePlan) -> Placed {
    let mut entry = Placed::new(plan.agent, &plan.id, &plan.source, &plan.folder);
    entry.from = plan.from.to_owned();
    entry.version = env!("CARGO_PKG_VERSION").to_owned();
    entry.books = plan.books.as_ref().map(|(_, digest)| digest.clone());
    entry
}

/// A program that could not be started.
pub(super) fn not_started(program: &str, error: &std::io::Error) -> Failure {
    Failure::Refused(
        format!("`{program}` could not be started: {error}"),
        format!("install it, or add the folder of `{program}` to PATH"),
    )
}
