//! An agent's projects in a new form: as a copy, or in the place of the old folder.
//!
//! The agent may write meanwhile. So what was read is compared before the new folder gets its
//! place, and what has changed is migrated again. What the agent writes between the last
//! comparison and the exchange is in the old folder: afterwards it is carried over (`follow.rs`),
//! by the next run if this one is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use catalog::Catalog;
use formats::{Format, PlannedForm};
use redact::Redactor;
use store::exchange::{Exchanged, Folders, KnownFile, Remains};
use store::placing::digest;
use store::tree::Tree;

use crate::migrate::{MigratedFile, MigrationPhases, MigrationPlan};
use crate::placing::desk::state_folder;
use crate::placing::error::{Error, refused};

mod follow;

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
    /// The ends of what killed runs had begun.
    pub notes: Vec<MigrationNote>,
}

/// The end of what a killed run had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MigrationNote {
    /// The copy of this folder that it had begun was removed.
    Removed(PathBuf),
    /// The old folder, in the place of which it had put the new one, has a name of its own now.
    Ended(PathBuf),
    /// It had begun to exchange this folder, of which nothing was changed.
    Elsewhere(PathBuf),
    /// This was left alone, for this reason.
    Strange(PathBuf, String),
}

/// Number of times that changes are migrated again before the exchange.
const ROUNDS: usize = 5;

/// A state of a file: length, time, and the system's own number of it.
type Stamp = (u64, Option<SystemTime>, u64);

/// A file that was migrated.
#[derive(Debug)]
struct Done {
    known: KnownFile,
    stamp: Stamp,
    extended: bool,
}

/// The files that were migrated, by their paths below the folder.
type AllDone = BTreeMap<PathBuf, Done>;

