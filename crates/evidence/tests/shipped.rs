//! The shipped schema texts: a change of one is a decision, not an accident.

use sha2::{Digest, Sha256};
use verbatim_evidence::schema::{DRAFT_TEXT, RECORD_TEXT, Schema};

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whoever changes a schema also reviews the conformance suite, the README of `schemas/` and the
/// writers of records. Then this digest changes too.
#[test]
fn the_schemas_are_the_reviewed_ones() {
    assert_eq!(
        digest(RECORD_TEXT),
        "6c9ae0e2e4a5a9dbe61c29e3153433f5515a4a6502976400d84818f3029a97d1",
        "schemas/verifiable-agent-record-3.0.cddl"
    );
    assert_eq!(
        digest(DRAFT_TEXT),
        "00c65fc628b79d82f999a287196cf24893322624c7d499d853cd0d69fdbe785e",
        "schemas/draft-birkholz-verifiable-agent-conversations-00.cddl"
    );
}

/// Below its notice the draft's schema is the published one, byte for byte.
#[test]
fn the_draft_is_literal() {
    let (notice, text) = DRAFT_TEXT.split_once("---\n").expect("a line of dashes");
    assert!(notice.lines().all(|line| line.starts_with(';')));
    assert!(text.starts_with("start = verifiable-agent-record / signed-agent-record\n"));
    let Some(published) = samples::shared("spec/agent-conversation.cddl") else { return };
    assert_eq!(text, std::fs::read_to_string(published).expect("readable"));
}

#[test]
fn both_compile() {
    let _ = (Schema::record(), Schema::draft());
}

/// The crate's folder has the texts that it compiles in, so that its package builds alone. They are
/// those of `schemas/`, where people look for them.
#[test]
fn the_texts_of_the_crate_are_the_published_ones() {
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let published = samples::workspace().join("schemas");
    let files = std::fs::read_dir(&own).expect("the crate's texts");
    let names: Vec<_> = files.map(|file| file.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 4);
    for name in names {
        let read = |folder: &std::path::Path| std::fs::read_to_string(folder.join(&name));
        assert!(
            read(&own).expect("readable") == read(&published).expect("readable"),
            "copy schemas/{name:?} to crates/evidence/schemas"
        );
    }
}
