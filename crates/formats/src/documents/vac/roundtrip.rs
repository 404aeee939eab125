//! Round-trip comparison: whether a record is read back as the session that it was written from.
//! Kinds, standing, structure and meanings are compared here; `restore` proves that every native
//! value is present.

use session::{EventRef, Hold, Injected, Kind, Scan, Session, Slot, UtcTime, value};

use super::entry::nested;
use super::is_record;
use super::keys::Key;
use crate::documents::shared::clean;
use crate::documents::shared::facts::Fact;
use crate::documents::shared::out::Out;
use crate::documents::shared::places::is_whole;

/// Largest number of reported differences.
const TOLD: usize = 20;

/// The differences between a session and its reading from a record, one line each; empty if they
/// are equal.
#[must_use]
pub fn differences(native: &Session, read: &Session) -> Vec<String> {
    let mut compare = Compare { found: Vec::new(), scan: Scan::counting(native.counts) };
    if native.id != read.id {
        compare.found.push(format!("the session is {} and {}", native.id, read.id));
    }
    let theirs: Vec<_> = native.top().collect();
    let ours: Vec<_> = read.top().filter(|event| !is_record(event)).collect();
    compare.all("entries", &theirs, &ours, (&children(native), &children(read)));
    compare.found
}

/// For each event its children.
fn children(session: &Session) -> Vec<Vec<EventRef<'_>>> {
    let mut children = vec![Vec::new(); session.len()];
    for event in nested(session).into_iter().map(|event| session.event(event)) {
        children[event.parent as usize].push(event);
    }
    children
}

struct Compare {
    found: Vec<String>,
    scan: Scan,
}

type Within<'a, 's> = &'a Vec<Vec<EventRef<'s>>>;

impl Compare {
    fn all<'s>(
        &mut self,
        path: &str,
        native: &[EventRef<'s>],
        read: &[EventRef<'s>],
        within: (Within<'_, 's>, Within<'_, 's>),
    ) {
        if native.len() != read.len() {
            self.tell(path, "number", &native.len().to_string(), &read.len().to_string());
        }
        for (at, (native, read)) in native.iter().zip(read).enumerate() {
            if self.found.len() >= TOLD {
                return;
            }
            let path = format!("{path}[{at}]");
            self.event(&path, *native, *read);
            let (theirs, ours) = (native.index as usize, read.index as usize);
            self.all(&format!("{path}.children"), &within.0[theirs], &within.1[ours], within);
        }
    }

    fn tell(&mut self, path: &str, what: &str, native: &str, read: &str) {
        let cut = |text: &str| text.chars().take(80).collect::<String>();
        self.found.push(format!("{path}: {what}: {} became {}", cut(native), cut(read)));
    }

    fn event(&mut self, path: &str, native: EventRef<'_>, read: EventRef<'_>) {
        if native.kind != read.kind {
            self.tell(path, "kind", &format!("{:?}", native.kind), &format!("{:?}", read.kind));
        }
        if native.standing != read.standing {
            self.tell(path, "standing", native.standing.word(), read.standing.word());
        }
        let is_text = matches!(native.kind, Kind::User | Kind::Assistant)
            || native.injected == Some(Injected::Summary);
        if is_text && native.injected != read.injected {
            let told = [native, read].map(|event| format!("{:?}", event.injected));
            self.tell(path, "injected", &told[0], &told[1]);
        }
        for slot in slots(native) {
            let (theirs, ours) = (self.meaning(native, slot), self.meaning(read, slot));
            if theirs != ours {
                let show = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
                self.tell(path, &format!("{slot:?}"), &show(theirs), &show(ours));
            }
        }
    }

    /// The value of an event's slot, whatever its spelling.
    fn meaning(&mut self, event: EventRef<'_>, slot: Slot) -> Option<String> {
        let raw = raw(event, slot)?;
        let mut out = Out::default();
        clean::write_fit(raw, &mut out, &mut self.scan);
        let plain = String::from_utf8_lossy(&out.text).into_owned();
        match slot {
            Slot::Time => UtcTime::read(raw).map(UtcTime::rfc3339),
            Slot::Content if event.kind == Kind::Reasoning => Some(value::said(raw).into_owned()),
            // Canonical names have hyphens.
            Slot::Name if event.kind == Kind::Notice => Some(plain.replace('_', "-")),
            _ => value::text(&out.text).map(|text| text.into_owned()).or(Some(plain)),
        }
    }
}

/// The value of a slot. A counter is that of one answer, not of the running total.
fn raw<'s>(event: EventRef<'s>, slot: Slot) -> Option<&'s [u8]> {
    if !Key::COUNTERS.iter().any(|(_, counter)| *counter == slot) {
        return event.raw(slot);
    }
    let mut total = 0;
    for field in event.fields() {
        if field.slot == Slot::UsageTotal {
            total = field.value.end;
        }
        if field.slot == slot && field.value.start >= total {
            return Some(event.value(*field));
        }
    }
    None
}

/// The slots that a native event has and its entry must have. Exceptions are slots of words, which
/// decide the kind, of facts that the record has once, and of containers.
fn slots(event: EventRef<'_>) -> Vec<Slot> {
    let mut whole = 0;
    let mut slots = Vec::new();
    for field in event.fields() {
        if field.value.start < whole {
            continue;
        }
        if is_whole(field) {
            whole = field.value.end;
        }
        let told = matches!(field.slot, Slot::Native | Slot::Type | Slot::Role | Slot::Usage)
            || Fact::of(field.slot).is_some()
            || field.hold == Hold::View
            || event.value(*field) == b"null";
        let first = event.field(field.slot).is_some_and(|first| first == *field);
        if !told && first && !slots.contains(&field.slot) {
            slots.push(field.slot);
        }
    }
    let counted = Key::COUNTERS
        .iter()
        .filter(|(key, slot)| raw(event, *slot).is_some_and(|raw| key.takes(raw)));
    slots.retain(|slot| !Key::COUNTERS.iter().any(|(_, counter)| counter == slot));
    slots.extend(counted.map(|(_, slot)| *slot));
    slots
}
