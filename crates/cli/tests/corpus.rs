//! Check of the real files: nothing is lost, and the result lists every file.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

mod common;
use common::Place;

#[test]
fn check_loses_nothing_and_names_every_file() {
    let Some(corpus) = samples::corpus() else { return };
    let ran = Place::new().run(&["check", "--json", corpus.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let summary = &json["summary"];
    for count in ["lost_places", "lost_bytes", "missing_leaves", "failures"] {
        assert_eq!(summary[count], 0, "{count}");
    }
    assert!(summary["leaves"].as_u64().unwrap() > 500_000);
    let rows = |value: &serde_json::Value| value.as_array().unwrap().clone();
    let files = rows(&json["sources"]).into_iter().flat_map(|source| rows(&source["files"]));
    let named: BTreeSet<String> = files
        .chain(rows(&json["aside"]))
        .map(|row| row["path"].as_str().unwrap().to_owned())
        .collect();
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    for row in manifest.lines().skip(1) {
        let path = corpus.join(row.split('\t').next().unwrap());
        assert!(named.contains(path.to_str().unwrap()), "{} is passed over", path.display());
    }
    assert!(rows(&json["aside"]).iter().all(|row| row["why"].as_str().unwrap().len() > 4));
}
