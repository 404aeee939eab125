//! Content that gets no signature, and signatures that a killed run began.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;

use common::{ID, Place, Ran, put};

/// A place with sessions and a key.
fn place() -> Place {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work", "--issuer", "https://example.org/ana"]));
    place
}

fn good(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn settings(place: &Place) -> PathBuf {
    place.path().join("home/.config/verbatim")
}

/// `sign` asks the judgement of `verify`: what that would call wrong gets no signature.
#[test]
fn a_record_that_is_not_valid_is_not_signed() {
    let place = place();
    good(&place.run(&["convert", ID, "--to", "vac", "-o", "record.json"]));
    let record = std::fs::read_to_string(place.path().join("record.json")).unwrap();
    let half = record.len() / 2;
    let at = (half..).find(|at| record.is_char_boundary(*at)).unwrap();
    let id = format!("\"session-id\":\"{ID}\"");
    let plain = record.replace("\": \"", "\":\"");
    assert!(plain.contains(&id), "the samples of this test need the id: {plain}");
    let damaged = [
        ("cut", record[..at].to_owned()),
        ("cut at the end", record.trim_end()[..record.trim_end().len() - 1].to_owned()),
        ("a control character", record.replacen("doors", "do\u{7}rs", 1)),
        ("twice", record.replacen('{', "{\"version\":\"0\",", 1)),
        ("twice, within", plain.replacen(&id, &format!("{id},\"session-id\":\"other\""), 1)),
        ("no id", plain.replacen(&format!("{id},"), "", 1)),
        ("a wrong type", plain.replacen(&id, "\"session-id\":7", 1)),
    ];
    for (what, text) in damaged {
        assert_ne!(text, record, "{what}");
        put(&place.path().join("damaged.json"), &text);
        for more in [&[][..], &["-o", "out.json"]] {
            let ran = place.run(&[&["sign", "damaged.json"][..], more].concat());
            assert_eq!(ran.code, 3, "{what}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("verbatim validate"), "{what}: {}", ran.err);
        }
        for file in ["damaged.json.cose", "out.json", "out.json.cose"] {
            assert!(!place.path().join(file).exists(), "{what}: {file}");
        }
    }
    put(&place.path().join("plain.json"), &plain);
    good(&place.run(&["sign", "plain.json"]));
    good(&place.run(&["verify", "plain.json"]));
}

/// A run that was ended between two files left the first one: the next run completes it.
#[test]
fn what_a_killed_run_began_is_completed() {
    let place = place();
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    let signature = place.path().join("record.json.cose");
    std::fs::remove_file(&signature).unwrap();
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    assert!(signature.exists());
    // Other bytes are not taken for it.
    std::fs::remove_file(&signature).unwrap();
    put(&place.path().join("record.json"), "{}\n");
    assert_ne!(place.run(&["sign", ID, "-o", "record.json"]).code, 0);
    // A key whose public file was never written is the key of its secret file.
    let keys = settings(&place).join("keys");
    let secret = std::fs::read(keys.join("work.pem")).unwrap();
    let public = std::fs::read(keys.join("work.pub")).unwrap();
    std::fs::remove_file(keys.join("work.pub")).unwrap();
    assert_ne!(place.run(&["key", "new", "work", "--p256"]).code, 0, "it is of another type");
    good(&place.run(&["key", "new", "work", "--issuer", "https://example.org/ana"]));
    assert_eq!(std::fs::read(keys.join("work.pem")).unwrap(), secret);
    assert_eq!(std::fs::read(keys.join("work.pub")).unwrap(), public);
    assert_eq!(place.run(&["key", "new", "work"]).code, 3);
}
