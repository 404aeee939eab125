//! The receipts of a redacted twin: what was replaced in which version, and what was left out. They
//! are files of JSON lines in `redactions`, which never change, each named after the time of its
//! last version and its SHA-256. No receipt has a value, or a plain digest of what has one.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use store::unnamed::Unnamed;

use crate::digest::Digest;
use crate::error::Error;
use crate::run::{self, ENDING, SessionName};

/// The name of the form of receipts.
const SCHEMA: &str = "verbatim-redactions-1";

/// Greatest length of a file of receipts in bytes.
const MOST: u64 = 1 << 30;

/// A line of a file of receipts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Receipt {
    /// The first line.
    Redactions(RedactionHead),
    /// A version that was redacted and written.
    Version(RedactedVersion),
    /// A version that was left out.
    LeftOut(LeftOutSession),
    /// A version that is not safe, as it was known later.
    Unsafe(UnsafeVersion),
}

/// The first line of a file of receipts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RedactionHead {
    pub schema: String,
    /// The profile of the redaction.
    pub profile: String,
    /// The version of the rules.
    pub rules: String,
}

/// A version that was redacted and written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedVersion {
    /// The session, by its names in the twin.
    #[serde(flatten)]
    pub name: SessionName,
    /// The digest of the version that was written.
    pub digest: Digest,
    /// The HMAC of the name of the session in the source.
    pub session: String,
    /// The HMAC of the digest of the version in the source.
    pub source: String,
    /// When its run began in the source.
    pub time: String,
    /// Its files, in the order in which their session is read.
    pub files: Vec<RedactedFile>,
}

/// A file of a version that was redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedFile {
    /// Its name in the twin.
    pub name: String,
    /// The digest of what was written.
    pub content: Digest,
    /// The HMAC of the digest of the file in the source.
    pub source: String,
    /// The values that were replaced in it.
    pub replaced: Vec<ReplacedValues>,
}

/// The places of one rule in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReplacedValues {
    /// The class of the values.
    pub class: String,
    /// The rule that found them.
    pub rule: String,
    /// `replaced`, or `dropped`.
    pub action: String,
    /// The number of places.
    pub places: u64,
}

/// A version that was left out: its session is not in the twin, or not in this state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutSession {
    /// The agent.
    pub agent: String,
    /// The HMAC of the name of the session in the source.
    pub session: String,
    /// The HMAC of the digest of the version in the source.
    pub source: String,
    /// When its run began in the source.
    pub time: String,
    /// The reason, in words that have no part of the session.
    pub why: String,
}

/// A version of the twin that is not safe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsafeVersion {
    /// The session, by its names in the twin.
    #[serde(flatten)]
    pub name: SessionName,
    /// The digest of the version in the twin.
    pub digest: Digest,
    /// The reason.
    pub why: String,
}

/// Writes a file of receipts.
pub(crate) fn write(
    folder: &Path,
    time: &str,
    head: &RedactionHead,
    receipts: &[Receipt],
) -> Result<(), Error> {
    let head = Receipt::Redactions(head.clone());
    write_lines(folder, time, &mut [&head].into_iter().chain(receipts)).map(drop)
}

/// Writes a file of lines; returns its name.
fn write_lines(
    folder: &Path,
    time: &str,
    lines: &mut dyn Iterator<Item = &Receipt>,
) -> Result<String, Error> {
    let mut text = Vec::new();
    for line in lines {
        let written = serde_json::to_writer(&mut text, line).map_err(std::io::Error::from);
        written.map_err(Error::io(folder))?;
        text.push(b'\n');
    }
    let name = run::file_name(time, &text);
    let mut file = Unnamed::create(folder).map_err(Error::io(folder))?;
    file.write_all(&text).map_err(Error::io(folder))?;
    file.finish(&name).map_err(Error::io(folder))?;
    Ok(name)
}

/// Replaces all files of receipts by one that has these: it is there before the others go.
pub(crate) fn rewrite(folder: &Path, receipts: &[Receipt]) -> Result<(), Error> {
    let mut names = run::names(folder, ENDING)?;
    let time = names.last().and_then(|name| name.split('-').next()).unwrap_or_default().to_owned();
    let made = write_lines(folder, &time, &mut receipts.iter())?;
    names.retain(|name| *name != made);
    store::unnamed::remove(folder, &names).map_err(Error::io(folder))
}

/// The lines of all files of receipts in a folder, in the order of their names, and the files that
/// can't be read.
pub(crate) fn read_all(folder: &Path) -> Result<(Vec<Receipt>, Vec<Error>), Error> {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    for name in run::names(folder, ENDING)? {
        match read(&folder.join(name)) {
            Ok(lines) => all.extend(lines),
            Err(error) => faults.push(error),
        }
    }
    Ok((all, faults))
}

fn read(path: &Path) -> Result<Vec<Receipt>, Error> {
    let damaged = |what: String| Error::Damaged { path: path.into(), what };
    let bytes = catalog::bounded(path, MOST).map_err(Error::io(path))?;
    if run::digest_in_name(path) != Some(Digest::of(&bytes)) {
        return Err(damaged("it does not have the digest that its name says".into()));
    }
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read = |(at, line): (usize, &[u8])| {
        let line: Result<Receipt, _> = serde_json::from_slice(line);
        line.map_err(|error| damaged(format!("line {}: {error}", at + 1)))
    };
    let lines: Vec<Receipt> = lines.enumerate().map(read).collect::<Result<_, _>>()?;
    match lines.first() {
        Some(Receipt::Redactions(head)) if head.schema == SCHEMA => Ok(lines),
        _ => Err(damaged(format!("it has no receipts of {SCHEMA}"))),
    }
}

impl RedactionHead {
    pub(crate) fn new(profile: &str, rules: &str) -> Self {
        Self { schema: SCHEMA.into(), profile: profile.into(), rules: rules.into() }
    }
}

/// The sessions that are not in a twin, or not in their newest state, since they were left out: the
/// last receipt of each.
pub(crate) fn left_out(receipts: &[Receipt]) -> Vec<&LeftOutSession> {
    let mut written: BTreeMap<&str, &str> = BTreeMap::new();
    let mut left: BTreeMap<&str, &LeftOutSession> = BTreeMap::new();
    for receipt in receipts {
        match receipt {
            Receipt::Version(version) => {
                let time = written.entry(&version.session).or_insert(&version.time);
                *time = (*time).max(&version.time);
            }
            Receipt::LeftOut(one) => {
                let last = left.entry(&one.session).or_insert(one);
                if last.time < one.time {
                    *last = one;
                }
            }
            _ => {}
        }
    }
    let is_behind =
        |one: &&LeftOutSession| written.get(&*one.session).is_none_or(|time| **time < *one.time);
    left.into_values().filter(is_behind).collect()
}
