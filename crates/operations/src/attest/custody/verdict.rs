//! An archive, or a copy of it in another place, beside its statements of custody.

use std::collections::{BTreeMap, BTreeSet};

use archive::custody::named_digest;
use archive::{Archive, ArchiveFolder, Digest};
use session::Sorting as _;
use sign::{Hash, hash_of_hex, hex, inclusion_root, leaf_hash};

use super::{Error, Found, KnownKey, MOST, Statement, StatementFault, archived, opened};
use crate::attest::error::at;

/// The verdict on an archive by its statements of custody.
#[derive(Clone, Debug, Default)]
pub struct CustodyVerdict {
    /// Statements that are good, by the names of the keys that signed them.
    pub signed: BTreeMap<String, usize>,
    /// Objects that are what a statement says.
    pub sound: usize,
    /// The faults.
    pub faults: Vec<CustodyFault>,
}

/// A file that is not as the statements say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustodyFault {
    /// The kind, in a word.
    pub kind: &'static str,
    /// The path in the archive.
    pub path: String,
    /// The reason.
    pub why: String,
}

impl CustodyVerdict {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    fn fault(&mut self, kind: &'static str, path: &str, why: impl Into<String>) {
        self.faults.push(CustodyFault { kind, path: path.into(), why: why.into() });
    }
}

/// Checks an archive beside its statements: each object is read. `keys` are those that are trusted
/// here.
///
/// # Errors
/// A folder can't be listed.
pub fn check_custody(
    archive: &Archive,
    keys: &[KnownKey],
    step: &dyn Fn(u64),
) -> Result<CustodyVerdict, Error> {
    let place = &archive.place;
    let mut verdict = CustodyVerdict::default();
    let found = statements(place, keys, &mut verdict)?;
    previous(&found, &mut verdict);
    let there: BTreeSet<String> = place.objects().map_err(archived)?.into_iter().collect();
    let Named { objects, withdrawn } = Named::of(&found);
    for (path, (digest, bytes)) in &objects {
        match there.contains(*path) {
            false => verdict.fault("missing", path, "a statement names it, and it is not there"),
            true => match place.object(path) {
                Ok((is, _)) if is == *digest => verdict.sound += 1,
                Ok((_, length)) if length == *bytes => {
                    verdict.fault(
                        "changed",
                        path,
                        "it has other bytes than those that were signed",
                    );
                }
                Ok((_, length)) => {
                    let why = format!("it has {length} bytes, not the {bytes} that were signed");
                    verdict.fault("changed", path, why);
                }
                Err(error) => verdict.fault("changed", path, error.to_string()),
            },
        }
        step(*bytes);
    }
    let own = |found: &Found| found.statement.run.clone();
    let runs: BTreeSet<String> = found.iter().filter_map(own).collect();
    for path in &there {
        let is_run = path.starts_with("runs/");
        match objects.contains_key(&**path) {
            true if is_run && !runs.contains(path) => {
                verdict.fault("unsigned", path, "no statement is of this run");
            }
            true => {}
            false if withdrawn.contains(&**path) => {
                verdict.fault("extra", path, "it was withdrawn, and is still there");
            }
            false if is_run => verdict.fault("unsigned", path, "no statement is of this run"),
            false => verdict.fault("extra", path, "no statement names it"),
        }
    }
    for path in place.strangers().map_err(archived)? {
        verdict.fault("extra", &path, "an archive has no such file");
    }
    Ok(verdict)
}

/// The objects that statements name.
struct Named<'f> {
    /// Those that are to be there, with their digests and lengths.
    objects: BTreeMap<&'f str, (Digest, u64)>,
    /// Those that were withdrawn.
    withdrawn: BTreeSet<&'f str>,
}

impl<'f> Named<'f> {
    /// The objects of statements in their order.
    fn of(found: &'f [Found]) -> Self {
        let mut named = Self { objects: BTreeMap::new(), withdrawn: BTreeSet::new() };
        for Found { statement, .. } in found {
            for path in &statement.withdrawn {
                named.objects.remove(&**path);
                named.withdrawn.insert(path);
            }
            for object in &statement.objects {
                named.objects.insert(&object.path, (object.digest, object.bytes));
                named.withdrawn.remove(&*object.path);
            }
        }
        named
    }
}

/// The good statements in their order; the others are faults.
fn statements(
    place: &ArchiveFolder,
    keys: &[KnownKey],
    verdict: &mut CustodyVerdict,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for name in place.statements().map_err(archived)? {
        let (path, file) = (format!("custody/{name}"), place.custody().join(&name));
        let bytes = catalog::bounded(&file, MOST).map_err(at(&file))?;
        match opened(&name, &bytes, keys) {
            Err(fault @ StatementFault::Forged(_)) => verdict.fault("forged", &path, fault.why()),
            Err(fault) => verdict.fault("unknown", &path, fault.why()),
            Ok((statement, key)) => match in_log(&statement) {
                Err(why) => verdict.fault("forged", &path, why),
                Ok(()) => {
                    *verdict.signed.entry(key.to_owned()).or_default() += 1;
                    let digest = Digest::of(&bytes);
                    found.push(Found { path, digest, bytes: bytes.len() as u64, statement });
                }
            },
        }
    }
    found.in_order_by_key(|found| found.statement.number);
    Ok(found)
}

/// Whether the log that a statement names has its run.
fn in_log(statement: &Statement) -> Result<(), String> {
    let Some(run) = &statement.run else { return Ok(()) };
    let hash = |digest: Digest| hash_of_hex(&digest.to_string());
    let digest = named_digest(run).and_then(hash).ok_or("its run has no digest in its name")?;
    let log = &statement.log;
    let path: Option<Vec<Hash>> = log.path.iter().map(|hash| hash_of_hex(hash)).collect();
    let root = inclusion_root(
        log.index.ok_or("it does not say where the log has its run")?,
        log.size,
        &leaf_hash(&digest),
        &path.ok_or("the path to the head of the log is damaged")?,
    );
    match root.is_ok_and(|root| hex(&root) == log.root) {
        true => Ok(()),
        false => Err("the head of the log that it names does not have its run".into()),
    }
}

/// Each statement names the one before it: a gap shows.
fn previous(found: &[Found], verdict: &mut CustodyVerdict) {
    for Found { path, statement, .. } in found {
        let Some(before) = &statement.previous else {
            if statement.number > 1 {
                verdict.fault("missing", path, "it does not name the statement before it");
            }
            continue;
        };
        let is_there = |other: &Found| other.path == before.path && other.digest == before.digest;
        if !found.iter().any(is_there) {
            let why = format!("{path} names it as the statement before, and it is not there so");
            verdict.fault("missing", &before.path, why);
        }
    }
}
