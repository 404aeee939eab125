//! Credentials: they are shown and written only on explicit request.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, put};

const SESSION: &str = "ses_f3baf9384ffeQm3kT9xWc2LpZa";
const WORD: &str = "0a1b2c3d-share-word";
const TOKEN: &str = "anna:tok_4nn4";

/// A folder with a shared session, and one whose repository has a password in its address.
fn place() -> Place {
    let place = Place::new();
    let share = format!(r#"{{"secret":"{WORD}","url":"https://share.test/s/{WORD}"}}"#);
    let time = r#""time":{"created":1790000000000,"updated":1790000000000}"#;
    let about = format!(
        r#"{{"id":"{SESSION}","version":"1.1.0","projectID":"p","directory":"/w","title":"t","#
    );
    let info = format!("{about}{time},\"share\":{share}}}");
    put(&place.path().join(format!("in/storage/session/p/{SESSION}.json")), &info);
    let meta = format!(
        "{{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"type\":\"session_meta\",\"payload\":\
         {{\"id\":\"019e51c0-7a10-7bb2-9c41-3d0e5f2a6b11\",\"cwd\":\"/w\",\"git\":\
         {{\"repository_url\":\"https://{TOKEN}@git.test/a.git\"}}}}}}\n"
    );
    put(&place.path().join("codex.jsonl"), &meta);
    place
}

#[test]
fn secrets_are_withheld_and_named_unless_they_are_asked_for() {
    let place = place();
    let share = format!("in/storage/session/p/{SESSION}.json");
    for (file, secret, path) in [(&*share, WORD, "share/secret"), ("codex.jsonl", TOKEN, "url")] {
        for to in [&["vac"][..], &["stead"], &["vac", "--pretty"]] {
            let ran = place.run(&[&["convert", file, "--to"], to].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(!ran.out.contains(secret), "{file} {to:?}");
            assert!(!ran.err.contains(secret) && ran.err.contains(path), "{}", ran.err);
            assert!(ran.err.contains("withheld"), "{}", ran.err);
            let ran = place.run(&[&["convert", file, "--with-secrets", "--to"], to].concat());
            assert!(ran.out.contains(secret), "{file} {to:?}");
        }
        for how in [&["--raw"][..], &["--json"], &["--all"], &[]] {
            let ran = place.run(&[&["show", file], how].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{file} {how:?}");
        }
        for how in ["--raw", "--json"] {
            let ran = place.run(&["show", file, how]);
            assert!(ran.err.contains("withheld") && ran.err.contains(path), "{}", ran.err);
            let ran = place.run(&["show", file, how, "--with-secrets"]);
            assert!(ran.out.contains(secret), "{file} {how}");
        }
        for command in ["check", "validate", "list", "usage", "attribution"] {
            for how in [&[][..], &["--json"]] {
                let ran = place.run(&[&[command, file], how].concat());
                assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{command} {file}");
            }
        }
    }
}

/// The password in an address is withheld, however the address is spelled.
#[test]
fn an_address_that_is_written_otherwise_is_withheld_whole() {
    for address in [
        format!(r"https:\/\/{TOKEN}@git.test\/a.git"),
        format!(r"https\u003a//{TOKEN}@git.test/a.git"),
        format!("https://git.test/a.git?access_token={TOKEN}"),
        format!("{TOKEN}@git.test:a.git"),
    ] {
        let place = place();
        let file = place.path().join("codex.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        let plain = format!("https://{TOKEN}@git.test/a.git");
        put(&file, &text.replace(&plain, &address));
        for how in [
            &["convert", "codex.jsonl", "--to", "vac"][..],
            &["convert", "codex.jsonl", "--to", "stead"],
            &["show", "codex.jsonl", "--all"],
            &["show", "codex.jsonl", "--raw"],
            &["show", "codex.jsonl", "--json"],
        ] {
            let ran = place.run(how);
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(!ran.out.contains("tok_4nn4"), "{address} {how:?}");
        }
    }
}

/// The ledger names each withheld value, and the command warns about stored bytes.
#[test]
fn the_ledger_and_the_stored_bytes_say_what_is_in_them() {
    let place = place();
    let ran = place.run(&["convert", "codex.jsonl", "--to", "vac", "--json", "-o", "a.json"]);
    assert!(ran.out.contains("\"withheld\""), "{}", ran.out);
    let ran = place.run(&["convert", "codex.jsonl", "--to", "vac", "--embed"]);
    assert!(ran.err.contains("the stored bytes contain 1 credential"), "{}", ran.err);
    assert!(!ran.out.contains(TOKEN));
    let ran = place.run(&["convert", "codex.jsonl", "--to", "codex"]);
    assert!(ran.out.contains(TOKEN) && ran.err.contains("the stored bytes contain"), "{}", ran.err);
    // A record that was written with secrets hides them in `show`, as its session does.
    place.run(&["convert", "codex.jsonl", "--to", "vac", "--with-secrets", "-o", "b.vac.json"]);
    let ran = place.run(&["show", "b.vac.json", "--raw"]);
    assert!(!ran.out.contains(TOKEN), "{}", ran.out);
}

/// Secrets in a damaged record, in a name that is written with escapes, and in the headers of a
/// failed request.
#[test]
fn secrets_are_withheld_however_they_are_stored() {
    let place = place();
    let info = place.path().join(format!("in/storage/session/p/{SESSION}.json"));
    let sound = std::fs::read_to_string(&info).unwrap();
    let file = format!("in/storage/session/p/{SESSION}.json");
    let headers = format!(
        "\"metadata\":{{\"responseHeaders\":{{\"Set-Cookie\":[\"sid={WORD}\"],\
         \"x-api-key\":\"{WORD}\",\"date\":\"Mon\"}}}},\"share\""
    );
    for text in [
        sound.strip_suffix("}").unwrap().to_owned(),
        sound.replace("\"secret\"", "\"\\u0073ecret\"").replace(&format!("/{WORD}"), ""),
        sound.replace("\"share\"", &headers),
    ] {
        std::fs::write(&info, &text).unwrap();
        for how in [
            &["convert", &*file, "--to", "vac"][..],
            &["convert", &file, "--to", "stead"],
            &["show", &file, "--raw"],
            &["show", &file, "--json"],
            &["show", &file, "--all"],
            &["validate", &file],
            &["check", &file, "--json"],
        ] {
            let ran = place.run(how);
            assert!(!ran.out.contains(WORD), "{text}\n{how:?}: {}", ran.out);
            assert!(!ran.err.contains(WORD), "{text}\n{how:?}: {}", ran.err);
        }
        let raw = place.run(&["show", &file, "--raw", "--with-secrets"]);
        assert!(raw.out.contains(WORD) || raw.code != 0, "{}", raw.err);
    }
}

/// The message about a schema violation does not quote the violating text.
#[test]
fn a_text_that_breaks_the_schema_is_not_quoted() {
    let place = place();
    let ran = place.run(&["convert", "codex.jsonl", "--to", "vac", "-o", "a.vac.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(place.path().join("a.vac.json")).unwrap();
    let at = text.find("\"entries\":").unwrap();
    let broken = format!("{}\"entries\":\"{TOKEN}\",\"x\":{}", &text[..at], &text[at + 10..]);
    put(&place.path().join("a.vac.json"), &broken);
    let ran = place.run(&["validate", "a.vac.json"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(!ran.out.contains("tok_4nn4") && !ran.err.contains("tok_4nn4"), "{}", ran.out);
}
