//! Opened session, with the other sessions of its bundle.

use std::path::{Path, PathBuf};

use session::{EarlierReading, Session};

use crate::open::before::{FileRead, ReadBefore, Trust};
use crate::open::bundle::Unread;
use crate::open::source::{Source, SourceFile};
use crate::summary::Listed;

/// A session that was read, with the other sessions of its bundle.
#[derive(Debug)]
pub struct Opened {
    /// All sessions of the bundle. If no other session uses the requested session's files, it has a
    /// bundle of these alone.
    pub sessions: Vec<Session>,
    /// Index of the requested session.
    pub picked: usize,
    /// Files of the bundle that could not be read.
    pub unread: Vec<Unread>,
    /// Paths of the requested session's files; empty for standard input.
    pub paths: Vec<PathBuf>,
    /// Index of the first member that is history from another session's files, if it was added.
    pub history_from: Option<usize>,
    /// The sessions that the search for its id found; for a path or standard input, those of the
    /// bundle.
    pub found: Vec<Listed>,
    /// The state of the files before they were read.
    pub(crate) files: Vec<FileRead>,
    /// The number of bytes that were read to label them: all, or those that were added since the
    /// session was read before.
    pub bytes_read: u64,
}

impl Opened {
    /// The requested session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.sessions[self.picked]
    }

    /// The requested session, to add facts from elsewhere.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.sessions[self.picked]
    }

    /// The requested session alone.
    #[must_use]
    pub fn into_session(mut self) -> Session {
        self.sessions.swap_remove(self.picked)
    }

    /// The session as it was read, for the next reading of the same session to continue from.
    /// `None` if it can only be read anew: the bundle has several sessions.
    #[must_use]
    pub fn into_before(mut self, trust: Trust) -> Option<ReadBefore> {
        let session = self.sessions.pop().filter(|_| self.sessions.is_empty())?;
        Some(ReadBefore::new(EarlierReading::of(session)?, &self.files, trust))
    }

    /// The same from a copy, for a session that is still shown.
    #[must_use]
    pub fn before(&self, trust: Trust) -> Option<ReadBefore> {
        let [session] = &*self.sessions else { return None };
        Some(ReadBefore::new(EarlierReading::of(session.clone())?, &self.files, trust))
    }

    /// Picks one of the sessions. If no other session uses its files, it gets a bundle of these
    /// alone.
    pub(crate) fn pick(&mut self, at: usize, source: &Source) {
        let Some(session) = self.sessions.get(at) else { return };
        if session.shared {
            let alone = session.clone().alone();
            if !alone.shared {
                self.paths = source.paths(&alone.bundle);
                self.sessions[at] = alone;
            }
        }
        self.picked = at;
    }
}

/// Index of the only session with records in this file, for a source whose files hold several
/// sessions. `None` if no session or more than one has records there.
pub(crate) fn in_file(opened: &Opened, source: &Source, path: &Path) -> Option<usize> {
    let real = path.canonicalize().ok()?;
    let is_same = |file: &&SourceFile| file.path.canonicalize().is_ok_and(|file| file == real);
    let file = source.files.iter().find(is_same)?;
    let within = |session: &Session| {
        let name = |record: &session::Record| {
            session.bundle.members.get(record.member as usize).map(|member| &member.name)
        };
        !session.remainder && session.records.iter().any(|r| name(r) == Some(&file.name))
    };
    let mut found = (0..opened.sessions.len()).filter(|at| within(&opened.sessions[*at]));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}
