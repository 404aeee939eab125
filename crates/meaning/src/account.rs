//! Account of a conversion: the fate of each field of a session, and the values that were made.
//!
//! A writer gets the bytes of a field only with a fate for it, and a made value only with a cause.
//! A field that a writer never asks for is dropped: nobody has to remember to say so.

mod cause;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use session::{EventIx, EventRef, Field, Hold, Kind, Record, Session, Slot, Span, value};

use crate::conversation::{self, Outside, TalkItem, TalkPart};
use crate::secret::Secret;

pub use cause::Cause;

/// The fate of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fate {
    /// The target has the value as it is.
    Carried,
    /// The target has the value in another form, and an inverse gives it back.
    Mapped(Cause),
    /// The target has something of the value, from which it can't be restored.
    InPart(Cause),
    /// The target does not have the value.
    Dropped(Cause),
}

/// Bytes of a field that a writer has asked for, and not used yet. Some are written several times.
#[derive(Clone, Debug)]
#[must_use = "a value that is not put is dropped"]
pub struct TakenValue<'s> {
    field: usize,
    slot: Slot,
    name: &'s [u8],
    raw: &'s [u8],
}

impl<'s> TakenValue<'s> {
    /// The bytes to decide by. [`Draft::put`] and [`Draft::map`] give them to write.
    #[must_use]
    pub const fn peek(&self) -> &'s [u8] {
        self.raw
    }

    /// The number of the field in the session.
    #[must_use]
    pub const fn field(&self) -> usize {
        self.field
    }

    /// The meaning of the field.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        self.slot
    }

    /// The name of the field; empty for an element of an array.
    #[must_use]
    pub const fn name(&self) -> &'s [u8] {
        self.name
    }
}

/// The fields of one event, for a writer.
#[derive(Debug)]
pub struct Draft<'a, 's> {
    account: &'a mut Account<'s>,
    event: EventIx,
}

/// The account of one conversion, while it is written.
#[derive(Debug)]
pub struct Account<'s> {
    session: &'s Session,
    /// For each field, its fate; `None` while nobody has put it.
    fates: Vec<Option<Fate>>,
    /// For each record, whether the target has all of its bytes.
    whole: Vec<bool>,
    made: BTreeMap<(&'static str, Cause), u64>,
}

impl<'s> Account<'s> {
    /// The account of a session. Nothing is put yet.
    #[must_use]
    pub fn of(session: &'s Session) -> Self {
        let fates = vec![None; session.field_count()];
        let whole = vec![false; session.records.len()];
        Self { session, fates, whole, made: BTreeMap::new() }
    }

    /// The fields of an event.
    pub const fn draft(&mut self, event: EventIx) -> Draft<'_, 's> {
        Draft { account: self, event }
    }

    /// The fate of a field so far; `None` if nobody took it yet.
    pub fn fate(&self, field: usize) -> Option<Fate> {
        self.fates.get(field).copied().flatten()
    }

    fn put(&mut self, value: TakenValue<'s>, fate: Fate) -> &'s [u8] {
        self.settle(value.field, fate);
        value.raw
    }

    /// Decides the fate of a field. A withheld value stays withheld: other bytes represent it.
    pub fn settle(&mut self, field: usize, fate: Fate) {
        if let Some(known) = self.fates.get_mut(field)
            && *known != Some(Fate::Dropped(Cause::Secret))
        {
            *known = Some(fate);
        }
    }

    /// The bytes of a record that the target has whole.
    pub fn record(&mut self, record: u32) -> &'s [u8] {
        let Some(found) = self.session.records.get(record as usize) else { return &[] };
        self.whole[record as usize] = true;
        self.session.record_bytes(found)
    }

    /// Notes a value that the session does not tell: `what` is its place in the target.
    pub fn make<T>(&mut self, what: &'static str, cause: Cause, value: T) -> T {
        *self.made.entry((what, cause)).or_default() += 1;
        value
    }

