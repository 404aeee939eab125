//! A session that its own agent does not take in as it is stored is written anew for it.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::placed::{json, program};
use common::{Place, Ran, put, ran};
use serde_json::Value;

const PROMPT: &str = "Sort the shells by size.";

/// An OpenCode that keeps the exports that it takes in. One without a slug is too old for it, and
/// leaves a half.
const OPENCODE: &str = r#"#!/bin/sh
kept="$HOME/.local/share/opencode"
/bin/mkdir -p "$kept"
case "$1" in
import)
    /bin/cp "$2" "$kept/$$.json"
    /bin/grep -q slug "$2" || { echo "Missing key at slug" >&2; exit 1; };;
session) /bin/rm $(/bin/grep -l "\"$3\"" "$kept"/*.json);;
esac
"#;

fn prepared() -> (Place, PathBuf) {
    let place = Place::new();
    fs::create_dir_all(place.path().join("work")).unwrap();
    let path = program(&place, "opencode", OPENCODE);
    (place, path)
}

fn resume(place: &Place, path: &Path, more: &[&str]) -> Ran {
    let mut command = place.command(&[&["resume", "--folder", "work", "--json"], more].concat());
    ran(command.env("PATH", path).output().unwrap())
}

const INFO: &str = r#""id":"ses_old1","projectID":"p","directory":"/srv/beach","title":"Shells",
    "version":"0.9.1","time":{"created":1750000000000,"updated":1750000002000}"#;
const MESSAGE: &str = r#"{"id":"msg_old1","sessionID":"ses_old1","role":"user",
    "time":{"created":1750000000000}}"#;

fn part() -> String {
    let ids = r#""id":"prt_old1","sessionID":"ses_old1","messageID":"msg_old1""#;
    format!(r#"{{{ids},"type":"text","text":"{PROMPT}"}}"#)
}

fn export(more: &str) -> String {
    let part = part();
    format!(r#"{{"info":{{{INFO}{more}}},"messages":[{{"info":{MESSAGE},"parts":[{part}]}}]}}"#)
}

/// The only file that the agent has.
fn file(place: &Place) -> PathBuf {
    let files = fs::read_dir(place.path().join("home/.local/share/opencode")).unwrap();
    let files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// The id of the session that the agent has, and whether it has the prompt.
fn kept(place: &Place) -> (String, bool) {
    let text = fs::read_to_string(file(place)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    (value["info"]["id"].as_str().unwrap().to_owned(), text.contains(PROMPT))
}

#[test]
fn an_export_of_today_is_imported_as_it_is() {
    let (place, path) = prepared();
    put(&place.path().join("ses_old1.json"), &export(r#","slug":"shells""#));
    let placed = json(&resume(&place, &path, &["ses_old1.json"]));
    assert_eq!([&placed["id"], &placed["state"]], ["ses_old1", "placed"]);
    let text = fs::read(file(&place)).unwrap();
    assert_eq!(text, fs::read(place.path().join("ses_old1.json")).unwrap());
}

#[test]
fn an_export_that_the_agent_refuses_is_written_anew() {
    let (place, path) = prepared();
    put(&place.path().join("ses_old1.json"), &export(""));
    let first = resume(&place, &path, &["ses_old1.json"]);
    assert!(first.err.contains("Missing key at slug"), "{}", first.err);
    let placed = json(&first);
    let id = placed["id"].as_str().unwrap();
    assert_ne!(id, "ses_old1");
    assert_eq!(kept(&place), (id.to_owned(), true));
    // A second run finds it, and it is removed without a trace.
    assert_eq!(json(&resume(&place, &path, &["ses_old1.json"]))["state"], "placed-before");
    assert_eq!(kept(&place), (id.to_owned(), true));
    let mut undo = place.command(&["resume", id, "--undo"]);
    let undone = ran(undo.env("PATH", &path).output().unwrap());
    assert_eq!(undone.code, 0, "{}", undone.err);
    let left = fs::read_dir(place.path().join("home/.local/share/opencode")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn files_and_rows_that_no_import_takes_are_written_anew() {
    let tree = [
        ("session/p/ses_old1.json", format!("{{{INFO}}}")),
        ("message/ses_old1/msg_old1.json", MESSAGE.to_owned()),
        ("part/msg_old1/prt_old1.json", part()),
    ];
    let (place, path) = prepared();
    for (name, text) in &tree {
        put(&place.path().join("old/storage").join(name), text);
    }
    let placed = json(&resume(&place, &path, &["ses_old1", "--in", "old"]));
    assert_eq!(kept(&place), (placed["id"].as_str().unwrap().to_owned(), true));
}

/// Files are placed where the agent looks for them, and it looks for no older ones.
#[test]
fn an_old_rollout_is_written_anew() {
    let (place, path) = prepared();
    let id = "7f1e0000-0000-4000-8000-00000000000b";
    let name = format!("rollout-2025-08-01T08-00-00-{id}.jsonl");
    let text = format!(
        "{{\"id\":\"{id}\",\"timestamp\":\"2025-08-01T08:00:00.000Z\",\"instructions\":null}}\n\
         {{\"record_type\":\"state\"}}\n{{\"type\":\"message\",\"id\":null,\"role\":\"user\",\
         \"content\":[{{\"type\":\"input_text\",\"text\":\"{PROMPT}\"}}]}}\n"
    );
    let home = place.path().join("home/.codex/sessions/2025/08/01").join(&name);
    for file in [place.path().join(&name), home] {
        put(&file, &text);
        let placed = json(&resume(&place, &path, &[file.to_str().unwrap(), "--to", "codex"]));
        assert_eq!(placed["session"], format!("codex:{id}"), "{placed}");
        assert_ne!(placed["id"], id, "{placed}");
        let placed = placed["files"][0]["path"].as_str().unwrap().to_owned();
        let written = fs::read_to_string(&placed).unwrap();
        assert!(written.contains("session_meta") && written.contains(PROMPT), "{written}");
        fs::remove_file(&file).unwrap();
        let undone = place.run(&["resume", &placed, "--undo"]);
        assert_eq!(undone.code, 0, "{}", undone.err);
    }
}
