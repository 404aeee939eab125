//! The redacted twin: nothing that was planted is in any byte of it, it grows by what is new, and
//! what turns out not to be safe is named and replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::kept::{OTHER, archive, good, json, names};
use crate::common::{ID, Place, copy, put, talk};

const PASSWORD: &str = "Ravine-Copper-4471";
/// A token that no scanner of this repository may see.
fn token() -> String {
    format!("gh{}_{}", 's', "b4XmR9".repeat(6))
}
/// The folder of the project, by whose name alone another token goes.
fn project(place: &Place) -> std::path::PathBuf {
    let token = format!("gh{}_{}", 'p', "c7YnS3".repeat(6));
    place.path().join(format!("home/.claude/projects/-home-jonna-{token}"))
}

const THIRD: &str = "0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e31";
const PLANTED: [&str; 6] = [PASSWORD, MAIL, "jonna", "b4XmR9", "c7YnS3", "d5PmT2"];
const MAIL: &str = "j.lindqvist@harbour-office.se";

/// A home whose sessions have a password, an address and a user's name: in a prompt, in the output
/// of a call, in the file of a sub-agent and its name, and in the names of folders.
fn planted() -> Place {
    let place = Place::new();
    let projects = project(&place);
    let own = |text: String| text.replace("/home/ana/shop", "/home/jonna/harbour");
    let said = format!("The database password is {PASSWORD} and reports go to {MAIL} today");
    put(&projects.join(format!("{ID}.jsonl")), &own(talk(ID, &said, "2026-03-01T10:0")));
    let sub = own(talk(ID, &format!("Log in with {PASSWORD} now"), "2026-03-01T10:0"));
    let sub = sub.replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"b7\"");
    put(&projects.join(format!("{ID}/subagents/agent-jonna.jsonl")), &sub);
    // The token is in a name alone.
    let sub = sub.replace("\"agentId\":\"b7\"", "\"agentId\":\"c8\"");
    put(&projects.join(format!("{ID}/subagents/agent-{}.jsonl", token())), &sub);
    let other = own(talk(OTHER, "Count the boats", "2026-02-01T10:0"));
    put(&projects.join(format!("{OTHER}.jsonl")), &other);
    // The agent names the folder of a path with dashes.
    let secret = "d5PmT2".repeat(6);
    let third = talk(THIRD, "Oil the hinges", "2026-02-02T10:0")
        .replace("/home/ana/shop", &format!("/home/jonna/gh{}_{secret}", 'p'));
    let folder = format!("home/.claude/projects/-home-jonna-gh{}-{secret}", 'p');
    put(&place.path().join(folder).join(format!("{THIRD}.jsonl")), &third);
    put(&place.path().join("home/.claude/todos/list.json"), &format!("[\"use {PASSWORD}\"]"));
    place
}

/// Everything in an archive that a person could read: names, plain files, and frames, unpacked
/// again as often as they are packed.
fn readable(folder: &Path) -> String {
    let mut all = String::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in names(&folder) {
            all.push_str(&path.file_name().unwrap().to_string_lossy());
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            all.push_str(&String::from_utf8_lossy(&bytes));
            while let Ok(inner) = zstd::stream::decode_all(&*bytes) {
                all.push_str(&String::from_utf8_lossy(&inner));
                bytes = inner;
            }
        }
    }
    all
}

fn has_planted(folder: &Path) -> Vec<&'static str> {
    let all = readable(folder).to_lowercase();
    PLANTED.into_iter().filter(|it| all.contains(&it.to_lowercase())).collect()
}

/// The files of a twin, with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let parts = ["packs", "runs", "redactions"].map(|part| folder.join(part));
    let all = parts.iter().flat_map(|part| names(part));
    let file = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    all.map(file).collect()
}

const EXPORT: [&str; 4] = ["archive", "export", "--redacted", "twin"];

