//! `verbatim-scan-1` and `verbatim-redact-1`: values that must not be shared, by class and place.
//! No part of a value is in them.

use serde::Serialize;

use evidence::redact::{RedactionReport, ReportEntry};

use crate::catalog::redact::ScannedSource;

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
    /// The number of findings.
    pub findings: usize,
    /// The sources that were scanned.
    pub sources: Vec<ScanRow<'s>>,
    /// The sources of which nothing, or not all, is known, with the reasons.
    pub not_read: Vec<String>,
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
    /// The line on which its record begins, from 1.
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
}

impl<'s> FindingRow<'s> {
    fn of(entry: &'s ReportEntry, file: String) -> Self {
        let ReportEntry { line, pointer, wrappings, class, rule, tag, action, .. } = entry;
        Self { file, line: *line, pointer, wrappings, class, rule, tag, action }
    }
}

impl<'s> ScanDocument<'s> {
    /// The document of a scan.
    #[must_use]
    pub fn of(scanned: &'s [ScannedSource], profile: &'static str, rules: &'s str) -> Self {
        let mut not_read = Vec::new();
        let mut sources = Vec::new();
        for source in scanned {
            let named = source.sessions.join(", ");
            let unread = source.unread.iter();
            not_read.extend(unread.map(|file| format!("{}: {}", file.path.display(), file.why)));
            match &source.report {
                Ok(report) => sources.push(ScanRow {
                    format: source.format,
                    sessions: &source.sessions,
                    findings: rows(report, source),
                }),
                Err(error) => not_read.push(format!("{named}: {error}")),
            }
        }
        let findings = sources.iter().map(|source| source.findings.len()).sum();
        Self { schema: SCAN, profile, rules, findings, sources, not_read }
    }
}

fn rows<'s>(report: &'s RedactionReport, source: &ScannedSource) -> Vec<FindingRow<'s>> {
    let path = |entry: &ReportEntry| {
        let path = source.files.get(entry.member as usize);
        path.map_or_else(|| entry.file.clone(), |path| path.display().to_string())
    };
    report.entries.iter().map(|entry| FindingRow::of(entry, path(entry))).collect()
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
    /// The replaced values, in the order of the bytes.
    pub findings: Vec<FindingRow<'s>>,
}

impl<'s> RedactRow<'s> {
    /// The row of a session.
    #[must_use]
    pub fn of(session: String, files: Vec<String>, report: &'s RedactionReport) -> Self {
        let row = |entry: &'s ReportEntry| FindingRow::of(entry, entry.file.clone());
        Self { session, files, findings: report.entries.iter().map(row).collect() }
    }
}
