//! Totals of the books of a conversion.

use std::collections::BTreeMap;

use meaning::account::{Cause, Fate, LedgerRow};
use meaning::conversation::{self, Outside, TalkContent, TalkPart};
use session::{EventIx, EventRef, Field, Session, Slot};

use super::closed::{ClosedBooks, LeafOrigin};

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
    /// The items of the next request that the target does not have whole, and their number.
    pub items: BTreeMap<TalkLoss, u64>,
}

/// Items of the conversation, or texts beside it, of one kind that the target does not have whole
/// for one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TalkLoss {
    /// The kind of item.
    pub part: TalkPart,
    /// Whether nothing of the items is in the target.
    pub whole: bool,
    /// The cause.
    pub cause: Cause,
}

impl ClosedBooks {
    /// Their totals, by cause.
    #[must_use]
    pub fn totals(&self, session: &Session) -> FateTotals {
        let mut totals = FateTotals::default();
        let mut last: Option<Talk> = None;
        for (event, field, fate) in self.ledger.fates(session) {
            if let Some(talk) = last.take_if(|talk| talk.event != event.index) {
                talk.count(&mut totals.items);
            }
            let talk = last.get_or_insert_with(|| Talk::of(event));
            talk.note(field, fate);
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
        if let Some(talk) = last {
            talk.count(&mut totals.items);
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
    pub fn placed(session: &Session, rows: &[LedgerRow]) -> Self {
        let count = |made| rows.iter().filter(|row| row.fate.is_none() == made).count() as u64;
        let (made, dropped) = (count(true), count(false));
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

/// The content of an event that is live conversation, and what the target has of it.
struct Talk {
    event: EventIx,
    part: TalkPart,
    content: Option<TalkContent>,
    /// Whether the target has something of it.
    crosses: bool,
    /// The cause of the first field that it does not have whole.
    cause: Option<Cause>,
}

impl Talk {
    fn of(event: EventRef<'_>) -> Self {
        let said = conversation::of(event);
        let content = said.live.then(|| TalkContent::of(event, said.part));
        Self { event: event.index, part: said.part, content, crosses: false, cause: None }
    }

    fn has(&self, field: Field) -> bool {
        self.content.as_ref().is_some_and(|content| content.has(field))
    }

    /// Whether a field is something that the next request would hold: conversation, or a text
    /// beside it.
    fn tells(&self, field: Field) -> bool {
        let beside = [Outside::Context, Outside::Sealed];
        match self.part {
            TalkPart::Nothing(what) if self.content.is_some() && beside.contains(&what) => {
                matches!(field.slot, Slot::Content | Slot::Encrypted)
            }
            _ => self.has(field),
        }
    }

    fn note(&mut self, field: Field, fate: Fate) {
        if !self.tells(field) {
            return;
        }
        match fate {
            Fate::Dropped(cause) | Fate::InPart(cause) => self.cause = self.cause.or(Some(cause)),
            _ => {}
        }
        self.crosses |= !matches!(fate, Fate::Dropped(_));
    }

    /// Counts it, if the target does not have it whole.
    fn count(self, items: &mut BTreeMap<TalkLoss, u64>) {
        if let Some(cause) = self.cause {
            let loss = TalkLoss { part: self.part, whole: !self.crosses, cause };
            *items.entry(loss).or_default() += 1;
        }
    }
}
