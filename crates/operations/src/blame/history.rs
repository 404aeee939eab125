//! The changes of a file in all sessions that name it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::find::found::Found;
use catalog::summary::{Entry, FoldersOfPlaced, entries, project};
use catalog::{Catalog, Error, Kept, SkipReason, Skipped, Source, bundle, copies};
use formats::attribution::{FileChange, changes, normal_path};
use meaning::Calls;
use replay::Change;
use session::{Memory, Session, UnreadRecord, UtcTime};

use super::told::{BlameWriter, Turns};
use crate::convert::native;
use crate::search::candidates;
use crate::search::pattern::Pattern;

/// A change of a file, with the turn that made it.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// Its place in the order of all: its time, its session, and its place there.
    pub order: (Option<UtcTime>, String, usize),
    pub path: String,
    pub change: Change,
    pub by: BlameWriter,
    /// Whether verbatim placed the session there, as a copy of another one.
    pub placed: bool,
}

impl Made {
    /// Whether it is the same change as another one, in a copy of the session.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.order.0.is_some()
            && self.order.0 == other.order.0
            && self.by.uid != other.by.uid
            && self.path == other.path
            && self.change == other.change
    }
}

/// Takes the changes of placed copies out that their originals have too. A copy has the times of
/// its original to the millisecond; the words of an edit are those of the other agent.
pub(super) fn drop_placed(made: &mut Vec<Made>) {
    let key = |made: &Made| made.order.0.map(|time| (time.0 / 1000, made.path.clone()));
    let originals: HashSet<_> = made.iter().filter(|made| !made.placed).filter_map(key).collect();
    made.retain(|made| !made.placed || key(made).is_none_or(|key| !originals.contains(&key)));
}

/// The last part of a normal path.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The spellings of a path in sessions, in normal form.
pub(super) fn names(path: &Path, home: Option<&Path>) -> Vec<String> {
    let mut names = vec![normal_path(&path.to_string_lossy())];
    if let Some(below) = home.and_then(|home| path.strip_prefix(home).ok()) {
        names.push(normal_path(&format!("~/{}", below.to_string_lossy())));
    }
    names
}

/// The sessions whose bytes have one of these names of files.
pub(super) fn with_file_names(
    catalog: &Catalog<'_>,
    within: &[PathBuf],
    names: &[String],
) -> Result<Found, Error> {
    let mut all = Found::default();
    for name in names {
        let found = candidates(catalog, within, &pattern(name))?;
        let is_new = |source: &Source| {
            let path = |source: &Source| source.files.first().map(|file| file.path.clone());
            let group = |source: &Source| (source.format.name(), source.group.clone());
            !all.sources
                .iter()
                .any(|known: &Source| path(known) == path(source) && group(known) == group(source))
        };
        let new: Vec<Source> = found.sources.into_iter().filter(is_new).collect();
        all.sources.extend(new);
        all.skipped.extend(found.skipped);
    }
    all.skipped.retain(|skipped| skipped.why.is_failure());
    Ok(all)
}

/// The pattern of the bytes of a session that names a file. A name that can't be searched for is
/// looked for in every session.
fn pattern(name: &str) -> Pattern {
    let words = Pattern::words(&[name.to_owned()]).or_else(|_| Pattern::expression(""));
    words.unwrap_or_default()
}

/// The changes of one session, and its records that could not be read.
type Read = (Vec<Made>, Vec<UnreadRecord>);

