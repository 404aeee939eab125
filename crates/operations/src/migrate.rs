//! Migration of an agent's projects to the form that the agent plans: new names of folders, and
//! members that are added to lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use catalog::paths::slashed;
use catalog::{Catalog, Error};
use formats::{Format, LinePhases, PlannedForm};
use redact::Redactor;
use session::Sorting as _;
use session::{Bundle, Member, Stream, edit};

use crate::redact::redact;

/// The phases to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationPhases {
    /// Phase 1: the names of the projects' folders.
    pub folders: bool,
    /// Phases 2 and 3: members of lines.
    pub lines: LinePhases,
}

/// A file of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigratedFile {
    /// The file.
    pub from: PathBuf,
    /// Its path below the new folder.
    pub to: PathBuf,
    /// The project's path, or its folder's new name if that is unknown; and the file's path below
    /// the project's folder. `None` for a file that is copied as it is.
    names: Option<[String; 2]>,
    /// Whether it is the register of its project's facts.
    is_register: bool,
}

impl MigratedFile {
    /// Whether its agent adds lines at its end, and never changes those that are there.
    #[must_use]
    pub fn has_lines(&self) -> bool {
        self.names.is_some() && !self.is_register
    }
}

/// The plan of a migration: each file of a folder, in the order of their paths.
#[derive(Clone, Debug, Default)]
pub struct MigrationPlan {
    /// The files.
    pub files: Vec<MigratedFile>,
    /// The folders, each before those within it: the folder, and its path below the new one.
    pub folders: Vec<(PathBuf, PathBuf)>,
    /// The projects' folders that get another name: the old one and the new one.
    pub renamed: Vec<(String, String)>,
}

/// The files of a project.
const CONVERSATION: &str = "conversation.jsonl";
const REGISTER: &str = "metadata.json";
const HISTORY: &str = "history";

/// The folder of an agent's projects on this machine.
///
/// # Errors
/// [`Error::Resume`] if the agent has no projects here.
pub fn projects(catalog: &Catalog<'_>, format: &'static dyn Format) -> Result<PathBuf, Error> {
    let places = catalog.machine.places(format).into_iter().map(|place| place.path);
    places.into_iter().find(|path| path.ends_with("projects") && path.is_dir()).ok_or_else(|| {
        Error::Resume {
            what: format!("there are no projects of {} here", format.name()),
            hint: "name the folder of the projects".into(),
        }
    })
}

/// Plans the migration of a folder of projects.
///
/// # Errors
/// [`Error::Resume`] if two projects would get one folder, or if the folder has something other
/// than files and folders; [`Error::Io`] if something can't be read.
pub fn plan_migration(
    form: &PlannedForm,
    folder: &Path,
    phases: MigrationPhases,
) -> Result<MigrationPlan, Error> {
    let mut plan = MigrationPlan::default();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for path in entries(folder)? {
        let name = file_name(&path)?;
        if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            plan.add(path, PathBuf::from(name), None)?;
            continue;
        }
        let project = project(&path);
        let migrated = (form.folder)(project.as_deref().unwrap_or(&name));
        let own = migrated.clone().unwrap_or_else(|| name.clone());
        let is_project = path.join(CONVERSATION).exists() || path.join(REGISTER).exists();
        let to = match migrated {
            Some(migrated) if phases.folders && is_project => migrated,
            _ => name.clone(),
        };
        if let Some(other) = taken.insert(to.clone(), name.clone()) {
            return Err(Error::Resume {
                what: format!("two projects would have the folder `{to}`: {other} and {name}"),
                hint: "rename one of them first, or leave phase 1 out: `--phase 2`".into(),
            });
        }
        if to != name {
            plan.renamed.push((name, to.clone()));
        }
        let project = is_project.then(|| project.unwrap_or(own));
        plan.add_tree(&path, Path::new(&to), project.as_deref())?;
    }
    Ok(plan)
}

