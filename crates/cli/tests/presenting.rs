//! Signed records of which parts are withheld, turns with their proof, and the log, through the
//! command: what is shown, what is not, and what failed.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "presenting/changes.rs"]
mod changes;
mod common;
#[allow(dead_code)]
#[path = "../../views/tests/browser/devtools.rs"]
mod devtools;
#[path = "presenting/page.rs"]
mod page;

use std::path::Path;

use common::{ID, Place, Ran, put};

/// A place with a record that a key signed.
fn place() -> Place {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    place
}

fn good(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path().join(name)).unwrap()
}

/// The line of `verify` or of a check about a thing.
fn line<'r>(ran: &'r Ran, what: &str) -> &'r str {
    let found = ran.out.lines().find(|line| line.trim_start().starts_with(what));
    found.unwrap_or_else(|| panic!("{what}: {}{}", ran.out, ran.err))
}

#[test]
fn a_part_is_withheld_and_the_signature_holds() {
    let place = place();
    for name in ["record.json.skeleton.json", "record.json.skeleton.json.cose"] {
        assert!(place.path().join(name).is_file(), "{name}");
    }
    let skeleton = read(&place, "record.json.skeleton.json");
    assert!(!skeleton.contains("door") && skeleton.contains("\"entries\":[]"));
    good(&place.run(&["validate", "record.json.skeleton.json"]));
    good(&place.run(&["verify", "record.json.skeleton.json"]));
    let record = read(&place, "record.json");
    assert!(record.contains("Paint the **door** green"));
    let made =
        place.run(&["redact", "--signed", "record.json", "--withhold", "1", "-o", "some.json"]);
    good(&made);
    assert!(made.err.contains("1 entry and 0 fields that you name"), "{}", made.err);
    let some = read(&place, "some.json");
    assert!(!some.contains("Paint the **door** green"));
    let verified = place.run(&["verify", "some.json"]);
    good(&verified);
    assert!(line(&verified, "entries").contains("shown"), "{}", verified.out);
    assert!(line(&verified, "redactions").contains("entry 1"), "{}", verified.out);
    // It is a record like any other.
    good(&place.run(&["validate", "some.json"]));
    good(&place.run(&["show", "some.json"]));
    // Nobody who does not know the key sees more than that nothing is wrong.
    let key = place.run(&["key", "show", "work"]).out;
    std::fs::write(place.path().join("work.pem"), key).unwrap();
    let other = Place::new();
    std::fs::copy(place.path().join("some.json"), other.path().join("some.json")).unwrap();
    std::fs::copy(place.path().join("work.pem"), other.path().join("work.pem")).unwrap();
    assert_eq!(other.run(&["verify", "some.json"]).code, 4);
    good(&other.run(&["verify", "some.json", "--key", "work.pem"]));
    // A changed word, and an entry that is put back by hand.
    for (one, changed) in [
        ("some.json", some.replacen("\"type\":\"assistant\"", "\"type\":\"user\"", 1)),
        ("some.json", some.replacen("\"event-type\":\"redacted\"", "\"event-type\":\"said\"", 1)),
        ("some.json", some.replacen("\"session\":{", "\"more\":1,\"session\":{", 1)),
    ] {
        assert_ne!(changed, some);
        std::fs::write(place.path().join(one), changed).unwrap();
        let failed = place.run(&["verify", "some.json"]);
        assert_eq!(failed.code, 1, "{}", failed.out);
        assert!(line(&failed, "entries").contains("FAILED"), "{}", failed.out);
    }
}

/// The digests of the agent's own file and of its lines are withheld too: who has one of them could
/// test guesses of a text.
#[test]
fn no_digest_of_a_source_is_shown() {
    let place = place();
    let session = std::fs::read(place.session()).unwrap();
    let record = read(&place, "record.json");
    let digest = |bytes: &[u8]| {
        let file = place.path().join("a part");
        std::fs::write(&file, bytes).unwrap();
        sign::hex(&operations::attest::file_digest(&file).unwrap())
    };
    let whole = digest(&session);
    assert!(record.contains(&whole), "the record itself has it");
    good(&place.run(&["redact", "--signed", "record.json", "--withhold", "1", "-o", "some.json"]));
    good(&place.run(&["export", "some.json", "-o", "some.html"]));
    let lines = session.split(|byte| *byte == b'\n');
    let ended = session.split_inclusive(|byte| *byte == b'\n');
    for name in ["some.json", "some.html", "record.json.skeleton.json"] {
        let shown = read(&place, name).to_lowercase();
        for digest in lines.clone().chain(ended.clone()).chain([&*session]).map(digest) {
            assert!(!shown.contains(&digest), "{name}");
        }
        assert!(!shown.contains("paint the **door** green"), "{name}");
    }
}

