//! What can be done with this machine's sessions, as compositions of the other parts: the command
//! line calls these, and so can a server. Nothing here prints or writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{Candidate, Claim, Format, Options, Restored, Tail, Written};
use session::{Bundle, Member, Session, turn};

use crate::around::around;
use crate::error::Error;
use crate::glance::{Entry, entries, glance};
use crate::machine::{Machine, Root};
use crate::open::{END_BYTES, Unread, bundle, stream};
use crate::packed;
use crate::scan::{Aside, Found, Source, Why, scan};
use crate::work::parallel;
use crate::{Formats, check};

/// The catalog of a machine's sessions.
pub struct Catalog<'f> {
    /// The formats that it knows.
    pub formats: Formats<'f>,
    /// The machine.
    pub machine: Machine,
}

/// What a list holds.
#[derive(Default)]
pub struct Listing {
    /// The sessions, the newest first.
    pub entries: Vec<Entry>,
    /// The files that are no session, or can't be read.
    pub aside: Vec<Aside>,
}

/// A session that was read, with what stands beside it in its bundle.
pub struct Opened {
    /// All sessions of the bundle.
    pub sessions: Vec<Session>,
    /// Which of them was asked for.
    pub picked: usize,
    /// Files of the bundle that could not be read.
    pub unread: Vec<Unread>,
    /// Where the bundle's files are; nothing where it came without one.
    pub paths: Vec<PathBuf>,
}

impl Opened {
    /// The session that was asked for.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.sessions[self.picked]
    }
}

impl<'f> Catalog<'f> {
    /// The catalog of this machine, with all formats of the registry.
    #[must_use]
    pub fn here() -> Self {
        Self { formats: formats::ALL, machine: Machine::here() }
    }