#[test]
fn nothing_that_was_planted_is_in_the_twin() {
    let place = planted();
    good(&place, &["sync"]);
    let ran = good(&place, &EXPORT);
    assert!(ran.out.contains("3 versions written") && ran.out.contains("password"), "{}", ran.out);
    assert!(ran.err.contains("1 file beside sessions"), "{}", ran.err);
    let twin = place.path().join("twin");
    assert_eq!(has_planted(&twin), [""; 0]);
    assert!(readable(&twin).contains("[REDACTED:password:"));
    // The search finds what is there: the archive itself has all of it.
    assert_eq!(has_planted(&archive(&place)), PLANTED);
    // The receipt names each version with class and rule, and its source by an HMAC.
    let receipts = readable(&twin.join("redactions"));
    for part in ["\"class\":\"password\"", "\"rule\":\"password\"", "agent-user1.jsonl"] {
        assert!(receipts.contains(part), "{part}: {receipts}");
    }
    for version in [ID, OTHER] {
        let digests = |args: &[&str]| json(&place, args)["versions"][0]["digest"].to_string();
        let source = digests(&["archive", "versions", version, "--json"]);
        let own = ["--archive", "twin", "archive", "versions", version, "--json"];
        assert!(!receipts.contains(source.trim_matches('"')), "no plain digest of the source");
        assert!(receipts.contains(&digests(&own)), "{receipts}");
    }
    good(&place, &["--archive", "twin", "archive", "verify", "--read-data"]);
    good(&place, &["archive", "export", "--check", "twin"]);
    // Every table of the twin is that of the archive.
    let tables = "sessions,turns,calls,usage,files,texts,faults";
    let rows = |folder: &str| {
        let mut rows: Vec<String> = good(&place, &["rows", folder, "--table", tables])
            .out
            .lines()
            .map(str::to_owned)
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(rows("twin"), rows("home/.local/share/verbatim/archive"));
    let shown = good(&place, &["--archive", "twin", "list", "--all-projects", "--json"]).out;
    assert!(shown.contains(ID) && shown.contains(OTHER), "{shown}");
}

#[test]
fn a_second_run_adds_what_is_new_or_grew_and_nothing_else() {
    let place = planted();
    good(&place, &["sync"]);
    good(&place, &EXPORT);
    let twin = place.path().join("twin");
    let before = files(&twin);
    assert!(good(&place, &EXPORT).out.starts_with("0 versions written"));
    assert_eq!(files(&twin), before);
    // The same input gives the same output.
    good(&place, &["archive", "export", "--redacted", "again"]);
    assert_eq!(files(&place.path().join("again")), before);
    let grown = project(&place).join(format!("{OTHER}.jsonl"));
    let text = fs::read_to_string(&grown).unwrap();
    fs::write(&grown, text.clone() + &text.replace(&format!("{OTHER}-"), "more-")).unwrap();
    good(&place, &["sync"]);
    assert!(good(&place, &EXPORT).out.starts_with("1 version written"));
    let after = files(&twin);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
    assert_eq!(after.len(), before.len() + 3);
    assert_eq!(has_planted(&twin), [""; 0]);
    // Only the tail became a new piece.
    assert!(readable(&twin.join("runs")).contains("\"base\":"));
    good(&place, &["--archive", "twin", "archive", "verify", "--read-data"]);
}

#[test]
fn what_is_found_later_names_its_objects_and_is_replaced() {
    let place = planted();
    let path = project(&place).join(format!("{OTHER}.jsonl"));
    // Nobody can know that these words are a password.
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("Count the boats", "Count the boats with Juniper-Anvil-52");
    fs::write(&path, &text).unwrap();
    good(&place, &["sync"]);
    good(&place, &EXPORT);
    let twin = place.path().join("twin");
    assert!(readable(&twin).contains("Juniper-Anvil-52"));
    let told = talk(OTHER, "my password: Juniper-Anvil-52", "2026-02-02T10:0");
    fs::write(&path, text + &told.replace(&format!("{OTHER}-"), "later-")).unwrap();
    good(&place, &["sync"]);
    let ran = place.run(&EXPORT);
    assert!(ran.code == 1 && ran.err.contains("not safe any more: 1 version"), "{}", ran.err);
    let check = |folder: &str, profile: &str| {
        let args = ["archive", "export", "--check", folder, "--profile", profile, "--json"];
        let ran = place.run(&args);
        (ran.code, serde_json::from_str::<serde_json::Value>(&ran.out).unwrap())
    };
    let (code, verdict) = check("twin", "share");
    let packs = |verdict: &serde_json::Value| -> Vec<String> {
        let objects = verdict["objects"].as_array().unwrap().iter();
        objects.map(|object| object["path"].as_str().unwrap().to_owned()).collect()
    };
    let listed = packs(&verdict);
    assert!(code == 1 && listed.len() == 1, "{verdict}");
    let bytes = fs::read(twin.join(&listed[0])).unwrap();
    let unpacked = String::from_utf8(zstd::stream::decode_all(&*bytes).unwrap()).unwrap();
    assert!(unpacked.contains("Juniper-Anvil-52"), "it is the object that has the value");
    // A kill or a copy changes nothing of that; `--renew` replaces what is not safe.
    let renewed = good(&place, &[&EXPORT[..], &["--renew"]].concat()).out;
    assert!(renewed.contains(&format!("removed: {}", listed[0])), "{renewed}");
    assert!(!readable(&twin).contains("Juniper-Anvil-52"));
    assert_eq!(check("twin", "share").0, 0);
    good(&place, &["--archive", "twin", "archive", "verify", "--read-data"]);
    // Rules that find more, as those of a later program: a twin without secrets alone.
    good(&place, &["archive", "export", "--redacted", "loose", "--profile", "secrets"]);
    assert_eq!(check("loose", "secrets").0, 0);
    let (code, verdict) = check("loose", "share");
    let found = verdict["objects"][0]["reasons"].to_string();
    assert!(code == 1 && found.contains("email") && !found.contains(MAIL), "{verdict}");
    // Names are looked at too: the run has a path with a user's name.
    assert!(packs(&verdict).iter().any(|path| path.starts_with("runs/")), "{verdict}");
    let refused = place.run(&["archive", "export", "--redacted", "loose"]);
    assert!(refused.code == 3 && refused.err.contains("profile `secrets`"), "{}", refused.err);
    // A forgotten session is one that the twin must not have either.
    good(&place, &["archive", "forget", OTHER, "--yes"]);
    assert_eq!(place.run(&EXPORT).code, 1);
    assert!(check("twin", "share").1.to_string().contains("its session was forgotten"));
    good(&place, &[&EXPORT[..], &["--renew"]].concat());
    assert!(!readable(&twin).contains(OTHER));
}

#[test]
fn what_cannot_be_read_is_named_left_out_and_said_with_sums() {
    let place = planted();
    good(&place, &["sync"]);
    let (whole, packs) = (place.path().join("whole"), archive(&place).join("packs"));
    copy(&packs, &whole);
    fs::remove_dir_all(&packs).unwrap();
    let ran = place.run(&EXPORT);
    let named = format!("left out: claude-code:{ID}");
    assert!(ran.code == 1 && ran.err.contains(&named), "{}", ran.err);
    let twin = &["--archive", "twin"];
    let status = good(&place, &[&twin[..], &["archive", "status"]].concat()).out;
    assert!(status.contains("3 sessions left out of this redacted archive"), "{status}");
    fs::remove_dir_all(place.path().join("home/.claude")).unwrap();
    let usage = place.run(&[&twin[..], &["usage"]].concat());
    assert!(usage.err.contains("3 sessions left out"), "{}", usage.err);
    let rows = good(&place, &["rows", "twin", "--table", "faults"]).out;
    assert!(rows.contains("3 sessions left out"), "{rows}");
    // What has healed is written by the next run.
    copy(&whole, &packs);
    good(&place, &EXPORT);
    let status = good(&place, &[&twin[..], &["archive", "status"]].concat()).out;
    assert!(status.contains("3 sessions in 3 versions") && !status.contains("left"), "{status}");
}

#[test]
fn a_twin_is_never_written_over_what_is_none() {
    let place = planted();
    good(&place, &["sync"]);
    let own = "home/.local/share/verbatim/archive";
    good(&place, &["sync", "--archive", "other"]);
    for folder in [own, "home/.local/share/verbatim/archive/in", "other", "home/.claude/twin"] {
        let ran = place.run(&["archive", "export", "--redacted", folder]);
        assert_eq!(ran.code, 3, "{folder}: {}{}", ran.out, ran.err);
    }
    assert!(!archive(&place).join("redactions").exists());
    // Nothing comes into a twin unredacted.
    good(&place, &EXPORT);
    let forget = ["archive", "forget", ID, "--yes"];
    for args in [&["sync"][..], &["archive", "merge", own], &forget] {
        let ran = place.run(&[&["--archive", "twin"], args].concat());
        assert!(ran.code == 3 && ran.err.contains("redacted twin"), "{args:?}: {}", ran.err);
    }
    assert_eq!(has_planted(&place.path().join("twin")), [""; 0]);
    // Files of receipts of one time are in the order of their digests.
    let receipts = names(&place.path().join("twin/redactions"));
    let with_places =
        |path: &&std::path::PathBuf| fs::read_to_string(path).unwrap().contains("\"places\":");
    let receipts = receipts.iter().find(with_places).unwrap();
    let text = fs::read_to_string(receipts).unwrap();
    fs::write(receipts, text.replace("\"places\":", "\"places\":1")).unwrap();
    let args = ["--archive", "twin", "archive", "verify", "--read-data"];
    assert_eq!(place.run(&args).code, 1, "receipts have digests too");
    assert_eq!(place.run(&["archive", "export"]).code, 2);
    assert_eq!(place.run(&["archive", "export", "--check", "nowhere"]).code, 2);
}

#[test]
fn what_a_twin_has_lost_is_written_again() {
    let place = planted();
    good(&place, &["sync"]);
    good(&place, &EXPORT);
    let twin = place.path().join("twin");
    let whole = names(&twin.join("packs"));
    whole.iter().for_each(|pack| fs::remove_file(pack).unwrap());
    let ran = good(&place, &EXPORT);
    assert!(ran.out.contains("3 versions written"), "{}", ran.out);
    assert_eq!(names(&twin.join("packs")), whole);
    good(&place, &["--archive", "twin", "archive", "verify", "--read-data"]);
    assert!(good(&place, &EXPORT).out.contains("0 versions written"));
}
