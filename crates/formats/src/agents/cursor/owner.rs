//! Owner of an event: the session that its row, its line or its file names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use session::{EventRef, Member, Owners, Session, Slot, value};

use super::{desktop, locate};

/// Name of a row's key.
const KEY: &[u8] = b"key";

/// Splits a reading into its sessions. If the others name only one session, events without a name
/// belong to it.
pub(super) fn divide(whole: Session) -> Vec<Session> {
    let files = of_files(&whole);
    let mut owners = Owners::default();
    for event in whole.events() {
        match named(event) {
            Some(name) => owners.push(Some(&name)),
            None => owners.push(files.get(event.origin.member as usize).and_then(Option::as_deref)),
        }
    }
    owners.adopt();
    whole.partition(&owners)
}

/// For each member, the session of its events without a name: the one that its path names. A file's
/// own name counts only if none of its events names a session: a dump may have any name.
fn of_files(whole: &Session) -> Vec<Option<String>> {
    let members = &whole.bundle.members;
    let mut stated: Vec<BTreeSet<Cow<'_, str>>> = vec![BTreeSet::new(); members.len()];
    for event in whole.events() {
        if let Some(of_member) = stated.get_mut(event.origin.member as usize)
            && of_member.len() < 2
        {
            of_member.extend(named(event));
        }
    }
    let of_file = |(member, stated): (&Member, BTreeSet<Cow<'_, str>>)| {
        let mut names = stated.into_iter();
        match (locate::session_of(&member.name), names.next(), names.next()) {
            (Some(path), Some(one), None) if path == member.stem() => Some(one.into_owned()),
            (Some(path), Some(_), Some(_)) if path == member.stem() => None,
            (path, ..) => path,
        }
    };
    members.iter().zip(stated).map(of_file).collect()
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
    let field = fields.find(|field| event.is_named(**field, KEY))?;
    value::text(event.value(*field))
}
