//! Which session an event belongs to: the conversation that its row, its line or its file names.

use std::borrow::Cow;

use session::{EventRef, Owners, Session, Slot, value};

use super::{desktop, locate};

/// How a row calls its key.
const KEY: &[u8] = b"key";

/// Divides what was read among its sessions. What names none is the session's that the others
/// name, where that is one.
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

/// The bubble that an event is: it says so, or its row's key does.
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
