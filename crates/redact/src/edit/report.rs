//! Report of a redaction: each finding by its place and class, and no part of a value.

use std::sync::Arc;

use session::Bundle;
use session::edit::EditPlace;

use super::placeholder::Tag;
use crate::find::finding::SecretFinding;
use crate::profile::RedactionOptions;
use crate::rules::Class;
use crate::texts::pointer::pointer;
use crate::unwrap::wrapping::Wrapping;

/// A finding as reported. A session can have millions: what many have in common is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEntry {
    /// The number of the file among those of the session.
    pub member: u32,
    /// The line on which its record begins, from 1.
    pub line: u32,
    /// The first byte of the value in the file, and the byte behind it; of a value in several
    /// pieces, those of the first piece.
    pub bytes: (u32, u32),
    /// The text that it is in.
    pub text: Arc<ReportText>,
    /// The wrappings around it, the outermost first.
    pub wrappings: Box<[Wrapping]>,
    /// The name of the rule that found it.
    pub rule: Arc<str>,
    /// The tag of its placeholder; equal values have equal tags.
    pub tag: Tag,
    /// Its class.
    pub class: Class,
    /// Whether a whole sealed value went with it.
    pub is_dropped: bool,
}

/// A text in which something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportText {
    /// The file, by its redacted name.
    pub file: Arc<str>,
    /// The way to it in the record as a JSON pointer (RFC 6901); a name that was redacted is `*`.
    pub pointer: Box<str>,
}

impl ReportEntry {
    /// `replaced`, or `dropped` if a whole sealed value went with it.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        if self.is_dropped { "dropped" } else { "replaced" }
    }
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

/// The report of findings in a bundle, and the places of their edits; `names` are those of its
/// members without what was found.
pub(crate) fn of(
    findings: Vec<SecretFinding>,
    edits: &[EditPlace],
    names: &[String],
    before: &Bundle,
    (options, rules): (&RedactionOptions, &str),
) -> RedactionReport {
    let files: Vec<Arc<str>> = names.iter().map(|name| Arc::from(&**name)).collect();
    let mut last = None;
    let entry = |finding: SecretFinding| {
        // The findings of one text are beside each other.
        let text = match last.take() {
            Some((path, text)) if Arc::ptr_eq(&path, &finding.path) => text,
            _ => {
                let file = files.get(finding.member as usize).cloned().unwrap_or_default();
                let pointer = pointer(before, edits, finding.member, &finding.path).into();
                Arc::new(ReportText { file, pointer })
            }
        };
        last = Some((Arc::clone(&finding.path), Arc::clone(&text)));
        ReportEntry {
            member: finding.member,
            line: finding.line,
            bytes: finding.bytes(),
            text,
            wrappings: finding.wrappings().into(),
            rule: finding.rule.clone(),
            tag: options.key.tag(finding.class, finding.value(before)),
            class: finding.class,
            is_dropped: finding.sealed,
        }
    };
    RedactionReport {
        rules: rules.to_owned(),
        profile: options.profile.name(),
        entries: findings.into_iter().map(entry).collect(),
    }
}