/// The bytes of a file after the migration, from those before. With a redactor, also without
/// the values that it finds: phase 4.
///
/// # Errors
/// [`Error::Redact`] if it can't be redacted.
pub fn migrated(
    catalog: &Catalog<'_>,
    format: &'static dyn Format,
    file: &MigratedFile,
    bytes: Vec<u8>,
    phases: MigrationPhases,
    redactor: Option<&Redactor>,
) -> Result<Vec<u8>, Error> {
    let Some([project, name]) = &file.names else { return Ok(bytes) };
    if file.is_register {
        let size = |path: &Path| {
            let lines = MigratedFile { from: path.to_path_buf(), ..file.clone() };
            let names = Some([project.clone(), CONVERSATION.to_owned()]);
            let lines = MigratedFile { names, is_register: false, ..lines };
            let bytes = read(path)?;
            migrated(catalog, format, &lines, bytes, phases, redactor).map(|bytes| bytes.len())
        };
        return Ok(registered(bytes, &file.from.with_file_name(CONVERSATION), &size));
    }
    let member = Member::new(slashed(&file.from), Stream::Main, bytes.clone());
    let Some(member) = member else { return Ok(bytes) };
    let sessions = format.read(Arc::new(Bundle { members: vec![member] }));
    let Some(session) = sessions.first() else { return Ok(bytes) };
    let Some(form) = format.data().planned_form else { return Ok(bytes) };
    let mut edits = (form.lines)(session, &[project, name], phases.lines);
    let edited = edit::apply(&session.bundle, &mut edits).ok();
    let bytes = edited.map_or(bytes, |edited| edited.bytes(0).to_vec());
    redactor.map_or(Ok(bytes.clone()), |redactor| sanitised(catalog, format, file, bytes, redactor))
}

/// Phase 4: the bytes of a conversation without its secrets.
fn sanitised(
    catalog: &Catalog<'_>,
    format: &'static dyn Format,
    file: &MigratedFile,
    bytes: Vec<u8>,
    redactor: &Redactor,
) -> Result<Vec<u8>, Error> {
    let member = Member::new(slashed(&file.from), Stream::Main, bytes.clone());
    let Some(member) = member else { return Ok(bytes) };
    let sessions = format.read(Arc::new(Bundle { members: vec![member] }));
    let Some(session) = sessions.first() else { return Ok(bytes) };
    let redaction = redact(catalog, session, redactor)?;
    Ok(redaction.session().bundle.bytes(0).to_vec())
}

impl MigrationPlan {
    fn add(&mut self, from: PathBuf, to: PathBuf, names: Option<[String; 2]>) -> Result<(), Error> {
        let meta = from.symlink_metadata();
        let meta = meta.map_err(|source| Error::Io { path: from.clone(), source })?;
        if !meta.is_file() {
            return Err(Error::Resume {
                what: format!("{} is no file, but a link, a pipe or a device", from.display()),
                hint: "move it elsewhere first; nothing was changed".into(),
            });
        }
        let is_register = to.file_name() == Some(REGISTER.as_ref());
        self.files.push(MigratedFile { from, to, names, is_register });
        Ok(())
    }

    fn add_tree(&mut self, from: &Path, to: &Path, project: Option<&str>) -> Result<(), Error> {
        self.folders.push((from.to_path_buf(), to.to_path_buf()));
        for path in entries(from)? {
            let name = file_name(&path)?;
            let to = to.join(&name);
            let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            if is_folder {
                // Of a project's folders, its archives have lines too.
                let archives = project.filter(|_| name == HISTORY);
                self.add_tree(&path, &to, archives)?;
                continue;
            }
            let below = slashed(to.components().skip(1).collect::<PathBuf>().as_path());
            let has_lines = name.ends_with(".jsonl") || name == REGISTER;
            let names = project.filter(|_| has_lines).map(|project| [project.to_owned(), below]);
            self.add(path, to, names)?;
        }
        Ok(())
    }
}

/// The register with the size of the migrated conversation, if it has that of the present one.
fn registered(
    bytes: Vec<u8>,
    conversation: &Path,
    size: &dyn Fn(&Path) -> Result<usize, Error>,
) -> Vec<u8> {
    let Ok(before) = fs::metadata(conversation).map(|meta| meta.len()) else { return bytes };
    let Ok(after) = size(conversation) else { return bytes };
    let place = session::value::look(&bytes, |root| {
        let size = root.at(&["total_size"])?;
        (size.raw() == before.to_string().as_bytes()).then(|| size.span())
    });
    let Some(span) = place else { return bytes };
    let (start, end) = (span.start as usize, span.end as usize);
    [&bytes[..start], after.to_string().as_bytes(), &bytes[end..]].concat()
}

/// The project's path, from the register in its folder.
fn project(folder: &Path) -> Option<String> {
    let text = fs::read(folder.join(REGISTER)).ok()?;
    let path = session::value::look(&text, |root| {
        root.word(&["project_dir"]).map(|path| session::value::unescape(path).into_owned())
    })?;
    (!path.is_empty()).then_some(path)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |source: io::Error| Error::Io { path: folder.to_path_buf(), source };
    let found = fs::read_dir(folder).map_err(io)?;
    let mut paths: Vec<PathBuf> =
        found.map(|entry| entry.map(|entry| entry.path()).map_err(io)).collect::<Result<_, _>>()?;
    paths.in_order();
    Ok(paths)
}

fn file_name(path: &Path) -> Result<String, Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| Error::Resume {
        what: format!("the name of {} is not UTF-8", path.display()),
        hint: "rename it first; nothing was changed".into(),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })
}
