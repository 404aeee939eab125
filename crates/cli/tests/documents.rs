//! Documents, judged and taken back: of agents that a schema does not list, of other programs, of
//! stored bytes.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
use common::{ID, Place, put, talk};

fn sample(name: &str) -> String {
    let path = samples::workspace().join("crates/formats/src").join(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn a_stead_document_of_an_agent_that_its_schema_does_not_list_is_valid_by_our_extension() {
    let place = Place::new();
    let session = sample("opencode/samples/export/export-2.json");
    let made = place.run(&["convert", &session, "--to", "stead", "-o", "s.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let judged = place.run(&["validate", "s.json"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let said = "valid by verbatim's extension of stead 0.1.0: schema 0.1.0 does not list agent \
                opencode";
    assert!(judged.out.contains(said), "{}", judged.out);
    let json: Value =
        serde_json::from_str(&place.run(&["validate", "--json", "s.json"]).out).unwrap();
    assert_eq!(json["files"][0]["valid"], true);
    assert!(json["files"][0]["what"].as_str().unwrap().contains(said));
    for strict in ["--schema-strict", "--draft"] {
        let judged = place.run(&["validate", strict, "s.json"]);
        assert_eq!(judged.code, 1, "{strict}");
        assert!(judged.out.contains("$.source.backend"), "{}", judged.out);
    }
    // An agent that nobody lists, and one that the schema lists.
    let text = std::fs::read_to_string(place.path().join("s.json")).unwrap();
    let other = text.replacen("\"backend\":\"opencode\"", "\"backend\":\"nobody\"", 1);
    assert_ne!(other, text);
    put(&place.path().join("other.json"), &other);
    assert_eq!(place.run(&["validate", "other.json"]).code, 1);
    put(&place.path().join(format!("in/{ID}.jsonl")), &talk(ID, "Paint", "2026-03-01T10:0"));
    place.run(&["convert", "in", "--to", "stead", "-o", "own.json"]);
    let judged = place.run(&["validate", "own.json", "--schema-strict"]);
    assert_eq!((judged.code, judged.out.contains("extension")), (0, false), "{}", judged.out);
}
