//! Proof, bundle by bundle, that nothing is lost, with the places of unknown content.
//!
//! It has three claims: records tile their files; every record is rebuilt from its labelled fields;
//! an independent parser finds the same leaves at the same paths. A deep check adds the round trip
//! through the record (`deep.rs`). A check never trusts the reader that it checks: it takes the
//! sessions from the reader, and compares them with the bytes.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::copies::{Held, copies};
use catalog::find::found::Found;
use catalog::open::bundle::{Unread, bundle};
use catalog::open::source::Source;
use catalog::{Error, Job};
use evidence::witness::{WitnessReplay, is_json};
use formats::Format;
use session::{Bundle, EventRef, JsonFault, Kind, Member, Record, Session, Span, proof};

use crate::prove::deep::round_trip;
use crate::prove::drift::Drift;

/// Checks all sources of a search. `done` receives each source as it ends, from any thread.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn check(
    job: &Job,
    found: &Found,
    depth: Depth,
    done: &(dyn Fn(&Checked) + Sync),
) -> Result<Vec<Checked>, Error> {
    let mut checked = check_all(job, &found.sources, depth, done)?;
    mark_copies(&mut checked);
    databases(found, &mut checked);
    Ok(checked)
}

/// Marks the checked sessions that are copies of other checked sessions. Copies of sources with
/// several sessions are not recognized.
fn mark_copies(checked: &mut [Checked]) {
    fn held(checked: &Checked) -> Held<'_> {
        match &*checked.sessions {
            [id] => Held {
                uid: (checked.format, id),
                files: checked.files.iter().map(|file| file.path.as_path()).collect(),
            },
            _ => Held { uid: ("", ""), files: Vec::new() },
        }
    }
    let copies = copies(&checked.iter().map(held).collect::<Vec<_>>());
    for (at, of) in copies.iter().enumerate() {
        let path = of.and_then(|of| checked[of].files.first()).map(|file| file.path.clone());
        checked[at].copy_of = path;
    }
}

/// Depth of a check: the claims that it proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Without the independent parser: records tile their files, and are rebuilt from their fields.
    Quick,
    /// The claims of `Quick`, and those of the independent parser.
    Full,
    /// The claims of `Full`, and the round trip: each session is restored from its record.
    Deep,
}

/// Result of a check of one source.
#[derive(Debug, Default)]
pub struct Checked {
    /// The format's name.
    pub format: &'static str,
    /// The uids of its sessions.
    pub sessions: Vec<String>,
    /// The main file of the session that it is a copy or an earlier state of.
    pub copy_of: Option<PathBuf>,
    /// Its files that were read.
    pub files: Vec<CheckedFile>,
    /// Number of records.
    pub records: u64,
    /// Number of events in these records.
    pub events: u64,
    /// Number of leaves in the native JSON; `None` if the independent parser was left out.
    pub leaves: Option<u64>,
    /// Number of leaves that are in no event or in several, or that have another path or value
    /// there.
    pub missing: u64,
    /// Places where a claim fails.
    pub lost: Vec<Lost>,
    /// Damaged bytes. They are kept as they are.
    pub damaged: Vec<Damaged>,
    /// Files that could not be read at all.
    pub unread: Vec<Unread>,
    /// Names that no table knows.
    pub drift: Drift,
}

/// A file that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Its bytes as stored.
    pub stored: u64,
    /// Its bytes as read, decompressed.
    pub bytes: u64,
}

/// A place where a claim of the proof fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The first byte, from 0.
    pub byte: u64,
    /// Length in bytes.
    pub length: u64,
    /// The failed claim, in words.
    pub what: String,
}

/// Bytes that could not be read as the format requires. They are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The byte at which reading failed, from 0.
    pub byte: u64,
    /// The reason.
    pub why: String,
    /// True if all of it could be read in spite of the damage, such as values glued together.
    pub mended: bool,
    /// True if the bytes are intact but refer to something that does not exist.
    pub dangling: bool,
}

/// Maximum number of failures of a source that are reported.
const TOLD: usize = 100;

impl Checked {
    /// Bytes of its files, decompressed.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// Reads and checks the files of one source.
#[must_use]
pub fn check_source(source: &Source, depth: Depth) -> Checked {
    let (bundle, unread) = bundle(source);
    let paths = source.paths(&bundle);
    let mut checked = prove(source.format, bundle, paths, depth);
    checked.unread = unread;
    checked
}

/// Checks a bundle. `paths` are the files of its members.
#[must_use]
pub fn prove(
    format: &'static dyn Format,
    bundle: impl Into<Arc<Bundle>>,
    paths: Vec<PathBuf>,
    depth: Depth,
) -> Checked {
    let bundle = bundle.into();
    let sessions = format.read(Arc::clone(&bundle));
    let file = |(member, path): (&Member, &PathBuf)| CheckedFile {
        path: path.clone(),
        stored: member.stored_bytes().len() as u64,
        bytes: member.bytes().len() as u64,
    };
    let checked = Checked {
        format: format.name(),
        sessions: sessions.iter().filter(|s| !s.remainder).map(Session::uid).collect(),
        files: bundle.members.iter().zip(&paths).map(file).collect(),
        records: sessions.iter().map(|session| session.records.len() as u64).sum(),
        events: sessions.iter().map(|session| session.len() as u64).sum(),
        ..Checked::default()
    };
    let mut proving = Proving { bundle, paths, checked };
    proving.tiling(&sessions);
    proving.damage(&sessions);
    if depth >= Depth::Full {
        proving.witness(&sessions);
    }
    if depth >= Depth::Deep {
        for (member, span, what) in round_trip(format, &proving.bundle, &sessions) {
            proving.lose(member, span, &what);
        }
    }
    for session in &sessions {
        proving.checked.drift.add(session);
    }
    proving.checked
}

struct Proving {
    bundle: Arc<Bundle>,
    paths: Vec<PathBuf>,
    checked: Checked,
}

impl Proving {
    /// The structural claims, and that the sessions were read from these bytes at all.
    fn tiling(&mut self, sessions: &[Session]) {
        let foreign = sessions.iter().any(|session| {
            !Arc::ptr_eq(&session.bundle, &self.bundle) && session.bundle != self.bundle
        });
        let blank = |member: &Member| member.bytes().iter().all(u8::is_ascii_whitespace);
        if sessions.is_empty() && self.bundle.members.iter().all(blank) {
            return;
        }
        if sessions.is_empty() || foreign {
            let what = if foreign { "read from other bytes" } else { "no session was read" };
            for member in 0..self.paths.len() as u32 {
                let end = self.bundle.bytes(member).len() as u32;
                self.lose(member, Span::new(0, end), what);
            }
            return;
        }
        for breach in proof::check(sessions, TOLD) {
            self.lose(breach.member, breach.span, breach.what.words());
        }
    }