    /// Finds the files of all sessions below `paths`, or in the agents' own places where there are
    /// none. A path that is one file finds all that belongs to its session.
    #[must_use]
    pub fn find(&self, paths: &[PathBuf]) -> Found {
        if paths.is_empty() {
            return scan(self.formats, &self.machine.roots(self.formats));
        }
        let paths = paths.iter().map(PathBuf::as_path);
        let (files, folders): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_file());
        let mut found = around(self.formats, &files);
        let roots: Vec<Root> = folders.into_iter().map(Root::named).collect();
        let mut below = scan(self.formats, &roots);
        found.sources.append(&mut below.sources);
        found.aside.append(&mut below.aside);
        found
    }

    /// Lists the sessions below `paths` (or in the agents' own places), the newest first. `turns`
    /// reads every session whole to count them.
    #[must_use]
    pub fn list(&self, paths: &[PathBuf], turns: bool) -> Listing {
        let Found { sources, aside } = self.find(paths);
        let mut listing = Listing { entries: Vec::new(), aside };
        let look = |source: &Source| if turns { Ok(counted(source)) } else { glance(source) };
        for (source, result) in sources.iter().zip(parallel(&sources, Source::length, look)) {
            match result {
                Ok(mut entries) => listing.entries.append(&mut entries),
                Err(error) => listing.aside.extend(source.files.first().map(|file| Aside {
                    path: file.path.clone(),
                    why: Why::Unreadable(error.to_string()),
                })),
            }
        }
        listing
            .entries
            .sort_by(|a, b| (b.updated, a.format, &a.id).cmp(&(a.updated, b.format, &b.id)));
        listing
    }

    /// Reads the session that `query` names: a path, or an id (or its beginning, with or without
    /// `format:` before it) among the sessions below `within`, or in the agents' own places.
    ///
    /// # Errors
    /// Where nothing, or more than one session, has this name; or it can't be read.
    pub fn open(&self, query: &str, within: &[PathBuf]) -> Result<Opened, Error> {
        let path = Path::new(query);
        if within.is_empty() && path.exists() {
            return self.open_path(path);
        }
        let found = self.find(within);
        let (source, id) = pick(&found, query)?;
        let mut opened = read(source)?;
        opened.picked = opened.sessions.iter().position(|s| s.id == id).unwrap_or_default();
        Ok(opened)
    }

    /// The files of the session with this id (or its beginning) below `within`, or in the agents'
    /// own places.
    ///
    /// # Errors
    /// Where nothing, or more than one session, has this name.
    pub fn source(&self, query: &str, within: &[PathBuf]) -> Result<Source, Error> {
        let found = self.find(within);
        pick(&found, query).map(|(source, _)| source.clone())
    }

    /// Reads all sessions of a source.
    ///
    /// # Errors
    /// Where none of its files can be read.
    pub fn read(&self, source: &Source) -> Result<Opened, Error> {
        read(source)
    }

    /// Reads the one session that a file or folder holds.
    fn open_path(&self, path: &Path) -> Result<Opened, Error> {
        let found = self.find(&[path.to_path_buf()]);
        match &*found.sources {
            [source] => {
                let opened = read(source)?;
                let whole: Vec<String> =
                    opened.sessions.iter().filter(|s| !s.remainder).map(Session::uid).collect();
                match whole.len() {
                    0 | 1 => Ok(opened),
                    _ => Err(Error::Several { path: path.into(), found: whole }),
                }
            }
            [] => {
                let aside = found.aside.iter().find(|aside| aside.path == path);
                let why = aside.map_or("no session in it".into(), |aside| aside.why.to_string());
                Err(Error::NoSession { path: path.into(), why })
            }
            several => {
                let uid = |source: &Source| format!("{}:{}", source.format.name(), source.group);
                Err(Error::Several { path: path.into(), found: several.iter().map(uid).collect() })
            }
        }
    }

    /// Reads a session from bytes that came without a file.
    ///
    /// # Errors
    /// Where no format knows them.
    pub fn open_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Opened, Error> {
        let (format, member) = self.claim_bytes(name, bytes)?;
        let sessions = format.read(Arc::new(Bundle::of(member)));
        Ok(Opened { sessions, picked: 0, unread: Vec::new(), paths: Vec::new() })
    }

    fn claim_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(&'static dyn Format, Member), Error> {
        let format = self.format(self.claimed(name, &bytes)?)?;
        self.member(format, name, bytes)
    }

    /// The name of the format that claims these bytes.
    pub(crate) fn claimed(&self, name: &str, bytes: &[u8]) -> Result<&'static str, Error> {
        if let Some((format, _)) = packed::claim(self.formats, &candidate(name, bytes)) {
            return Ok(format.name());
        }
        let mut why = "no known agent writes such a file";
        for format in self.formats {
            match format.claim(&candidate(name, bytes)) {
                Claim::Part { .. } => return Ok(format.name()),
                Claim::NoSession(reason) => why = reason,
                Claim::No => {}
            }
        }
        Err(Error::NoSession { path: name.into(), why: why.into() })
    }

    /// These bytes as a member for a format: the role that it claims for them, or the main one.
    pub(crate) fn member(
        &self,
        format: &'static dyn Format,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(&'static dyn Format, Member), Error> {
        let role = match format.claim(&candidate(name, &bytes)) {
            Claim::Part { role, .. } => role,
            _ => formats::Role::Main,
        };
        let member = Member::new(name, stream(&role), bytes);
        let long = || Error::NoSession { path: name.into(), why: "too long".into() };
        let member = packed::decode(format, member.ok_or_else(long)?)
            .map_err(|error| Error::Convert { path: name.into(), error })?;
        Ok((format, member))
    }

    /// The format of a name.
    ///
    /// # Errors
    /// Where there is none.
    pub fn format(&self, name: &str) -> Result<&'static dyn Format, Error> {
        let known = || self.formats.iter().map(|format| format.name()).collect();
        let format = self.formats.iter().copied().find(|format| format.name() == name);
        format.ok_or_else(|| Error::NoFormat { name: name.into(), known: known() })
    }

    /// Writes a session as `to`. A document goes back to what it was made from, or on from there.
    ///
    /// # Errors
    /// Where there is no such format, or it can't hold the session; where a document does not hold
    /// together.
    pub fn convert(
        &self,
        session: &Session,
        to: &str,
        options: &Options,
    ) -> Result<Written, Error> {
        let target = self.format(to)?;
        let native = if session.format == to { None } else { self.native(session)? };
        Ok(target.write_with(native.as_ref().unwrap_or(session), options)?)
    }

    /// The session that a document was made from; `None` where the session is an agent's own.
    ///
    /// # Errors
    /// Where the document does not hold together.
    pub fn native(&self, session: &Session) -> Result<Option<Session>, Error> {
        let Some(restored) = self.format(session.format)?.restore(session) else {
            return Ok(None);
        };
        let Restored { format, id, bundle, .. } = restored?;
        let origin = self.format(&format)?;
        let members = bundle.members.into_iter().map(|member| origin.decode(member)).collect();
        let mut sessions = origin.read(Arc::new(Bundle { members }));
        if sessions.is_empty() {
            let why = "what the document gives back holds no session".into();
            return Err(Error::NoSession { path: id.into(), why });
        }
        let at = sessions.iter().position(|native| native.id == id).unwrap_or_default();
        Ok(Some(sessions.swap_remove(at)))
    }

    /// The same in deterministic CBOR.
    ///
    /// # Errors
    /// As [`Catalog::convert`]; where `to` is no document that has a form in CBOR.
    pub fn convert_to_cbor(
        &self,
        session: &Session,
        to: &str,
        options: &Options,
    ) -> Result<Written, Error> {
        let mut written = self.convert(session, to, options)?;
        packed::pack(&mut written, to)?;
        Ok(written)
    }

    /// Checks all that is below `paths`, or in the agents' own places. `done` is told of each
    /// source as it ends, from any thread.
    #[must_use]
    pub fn check(
        &self,
        found: &Found,
        quick: bool,
        done: &(dyn Fn(&check::Checked) + Sync),
    ) -> Vec<check::Checked> {
        let mut checked = check::check_all(&found.sources, quick, done);
        check::databases(found, &mut checked);
        checked
    }
}