    /// Notes that the bytes of fields are covered: they give access to something.
    /// `secrets` are in the order of their bytes.
    pub fn withhold(&mut self, secrets: &[Secret]) {
        let place = |secret: &Secret| (secret.member, secret.span.start);
        for event in self.session.events() {
            for (at, field) in event.numbered() {
                let from = (event.origin.member, field.value.start);
                let next = secrets.partition_point(|secret| place(secret) < from);
                let within =
                    |secret: &&Secret| secret.member == from.0 && field.value.holds(secret.span);
                if field.hold == Hold::Own && secrets.get(next).filter(within).is_some() {
                    self.fates[at] = Some(Fate::Dropped(Cause::Secret));
                }
            }
        }
    }

    /// Ends the account: a field that nobody put is dropped.
    #[must_use]
    pub fn close(mut self) -> Ledger {
        for event in self.session.events() {
            let whole = self.whole[event.origin.record as usize];
            let mut said = None;
            for (at, field) in event.numbered() {
                if field.hold == Hold::Own && self.fates[at].is_none() {
                    let mut said = || *said.get_or_insert_with(|| conversation::of(event));
                    let fate = if whole { Fate::Carried } else { dropped(event, said(), &field) };
                    self.fates[at] = Some(fate);
                }
            }
        }
        Ledger { fates: self.fates, whole: self.whole, made: self.made }
    }
}

/// The fate of a field that nobody put, of an event that is this part of the conversation.
fn dropped(event: EventRef<'_>, said: TalkItem, field: &Field) -> Fate {
    Fate::Dropped(match (field.slot, said.part) {
        (Slot::Encrypted, _) => Cause::Encrypted,
        (Slot::Secret, _) => Cause::Secret,
        _ if !event.standing().is_live() => Cause::NotLive,
        _ if !conversation::is_own(event) => Cause::SubAgent,
        (_, TalkPart::Nothing(Outside::Context)) => Cause::Injected,
        (_, TalkPart::Nothing(Outside::Bookkeeping | Outside::Unreadable)) => Cause::Bookkeeping,
        _ => Cause::NoPlace,
    })
}

impl<'s> Draft<'_, 's> {
    /// The value of the field with this number in the event.
    pub fn take(&self, field: usize) -> Option<TakenValue<'s>> {
        let event = self.account.session.event(self.event);
        let (number, known) = event.numbered().nth(field)?;
        let (slot, name, raw) = (known.slot, event.name(known), event.value(known));
        Some(TakenValue { field: number, slot, name, raw })
    }

    /// The bytes of a field that the target has as they are.
    pub fn carry(&mut self, field: usize) -> &'s [u8] {
        self.take(field).map_or(&[], |value| self.put(value))
    }

    /// The bytes of a value that the target has as it is.
    pub fn put(&mut self, value: TakenValue<'s>) -> &'s [u8] {
        self.account.put(value, Fate::Carried)
    }

    /// The bytes of a value that the target has in another form.
    pub fn map(&mut self, value: TakenValue<'s>, cause: Cause) -> &'s [u8] {
        self.account.put(value, Fate::Mapped(cause))
    }

    /// The bytes of a container, or of the event's own value, with all fields of the event in it.
    pub fn carry_all(&mut self, span: Span) -> &'s [u8] {
        let event = self.account.session.event(self.event);
        for (at, field) in event.numbered() {
            if field.hold == Hold::Own && span.holds(field.value) {
                self.account.settle(at, Fate::Carried);
            }
        }
        event.slice(span)
    }
}

/// The books of a conversion that is complete: made by [`Account::close`] alone.
#[derive(Debug)]
pub struct Ledger {
    fates: Vec<Option<Fate>>,
    whole: Vec<bool>,
    made: BTreeMap<(&'static str, Cause), u64>,
}

/// Rows of a ledger that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerRow {
    /// The names that lead to the field in its event, or the place of a made value in the target.
    pub what: String,
    /// The fate; `None` for a made value.
    pub fate: Option<Fate>,
    /// The cause.
    pub cause: Cause,
    /// The number of values.
    pub count: u64,
    /// The first of them: its member and bytes.
    pub at: Option<(u32, Span)>,
}

