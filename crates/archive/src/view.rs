//! An archive as the catalog asks it: the sessions that are gone, and versions by their names.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::{
    ArchivedFile, ArchivedSession, Error, SessionArchive, Source, SourceFile, SourceLabels,
    StoredBytes,
};
use formats::Formats;
use session::UtcTime;

use crate::digest::Digest;
use crate::machine::MachineName;
use crate::roles;
use crate::run::{SessionName, SessionVersion, VersionFile};
use crate::state::{Archive, Version};

/// An archive that the catalog reads.
#[derive(Debug)]
pub struct ArchiveView {
    archive: Arc<Archive>,
    gone: Vec<ArchivedSession>,
    formats: Vec<&'static dyn formats::Format>,
}

/// A content in an archive.
#[derive(Debug)]
struct StoredContent {
    archive: Arc<Archive>,
    content: Digest,
}

impl StoredBytes for StoredContent {
    fn read(&self) -> io::Result<Vec<u8>> {
        self.archive.bytes(self.content).map_err(io::Error::other)
    }

    fn name(&self) -> String {
        self.content.to_string()
    }
}

impl ArchiveView {
    /// Looks which sessions are gone: none of their files is in its place. Rows of databases are
    /// always among them.
    #[must_use]
    pub fn of(archive: Archive, formats: Formats<'_>) -> Self {
        let mut view =
            Self { archive: Arc::new(archive), gone: Vec::new(), formats: formats.to_vec() };
        let archive = Arc::clone(&view.archive);
        let newest = archive.newest();
        let gone = newest.into_values().filter(|version| {
            let has_left = |file: &VersionFile| file.rows || roles::is_gone(&file.path.path());
            roles::has_left(&version.session.files, has_left)
        });
        view.gone = gone.filter_map(|version| view.session(version)).collect();
        view
    }

    /// The archive itself.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// A version as the catalog reads it; `None` if no format of this program knows it.
    fn session(&self, version: &Version) -> Option<ArchivedSession> {
        let named = &version.session;
        let format = self.formats.iter().find(|format| format.name() == named.name.agent)?;
        let labels = version.machine.labels().map(|label| label.map(str::to_owned));
        let [machine, account] = labels;
        let labels = Arc::new(SourceLabels { machine, account });
        let file = |file: &VersionFile| {
            let modified = file.modified.as_deref().and_then(UtcTime::of_text);
            let since = modified.and_then(|time| u64::try_from(time.0).ok());
            let modified =
                since.map(|since| std::time::UNIX_EPOCH + std::time::Duration::from_micros(since));
            let (archive, content) = (Arc::clone(&self.archive), file.content);
            let stored = Arc::new(StoredContent { archive, content });
            Some(SourceFile {
                path: Arc::from(&*file.path.path()),
                name: file.name.clone(),
                role: roles::role(file)?,
                length: file.length,
                modified,
                rows: None,
                archived: Some(ArchivedFile {
                    stored,
                    is_dump: file.rows,
                    labels: Arc::clone(&labels),
                }),
            })
        };
        let files: Option<Vec<SourceFile>> = named.files.iter().map(file).collect();
        let source = Source { format: *format, group: named.name.group.clone(), files: files? };
        Some(ArchivedSession { ids: named.ids.clone(), source })
    }
}

/// A version that is not merely the beginning of a later one of its session.
#[derive(Clone, Debug)]
pub struct KeptVersion {
    /// The session.
    pub name: SessionName,
    /// The version's digest.
    pub digest: Digest,
    /// When its run began, in RFC 3339.
    pub time: String,
    /// The machine on which it was seen.
    pub machine: MachineName,
    /// Whether it is the newest one.
    pub is_newest: bool,
    /// Its files.
    pub source: Source,
}

impl ArchiveView {
    /// All versions but those that a later one of the same session has whole: together they have
    /// everything that the archive has of sessions. The newest of each session comes first.
    #[must_use]
    pub fn kept(&self) -> Vec<KeptVersion> {
        let mut covered: HashSet<(&SessionName, Digest)> = HashSet::new();
        let mut begun: HashSet<&SessionName> = HashSet::new();
        let mut kept = Vec::new();
        for version in self.archive.versions().into_iter().rev() {
            let SessionVersion { name, digest, files, .. } = &version.session;
            let is_newest = begun.insert(name);
            let is_covered = files.iter().all(|file| covered.contains(&(name, file.content)));
            for file in files {
                let mut next = Some(file.content);
                while let Some(content) = next.filter(|content| covered.insert((name, *content))) {
                    next = self.archive.contents.get(&content).and_then(|content| content.base);
                }
            }
            if (is_newest || !is_covered)
                && let Some(session) = self.session(version)
            {
                let (name, digest, source) = (name.clone(), *digest, session.source);
                let (time, machine) = (version.time.clone(), version.machine.clone());
                kept.push(KeptVersion { name, digest, time, machine, is_newest, source });
            }
        }
        kept
    }

    /// The files of a version as the catalog reads them; `None` if no format of this program knows
    /// its agent.
    #[must_use]
    pub fn source(&self, version: &Version) -> Option<Source> {
        self.session(version).map(|session| session.source)
    }

    /// The sessions of agents that no format of this program knows.
    #[must_use]
    pub fn unknown(&self) -> Vec<&Version> {
        let is_unknown = |version: &&Version| self.session(version).is_none();
        self.archive.newest().into_values().filter(is_unknown).collect()
    }

    /// The contents of the files beside sessions, each once, with its path.
    #[must_use]
    pub fn beside(&self) -> Vec<(PathBuf, Digest)> {
        let mut seen = HashSet::new();
        let files = self.archive.files.iter().map(|seen| &seen.file.file);
        let files = files.map(|file| (file.path.path(), file.content));
        files.filter(|(_, content)| seen.insert(*content)).collect()
    }
}

impl SessionArchive for ArchiveView {
    fn gone(&self) -> &[ArchivedSession] {
        &self.gone
    }

    fn rewritten(&self) -> Vec<Vec<Source>> {
        let mut all: BTreeMap<SessionName, Vec<Source>> = BTreeMap::new();
        for KeptVersion { name, source, .. } in self.kept() {
            all.entry(name).or_default().push(source);
        }
        all.into_values().filter(|versions| versions.len() > 1).collect()
    }

    fn version(&self, name: &str) -> Result<Option<ArchivedSession>, Error> {
        let unclear = |error: crate::Error| Error::Version {
            hint: error.hint().unwrap_or_default().to_owned(),
            what: error.to_string(),
        };
        let Some(version) = self.archive.named(name).map_err(unclear)? else { return Ok(None) };
        Ok(self.session(version))
    }
}
