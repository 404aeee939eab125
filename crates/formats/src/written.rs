//! What writing yields: bytes, and what of the source is not in them.

use std::io;
use std::sync::Arc;

use session::secret::{self, Secret};
use session::{Bundle, Instant, Session, Span, Transport};

/// How a session is to be written. Most native formats have but one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Laid out for people: a member a line.
    pub pretty: bool,
    /// With the native bytes in it, so that every byte comes back from the document alone.
    pub embed: bool,
    /// The session of a database as the dump of its rows, also where its agent takes another form.
    pub rows: bool,
    /// With the values that give access to something. Without it, other bytes of the same length
    /// stand for them, and the ledger names them.
    pub secrets: bool,
    /// When it is written, for a document that states it. Without it, the session's own last time
    /// stands there, and the same session gives the same bytes.
    pub at: Option<Instant>,
    /// Only what the document's published schema accepts: refused where it cannot hold the session
    /// to the letter.
    pub strict: bool,
}

/// Files to be written, and the ledger of what they could not take.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Name (relative, `/` between parts) and bytes of each file, the main one first.
    pub files: Vec<(String, Content)>,
    /// What became of the source's fields, where that is not "carried as it is".
    pub losses: Losses,
}

/// The bytes of a file that is written: made for it, or those that a bundle has (a copy of them
/// would cost more than reading them).
#[derive(Clone, Debug)]
pub enum Content {
    /// Made.
    Made(Vec<u8>),
    /// The stored bytes of the member with this index.
    Stored(Arc<Bundle>, usize),
}

impl Content {
    /// The bytes to change them: a copy, where a bundle has them.
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

/// Writes the bytes of one file, in order. Each call writes them anew.
pub type Compose<'c> = &'c mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>;

/// Where written files go, one after the other: no document has to be held in memory.
pub trait Files {
    /// The names of all files that follow (relative, `/` between parts), the main one first.
    ///
    /// # Errors
    /// Where they cannot be taken: then none is written.
    fn begin(&mut self, names: &[&str]) -> io::Result<()> {
        let _ = names;
        Ok(())
    }

    /// Takes a file, by its name.
    ///
    /// # Errors
    /// Where it cannot be written; it is then not there.
    fn file(&mut self, name: &str, compose: Compose<'_>) -> io::Result<()>;
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
    /// Hands the files on; what remains is the ledger.
    ///
    /// # Errors
    /// Those of `files`.
    pub fn hand_on(self, files: &mut dyn Files) -> io::Result<Losses> {
        let names: Vec<&str> = self.files.iter().map(|(name, _)| &**name).collect();
        files.begin(&names)?;
        for (name, content) in &self.files {
            files.file(name, &mut |sink| sink.write_all(content))?;
        }
        Ok(self.losses)
    }
}

/// The ledger. Empty is a claim: everything is carried.
pub type Losses = Vec<Loss>;

/// One source field (or several alike) that did not simply pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The native name, or what is missing.
    pub what: String,
    /// What happened to it.
    pub carried: Carried,
    /// Why.
    pub why: &'static str,
    /// The member and bytes of the source, where there is a source.
    pub at: Option<(u32, Span)>,
}

/// What becomes of a field when a session is written for another agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// Under another name or in another shape, nothing missing.
    Mapped,
    /// Not in the source: made, because the target needs it.
    Synthesised,
    /// Not in the target.
    Dropped,
    /// Left out on purpose: it gives access to something. Stars stand for it.
    Withheld,
}

/// What a document gives back.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The name of the native format.
    pub format: String,
    /// The native id of the session: the members may hold others beside it.
    pub id: String,
    /// The native members: as they were stored, or with equal records.
    pub bundle: Bundle,
    /// True where the members have every byte that they had.
    pub exact: bool,
    /// The document that the session had been given back from before, where its bytes are here too:
    /// its format's name, and it.
    pub document: Option<(String, Bundle)>,
}

/// Why a session could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The target is another agent's format and there is no way to write it yet.
    #[error("{from} cannot be written as {to} yet, only as `vac`, `stead` or `{from}`")]
    Foreign {
        /// The session's format.
        from: &'static str,
        /// The format asked for.
        to: &'static str,
    },
    /// The document's schema has no place for the session, and it is to be met to the letter.
    #[error("{what}: {why}; without `--schema-strict` it is written and reported")]
    Schema {
        /// What it has no place for.
        what: String,
        /// Why.
        why: &'static str,
    },
    /// The record does not carry the native bytes, and they cannot be derived from it.
    #[error("{what}: {why}")]
    Incomplete {
        /// What is missing.
        what: String,
        /// Why it cannot be made.
        why: String,
    },
}

/// True for a session that stands, or stood, in a database: what is known of it is its rows' dump.
#[must_use]
pub(crate) fn is_of_a_database(session: &Session) -> bool {
    session.bundle.members.iter().any(|member| *member.transport() == Transport::Dump)
}

/// What was written for the session's own agent; where that is a dump of rows and nobody asked for
/// one, the ledger says so.
pub(crate) fn dumped(session: &Session, options: &Options, mut written: Written) -> Written {
    if is_of_a_database(session) && !options.rows {
        let (what, carried) = (format!("the rows of {}", session.format), Carried::Mapped);
        let why = "as a dump, a row a line: there is no form in which the agent takes them in";
        written.losses.push(Loss { what, carried, why, at: None });
    }
    written
}

/// The session as a document may show it, unless its secrets are asked for; and what it withholds,
/// each name once.
pub(crate) fn shown(session: &Session, options: &Options) -> (Option<Session>, Losses) {
    let covered = if options.secrets { None } else { secret::withheld(session) };
    let Some((covered, secrets)) = covered else { return (None, Losses::new()) };
    let mut losses: Vec<(Loss, usize)> = Vec::new();
    for Secret { path, member, span } in secrets {
        match losses.iter_mut().find(|(known, _)| known.what == path) {
            Some((_, count)) => *count += 1,
            None => {
                let at = Some((member, span));
                let why = "gives access to something";
                losses.push((Loss { what: path, carried: Carried::Withheld, why, at }, 1));
            }
        }
    }
    let told = losses.into_iter().map(|(mut loss, count)| {
        if count > 1 {
            loss.what = format!("{} ({count} values)", loss.what);
        }
        loss
    });
    (Some(covered), told.collect())
}

/// The session's own bytes as they were stored: native writing for the same agent.
#[must_use]
pub fn native(session: &Session) -> Written {
    let members = session.bundle.members.iter().enumerate();
    let file = |(at, member): (usize, &session::Member)| {
        (member.name.clone(), Content::Stored(Arc::clone(&session.bundle), at))
    };
    Written { files: members.map(file).collect(), losses: Losses::new() }
}
