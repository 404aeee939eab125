//! Detection of files that are longer than what detection reads of them: each sample keeps its
//! claim when a text in it grows beyond the end of the head.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Root, Source, scan};
use session::{Bundle, Member, Session, Slot};
use verbatim_formats::{ALL, Candidate, Detected, END_BYTES, Format, Role, detect};

/// The texts of a file that grow, one after the other.
const TEXTS: usize = 4;

fn sources() -> Vec<Source> {
    let folder = samples::workspace().join("crates/formats/src");
    scan(ALL, &[Root::named(&folder)]).sources
}

/// Format, group and role of a file with these bytes.
fn detected(path: &str, bytes: &[u8]) -> Option<(&'static str, String, Role)> {
    match detect(ALL, None, &Candidate::of(path, bytes)) {
        Detected::Part { format, group, role } => Some((format.name(), group, role)),
        _ => None,
    }
}

fn read(format: &'static dyn Format, role: &Role, bytes: Vec<u8>) -> Vec<Session> {
    let member = Member::new("a.jsonl", role.stream(), bytes).expect("short");
    format.read(Arc::new(Bundle::of(member)))
}

/// The places behind the opening quotes of the first texts: strings that are content, or within it.
fn texts(sessions: &[Session]) -> Vec<usize> {
    let mut places = BTreeSet::new();
    for event in sessions.iter().flat_map(Session::events) {
        let content = event.fields().iter().filter(|field| field.slot == Slot::Content);
        for field in content {
            let (raw, start) = (event.value(*field), field.value.start as usize);
            let named =
                || raw.windows(8).position(|bytes| bytes == b"\"text\":\"").map(|at| at + 8);
            let quote = if raw.first() == Some(&b'"') { Some(1) } else { named() };
            places.extend(quote.map(|quote| start + quote));
        }
    }
    places.into_iter().filter(|&place| place < END_BYTES).take(TEXTS).collect()
}

#[test]
fn a_file_keeps_its_claim_however_long_a_text_in_its_head_is() {
    let mut grown = BTreeSet::new();
    for source in sources() {
        for file in source.files.iter().filter(|file| file.rows.is_none()) {
            let bytes = std::fs::read(&file.path).expect("a sample");
            let path = file.path.to_string_lossy();
            let Some(claim) = detected(&path, &bytes) else { continue };
            let before = read(source.format, &file.role, bytes.clone());
            for place in texts(&before) {
                if bytes.get(place - 1) != Some(&b'"') {
                    continue;
                }
                let filler = vec![b'x'; END_BYTES + 1000];
                let long = [&bytes[..place], &filler, &bytes[place..]].concat();
                assert_eq!(detected(&path, &long).as_ref(), Some(&claim), "{path}: at {place}");
                grown.insert(source.format.name());
            }
        }
    }
    let all: BTreeSet<&str> = ALL.iter().map(|format| format.name()).collect();
    assert_eq!(grown, all, "each format has a file that grew");
}

/// An export without an agent's path around it, at both sides of the limit, its header first or
/// last.
#[test]
fn an_export_is_known_at_any_length() {
    let info = r#""info":{"id":"ses_7b1","projectID":"p","directory":"/home/ana/shop","title":"T",
        "version":"1.4.0","time":{"created":1767603600000,"updated":1767603600000}}"#;
    for length in [10, END_BYTES, 3 * END_BYTES] {
        let text = "y".repeat(length);
        let messages = format!(
            r#""messages":[{{"info":{{"id":"msg_1","sessionID":"ses_7b1","role":"user",
            "time":{{"created":1767603600000}}}},"parts":[{{"id":"prt_1","sessionID":"ses_7b1",
            "messageID":"msg_1","type":"text","text":"{text}"}}]}}]"#
        );
        for export in [format!("{{{info},{messages}}}"), format!("{{{messages},{info}}}")] {
            let claim = detected("shelf/export", export.as_bytes());
            let name = PathBuf::from("shelf/export");
            let (format, ..) = claim.unwrap_or_else(|| panic!("{}: {length}", name.display()));
            assert_eq!(format, "opencode", "{length}");
        }
    }
}
