//! Presentations of invented records: any part withheld, any byte changed.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use samples::Dice;
use sha2::{Digest as _, Sha256};
use sign::hex;

use super::*;
use crate::attest::presented::judged;

/// A record of some entries, each with a text that nothing else has.
fn record(entries: u64) -> SignedRecord {
    let entry = |number: u64| {
        let more = "x".repeat(number as usize);
        let text = format!("only entry {number} says \\u00e9\\n {more}");
        let content = format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]");
        let children = format!("[{{\"type\":\"tool-result\",\"output\":\"{text}\"}}]");
        format!(
            "{{\"type\":\"user\",\"id\":\"e{number}\",\"content\":{content},\
             \"children\":{children},\"n\":1e2}}"
        )
    };
    let entries: Vec<String> = (1..=entries).map(entry).collect();
    let agent = r#"{"model-id":"m","model-provider":"p","cli-name":"c"}"#;
    let place = r#"{"working-dir":"/secret"}"#;
    let session = format!(
        "{{\"session-id\":\"s\",\"agent-meta\":{agent},\"environment\":{place},\"entries\":[{}]}}",
        entries.join(",")
    );
    let rest = r#""vcs":{"type":"git"},"verbatim":{"source":"digests"}"#;
    let text = format!("{{\"version\":\"3\",\"id\":\"r\",\"session\":{session},{rest}}}");
    let secret = RecordSecret::new([3; 32]);
    let places = RecordPlaces::read(&text).unwrap();
    let (parts, tree) = skeleton::tree_of(&places, &text, &secret).unwrap();
    let skeleton = Skeleton::of(&parts, &tree).unwrap();
    SignedRecord { text, places, skeleton, envelope: vec![0xd2, 0x84], secret, tree }
}

fn presented(record: &SignedRecord, withheld: &Withheld) -> String {
    let withheld = record.with_twins(withheld).unwrap();
    let (visible, proof) = record.composed(&withheld);
    proof.with(&visible)
}

/// Whether a presentation is one of this record, by its proof alone.
fn holds(text: &str, record: &SignedRecord) -> bool {
    let Some(Ok(proof)) = PresentationProof::in_text(text) else { return false };
    proof.skeleton == record.skeleton.text
        && proof.envelope().as_deref() == Ok(&record.envelope)
        && judged(text, &proof).is_ok()
}

#[test]
fn any_subset_leads_to_the_same_root_and_hides_what_it_withholds() {
    let mut dice = Dice::seeded(58);
    for round in 0..60_u64 {
        let entries = 1 + round % 23;
        let record = record(entries);
        let mut withheld = Withheld::default();
        for number in 1..=entries {
            match dice.roll(4) {
                0 => {
                    withheld.entries.insert(number);
                }
                1 => {
                    let name = ["content", "children"][dice.roll(2)].to_owned();
                    withheld.fields.entry(number).or_default().insert(name);
                }
                _ => {}
            }
        }
        for path in ["/vcs", "/session/environment", AGENT] {
            if dice.roll(2) == 0 {
                withheld.frame.insert(path.to_owned());
            }
        }
        let text = presented(&record, &withheld);
        assert!(holds(&text, &record), "{withheld:?}\n{text}");
        for number in 1..=entries {
            let hidden =
                withheld.entries.contains(&number) || withheld.fields.contains_key(&number);
            assert_eq!(text.contains(&format!("only entry {number} ")), !hidden, "{number}");
        }
        hides(&text, &record, &withheld);
        assert_eq!(text.contains("/secret"), !withheld.frame.contains("/session/environment"));
        assert_eq!(text, presented(&record, &withheld), "the same bytes again");
    }
}

/// The encodings of some bytes: those within a longer text too, wherever they begin in it.
fn encodings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let each = |form: &dyn Fn(u8) -> String| -> Vec<u8> {
        bytes.iter().flat_map(|byte| form(*byte).into_bytes()).collect()
    };
    let mut found = vec![
        bytes.to_vec(),
        bytes.iter().rev().copied().collect(),
        each(&|byte| format!("{byte:02x}")),
        each(&|byte| format!("{byte:02X}")),
        each(&|byte| format!("%{byte:02X}")),
        each(&|byte| format!("\\u{byte:04x}")),
        each(&|byte| format!("\\x{byte:02x}")),
        each(&|byte| format!("&#{byte};")),
        each(&|byte| format!("{byte},")),
        each(&|byte| format!("{byte:08b}")),
        bytes.iter().flat_map(|byte| [*byte, 0]).collect(),
    ];
    for before in 0..3 {
        // Only whole groups of three bytes are the same whatever is around them.
        let inner = bytes.get((3 - before) % 3..).unwrap_or_default();
        let inner = &inner[..inner.len() / 3 * 3];
        found.extend([STANDARD_NO_PAD, URL_SAFE_NO_PAD].map(|it| it.encode(inner).into_bytes()));
    }
    found
}

