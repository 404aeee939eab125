//! Statements of custody: for each run of an archive, what its machine hands over, signed. A
//! statement is one file, an envelope with its content inside. It names each object by its digest,
//! the statement before it, and the head of the log that has the run.

use std::collections::{BTreeMap, BTreeSet};

use archive::custody::{STATEMENT, named_digest};
use archive::{Archive, ArchiveFolder, Digest, MachineName};
use serde::{Deserialize, Serialize};
use session::Sorting as _;
use session::UtcTime;
use sign::{Claims, Envelope, Hash, hash_of_hex, hex, signature_input};
use std::io::Write as _;
use store::unnamed::Unnamed;

use super::error::{Error, at, refused};
use super::local_log::{LocalLog, LogState, NewEntry};
use super::signer::Signer;
use super::trust::KnownKey;

pub(crate) mod verdict;

/// The name of the form of statements.
const SCHEMA: &str = "verbatim-custody-1";

/// The media type of a statement. A key that signs other things has not signed one.
const MEDIA_TYPE: &str = "application/vnd.verbatim.custody+json";

/// The beginning of every subject.
const SUBJECT: &str = "urn:verbatim:custody:";

/// Greatest length of a statement in bytes.
const MOST: u64 = 1 << 28;

/// The content of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Statement {
    schema: String,
    /// Its place among those of the archive, from 1.
    number: u64,
    /// The run that it is of; none if it only says what was withdrawn.
    run: Option<String>,
    /// The machines on which the sessions of the run were seen.
    machines: Vec<MachineName>,
    /// The files that are handed over.
    objects: Vec<Object>,
    /// Objects that earlier statements name, and that were removed since.
    withdrawn: Vec<String>,
    /// The statement before it.
    previous: Option<Object>,
    /// The head of the log, and the proof that the log has the run.
    log: LogHead,
}

/// A file, by its path in the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Object {
    path: String,
    digest: Digest,
    bytes: u64,
}

/// The head of a log with the entry of a run in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LogHead {
    origin: String,
    size: u64,
    root: String,
    /// The place of the run's entry.
    index: Option<u64>,
    /// The path from the entry to the root (RFC 9162).
    path: Vec<String>,
}

/// The result of signing.
#[derive(Clone, Debug, Default)]
pub struct SignedCustody {
    /// The statements that were written, each with its run.
    pub written: Vec<(String, Option<String>)>,
    /// Runs that had a statement before.
    pub known: usize,
    /// Objects that were said to be withdrawn.
    pub withdrawn: Vec<String>,
}

/// The choices for signing.
#[derive(Clone, Copy, Debug)]
pub struct CustodyTask<'t> {
    /// The keys whose statements are believed.
    pub keys: &'t [KnownKey],
    /// Whether objects may have been removed.
    pub withdraw: bool,
    /// The time.
    pub now: UtcTime,
    /// Random bytes, for the beginning of a log.
    pub random: [u8; 32],
}

/// A statement in an archive.
struct Found {
    path: String,
    digest: Digest,
    bytes: u64,
    statement: Statement,
}

fn archived(error: archive::Error) -> Error {
    let hint = error.hint().unwrap_or("`verbatim archive verify` names what is damaged");
    Error::Refused { what: error.to_string(), hint: hint.into() }
}

/// Signs a statement for each run of an archive that has none.
///
/// # Errors
/// An object is damaged or gone, a statement there is not good, or the key does not sign.
pub fn sign_custody(
    archive: &Archive,
    signer: &Signer<'_>,
    log: &LocalLog,
    task: CustodyTask<'_>,
) -> Result<SignedCustody, Error> {
    let place = &archive.place;
    let mut before = believed(place, task.keys)?;
    let there: BTreeSet<String> = place.objects().map_err(archived)?.into_iter().collect();
    let mut named = named(before.iter().map(|found| &found.statement));
    let gone: Vec<String> = named.keys().filter(|path| !there.contains(*path)).cloned().collect();
    if let (Some(first), false) = (gone.first(), task.withdraw) {
        let what = format!("{} objects that statements name are gone, as {first}", gone.len());
        let hint = "if you removed them, as `compact`, `forget` and `export --renew` do: \
                    `--withdraw` signs that";
        return refused(what, hint);
    }
    let of = |found: &Found| found.statement.run.clone();
    let done: BTreeSet<String> = before.iter().filter_map(of).collect();
    let runs: Vec<&String> = archive.run_names().iter().collect();
    let new: Vec<&&String> = runs.iter().filter(|run| !done.contains(&path_of(run))).collect();
    let mut signed = SignedCustody { known: runs.len() - new.len(), ..SignedCustody::default() };
    let log_state = logged(log, &new, &task)?;
    let mut withdrawn = gone;
    signed.withdrawn.clone_from(&withdrawn);
    let mut parts: Vec<Option<&String>> = new.into_iter().map(|run| Some(*run)).collect();
    if parts.is_empty() && !withdrawn.is_empty() {
        parts.push(None);
    }
    let mut entries = Vec::new();
    for run in parts {
        let mut statement = begun(archive, run, &there, &named)?;
        statement.withdrawn = std::mem::take(&mut withdrawn);
        statement.number = before.len() as u64 + 1;
        statement.previous = before.last().map(|last| Object {
            path: last.path.clone(),
            digest: last.digest,
            bytes: last.bytes,
        });
        statement.log = head(&log_state, run)?;
        named.extend(statement.objects.iter().map(|it| (it.path.clone(), it.digest)));
        let found = write(place, statement, signer, task.now)?;
        let digest = hash_of_hex(&found.digest.to_string()).unwrap_or_default();
        entries.push(NewEntry { digest, name: found.path.clone() });
        signed.written.push((found.path.clone(), found.statement.run.clone()));
        before.push(found);
    }
    if !entries.is_empty() {
        log.append(&entries, task.now, &task.random)?;
    }
    Ok(signed)
}

