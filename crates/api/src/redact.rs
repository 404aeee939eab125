//! `verbatim-scan-1` and `verbatim-redact-1`: values that must not be shared, by class and place.
//! No part of a value is in them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::paths::relative;
use operations::scan::{ScanResult, ScannedSource};
use redact::rules::Class;
use redact::values::distinct;
use redact::{RedactionReport, ReportEntry, Tag};
use serde::{Serialize, Serializer};
use session::Sorting as _;
use sha2::{Digest as _, Sha256};

use super::values::{ValuePlace, places, ranges};

/// The name of the schema of a scan.
pub const SCAN: &str = "verbatim-scan-1";
/// The name of the schema of a redaction's report.
pub const REDACT: &str = "verbatim-redact-1";

/// Result of a scan.
#[derive(Debug, Serialize)]
pub struct ScanDocument<'s> {
    /// [`SCAN`].
    pub schema: &'static str,
    /// The profile.
    pub profile: &'static str,
    /// The version of the rules.
    pub rules: &'s str,
    /// The number of findings: places of values.
    pub findings: usize,
    /// The number of different values.
    pub values: usize,
    /// The number of findings that were accepted, and are not in the list.
    pub accepted: usize,
    /// The list of accepted findings, if one was read that accepts something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
    /// The number of sessions that were scanned.
    pub sessions: usize,
    /// The number of other files that were scanned, as texts.
    pub texts: usize,
    /// The sources that were scanned: all with sessions, and the texts with findings.
    pub sources: Vec<ScanRow<'s>>,
    /// The files of which nothing, or not all, is known, with the reasons.
    pub not_read: Vec<String>,
    /// The files that have nothing to look for, with the reasons.
    pub skipped: Vec<String>,
}

/// Result of the scan of one source.
#[derive(Debug, Serialize)]
pub struct ScanRow<'s> {
    /// The agent.
    pub format: &'static str,
    /// The uids of its sessions.
    pub sessions: &'s [String],
    /// The findings, in the order of the bytes.
    pub findings: Vec<FindingRow<'s>>,
}

/// A finding.
#[derive(Debug)]
pub struct FindingRow<'s> {
    /// Its place, class and tag.
    pub entry: &'s ReportEntry,
    /// The rule that knows the value.
    pub rule: &'s str,
    /// The file.
    pub file: Arc<str>,
    /// The file, relative to the folder of the scan.
    pub path: Arc<str>,
    /// The same for this finding in every run: the digest of its place and rule, or of its place
    /// and tag if the key of the tags stays.
    pub fingerprint: Fingerprint,
}

/// Half of a SHA-256 digest, printed as hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&formats::digest::hex(&self.0))
    }
}

/// A finding as it is printed.
#[derive(Serialize)]
struct PrintedFinding<'f> {
    file: &'f str,
    /// The line on which it begins, from 1.
    line: u32,
    /// The way to it in the record (RFC 6901); a name that is redacted is `*`.
    pointer: &'f str,
    wrappings: Vec<&'static str>,
    class: &'static str,
    rule: &'f str,
    tag: &'f str,
    /// `replaced` or `dropped`.
    action: &'static str,
    fingerprint: String,
}

impl Serialize for FindingRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { entry, rule, file, fingerprint, .. } = self;
        let printed = PrintedFinding {
            file,
            line: entry.line,
            pointer: &entry.text.pointer,
            wrappings: entry.wrappings.iter().map(|wrapping| wrapping.name()).collect(),
            class: entry.class.name(),
            rule,
            tag: entry.tag.as_str(),
            action: entry.action(),
            fingerprint: fingerprint.to_string(),
        };
        printed.serialize(serializer)
    }
}

/// Basis of fingerprints.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprints<'f> {
    /// The folder that paths are relative to.
    pub base: &'f Path,
    /// Whether the key of the tags stays: then a value is known again on another line.
    pub by_tag: bool,
}

