//! The conformance suite: documents with their required verdicts, made here from facts and by hand,
//! never by the validator itself. `UPDATE=1 cargo test -p verbatim-evidence --test conformance`
//! writes the published files.

mod envelope;
mod facts;
mod record;
mod subtle;
mod suite;

use std::collections::BTreeSet;

use serde_json::json;
use sha2::{Digest, Sha256};
use suite::{Case, hex};
use verbatim_evidence::schema::{DRAFT_TEXT, RECORD_TEXT, Schema, rule_for};
use verbatim_evidence::value::{Document, Encoding, Limits};

fn files() -> Vec<(&'static str, Vec<Case>)> {
    vec![
        ("record.jsonl", record::cases()),
        ("subtle.jsonl", subtle::cases()),
        ("envelope.jsonl", envelope::cases()),
    ]
}

#[test]
fn the_validator_gives_every_verdict() {
    let (draft, ours) = (Schema::draft(), Schema::record());
    let mut wrong = Vec::new();
    for (_, cases) in files() {
        for case in cases {
            for (name, schema, expected) in
                [("draft", draft, case.draft), ("ours", ours, case.ours)]
            {
                let verdict = schema.validate(case.rule, &case.document, case.encoding);
                let vague =
                    verdict.errors().iter().any(|e| e.hint == "the document does not match");
                if verdict.is_good() != expected || vague {
                    wrong.push(format!(
                        "{} {:?} by {name}: expected {expected}, {}: {:?}",
                        case.id,
                        case.encoding,
                        case.why,
                        verdict.errors(),
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong verdicts:\n{}", wrong.len(), wrong.join("\n"));
}

/// If the schemas differ, a listed defect is named; and each listed defect makes them differ.
#[test]
fn the_schemas_differ_in_the_listed_defects_only() {
    let mut named = BTreeSet::new();
    for (_, cases) in files() {
        for case in cases.iter().filter(|case| case.draft != case.ours) {
            let defect = case.why.rsplit_once(" (").map(|(_, defect)| defect.to_owned());
            named.insert(defect.unwrap_or_else(|| panic!("{}: {}", case.id, case.why)));
        }
    }
    assert_eq!(named.into_iter().collect::<Vec<_>>(), ["D2)", "D3)", "D4)"]);
}

/// A valid document shows by itself its encoding and its rule.
#[test]
fn a_document_tells_what_it_is() {
    for (name, cases) in files() {
        for case in cases.iter().filter(|case| case.ours) {
            let encoding = Encoding::of(&case.document);
            assert_eq!(encoding, case.encoding, "{name}: {}", case.id);
            let doc = Document::read(&case.document, encoding, Limits::default()).expect("valid");
            assert_eq!(rule_for(&doc), case.rule, "{name}: {}", case.id);
        }
    }
}

/// D1: by the draft no receipt can exist, since each must contain another; by our schema they can.
#[test]
fn the_receipt_of_the_draft_cannot_be_satisfied() {
    let receipt = suite::unhex("d2 84 41a0 a0 f6 40");
    let encoding = Encoding::Cbor;
    let wrapped = |inner: &[u8]| {
        let head = suite::unhex("d2 84 41a0 a1 19018a 81 58");
        [&head[..], &[inner.len() as u8], inner, &[0xF6, 0x40]].concat()
    };
    let nested = wrapped(&receipt);
    for document in [&receipt, &nested, &wrapped(&nested)] {
        assert!(!Schema::draft().validate("Receipt", document, encoding).is_good());
        let verdict = Schema::record().validate("receipt", document, encoding);
        assert!(verdict.is_good(), "{verdict:?}");
    }
}

#[test]
fn the_published_suite_is_this_one() {
    let folder = samples::workspace().join("schemas/conformance");
    let update = std::env::var_os("UPDATE").is_some();
    let mut published = Vec::new();
    let mut manifest = Vec::new();
    let mut ids = BTreeSet::new();
    for (name, cases) in files() {
        for case in &cases {
            let id = format!("{} {:?}", case.id, case.encoding);
            assert!(ids.insert(id), "two cases are named {}", case.id);
        }
        let text: String = cases.iter().map(Case::line).collect();
        let right = cases.iter().filter(|case| case.ours).count();
        let part = cases.iter().filter(|case| case.ours != case.draft).count();
        let sha256 = hex(&Sha256::digest(text.as_bytes()));
        manifest.push(json!({
            "file": name, "cases": cases.len(), "valid": right, "differ": part, "sha256": sha256,
        }));
        published.push((name, text));
    }
    let schema = |name: &str, text: &str| {
        let sha256 = hex(&Sha256::digest(text));
        json!({"file": format!("../{name}.cddl"), "sha256": sha256})
    };
    let manifest = json!({
        "suite": "verifiable-agent-record-3.0",
        "default": schema("verifiable-agent-record-3.0", RECORD_TEXT),
        "draft": schema("draft-birkholz-verifiable-agent-conversations-00", DRAFT_TEXT),
        "files": manifest,
    });
    let manifest = serde_json::to_string_pretty(&manifest).expect("JSON") + "\n";
    published.push(("manifest.json", manifest));
    for (name, text) in published {
        let path = folder.join(name);
        if update {
            std::fs::write(&path, text).expect("writable");
        } else {
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(found == text, "{} is out of date: run with UPDATE=1", path.display());
        }
    }
}