#[test]
fn what_a_redactor_finds_is_withheld_and_said() {
    let place = place();
    let token = ["ghp_", "4nGd8sKq2LwZrT6vYbX1cMhJ9fPa3eRu5iWo"].concat();
    let session = std::fs::read_to_string(place.session()).unwrap();
    let session = session.replacen("Paint the **door**", &format!("Use {token} for it"), 1);
    put(&place.path().join("mine/session.jsonl"), &session);
    good(&place.run(&["sign", "mine/session.jsonl", "-o", "own.json"]));
    assert!(read(&place, "own.json").contains(&token));
    let made = place.run(&["redact", "--signed", "own.json", "-o", "own-shown.json"]);
    good(&made);
    assert!(made.err.contains("more"), "{}", made.err);
    assert!(!read(&place, "own-shown.json").contains(&token));
    let verified = place.run(&["verify", "own-shown.json"]);
    good(&verified);
    assert!(line(&verified, "redactions").contains("1/content"), "{}", verified.out);
    // To standard output, and as a report.
    let printed = place.run(&["redact", "--signed", "own.json", "-o", "-"]);
    assert_eq!(printed.out, read(&place, "own-shown.json"), "the same bytes again");
    let told = place.run(&["redact", "--signed", "own.json", "-o", "b.json", "--json"]);
    assert!(told.out.contains("verbatim-present-1"), "{}", told.out);
}

#[test]
fn what_can_not_be_presented_says_why() {
    let place = place();
    let refused = |args: &[&str], why: &str| {
        let ran = place.run(&[&["redact", "-o", "out.json", "--signed"], args].concat());
        assert!(ran.code != 0 && ran.err.contains(why), "{why}: {}", ran.err);
        assert!(!place.path().join("out.json").exists());
    };
    refused(&["record.json", "--withhold", "900"], "no entry 900");
    refused(&["record.json", "--withhold", "1/timestamp"], "can't be withheld alone");
    refused(&["record.json", "--withhold", "0"], "a part is an entry");
    // A record that was signed before there were skeletons.
    for name in ["record.json", "record.json.cose"] {
        std::fs::copy(place.path().join(name), place.path().join(name.replace("record", "old")))
            .unwrap();
    }
    refused(&["old.json"], "no signed skeleton");
    good(&place.run(&["sign", "old.json", "--force"]));
    good(&place.run(&["redact", "-o", "now.json", "--signed", "old.json"]));
    // The secret is for its owner alone, and belongs to one record.
    let secret = place.path().join("record.json.secret");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(secret.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
        refused(&["record.json"], "others can read");
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let record = read(&place, "record.json").replacen("door", "wall", 1);
    std::fs::write(place.path().join("record.json"), record).unwrap();
    refused(&["record.json"], "another record");
    std::fs::remove_file(secret).unwrap();
    refused(&["record.json"], "no secret");
}

#[test]
fn a_turn_is_proven_without_the_rest() {
    let place = place();
    let made = place.run(&["receipt", "record.json", "--turn", "1", "--signed", "-o", "turn.json"]);
    good(&made);
    let receipt = read(&place, "turn.json");
    assert!(receipt.contains("inclusion_proof") && !receipt.contains("door"));
    let checked = place.run(&["receipt", "--check", "turn.json", "record.json"]);
    good(&checked);
    assert!(line(&checked, "proof").contains("shown"), "{}", checked.out);
    // Another entry is said to be of the turn; another session; a hash that is another.
    let number = receipt.find("\"of_turn\": true").unwrap();
    let hash = receipt[number..].find("\"nodes\": [").unwrap() + number + 30;
    let mut other = receipt.clone().into_bytes();
    other[hash] = if other[hash] == b'a' { b'b' } else { b'a' };
    let changes = [
        receipt.replacen("\"of_turn\": true", "\"of_turn\": false", 1),
        receipt.replacen(&format!("vac:{ID}"), "vac:another", 1),
        String::from_utf8(other).unwrap(),
    ];
    for changed in changes {
        assert_ne!(changed, receipt);
        std::fs::write(place.path().join("changed.json"), changed).unwrap();
        let failed = place.run(&["receipt", "--check", "changed.json"]);
        assert_eq!(failed.code, 1, "{}", failed.out);
        assert!(line(&failed, "proof").contains("FAILED"), "{}", failed.out);
    }
    let other = Place::new();
    std::fs::copy(place.path().join("turn.json"), other.path().join("turn.json")).unwrap();
    let unknown = other.run(&["receipt", "--check", "turn.json"]);
    good(&unknown);
    assert!(line(&unknown, "proof").contains("not shown"), "{}", unknown.out);
}

fn log_file(place: &Place) -> std::path::PathBuf {
    let mut found = Vec::new();
    let mut open = vec![place.path().join("home")];
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.ends_with("log/entries") => found.push(path),
                false => {}
            }
        }
    }
    found.pop().unwrap()
}

