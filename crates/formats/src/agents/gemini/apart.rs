//! Conversations with the same id and nothing else in common: some programs give all their sessions
//! one id. Copies of a history share its beginning or a message; other files are not versions of
//! each other.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{EventIx, EventRef, NO_EVENT, Owners, Session, Slot, Stream, UtcTime};

use super::locate;
use super::standing::{Log, id};

/// The sessions of files with one id: mostly one. If there are several, the start time of each is
/// part of its name. A sub-agent belongs to the last conversation in its folder that began before.
pub(super) fn sessions(mut whole: Session) -> Vec<Session> {
    whole.id = locate::session_id(&whole);
    let top: Vec<EventRef<'_>> = whole.events().filter(|event| event.parent == NO_EVENT).collect();
    if top.chunk_by(|a, b| a.origin.member == b.origin.member).nth(1).is_none() {
        return vec![whole];
    }
    let files: Vec<File<'_>> = top
        .chunk_by(|a, b| a.origin.member == b.origin.member)
        .map(|top| File::of(&whole, top.iter().map(|event| event.index)))
        .collect();
    let main: Vec<&File<'_>> = files.iter().filter(|file| file.is_main).collect();
    let leads = leads(&main);
    if leads.iter().all(|lead| *lead == 0) {
        return vec![whole];
    }
    let leads: Vec<usize> = leads.iter().map(|lead| main[*lead].member).collect();
    let main: Vec<(&File<'_>, usize)> = main.into_iter().zip(leads).collect();
    let mut names: HashMap<usize, String> = HashMap::new();
    for file in &files {
        let lead = match main.iter().find(|(other, _)| other.member == file.member) {
            Some((_, lead)) => Some(*lead),
            None => parent(&whole, file, &main),
        };
        let first = files.iter().find(|other| Some(other.member) == lead);
        let start = first.and_then(|first| first.start.as_deref());
        let name = start.map_or_else(|| whole.id.clone(), |at| locate::began(&whole.id, at));
        names.insert(file.member, name);
    }
    let mut owners = Owners::default();
    for event in whole.events() {
        owners.push(names.get(&(event.origin.member as usize)).map(String::as_str));
    }
    whole.partition(&owners)
}

/// The conversation of a sub-agent's file.
fn parent(session: &Session, sub: &File<'_>, main: &[(&File<'_>, usize)]) -> Option<usize> {
    let folder = |member: usize| {
        let name = session.bundle.members.get(member)?.name.as_str();
        Some(name.rsplit_once('/').map_or("", |(folder, _)| folder))
    };
    let own = folder(sub.member)?;
    let above = own.rsplit_once('/').map_or("", |(above, _)| above);
    let near = |(file, _): &&(&File<'_>, usize)| {
        folder(file.member).is_some_and(|folder| folder == own || folder == above)
    };
    let near: Vec<_> = main.iter().filter(near).collect();
    let near = if near.is_empty() { main.iter().collect() } else { near };
    let at = |file: &File<'_>| UtcTime::read(format!("\"{}\"", file.start.as_deref()?).as_bytes());
    let before = near.iter().filter(|(file, _)| at(file) <= at(sub));
    let last = before.max_by_key(|(file, _)| at(file));
    last.or(near.first()).map(|(_, lead)| *lead)
}

/// The logs of each conversation; mostly there is one.
pub(super) fn divide<'s>(session: &'s Session, logs: Vec<Log<'s>>) -> Vec<Vec<Log<'s>>> {
    if logs.len() == 1 {
        return vec![logs];
    }
    let files: Vec<File<'_>> =
        logs.iter().map(|log| File::of(session, log.top.iter().copied())).collect();
    let leads = leads(&files.iter().collect::<Vec<_>>());
    let mut groups: Vec<Vec<Log<'s>>> = (0..logs.len()).map(|_| Vec::new()).collect();
    for (lead, log) in leads.into_iter().zip(logs) {
        groups[lead].push(log);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The marks of a file's conversation.
struct File<'s> {
    member: usize,
    is_main: bool,
    start: Option<Cow<'s, str>>,
    ids: Vec<Cow<'s, str>>,
}

impl<'s> File<'s> {
    fn of(session: &'s Session, top: impl Iterator<Item = EventIx>) -> Self {
        let events: Vec<EventRef<'s>> = top.map(|event| session.event(event)).collect();
        let mut heads = events.iter().filter(|event| !event.case.top);
        Self {
            member: events.first().map_or(0, |event| event.origin.member as usize),
            is_main: events.first().is_some_and(|event| *event.stream() == Stream::Main),
            start: heads.find_map(|event| event.text(Slot::Started)),
            ids: events.iter().filter(|event| event.case.top).filter_map(|e| id(*e)).collect(),
        }
    }
}

/// For each file the first one of its conversation. A file without a start time, and without a
/// message of another, belongs to the first conversation.
fn leads(files: &[&File<'_>]) -> Vec<usize> {
    let mut leads: Vec<usize> = (0..files.len()).collect();
    let mut by_start: HashMap<&str, usize> = HashMap::new();
    let mut by_message: HashMap<&str, usize> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        match &file.start {
            Some(start) => join(&mut leads, at, *by_start.entry(start).or_insert(at)),
            None => join(&mut leads, at, 0),
        }
        for id in &file.ids {
            join(&mut leads, at, *by_message.entry(id).or_insert(at));
        }
    }
    (0..files.len()).map(|at| first(&mut leads, at)).collect()
}

fn join(leads: &mut [usize], a: usize, b: usize) {
    let (a, b) = (first(leads, a), first(leads, b));
    leads[a.max(b)] = a.min(b);
}

/// The first file of a conversation. The path to it is shortened for the next search.
fn first(leads: &mut [usize], mut at: usize) -> usize {
    while leads[at] != at {
        leads[at] = leads[leads[at]];
        at = leads[at];
    }
    at
}
