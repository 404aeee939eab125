//! Findings as SARIF 2.1.0 (OASIS), which editors and forges show.

use std::collections::BTreeSet;
use std::io::{self, Write};

use api::redact::{FindingRow, ScanDocument};
use serde_json::{Value, json};

use crate::json;

/// The name of the fingerprints of findings.
pub(super) const FINGERPRINT: &str = "verbatim/v1";

/// Writes the findings.
pub(super) fn write(out: &mut dyn Write, document: &ScanDocument<'_>) -> io::Result<()> {
    let findings = || document.sources.iter().flat_map(|source| &source.findings);
    let rules: BTreeSet<&str> = findings().map(|finding| finding.rule).collect();
    let rules: Vec<Value> = rules.into_iter().map(|rule| json!({ "id": rule })).collect();
    let results: Vec<Value> = findings().map(result).collect();
    let driver = json!({
        "name": "verbatim",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let note = |text: &String| json!({ "level": "warning", "message": { "text": text } });
    let notes: Vec<Value> = document.not_read.iter().map(note).collect();
    let run = json!({
        "tool": { "driver": driver },
        "invocations": [{
            "executionSuccessful": notes.is_empty(),
            "toolExecutionNotifications": notes,
        }],
        "results": results,
    });
    json::write(
        out,
        &json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }),
    )
}

fn result(finding: &FindingRow<'_>) -> Value {
    let text = format!("{} found by {}", finding.entry.class.name(), finding.rule);
    json!({
        "ruleId": finding.rule,
        "level": "error",
        "message": { "text": text },
        "partialFingerprints": { FINGERPRINT: finding.fingerprint.to_string() },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&finding.path) },
                "region": { "startLine": finding.entry.line.max(1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": &*finding.entry.text.pointer }],
        }],
    })
}

/// A path as a reference (RFC 3986).
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
