//! Budget of a session's replay: the cost of any changes is bounded.

/// Remaining budget of a session.
#[derive(Debug)]
pub(super) struct Work {
    /// Bytes to scan, lines to move, and lines to compare.
    steps: usize,
    /// Bytes by which replacements may lengthen texts.
    growth: usize,
}

/// The steps of a session. They suffice for hundreds of edits of long files, and take a few seconds
/// at most.
const STEPS: usize = 1 << 31;

/// The growth of a session, in bytes. Texts that the session holds are not counted: only those that
/// "replace all" makes out of short ones.
const GROWTH: usize = 1 << 20;

/// Cost of a line besides its bytes, in steps: it is allocated and moved by itself.
pub(super) const LINE: usize = 64;

/// The reason why a change is not derived if the budget is used up.
pub(super) const SPENT: &str = "more edits of longer files than can be followed";

impl Default for Work {
    fn default() -> Self {
        Self { steps: STEPS, growth: GROWTH }
    }
}

impl Work {
    /// Spends these steps. If less is left, it spends the rest and fails.
    pub(super) fn take(&mut self, steps: usize) -> Result<(), &'static str> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or_default();
        left.map(drop).ok_or(SPENT)
    }

    /// Whether these steps are left.
    pub(super) fn holds(&self, steps: usize) -> Result<(), &'static str> {
        if steps <= self.steps { Ok(()) } else { Err(SPENT) }
    }

    /// Lengthens a text by these bytes and lines. If less growth is left, it spends nothing and
    /// fails.
    pub(super) fn grow(&mut self, bytes: usize, lines: usize) -> Result<(), &'static str> {
        let cost = lines.saturating_mul(LINE).saturating_add(bytes);
        self.growth = self.growth.checked_sub(cost).ok_or(SPENT)?;
        Ok(())
    }
}