impl<'s> ScanDocument<'s> {
    /// The document of a scan.
    #[must_use]
    pub fn of(
        result: &'s ScanResult,
        profile: &'static str,
        rules: &'s str,
        fingerprints: Fingerprints<'_>,
    ) -> Self {
        let (mut not_read, mut skipped) = (Vec::new(), Vec::new());
        for file in &result.skipped {
            let list = if file.open { &mut not_read } else { &mut skipped };
            list.push(format!("{}: {}", file.path.display(), file.why));
        }
        let (mut sources, mut texts) = (Vec::new(), 0);
        for source in &result.sources {
            texts += usize::from(source.sessions.is_empty());
            let unread = source.unread.iter();
            not_read.extend(unread.map(|file| format!("{}: {}", file.path.display(), file.why)));
            match &source.report {
                Ok(report) => {
                    let findings = rows(report, source, fingerprints);
                    if !findings.is_empty() || !source.sessions.is_empty() {
                        let (format, sessions) = (source.format, &*source.sessions);
                        sources.push(ScanRow { format, sessions, findings });
                    }
                }
                Err(error) => not_read.push(format!("{}: {error}", named(source))),
            }
        }
        let sessions = sources.iter().map(|source| source.sessions.len()).sum();
        let mut document = Self {
            schema: SCAN,
            profile,
            rules,
            findings: 0,
            values: 0,
            accepted: 0,
            allow: None,
            sessions,
            texts,
            sources,
            not_read,
            skipped,
        };
        document.count();
        document
    }

    /// Takes the findings out that somebody accepts.
    pub fn accept(&mut self, mut accepts: impl FnMut(&FindingRow<'_>) -> bool) {
        for source in &mut self.sources {
            let before = source.findings.len();
            source.findings.retain(|finding| !accepts(finding));
            self.accepted += before - source.findings.len();
        }
        self.count();
    }

    fn count(&mut self) {
        let findings = || self.sources.iter().flat_map(|source| &source.findings);
        let values = distinct(findings().map(|row| row.entry));
        (self.findings, self.values) = (findings().count(), values);
    }
}

/// A source by its sessions, or else by its file.
fn named(source: &ScannedSource) -> String {
    match source.sessions.is_empty() {
        true => source.files.first().map(|file| file.display().to_string()).unwrap_or_default(),
        false => source.sessions.join(", "),
    }
}

fn rows<'s>(
    report: &'s RedactionReport,
    source: &ScannedSource,
    Fingerprints { base, by_tag }: Fingerprints<'_>,
) -> Vec<FindingRow<'s>> {
    let file = |path: &PathBuf| (path.display().to_string().into(), below(path, base).into());
    let files: Vec<(Arc<str>, Arc<str>)> = source.files.iter().map(file).collect();
    let mut seen: HashMap<[u8; 16], u32> = HashMap::new();
    let row = |ValuePlace { entry, rule }: ValuePlace<'s>| {
        let file = files.get(entry.member as usize);
        let unknown = || (Arc::clone(&entry.text.file), Arc::clone(&entry.text.file));
        let (file, path) = file.cloned().unwrap_or_else(unknown);
        let ReportEntry { line, text, tag, .. } = entry;
        let pointer = &text.pointer;
        let place = match by_tag {
            true => format!("{path}\0{rule}\0{tag}"),
            false => format!("{path}\0{rule}\0{line}\0{pointer}"),
        };
        let nth = seen.entry(half(&place)).or_default();
        *nth += 1;
        let fingerprint = Fingerprint(half(&format!("{place}\0{nth}")));
        FindingRow { entry, rule, file, path, fingerprint }
    };
    places(&report.entries).into_iter().map(row).collect()
}

/// The first half of the SHA-256 digest of a text.
fn half(text: &str) -> [u8; 16] {
    let digest = Sha256::digest(text);
    std::array::from_fn(|at| digest[at])
}

/// A path relative to a folder, with `/` between its parts, if it is below it.
#[must_use]
pub fn below(path: &Path, base: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let path = if whole.starts_with(base) { &whole } else { path };
    relative(path, base)
}

