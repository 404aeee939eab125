//! Continuing a session: a rollout in the folder of its day (`FORMAT.md`).

use crate::resume::{Resume, StoreEntry, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreEntry::Files(|_, name| {
        let name = last_part(name);
        let mut day = name.strip_prefix("rollout-")?.split(['-', 'T']);
        let mut number = |length| {
            let part = day.next()?;
            let is_number = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
            is_number.then_some(part)
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        Some(format!("sessions/{year}/{month}/{day}/{name}"))
    }),
    command: |at| Some(words(&["codex", "resume", at.id])),
};
