//! Summary of a session for lists, read from the ends of its files. Complete lines of head and tail
//! make a small bundle, and the format reads it like any other.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use formats::{END_BYTES, Role, told};
use meaning::conversation::{self, TalkPart};
use meaning::{facts, turn};
use session::{Bundle, EventRef, Kind, Member, Memory, Moment, Session, UtcTime};

use crate::acts::SessionActs;
use crate::open::bundle::decode;
use crate::open::ends::{Kept, LONG_HEAD, Reader};
use crate::open::session_index::SessionFact;
use crate::open::source::{Source, SourceFile};
use crate::paths::slashed;

mod known;

/// A session in a list.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub id: String,
    /// Its title, or the agent's own short word for it.
    pub title: Option<Box<str>>,
    /// The person's first prompt that is more than a greeting, else the greeting.
    pub prompt: Option<Box<str>>,
    /// The id of the session that started this one as its sub-agent.
    pub spawned_by: Option<Box<str>>,
    /// The id of the session that this one was forked from.
    pub forked_from: Option<Box<str>>,
    /// The agent's working folder.
    pub folder: Option<Box<str>>,
    /// The session's model: the first that it names.
    pub model: Option<Box<str>>,
    /// The agent's version.
    pub version: Option<Box<str>>,
    /// When it began.
    pub started: Option<UtcTime>,
    /// When it was last added to: by its own word, or else by its files'.
    pub updated: Option<UtcTime>,
    /// Whether `updated` is the time of its files: no event has a time.
    pub undated: bool,
    /// The bytes of its files, as stored.
    pub length: u64,
    /// Its files, the main one first.
    pub files: Vec<Arc<Path>>,
    /// The main files of its copies: equal to it, or earlier states of it.
    pub copies: Vec<Arc<Path>>,
    /// Number of turns, counted only on demand, because it needs the whole session.
    pub turns: Option<usize>,
    /// Whether it comes from an archive, because its agent's folders do not have it any more.
    pub archived: bool,
    /// Number of records that could not be read, of the bytes that were looked at.
    pub damaged: u32,
    /// Its acts, if the index knows them.
    pub acts: Option<Box<SessionActs>>,
}

/// The folders in which verbatim placed sessions to be continued, by the file of each.
pub type FoldersOfPlaced = BTreeMap<PathBuf, String>;

impl Entry {
    /// Gives a session that verbatim placed the folder in which it is continued: the file has the
    /// folder of the machine that it came from.
    pub fn relocate(&mut self, placed: &FoldersOfPlaced) {
        if let Some(folder) = self.files.first().and_then(|file| placed.get(&**file)) {
            self.folder = Some(folder.clone().into());
        }
    }
}

/// A session that a search for an id found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub id: String,
    /// The id of the session that started this one as its sub-agent.
    pub spawned_by: Option<String>,
}

/// Maximum number of bytes read beside the main files of a session: some agents keep the title
/// there.
const BESIDE: u64 = 256 * 1024;

/// Maximum number of bytes of a head that are read for a model's name: not all sessions have one.
const MODEL_HEAD: usize = 256 * 1024;

/// Maximum number of bytes read of a session's files together: a session may have thousands of
/// files.
const TOGETHER: usize = 64 * 1024 * 1024;

/// The sessions of a source, from the ends of its files.
///
/// # Errors
///
/// Its first file can't be read.
pub fn summaries(source: &Source) -> io::Result<Vec<Entry>> {
    summarize(source, &Kept::nothing(), &mut Memory::default())
}

/// The same, from an index or kept bytes and further reads, with the memory of earlier readings.
pub fn summarize(source: &Source, kept: &Kept, memory: &mut Memory) -> io::Result<Vec<Entry>> {
    let packed = kept.index.as_ref().and_then(|it| it.of_source(SessionFact::Entries, source));
    let known = packed.and_then(|packed| known::unpack(source, &packed));
    let entries = known.map_or_else(|| by_ends(source, kept, memory), Ok)?;
    Ok(entries.into_iter().map(|entry| with_project(entry, source, kept)).collect())
}

/// The entries of a source as an index keeps them; `None` if it does not keep them. `acts` has what
/// was done in each of its sessions, by their ids.
///
/// # Errors
///
/// Its first file can't be read.
pub fn packed_entries(
    source: &Source,
    acts: &mut HashMap<String, SessionActs>,
    memory: &mut Memory,
) -> io::Result<Option<Vec<u8>>> {
    let mut entries = by_ends(source, &Kept::nothing(), memory)?;
    entries.iter_mut().for_each(|entry| entry.acts = acts.remove(&entry.id).map(Box::new));
    Ok(known::pack(source, &entries))
}

