//! Statements of custody: a copy of an archive beside them, sound and harmed in every way.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::kept::{archive, good, names};
use crate::common::{ID, Place, copy};

/// A machine whose archive has two runs, each with a statement by the key `work`.
fn signed() -> Place {
    let place = Place::with_sessions();
    good(&place, &["key", "new", "work"]);
    good(&place, &["sync", "--machine", "bench-4"]);
    good(&place, &["archive", "sign"]);
    let text = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), text.clone() + &text.replace(&format!("{ID}-"), "more-")).unwrap();
    good(&place, &["sync"]);
    let ran = good(&place, &["archive", "sign"]);
    assert!(ran.out.contains("1 statement written, 1 run had one before"), "{}", ran.out);
    place
}

/// A copy of the archive, as another machine has it.
fn carried(place: &Place) -> PathBuf {
    let to = place.path().join("copy");
    let _ = fs::remove_dir_all(&to);
    copy(&archive(place), &to);
    fs::set_permissions(&to, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    to
}

/// The exit code of a check of the copy by a key, and the kinds of what is wrong.
fn checked(place: &Place, key: &str) -> (i32, Vec<String>) {
    let args = ["--archive", "copy", "archive", "verify", "--trust", key, "--json"];
    let ran = place.run(&args);
    let verdict: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| {
        panic!("{}", ran.err);
    });
    let faults = verdict["custody"]["faults"].as_array().unwrap().iter();
    let mut kinds: Vec<String> =
        faults.map(|fault| fault["kind"].as_str().unwrap().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    (ran.code, kinds)
}

fn nth(folder: &Path, at: usize) -> PathBuf {
    names(folder).remove(at)
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = at.min(bytes.len() - 1);
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_copy_is_checked_beside_its_statements() {
    let place = signed();
    let copied = carried(&place);
    assert_eq!(checked(&place, "work"), (0, vec![]));
    let public = good(&place, &["key", "show", "work"]).out;
    fs::write(place.path().join("work.pub"), public).unwrap();
    assert_eq!(checked(&place, "work.pub"), (0, vec![]));
    // The statement says from which machine the run is, and names the head of the log.
    let statement = nth(&copied.join("custody"), 0);
    let text = String::from_utf8_lossy(&fs::read(&statement).unwrap()).into_owned();
    for part in ["\"machine_label\":\"bench-4\"", "verbatim-log/", "\"root\":\"", "packs/"] {
        assert!(text.contains(part), "{part}");
    }
    let verified = place.run(&["verify", statement.to_str().unwrap()]);
    assert!(verified.code == 0 && verified.out.contains("signed these"), "{}", verified.out);
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 9] = [
        ("changed", |to| flip(&nth(&to.join("packs"), 0), 30)),
        ("changed", |to| flip(&nth(&to.join("runs"), 1), 90)),
        ("missing", |to| fs::remove_file(nth(&to.join("packs"), 1)).unwrap()),
        ("missing", |to| fs::remove_file(nth(&to.join("runs"), 0)).unwrap()),
        ("extra", |to| {
            fs::write(to.join("packs").join(["a".repeat(64), ".pack".into()].concat()), "x")
                .unwrap()
        }),
        ("extra", |to| fs::write(to.join("notes.txt"), "x").unwrap()),
        ("missing", |to| fs::remove_file(nth(&to.join("custody"), 0)).unwrap()),
        ("forged", |to| flip(&nth(&to.join("custody"), 0), 400)),
        ("forged", |to| {
            // The statement of one run under the name of another.
            let (one, other) = (nth(&to.join("custody"), 0), nth(&to.join("custody"), 1));
            fs::copy(one, other).unwrap();
        }),
    ];
    for (number, (kind, harm)) in harms.into_iter().enumerate() {
        harm(&carried(&place));
        let (code, kinds) = checked(&place, "work");
        assert!(code == 1 && kinds.iter().any(|it| it == kind), "{number} {kind}: {kinds:?}");
    }
    // Every bit of a statement counts.
    let length = fs::metadata(&statement).map(|it| it.len()).unwrap_or(0) as usize;
    let copied = carried(&place);
    let statement = nth(&copied.join("custody"), 0);
    for at in (0..length).step_by(97) {
        flip(&statement, at);
        assert_eq!(checked(&place, "work").0, 1, "byte {at}");
        flip(&statement, at);
    }
    assert_eq!(checked(&place, "work"), (0, vec![]));
}

#[test]
fn a_statement_by_another_key_or_none_is_no_statement() {
    let place = signed();
    good(&place, &["key", "new", "other"]);
    carried(&place);
    let (code, kinds) = checked(&place, "other");
    assert_eq!((code, kinds), (1, ["extra", "unknown", "unsigned"].map(str::to_owned).to_vec()));
    // The one who removes all statements and signs anew is not the one who is trusted.
    let copied = carried(&place);
    fs::remove_dir_all(copied.join("custody")).unwrap();
    assert!(checked(&place, "work").1.contains(&"unsigned".to_owned()));
    good(&place, &["--archive", "copy", "archive", "sign", "--key", "other"]);
    let (code, kinds) = checked(&place, "work");
    assert!(code == 1 && kinds.contains(&"unknown".to_owned()), "{kinds:?}");
    assert_eq!(checked(&place, "other"), (0, vec![]));
    // A run without a statement.
    let text = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), text.replace(ID, &ID.replace("11", "12"))).unwrap();
    good(&place, &["sync"]);
    carried(&place);
    assert_eq!(checked(&place, "work").1, ["extra", "unsigned"]);
    // What is there is not checked unasked, and that is said.
    let plain = good(&place, &["--archive", "copy", "archive", "verify"]).out;
    assert!(plain.contains("2 statements of custody not checked"), "{plain}");
    assert_eq!(place.run(&["archive", "verify", "--trust", "nobody"]).code, 3);
}

#[test]
fn objects_that_were_removed_are_withdrawn_by_a_signature() {
    let place = signed();
    good(&place, &["archive", "compact"]);
    let refused = place.run(&["archive", "sign"]);
    assert!(refused.code == 3 && refused.err.contains("--withdraw"), "{}", refused.err);
    good(&place, &["archive", "sign", "--withdraw"]);
    let old = carried(&place);
    assert_eq!(checked(&place, "work"), (0, vec![]));
    // A copy that still has what was withdrawn says so.
    let statement = nth(&old.join("custody"), 0);
    let text = String::from_utf8_lossy(&fs::read(statement).unwrap()).into_owned();
    let at = text.find("packs/").unwrap();
    fs::write(old.join(&text[at..at + 75]), "x").unwrap();
    assert_eq!(checked(&place, "work").1, ["extra"]);
}
