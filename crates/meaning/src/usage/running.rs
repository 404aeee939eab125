//! The state of a stream: facts that its events tell of the answers after them.

use session::{EventRef, Kind, Scan, Slot, Slots, value};

use super::{Convention, Terms, Tokens};
use crate::identity::{Key, digest};

/// State of a stream so far.
#[derive(Default)]
pub(super) struct Running<'s> {
    pub(super) model: Option<String>,
    pub(super) terms: Terms,
    branch: Option<&'s [u8]>,
    /// The last running total.
    pub(super) total: Option<Tokens>,
    /// Digests of the texts that were said since the last answer was counted.
    said: Vec<u64>,
    /// The reader of what was said.
    scan: Scan,
    /// Whether its running total may continue that of another file or thread, whose usage the
    /// first total then includes.
    pub(super) goes_on: bool,
}

impl<'s> Running<'s> {
    /// Takes what an event says of the answers from it on.
    pub(super) fn take(&mut self, (event, slots): (EventRef<'s>, Slots), convention: Convention) {
        if convention.forks_copy {
            self.hear(event);
        }
        if (slots.has(Slot::Model) || !event.case.constants.is_empty())
            && let Some(model) = event.text(Slot::Model)
        {
            self.model = Some(model.into_owned());
        }
        if slots.has(Slot::Branch) {
            self.branch = event.raw(Slot::Branch);
        }
        const BEFORE: [Slot; 3] = [Slot::Base, Slot::ParentSession, Slot::SpawnedBy];
        self.goes_on |= event.kind == Kind::Notice && BEFORE.iter().any(|slot| slots.has(*slot));
    }

    /// Takes what an answer says and calls: each text once, since an agent may write it twice.
    fn hear(&mut self, event: EventRef<'s>) {
        if !matches!(event.kind, Kind::Assistant | Kind::ToolCall) {
            return;
        }
        for raw in [Slot::Content, Slot::Call].into_iter().filter_map(|slot| event.raw(slot)) {
            let text = digest(value::said_by(raw, &mut self.scan).trim());
            if !self.said.contains(&text) {
                self.said.push(text);
            }
        }
    }

    /// The identity of all that was said since the last answer was counted, if anything was.
    pub(super) fn heard(&mut self) -> Option<Key> {
        let count = self.said.len();
        // In any order: a copy may have another one.
        let sum = self.said.drain(..).fold(0, u64::wrapping_add);
        (count > 0).then(|| Key::of((sum, count)))
    }

    pub(super) fn branch(&self) -> Option<String> {
        let name = value::text(self.branch?)?;
        (!name.is_empty()).then(|| name.into_owned())
    }
}