/// The path of a run in the archive.
fn path_of(run: &str) -> String {
    format!("runs/{run}")
}

/// The objects that statements name, without those that were withdrawn later.
fn named<'s>(statements: impl Iterator<Item = &'s Statement>) -> BTreeMap<String, Digest> {
    let mut named = BTreeMap::new();
    for statement in statements {
        for path in &statement.withdrawn {
            named.remove(path);
        }
        named.extend(statement.objects.iter().map(|it| (it.path.clone(), it.digest)));
    }
    named
}

/// The statements of an archive in their order, each of which a known key has signed.
fn believed(place: &ArchiveFolder, keys: &[KnownKey]) -> Result<Vec<Found>, Error> {
    let mut all = Vec::new();
    for name in place.statements().map_err(archived)? {
        let path = place.custody().join(&name);
        let bytes = catalog::bounded(&path, MOST).map_err(at(&path))?;
        match opened(&name, &bytes, keys) {
            Ok((statement, _)) => {
                let digest = Digest::of(&bytes);
                let (path, bytes) = (format!("custody/{name}"), bytes.len() as u64);
                all.push(Found { path, digest, bytes, statement });
            }
            Err(fault) => {
                let what = format!("{}: {}", path.display(), fault.why());
                return refused(what, "trust its key, or take the file out of the archive");
            }
        }
    }
    all.in_order_by_key(|found| found.statement.number);
    Ok(all)
}

/// Adds the runs to the log that it does not have; returns the log.
fn logged(log: &LocalLog, runs: &[&&String], task: &CustodyTask<'_>) -> Result<LogState, Error> {
    let state = log.read()?;
    let has = |digest: &Hash| state.as_ref().is_some_and(|state| state.find(digest).is_some());
    let entry = |run: &&&String| {
        let digest = hash_of_hex(&named_digest(run)?.to_string())?;
        (!has(&digest)).then(|| NewEntry { digest, name: format!("run {run}") })
    };
    let new: Vec<NewEntry> = runs.iter().filter_map(entry).collect();
    if !new.is_empty() || state.is_none() {
        log.append(&new, task.now, &task.random)?;
    }
    match log.read()? {
        Some(state) => Ok(state),
        None => refused("the log can't be read", "`verbatim log head` prints its head"),
    }
}

/// The head of the log, with the proof that it has a run.
fn head(state: &LogState, run: Option<&String>) -> Result<LogHead, Error> {
    let head = state.head();
    let digest = run.and_then(|run| named_digest(run));
    let digest = digest.and_then(|digest| hash_of_hex(&digest.to_string()));
    let index = digest.and_then(|digest| state.find(&digest));
    let path = index.and_then(|index| state.tree.inclusion(index, head.size));
    if run.is_some() && path.is_none() {
        return refused("the log does not have the run", "run it again");
    }
    let path = path.unwrap_or_default().iter().map(|hash| hex(hash)).collect();
    Ok(LogHead { origin: head.origin, size: head.size, root: hex(&head.root), index, path })
}

