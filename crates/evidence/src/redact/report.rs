//! Report of a redaction: each finding by its place and class, and no part of a value.

use std::sync::Arc;

use super::draft::RedactionDraft;
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

pub(super) fn of(
    draft: &RedactionDraft,
    options: &RedactionOptions,
    rules: &str,
) -> RedactionReport {
    let members = draft.bundle.members.iter();
    let files: Vec<Arc<str>> = members.map(|member| Arc::from(&*member.name)).collect();
    let entry = |finding: &SecretFinding| {
        let file = files.get(finding.member as usize);
        ReportEntry {
            member: finding.member,
            file: file.cloned().unwrap_or_default(),
            line: finding.line,
            bytes: finding.bytes(),
            pointer: pointer(&draft.before, &draft.edits, finding.member, &finding.path),
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
        entries: draft.findings.iter().map(entry).collect(),
    }
}