/// The changes of the files with these names in the sessions that were found, without copies.
pub(super) fn made_in(
    catalog: &Catalog<'_>,
    found: Found,
    files: &[String],
    names: &HashSet<String>,
) -> Result<(Vec<Skipped>, Vec<Read>), Error> {
    let Found { sources, mut skipped } = found;
    let patterns: Vec<Pattern> = files.iter().map(|name| pattern(name)).collect();
    let placed = catalog.placed();
    let look = |memory: &mut Memory, source: &Source| {
        read(catalog, source, (&patterns, names, &placed), memory)
    };
    let job = &catalog.machine.job;
    let looked = job.parallel_with(&sources, Source::length, Memory::default, look)?;
    let mut all: Vec<(Read, Entry)> = Vec::new();
    for (source, result) in sources.iter().zip(looked) {
        match result {
            Ok(read) => all.extend(read),
            Err(error) => skipped.extend(source.files.first().map(|file| Skipped {
                path: file.path.to_path_buf(),
                why: SkipReason::Unreadable(error.to_string()),
            })),
        }
    }
    let folded = copies::fold(all).into_iter().map(|(read, _)| read);
    Ok((skipped, folded.collect()))
}

/// The changes of the sessions of a source.
fn read(
    catalog: &Catalog<'_>,
    source: &Source,
    (patterns, names, placed): (&[Pattern], &HashSet<String>, &FoldersOfPlaced),
    memory: &mut Memory,
) -> io::Result<Vec<(Read, Entry)>> {
    let (bundle, unread) = bundle(source);
    if let Some(first) = unread.first()
        && bundle.members.is_empty()
    {
        return Err(io::Error::other(first.why.clone()));
    }
    let names_one = |bytes: &[u8]| patterns.iter().any(|pattern| pattern.may_be_in(bytes));
    if !bundle.members.iter().any(|member| names_one(member.bytes())) {
        return Ok(Vec::new());
    }
    let mut sessions = source.format.read_with(Arc::new(bundle), memory);
    let folder = project(source, &Kept::nothing());
    for session in &mut sessions {
        session.beside.folder.clone_from(&folder);
    }
    let is_placed = source.files.iter().any(|file| placed.contains_key(&*file.path));
    let own = sessions.iter().filter(|session| !session.remainder);
    let mut all = Vec::new();
    for (session, entry) in own.zip(entries(source, &sessions)) {
        // A document records the edits in its own words. Its native session records more.
        let native = native(catalog, session).ok().flatten();
        let mut made = of_session(native.as_ref().unwrap_or(session), names);
        made.iter_mut().for_each(|made| made.placed = is_placed);
        if !made.is_empty() {
            all.push(((made, session.unread_records()), entry));
        }
    }
    Ok(all)
}

/// The changes of a session to the files with these names.
fn of_session(session: &Session, names: &HashSet<String>) -> Vec<Made> {
    let files: HashSet<&str> = names.iter().map(|name| last_part(name)).collect();
    let takes = |path: &str| files.contains(last_part(path)) && names.contains(path);
    let changes = changes(session, &takes);
    if changes.is_empty() {
        return Vec::new();
    }
    let (calls, mut turns) = (Calls::of(session), Turns::of(session));
    let uid = session.uid();
    let mut latest: Vec<(String, UtcTime)> = Vec::new();
    let made = changes.into_iter().enumerate().map(|(at, made)| {
        let FileChange { event, path, change, model, provider } = made;
        let call = session.event(event);
        let turn = turns.turn(event);
        // An edit is made when its call ends, not when it begins.
        let result = calls.result(event).map(|result| session.event(result));
        let done = result.and_then(session::EventRef::when).or_else(|| call.when());
        // Within a stream, the order of the records counts if a clock was set back.
        let stream = call.stream().to_string();
        let last = latest.iter().position(|(known, _)| *known == stream);
        let done = done.max(last.map(|at| latest[at].1));
        match (last, done) {
            (Some(at), Some(done)) => latest[at].1 = done,
            (None, Some(done)) => latest.push((stream, done)),
            _ => {}
        }
        let by = BlameWriter {
            format: session.format,
            uid: uid.clone(),
            turn,
            model,
            provider,
            prompt: turns.prompt(turn),
            time: call.when().or(done),
            address: call.address().to_string(),
        };
        Made { order: (done, uid.clone(), at), path, change, by, placed: false }
    });
    made.collect()
}
