//! Ownership of files: an agent's own files are never replaced.

use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::find::found::SkipReason;

impl Catalog<'_> {
    /// The owner of a file that must not be replaced: the agent's name, or the reason in words. It
    /// owns all files in its folders, its databases with the files beside them, and the files that
    /// its format claims. `None` for documents, for new files elsewhere, and for those that
    /// verbatim itself has written there.
    #[must_use]
    pub fn owner(&self, path: &Path) -> Option<&'static str> {
        self.owner_by(path, &self.owned_folders())
    }

    /// The folders in which everything has an owner. Many links are resolved for them: whoever asks
    /// for the owners of several files looks them up once.
    #[must_use]
    pub fn owned_folders(&self) -> OwnedFolders {
        let agents = self.formats.iter().copied().filter(|format| !format.is_document());
        let places = |format| self.machine.places(format).into_iter().map(|place| place.path);
        let folders = agents.flat_map(|format| {
            let folders = places(format).chain(self.machine.homes(format));
            folders.map(|folder| (format.name(), folder))
        });
        let own = self.machine.settings().map(|folder| ("verbatim's own keys", folder));
        let real = |(name, folder): (_, PathBuf)| Some((name, folder.canonicalize().ok()?));
        OwnedFolders(folders.chain(own).filter_map(real).collect())
    }

    /// The same as [`Catalog::owner`], with the folders of [`Catalog::owned_folders`].
    #[must_use]
    pub fn owner_by(&self, path: &Path, folders: &OwnedFolders) -> Option<&'static str> {
        let real = resolved(path)?;
        if let Some((name, _)) = folders.0.iter().find(|(_, folder)| real.starts_with(folder)) {
            return Some(name);
        }
        if is_log(&real) {
            return Some("a part of the database beside it");
        }
        if !path.exists() || self.machine.has_written(&real) {
            return None;
        }
        let found = self.find(&[path.to_path_buf()]);
        let claimed = found.sources.iter().map(|source| source.format.name());
        let skipped = found.skipped.iter().filter(|skipped| skipped.path == path);
        let known = skipped.filter_map(|skipped| match skipped.why {
            SkipReason::NoSession(format, _) => Some(format),
            SkipReason::Beside | SkipReason::Compressed => Some("a part of a file beside it"),
            SkipReason::Sealed => Some("by its name, it holds credentials"),
            _ => None,
        });
        let documents: Vec<&str> =
            self.formats.iter().filter(|f| f.is_document()).map(|f| f.name()).collect();
        claimed.chain(known).find(|name| !documents.contains(name))
    }
}

/// Folders in which everything has an owner, with the name of each owner.
#[derive(Clone, Debug)]
pub struct OwnedFolders(Vec<(&'static str, PathBuf)>);

/// The path with its links resolved. For a file that does not exist yet, the links of its folders
/// are resolved, as far as the folders exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(resolved(folder)?.join(path.file_name()?))
}

/// Whether SQLite would take a file of this name for the WAL, journal or shared memory of the
/// database beside it (<https://www.sqlite.org/tempfiles.html>).
fn is_log(path: &Path) -> bool {
    let Some(path) = path.to_str() else { return false };
    let mut endings = ["-journal", "-wal", "-shm"].into_iter();
    endings
        .find_map(|ending| path.strip_suffix(ending))
        .is_some_and(|path| Path::new(path).is_file())
}
