//! What a list says of a session, read from the ends of its files: complete lines of head and tail
//! make a small bundle, and the format reads it like any other.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use formats::Role;
use session::told::{self, Moment};
use session::{Bundle, Instant, Member, Scan, Session, Slot, turn};

use crate::claim::slashed;
use crate::open::{END_BYTES, decode, head, stream, tail, whole};
use crate::scan::{File, Source};
use crate::unpack::is_zstd;

/// A session in a list.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub id: String,
    /// Its title, or the agent's own short word for it.
    pub title: Option<String>,
    /// The first thing a person asked.
    pub prompt: Option<String>,
    /// Where the agent worked.
    pub folder: Option<String>,
    /// The model that stands for it: the first that it is by.
    pub model: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// When it began.
    pub started: Option<Instant>,
    /// When it was last added to: by its own word, or else by its files'.
    pub updated: Option<Instant>,
    /// The bytes of its files, as stored.
    pub length: u64,
    /// Its files, the main one first.
    pub files: Vec<std::path::PathBuf>,
    /// How many turns; counted only on demand, for it needs the whole session.
    pub turns: Option<usize>,
}

/// How much is read beside the main files of a session, in bytes: some agents keep the title there.
const BESIDE: u64 = 256 * 1024;

/// How much more of a head is read where no prompt was in it.
const LONG_HEAD: usize = 1024 * 1024;

/// The sessions of a source, as far as the ends of its files tell.
///
/// # Errors
/// Where its first file can't be read.
pub fn glance(source: &Source) -> io::Result<Vec<Entry>> {
    let mut entries = entries(source, read(source, END_BYTES)?);
    if entries.iter().any(|entry| entry.prompt.is_none() && entry.title.is_none())
        && source.files.first().is_some_and(|file| file.length > 2 * END_BYTES as u64)
    {
        entries = self::entries(source, read(source, LONG_HEAD)?);
    }
    Ok(entries)
}

/// The same, from sessions that were read whole.
#[must_use]
pub(crate) fn entries(source: &Source, sessions: Vec<Session>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = sessions
        .iter()
        .filter(|session| !session.remainder)
        .map(|session| entry(source, session))
        .collect();
    if entries.is_empty() {
        // Files that hold nothing but what belongs to no session are still in the list.
        entries.extend(sessions.first().map(|session| entry(source, session)));
    }
    entries
}

fn entry(source: &Source, session: &Session) -> Entry {
    let text = |text: Option<Cow<'_, str>>| text.map(|text| text.into_owned());
    let lasted = told::lasted(session);
    let when = |moment: Option<Moment<'_>>| moment.map(|moment| moment.instant);
    let written = source.files.iter().filter_map(|file| file.modified).max();
    let id = if session.id.is_empty() { source.group.clone() } else { session.id.clone() };
    Entry {
        format: source.format.name(),
        id,
        title: text(session.last(Slot::Title)).or_else(|| text(session.last(Slot::AutoTitle))),
        prompt: prompt(session),
        folder: text(session.first(Slot::WorkingDir)).or_else(|| project(source)),
        model: told::model(session),
        version: text(session.last(Slot::Version)),
        started: when(lasted.start),
        updated: when(lasted.end).or_else(|| written.and_then(instant)),
        length: source.length(),
        files: source.files.iter().map(|file| file.path.clone()).collect(),
        turns: None,
    }
}

/// The project's folder, where the agent wrote it into other files than the session's.
pub(crate) fn project(source: &Source) -> Option<String> {
    let file = &source.files.first()?.path;
    let read = |relative: &str| {
        let bytes = head(&file.parent()?.join(relative), BESIDE as usize + 1).ok()?;
        (bytes.len() <= BESIDE as usize).then_some(bytes)
    };
    source.format.project(&slashed(file), &read)
}

/// The first prompt: what opens the first turn.
fn prompt(session: &Session) -> Option<String> {
    let opening =
        session.top().find(|event| turn::opens(*event) && !event.said().trim().is_empty());
    opening.map(|event| event.said().trim().to_owned())
}

fn instant(time: SystemTime) -> Option<Instant> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(Instant)
}

/// Reads the ends of the main files, and small files beside them. What can't be read, but for the
/// first, is left out here: a check reports it.
fn read(source: &Source, head: usize) -> io::Result<Vec<Session>> {
    let mut bundle = Bundle::default();
    let mut beside = BESIDE;
    for (at, file) in source.files.iter().enumerate() {
        let bytes = if let Some(rows) = &file.rows {
            let dump = rows.store.dump(&rows.session, Some(2 * head));
            dump.map(|dump| dump.bytes).map_err(io::Error::other)
        } else if at == 0 || file.role == Role::Main {
            lines(file, head)
        } else if file.role == Role::Beside(None) && file.length <= beside {
            beside -= file.length;
            whole(&file.path)
        } else {
            continue;
        };
        match bytes {
            Ok(bytes) => {
                let stream = stream(&file.role);
                let member = Member::new(&*file.name, stream, bytes);
                let member = member.map(|member| decode(source.format, member)).transpose()?;
                bundle.members.extend(member);
            }
            Err(error) if at == 0 => return Err(error),
            Err(_) => {}
        }
    }
    bundle.settle();
    Ok(source.format.read(Arc::new(bundle)))
}

/// The complete lines of a file's head and tail; all of it where it does not consist of lines.
fn lines(file: &File, mut count: usize) -> io::Result<Vec<u8>> {
    let (mut bytes, first) = loop {
        let bytes = head(&file.path, count)?;
        if bytes.len() < count {
            return Ok(bytes);
        }
        if let Some(first) = memchr::memchr(b'\n', &bytes) {
            break (bytes, first);
        }
        count *= 4;
    };
    let line = bytes[..first].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes[..first]);
    if std::str::from_utf8(line).is_err() || Scan::new().read(line, 0).is_err() {
        return whole(&file.path);
    }
    bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1));
    if !is_zstd(&file.path) {
        let end = bytes.len() as u64;
        let from = file.length.saturating_sub(END_BYTES as u64).max(end);
        let tail = tail(&file.path, from)?;
        // In the middle of a line, the next one is the first that is complete.
        let skip =
            if from == end { Some(0) } else { memchr::memchr(b'\n', &tail).map(|at| at + 1) };
        bytes.extend_from_slice(skip.and_then(|skip| tail.get(skip..)).unwrap_or_default());
    }
    Ok(bytes)
}
