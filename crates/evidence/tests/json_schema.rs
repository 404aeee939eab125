//! The stead session's schema: verdicts equal to those of a complete implementation of JSON Schema,
//! over every golden document and thousands of changed ones.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use verbatim_evidence::schema::{JsonSchema, STEAD_EXTENDED_TEXT, STEAD_TEXT};

/// The documents that the goldens hold.
fn goldens() -> Vec<Value> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(&path, found),
                false if path.to_string_lossy().ends_with(".stead.json") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&samples::workspace().join("crates/formats/goldens"), &mut found);
    found.sort();
    let read = |path: &PathBuf| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    found.iter().map(read).collect()
}

/// Replacements of a value.
fn values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("x"),
        json!("codex"),
        json!([]),
        json!([1, "x"]),
        json!({}),
        json!({"x": 1}),
    ];
    for number in ["-0", "10.0", "1e1", "-0.5", "100e-1", "1e400", "18446744073709551616"] {
        values.push(serde_json::from_str(number).unwrap());
    }
    for time in [
        "2026-02-29T00:00:00Z",
        "2024-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-01t00:00:00.5z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T24:00:00Z",
        "2016-12-31T23:59:60Z",
        "2016-12-31T22:59:60Z",
        "2017-01-01T00:59:60+01:00",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00-0100",
        "2026-01-01T00:00:00+01:60",
        "2026-1-01T00:00:00Z",
        "٢026-01-01T00:00:00Z",
    ] {
        values.push(json!(time));
    }
    values
}

/// Paths of all values that a schema of the stead session can reach.
fn places(document: &Value) -> Vec<String> {
    fn walk(value: &Value, path: String, depth: usize, found: &mut Vec<String>) {
        found.push(path.clone());
        if depth == 4 {
            return;
        }
        let members = value.as_object().into_iter().flatten();
        members.for_each(|(k, v)| {
            let key = k.replace('~', "~0").replace('/', "~1");
            walk(v, format!("{path}/{key}"), depth + 1, found);
        });
        let elements = value.as_array().into_iter().flatten().take(2).enumerate();
        elements.for_each(|(n, v)| walk(v, format!("{path}/{n}"), depth + 1, found));
    }
    let mut found = Vec::new();
    walk(document, String::new(), 0, &mut found);
    found
}

/// The rules that a document breaks, each with the path of its keyword in the schema.
fn expected(validator: &jsonschema::Validator, document: &Value) -> Vec<String> {
    let mut rules: Vec<String> =
        validator.iter_errors(document).map(|e| e.schema_path().to_string()).collect();
    rules.sort();
    rules
}

fn found(schema: &JsonSchema, document: &Value) -> Vec<String> {
    let verdict = schema.validate(document.to_string().as_bytes());
    assert!(verdict.bad().is_none_or(|violations| !violations.more));
    let mut rules: Vec<String> = verdict.errors().iter().map(|error| error.rule.clone()).collect();
    rules.sort();
    rules
}

#[test]
fn verdicts_are_those_of_a_complete_implementation() {
    let documents = goldens();
    assert!(documents.len() > 50, "{}", documents.len());
    for text in [STEAD_TEXT, STEAD_EXTENDED_TEXT] {
        let schema = JsonSchema::parse(text).unwrap();
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&serde_json::from_str(text).unwrap())
            .unwrap();
        let equal = |document: &Value, what: &str| {
            assert_eq!(found(&schema, document), expected(&validator, document), "{what}");
        };
        documents.iter().for_each(|document| equal(document, "golden"));
        let mut base = documents[0].clone();
        base["lineage"] = json!({"root_session_uid": "x", "parent_session_uid": null});
        base["events"].as_array_mut().unwrap().truncate(2);
        for place in places(&base) {
            for value in values() {
                let mut changed = base.clone();
                *changed.pointer_mut(&place).unwrap() = value.clone();
                equal(&changed, &format!("{place} = {value}"));
            }
            let mut without = base.clone();
            if let Some((parent, name)) = place.rsplit_once('/')
                && let Some(parent) = without.pointer_mut(parent).and_then(Value::as_object_mut)
            {
                remove(parent, name);
                equal(&without, &format!("without {place}"));
            }
        }
    }
}

fn remove(object: &mut Map<String, Value>, name: &str) {
    object.shift_remove(&name.replace("~1", "/").replace("~0", "~"));
}

#[test]
fn an_unknown_keyword_is_refused() {
    for text in ["{\"oneOf\":[]}", "{\"properties\":{\"a\":{\"pattern\":\"x\"}}}", "{"] {
        assert!(JsonSchema::parse(text).is_err(), "{text}");
    }
}

/// The path and the byte of a violation are those of the value; the hint shows no value.
#[test]
fn an_error_names_its_place_and_no_value() {
    let text = "{\"properties\":{\"a b\":{\"items\":{\"type\":[\"string\",\"null\"]}}}}";
    let schema = JsonSchema::parse(text).unwrap();
    let verdict = schema.validate(b"{\"a b\": [\"x\", 1234]}");
    let [error] = verdict.errors() else { panic!("{verdict:?}") };
    assert_eq!((&*error.path, error.offset), ("$[\"a b\"][1]", 14));
    assert_eq!(error.rule, "/properties/a b/items/type");
    assert!(!error.hint.contains("1234"), "{}", error.hint);
}
