//! Gives a version of a session back, byte for byte.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use catalog::Catalog;

use crate::error::Error;
use crate::keep;
use crate::run::VersionFile;
use crate::state::{Archive, Version};

/// A file that was given back.
#[derive(Clone, Debug)]
pub struct ReturnedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether it is the rows of the session in a database, as lines of JSON: this is not the file
    /// that the agent had.
    pub rows: bool,
}

/// The files that were given back.
#[derive(Clone, Debug, Default)]
pub struct RestoredVersion {
    /// The files that were written: those of the session, and behind them those beside it.
    pub files: Vec<ReturnedFile>,
    /// Files beside the session that are there with other content, and were left as they are.
    pub left: Vec<PathBuf>,
}

impl Archive {
    /// Writes the files of a version into a folder, which must not have them; and the files beside
    /// the session, by their names in the agent's own folder.
    ///
    /// # Errors
    /// A file exists already, the archive is damaged, or the system reports an error.
    pub fn restore(
        &self,
        version: &Version,
        folder: &Path,
        catalog: &Catalog<'_>,
    ) -> Result<RestoredVersion, Error> {
        let at = |file: &VersionFile| folder.join(store::relative(&file.name));
        let files = version.session.files.iter().map(|file| (at(file), file)).collect();
        let beside = self.beside_version(version, catalog)?;
        // An agent looks for these by their very names.
        let at = |file: &VersionFile| match is_plain(Path::new(&file.name)) {
            true => folder.join(&file.name),
            false => at(file),
        };
        let beside = beside.into_iter().map(|file| (at(file), file)).collect();
        self.put_back(files, beside)
    }

    /// Writes the files of a version, and those beside the session, to the places that they had,
    /// where their agent finds them again. Only places below the agent's own folders on this
    /// machine are written to, and no file is replaced.
    ///
    /// # Errors
    /// As for [`Archive::restore`]; or the session was rows of a database.
    pub fn restore_in_place(
        &self,
        version: &Version,
        catalog: &Catalog<'_>,
    ) -> Result<RestoredVersion, Error> {
        let session = &version.session;
        let refused = |what: String, hint: &str| Error::Refused { what, hint: hint.into() };
        let beside = "`-o FOLDER` writes the files elsewhere";
        let format = catalog.format(&session.name.agent);
        let format = format.map_err(|error| refused(error.to_string(), beside))?;
        if session.files.iter().any(|file| file.rows) {
            let what = format!(
                "{}: its agent had it in a database, which has no place for it again",
                session.name.uid()
            );
            let hint = "`verbatim resume ID` continues it in an agent, `-o FOLDER` writes its rows";
            return Err(refused(what, hint));
        }
        let places: Vec<PathBuf> =
            catalog.machine.places(format).into_iter().map(|place| place.path).collect();
        let homes = catalog.machine.homes(format);
        let mut files = Vec::new();
        for file in &session.files {
            let path = file.path.path();
            if !places.iter().any(|place| is_below(&path, place)) {
                let what = format!(
                    "{}: it is not below a folder of {} on this machine",
                    path.display(),
                    session.name.agent
                );
                return Err(refused(what, beside));
            }
            files.push((path, file));
        }
        let beside = self.beside_version(version, catalog)?;
        let beside = beside.into_iter().map(|file| (file.path.path(), file));
        let is_own = |(path, _): &(PathBuf, _)| homes.iter().any(|home| is_below(path, home));
        self.put_back(files, beside.filter(is_own).collect())
    }

    fn put_back(
        &self,
        files: Vec<(PathBuf, &VersionFile)>,
        beside: Vec<(PathBuf, &VersionFile)>,
    ) -> Result<RestoredVersion, Error> {
        let exists = |path: &Path| path.symlink_metadata().is_ok();
        if let Some((path, _)) = files.iter().find(|(path, _)| exists(path)) {
            return Err(Error::Refused {
                what: format!("{} exists already, and is not replaced", path.display()),
                hint: "`-o FOLDER` names another folder".into(),
            });
        }
        let mut restored = RestoredVersion::default();
        let (mut missing, mut taken) = (Vec::new(), HashSet::new());
        taken.extend(files.iter().map(|(path, _)| path.clone()));
        for (path, file) in beside {
            match exists(&path) {
                _ if !taken.insert(path.clone()) => {}
                false => missing.push((path, file)),
                true if keep::digest(&path).is_ok_and(|digest| digest == file.content) => {}
                true => restored.left.push(path),
            }
        }
        // What is damaged shows before anything is written.
        for (_, file) in files.iter().chain(&missing) {
            self.write(file.content, &mut |_| Ok(()))?;
        }
        // The session comes last: an agent that sees it finds all that belongs to it.
        for (path, file) in &missing {
            self.give(path, file)?;
        }
        for (path, file) in &files {
            self.give(path, file)?;
        }
        let returned = |(path, file): (PathBuf, &VersionFile)| ReturnedFile {
            path,
            bytes: file.length,
            rows: file.rows,
        };
        restored.files = files.into_iter().chain(missing).map(returned).collect();
        Ok(restored)
    }

    /// Writes one file.
    fn give(&self, path: &Path, file: &VersionFile) -> Result<(), Error> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut sink = store::unnamed::Unnamed::create(folder).map_err(Error::io(folder))?;
        self.write(file.content, &mut |bytes| sink.write_all(bytes))?;
        sink.finish(path.file_name().unwrap_or_default()).map_err(Error::io(path))?;
        Ok(())
    }
}

/// Whether a path stays below the folder that it begins in.
fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Whether a path is below a folder, also when links are resolved. It has no `..`.
fn is_below(path: &Path, folder: &Path) -> bool {
    let is_plain = path.components().all(|part| {
        matches!(
            part,
            std::path::Component::RootDir
                | std::path::Component::Prefix(_)
                | std::path::Component::Normal(_)
        )
    });
    let exists = path.ancestors().skip(1).find(|above| above.exists());
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let inside = exists.is_some_and(|above| {
        let above = real(above);
        above.starts_with(real(folder))
            || folder.starts_with(&above)
            || real(folder).starts_with(&above)
    });
    is_plain && path.starts_with(folder) && path != folder && inside
}