#[test]
fn a_log_is_not_rolled_back_unseen() {
    let place = place();
    assert_eq!(place.run(&["log", "head"]).code, 3, "there is none yet");
    good(&place.run(&["log", "append", "record.json", "record.json.cose"]));
    let head = place.run(&["log", "head", "--key", "work"]);
    good(&head);
    let head = head.out.lines().last().unwrap().to_owned();
    let file = log_file(&place);
    let before = std::fs::read(&file).unwrap();
    put(&place.path().join("b.txt"), "b");
    good(&place.run(&["log", "append", "b.txt"]));
    let checked = place.run(&["log", "check", &head]);
    good(&checked);
    assert!(line(&checked, "log").contains("the first of 4"), "{}", checked.out);
    let now = std::fs::read(&file).unwrap();
    let later = place.run(&["log", "head"]).out;
    std::fs::write(place.path().join("head.txt"), &later).unwrap();
    // The proof of growth is read where the log is not.
    good(&place.run(&["log", "check", &head, "-o", "grown.cose"]));
    std::fs::rename(&file, file.with_extension("away")).unwrap();
    let grown = place.run(&["log", "check", &head, "--grown", "grown.cose"]);
    good(&grown);
    assert!(line(&grown, "log").contains("begins with the 3 entries"), "{}", grown.out);
    let other = place.run(&["log", "check", "head.txt", "--grown", "grown.cose"]);
    assert!(other.code == 4 && line(&other, "log").contains("not shown"), "{}", other.out);
    let record = place.run(&["log", "check", &head, "--grown", "head.txt"]);
    assert_eq!(record.code, 3, "{}", record.err);
    std::fs::rename(file.with_extension("away"), &file).unwrap();
    // Shorter; as long, and with another entry; another log.
    let mut forked = now.clone();
    let digit = forked[before.len()];
    forked[before.len()] = if digit == b'0' { b'1' } else { b'0' };
    for (bytes, word) in [(&before, "ROLLBACK"), (&forked, "FORK")] {
        std::fs::write(&file, bytes).unwrap();
        let failed = place.run(&["log", "check", "head.txt"]);
        assert_eq!(failed.code, 1, "{}", failed.out);
        assert!(line(&failed, "log").contains(word), "{}", failed.out);
    }
    good(&place.run(&["log", "check", &head]));
    std::fs::remove_file(&file).unwrap();
    good(&place.run(&["log", "append", "b.txt"]));
    let failed = place.run(&["log", "check", &head]);
    assert!(failed.code == 1 && failed.out.contains("OTHER LOG"), "{}", failed.out);
    // A head that nobody signed so.
    std::fs::write(&file, &now).unwrap();
    let changed = head.replacen(" 3 ", " 2 ", 1);
    let failed = place.run(&["log", "check", &changed]);
    assert!(failed.code == 1 && failed.err.contains("is not good"), "{}{}", failed.out, failed.err);
}

#[test]
fn a_file_is_proven_to_be_in_the_log() {
    let place = place();
    good(&place.run(&["log", "append", "record.json"]));
    let proven = place.run(&["log", "prove", "record.json", "--tlog-proof", "p.txt"]);
    good(&proven);
    assert!(read(&place, "p.txt").starts_with("c2sp.org/tlog-proof@v1\nindex 1\n"));
    let verified = place.run(&["verify", "record.json"]);
    good(&verified);
    assert!(line(&verified, "log").contains("signed that its log has it"), "{}", verified.out);
    assert_eq!(place.run(&["log", "prove", "record.json.cose"]).code, 3);
    // The proof in the form of C2SP is read as well, and shows nothing once it is changed.
    let c2sp = read(&place, "p.txt");
    std::fs::write(place.path().join("record.json.receipt"), &c2sp).unwrap();
    let verified = place.run(&["verify", "record.json"]);
    assert!(line(&verified, "log").contains("signed that its log has it"), "{}", verified.out);
    let changed = c2sp.replacen("index 1", "index 0", 1);
    std::fs::write(place.path().join("record.json.receipt"), changed).unwrap();
    let verified = place.run(&["verify", "record.json"]);
    assert!(!line(&verified, "log").contains("signed that"), "{}", verified.out);
    // A receipt of another file shows nothing of this one.
    std::fs::copy(
        place.path().join("record.json.receipt"),
        place.path().join("record.json.skeleton.json.receipt"),
    )
    .unwrap();
    let other = place.run(&["verify", "record.json.skeleton.json"]);
    assert!(!line(&other, "log").contains("signed that"), "{}", other.out);
    assert!(Path::new(&place.path().join("record.json.receipt")).is_file());
}

#[test]
fn what_sync_keeps_is_in_the_log() {
    let place = place();
    good(&place.run(&["sync"]));
    let entries = std::fs::read_to_string(log_file(&place)).unwrap();
    assert_eq!(entries.lines().count(), 2, "{entries}");
    assert!(entries.contains(" sync "), "{entries}");
    good(&place.run(&["sync"]));
    let again = std::fs::read_to_string(log_file(&place)).unwrap();
    assert_eq!(again, entries, "nothing new was kept");
    // A run that the log does not have is added by the next one, although nothing new is kept.
    let first = entries.lines().next().unwrap();
    std::fs::write(log_file(&place), format!("{first}\n")).unwrap();
    good(&place.run(&["sync"]));
    let again = std::fs::read_to_string(log_file(&place)).unwrap();
    assert_eq!(again.lines().count(), 2, "{again}");
    assert!(again.contains(" sync "), "{again}");
}
