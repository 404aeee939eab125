//! The JSON reader against the conformance suite, and reading against hostile lines.

use std::fs;
use std::sync::Arc;

use verbatim_session::{
    Bundle, Kind, Member, Memory, Reading, Scan, Session, Split, Stream, proof,
};

fn read(bytes: &[u8], split: Split) -> Session {
    let member = Member::new("suite.json", Stream::Main, bytes.to_vec()).expect("short");
    let mut memory = Memory::default();
    let mut reading = Reading::new("suite", &Arc::new(Bundle::of(member)), &mut memory);
    reading.member(0, split, |_| None);
    let session = reading.finish();
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    session
}

/// All `y_` are read, all `n_` are kept as bytes that are not JSON, and `i_` may be either.
#[test]
fn the_suite_of_318_files() {
    let Some(suite) = samples::shared("vectors/JSONTestSuite/test_parsing") else { return };
    let mut counts = [0; 3];
    for entry in fs::read_dir(suite).expect("the suite's folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&path).expect("a file");
        let session = read(&bytes, Split::Whole);
        let opaque = session.events().any(|event| event.kind == Kind::Opaque);
        let accepted = Scan::strict().read(&bytes, 0).is_ok();
        match name.as_bytes()[0] {
            b'y' => {
                counts[0] += 1;
                assert!(accepted && !opaque, "{name} must be read");
            }
            b'n' => {
                counts[1] += 1;
                let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
                let nothing = text.iter().all(u8::is_ascii_whitespace);
                assert!(!accepted && (opaque || nothing), "{name} must be kept as it is");
            }
            _ => counts[2] += 1,
        }
        read(&bytes, Split::Lines);
        read(&bytes, Split::Concatenated);
    }
    assert_eq!(counts, [95, 188, 35]);
}

/// Hostile lines are kept unchanged, whatever they contain.
#[test]
fn hostile_lines_are_kept() {
    let Some(hostile) = samples::shared("vectors/hostile") else { return };
    for entry in fs::read_dir(hostile).expect("the folder") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
        for split in [Split::Lines, Split::Concatenated, Split::Whole] {
            assert!(!read(&bytes, split).is_empty());
        }
    }
}
