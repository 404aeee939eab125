//! The acts of a session, as a list says them: turns, calls, changed lines, and the cost.

use crate::packed::{PackedReader, PackedWriter};

/// The acts of a session, those of its sub-agents too. Counting them needs the whole session, so a
/// list has them only where an index knows them.
///
/// # Example
/// ```
/// let acts = verbatim_catalog::SessionActs { turns: 3, failed: 1, ..Default::default() };
/// assert_eq!(acts.cost, None); // It is not known, which is not the same as $0.00.
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionActs {
    /// The number of turns.
    pub turns: u64,
    /// The number of calls.
    pub calls: u64,
    /// The number of calls that failed.
    pub failed: u64,
    /// The number of lines that its edits inserted.
    pub inserted: usize,
    /// The number of lines that its edits deleted.
    pub deleted: usize,
    /// Its cost in words: `$1.23`, or `$1.23?` if some answers have no price.
    pub cost: Option<Box<str>>,
}

impl SessionActs {
    pub(crate) fn pack(&self, packed: &mut PackedWriter) {
        let Self { turns, calls, failed, inserted, deleted, cost } = self;
        for number in [*turns, *calls, *failed, *inserted as u64, *deleted as u64] {
            packed.number(number);
        }
        packed.text(cost.as_deref());
    }

    pub(crate) fn unpack(packed: &mut PackedReader<'_>) -> Option<Self> {
        Some(Self {
            turns: packed.number()?,
            calls: packed.number()?,
            failed: packed.number()?,
            inserted: usize::try_from(packed.number()?).ok()?,
            deleted: usize::try_from(packed.number()?).ok()?,
            cost: packed.text()?.map(Box::from),
        })
    }
}