    fn damage(&mut self, sessions: &[Session]) {
        for (session, note) in
            sessions.iter().flat_map(|one| one.notes.iter().map(move |n| (one, n)))
        {
            let path = self.path(note.member);
            let (line, byte) = (note.line.into(), note.at.into());
            let (why, mended) = (session.note_words(note).into_owned(), note.mended);
            let dangling = note.why.is_dangling();
            self.checked.damaged.push(Damaged { path, line, byte, why, mended, dangling });
        }
    }

    /// Compares the leaves that the independent parser finds with those of the events.
    fn witness(&mut self, sessions: &[Session]) {
        let (mut leaves, mut replay) = (0, WitnessReplay::default());
        for session in sessions {
            let mut from = 0;
            for (number, record) in (0u32..).zip(&session.records) {
                let events = events_of(session, number, &mut from);
                let bytes = self.bundle.bytes(record.member);
                if let Some(first) = events.clone().next()
                    && first.kind == Kind::Opaque
                    && first.fields().is_empty()
                {
                    if is_json(record.span.of(bytes)) && !is_too_deep(session, record) {
                        self.lose(record.member, record.span, "valid JSON that was not read");
                    }
                    continue;
                }
                let told = replay.compare(bytes, record.span, events);
                leaves += told.leaves;
                self.checked.missing += told.missing;
                if let Some(at) = told.differs {
                    let start = record.span.start + at;
                    let span = Span::new(start, start.max(record.span.end));
                    self.lose(record.member, span, "the events have other values than the file");
                }
            }
        }
        self.checked.leaves = Some(leaves);
    }

    fn path(&self, member: u32) -> PathBuf {
        self.paths.get(member as usize).cloned().unwrap_or_default()
    }

    fn lose(&mut self, member: u32, span: Span, what: &str) {
        let before = self.bundle.bytes(member).get(..span.start as usize).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        let (path, what) = (self.path(member), what.to_owned());
        let (byte, length) = (span.start.into(), span.len() as u64);
        if self.checked.lost.len() < TOLD {
            self.checked.lost.push(Lost { path, line, byte, length, what });
        }
    }
}

/// The events of a record. Events are in the order of their records, so the search continues at
/// `from`.
fn events_of<'s>(
    session: &'s Session,
    record: u32,
    from: &mut u32,
) -> impl Iterator<Item = EventRef<'s>> + Clone + use<'s> {
    let count = session.len() as u32;
    let first = *from;
    while *from < count && session.event(*from).origin.record == record {
        *from += 1;
    }
    (first..*from).map(|at| session.event(at))
}

/// Checks all sources with the threads of a job, the largest first. `done` gets each result as
/// soon as it exists, from any thread. The returned results have the order of `sources`.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn check_all(
    job: &Job,
    sources: &[Source],
    depth: Depth,
    done: &(dyn Fn(&Checked) + Sync),
) -> Result<Vec<Checked>, Error> {
    job.parallel(sources, Source::length, |source| {
        let checked = check_source(source, depth);
        done(&checked);
        checked
    })
}

/// Adds the unknown tables and keys of each database to the drift of its first source. A database
/// without a source gets an entry of its own.
pub(crate) fn databases(found: &Found, checked: &mut Vec<Checked>) {
    for (at, store) in found.stores() {
        let mut alone = Checked { format: store.format.name(), ..Checked::default() };
        let into = at.and_then(|at| checked.get_mut(at)).unwrap_or(&mut alone);
        match store.unknown() {
            Ok(unknown) => into.drift.tables(store.format.name(), &unknown),
            Err(fault) => {
                let (path, why) = (store.path.clone(), fault.to_string());
                into.unread.push(Unread { path, why, gone: false });
            }
        }
        if !alone.drift.is_empty() || !alone.unread.is_empty() {
            checked.push(alone);
        }
    }
}
/// Whether a record is kept unread for its depth, with a note.
fn is_too_deep(session: &Session, record: &Record) -> bool {
    let mut notes = session.notes.iter().filter(|note| note.why == JsonFault::Deep);
    notes.any(|note| (note.member, note.span) == (record.member, record.span))
}
