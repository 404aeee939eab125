//! `verbatim attribution` from end to end.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
use common::Place;

/// An agent may write into the project's folder and keep its sessions elsewhere. Paths are relative
/// to the project in both cases.
#[test]
fn paths_are_relative_to_the_folder_that_the_list_shows() {
    let home = "crates/formats/src/agents/gemini/samples/resumed";
    let home = samples::workspace().join(home);
    let home = home.to_str().unwrap();
    let place = Place::new();
    let list: Value = serde_json::from_str(&place.run(&["list", "--json", home]).out).unwrap();
    let id = "6f7a8b9c-2d3e-4f4a-9b0c-1d2e3f4a5b6c";
    let ran = place.run(&["attribution", "--json", "--in", home, id]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(list["sessions"][0]["folder"], "/home/ana/shop");
    assert_eq!(told["folder"], "/home/ana/shop", "{}", ran.out);
    let files: Vec<&str> =
        told["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["NOTES.md", "vat.ts"]);
}
