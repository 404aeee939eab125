//! The facts about the call that wrote a line: its session, its turn, its prompt, its model.

use std::collections::HashMap;

use formats::{told, wrapped};
use meaning::turn;
use session::{EventIx, NO_EVENT, Session, Stream, UtcTime};
use sha2::{Digest as _, Sha256};
use views::transcript::{Detail, Transcript};

/// A turn of a session that wrote lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlameWriter {
    /// The agent.
    pub format: &'static str,
    /// The uid of the session.
    pub uid: String,
    /// The number of the turn, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The model; `None` if unknown.
    pub model: Option<String>,
    /// Its provider; `None` if unknown.
    pub provider: Option<String>,
    /// The beginning of the prompt.
    pub prompt: Option<String>,
    /// The time of the edit.
    pub time: Option<UtcTime>,
    /// The address of the call.
    pub address: String,
}

impl BlameWriter {
    /// 40 hexadecimal digits that identify the session and the turn.
    #[must_use]
    pub fn digits(&self) -> String {
        let digest = Sha256::digest(format!("{}\n{}", self.uid, self.turn));
        digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Greatest number of characters of a prompt that is kept.
const PROMPT: usize = 120;

/// The turns of a session, by its events.
pub(super) struct Turns<'s> {
    session: &'s Session,
    /// The prompts that begin turns, in their order.
    begins: Vec<EventIx>,
    /// The turns of the calls of sub-agents, which are where they were started.
    of_agents: Option<HashMap<EventIx, u64>>,
}

impl<'s> Turns<'s> {
    pub(super) fn of(session: &'s Session) -> Self {
        let begins = session.top().filter(|event| turn::opens(*event));
        Self { session, begins: begins.map(|event| event.index).collect(), of_agents: None }
    }

    /// The number of the turn of an event.
    pub(super) fn turn(&mut self, event: EventIx) -> u64 {
        let mut top = self.session.event(event);
        while top.parent != NO_EVENT {
            top = self.session.event(top.parent);
        }
        if *top.stream() == Stream::Main {
            return self.begins.partition_point(|begin| *begin <= top.index) as u64;
        }
        let of_agents = self.of_agents.get_or_insert_with(|| {
            let items = Transcript::of(self.session, Detail::Whole);
            items.map(|item| (item.event.index, item.turn)).collect()
        });
        of_agents.get(&event).copied().unwrap_or_default()
    }

    /// The first words of the prompt of a turn, on one line.
    pub(super) fn prompt(&self, turn: u64) -> Option<String> {
        let at = usize::try_from(turn).ok()?.checked_sub(1)?;
        let said = told::text(self.session.event(*self.begins.get(at)?));
        let own = wrapped::unwrapped(self.session.format, &said).own;
        let words = own.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut = words.char_indices().nth(PROMPT).map(|(end, _)| end);
        let words = cut.map_or(words.clone(), |end| format!("{}…", &words[..end]));
        (!words.is_empty()).then_some(words)
    }
}
