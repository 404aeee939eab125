//! The shipped rules against labelled examples: what they find of published credentials, and that
//! they leave the known kinds of false positives alone. Skipped, visibly, without the vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use verbatim_redact::rules::{Hit, Rules};

/// Distinct values.
type Values = BTreeSet<Vec<u8>>;

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("readable");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn decoded(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().expect("Base64")).expect("Base64")
}

fn find(rules: &Rules, text: &[u8]) -> Vec<Hit> {
    let mut found = Vec::new();
    rules.find(text, &mut found).expect("patterns");
    found
}

/// Whether no twelve bytes of a value, or all of a shorter one, are left beside the hits.
fn is_gone(text: &[u8], secret: &[u8], hits: &[Hit]) -> bool {
    let mut left = text.to_vec();
    for hit in hits {
        left[hit.start..hit.end].fill(0);
    }
    let piece = secret.len().min(12);
    !secret.windows(piece).any(|piece| left.windows(piece.len()).any(|window| window == piece))
}

#[test]
fn published_credentials_are_found() {
    let Some(examples) = samples::shared("vectors/secrets/examples") else { return };
    let rules = Rules::shipped().expect("shipped");
    let mut classes: BTreeMap<String, (Values, Values)> = BTreeMap::new();
    for line in lines(&examples.join("positives.jsonl")) {
        let (text, secret) = (decoded(&line["text_b64"]), decoded(&line["secret_b64"]));
        let class = line["class"].as_str().expect("a class").to_owned();
        let (all, found) = classes.entry(class).or_default();
        if is_gone(&text, &secret, &find(&rules, &text)) {
            found.insert(secret.clone());
        } else if std::env::var_os("MISSED").is_some() {
            let text = String::from_utf8_lossy(&text);
            println!("{} {}: {text:?}", line["class"], line["rule"]);
        }
        all.insert(secret);
    }
    let (mut all, mut found) = (0, 0);
    for (class, (of, gone)) in &classes {
        println!("{class}: {} of {}", gone.len(), of.len());
        if !["identifier", "password-hash"].contains(&&**class) {
            (all, found) = (all + of.len(), found + gone.len());
        }
    }
    println!("{found} of {all}");
    assert!(found * 100 >= all * 65, "{found} of {all}");
}

#[test]
fn known_kinds_of_false_positives_are_left_alone() {
    let Some(examples) = samples::shared("vectors/secrets/examples") else { return };
    let rules = Rules::shipped().expect("shipped");
    let classes = fs::read(examples.join("false-positive-classes.json")).expect("readable");
    let classes: Value = serde_json::from_slice(&classes).expect("JSON");
    let mut wrong = Vec::new();
    for class in classes["classes"].as_array().expect("classes") {
        for example in class["examples_b64"].as_array().expect("examples") {
            let text = decoded(example);
            for hit in find(&rules, &text) {
                let rule = rules.rule(hit.rule);
                let value = String::from_utf8_lossy(&text[hit.start..hit.end]).into_owned();
                wrong.push(format!("{} {}: {value}", class["id"], rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
