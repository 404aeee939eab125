//! The columns of a list on a terminal.

use catalog::Entry;
use views::transcript::counts_of;

use crate::human;

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Agent,
    Project,
    Title,
    Age,
    Size,
    Turns,
    Failed,
    Changed,
    Cost,
    Id,
}

impl Column {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Agent => "AGENT",
            Self::Project => "PROJECT",
            Self::Title => "TITLE",
            Self::Age => "AGE",
            Self::Size => "SIZE",
            Self::Turns => "TURNS",
            Self::Failed => "FAILED",
            Self::Changed => "CHANGED",
            Self::Cost => "COST",
            Self::Id => "ID",
        }
    }

    pub(super) const fn is_right(self) -> bool {
        !matches!(self, Self::Agent | Self::Project | Self::Title | Self::Id)
    }

    /// The columns of a table. Without the whole sessions, only an index knows what was done.
    pub(super) fn of(entries: &[Entry], turns: bool, width: usize) -> Vec<Self> {
        let has_acts = entries.iter().any(|entry| entry.acts.is_some()) && width >= WIDE;
        let columns = [
            (Self::Agent, true),
            (Self::Project, width >= PLACED),
            (Self::Title, true),
            (Self::Age, true),
            (Self::Size, width >= SIZED && !has_acts),
            (Self::Turns, turns || has_acts),
            (Self::Failed, has_acts),
            (Self::Changed, has_acts && width >= WIDEST),
            (Self::Cost, has_acts),
            (Self::Id, true),
        ];
        columns.into_iter().filter(|(_, is_shown)| *is_shown).map(|(column, _)| column).collect()
    }

    /// The acts of a session that this column says. The text is empty if they are unknown.
    pub(super) fn acts(self, entry: &Entry) -> String {
        let Some(acts) = entry.acts.as_deref() else { return String::new() };
        match self {
            Self::Failed if acts.failed > 0 => human::count(acts.failed),
            Self::Changed => counts_of(acts.inserted, acts.deleted).unwrap_or_default(),
            Self::Cost => acts.cost.as_deref().unwrap_or_default().to_owned(),
            _ => String::new(),
        }
    }
}

/// Widths from which on a terminal has room for the size, and for the project.
const SIZED: usize = 90;
const PLACED: usize = 76;
/// Widths from which on it has room for longer ids and acts, and for all acts.
pub(super) const WIDE: usize = 100;
const WIDEST: usize = 120;
/// Greatest width of an id beside the other columns of a narrow terminal.
pub(super) const NARROW: usize = 18;
