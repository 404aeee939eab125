//! An agent's projects in a new form: as a copy, or in the place of the old folder.
//!
//! The agent may write meanwhile. So what was read is compared before the new folder gets its
//! place, and what has changed is migrated again. What the agent writes between the last
//! comparison and the exchange is in the old folder: afterwards it is carried over.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use catalog::{Catalog, MigratedFile, MigrationPhases, MigrationPlan};
use evidence::redact::Redactor;
use formats::{Format, PlannedForm};
use store::tree::Tree;

use crate::error::{Error, refused};

/// The migration of a folder.
#[derive(Debug)]
pub struct MigrationTask<'t> {
    /// The catalog.
    pub catalog: &'t Catalog<'t>,
    /// The agent's format.
    pub format: &'static dyn Format,
    /// The form that the agent plans.
    pub form: &'static PlannedForm,
    /// The folder of the projects.
    pub folder: &'t Path,
    /// The phases to carry out.
    pub phases: MigrationPhases,
    /// The redactor of the phase that replaces secrets.
    pub redactor: Option<&'t Redactor>,
}

/// The result of a migration.
#[derive(Debug, Default)]
pub struct Migrated {
    /// The plan.
    pub plan: MigrationPlan,
    /// The files with other bytes than before.
    pub changed: Vec<MigratedFile>,
    /// The place of the old folder.
    pub backup: Option<PathBuf>,
    /// The files that the agent changed meanwhile, and that were carried over: their paths below
    /// the new folder.
    pub carried: Vec<PathBuf>,
    /// Files of the old folder that the agent changed meanwhile, and that could not be carried
    /// over.
    pub left: Vec<PathBuf>,
}

/// Number of times that changes are migrated again before the exchange.
const ROUNDS: usize = 5;
/// Number of times that the old folder is looked at after the exchange, unless it was quiet twice.
const LOOKS: usize = 100;
/// The pause between two looks: an agent that has opened a file writes it by then.
const PAUSE: Duration = Duration::from_millis(20);

/// A state of a file: length, time, and the system's own number of it.
type Stamp = (u64, Option<SystemTime>, u64);

/// A file that was migrated.
#[derive(Debug)]
struct Done {
    to: PathBuf,
    stamp: Stamp,
    /// The bytes that were read, in number and digest, and the digest of those that were written.
    read: (u64, u64),
    written: u64,
    extended: bool,
}

