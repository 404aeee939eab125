//! Groups of usages: by day, week, month, block of hours, project, branch, session, model or agent.

use session::Sorting as _;
use session::UtcTime;

use super::{Counted, Spent};

/// The key by which usages are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The day.
    Day,
    /// The week, by its Monday.
    Week,
    /// The month.
    Month,
    /// A block of five hours, in which the plans of some providers limit usage.
    Block,
    /// The folder of the project.
    Project,
    /// The branch of version control.
    Branch,
    /// The session.
    Session,
    /// The model.
    Model,
    /// The agent.
    Agent,
}

impl By {
    /// The name of the key: `day`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Block => "block",
            Self::Project => "project",
            Self::Branch => "branch",
            Self::Session => "session",
            Self::Model => "model",
            Self::Agent => "agent",
        }
    }

    /// Whether the groups are spans of time.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month | Self::Block)
    }
}

/// The offset of a time zone from UTC at a time, in seconds east.
pub type Offset<'z> = &'z dyn Fn(UtcTime) -> i32;

/// The name of the group of each usage.
pub struct Grouping<'z> {
    by: By,
    offset: Offset<'z>,
    /// The beginnings of the blocks, in their order.
    blocks: Vec<UtcTime>,
}

impl std::fmt::Debug for Grouping<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Grouping").field(&self.by).finish()
    }
}

/// The name of the group of usages of which the key is not known.
pub const UNKNOWN: &str = "unknown";

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;
/// The length of a block. It begins with the full hour of its first answer.
pub const BLOCK: i64 = 5 * HOUR;

impl<'z> Grouping<'z> {
    /// Groups by a key, with days of a time zone. Blocks are those of the counted usages.
    pub fn of<'u>(by: By, offset: Offset<'z>, spent: impl IntoIterator<Item = Spent<'u>>) -> Self {
        let mut grouping = Self { by, offset, blocks: Vec::new() };
        if by == By::Block {
            let counted = spent.into_iter().filter(|spent| spent.counted == Counted::Yes);
            grouping.blocks = blocks(counted.filter_map(|spent| spent.time).collect());
        }
        grouping
    }

    /// The name of the group that a usage belongs to.
    #[must_use]
    pub fn name(&self, spent: &Spent<'_>) -> String {
        let named = match self.by {
            By::Session => Some(format!("{}:{}", spent.format, spent.session)),
            By::Agent => Some(spent.format.to_owned()),
            By::Model => spent.model.map(str::to_owned),
            By::Project => spent.folder.map(str::to_owned),
            By::Branch => spent.branch.map(str::to_owned),
            _ => spent.time.and_then(|time| self.span(time)),
        };
        named.unwrap_or_else(|| UNKNOWN.into())
    }

    /// The name of the group of a time, where the groups are spans of time.
    #[must_use]
    pub fn day(&self, time: UtcTime) -> Option<String> {
        self.by.is_time().then(|| self.span(time)).flatten()
    }

    /// The name of the span of time that a time is in.
    fn span(&self, time: UtcTime) -> Option<String> {
        let begin = match self.by {
            By::Block => {
                let after = self.blocks.partition_point(|begin| *begin <= time);
                *self.blocks.get(after.checked_sub(1)?)?
            }
            _ => time,
        };
        let local = begin.0.checked_add(i64::from((self.offset)(begin)) * SECOND)?;
        let day = local.div_euclid(DAY);
        // 1970-01-01 was a Thursday.
        let monday = day - (day + 3).rem_euclid(7);
        let text = UtcTime(if self.by == By::Week { monday * DAY } else { local }).millis();
        match self.by {
            By::Month => text.get(..7).map(str::to_owned),
            By::Block => Some(format!("{} {}", text.get(..10)?, text.get(11..16)?)),
            _ => text.get(..10).map(str::to_owned),
        }
    }
}

/// The beginnings of the blocks that these times are in: a block begins with the full hour of the
/// first answer after the block before has ended.
#[must_use]
pub fn blocks(mut times: Vec<UtcTime>) -> Vec<UtcTime> {
    times.in_order();
    let mut begins: Vec<UtcTime> = Vec::new();
    for time in times {
        if begins.last().is_none_or(|begin| time.0.saturating_sub(begin.0) >= BLOCK) {
            begins.push(UtcTime(time.0.div_euclid(HOUR) * HOUR));
        }
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> UtcTime {
        UtcTime::of_text(text).unwrap()
    }

    #[test]
    fn a_time_is_in_the_day_week_month_and_block_of_the_zone() {
        let east = |_: UtcTime| 9 * 3600;
        let span = |by, text: &str| {
            let blocks = blocks(vec![time("2026-03-01T14:59:00Z"), time("2026-03-01T20:10:00Z")]);
            Grouping { by, offset: &east, blocks }.span(time(text)).unwrap()
        };
        assert_eq!(span(By::Day, "2026-03-01T14:59:00Z"), "2026-03-01");
        assert_eq!(span(By::Day, "2026-03-01T15:00:00Z"), "2026-03-02");
        // The second of March 2026 is a Monday.
        assert_eq!(span(By::Week, "2026-03-01T14:59:00Z"), "2026-02-23");
        assert_eq!(span(By::Week, "2026-03-01T15:00:00Z"), "2026-03-02");
        assert_eq!(span(By::Month, "2026-02-28T15:00:00Z"), "2026-03");
        assert_eq!(span(By::Block, "2026-03-01T18:59:59Z"), "2026-03-01 23:00");
        assert_eq!(span(By::Block, "2026-03-01T20:10:00Z"), "2026-03-02 05:00");
    }
}
