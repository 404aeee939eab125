//! Private copies of databases, in a folder that no other user may enter. The folder is removed as
//! soon as nobody needs it, and before a signal ends the program. If the program was killed, its
//! next run removes the folder.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use tempfile::TempDir;

use super::fault::DatabaseError;
use super::pool;
use super::state::{JOURNAL, LOG, State, beside, holds, is_log};

/// Maximum number of attempts to copy a database that changes meanwhile.
const TRIES: usize = 8;

/// Maximum number of bytes that are copied of one database. Holes do not count.
const MOST: u64 = 32 << 30;

/// Prefix of verbatim's temporary folders. Each contains a file named [`LOCK`], which is locked
/// while its program runs.
const FOLDER: &str = "verbatim-copy-";
const LOCK: &str = "in-use";

/// The folders that the signal handler has to remove.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Copy of a database, with its WAL and journal.
pub(super) struct Copy {
    /// The folder of the copy; dropping it removes both.
    folder: TempDir,
    /// The lock shows other programs that the folder is in use.
    _lock: File,
    /// State of the original when it was copied.
    pub state: State,
    /// Path of the original.
    from: PathBuf,
}

impl Copy {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("copy.db")
    }

    /// Replaces the copy's path in an error by the database's path, because users do not know the
    /// copy.
    pub(super) fn told(&self, fault: DatabaseError) -> DatabaseError {
        let DatabaseError::Sqlite(error) = &fault else { return fault };
        let (text, ours) = (error.to_string(), self.path().display().to_string());
        match text.contains(&ours) {
            true => DatabaseError::Told(text.replace(&ours, &self.from.display().to_string())),
            false => fault,
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        pool::forget(&self.path());
        folders().remove(self.folder.path());
    }
}

fn folders() -> std::sync::MutexGuard<'static, BTreeSet<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies a database with its WAL and journal into a private folder.
pub(super) fn copied(path: &Path) -> Result<Copy, DatabaseError> {
    static ONCE: Once = Once::new();
    ONCE.call_once(watch);
    let failed = |error| DatabaseError::NoCopy { folder: std::env::temp_dir(), error };
    for _ in 0..TRIES {
        let Some((folder, lock)) = private().map_err(failed)? else { continue };
        let from = path.to_path_buf();
        let copy = Copy { folder, _lock: lock, state: State::of(path)?, from };
        duplicate(path, &copy.path())?;
        for ending in [LOG, JOURNAL] {
            duplicate(&beside(path, ending), &beside(&copy.path(), ending))?;
        }
        if copy.state.spans(&State::of(path)?) {
            begin(&copy.path())?;
            return Ok(copy);
        }
    }
    Err(DatabaseError::Restless)
}

/// Creates and locks a private folder. `None` if another program has locked it first, in order to
/// remove it.
fn private() -> io::Result<Option<(TempDir, File)>> {
    // The signal handler holds this lock to the end, so that no folder is created after it has
    // removed the others.
    let mut all = folders();
    let mut builder = tempfile::Builder::new();
    builder.prefix(FOLDER);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir()?;
    let lock = create(&folder.path().join(LOCK))?;
    // If the file system has no locks, no other program can lock the folder either.
    if matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
        return Ok(None);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(sweep(folder.path())));
    all.insert(folder.path().to_path_buf());
    Ok(Some((folder, lock)))
}

