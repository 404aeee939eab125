//! Output of writing: files, and the ledger of the source's fields that are not in them.

use std::io;
use std::sync::Arc;

use meaning::account::{Cause, Fate, LedgerRow};
use session::{Bundle, Session, Transport, UtcTime};

use crate::convert::closed::ClosedBooks;

/// Options for writing a session. Most native formats have only one form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Formatted for people: one member per line.
    pub pretty: bool,
    /// Embeds the native bytes, so that every byte can be restored from the document alone.
    pub embed: bool,
    /// Writes the session of a database as the dump of its rows, even if its agent reads another
    /// form.
    pub rows: bool,
    /// Writes the values that give access to something. Otherwise other bytes of the same length
    /// replace them, and the ledger names them.
    pub secrets: bool,
    /// Time of writing, for a document that states it, and for an agent that removes what was not
    /// used for long. Without it the session's own last time is used, and the same session gives
    /// the same bytes.
    pub at: Option<UtcTime>,
    /// The time of a session that is written for another agent, if none of its events has one:
    /// that of its file.
    pub untimed: Option<UtcTime>,
    /// Writes compacted conversation for another agent too, not only what its agent would resume.
    pub all: bool,
    /// The working directory of the session that is written for another agent, if it is to be
    /// continued in another folder than its own.
    pub folder: Option<Arc<str>>,
    /// Writes a session of the agent itself as another agent's, in the form that the agent has
    /// today.
    pub anew: bool,
    /// A name from which the ids of a session that is written for another agent are derived too: it
    /// is another session there than the one of the same source without this name.
    pub copy: Option<Arc<str>>,
    /// The title by which the session's own agent lists it, in a file beside it.
    pub listed: Option<Arc<str>>,
    /// The provider and the model that the other agent's next request goes to: its user's own.
    pub next: Option<Arc<[String; 2]>>,
    /// Writes only what the document's published schema accepts. If the schema can't represent the
    /// session exactly, writing is refused.
    pub strict: bool,
}

/// Written files, and the ledger of fields that they do not contain.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Name (relative, `/` between parts) and bytes of each file, the main one first.
    pub files: Vec<(String, Content)>,
    /// The rows of the ledger: what was not copied unchanged. None claims that everything was.
    pub rows: Vec<LedgerRow>,
    /// The books, if the session was written for another agent.
    pub books: Option<Arc<ClosedBooks>>,
}

/// The bytes of a written file: made for it, or those of a bundle, which are not copied.
#[derive(Clone, Debug)]
pub enum Content {
    /// Made.
    Made(Vec<u8>),
    /// The stored bytes of the member with this index.
    Stored(Arc<Bundle>, usize),
}

impl Content {
    /// The bytes, for changing them. Those of a bundle are copied.
    pub fn to_mut(&mut self) -> &mut Vec<u8> {
        let bytes = match self {
            Self::Made(bytes) => return bytes,
            Self::Stored(..) => self.to_vec(),
        };
        *self = Self::Made(bytes);
        self.to_mut()
    }
}

impl std::ops::Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Made(bytes) => bytes,
            Self::Stored(bundle, member) => {
                bundle.members.get(*member).map_or(&[], session::Member::stored_bytes)
            }
        }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Made(bytes)
    }
}

/// Writes the bytes of one file, in order. Each call writes them again from the beginning.
pub type Compose<'c> = &'c mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>;

/// Receiver of written files, one after another: no document has to be held in memory.
pub trait Files {
    /// Announces the names of all files that follow (relative, `/` between parts), the main one
    /// first.
    ///
    /// # Errors
    /// If they can't be accepted; then none is written.
    fn begin(&mut self, names: &[&str]) -> io::Result<()> {
        let _ = names;
        Ok(())
    }

    /// Receives a file, by its name.
    ///
    /// # Errors
    /// If it can't be written; then it does not exist.
    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()>;

    /// Receives the books of the conversion of this session, after its last file, if it keeps any.
    ///
    /// # Errors
    /// If they can't be written.
    fn books(&mut self, session: &Session, books: &ClosedBooks) -> io::Result<()> {
        let _ = (session, books);
        Ok(())
    }
}

/// Files in memory.
impl Files for Vec<(String, Content)> {
    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        compose(&mut bytes)?;
        self.push((name.to_owned(), bytes.into()));
        Ok(())
    }
}

impl Written {
    /// Passes on the files that were written for this session, and returns the ledger's rows.
    ///
    /// # Errors
    /// Those of `files`.
    pub fn hand_on(self, session: &Session, files: &mut dyn Files) -> io::Result<Vec<LedgerRow>> {
        let names: Vec<&str> = self.files.iter().map(|(name, _)| &**name).collect();
        files.begin(&names)?;
        for (name, content) in &self.files {
            files.file(name, &mut |sink| sink.write_all(content))?;
        }
        if let Some(books) = &self.books {
            files.books(session, books)?;
        }
        Ok(self.rows)
    }
}

/// A session restored from a document.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The name of the native format.
    pub format: String,
    /// The native id of the session. The members may contain others too.
    pub id: String,
    /// The native members: as stored, or with equal records.
    pub bundle: Bundle,
    /// Whether the members have every stored byte.
    pub exact: bool,
    /// The document from which the session had been restored before, if its bytes are here too: its
    /// format's name, and its bundle.
    pub document: Option<(String, Bundle)>,
}

/// The reason why a session could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The target is another agent's format, and verbatim can't write it yet.
    #[error("a session of {from} can't be written as {to} yet")]
    Foreign {
        /// The session's format.
        from: &'static str,
        /// The requested format.
        to: &'static str,
    },
    /// The session has no prompt, so there is nothing to carry on with.
    #[error("the session has no prompt: {to} can't resume it")]
    NoPrompt {
        /// The requested format.
        to: &'static str,
    },
    /// No event of the session has a time, and the target requires times.
    #[error(
        "the session records no time, and the time of its file is not known: {to} requires times"
    )]
    Timeless {
        /// The requested format.
        to: &'static str,
    },
    /// The document's schema has no place for the session, and must be met exactly.
    #[error("{what}: {why}; without `--schema-strict` it is written and reported")]
    Schema {
        /// The part without a place.
        what: String,
        /// The cause.
        why: &'static str,
    },
    /// The record has no native bytes, and they can't be derived from it.
    #[error("{what}: {why}")]
    Incomplete {
        /// The missing part.
        what: String,
        /// The reason why it can't be derived.
        why: String,
    },
}

/// Whether a session is, or was, in a database: its rows' dump is all that is known of it.
#[must_use]
pub(crate) fn is_of_a_database(session: &Session) -> bool {
    session.bundle.members.iter().any(|member| *member.transport() == Transport::Dump)
}

/// Output for the session's own agent. If it is a dump of rows that nobody requested, the ledger
/// says so.
pub(crate) fn dumped(session: &Session, options: &Options, mut written: Written) -> Written {
    if is_of_a_database(session) && !options.rows {
        let what = format!("the rows of {}", session.format);
        let fate = Fate::Mapped(Cause::Dump);
        written.rows.push(LedgerRow::of(what, fate, Cause::Dump, None));
    }
    written
}

/// The session's own stored bytes: native writing for the same agent.
#[must_use]
pub fn native(session: &Session) -> Written {
    let members = session.bundle.members.iter().enumerate();
    let file = |(at, member): (usize, &session::Member)| {
        (member.name.clone(), Content::Stored(Arc::clone(&session.bundle), at))
    };
    Written { files: members.map(file).collect(), ..Written::default() }
}
