//! Budget of a session's replay, which bounds the cost of any changes.

/// Remaining budget of a session.
#[derive(Debug)]
pub(super) struct Work {
    /// Bytes to scan, lines to move, and lines to compare, as steps.
    steps: usize,
    /// Bytes by which replacements may lengthen texts.
    growth: usize,
}

/// Steps of a session. They suffice for hundreds of edits of long files, and take at most a few
/// seconds.
const STEPS: usize = 1 << 31;

/// Growth of texts in a session, in bytes. Texts that the session contains do not count, only
/// repeated insertions by "replace all".
const GROWTH: usize = 1 << 20;

/// Steps of a line in addition to its bytes, because each line is allocated and moved separately.
pub(super) const LINE: usize = 64;

/// The reason why a change is not derived if the budget is used up.
pub(super) const SPENT: &str = "too many edits of long files to follow";

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

    /// Checks that these steps are left, without spending them.
    pub(super) fn holds(&self, steps: usize) -> Result<(), &'static str> {
        if steps <= self.steps { Ok(()) } else { Err(SPENT) }
    }

    /// Spends growth for these bytes and lines. If less is left, it spends nothing and fails.
    pub(super) fn grow(&mut self, bytes: usize, lines: usize) -> Result<(), &'static str> {
        let cost = lines.saturating_mul(LINE).saturating_add(bytes);
        self.growth = self.growth.checked_sub(cost).ok_or(SPENT)?;
        Ok(())
    }
}