/// Creates a file that only this user may read, whatever the process's umask.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes the folders of killed programs: those of verbatim and of this user that no program has
/// locked.
fn sweep(own: &Path) -> io::Result<()> {
    let owner = owner(&std::fs::symlink_metadata(own)?);
    for entry in std::fs::read_dir(own.parent().unwrap_or(own))? {
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(FOLDER));
        let ours = || {
            std::fs::symlink_metadata(&path)
                .is_ok_and(|meta| meta.is_dir() && self::owner(&meta) == owner)
        };
        if !named || path == own || !ours() {
            continue;
        }
        if let Ok(lock) = File::open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            drop(std::fs::remove_dir_all(&path));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn owner(meta: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(meta)
}

/// On other systems each user has a temporary folder of their own, so every folder in it has the
/// same owner.
#[cfg(not(unix))]
const fn owner(_meta: &std::fs::Metadata) -> u32 {
    0
}

/// Whether an interrupt does not end this program.
static OUTLIVES: AtomicBool = AtomicBool::new(false);

/// From now on, an interrupt (`SIGINT`) does not end this program: it is meant for a program that
/// it has started. To be called before a database is opened.
pub fn outlive_interrupts() {
    OUTLIVES.store(true, Ordering::Relaxed);
}

/// Starts the handler of the signals that end a program: it removes the copies first. On systems
/// without signals, the next run of verbatim removes them.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    };
    let ignored = ignored();
    let wanted = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM,
        SIGPROF,
    ];
    let outlived = |signal: &i32| *signal == SIGINT && OUTLIVES.load(Ordering::Relaxed);
    let wanted = wanted.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let wanted = wanted.filter(|signal| !outlived(signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    std::thread::spawn(move || {
        signals.forever().for_each(end_by);
    });
}

/// Ends the program as a signal does by default, and removes the copies before.
#[cfg(unix)]
pub fn end_by(signal: i32) {
    // Held until the program ends, so that no folder is created any more.
    let folders = folders();
    for folder in &*folders {
        // A thread that is still copying may create a file in the folder meanwhile.
        while folder.exists() && std::fs::remove_dir_all(folder).is_err() {
            std::thread::yield_now();
        }
    }
    drop(signal_hook::low_level::emulate_default_handler(signal));
}

/// Whether this process ignores a signal from its start.
#[cfg(unix)]
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    ignored() & (1 << (signal - 1)) != 0
}

#[cfg(not(unix))]
const fn watch() {}

/// The signals that this process ignores from its start, as under `nohup`: one bit for each, from
/// signal 1. Only Linux reports them (`proc_pid_status(5)`).
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Copies a file, if it exists. Holes stay holes. If the file system can share the bytes between
/// both files, they are not written again.
fn duplicate(from: &Path, to: &Path) -> Result<(), DatabaseError> {
    let mut source = match File::open(from) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let failed = |error| DatabaseError::NoCopy { folder: std::env::temp_dir(), error };
    let mut target = create(to).map_err(failed)?;
    let length = source.metadata()?.len();
    let (mut at, mut copied) = (0, 0);
    while let Some((start, end)) = data(&source, at, length) {
        copied += end - start;
        if copied > MOST {
            return Err(DatabaseError::Big(copied));
        }
        source.seek(SeekFrom::Start(start))?;
        target.seek(SeekFrom::Start(start)).map_err(failed)?;
        io::copy(&mut (&source).take(end - start), &mut target).map_err(failed)?;
        at = end;
    }
    target.set_len(length).map_err(failed)?;
    Ok(())
}

/// The next range of a file, from an offset, that is not a hole.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn data(file: &File, at: u64, length: u64) -> Option<(u64, u64)> {
    use rustix::fs::{SeekFrom, seek};
    if at >= length {
        return None;
    }
    let start = match seek(file, SeekFrom::Data(at)) {
        Ok(start) => start,
        // Only a hole is left.
        Err(rustix::io::Errno::NXIO) => return None,
        Err(_) => at,
    };
    let end = seek(file, SeekFrom::Hole(start)).ok().filter(|end| *end > start);
    (start < length).then(|| (start, end.unwrap_or(length).min(length)))
}

/// The rest of a file, because this system does not report holes.
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn data(_file: &File, at: u64, length: u64) -> Option<(u64, u64)> {
    (at < length).then_some((at, length))
}

/// Writes the first page of a copy from its WAL, if the database file is empty. SQLite would ignore
/// the WAL of an empty database; with its first page, it applies the WAL (file format, section
/// 4.2).
fn begin(copy: &Path) -> io::Result<()> {
    if holds(copy, 0) {
        return Ok(());
    }
    let mut log = io::BufReader::new(match File::open(beside(copy, LOG)) {
        Ok(log) => log,
        Err(_) => return Ok(()),
    });
    let mut header = [0; 32];
    log.read_exact(&mut header)?;
    let size = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    if !is_log(&header) || !(512..=65536).contains(&size) {
        return Ok(());
    }
    let mut frame = vec![0; 24 + size as usize];
    while log.read_exact(&mut frame).is_ok() {
        let salted = frame[8..16] == header[16..24];
        if salted && frame[..4] == [0, 0, 0, 1] {
            return std::fs::write(copy, &frame[24..]);
        }
    }
    Ok(())
}
