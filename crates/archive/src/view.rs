//! An archive as the catalog asks it: the sessions that are gone, and versions by their names.

use std::io;
use std::sync::Arc;

use catalog::{
    ArchivedFile, ArchivedSession, Error, SessionArchive, Source, SourceFile, StoredBytes,
};
use formats::Formats;
use session::UtcTime;

use crate::digest::Digest;
use crate::roles;
use crate::run::VersionFile;
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
                archived: Some(ArchivedFile { stored, is_dump: file.rows }),
            })
        };
        let files: Option<Vec<SourceFile>> = named.files.iter().map(file).collect();
        let source = Source { format: *format, group: named.name.group.clone(), files: files? };
        Some(ArchivedSession { ids: named.ids.clone(), source })
    }
}

impl SessionArchive for ArchiveView {
    fn gone(&self) -> &[ArchivedSession] {
        &self.gone
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