impl LedgerRow {
    /// A row of one value.
    #[must_use]
    pub const fn of(what: String, fate: Fate, cause: Cause, at: Option<(u32, Span)>) -> Self {
        Self { what, fate: Some(fate), cause, count: 1, at }
    }

    /// A row of one made value.
    #[must_use]
    pub const fn made(what: String, cause: Cause) -> Self {
        Self { what, fate: None, cause, count: 1, at: None }
    }

    /// Its subject, with the number of values if there are several.
    #[must_use]
    pub fn name(&self) -> String {
        match self.count {
            1 => self.what.clone(),
            count => format!("{} ({count} values)", self.what),
        }
    }

    /// Its fate in one word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self.fate {
            None => "synthesised",
            Some(Fate::Dropped(Cause::Secret | Cause::Shared)) => "withheld",
            Some(Fate::Dropped(_)) => "dropped",
            Some(Fate::InPart(_)) => "in_part",
            Some(Fate::Mapped(_)) => "mapped",
            Some(Fate::Carried) => "carried",
        }
    }
}

impl Ledger {
    /// The fate of each field that owns its bytes: its event, the field, the fate.
    pub fn fates<'l>(
        &'l self,
        session: &'l Session,
    ) -> impl Iterator<Item = (EventRef<'l>, Field, Fate)> {
        session.events().flat_map(move |event| {
            let fields = event.numbered();
            let own = fields.filter(|(_, field)| field.hold == Hold::Own);
            own.filter_map(move |(at, field)| {
                self.fates.get(at).copied().flatten().map(|fate| (event, field, fate))
            })
        })
    }

    /// The records without fields, which are no JSON: each with whether the target has its bytes.
    pub fn opaque<'l>(&'l self, session: &'l Session) -> impl Iterator<Item = (&'l Record, bool)> {
        session.events().filter(|event| event.kind == Kind::Opaque).map(|event| {
            let record = event.origin.record as usize;
            (&session.records[record], self.whole[record])
        })
    }

    /// The made values: place in the target, cause, number.
    pub fn made(&self) -> impl Iterator<Item = (&'static str, Cause, u64)> {
        self.made.iter().map(|(&(what, cause), &count)| (what, cause, count))
    }

    /// The rows of made, of dropped and of shortened values, those that are alike as one: what a
    /// user should know. A mapped value misses nothing.
    #[must_use]
    pub fn rows(&self, session: &Session) -> Vec<LedgerRow> {
        let mut rows: Vec<LedgerRow> = self
            .made()
            .map(|(what, cause, count)| LedgerRow {
                what: what.to_owned(),
                fate: None,
                cause,
                count,
                at: None,
            })
            .collect();
        // By the bytes of a name first: most values have a name that was seen, and its text is made
        // once.
        let mut places: BTreeMap<(&str, &[u8], Fate), usize> = BTreeMap::new();
        let mut found: Vec<LedgerRow> = Vec::new();
        for (event, field, fate) in self.fates(session) {
            // Withheld values have rows of their own, by their whole paths.
            let cause = match fate {
                Fate::Dropped(cause) if cause != Cause::Secret => cause,
                Fate::InPart(cause) => cause,
                _ => continue,
            };
            let place = places.entry((event.case.name, event.name(field), fate));
            let place = *place.or_insert_with(|| {
                let what = format!("{}/{}", event.case.name, Name(event.name(field)));
                let at = Some((event.origin.member, field.value));
                found.push(LedgerRow { what, fate: Some(fate), cause, count: 0, at });
                found.len() - 1
            });
            found[place].count += 1;
        }
        // Names that are written with other escapes are one.
        let mut lost: BTreeMap<(String, Option<Fate>), LedgerRow> = BTreeMap::new();
        for row in found {
            match lost.entry((row.what.clone(), row.fate)) {
                Entry::Occupied(mut first) => first.get_mut().count += row.count,
                Entry::Vacant(entry) => _ = entry.insert(row),
            }
        }
        rows.extend(lost.into_values());
        rows
    }
}

/// A name as text.
struct Name<'n>(&'n [u8]);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&value::unescape(self.0))
    }
}
