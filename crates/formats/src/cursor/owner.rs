//! Which session an event belongs to: the conversation that its row, its line or its file names.

use session::{EventRef, Session, Slot, value};

use super::{desktop, locate};

/// How a row calls its key.
const KEY: &[u8] = b"key";

/// Divides what was read among its sessions. What names none is the session's that the others
/// name, where that is one.
pub(super) fn divide(whole: Session) -> Vec<Session> {
    let paths: Vec<_> =
        whole.bundle.members.iter().map(|member| locate::session_of(&member.name)).collect();
    let owner = |event: EventRef<'_>| {
        let path = paths.get(event.origin.member as usize);
        named(event).or_else(|| path?.clone())
    };
    let mut owners: Vec<String> = whole.events().filter_map(owner).collect();
    owners.sort();
    owners.dedup();
    let only = match owners.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    whole.partition(|event| owner(event).or_else(|| only.clone()))
}

fn named(event: EventRef<'_>) -> Option<String> {
    if let Some(key) = key(event)
        && let Some(session) = desktop::session_of(&key)
    {
        return Some(session.to_owned());
    }
    let id = event.text(Slot::Session).filter(|id| !id.is_empty())?;
    Some(id.into_owned())
}

/// The bubble that an event is: it says so, or its row's key does.
pub(super) fn bubble(event: EventRef<'_>) -> Option<String> {
    match event.text(Slot::Id) {
        Some(id) => Some(id.into_owned()),
        None => key(event)?.splitn(3, ':').nth(2).map(str::to_owned),
    }
}

/// The key of an event's row.
fn key(event: EventRef<'_>) -> Option<String> {
    let mut fields = event.fields().iter().take(3);
    let field = fields.find(|field| event.name(**field) == KEY)?;
    value::text(event.value(*field)).map(std::borrow::Cow::into_owned)
}
