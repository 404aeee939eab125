//! The choices that a run writes down: labels, which earlier runs may lack, and patterns.

use std::collections::HashSet;

use super::{Run, SyncOptions};
use crate::machine::MachineName;
use crate::run::{Exclude, Line, SessionName};
use crate::state::Archive;

/// Whether the archive does not know the labels of a machine yet.
pub(super) fn are_new(archive: &Archive, machine: &MachineName) -> bool {
    let has_any = machine.label.is_some() || machine.account.is_some();
    has_any && archive.labelled(machine.clone().without_labels()) != *machine
}

/// The sessions of a machine whose newest version lacks a label that the machine has now.
pub(super) fn lacking(archive: &Archive, machine: &MachineName) -> HashSet<SessionName> {
    let newest = archive.newest().into_iter().filter(|(_, it)| machine.is(&it.machine));
    let lacks = |of: &MachineName| {
        let (has, had) = (machine.labels(), of.labels());
        has.iter().zip(had).any(|(has, had)| has.is_some() && had.is_none())
    };
    newest.filter(|(_, version)| lacks(&version.machine)).map(|(name, _)| name.clone()).collect()
}

impl Run<'_, '_> {
    /// Writes down what the user chose for this run and the later ones.
    pub(super) fn note_choices(&mut self, options: &SyncOptions<'_>, has_new_labels: bool) {
        if has_new_labels {
            self.keeper.begin();
        }
        for (patterns, lifted) in [(options.exclude, false), (options.include, true)] {
            for pattern in patterns.iter().cloned() {
                self.keeper.note(Line::Exclude(Exclude { pattern, lifted }));
            }
        }
    }
}
