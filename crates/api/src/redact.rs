//! `verbatim-scan-1` and `verbatim-redact-1`: values that must not be shared, by class and place.
//! No part of a value is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use catalog::paths::relative;
use operations::scan::{ScanResult, ScannedSource};
use redact::{RedactionReport, ReportEntry};
use serde::Serialize;
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
#[derive(Debug, Serialize)]
pub struct FindingRow<'s> {
    /// The file.
    pub file: String,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// The way to it in the record (RFC 6901); a name that is redacted is `*`.
    pub pointer: &'s str,
    /// The wrappings around it, the outermost first.
    pub wrappings: &'s [&'static str],
    /// Its class.
    pub class: &'static str,
    /// The rule that found it.
    pub rule: &'s str,
    /// The tag of its placeholder.
    pub tag: &'s str,
    /// `replaced` or `dropped`.
    pub action: &'static str,
    /// The same for this finding in every run: the digest of its place and rule, or of its place
    /// and tag if the key of the tags stays.
    pub fingerprint: String,
    /// The file, relative to the folder of the scan.
    #[serde(skip)]
    pub path: String,
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
        let values: BTreeSet<_> = findings().map(|row| (row.class, row.tag)).collect();
        (self.findings, self.values) = (findings().count(), values.len());
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
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let row = |ValuePlace { entry, rule }: ValuePlace<'s>| {
        let path = source.files.get(entry.member as usize);
        let file = path.map_or_else(|| entry.file.to_string(), |path| path.display().to_string());
        let path = path.map_or_else(|| file.clone(), |path| below(path, base));
        let ReportEntry { line, pointer, tag, .. } = entry;
        let place = match by_tag {
            true => format!("{path}\0{rule}\0{tag}"),
            false => format!("{path}\0{rule}\0{line}\0{pointer}"),
        };
        let nth = seen.entry(place.clone()).or_default();
        *nth += 1;
        let digest = Sha256::digest(format!("{place}\0{nth}"));
        let fingerprint = formats::digest::hex(&digest[..16]);
        FindingRow {
            file,
            line: *line,
            pointer,
            wrappings: &entry.wrappings,
            class: entry.class,
            rule,
            tag,
            action: entry.action,
            fingerprint,
            path,
        }
    };
    places(&report.entries).into_iter().map(row).collect()
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
    pub values: Vec<ValueRow<'s>>,
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
        let mut order: Vec<Vec<ValuePlace<'s>>> = Vec::new();
        let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for place in places(&report.entries) {
            let next = order.len();
            let at = *known.entry((place.entry.class, &place.entry.tag)).or_insert(next);
            if at == next {
                order.push(Vec::new());
            }
            order[at].push(place);
        }
        Self { session, files, values: order.iter().filter_map(|places| value(places)).collect() }
    }
}

impl RedactRow<'_> {
    /// The number of values and of their places, by class.
    #[must_use]
    pub fn by_class(&self) -> BTreeMap<&'static str, (usize, usize)> {
        let mut classes: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for value in &self.values {
            let (values, places) = classes.entry(value.class).or_default();
            (*values, *places) = (*values + 1, *places + value.count);
        }
        classes
    }
}

fn value<'s>(places: &[ValuePlace<'s>]) -> Option<ValueRow<'s>> {
    let first = places.first()?;
    let ReportEntry { class, tag, action, .. } = first.entry;
    let dropped = places.iter().map(|place| place.entry.action).find(|action| *action == "dropped");
    let mut files: BTreeMap<u32, (&'s str, Vec<u32>)> = BTreeMap::new();
    for place in places {
        let file = files.entry(place.entry.member).or_insert((&place.entry.file, Vec::new()));
        file.1.push(place.entry.line);
    }
    let row = |(file, mut lines): (&'s str, Vec<u32>)| {
        lines.sort_unstable();
        PlaceRow { file, lines: ranges(lines) }
    };
    Some(ValueRow {
        class,
        rule: first.rule,
        tag,
        count: places.len(),
        action: dropped.unwrap_or(action),
        places: files.into_values().map(row).collect(),
    })
}