/// The sessions of a source, read whole, with their turns.
fn counted(source: &Source) -> Vec<Entry> {
    let sessions = source.format.read(Arc::new(bundle(source).0));
    let count = |session: &Session| {
        turn::turns(session).iter().filter(|turn| turn.prompt.is_some()).count()
    };
    let turns: Vec<usize> = sessions.iter().filter(|s| !s.remainder).map(count).collect();
    let mut entries = entries(source, sessions);
    for (entry, turns) in entries.iter_mut().zip(turns) {
        entry.turns = Some(turns);
    }
    entries
}

/// Reads a source whole.
fn read(source: &Source) -> Result<Opened, Error> {
    let (bundle, unread) = bundle(source);
    if bundle.members.is_empty()
        && let Some(first) = unread.first()
    {
        return Err(Error::NoSession { path: first.path.clone(), why: first.why.clone() });
    }
    let sessions = source.format.read(Arc::new(bundle));
    if sessions.is_empty() {
        let path = source.files.first().map(|file| file.path.clone()).unwrap_or_default();
        return Err(Error::NoSession { path, why: "no session could be read from it".into() });
    }
    let paths = source.files.iter().map(|file| file.path.clone()).collect();
    Ok(Opened { sessions, picked: 0, unread, paths })
}

/// The source that holds the session with this id, or the only one whose id begins so.
fn pick<'s>(found: &'s Found, query: &str) -> Result<(&'s Source, String), Error> {
    let sources = &found.sources;
    let mut begun: Vec<(&Source, String)> = Vec::new();
    let ids = parallel(sources, Source::length, |source| {
        glance(source)
            .map(|entries| entries.into_iter().map(|e| e.id).collect())
            .unwrap_or_else(|_| vec![source.group.clone()])
    });
    for (source, ids) in sources.iter().zip(ids) {
        for id in ids {
            let uid = format!("{}:{id}", source.format.name());
            if id == query || uid == query {
                return Ok((source, id));
            }
            if id.starts_with(query) || uid.starts_with(query) {
                begun.push((source, id));
            }
        }
    }
    match begun.len() {
        1 => Ok(begun.remove(0)),
        0 => {
            let failures = found.aside.iter().filter(|aside| aside.why.is_failure());
            let named = |aside: &Aside| format!("{}: {}", aside.path.display(), aside.why);
            Err(Error::NoSuch { query: query.into(), unread: failures.map(named).collect() })
        }
        _ => {
            let uid = |(source, id): &(&Source, String)| format!("{}:{id}", source.format.name());
            Err(Error::Ambiguous { query: query.into(), found: begun.iter().map(uid).collect() })
        }
    }
}

/// Bytes without a file, as they are offered to a format.
fn candidate<'b>(name: &'b str, bytes: &'b [u8]) -> Candidate<'b> {
    let head = &bytes[..bytes.len().min(END_BYTES)];
    let tail = &bytes[bytes.len().saturating_sub(END_BYTES).max(head.len())..];
    Candidate { path: name, head, tail: Tail::Is(tail), length: bytes.len() as u64 }
}
