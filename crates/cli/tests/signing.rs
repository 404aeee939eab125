//! Keys, signing and verifying through the command: what each class of result says, and its exit
//! code; what is refused; that nothing unsigned is a fact.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{ID, Place, Ran, put};
use serde_json::Value;

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

/// The verdict of each line, by `verify --json`, and the exit code.
fn verdicts(place: &Place, args: &[&str]) -> (i32, Value) {
    let ran = place.run(&[&["verify", "--json"], args].concat());
    let read: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    (ran.code, read["files"][0].clone())
}

fn verdict(report: &Value, what: &str) -> String {
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["what"] == what);
    check.map_or("", |check| check["verdict"].as_str().unwrap()).to_owned()
}

fn signed(place: &Place) -> PathBuf {
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    place.path().join("record.json")
}

#[test]
fn a_session_is_signed_and_verified() {
    let place = place();
    let record = signed(&place);
    let made = place.run(&["convert", ID, "--to", "vac"]);
    assert_eq!(made.out.as_bytes(), std::fs::read(&record).unwrap(), "the record as `convert`");
    let (code, report) = verdicts(&place, &["record.json"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(report["result"], "signed");
    for what in ["envelope", "bytes", "form", "schema", "key", "issuer", "subject"] {
        assert_eq!(verdict(&report, what), "shown", "{what}: {report:#}");
    }
    for what in ["time", "log", "witnesses", "completeness", "redactions", "ids"] {
        assert_eq!(verdict(&report, what), "not shown", "{what}");
    }
    assert_eq!(report["claims"]["issuer"], "https://example.org/ana");
    assert_eq!(report["claims"]["subject"], format!("urn:vac:session:{ID}"));
    // The signature's own name means the same; several files are one result.
    let other = verdicts(&place, &["record.json.cose"]);
    assert_eq!(other, (0, report));
    good(&place.run(&["verify", "record.json", "record.json.cose"]));
}

/// The envelopes meet the schema of signed records, and the draft's own text.
#[test]
fn envelopes_meet_both_schemas() {
    let place = place();
    signed(&place);
    good(&place.run(&["sign", ID, "--as-draft", "-o", "draft.json"]));
    for name in ["record.json.cose", "draft.json.cose"] {
        let judged = place.run(&["validate", name]);
        good(&judged);
        assert!(judged.out.contains("and not its signature"), "{}", judged.out);
        good(&place.run(&["validate", "--draft", name]));
    }
    // The judge can fail: a subject that is a number, in the signed header.
    let path = place.path().join("record.json.cose");
    let envelope = std::fs::read(&path).unwrap();
    let urn = b"urn:vac:session:";
    let head = [0x78, u8::try_from(urn.len() + ID.len()).unwrap()];
    let urn = [&head, &urn[..]].concat();
    let at = envelope.windows(urn.len()).position(|bytes| bytes == urn).unwrap();
    let mut broken = envelope;
    broken[at] = 0x58; // the same bytes, as no text
    std::fs::write(&path, broken).unwrap();
    assert_eq!(place.run(&["validate", "record.json.cose"]).code, 1);
}

#[test]
fn each_changed_byte_is_found() {
    let place = place();
    let record = signed(&place);
    let whole = std::fs::read(&record).unwrap();
    let envelope = std::fs::read(place.path().join("record.json.cose")).unwrap();
    for at in [0, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&record, bytes).unwrap();
        let (code, report) = verdicts(&place, &["record.json"]);
        assert_eq!((code, verdict(&report, "bytes").as_str()), (1, "FAILED"), "byte {at}");
        assert_eq!(report["claims"], Value::Null, "nothing is told of the signer");
    }
    std::fs::write(&record, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(verdicts(&place, &["record.json"]).0, 1);
    std::fs::write(&record, &whole).unwrap();
    for at in (0..envelope.len()).step_by(3) {
        let mut bytes = envelope.clone();
        bytes[at] ^= 4;
        std::fs::write(place.path().join("record.json.cose"), bytes).unwrap();
        let (code, report) = verdicts(&place, &["record.json"]);
        assert!([1, 4].contains(&code), "byte {at}: {report:#}");
        assert_ne!(verdict(&report, "bytes"), "shown");
    }
}

#[test]
fn somebody_else_knows_the_key_or_does_not() {
    let place = place();
    signed(&place);
    let key = place.run(&["key", "show", "work"]);
    good(&key);
    let other = Place::new();
    for name in ["record.json", "record.json.cose"] {
        std::fs::copy(place.path().join(name), other.path().join(name)).unwrap();
    }
    put(&other.path().join("ana.pem"), &key.out);
    let (code, report) = verdicts(&other, &["record.json"]);
    assert_eq!((code, verdict(&report, "bytes").as_str()), (4, "not shown"));
    assert_eq!((&report["claims"], &report["result"]), (&Value::Null, &"unknown".into()));
    // A named key: the bytes are shown, but nothing says whose it is.
    let (code, report) = verdicts(&other, &["record.json", "--key", "ana.pem"]);
    assert_eq!((code, verdict(&report, "issuer").as_str()), (0, "not shown"));
    good(&other.run(&["key", "trust", "ana.pem", "--name", "ana"]));
    let (code, report) = verdicts(&other, &["record.json"]);
    assert_eq!((code, verdict(&report, "issuer").as_str()), (0, "not shown"));
    good(&other.run(&["key", "distrust", "ana"]));
    assert_eq!(verdicts(&other, &["record.json"]).0, 4);
    // As another issuer's key, the envelope says what is not so.
    let trust = ["key", "trust", "ana.pem", "--name", "ana", "--issuer"];
    good(&other.run(&[&trust[..], &["https://example.org/eve"]].concat()));
    let (code, report) = verdicts(&other, &["record.json"]);
    assert_eq!((code, verdict(&report, "issuer").as_str()), (1, "FAILED"));
    good(&other.run(&["key", "distrust", "ana"]));
    good(&other.run(&[&trust[..], &["https://example.org/ana"]].concat()));
    let (code, report) = verdicts(&other, &["record.json"]);
    assert_eq!((code, verdict(&report, "issuer").as_str()), (0, "shown"));
    // A key that is named and did not sign is a failure, not an unknown signer.
    good(&other.run(&["key", "new", "mine"]));
    put(&other.path().join("mine.pem"), &other.run(&["key", "show", "mine"]).out);
    let (code, report) = verdicts(&other, &["record.json", "--key", "mine.pem"]);
    assert_eq!((code, verdict(&report, "bytes").as_str()), (1, "FAILED"));
}

#[test]
#[cfg(unix)]
fn keys_are_private_and_never_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let secret = settings(&place).join("keys/work.pem");
    assert_eq!((mode(&secret), mode(&settings(&place))), (0o600, 0o700));
    let before = std::fs::read(&secret).unwrap();
    let again = place.run(&["key", "new", "work"]);
    assert_eq!(again.code, 3, "{}", again.out);
    assert_eq!(std::fs::read(&secret).unwrap(), before);
    for (bad, word) in [(0o640, "others"), (0o604, "others"), (0o620, "others")] {
        set(&secret, bad);
        let ran = place.run(&["sign", ID, "-o", "never.json"]);
        assert_eq!(ran.code, 3);
        assert!(ran.err.contains(word) && ran.err.contains("chmod 600"), "{}", ran.err);
        assert!(!place.path().join("never.json").exists());
    }
    set(&secret, 0o600);
    signed(&place);
    // What anybody can write is nothing to trust.
    put(&place.path().join("key.pem"), &place.run(&["key", "show", "work"]).out);
    good(&place.run(&["key", "trust", "key.pem", "--name", "me"]));
    set(&settings(&place).join("trust"), 0o666);
    let ran = place.run(&["verify", "record.json"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("others can write"), "{}", ran.err);
}

#[test]
fn names_and_lines_that_are_refused() {
    let place = place();
    for name in ["../x", "a b", "", ".x", "-x", "x/y", "\u{1b}[2J"] {
        assert_ne!(place.run(&["key", "new", "--", name]).code, 0, "{name:?}");
    }
    for issuer in ["", "no uri", "https://a b", "ana", "https://a\nb"] {
        let ran = place.run(&["key", "new", "x", "--issuer", issuer]);
        assert_eq!(ran.code, 3, "{issuer:?}");
    }
    assert_eq!(std::fs::read_dir(settings(&place).join("keys")).unwrap().count(), 2);
    put(&settings(&place).join("trust"), "ed25519 AAAA https://a x\n");
    let ran = place.run(&["key", "list"]);
    assert!(ran.code == 3 && ran.err.contains("line 1"), "{}", ran.err);
    std::fs::remove_file(settings(&place).join("trust")).unwrap();
    put(&place.path().join("no.pem"), "no key\n");
    assert_eq!(place.run(&["key", "trust", "no.pem", "--name", "x"]).code, 3);
    let twice = place.run(&["key", "show", "work"]).out;
    put(&place.path().join("a.pem"), &twice);
    good(&place.run(&["key", "trust", "a.pem", "--name", "one"]));
    assert_eq!(place.run(&["key", "trust", "a.pem", "--name", "two"]).code, 3);
    assert_eq!(place.run(&["key", "distrust", "two"]).code, 3);
    good(&place.run(&["key", "distrust", "one"]));
}

#[test]
fn what_can_be_signed() {
    let place = place();
    signed(&place);
    // A receipt, and several of one session.
    for (turn, name) in [("1", "receipt.json"), ("all", "receipts.json")] {
        let receipt = place.run(&["receipt", ID, "--turn", turn, "--unfinished"]);
        good(&receipt);
        put(&place.path().join(name), &receipt.out);
        good(&place.run(&["sign", name]));
        let (code, report) = verdicts(&place, &[name]);
        assert_eq!((code, verdict(&report, "subject").as_str()), (0, "shown"), "{report:#}");
        // It is the one of the record.
        assert_eq!(report["claims"]["subject"], format!("urn:vac:session:{ID}"));
        assert_eq!(verdict(&report, "schema"), "shown");
        assert_eq!(std::fs::read_to_string(place.path().join(name)).unwrap(), receipt.out);
    }
    // A record in CBOR, and by P-256.
    good(&place.run(&["key", "new", "curve", "--p256"]));
    assert_eq!(place.run(&["sign", ID, "-o", "no.json"]).code, 3, "there are two keys");
    good(&place.run(&["convert", ID, "--to", "vac", "-o", "record.cbor"]));
    good(&place.run(&["sign", "record.cbor", "--key", "curve"]));
    let (code, report) = verdicts(&place, &["record.cbor"]);
    assert_eq!((code, &report["claims"]["algorithm"]), (0, &"ES256".into()), "{report:#}");
    assert_eq!(verdict(&report, "subject"), "shown", "{report:#}");
    assert_eq!(report["claims"]["content_type"], "application/cbor");
    // Nothing is replaced without `--force`, and an agent's file never.
    let again = place.run(&["sign", "record.cbor", "--key", "curve"]);
    assert_eq!(again.code, 2, "{}", again.err);
    good(&place.run(&["sign", "record.cbor", "--key", "curve", "--force"]));
    let session = place.session();
    let session = session.to_str().unwrap();
    let ran = place.run(&["sign", ID, "--key", "work", "--force", "-o", session]);
    assert_ne!(ran.code, 0);
    // What is no session, record or receipt is not signed.
    put(&place.path().join("other.txt"), "anything\n");
    assert_ne!(place.run(&["sign", "other.txt", "--key", "work"]).code, 0);
    assert!(!place.path().join("other.txt.cose").exists());
}

#[test]
fn a_missing_signature_is_no_verdict() {
    let place = place();
    put(&place.path().join("plain.json"), "{}");
    let ran = place.run(&["verify", "plain.json"]);
    assert!(ran.code == 3 && ran.err.contains("no signature"), "{}", ran.err);
    assert_eq!(place.run(&["verify", "nowhere.json"]).code, 3);
    signed(&place);
    // An unreadable file does not hide the others, and a failure comes first.
    let ran = place.run(&["verify", "record.json", "nowhere.json"]);
    assert!(ran.code == 3 && ran.out.contains("record.json"), "{}", ran.err);
    std::fs::remove_file(place.path().join("record.json")).unwrap();
    let (code, report) = verdicts(&place, &["record.json.cose"]);
    assert_eq!((code, verdict(&report, "bytes").as_str()), (4, "not shown"));
    assert_eq!(report["claims"], Value::Null);
}

#[test]
fn the_drafts_form() {
    let place = place();
    good(&place.run(&["sign", ID, "--as-draft", "-o", "draft.json"]));
    let (code, report) = verdicts(&place, &["draft.json"]);
    assert_eq!((code, verdict(&report, "form").as_str()), (0, "shown"), "{report:#}");
    // The same values in another layout: signed as the draft does, not as they are.
    let text = std::fs::read_to_string(place.path().join("draft.json")).unwrap();
    let read: Value = serde_json::from_str(&text).unwrap();
    put(&place.path().join("draft.json"), &serde_json::to_string_pretty(&read).unwrap());
    assert_eq!(verdicts(&place, &["draft.json"]).0, 1);
    let (code, report) = verdicts(&place, &["--as-draft", "draft.json"]);
    assert_eq!((code, verdict(&report, "form").as_str()), (0, "not shown"), "{report:#}");
    // A name that is there twice has no canonical form.
    let twice = text.replacen('{', "{\"id\":\"evil\",", 1);
    put(&place.path().join("draft.json"), &twice);
    let (code, report) = verdicts(&place, &["--as-draft", "draft.json"]);
    assert_eq!((code, verdict(&report, "bytes").as_str()), (1, "FAILED"), "{report:#}");
    // A stored record that the form would change is not signed in its place.
    good(&place.run(&["convert", ID, "--to", "vac", "--pretty", "-o", "pretty.json"]));
    let ran = place.run(&["sign", "pretty.json", "--as-draft"]);
    assert!(ran.code == 3 && ran.err.contains("-o FILE"), "{}", ran.err);
    good(&place.run(&["sign", "pretty.json", "--as-draft", "-o", "canonical.json"]));
    good(&place.run(&["verify", "canonical.json"]));
}

#[test]
fn the_drafts_form_names_the_value_that_it_would_change() {
    let place = place();
    let session = std::fs::read_to_string(place.session()).unwrap();
    let odd = session.replacen("\"input_tokens\":10", "\"input_tokens\":9007199254740993", 1);
    put(&place.session(), &odd);
    let ran = place.run(&["sign", ID, "--as-draft", "-o", "draft.json"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("9007199254740993"), "{}", ran.err);
    assert!(!place.path().join("draft.json").exists());
    good(&place.run(&["sign", ID, "-o", "record.json"]));
    good(&place.run(&["verify", "record.json"]));
}

/// Texts of envelopes and of keys never act on a terminal, and nothing unsigned is a fact.
#[test]
fn hostile_metadata_is_not_told() {
    let place = place();
    signed(&place);
    let path = place.path().join("record.json.cose");
    let envelope = std::fs::read(&path).unwrap();
    // 18([protected, {}, nil, signature]): a label of text with a forged verdict in it.
    let forged = b"\xa1\x78\x1f\x1b[2Jbytes shown by a great log!";
    assert_eq!(forged.len(), 3 + 0x1f);
    let empty = envelope.windows(2).position(|pair| pair == [0xa0, 0xf6]).unwrap();
    let value = b"\x65shown";
    let mut changed = envelope[..empty].to_vec();
    changed.extend_from_slice(forged);
    changed.extend_from_slice(value);
    changed.extend_from_slice(&envelope[empty + 1..]);
    std::fs::write(&path, changed).unwrap();
    let (code, report) = verdicts(&place, &["record.json"]);
    assert_eq!((code, verdict(&report, "metadata").as_str()), (0, "not shown"), "{report:#}");
    let ran = place.run(&["verify", "record.json"]);
    assert!(!ran.out.contains("great log") && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

/// A file that is made of a signed record has other bytes, and a note says so; a copy keeps the
/// signature.
#[test]
fn what_becomes_of_a_signature() {
    let place = place();
    signed(&place);
    let convert = ["convert", "record.json", "--to"];
    let ran = place.run(&[&convert[..], &["stead", "-o", "other.json"]].concat());
    assert!(
        ran.code == 0 && ran.err.contains("not verified here, and what is written has none"),
        "{}",
        ran.err
    );
    let ran = place.run(&[&convert[..], &["vac", "-o", "copy.json"]].concat());
    assert!(ran.code == 0 && ran.err.contains("is of its copy too"), "{}", ran.err);
    assert!(ran.err.contains("not verified here"), "{}", ran.err);
    std::fs::copy(place.path().join("record.json.cose"), place.path().join("copy.json.cose"))
        .unwrap();
    good(&place.run(&["verify", "copy.json"]));
    for args in
        [["export", "record.json", "-o", "page.html"], ["redact", "record.json", "-o", "redacted/"]]
    {
        let ran = place.run(&args);
        assert!(ran.code == 0 && ran.err.contains("what is written has none"), "{}", ran.err);
    }
    for name in ["other.json", "page.html"] {
        assert!(!place.path().join(format!("{name}.cose")).exists());
    }
    let ran = place.run(&["convert", ID, "--to", "stead", "-o", "plain.json"]);
    assert!(!ran.err.contains("signature"), "{}", ran.err);
    // A folder with signatures has the same sessions.
    let list: Value = serde_json::from_str(&place.run(&["list", "--json", "."]).out).unwrap();
    let files = list["sessions"].to_string();
    assert!(!files.contains(".cose"), "{files}");
}
