//! After an exchange: what the agent wrote into the old folder is carried over into the new one.
//! What is done is noted before, so that the next run ends it if this one is killed.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use store::exchange::{Adding, Exchanged};
use store::placing::digest;

use super::{Migrated, MigrationTask, Stamp, below, known, meta, stamp};
use crate::migrate::MigratedFile;
use crate::placing::error::Error;

/// Number of times that the old folder is looked at after the exchange, unless it was quiet twice.
const LOOKS: usize = 100;
/// The pause between two looks: an agent that has opened a file writes it by then.
const PAUSE: Duration = Duration::from_millis(20);

impl MigrationTask<'_> {
    /// Carries over what the agent writes into the old folder, until that is quiet, and gives the
    /// old folder its name. `stamps` are the states in which its files were read.
    pub(super) fn follow(
        &self,
        mut exchanged: Exchanged<'_>,
        mut stamps: BTreeMap<PathBuf, Stamp>,
        result: &mut Migrated,
    ) -> Result<PathBuf, Error> {
        let mut quiet = 0;
        let mut left = Vec::new();
        for _ in 0..LOOKS {
            match self.carry(&mut exchanged, &mut stamps, (&mut result.carried, &mut left)) {
                true => quiet = 0,
                false => quiet += 1,
            }
            if quiet == 2 {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        if quiet < 2 {
            // Something still writes into it: what comes later can't be carried over.
            note(&mut left, Path::new(""));
        }
        let old = exchanged.finish()?;
        result.left.extend(left.iter().map(|below| old.join(below)));
        result.backup = Some(old.clone());
        Ok(old)
    }

    /// Carries over what has changed in the old folder; says whether anything has.
    fn carry(
        &self,
        exchanged: &mut Exchanged<'_>,
        stamps: &mut BTreeMap<PathBuf, Stamp>,
        (carried, left): (&mut Vec<PathBuf>, &mut Vec<PathBuf>),
    ) -> bool {
        let old = exchanged.old().to_path_buf();
        let Ok(plan) = crate::migrate::plan_migration(self.form, &old, self.phases) else {
            // The user has to look at the whole folder.
            note(left, Path::new(""));
            return false;
        };
        let mut any = false;
        for file in &plan.files {
            let from = below(&old, file);
            let Ok(like) = meta(&file.from) else { continue };
            if stamps.get(&from) == Some(&stamp(&like)) {
                continue;
            }
            stamps.insert(from.clone(), stamp(&like));
            match self.carry_file(file, &from, exchanged, &like) {
                Ok(None) => continue,
                Ok(Some(to)) => note(carried, &to),
                Err(_) => note(left, &from),
            }
            any = true;
        }
        any
    }

    /// Carries over what has changed in a file. Returns its path below the new folder, or `None` if
    /// it is as it was read.
    fn carry_file(
        &self,
        file: &MigratedFile,
        from: &Path,
        exchanged: &mut Exchanged<'_>,
        like: &Metadata,
    ) -> io::Result<Option<PathBuf>> {
        let read = fs::read(&file.from)?;
        let migrated = || self.migrated(file, &read).map_err(io::Error::other);
        let Some(at) = exchanged.files.iter().position(|known| known.from == from) else {
            // A new file. If it is there, a killed run has put it there, or the agent.
            let bytes = migrated()?;
            if fs::read(exchanged.target().join(&file.to)).ok() != Some(bytes.clone()) {
                exchanged.put(&file.to, &bytes, false, like).map_err(io::Error::other)?;
            }
            exchanged.files.push(known(from, &file.to, &read, &bytes));
            return Ok(Some(file.to.clone()));
        };
        was_added(exchanged, at, &read);
        let mut now = exchanged.files[at].clone();
        if now.length == read.len() as u64 && now.read == digest(&read) {
            return Ok(None);
        }
        let begin = now.length as usize;
        let grown = read.get(..begin).is_some_and(|begin| digest(begin) == now.read);
        if grown && file.has_lines() && self.redactor.is_none() {
            let target = exchanged.target().join(&now.to);
            let at_end = regular(&target)?.len();
            exchanged.files[at].adding = Some(Adding { at: at_end, until: read.len() as u64 });
            exchanged.save().map_err(io::Error::other)?;
            append(&target, &read[begin..])?;
        } else {
            let bytes = migrated()?;
            replace(exchanged, &now.to, &now.written, &bytes, like)?;
            now.written = digest(&bytes);
        }
        (now.length, now.read, now.adding) = (read.len() as u64, digest(&read), None);
        exchanged.files[at] = now.clone();
        Ok(Some(now.to))
    }
}

fn note(list: &mut Vec<PathBuf>, path: &Path) {
    if !list.iter().any(|known| known == path) {
        list.push(path.to_path_buf());
    }
}

/// Takes up what a killed run was adding to a new file: it is there, or it is added again.
fn was_added(exchanged: &mut Exchanged<'_>, at: usize, read: &[u8]) {
    let target = exchanged.target().join(&exchanged.files[at].to);
    let known = &mut exchanged.files[at];
    let Some(Adding { at: end, until }) = known.adding.take() else { return };
    let (begin, until) = (known.length as usize, until as usize);
    let Some(bytes) = read.get(begin..until).filter(|bytes| !bytes.is_empty()) else { return };
    let mut there = Vec::new();
    let tail = regular(&target).and_then(|_| File::open(&target)).and_then(|mut file| {
        file.seek(SeekFrom::Start(end))?;
        file.read_to_end(&mut there)
    });
    // The agent may have written before it, and behind it.
    if tail.is_ok() && there.windows(bytes.len()).any(|window| window == bytes) {
        (known.length, known.read) = (until as u64, digest(&read[..until]));
    }
}

/// Adds bytes at the end of a file, in one write, as the agent itself does.
fn append(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().append(true).open(target)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes other bytes into a file, if it still has those that were written before.
fn replace(
    exchanged: &Exchanged<'_>,
    to: &Path,
    before: &str,
    bytes: &[u8],
    like: &Metadata,
) -> io::Result<()> {
    let target = exchanged.target().join(to);
    regular(&target)?;
    let there = fs::read(&target)?;
    if there == bytes {
        return Ok(());
    }
    match digest(&there) == before {
        true => exchanged.put(to, bytes, true, like).map_err(io::Error::other),
        false => Err(io::Error::other("both files have changed")),
    }
}

/// Refuses what is no regular file: a link leads elsewhere.
fn regular(path: &Path) -> io::Result<Metadata> {
    let meta = path.symlink_metadata()?;
    if meta.is_file() { Ok(meta) } else { Err(io::Error::other("it is no regular file")) }
}
