//! Owner of an event: the session that its row, its line or its file names.

use std::borrow::Cow;

use session::{EventRef, Owners, Session, Slot, value};

use super::{desktop, locate};

/// Name of a row's key.
const KEY: &[u8] = b"key";

/// Splits a reading into its sessions. If the others name only one session, events without a name
/// belong to it.
pub(super) fn divide(whole: Session) -> Vec<Session> {
    let paths: Vec<_> =
        whole.bundle.members.iter().map(|member| locate::session_of(&member.name)).collect();
    let mut owners = Owners::default();
    for event in whole.events() {
        let path = || paths.get(event.origin.member as usize)?.as_deref();
        match named(event) {
            Some(name) => owners.push(Some(&name)),
            None => owners.push(path()),
        }
    }
    owners.adopt();
    whole.partition(&owners)
}

fn named(event: EventRef<'_>) -> Option<Cow<'_, str>> {
    let key = key(event);
    match key.as_deref().and_then(desktop::session_of) {
        Some(session) => Some(Cow::Owned(session.to_owned())),
        None => event.text(Slot::Session).filter(|id| !id.is_empty()),
    }
}

/// The id of an event's bubble, from the event or from its row's key.
pub(super) fn bubble(event: EventRef<'_>) -> Option<String> {
    match event.text(Slot::Id) {
        Some(id) => Some(id.into_owned()),
        None => key(event)?.splitn(3, ':').nth(2).map(str::to_owned),
    }
}

/// The key of an event's row.
fn key(event: EventRef<'_>) -> Option<Cow<'_, str>> {
    let mut fields = event.fields().iter().take(3);
    let field = fields.find(|field| event.name(**field) == KEY)?;
    value::text(event.value(*field))
}
