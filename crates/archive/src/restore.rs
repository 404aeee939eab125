//! Gives a version of a session back, byte for byte.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use catalog::Catalog;

use crate::error::Error;
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

impl Archive {
    /// Writes the files of a version into a folder, which must not have them.
    ///
    /// # Errors
    /// A file exists already, the archive is damaged, or the system reports an error.
    pub fn restore(&self, version: &Version, folder: &Path) -> Result<Vec<ReturnedFile>, Error> {
        let files = &version.session.files;
        let targets: Vec<PathBuf> =
            files.iter().map(|file| folder.join(store::relative(&file.name))).collect();
        self.put_back(version, &targets)
    }

    /// Writes the files of a version to the places that they had, where their agent finds them
    /// again. Only places below the agent's own folders on this machine are written to, and no file
    /// is replaced.
    ///
    /// # Errors
    /// As for [`Archive::restore`]; or the session was rows of a database.
    pub fn restore_in_place(
        &self,
        version: &Version,
        catalog: &Catalog<'_>,
    ) -> Result<Vec<ReturnedFile>, Error> {
        let session = &version.session;
        let refused = |what: String, hint: &str| Error::Refused { what, hint: hint.into() };
        let beside = "`-o FOLDER` writes the files elsewhere";
        if session.files.iter().any(|file| file.rows) {
            let what = format!("{}: its agent had it in a database", session.name.uid());
            return Err(refused(what, "`verbatim resume ID` puts it back as the agent would"));
        }
        let format = catalog.format(&session.name.agent);
        let format = format.map_err(|error| refused(error.to_string(), beside))?;
        let places: Vec<PathBuf> =
            catalog.machine.places(format).into_iter().map(|place| place.path).collect();
        let mut targets = Vec::new();
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
            targets.push(path);
        }
        self.put_back(version, &targets)
    }

    fn put_back(&self, version: &Version, targets: &[PathBuf]) -> Result<Vec<ReturnedFile>, Error> {
        if let Some(path) = targets.iter().find(|path| path.symlink_metadata().is_ok()) {
            return Err(Error::Refused {
                what: format!("{} exists already, and is not replaced", path.display()),
                hint: "`-o FOLDER` names another folder".into(),
            });
        }
        // What is damaged shows before anything is written.
        let files = &version.session.files;
        for file in files {
            self.write(file.content, &mut |_| Ok(()))?;
        }
        let mut restored = Vec::new();
        for (file, path) in files.iter().zip(targets) {
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut sink = store::unnamed::Unnamed::create(folder).map_err(Error::io(folder))?;
            self.write(file.content, &mut |bytes| sink.write_all(bytes))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            sink.finish(&name).map_err(Error::io(path))?;
            let (path, bytes, rows) = (path.clone(), file.length, file.rows);
            restored.push(ReturnedFile { path, bytes, rows });
        }
        Ok(restored)
    }
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
