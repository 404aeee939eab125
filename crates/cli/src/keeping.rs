//! The archive of a command: where it is, and how the catalog asks it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use archive::{Archive, ArchiveFolder, ArchiveView, Version};
use catalog::{ArchivedSession, SessionArchive, Source};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;

/// The variable that names the folder of the archive, as the option does.
pub(crate) const VARIABLE: &str = "VERBATIM_ARCHIVE";

/// The message that a removal was interrupted.
pub(crate) const UNREMOVED: &str = "the archive has bytes that no session needs, perhaps of a \
     forgotten one: `verbatim archive compact` removes them";

/// The message that a twin lacks sessions.
pub(crate) fn left_out(sessions: usize) -> String {
    let sessions = counted(sessions as u64, "session", "sessions");
    format!(
        "{sessions} left out of this redacted archive, or there in an earlier state only: they \
         could not be redacted, and are in no sum"
    )
}

/// The folder of the archive: the named one, or the usual one of this user.
pub(crate) fn folder(env: &Environment<'_>) -> Result<PathBuf, Failure> {
    let usual = || env.machine.data().map(|data| data.join("archive"));
    env.machine.variable(VARIABLE).map(PathBuf::from).or_else(usual).ok_or_else(|| {
        Failure::Usage(
            "no folder for the archive is known: there is no home folder".into(),
            "name one: `--archive FOLDER`".into(),
        )
    })
}

/// The archive, which must be there.
pub(crate) fn opened(env: &Environment<'_>) -> Result<ArchiveFolder, Failure> {
    let folder = folder(env)?;
    ArchiveFolder::open(&folder)?.ok_or_else(|| {
        Failure::Usage(
            format!("there is no archive in {}", folder.display()),
            "`verbatim sync` makes one; `--archive FOLDER` names another".into(),
        )
    })
}

/// The versions of the session that a name means.
pub(crate) fn named<'a>(archive: &'a Archive, name: &str) -> Result<Vec<&'a Version>, Failure> {
    let versions = archive.versions_of(name)?;
    match versions.is_empty() {
        false => Ok(versions),
        true => Err(unknown(name)),
    }
}

/// The failure of a name that no session in the archive has.
pub(crate) fn unknown(name: &str) -> Failure {
    Failure::Usage(
        format!("the archive has no session with an id like `{name}`"),
        "`verbatim list` shows the sessions; `verbatim sync` keeps them".into(),
    )
}

/// The archive that commands read sessions from. It is read when it is needed for the first time.
#[derive(Debug)]
pub(crate) struct Lazy {
    folder: PathBuf,
    formats: Vec<&'static dyn formats::Format>,
    view: OnceLock<Result<Option<ArchiveView>, String>>,
}

impl Lazy {
    /// The archive in this folder, if there is one.
    pub(crate) fn of(folder: &Path, env: &Environment<'_>) -> Option<Arc<Self>> {
        let (folder, formats) = (folder.to_path_buf(), env.formats.to_vec());
        folder.is_dir().then(|| Arc::new(Self { folder, formats, view: OnceLock::new() }))
    }

    fn view(&self) -> &Result<Option<ArchiveView>, String> {
        self.view.get_or_init(|| {
            let read = || {
                let Some(place) = ArchiveFolder::open(&self.folder)? else { return Ok(None) };
                Ok(Some(ArchiveView::of(Archive::read(place)?, &self.formats)))
            };
            read().map_err(|error: archive::Error| error.to_string())
        })
    }

    /// The number of sessions that a redacted twin lacks, if a command has asked for it.
    pub(crate) fn left_out(&self) -> usize {
        match self.view.get() {
            Some(Ok(Some(view))) => archive::twin::left_out(&view.archive().place).unwrap_or(0),
            _ => 0,
        }
    }

    /// The files that could not be read of it, if a command has asked for it.
    pub(crate) fn faults(&self) -> Vec<String> {
        match self.view.get() {
            Some(Err(error)) => vec![error.clone()],
            Some(Ok(Some(view))) => {
                let faults = view.archive().faults.iter();
                faults.map(|fault| format!("{}: {}", fault.path.display(), fault.why)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl SessionArchive for Lazy {
    fn gone(&self) -> &[ArchivedSession] {
        match self.view() {
            Ok(Some(view)) => view.gone(),
            _ => &[],
        }
    }

    fn rewritten(&self) -> Vec<Vec<Source>> {
        match self.view() {
            Ok(Some(view)) => view.rewritten(),
            _ => Vec::new(),
        }
    }

    fn version(&self, name: &str) -> Result<Option<ArchivedSession>, catalog::Error> {
        match self.view() {
            Ok(Some(view)) => view.version(name),
            Ok(None) => Ok(None),
            Err(why) => {
                Err(catalog::Error::NoSession { path: self.folder.clone(), why: why.clone() })
            }
        }
    }
}