impl MigrationTask<'_> {
    /// The result that the migration would have. Nothing is written.
    ///
    /// # Errors
    /// Those of [`Catalog::plan_migration`].
    pub fn plan(&self) -> Result<Migrated, Error> {
        let plan = self.catalog.plan_migration(self.form, self.folder, self.phases)?;
        let mut changed = Vec::new();
        for file in &plan.files {
            let before = read(&file.from)?;
            if self.migrated(file, &before)? != before {
                changed.push(file.clone());
            }
        }
        Ok(Migrated { plan, changed, ..Migrated::default() })
    }

    fn migrated(&self, file: &MigratedFile, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let (catalog, bytes) = (self.catalog, bytes.to_vec());
        Ok(catalog.migrated(self.format, file, bytes, self.phases, self.redactor)?)
    }

    /// Writes the migrated folder as a copy, which must not exist.
    ///
    /// # Errors
    /// [`Error::Refused`] if the copy would be in an agent's own folder; those of the catalog and
    /// the store. Then nothing was written.
    pub fn copy(&self, target: &Path) -> Result<Migrated, Error> {
        if let Some(agent) = self.catalog.owner(target) {
            return refused(
                format!("{} would be in the folder of an agent ({agent})", target.display()),
                "write it to another folder; verbatim writes nothing into an agent's own",
            );
        }
        if target.symlink_metadata().is_ok() {
            return Err(store::Error::Exists { path: target.to_path_buf() }.into());
        }
        let tree = Tree::begin(target)?;
        let mut done = BTreeMap::new();
        let plan = self.settled(&tree, false, &mut done)?;
        tree.place()?;
        Ok(Migrated { changed: changed(&plan, &done), plan, ..Migrated::default() })
    }

    /// Puts the migrated folder into the place of the old one, which gets another name beside it.
    ///
    /// # Errors
    /// [`Error::Refused`] if the folder is a link; those of the catalog and the store. Then the old
    /// folder is in its place.
    pub fn in_place(&self) -> Result<Migrated, Error> {
        if self.folder.is_symlink() {
            let real = self.folder.canonicalize().unwrap_or_default();
            return refused(
                format!("{} is a link", self.folder.display()),
                &format!("name the folder that it leads to: {}", real.display()),
            );
        }
        let tree = Tree::begin(self.folder)?;
        let mut done = BTreeMap::new();
        let plan = self.settled(&tree, true, &mut done)?;
        let changed = changed(&plan, &done);
        if changed.is_empty() && plan.renamed.is_empty() {
            // A folder that has its new form already stays as it is.
            return Ok(Migrated { plan, ..Migrated::default() });
        }
        let old = tree.exchange()?;
        let mut result =
            Migrated { plan, changed, backup: Some(old.clone()), ..Migrated::default() };
        self.follow(&old, &mut done, &mut result);
        Ok(result)
    }

    /// Writes all files, and those that change meanwhile again, until nothing changes or the rounds
    /// are over. With `keep`, they keep their permissions and times; a copy is private.
    fn settled(
        &self,
        tree: &Tree,
        keep: bool,
        done: &mut BTreeMap<PathBuf, Done>,
    ) -> Result<MigrationPlan, Error> {
        let mut plan = MigrationPlan::default();
        for _ in 0..ROUNDS {
            plan = self.catalog.plan_migration(self.form, self.folder, self.phases)?;
            let mut still = true;
            for file in &plan.files {
                still &= !self.renew(tree, keep, file, done)?;
            }
            let gone = |from: &PathBuf| !plan.files.iter().any(|file| file.from == *from);
            for from in done.keys().filter(|from| gone(from)).cloned().collect::<Vec<_>>() {
                if let Some(gone) = done.remove(&from) {
                    tree.remove(&gone.to)?;
                }
            }
            if still {
                break;
            }
        }
        let mut folders = vec![(Path::new(""), meta(self.folder)?)];
        for (from, to) in &plan.folders {
            folders.push((to, meta(from)?));
        }
        tree.folders(&folders, keep)?;
        Ok(plan)
    }

    /// Writes a file, unless it is as it was when it was written before.
    fn renew(
        &self,
        tree: &Tree,
        keep: bool,
        file: &MigratedFile,
        done: &mut BTreeMap<PathBuf, Done>,
    ) -> Result<bool, Error> {
        let like = meta(&file.from)?;
        let known = done.get(&file.from);
        if known.is_some_and(|known| known.stamp == stamp(&like) && known.to == file.to) {
            return Ok(false);
        }
        if let Some(other) = known.filter(|known| known.to != file.to) {
            tree.remove(&other.to)?;
        }
        // The state is taken before the bytes: a later change is seen.
        let before = read(&file.from)?;
        let bytes = self.migrated(file, &before)?;
        tree.file(&file.to, &bytes, Some(&like).filter(|_| keep))?;
        let extended = before != bytes;
        let read = (before.len() as u64, digest(&before));
        let written = digest(&bytes);
        let to = file.to.clone();
        done.insert(file.from.clone(), Done { to, stamp: stamp(&like), read, written, extended });
        Ok(true)
    }

    /// Carries over what the agent writes into the old folder, until that is quiet.
    fn follow(&self, old: &Path, done: &mut BTreeMap<PathBuf, Done>, result: &mut Migrated) {
        let mut quiet = 0;
        for _ in 0..LOOKS {
            match self.carry(old, done, result) {
                true => quiet = 0,
                false => quiet += 1,
            }
            if quiet == 2 {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Carries over what has changed in the old folder; says whether anything has.
    fn carry(&self, old: &Path, done: &mut BTreeMap<PathBuf, Done>, result: &mut Migrated) -> bool {
        let Ok(plan) = self.catalog.plan_migration(self.form, old, self.phases) else {
            return false;
        };
        let mut any = false;
        for file in &plan.files {
            let Ok(below) = file.from.strip_prefix(old) else { continue };
            let key = self.folder.join(below);
            let Ok(like) = meta(&file.from) else { continue };
            if done.get(&key).is_some_and(|known| known.stamp == stamp(&like)) {
                continue;
            }
            any = true;
            let (to, list) = match self.carry_file(file, &key, done, stamp(&like)) {
                Ok(()) => (file.to.clone(), &mut result.carried),
                Err(_) => (file.from.clone(), &mut result.left),
            };
            if !list.contains(&to) {
                list.push(to);
            }
            if let Some(known) = done.get_mut(&key) {
                known.stamp = stamp(&like);
            }
        }
        any
    }

    fn carry_file(
        &self,
        file: &MigratedFile,
        key: &Path,
        done: &mut BTreeMap<PathBuf, Done>,
        stamp: Stamp,
    ) -> io::Result<()> {
        let target = self.folder.join(&file.to);
        let read = fs::read(&file.from)?;
        let now = (read.len() as u64, digest(&read));
        let Some(known) = done.get_mut(key) else {
            // A new file.
            let bytes = self.migrated(file, &read).map_err(io::Error::other)?;
            let written = digest(&bytes);
            add(&target, &bytes)?;
            let to = file.to.clone();
            let new = Done { to, stamp, read: now, written, extended: true };
            done.insert(key.to_path_buf(), new);
            return Ok(());
        };
        let begin = known.read.0 as usize;
        let grown = read.get(..begin).is_some_and(|begin| digest(begin) == known.read.1);
        if grown && file.has_lines() && self.redactor.is_none() {
            append(&target, &read[begin..])?;
        } else {
            let bytes = self.migrated(file, &read).map_err(io::Error::other)?;
            replace(&target, known.written, &bytes)?;
            known.written = digest(&bytes);
        }
        known.read = now;
        Ok(())
    }
}

/// The files with other bytes than before.
fn changed(plan: &MigrationPlan, done: &BTreeMap<PathBuf, Done>) -> Vec<MigratedFile> {
    let is_changed =
        |file: &&MigratedFile| done.get(&file.from).is_some_and(|known| known.extended);
    plan.files.iter().filter(is_changed).cloned().collect()
}

/// Adds bytes at the end of a file, in one write, as the agent itself does.
fn append(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().append(true).open(target)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes a file that does not exist.
fn add(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().create_new(true).write(true).open(target)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes other bytes into a file, if it still has those that were written before.
fn replace(target: &Path, before: u64, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().read(true).write(true).open(target)?;
    let mut there = Vec::new();
    file.read_to_end(&mut there)?;
    if digest(&there) != before {
        return Err(io::Error::other("both files have changed"));
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

fn stamp(meta: &Metadata) -> Stamp {
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(meta);
    #[cfg(not(unix))]
    let number = 0;
    (meta.len(), meta.modified().ok(), number)
}

fn meta(path: &Path) -> Result<Metadata, Error> {
    path.symlink_metadata().map_err(|source| io_error(path, source))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| io_error(path, source))
}

fn io_error(path: &Path, source: io::Error) -> Error {
    store::Error::Io { path: path.to_path_buf(), source }.into()
}

/// A digest that tells bytes of one run apart.
fn digest(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
