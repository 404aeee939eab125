//! Adds another archive, which may be anybody's: everything in it is checked before it is taken,
//! and what is not sound is refused by name.

use std::collections::{HashMap, HashSet};

use session::{MEMBER_LIMIT, UtcTime};

use crate::digest::Digest;
use crate::error::Error;
use crate::keep::{Keeper, Unkept};
use crate::run::{Line, SessionName, SessionVersion};
use crate::state::{Archive, Version};

/// Greatest ratio of unpacked to stored bytes, beyond [`FREE`] bytes.
const RATIO: u64 = 100;

/// Unpacked bytes that any archive may have.
const FREE: u64 = 1 << 30;

/// Greatest length of a name in bytes.
const NAME: usize = 4096;

/// The result of a merging.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// Versions that were taken.
    pub taken: usize,
    /// Versions that were here already.
    pub known: usize,
    /// Versions that were refused, each by name and with the reason.
    pub refused: Vec<(String, String)>,
    /// Bytes that were added.
    pub stored: u64,
}

/// Takes the versions of another archive. The caller has at least the shared lock of this one.
///
/// # Errors
/// This archive can't be written.
pub fn merge(
    archive: &mut Archive,
    other: &Archive,
    now: UtcTime,
    step: &dyn Fn(u64),
) -> Result<Merged, Error> {
    archive.place.is_no_twin()?;
    let mut merged = Merged::default();
    for fault in &other.faults {
        merged.refused.push((fault.path.display().to_string(), fault.why.clone()));
    }
    let ours: HashMap<SessionName, SessionVersion> = archive
        .newest()
        .into_iter()
        .map(|(name, version)| (name.clone(), version.session.clone()))
        .collect();
    let known: HashSet<(SessionName, Digest)> = archive
        .versions
        .iter()
        .map(|version| (version.session.name.clone(), version.session.digest))
        .collect();
    let forgotten: HashSet<SessionName> = archive.forgotten.keys().cloned().collect();
    let gone: HashSet<Digest> =
        archive.forgotten.values().flat_map(|f| f.contents.iter().copied()).collect();
    let mut room = other.length().saturating_mul(RATIO).saturating_add(FREE);
    for version in other.versions() {
        let session = &version.session;
        if known.contains(&(session.name.clone(), session.digest)) {
            merged.known += 1;
            continue;
        }
        let taken = checked(session)
            .and_then(|()| {
                match forgotten.contains(&session.name)
                    || session.files.iter().any(|file| gone.contains(&file.content))
                {
                    true => Err("it was forgotten here".into()),
                    false => Ok(()),
                }
            })
            .and_then(|()| claims(archive, other, ours.get(&session.name), session, &mut room));
        if let Err(why) = taken {
            merged.refused.push((name(version), why));
            continue;
        }
        match take(archive, other, version, now) {
            Ok(stored) => {
                merged.taken += 1;
                merged.stored += stored;
            }
            Err(Unkept::Archive(error)) => return Err(error),
            Err(Unkept::Source(error)) => merged.refused.push((name(version), error.to_string())),
        }
        step(session.files.iter().map(|file| file.length).sum());
    }
    Ok(merged)
}

fn name(version: &Version) -> String {
    format!("{}@{}", version.session.name.uid(), &version.session.digest.to_string()[..12])
}

/// Whether the names in a version may be ones of a session.
fn checked(session: &SessionVersion) -> Result<(), String> {
    let is_plain =
        |text: &str| !text.is_empty() && text.len() <= NAME && !text.chars().any(char::is_control);
    if !is_plain(&session.name.agent) || !is_plain(&session.name.group) {
        return Err("the name of its session can't be one".into());
    }
    if session.files.is_empty() || !session.ids.iter().all(|id| is_plain(id)) {
        return Err("it has no files, or an id that can't be one".into());
    }
    for file in &session.files {
        let path = file.path.path();
        let climbs = |text: &str| text.split(['/', '\\']).any(|part| part == "..");
        if !is_plain(&file.name) || climbs(&file.name) || file.name.starts_with('/') {
            return Err(format!("the name of a file leads out of its folder: {:?}", file.name));
        }
        if climbs(&path.to_string_lossy()) {
            return Err(format!("the path of a file leads upwards: {}", path.display()));
        }
        if file.length > MEMBER_LIMIT as u64 {
            return Err(format!("{} has {} bytes: too many", file.name, file.length));
        }
        if crate::roles::role(file).is_none() {
            return Err(format!("{} has no known role", file.name));
        }
    }
    match crate::roles::digest(&session.files) == session.digest {
        true => Ok(()),
        false => Err("it does not have its digest".into()),
    }
}

/// Whether a version is one of its session: its bytes are what it says; and if this archive has the
/// session, they begin with what is here, or the other way round.
fn claims(
    archive: &Archive,
    other: &Archive,
    ours: Option<&SessionVersion>,
    theirs: &SessionVersion,
    room: &mut u64,
) -> Result<(), String> {
    for file in &theirs.files {
        let pieces = other.pieces_of(file.content).map_err(|error| error.to_string())?;
        let lengths = pieces.iter().map(|piece| other.pieces.get(piece).map(|p| p.piece.length));
        let length: Option<u64> = lengths.sum();
        if length != Some(file.length) {
            return Err(format!("the pieces of {} are not all there", file.name));
        }
        *room = room
            .checked_sub(file.length)
            .ok_or("the archive unpacks to more than a hundred times its size: it is not taken")?;
        other.write(file.content, &mut |_| Ok(())).map_err(|error| error.to_string())?;
    }
    let Some(ours) = ours else { return Ok(()) };
    for file in theirs.files.iter().filter(|file| file.role == crate::roles::MAIN) {
        let same = |own: &&crate::run::VersionFile| own.name == file.name;
        let Some(own) = ours.files.iter().find(same) else { continue };
        let begins = begins(archive, own.content, other, file.content);
        if !begins.map_err(|error| error.to_string())? {
            return Err(
                "it claims the id of a session that this archive has with other content".into()
            );
        }
    }
    Ok(())
}

/// Whether one of two contents is the beginning of the other.
fn begins(archive: &Archive, ours: Digest, other: &Archive, theirs: Digest) -> Result<bool, Error> {
    let mut left = archive.pieces_of(ours)?.into_iter();
    let mut right = other.pieces_of(theirs)?.into_iter();
    let (mut a, mut b): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    loop {
        if a.is_empty() {
            let Some(piece) = left.next() else { return Ok(true) };
            a = archive.piece(piece)?.to_vec();
        }
        if b.is_empty() {
            let Some(piece) = right.next() else { return Ok(true) };
            b = other.piece(piece)?.to_vec();
        }
        let count = a.len().min(b.len());
        if a[..count] != b[..count] {
            return Ok(false);
        }
        a.drain(..count);
        b.drain(..count);
    }
}

/// Takes a version that was checked. Its bytes are cut and packed anew.
fn take(
    archive: &mut Archive,
    other: &Archive,
    version: &Version,
    now: UtcTime,
) -> Result<u64, Unkept> {
    let mut keeper = Keeper::new(archive, now, &version.machine);
    let mut session = version.session.clone();
    for file in &mut session.files {
        let bytes = other
            .bytes(file.content)
            .map_err(|error| Unkept::Source(std::io::Error::other(error.to_string())))?;
        keeper.bytes(&bytes)?;
        // It says nothing of a file on this machine.
        file.stat = None;
    }
    keeper.note(Line::Session(session));
    keeper.finish()?;
    Ok(keeper.stored)
}

#[cfg(test)]
mod tests;
