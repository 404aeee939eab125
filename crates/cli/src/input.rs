//! Input: the session, or the files, that the user named.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use catalog::{Error, Opened};
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::{self, counted};
use crate::notes::say;
use crate::terminal::Plain;
use crate::what;

/// The name of standard input for detection: most sessions are lines of JSON.
pub(crate) const STDIN: &str = "stdin.jsonl";

/// Opens the user's input; `-` is standard input. Reports unreadable files on standard error.
pub(crate) fn open(
    name: &Path,
    within: &[PathBuf],
    env: &mut Environment<'_>,
) -> Result<Opened, Failure> {
    if name == Path::new("-") {
        let mut bytes = Vec::new();
        env.input.read_to_end(&mut bytes)?;
        let nothing = bytes.is_empty();
        return Ok(env.catalog().open_bytes(STDIN, bytes).map_err(|error| match error {
            Error::NoSession { why, .. } => {
                let why = if nothing { "it is empty".into() } else { why };
                Error::NoSession { path: "standard input".into(), why }
            }
            other => other,
        })?);
    }
    let text = name.to_string_lossy();
    // An id may have a `/`, as of Sage: behind the agent's name it is no path.
    let agent = text.split_once(':').map(|(agent, _)| agent);
    let is_id = env.formats.iter().any(|format| Some(format.name()) == agent);
    let is_path = !is_id && text.contains(std::path::is_separator);
    if is_path && what::is_missing(name) {
        return Err(Failure::NoFile(name.display().to_string()));
    }
    let opened = env.catalog().open(name, within)?;
    for unread in &opened.unread {
        let what = format!("{}: not read: {}", unread.path.display(), unread.why);
        say(Plain::line(&format!("warning: {what}")), env)?;
    }
    with_it(name, &opened, env)?;
    Ok(opened)
}

/// Cuts the session that an id names out of a file with several, so that it has a bundle of its
/// own. A path names a file with all of its sessions.
pub(crate) fn cut_out(
    name: &Path,
    within: &[PathBuf],
    opened: &mut Opened,
    env: &Environment<'_>,
) -> Result<(), Failure> {
    let is_path = name == Path::new("-") || (within.is_empty() && name.exists());
    let others = opened.sessions.iter().filter(|session| !session.remainder).count() - 1;
    if is_path || others == 0 || !opened.session().shared {
        return Ok(());
    }
    let Some(cut) = operations::cut_out(&env.catalog(), opened.session())? else {
        let others = counted(others as u64, "other", "others");
        let what = format!("the session is in one file with {others}, and can't be cut out of it");
        return Err(Failure::Refused(what, "take all of them: `--whole-file`".into()));
    };
    (opened.sessions, opened.picked) = (vec![cut], 0);
    Ok(())
}

/// Adds the history that a session continues in other sessions' files: its agent sends it too.
pub(crate) fn add_history(
    opened: &mut Opened,
    within: &[PathBuf],
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let catalog = env.catalog();
    let (mut whole, mut missing) = catalog.with_history(opened, within);
    if missing.is_some() {
        // It may be beside the session's own files.
        let folders = opened.paths.iter().filter_map(|path| Some(path.parent()?.to_path_buf()));
        let folders: BTreeSet<PathBuf> = folders.collect();
        let beside: Vec<PathBuf> = folders.into_iter().collect();
        (whole, missing) = catalog.with_history(opened, &beside);
    }
    if let Some(id) = missing {
        let what = format!("it continues the session {id}, which is not here");
        say(Plain::line(&format!("warning: {what}")), env)?;
    }
    if let Some(whole) = whole {
        opened.history_from = Some(opened.session().bundle.members.len());
        *opened.session_mut() = whole;
    }
    Ok(())
}

/// The time of the session's file, for a session that records no time itself.
pub(crate) fn file_time(opened: &Opened) -> Option<UtcTime> {
    let modified = opened.paths.first()?.metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(UtcTime)
}

/// Maximum number of further files that are named.
const NAMED: usize = 5;

/// The other files of the same session, which were read together with the named one.
fn with_it(name: &Path, opened: &Opened, env: &mut Environment<'_>) -> Result<(), Failure> {
    let named = name.canonicalize().ok().filter(|path| path.is_file());
    let Some(named) = named.filter(|_| !opened.session().shared) else { return Ok(()) };
    let other = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path != named);
    let others: Vec<&PathBuf> = opened.paths.iter().filter(other).collect();
    if others.is_empty() {
        return Ok(());
    }
    let names: Vec<String> =
        others.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = if others.len() > NAMED { ", …" } else { "" };
    let count = counted(others.len() as u64, "more file", "more files");
    let text = format!("{count} of this session read: {}{more}", names.join(", "));
    Ok(say(Plain::line(&format!("note: {text}")), env)?)
}

/// The text of a file that an option names, or that is looked for beside the user's files: a
/// regular file of at most `limit` bytes. `what` says what it should be, as "a list of prices".
pub(crate) fn named_text(path: &Path, limit: u64, what: &str) -> Result<String, Failure> {
    let bytes = named_bytes(path, limit, what)?;
    String::from_utf8(bytes).map_err(|_| {
        let text = format!("{}: it is no text (UTF-8)", path.display());
        Failure::Usage(text, format!("name {what}"))
    })
}

/// The bytes of such a file.
pub(crate) fn named_bytes(path: &Path, limit: u64, what: &str) -> Result<Vec<u8>, Failure> {
    catalog::bounded(path, limit).map_err(|error| match error.kind() {
        // Its form is refused, not its absence or its rights.
        io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
            let hint = format!("name {what}: a regular file of at most {}", human::size(limit));
            Failure::Usage(format!("{}: {error}", path.display()), hint)
        }
        _ => Failure::File(path.to_path_buf(), error),
    })
}

/// Refusal of `-` if files are required: standard input has no path to search.
pub(crate) fn only_files<P: AsRef<Path>>(paths: &[P]) -> Result<(), Failure> {
    let streams = |path: &P| path.as_ref() == "-" && !path.as_ref().exists();
    match paths.iter().any(streams) {
        false => Ok(()),
        true => Err(Failure::Usage(
            "`-`: this command does not read standard input".into(),
            "`show`, `convert`, `attribution` and `validate` can; or write it to a file".into(),
        )),
    }
}
