//! Totals of the books of a conversion.

use std::collections::BTreeMap;

use session::account::{Cause, Fate};
use session::conversation::{self, TalkContent};
use session::{EventIx, EventRef, Field, Session};

use super::closed::{ClosedBooks, LeafOrigin};
use crate::written::{Carried, Losses};

/// The totals of books: fields of the source, and leaves of the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FateTotals {
    /// Fields that the target has as they are.
    pub carried: u64,
    /// Fields that the target has in another form.
    pub mapped: BTreeMap<Cause, u64>,
    /// Fields of which the target has something, from which they can't be restored.
    pub in_part: BTreeMap<Cause, u64>,
    /// Fields among those that are conversation.
    pub in_part_conversation: u64,
    /// Fields that the target does not have.
    pub dropped: BTreeMap<Cause, u64>,
    /// Fields that are live conversation, as opposed to bookkeeping of the agent, and to what its
    /// next request does not hold.
    pub conversation: u64,
    /// Fields among the dropped ones that are conversation.
    pub dropped_conversation: u64,
    /// Leaves of the target that no field has.
    pub made: BTreeMap<Cause, u64>,
    /// All leaves of the target.
    pub leaves: u64,
}

impl ClosedBooks {
    /// Their totals, by cause.
    #[must_use]
    pub fn totals(&self, session: &Session) -> FateTotals {
        let mut totals = FateTotals::default();
        let mut talk: Option<Talk> = None;
        for (event, field, fate) in self.ledger.fates(session) {
            let known = talk.take().filter(|talk| talk.event == event.index);
            let talk = talk.insert(known.unwrap_or_else(|| Talk::of(event)));
            let is_conversation = u64::from(talk.has(field));
            totals.conversation += is_conversation;
            match fate {
                Fate::Carried => totals.carried += 1,
                Fate::Mapped(cause) => *totals.mapped.entry(cause).or_default() += 1,
                Fate::InPart(cause) => {
                    *totals.in_part.entry(cause).or_default() += 1;
                    totals.in_part_conversation += is_conversation;
                }
                Fate::Dropped(cause) => {
                    *totals.dropped.entry(cause).or_default() += 1;
                    totals.dropped_conversation += is_conversation;
                }
                _ => {}
            }
        }
        for leaf in self.files.iter().flat_map(|file| &file.leaves) {
            totals.leaves += 1;
            if let LeafOrigin::Made(cause) = leaf.origin {
                *totals.made.entry(cause).or_default() += 1;
            }
        }
        totals
    }
}

impl FateTotals {
    /// The totals of a session that its own agent gets with another time, at which it is placed.
    /// Everything else of it stays as it is.
    #[must_use]
    pub fn placed(session: &Session, losses: &Losses) -> Self {
        let count = |fate| losses.iter().filter(|loss| loss.carried == fate).count() as u64;
        let (made, dropped) = (count(Carried::Synthesised), count(Carried::Dropped));
        let fields: u64 = session.events().map(|event| event.fields().len() as u64).sum();
        let one = |count: u64| (count > 0).then_some((Cause::Placed, count)).into_iter().collect();
        Self {
            carried: fields.saturating_sub(dropped),
            dropped: one(dropped),
            made: one(made),
            leaves: fields.saturating_sub(dropped) + made,
            ..Self::default()
        }
    }
}

/// The content of an event that is live conversation.
struct Talk {
    event: EventIx,
    content: Option<TalkContent>,
}

impl Talk {
    fn of(event: EventRef<'_>) -> Self {
        let said = conversation::of(event);
        let content = said.live.then(|| TalkContent::of(event, said.part));
        Self { event: event.index, content }
    }

    fn has(&self, field: Field) -> bool {
        self.content.as_ref().is_some_and(|content| content.has(field))
    }
}