/// The digests of a text, without a salt, as they could be written.
fn digests(text: &str) -> [Vec<u8>; 4] {
    let digest = Sha256::digest(text);
    let written = [STANDARD.encode(digest), URL_SAFE_NO_PAD.encode(digest), hex(&digest)];
    let [standard, safe, small] = written.map(String::into_bytes);
    [small.to_ascii_uppercase(), small, standard, safe]
}

/// A presentation has nothing of what it withholds, in any encoding: neither the texts, nor their
/// digests.
fn hides(text: &str, record: &SignedRecord, withheld: &Withheld) {
    let has = |part: &[u8]| memchr::memmem::find(text.as_bytes(), part).is_some();
    let parts = record.parts();
    for (number, entry) in (1..).zip(&parts.entries) {
        let whole = withheld.entries.contains(&number);
        if !whole && !withheld.fields.contains_key(&number) {
            assert!(has(format!("only entry {number} says").as_bytes()), "it can be found");
            continue;
        }
        for form in encodings(format!("only entry {number} says").as_bytes()) {
            assert!(!has(&form), "{number}: {}", String::from_utf8_lossy(&form));
        }
        let cut = CutEntry::of(entry).unwrap();
        let said = strings(entry).filter(|it| it.starts_with("only entry"));
        let values = cut.fields.iter().map(|(_, value)| *value);
        for value in said.chain(values).chain([*entry]).filter(|it| it.contains("only entry")) {
            digests(value).iter().for_each(|digest| assert!(!has(digest), "{number}: {value}"));
        }
    }
    for (path, value) in parts.frame.iter().filter(|(path, _)| withheld.frame.contains(path)) {
        let digests = digests(value);
        assert!(!digests.iter().any(|digest| has(digest)), "{path}: {value}");
    }
}

/// The search finds what it looks for, wherever that begins in a text that is encoded.
#[test]
fn what_is_planted_would_be_found() {
    let word = b"only entry 7 says";
    for before in 0..9 {
        let around = [&b"yyyyyyyyy"[..before], word, b"zz"].concat();
        for text in [STANDARD.encode(&around), URL_SAFE_NO_PAD.encode(&around), hex(&around)] {
            let found = encodings(word)
                .iter()
                .any(|form| memchr::memmem::find(text.as_bytes(), form).is_some());
            assert!(found, "{before}: {text}");
        }
    }
    let record = record(3);
    let mut withheld = Withheld::default();
    withheld.entries.insert(2);
    let text = presented(&record, &withheld);
    hides(&text, &record, &withheld);
    let entry = record.parts().entries[1].to_owned();
    let all = encodings(b"only entry 2 says").into_iter().chain(digests(&entry));
    for form in all.filter_map(|form| String::from_utf8(form).ok()) {
        let leaks = text.replacen("\"type\":", &format!("\"{form}\":1,\"type\":"), 1);
        let seen = std::panic::catch_unwind(|| hides(&leaks, &record, &withheld));
        assert!(seen.is_err(), "{form}");
    }
}

/// No byte of a presentation can be another one.
#[test]
fn any_changed_byte_fails() {
    let record = record(4);
    let mut withheld = Withheld::default();
    withheld.entries.extend([2, 3]);
    withheld.fields.entry(4).or_default().insert("content".into());
    withheld.frame.insert("/session/environment".into());
    let text = presented(&record, &withheld);
    assert!(holds(&text, &record));
    for at in 0..text.len() {
        for other in [b' ', text.as_bytes()[at] ^ 1] {
            let mut changed = text.clone().into_bytes();
            if changed[at] == other {
                continue;
            }
            changed[at] = other;
            let Ok(changed) = String::from_utf8(changed) else { continue };
            assert!(!holds(&changed, &record), "byte {at}: {changed}");
        }
        assert!(!holds(&text[..at], &record));
    }
    assert!(!holds(&format!("{text} "), &record));
}

/// Entries that change places, come twice, or are left out without a word.
#[test]
fn other_entries_fail() {
    let record = record(6);
    let text = presented(&record, &Withheld::default());
    let parts = RecordParts::read(&text).unwrap();
    let (one, other) = (parts.entries[1], parts.entries[3]);
    let swapped = text.replace(one, "ONE").replace(other, one).replace("ONE", other);
    let twice = text.replace(one, &format!("{one},{one}"));
    let without = text.replace(&format!("{one},"), "");
    let more = text.replace("\"vcs\":", "\"more\":1,\"vcs\":");
    let placed = text.replace(
        one,
        "{\"type\":\"system-event\",\"event-type\":\"redacted\",\"data\":{\"first\":2,\"last\":2}}",
    );
    for changed in [swapped, twice, without, more, placed] {
        assert!(changed != text && !holds(&changed, &record));
    }
}

#[test]
fn what_does_not_exist_is_not_withheld() {
    let record = record(2);
    let mut named = Withheld::default();
    named.entries.insert(3);
    assert!(record.with_twins(&named).is_err());
    let mut named = Withheld::default();
    named.fields.entry(1).or_default().insert("id".into());
    assert!(record.with_twins(&named).unwrap_err().to_string().contains("`id`"));
}
