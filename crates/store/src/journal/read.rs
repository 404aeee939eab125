//! Reading of the journal: which entries are believed.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Homes, Noted, Placed, SCHEMA, Step, StrangeEntry, is_plain};
use crate::Error;

/// The greatest length of an entry in bytes: more than a hundred thousand files.
const LONGEST: u64 = 64 << 20;

/// The content of a journal's folder; nothing if there is no such folder.
pub(crate) fn noted(folder: &Path, homes: Homes<'_>) -> Result<Noted, Error> {
    let io = |path: &Path, source| Error::Io { path: path.to_path_buf(), source };
    let mut paths = Vec::new();
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Noted::default()),
        Err(error) => return Err(io(folder, error)),
        Ok(found) => {
            for entry in found {
                paths.push(entry.map_err(|error| io(folder, error))?.path());
            }
        }
    }
    paths.retain(|path| path.extension() == Some("json".as_ref()));
    paths.sort();
    let mut noted = Noted::default();
    for path in paths {
        match entry(&path, homes) {
            Ok(Read::Here(placed)) => noted.placed.push(placed),
            Ok(Read::Elsewhere(placed)) => noted.elsewhere.push(placed),
            Err(why) => noted.strange.push(StrangeEntry { path, why }),
        }
    }
    mark_replaced(&mut noted.placed);
    Ok(noted)
}

/// Marks the placements that newer ones are in place of. What an entry itself says of that may be
/// late: it is written after the newer one.
fn mark_replaced(placed: &mut [Placed]) {
    let complete = placed.iter().filter(|entry| entry.step == Step::Placed);
    let replaced: Vec<String> = complete.filter_map(|entry| entry.replaces.clone()).collect();
    for entry in placed {
        let is_replaced = replaced.contains(&entry.file_name());
        match entry.step {
            Step::Placed if is_replaced => entry.step = Step::Replaced,
            Step::Replaced if !is_replaced => entry.step = Step::Placed,
            _ => {}
        }
    }
}

/// An entry that is believed.
enum Read {
    /// In one of the agent's folders.
    Here(Placed),
    /// In a home that nobody named.
    Elsewhere(Placed),
}

/// Reads an entry. The error says why it is not obeyed.
fn entry(path: &Path, homes: Homes<'_>) -> Result<Read, String> {
    let meta = path.symlink_metadata().map_err(|error| error.to_string())?;
    if !meta.is_file() || meta.len() > LONGEST {
        return Err("it is no regular file, or too long".into());
    }
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    read.map_err(|error| error.to_string())?;
    parse(&text, path.file_name().and_then(|name| name.to_str()).unwrap_or_default(), homes)
}

/// The entry in the bytes of a file of this name. The error says why it is not obeyed.
fn parse(text: &[u8], name: &str, homes: Homes<'_>) -> Result<Read, String> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head =
        serde_json::from_slice(text).map_err(|error| format!("it can't be read: {error}"))?;
    if head.schema != SCHEMA {
        return Err(format!("its schema is {:?}, not {SCHEMA}", head.schema));
    }
    let entry: Placed =
        serde_json::from_slice(text).map_err(|error| format!("it can't be read: {error}"))?;
    if entry.file_name() != name {
        return Err("its name is not that of its session".into());
    }
    let homes = homes(&entry.agent);
    if homes.is_empty() {
        return Err(format!("{:?} is no agent with a folder here", entry.agent));
    }
    let in_one = |path: &Path, homes: &[PathBuf]| {
        is_plain(path) && homes.iter().any(|home| path.starts_with(home))
    };
    let own: Vec<PathBuf> = match &entry.home {
        Some(home) => {
            [Some(home.clone()), home.canonicalize().ok()].into_iter().flatten().collect()
        }
        None => homes.clone(),
    };
    let lines = entry.line.iter().map(|line| &line.path);
    let mut paths = entry.files.iter().map(|file| &file.path).chain(lines);
    if let Some(path) = paths.find(|path| !in_one(path, &own)) {
        if entry.home.is_none() && is_plain(path) {
            // Earlier versions did not note the home in which they placed a session.
            return Ok(Read::Elsewhere(entry));
        }
        return Err(format!("{} is not in the folder of {}", path.display(), entry.agent));
    }
    if entry.line.as_ref().is_some_and(|line| !line.text.contains(&entry.id)) {
        return Err("its line is not that of its session".into());
    }
    let holds = |folder: &Path| entry.files.iter().any(|file| file.path.starts_with(folder));
    if let Some(folder) = entry.folders.iter().find(|folder| !is_plain(folder) || !holds(folder)) {
        return Err(format!("{} is no folder of its files", folder.display()));
    }
    match entry.home.is_none() || homes.iter().any(|home| entry.is_in(home)) {
        true => Ok(Read::Here(entry)),
        false => Ok(Read::Elsewhere(entry)),
    }
}