/// The statement of a run: its file, its packs, and whatever no statement names yet.
fn begun(
    archive: &Archive,
    run: Option<&String>,
    there: &BTreeSet<String>,
    named: &BTreeMap<String, Digest>,
) -> Result<Statement, Error> {
    let (mut machines, mut paths) = (Vec::new(), BTreeSet::new());
    if let Some(run) = run {
        let own = archive.run_objects(run).map_err(archived)?;
        machines = own.machines;
        paths.extend(own.packs);
        paths.insert(path_of(run));
    }
    // Another run has a statement of its own.
    let is_new = |path: &&String| !named.contains_key(*path) && !path.starts_with("runs/");
    paths.extend(there.iter().filter(is_new).cloned());
    let mut objects = Vec::new();
    for path in paths {
        let (digest, bytes) = archive.place.object(&path).map_err(archived)?;
        if named_digest(&path) != Some(digest) {
            let what = format!("{path} does not have the digest that its name says");
            return refused(what, "`verbatim archive verify --read-data` names what is damaged");
        }
        objects.push(Object { path, digest, bytes });
    }
    let log =
        LogHead { origin: String::new(), size: 0, root: String::new(), index: None, path: vec![] };
    Ok(Statement {
        schema: SCHEMA.into(),
        number: 0,
        run: run.map(|run| path_of(run)),
        machines,
        objects,
        withdrawn: Vec::new(),
        previous: None,
        log,
    })
}

/// The name of the file of a statement.
fn file_name(statement: &Statement, content: &[u8]) -> String {
    match statement.run.as_deref().and_then(|run| run.strip_prefix("runs/")) {
        Some(run) => format!("{}{STATEMENT}", run.trim_end_matches(".jsonl")),
        None => format!("withdrawn-{}{STATEMENT}", Digest::of(content)),
    }
}

fn write(
    place: &ArchiveFolder,
    statement: Statement,
    signer: &Signer<'_>,
    now: UtcTime,
) -> Result<Found, Error> {
    let folder = place.custody();
    let io = at(&folder);
    let content = serde_json::to_vec(&statement).map_err(std::io::Error::from).map_err(io)?;
    let name = file_name(&statement, &content);
    let claims = Claims {
        issuer: Some(signer.known.issuer.clone()),
        subject: Some(subject(&name)),
        issued_at: Some(now.0.div_euclid(1_000_000).max(0)),
        ..Claims::default()
    };
    let broken = |fault: sign::EnvelopeFault| Error::Refused {
        what: format!("no statement can be made: {fault}"),
        hint: "please report it".into(),
    };
    let protected = Envelope::protected(&signer.known.key, MEDIA_TYPE, &claims).map_err(broken)?;
    let signature = signer.sign(&signature_input(&protected, &[], &content))?;
    let bytes = Envelope::with_content(&protected, &signature, Some(&content)).map_err(broken)?;
    let mut file = Unnamed::create(&folder).map_err(io)?;
    file.write_all(&bytes).map_err(io)?;
    file.finish(&name).map_err(io)?;
    let (path, digest) = (format!("custody/{name}"), Digest::of(&bytes));
    Ok(Found { path, digest, bytes: bytes.len() as u64, statement })
}

fn subject(name: &str) -> String {
    format!("{SUBJECT}{}", name.trim_end_matches(STATEMENT))
}

/// Why a statement is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatementFault {
    /// It is no statement, or is not what its key signed.
    Forged(String),
    /// No known key has signed it.
    Unknown,
}

impl StatementFault {
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Forged(why) => why,
            Self::Unknown => "no key that you trust here signed it",
        }
    }
}

/// The statement of a file and the name of the key that signed it.
fn opened<'k>(
    name: &str,
    bytes: &[u8],
    keys: &'k [KnownKey],
) -> Result<(Statement, &'k str), StatementFault> {
    let forged = |why: String| StatementFault::Forged(why);
    let envelope = Envelope::read(bytes).map_err(|fault| forged(fault.to_string()))?;
    let signed = |known: &&KnownKey| envelope.verify(None, &[], &known.key).is_some();
    let Some(known) = keys.iter().find(signed) else {
        let id = envelope.header.key_id.as_ref();
        let named = keys.iter().find(|known| id.is_some_and(|id| *id == known.key.id()));
        return Err(match named {
            Some(known) => {
                forged(format!("the key `{}` that it names did not sign it", known.name))
            }
            None => StatementFault::Unknown,
        });
    };
    let content = envelope.attached().unwrap_or_default();
    if envelope.media_type() != Some(MEDIA_TYPE) {
        return Err(forged("what was signed is no statement of custody".into()));
    }
    let statement: Statement = serde_json::from_slice(content)
        .map_err(|error| forged(format!("it can't be read: {error}")))?;
    let claims = envelope.header.claims.as_ref();
    let is_own = claims.and_then(|it| it.subject.as_ref()) == Some(&subject(name));
    if statement.schema != SCHEMA || !is_own || file_name(&statement, content) != name {
        return Err(forged("it is not the statement of which it has the name".into()));
    }
    Ok((statement, &known.name))
}