/// Report of a redaction.
#[derive(Debug, Serialize)]
pub struct RedactDocument<'s> {
    /// [`REDACT`].
    pub schema: &'static str,
    /// The profile.
    pub profile: &'static str,
    /// The version of the rules.
    pub rules: &'s str,
    /// The sessions.
    pub sessions: Vec<RedactRow<'s>>,
}

/// Report of the redaction of one session.
#[derive(Debug, Serialize)]
pub struct RedactRow<'s> {
    /// The uid of the redacted session.
    pub session: String,
    /// The files that were written.
    pub files: Vec<String>,
    /// The replaced values, each once, in the order of their first places.
    pub values: ValueRows<'s>,
}

/// The values of a session. Each row is made when it is written.
#[derive(Debug, Default)]
pub struct ValueRows<'s> {
    /// The places, those of one value together.
    places: Vec<ValuePlace<'s>>,
    /// For each value the number of places up to its last one.
    ends: Vec<usize>,
}

impl<'s> ValueRows<'s> {
    /// The rows, in the order of their first places.
    pub fn iter(&self) -> impl Iterator<Item = ValueRow<'s>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, &end)| value(&self.places[start..end]))
    }
}

impl Serialize for ValueRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// A value that was replaced.
#[derive(Debug, Serialize)]
pub struct ValueRow<'s> {
    /// Its class.
    pub class: &'static str,
    /// The rule that found it.
    pub rule: &'s str,
    /// The tag of its placeholder.
    pub tag: &'s str,
    /// The number of its places.
    pub count: usize,
    /// `replaced`, or `dropped` if a whole sealed value went with it somewhere.
    pub action: &'static str,
    /// Its places, by file.
    pub places: Vec<PlaceRow<'s>>,
}

/// The places of a value in a file.
#[derive(Debug, Serialize)]
pub struct PlaceRow<'s> {
    /// The file, by its redacted name.
    pub file: &'s str,
    /// The lines on which it begins, from 1, as ranges: `3-5`.
    pub lines: Vec<String>,
}

impl<'s> RedactRow<'s> {
    /// The row of a session.
    #[must_use]
    pub fn of(session: String, files: Vec<String>, report: &'s RedactionReport) -> Self {
        let mut places = places(&report.entries);
        let value = |place: &ValuePlace<'s>| (place.entry.class, place.entry.tag);
        let mut first: HashMap<(Class, Tag), u32> = HashMap::new();
        for (at, place) in (0..).zip(&places) {
            first.entry(value(place)).or_insert(at);
        }
        // The places of each value together, in the order of the first ones.
        places.in_order_by_key(|place| first[&value(place)]);
        let count = |places: &[ValuePlace<'s>]| places.len();
        let counts = places.chunk_by(|a, b| value(a) == value(b)).map(count);
        let ends = counts.scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let ends = ends.collect();
        Self { session, files, values: ValueRows { places, ends } }
    }
}

impl RedactRow<'_> {
    /// The number of values and of their places, by class.
    #[must_use]
    pub fn by_class(&self) -> BTreeMap<&'static str, (usize, usize)> {
        let mut classes: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for value in self.values.iter() {
            let (values, places) = classes.entry(value.class).or_default();
            (*values, *places) = (*values + 1, *places + value.count);
        }
        classes
    }
}

fn value<'s>(places: &[ValuePlace<'s>]) -> Option<ValueRow<'s>> {
    let first = places.first()?;
    let dropped = places.iter().map(|place| place.entry).find(|entry| entry.is_dropped);
    let mut files: BTreeMap<u32, (&'s str, Vec<u32>)> = BTreeMap::new();
    for place in places {
        let file = files.entry(place.entry.member).or_insert((&place.entry.text.file, Vec::new()));
        file.1.push(place.entry.line);
    }
    let row = |(file, mut lines): (&'s str, Vec<u32>)| {
        lines.in_order();
        PlaceRow { file, lines: ranges(lines) }
    };
    Some(ValueRow {
        class: first.entry.class.name(),
        rule: first.rule,
        tag: first.entry.tag.as_str(),
        count: places.len(),
        action: dropped.unwrap_or(first.entry).action(),
        places: files.into_values().map(row).collect(),
    })
}
