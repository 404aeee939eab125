//! Answers that only older versions of sessions in the archive hold: they were written over.

use operations::filter::Filter;
use operations::usage::Spent;
use operations::usage::spending::older_versions;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human;

/// The tokens and answers that no newest version has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Older {
    pub(super) answers: u64,
    pub(super) tokens: u64,
}

impl Older {
    /// Those of the archive that the filter takes; `None` if there are none.
    /// Whoever names sessions or folders wants to know what is in them.
    pub(super) fn of(
        filter: &Filter,
        is_named: bool,
        env: &Environment<'_>,
    ) -> Result<Option<Self>, Failure> {
        let Some(archive) = env.machine.archive.as_ref().filter(|_| !is_named) else {
            return Ok(None);
        };
        let takes = |spent: &Spent<'_>| filter.takes_spent(spent);
        let older = older_versions(&env.machine.job, archive.rewritten(), &takes)?;
        Ok(older.map(|(answers, tokens)| Self { answers, tokens }))
    }

    /// The lines below the sums, behind a first one.
    pub(super) fn lines(older: Option<Self>, first: Option<String>) -> Vec<String> {
        first.into_iter().chain(older.map(Self::line)).collect()
    }

    fn line(self) -> String {
        let answers = human::counted(self.answers, "answer", "answers");
        let tokens = human::count(self.tokens);
        format!(
            "not in these sums: {tokens} tokens of {answers} that only older versions in the \
             archive hold"
        )
    }
}
