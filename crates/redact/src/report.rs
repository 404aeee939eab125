//! Report of a redaction: each finding by its place and class, and no part of a value.

use std::sync::Arc;

use session::Bundle;
use session::edit::Edit;

use super::finding::SecretFinding;
use super::pointer::pointer;
use super::profile::RedactionOptions;

/// A finding as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEntry {
    /// The number of the file among those of the session.
    pub member: u32,
    /// The file, by its redacted name.
    pub file: Arc<str>,
    /// The line on which its record begins, from 1.
    pub line: u32,
    /// The first byte of the value in the file, and the byte behind it; of a value in several
    /// pieces, those of the first piece.
    pub bytes: (u32, u32),
    /// The way to it in the record as a JSON pointer (RFC 6901); a name that was redacted is `*`.
    pub pointer: String,
    /// The wrappings around it, the outermost first.
    pub wrappings: Vec<&'static str>,
    /// Its class.
    pub class: &'static str,
    /// The name of the rule that found it.
    pub rule: Arc<str>,
    /// The tag of its placeholder; equal values have equal tags.
    pub tag: String,
    /// `replaced`, or `dropped` if a whole sealed value went with it.
    pub action: &'static str,
}

/// Report of a redaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionReport {
    /// The version of the rules.
    pub rules: String,
    /// The profile.
    pub profile: &'static str,
    /// The findings, in the order of the bytes.
    pub entries: Vec<ReportEntry>,
}

/// The report of findings in a bundle and their edits; `names` are those of its members without
/// what was found.
pub(super) fn of(
    findings: &[SecretFinding],
    edits: &[Edit],
    names: &[String],
    before: &Bundle,
    (options, rules): (&RedactionOptions, &str),
) -> RedactionReport {
    let files: Vec<Arc<str>> = names.iter().map(|name| Arc::from(&**name)).collect();
    let entry = |finding: &SecretFinding| {
        let file = files.get(finding.member as usize);
        ReportEntry {
            member: finding.member,
            file: file.cloned().unwrap_or_default(),
            line: finding.line,
            bytes: finding.bytes(),
            pointer: pointer(before, edits, finding.member, &finding.path),
            wrappings: finding.wrappings.iter().map(|wrapping| wrapping.name()).collect(),
            class: finding.class.name(),
            rule: finding.rule.clone(),
            tag: options.key.tag(finding.class, &finding.value),
            action: if finding.sealed { "dropped" } else { "replaced" },
        }
    };
    RedactionReport {
        rules: rules.to_owned(),
        profile: options.profile.name(),
        entries: findings.iter().map(entry).collect(),
    }
}