impl MigrationTask<'_> {
    /// The result that the migration would have, as a copy at `target` or in place. Nothing is
    /// written.
    ///
    /// # Errors
    /// [`Error::Unclear`] if the copy would be within the folder, or around it; those of
    /// [`crate::plan_migration`].
    pub fn plan(&self, target: Option<&Path>) -> Result<Migrated, Error> {
        target.map_or(Ok(()), |target| self.is_apart(target))?;
        let plan = crate::migrate::plan_migration(self.form, self.folder, self.phases)?;
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
        Ok(crate::migrate::migrated(catalog, self.format, file, bytes, self.phases, self.redactor)?)
    }

    /// Writes the migrated folder as a copy, which must not exist.
    ///
    /// # Errors
    /// [`Error::Refused`] if the copy would be in an agent's own folder; those of the catalog and
    /// the store. Then nothing was written.
    pub fn copy(&self, target: &Path) -> Result<Migrated, Error> {
        self.is_apart(target)?;
        // A copy that is there already is one of the agent, by what is in it.
        if target.symlink_metadata().is_ok() {
            return Err(store::Error::Exists { path: target.to_path_buf() }.into());
        }
        if let Some(agent) = self.catalog.owner(target) {
            return refused(
                format!("{} would be in the folder of an agent ({agent})", target.display()),
                "write it to another folder; verbatim writes nothing into an agent's own",
            );
        }
        crate::migrate::plan_migration(self.form, self.folder, self.phases)?;
        let journal = self.journal()?;
        let mut result = Migrated::default();
        self.end(&journal, target, &mut result)?;
        let tree = journal.begin(target, &self.work())?;
        let mut done = BTreeMap::new();
        result.plan = self.settled(&tree, false, &mut done)?;
        tree.place()?;
        result.changed = changed(self.folder, &result.plan, &done);
        Ok(result)
    }

    /// Puts the migrated folder into the place of the old one, which gets another name beside it.
    ///
    /// # Errors
    /// [`Error::Refused`] if the folder is a link; those of the catalog and the store. Then the old
    /// folder is in its place.
    pub fn in_place(&self) -> Result<Migrated, Error> {
        // Without the slash at its end, by which a link would be followed.
        let folder: PathBuf = self.folder.components().collect();
        if folder.is_symlink() {
            let real = folder.canonicalize().unwrap_or_default();
            return refused(
                format!("{} is a link", folder.display()),
                &format!("name the folder that it leads to: {}", real.display()),
            );
        }
        if folder.exists() {
            crate::migrate::plan_migration(self.form, self.folder, self.phases)?;
        }
        let journal = self.journal()?;
        let mut result = Migrated::default();
        self.end(&journal, self.folder, &mut result)?;
        let tree = journal.begin(self.folder, &self.work())?;
        let mut done = BTreeMap::new();
        result.plan = self.settled(&tree, true, &mut done)?;
        result.changed = changed(self.folder, &result.plan, &done);
        if result.changed.is_empty() && result.plan.renamed.is_empty() {
            // A folder that has its new form already stays as it is.
            return Ok(result);
        }
        let stamps = done.iter().map(|(from, done)| (from.clone(), done.stamp)).collect();
        let exchanged = tree.exchange(done.into_values().map(|done| done.known).collect())?;
        self.follow(exchanged, stamps, &mut result)?;
        Ok(result)
    }

    /// Refuses a copy within the folder that is copied, or around it.
    fn is_apart(&self, target: &Path) -> Result<(), Error> {
        let real = |path: &Path| -> PathBuf {
            let path = catalog::absolute(path);
            let above =
                path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
            above.map_or_else(
                || path.clone(),
                |(above, real)| real.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
            )
        };
        let (from, to) = (real(self.folder), real(target));
        match to.starts_with(&from) || from.starts_with(&to) {
            false => Ok(()),
            true => Err(Error::Unclear {
                what: format!(
                    "{} is within the folder that is copied, or around it",
                    target.display()
                ),
                hint: "name another folder: `-o COPY`".into(),
            }),
        }
    }

    fn journal(&self) -> Result<Folders, Error> {
        Ok(Folders::open(&state_folder(self.catalog)?.join("folders"))?)
    }

    /// The work, for a run that ends what this one has begun.
    fn work(&self) -> String {
        format!("{} {:?} {}", self.format.name(), self.phases, self.redactor.is_some())
    }

    /// Ends what killed runs have begun.
    fn end(&self, journal: &Folders, target: &Path, result: &mut Migrated) -> Result<(), Error> {
        for remains in journal.settle(target)? {
            let note = match remains {
                Remains::Removed(place) => MigrationNote::Removed(place),
                Remains::Elsewhere(place) => MigrationNote::Elsewhere(place),
                Remains::Strange(path, why) => MigrationNote::Strange(path, why),
                Remains::Exchanged(exchanged) => {
                    MigrationNote::Ended(self.end_exchange(exchanged, result)?)
                }
            };
            result.notes.push(note);
        }
        Ok(())
    }

    fn end_exchange(
        &self,
        exchanged: Exchanged<'_>,
        result: &mut Migrated,
    ) -> Result<PathBuf, Error> {
        if exchanged.work() != self.work() {
            return refused(
                format!(
                    "a run with other phases was killed while it exchanged {}",
                    exchanged.target().display()
                ),
                "run it again with the same phases first, so that nothing is lost",
            );
        }
        self.follow(exchanged, BTreeMap::new(), result)
    }

    /// Writes all files, and those that change meanwhile again, until nothing changes or the rounds
    /// are over. With `keep`, they keep their permissions and times; a copy is private.
    fn settled(
        &self,
        tree: &Tree<'_>,
        keep: bool,
        done: &mut AllDone,
    ) -> Result<MigrationPlan, Error> {
        let mut plan = MigrationPlan::default();
        for _ in 0..ROUNDS {
            plan = crate::migrate::plan_migration(self.form, self.folder, self.phases)?;
            let mut still = true;
            for file in &plan.files {
                still &= !self.renew(tree, keep, file, done)?;
            }
            let all: BTreeSet<PathBuf> =
                plan.files.iter().map(|file| below(self.folder, file)).collect();
            let gone: Vec<PathBuf> =
                done.keys().filter(|from| !all.contains(*from)).cloned().collect();
            for gone in gone.iter().filter_map(|from| done.remove(from)) {
                tree.remove(&gone.known.to)?;
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
        tree: &Tree<'_>,
        keep: bool,
        file: &MigratedFile,
        done: &mut AllDone,
    ) -> Result<bool, Error> {
        let like = meta(&file.from)?;
        let from = below(self.folder, file);
        let before = done.get(&from);
        if before.is_some_and(|done| done.stamp == stamp(&like) && done.known.to == file.to) {
            return Ok(false);
        }
        if let Some(other) = before.filter(|done| done.known.to != file.to) {
            tree.remove(&other.known.to)?;
        }
        // The state is taken before the bytes: a later change is seen.
        let bytes = read(&file.from)?;
        let migrated = self.migrated(file, &bytes)?;
        tree.file(&file.to, &migrated, Some(&like).filter(|_| keep))?;
        let extended = bytes != migrated;
        let known = known(&from, &file.to, &bytes, &migrated);
        done.insert(from, Done { known, stamp: stamp(&like), extended });
        Ok(true)
    }
}

/// The files with other bytes than before.
fn changed(folder: &Path, plan: &MigrationPlan, done: &AllDone) -> Vec<MigratedFile> {
    let is_changed =
        |file: &&MigratedFile| done.get(&below(folder, file)).is_some_and(|done| done.extended);
    plan.files.iter().filter(is_changed).cloned().collect()
}

/// The path of a file below its folder.
fn below(folder: &Path, file: &MigratedFile) -> PathBuf {
    file.from.strip_prefix(folder).unwrap_or(&file.from).to_path_buf()
}

/// A file with these bytes, and those that it was migrated to.
fn known(from: &Path, to: &Path, bytes: &[u8], migrated: &[u8]) -> KnownFile {
    KnownFile {
        from: from.to_path_buf(),
        to: to.to_path_buf(),
        length: bytes.len() as u64,
        read: digest(bytes),
        written: digest(migrated),
        adding: None,
    }
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
