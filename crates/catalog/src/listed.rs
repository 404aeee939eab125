//! Sessions of a list, opened without a search: the main file of each leads to its others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::Sorting as _;
use session::{Bundle, Member, Scan};

use crate::catalog::{Catalog, listed, read_from};
use crate::error::Error;
use crate::open::before::ReadBefore;
use crate::open::bundle::decode;
use crate::open::content::head;
use crate::open::source::Source;
use crate::opened::Opened;
use crate::summary::{Entry, summaries};

impl Catalog<'_> {
    /// Reads the session of a list's entry. No other session is looked at; only where its main file
    /// does not lead to its others, it is searched by its name below `within`, or in the agents'
    /// own places.
    ///
    /// # Errors
    ///
    /// The session can't be read.
    pub fn open_listed(&self, entry: &Entry, within: &[PathBuf]) -> Result<Opened, Error> {
        self.open_listed_from(entry, within, None)
    }

    /// The same, where the session was read before: see [`Catalog::open_named_from`].
    ///
    /// # Errors
    /// As of [`Catalog::open_listed`].
    pub fn open_listed_from(
        &self,
        entry: &Entry,
        within: &[PathBuf],
        before: Option<ReadBefore>,
    ) -> Result<Opened, Error> {
        let Some(source) = self.source_of(entry) else {
            let name = format!("{}:{}", entry.format, entry.id);
            return self.open_named_from(&name, within, before);
        };
        let mut opened = read_from(&source, before)?;
        let at = opened.sessions.iter().position(|session| session.id == entry.id);
        opened.pick(at.unwrap_or_default(), &source);
        Ok(opened)
    }

    /// Reads the beginning of the session of a list's entry: the complete lines in the first `most`
    /// bytes of its main file. `None` if the file is shorter, or does not consist of lines. What
    /// later lines say of these is not known, nor what its other files say.
    #[must_use]
    pub fn open_beginning(&self, entry: &Entry, most: usize) -> Option<Opened> {
        let source = self.source_of(entry)?;
        let file = source.files.first().filter(|file| !file.is_dump())?;
        let bytes = head(&file.path, most).ok().filter(|bytes| bytes.len() >= most)?;
        let first = &bytes[..memchr::memchr(b'\n', &bytes)?];
        let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
        Scan::new().read(first, 0).ok()?;
        let end = memchr::memrchr(b'\n', &bytes)?;
        let member = Member::new(&*file.name, file.role.stream(), bytes[..=end].to_vec())?;
        let member = decode(source.format, member).ok()?;
        let sessions = source.format.read(Arc::new(Bundle { members: vec![member] }));
        let picked = sessions.iter().position(|session| session.id == entry.id)?;
        let found = listed(&sessions);
        let paths = vec![file.path.to_path_buf()];
        Some(Opened {
            sessions,
            picked,
            unread: Vec::new(),
            paths,
            history_from: None,
            found,
            files: Vec::new(),
            bytes_read: end as u64 + 1,
        })
    }

    /// The source of a list's entry, if its main file leads to all of its files.
    fn source_of(&self, entry: &Entry) -> Option<Source> {
        let main = entry.files.first().filter(|_| !entry.archived)?;
        let has_all = |source: &Source| {
            let files: BTreeSet<&Path> = source.files.iter().map(|file| &*file.path).collect();
            entry.files.iter().all(|file| files.contains(&**file))
        };
        let mut sources = self.find(&[main.to_path_buf()]).sources;
        sources.retain(|source| source.format.name() == entry.format && has_all(source));
        // A database has many sessions: the one that is probably wanted is looked at first.
        sources.in_order_by_key(|source| !source.group.ends_with(&entry.id));
        let is_it = |source: &Source| {
            summaries(source).is_ok_and(|all| all.iter().any(|other| other.id == entry.id))
        };
        sources.into_iter().find(is_it)
    }
}