/// The entries by the ends of the files, without the folder that other files tell. Heads grow until
/// they contain a prompt or a title, and a model.
fn by_ends(source: &Source, kept: &Kept, memory: &mut Memory) -> io::Result<Vec<Entry>> {
    let mut readers = readers(source, kept);
    let mut ends = AgentEnds::new();
    let mut count = END_BYTES;
    // Rows record a model beside their other facts.
    let model_head = if source.files.iter().any(SourceFile::is_dump) { 0 } else { MODEL_HEAD };
    loop {
        let sessions = read(source, &mut readers, count, memory)?;
        let entry = |session: &Session| {
            let entry = entry(source, session);
            with_agents(entry, source, session, &mut readers, &mut ends)
        };
        let entries = each(&sessions, entry);
        let named = |entry: &Entry| entry.prompt.is_some() || entry.title.is_some();
        let told = |entry: &Entry| named(entry) && (entry.model.is_some() || count >= model_head);
        if entries.iter().all(told) || count >= LONG_HEAD || is_done(source, &readers) {
            return Ok(entries);
        }
        count *= 4;
    }
}

/// True if no main file has more to give.
fn is_done(source: &Source, readers: &[Reader<'_>]) -> bool {
    let mut files = source.files.iter().zip(readers).enumerate();
    files.all(|(at, (file, reader))| match file.rows {
        Some(_) => false,
        None => reader.is_done() || at > 0 && file.role != Role::Main,
    })
}

/// The same, from sessions that were read whole.
#[must_use]
pub fn entries(source: &Source, sessions: &[Session]) -> Vec<Entry> {
    let kept = Kept::nothing();
    let (mut readers, mut ends) = (readers(source, &kept), AgentEnds::new());
    each(sessions, |session| {
        let entry = with_project(entry(source, session), source, &kept);
        with_agents(entry, source, session, &mut readers, &mut ends)
    })
}

/// The entry of each session.
fn each(sessions: &[Session], mut entry: impl FnMut(&Session) -> Entry) -> Vec<Entry> {
    let own = sessions.iter().filter(|session| !session.remainder);
    let mut entries: Vec<Entry> = own.map(&mut entry).collect();
    if entries.is_empty() {
        // Files whose content belongs to no session are still in the list.
        entries.extend(sessions.first().map(entry));
    }
    entries
}

/// A reader for each file.
fn readers<'s>(source: &'s Source, kept: &Kept) -> Vec<Reader<'s>> {
    match &*source.files {
        // Once it is whole, it is not read again.
        [file] => vec![Reader::of(file, kept).once()],
        files => files.iter().map(|file| Reader::of(file, kept)).collect(),
    }
}

/// The entry with the folder of its project, if the agent wrote that into other files.
fn with_project(entry: Entry, source: &Source, kept: &Kept) -> Entry {
    let Entry { folder, .. } = &entry;
    let folder = folder.clone().or_else(|| project(source, kept).map(String::into_boxed_str));
    Entry { folder, ..entry }
}

fn entry(source: &Source, session: &Session) -> Entry {
    let text = |text: Option<Cow<'_, str>>| text.map(|text| text.into_owned().into_boxed_str());
    let lasted = facts::lasted(session);
    let spawned_by = text(facts::spawner(session));
    let when = |moment: Option<Moment<'_>>| moment.map(|moment| moment.instant);
    let files = own_files(source, session);
    let written = files.iter().filter_map(|file| file.modified).max();
    let id = if session.id.is_empty() { source.group.clone() } else { session.id.clone() };
    Entry {
        format: source.format.name(),
        id,
        title: text(facts::title_text(session)),
        prompt: first_prompt(session)
            .or_else(|| spawned_by.as_ref().and_then(|_| task(session)))
            .map(String::into_boxed_str),
        spawned_by,
        forked_from: text(facts::forked_from(session)),
        folder: text(facts::folder(session)),
        model: facts::model(session).map(String::into_boxed_str),
        version: text(facts::version(session)),
        started: when(lasted.start),
        updated: when(lasted.end).or_else(|| written.and_then(instant)),
        undated: lasted.end.is_none(),
        length: files.iter().map(|file| file.length).sum(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        copies: Vec::new(),
        turns: None,
        archived: source.is_archived(),
        damaged: u32::try_from(session.damaged_records()).unwrap_or(u32::MAX),
        acts: None,
    }
}

/// The files of a source without those of its other sessions.
fn own_files<'s>(source: &'s Source, session: &Session) -> Vec<&'s SourceFile> {
    if !(0..session.bundle.members.len()).any(|at| session.is_foreign(at)) {
        return source.files.iter().collect();
    }
    let members = session.bundle.members.iter().enumerate();
    let foreign = members.filter(|(at, _)| session.is_foreign(*at)).map(|(_, member)| &member.name);
    let foreign: HashSet<&String> = foreign.collect();
    source.files.iter().filter(|file| !foreign.contains(&file.name)).collect()
}

