//! Whether an archive has all that it says: every version's pieces, and with `read_data` their
//! bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use crate::digest::Digest;
use crate::error::Error;
use crate::pack;
use crate::redactions;
use crate::run::{ENDING, Line};
use crate::state::{Archive, ArchiveFault};

/// The faults of an archive.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Packs that were looked at.
    pub packs: usize,
    /// Run files that were read.
    pub runs: usize,
    /// Versions of sessions whose pieces are all there.
    pub sound: usize,
    /// Versions that can't be given back, with the digest of each.
    pub lost: Vec<(String, Digest)>,
    /// Damaged files, each with the sessions that it concerns.
    pub faults: Vec<(ArchiveFault, Vec<String>)>,
    /// Bytes that were read, if data was read.
    pub read: u64,
}

impl Verification {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.lost.is_empty() && self.faults.is_empty()
    }
}

impl Archive {
    /// Checks that the pieces of each version are there. With `read_data` every byte of the archive
    /// is read, and each piece, pack and run must have its digest.
    pub fn verify(&self, read_data: bool, step: &dyn Fn(u64)) -> Verification {
        let mut verdict = Verification {
            packs: self.packs.len(),
            runs: self.runs.len(),
            ..Verification::default()
        };
        let users = self.users();
        let mut bad: HashSet<Digest> = HashSet::new();
        let mut faults = self.file_faults(read_data);
        if read_data {
            for at in 0..self.packs.len() {
                let path = self.place.packs().join(&self.packs[at]);
                let (why, pieces) = self.read_pack(at);
                if let Some(why) = why {
                    let hit = pieces.iter().flat_map(|piece| users.get(piece)).flatten().cloned();
                    faults
                        .entry(path.clone())
                        .or_insert_with(|| (why, BTreeSet::new()))
                        .1
                        .extend(hit);
                }
                bad.extend(pieces);
                let length = path.metadata().map_or(0, |meta| meta.len());
                verdict.read += length;
                step(length);
            }
        }
        for version in self.versions() {
            let is_sound = |digest: Digest| {
                self.pieces_of(digest).is_ok_and(|pieces| {
                    pieces
                        .iter()
                        .all(|piece| self.pieces.contains_key(piece) && !bad.contains(piece))
                })
            };
            let session = &version.session;
            match session.files.iter().all(|file| is_sound(file.content)) {
                true => verdict.sound += 1,
                false => verdict.lost.push((session.name.uid(), session.digest)),
            }
        }
        let fault = |(path, (why, sessions)): (PathBuf, (String, BTreeSet<String>))| {
            (ArchiveFault { path, why }, sessions.into_iter().collect())
        };
        verdict.faults = faults.into_iter().map(fault).collect();
        verdict
    }

    /// The runs and packs that could not be read, and the receipts of a twin if they are read too:
    /// each with the reason, and the sessions that it still names.
    fn file_faults(&self, read_data: bool) -> BTreeMap<PathBuf, (String, BTreeSet<String>)> {
        let mut faults = BTreeMap::new();
        for ArchiveFault { path, why } in &self.faults {
            let sessions = if path.extension().is_some_and(|end| *end == ENDING[1..]) {
                named_in(path)
            } else {
                BTreeSet::new()
            };
            faults.insert(path.clone(), (why.clone(), sessions));
        }
        let folder = self.place.redactions();
        let receipts = read_data.then(|| redactions::read_all(&folder));
        let receipts = receipts.map(|read| read.map_or_else(|it| vec![it], |(_, faults)| faults));
        for error in receipts.into_iter().flatten() {
            let ArchiveFault { path, why } = ArchiveFault::of(folder.clone(), &error);
            let path = error.path().map_or(path, PathBuf::from);
            faults.entry(path).or_insert_with(|| (why, BTreeSet::new()));
        }
        faults
    }

    /// The fault of a pack, and its pieces that can't be read.
    fn read_pack(&self, at: usize) -> (Option<String>, Vec<Digest>) {
        let path = self.place.packs().join(&self.packs[at]);
        let text = |error: &Error| match error {
            Error::Damaged { what, .. } => what.clone(),
            other => other.to_string(),
        };
        let table = match pack::table(&path) {
            Ok(table) => table,
            Err(error) => return (Some(text(&error)), Vec::new()),
        };
        let (mut why, mut bad) = (None, Vec::new());
        for piece in &table {
            if let Err(error) = pack::bytes(&path, piece) {
                why.get_or_insert_with(|| text(&error));
                bad.push(piece.digest);
            }
        }
        let named = self.packs[at].strip_suffix(pack::ENDING).and_then(Digest::read);
        match pack::digest(&path) {
            Err(error) => why = Some(text(&error)),
            Ok(digest) if Some(digest) != named && why.is_none() => {
                why = Some("it does not have the digest that its name says".into());
            }
            Ok(_) => {}
        }
        (why, bad)
    }

    /// The sessions that use each piece.
    fn users(&self) -> HashMap<Digest, BTreeSet<String>> {
        let mut users: HashMap<Digest, BTreeSet<String>> = HashMap::new();
        for version in self.versions() {
            for file in &version.session.files {
                for piece in self.pieces_of(file.content).unwrap_or_default() {
                    users.entry(piece).or_default().insert(version.session.name.uid());
                }
            }
        }
        users
    }
}

/// The sessions that the lines of a damaged run still name.
fn named_in(path: &std::path::Path) -> BTreeSet<String> {
    let bytes = catalog::bounded(path, 1 << 30).unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let uid = |line: &[u8]| match serde_json::from_slice(line) {
        Ok(Line::Session(session)) => Some(session.name.uid()),
        _ => None,
    };
    lines.filter_map(uid).collect()
}
