//! The document's part about the place of a turn: source files, byte ranges, digests.

use serde::{Deserialize, Serialize};

use crate::available::Available;

/// The place of the turn in its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The number of the turn in its session, from 1.
    pub turn_number: u64,
    /// The source files, in the order of their names and digests.
    pub sources: Vec<Source>,
    /// The bytes of the turn, by source.
    pub ranges: Vec<SourceRange>,
    /// The thoughts that the source holds.
    pub reasoning: Vec<Thought>,
    /// Each value that is not available, and why.
    pub unavailable: Vec<Unavailable>,
    /// The program that read the source.
    pub reader: Reader,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name, without a path.
    pub name: String,
    /// The SHA-256 digest of its bytes up to the turn's end, if more is only appended to it; else
    /// of all its stored bytes.
    pub sha256: String,
    /// Their number.
    pub bytes: u64,
    /// The way in which the agent goes on with it. The first receipts lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// Its stored form: in any but `plain`, ranges are of the bytes that are made of it. The first
    /// receipts lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The id of the sub-agent's session that it is a file of; none for the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_agent: Option<String>,
}

/// Bytes of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRange {
    /// The index of the file in `sources`.
    pub source: u64,
    /// The first byte, from 0.
    pub start: u64,
    /// The byte behind the last one.
    pub end: u64,
    /// The SHA-256 digest of these bytes. The first receipts lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A thought, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thought {
    /// Its id.
    pub id: Available<String>,
    /// The SHA-256 digest of its text, or of its sealed value.
    pub sha256: String,
    /// The length of that.
    pub bytes: u64,
}

/// A value that is not available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unavailable {
    /// Its place in the receipt: a JSON pointer (RFC 6901).
    pub field: String,
    /// Why.
    pub reason: String,
}

/// The program that read the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reader {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The way in which an agent goes on with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kept {
    /// It appends records: what is there stays at its place.
    Appended,
    /// It writes the whole anew: a document, or a database.
    Rewritten,
}

impl Evidence {
    /// Whether each source and each range has what its version of the schema has.
    pub(crate) fn is_whole(&self, now: bool) -> Result<(), &'static str> {
        let sources = self
            .sources
            .iter()
            .all(|source| source.kept.is_some() == now && source.form.is_some() == now);
        let ranges = self.ranges.iter().all(|range| range.sha256.is_some() == now);
        let there = |range: &SourceRange| {
            usize::try_from(range.source).is_ok_and(|at| at < self.sources.len())
        };
        match (sources, ranges, now) {
            (false, _, true) => Err("lacks `kept` or `form` of a source"),
            (false, _, false) => Err("has no `kept` or `form` of a source"),
            (_, false, true) => Err("lacks `sha256` of a range"),
            (_, false, false) => Err("has no `sha256` of a range"),
            _ if !self.ranges.iter().all(there) => Err("has a range of no source"),
            _ => Ok(()),
        }
    }
}
