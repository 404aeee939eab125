//! Labels of the machine and of the account.

use std::fs;

use crate::common::kept::{OTHER, archive, good};
use crate::common::{ID, Place};

/// The labels of each session in rows of the archive.
fn labels(place: &Place) -> Vec<(String, [Option<String>; 2])> {
    let folder = archive(place);
    let ran = good(place, &["rows", folder.to_str().unwrap(), "--table", "sessions"]);
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let label = |name: &str| row[name].as_str().map(str::to_owned);
        (label("id").unwrap(), ["machine", "account"].map(label))
    };
    let mut all: Vec<_> = ran.out.lines().map(row).collect();
    all.sort();
    all
}

fn of(id: &str, machine: Option<&str>, account: Option<&str>) -> (String, [Option<String>; 2]) {
    (id.into(), [machine, account].map(|label| label.map(str::to_owned)))
}

#[test]
fn labels_are_remembered_and_given_in_rows() {
    let place = Place::with_sessions();
    good(&place, &["sync"]);
    assert_eq!(labels(&place), [of(ID, None, None), of(OTHER, None, None)]);
    // What was kept without a label gets the first one.
    good(&place, &["sync", "--machine", "bench-4", "--account", "dock team"]);
    let both = (Some("bench-4"), Some("dock team"));
    assert_eq!(labels(&place), [of(ID, both.0, both.1), of(OTHER, both.0, both.1)]);
    let versions = good(&place, &["archive", "versions", ID]).out;
    assert_eq!(versions.lines().count(), 1, "{versions}");
    // A later account is that of what is kept from then on, in this run and in those after it.
    good(&place, &["sync", "--account", "night team"]);
    let text = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), text.clone() + &text.replace(&format!("{ID}-"), "more-")).unwrap();
    good(&place, &["archive", "compact"]);
    good(&place, &["sync"]);
    let night = of(ID, Some("bench-4"), Some("night team"));
    assert_eq!(labels(&place), [night.clone(), of(OTHER, both.0, both.1)]);
    // Nothing new, no run.
    let runs = || fs::read_dir(archive(&place).join("runs")).unwrap().count();
    let before = runs();
    good(&place, &["sync"]);
    assert_eq!(runs(), before);
    // An empty one ends it.
    good(&place, &["sync", "--account", ""]);
    fs::write(place.session(), text.replace("green", "blue")).unwrap();
    good(&place, &["sync"]);
    assert_eq!(labels(&place)[0], of(ID, Some("bench-4"), None));
    assert_eq!(place.run(&["sync", "--machine", "a\nb"]).code, 2);
    // Sessions that are in no archive have none.
    let live = good(&place, &["rows", place.session().to_str().unwrap(), "--table", "sessions"]);
    assert!(live.out.contains("\"machine\":null,\"account\":null"), "{}", live.out);
}
