//! Files into memory: `read(2)` to a stable length, and `.zst` files unpacked. A file may grow,
//! shrink or be replaced while it is read; that is never an error. Memory maps are not used: an
//! agent that cuts its log would kill the process.

use std::cell::Cell;
use std::fs::File as Handle;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use formats::{Format, Role};
use session::{Bundle, MEMBER_LIMIT, Member, Stream, Transport};

use crate::database::Selection;
use crate::packed;
use crate::scan::{File, Source};
use crate::unpack::{self, is_zstd};

/// How much of a file's beginning, and of its end, tells what it is.
pub(crate) const END_BYTES: usize = 64 * 1024;

/// The longest file that is read, in bytes.
pub const MEMBER_BYTES: u64 = MEMBER_LIMIT as u64;

/// A file of a session that could not be read.
#[derive(Debug)]
pub struct Unread {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub why: String,
    /// True where it was there when it was found, and is no more: it was moved or removed since.
    pub gone: bool,
}

/// The first bytes of a file, decompressed: `count`, or all of a shorter one.
pub(crate) fn head(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    #[cfg(test)]
    crate::ends::tests::log(path, 0, count);
    if is_zstd(path) { unpack::head(path, count) } else { read_upto(&mut regular(path)?, count) }
}

thread_local! {
    /// What the last head of this thread was read into.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Shows the first bytes of a file, decompressed: [`END_BYTES`] (`packed` of a compressed one), or
/// all of a shorter one. They are read in one step as a rule, and copied nowhere: this is done for
/// every file that there is.
pub(crate) fn with_head<T>(
    path: &Path,
    packed: usize,
    see: impl FnOnce(&[u8]) -> T,
) -> io::Result<T> {
    if is_zstd(path) {
        return Ok(see(&head(path, packed)?));
    }
    let mut file = regular(path)?;
    #[cfg(test)]
    crate::ends::tests::log(path, 0, END_BYTES);
    let (mut room, mut filled) = (SPARE.take(), 0);
    room.resize(END_BYTES, 0);
    while filled < END_BYTES {
        match file.read(&mut room[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // Before anyone opens it as a database: to close a file takes back the locks that this process
    // has on it.
    drop(file);
    let seen = see(&room[..filled]);
    SPARE.set(room);
    Ok(seen)
}

fn read_upto(file: &mut Handle, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count);
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the files of a source. Those that can't be read are named beside the bundle of the
/// others.
#[must_use]
pub fn bundle(source: &Source) -> (Bundle, Vec<Unread>) {
    let mut bundle = Bundle::default();
    let mut unread = Vec::new();
    for file in &source.files {
        let read = match &file.rows {
            Some(rows) => rows_of(file, rows, &mut unread),
            None => member(file),
        };
        match read.and_then(|member| decode(source.format, member)) {
            Ok(member) => bundle.members.push(member),
            Err(error) => {
                let gone = error.kind() == io::ErrorKind::NotFound;
                unread.push(Unread { path: file.path.clone(), why: error.to_string(), gone });
            }
        }
    }
    bundle.settle();
    (bundle, unread)
}

/// The member as its format reads it.
pub(crate) fn decode(format: &dyn Format, member: Member) -> io::Result<Member> {
    packed::decode(format, member).map_err(io::Error::other)
}

/// The stream that a file belongs to.
pub(crate) fn stream(role: &Role) -> Stream {
    match role {
        Role::Main | Role::Beside(None) => Stream::Main,
        Role::Sub(stem) | Role::Beside(Some(stem)) => Stream::Sub(stem.clone()),
    }
}

fn member(file: &File) -> io::Result<Member> {
    let (bytes, transport) = match is_zstd(&file.path) {
        true => {
            let admitted = unpack::admit(&file.path)?;
            let stored = stable(&file.path)?;
            (unpack::whole(&stored, &admitted)?, Transport::Zstd(stored))
        }
        false => (stable(&file.path)?, Transport::Plain),
    };
    Member::stored(&*file.name, stream(&file.role), bytes, transport).ok_or_else(long)
}

/// The rows of a database that are a session's. What can't be read of them is named.
fn rows_of(file: &File, rows: &Selection, unread: &mut Vec<Unread>) -> io::Result<Member> {
    let dump = rows.store.dump(&rows.session, None).map_err(io::Error::other)?;
    for why in dump.unread {
        unread.push(Unread { path: file.path.clone(), why, gone: false });
    }
    let stream = stream(&file.role);
    Member::stored(&*file.name, stream, dump.bytes, Transport::Dump).ok_or_else(long)
}

/// All bytes of a file, decompressed.
///
/// # Errors
/// Where it can't be read, is no regular file, or unpacks to more than it may.
pub fn whole(path: &Path) -> io::Result<Vec<u8>> {
    if !is_zstd(path) {
        return stable(path);
    }
    let admitted = unpack::admit(path)?;
    unpack::whole(&stable(path)?, &admitted)
}

/// Opens a file to read it. What is no regular file is not opened: a pipe waits for ever, and a
/// device may do anything.
pub(crate) fn regular(path: &Path) -> io::Result<Handle> {
    let is_file = |meta: std::fs::Metadata| match meta.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file")),
    };
    is_file(std::fs::metadata(path)?)?;
    let mut options = Handle::options();
    options.read(true);
    // What was put in its place meanwhile does not hold us either.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    let file = options.open(path)?;
    is_file(file.metadata()?)?;
    Ok(file)
}

fn long() -> io::Error {
    io::Error::other(format!("longer than {MEMBER_LIMIT} bytes"))
}

/// How often a file that is rewritten under us is read again.
const TRIES: usize = 4;

/// The bytes of a file at one moment. Opened once, so that a file put in its place does not mix
/// with it. A file that only grows keeps what was read; if it ends within a line that was being
/// written, that line is read to its end. One that shrinks or is rewritten is read again, and if
/// it is never still, the last state counts.
fn stable(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for _ in 0..TRIES {
        let mut file = regular(path)?;
        let before = file.metadata()?;
        if before.len() > MEMBER_LIMIT as u64 {
            return Err(long());
        }
        let length = before.len() as usize;
        bytes.clear();
        // All that there is, in one step: a file tells how long it is.
        (&file).read_to_end(&mut bytes)?;
        let after = file.metadata()?;
        if bytes.len() < length || after.len() < before.len() {
            continue;
        }
        if bytes.len() > length || after.len() > before.len() {
            finish_line(&mut file, &mut bytes)?;
            return Ok(bytes);
        }
        if same_time(&before, &after) {
            return Ok(bytes);
        }
    }
    Ok(bytes)
}

fn same_time(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    match (a.modified(), b.modified()) {
        (Ok(a), Ok(b)) => a == b,
        _ => true,
    }
}

/// Reads on to the end of the line that `bytes` ends in, as far as it is written.
fn finish_line(file: &mut Handle, bytes: &mut Vec<u8>) -> io::Result<()> {
    while bytes.last().is_some_and(|&byte| byte != b'\n') {
        let room = MEMBER_LIMIT.saturating_sub(bytes.len()).min(END_BYTES);
        let more = read_upto(file, room)?;
        let end = memchr::memchr(b'\n', &more).map_or(more.len(), |at| at + 1);
        bytes.extend_from_slice(&more[..end]);
        if end < more.len() || more.is_empty() {
            break;
        }
    }
    Ok(())
}