/// The last time in each sub-agent's file that was read, by the index of the file.
type AgentEnds = HashMap<usize, Option<UtcTime>>;

/// The entry, with the last time in the files of sub-agents. A file that was last written before
/// the session's own last time has no later one. Each file is read once.
fn with_agents(
    mut entry: Entry,
    source: &Source,
    session: &Session,
    readers: &mut [Reader<'_>],
    ends: &mut AgentEnds,
) -> Entry {
    let known = entry.updated.filter(|_| !entry.undated);
    let later = |file: &SourceFile| {
        matches!(file.role, Role::Sub(_))
            && !file.is_dump()
            && !session.shared
            && file.modified.and_then(instant) > known
    };
    let mut last = None;
    for (at, (file, reader)) in source.files.iter().zip(readers).enumerate().skip(1) {
        if later(file) {
            last = last.max(*ends.entry(at).or_insert_with(|| end(source, file, reader)));
        }
    }
    if last > known {
        (entry.updated, entry.undated) = (last, false);
    }
    entry
}

/// The last time at the ends of a file, which its reader then forgets.
fn end(source: &Source, file: &SourceFile, reader: &mut Reader<'_>) -> Option<UtcTime> {
    let bytes = reader.lines(END_BYTES);
    reader.forget();
    let member = Member::new(&*file.name, file.role.stream(), bytes.ok()?)?;
    let member = decode(source.format, member).ok()?;
    let sessions = source.format.read(Arc::new(Bundle { members: vec![member] }));
    sessions.iter().filter_map(|session| facts::lasted(session).end).map(|end| end.instant).max()
}

/// The project's folder, if the agent wrote it into files other than the session's.
pub fn project(source: &Source, kept: &Kept) -> Option<String> {
    let file = &source.files.first()?.path;
    let read = |relative: &str| kept.beside(&file.parent()?.join(relative), BESIDE as usize);
    (source.format.data().project)(&slashed(file), &read)
}

/// The person's own words of the first prompt, which is the event that opens the first turn.
#[must_use]
pub fn first_prompt(session: &Session) -> Option<String> {
    let opening =
        session.top().filter(|event| turn::opens(*event) && !event.said().trim().is_empty());
    let own = |event: EventRef<'_>| {
        let said = told::text(event);
        formats::wrapped::unwrapped(session.format, &said).own.to_owned()
    };
    let mut prompts = opening.map(own);
    let first = prompts.next()?;
    match formats::wrapped::is_greeting(&first) {
        true => prompts.find(|prompt| !formats::wrapped::is_greeting(prompt)).or(Some(first)),
        false => Some(first),
    }
}

/// The task of a sub-agent that nobody prompted: the last message to it before it began to work.
fn task(session: &Session) -> Option<String> {
    let own = session.top().filter(|event| !event.standing().is_copied());
    let given = own.take_while(|event| {
        !matches!(event.kind, Kind::Assistant | Kind::Reasoning | Kind::ToolCall)
    });
    let is_task = |event: &EventRef<'_>| {
        event.kind == Kind::User && conversation::of(*event).part != TalkPart::Told
    };
    let said = given.filter(is_task).map(|event| event.said());
    let last = said.filter(|said| !said.trim().is_empty()).last();
    last.map(|said| said.trim().to_owned())
}

/// A time of a file as an instant of sessions.
pub fn instant(time: SystemTime) -> Option<UtcTime> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(UtcTime)
}

/// Reads the ends of the main files, and small files beside them. Unreadable files other than the
/// first are omitted: a check reports them.
fn read(
    source: &Source,
    readers: &mut [Reader<'_>],
    head: usize,
    memory: &mut Memory,
) -> io::Result<Vec<Session>> {
    let mut bundle = Bundle::default();
    let (mut beside, mut together) = (BESIDE, TOGETHER);
    for (at, (file, reader)) in source.files.iter().zip(readers).enumerate() {
        let bytes = if together == 0 {
            break;
        } else if let Some(rows) = &file.rows {
            let dump = rows.store.dump(&rows.session, Some(2 * head));
            dump.map(|dump| dump.bytes).map_err(io::Error::other)
        } else if at == 0 || file.role == Role::Main {
            reader.lines(head)
        } else if file.role == Role::Beside(None) && file.length <= beside {
            beside -= file.length;
            reader.whole()
        } else {
            continue;
        };
        match bytes {
            Ok(bytes) => {
                together = together.saturating_sub(bytes.len());
                let stream = file.role.stream();
                let member = Member::new(&*file.name, stream, bytes);
                let member = member.map(|member| decode(source.format, member)).transpose()?;
                bundle.members.extend(member);
            }
            Err(error) if at == 0 => return Err(error),
            Err(_) => {}
        }
    }
    bundle.settle();
    Ok(source.format.read_with(Arc::new(bundle), memory))
}
