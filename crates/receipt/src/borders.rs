//! Effects on the machine: commands, changes of files, approvals.

use formats::calls;
use formats::tools::Common;
use formats::turns::{Border, Told};
use meaning::conversation::{self, TalkPart};
use session::{EventRef, Outcome, Slot};

use crate::split::{SessionTurns, text};

/// The commands and the changes of files of a turn, by the table of the agent's tools. A call that
/// was not allowed does not count.
pub(crate) fn effects(turns: &SessionTurns<'_>, said: &[EventRef<'_>]) -> (Told<u64>, Told<u64>) {
    let (mut commands, mut changes) = (0, 0);
    for call in said.iter().filter(|event| conversation::of(**event).part == TalkPart::Call) {
        let result = turns.calls.result(call.index).map(|result| turns.session.event(result));
        if result.and_then(EventRef::outcome) == Some(Outcome::Declined) {
            continue;
        }
        match calls::of(*call).map(|tool| tool.common) {
            Some(Common::Shell) => commands += 1,
            Some(
                Common::Write | Common::Edit | Common::Patch | Common::Notebook | Common::Delete,
            ) => changes += 1,
            _ => {}
        }
    }
    (Told::Value(commands), Told::Value(changes))
}

/// Approvals and the sandbox, in the order of [`Border::ALL`].
pub(crate) fn borders(
    turns: &SessionTurns<'_>,
    number: usize,
    said: &[EventRef<'_>],
) -> [Told<u64>; 4] {
    let told: Vec<Border> = turns.events(number).filter_map(turns.rules.border).collect();
    let statuses = turns.session.statuses;
    let declined = said.iter().filter(|event| {
        text(**event, Slot::Status).and_then(|word| statuses.outcome(&word)).flatten()
            == Some(Outcome::Declined)
    });
    let declined = declined.count() as u64;
    Border::ALL.map(|kind| {
        let count = told.iter().filter(|border| **border == kind).count() as u64;
        let typed = turns.rules.borders.contains(&kind);
        match kind {
            Border::Denied if !typed && !statuses.declined.is_empty() => Told::Value(declined),
            _ if typed => Told::Value(count),
            _ => Told::Unavailable("the agent keeps no record of it"),
        }
    })
}
