//! Records of samples and real sessions: each is valid in JSON and CBOR, by the corrected schema
//! and by the draft's text. Its CBOR form holds the same values, so that the native session is
//! restored from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{Catalog, Source};
use evidence::cbor::{ConvertError, compact_json, deterministic, from_json};
use evidence::schema::{RECORD, Schema};
use evidence::value::{Document, Encoding, Limits};
use formats::{Options, vac};
use session::{Bundle, Member};

/// The fault of a record; `None` if it is valid.
fn fault(json: &[u8]) -> Result<Option<String>, ConvertError> {
    let limits = Limits::default();
    let doc = Document::read(json, Encoding::Json, limits)?;
    let bytes = deterministic(&doc)?;
    let decoded = Document::read(&bytes, Encoding::Cbor, limits)?;
    for (name, schema) in [("ours", Schema::record()), ("the draft", Schema::draft())] {
        for doc in [&doc, &decoded] {
            let verdict = schema.judge(RECORD, doc);
            if let Some(error) = verdict.errors().first() {
                return Ok(Some(format!("{:?} by {name}: {error:?}", doc.encoding())));
            }
        }
    }
    // Encoding the decoded values again must give the same bytes.
    let again = compact_json(&decoded)?;
    if from_json(&again, limits)? != bytes {
        return Ok(Some("the CBOR does not come back".to_owned()));
    }
    let (first, second) = (vac::restore(json), vac::restore(&again));
    let (Ok(first), Ok(second)) = (first, second) else {
        return Ok(Some("the native session does not come back".to_owned()));
    };
    let lines = |bundle: &Bundle| -> Vec<Vec<u8>> {
        let lines = bundle.members.iter().flat_map(|member| member.bytes().split(|b| *b == b'\n'));
        lines.map(|line| from_json(line, limits).unwrap_or(line.to_vec())).collect()
    };
    let same = lines(&first.bundle) == lines(&second.bundle);
    Ok((!same).then(|| "from CBOR, the native session comes back otherwise".to_owned()))
}

/// The faults in the records of a source, and the number of its records.
fn judge(source: &Source) -> (Vec<String>, usize) {
    let (bundle, _) = catalog::bundle(source);
    let sessions = source.format.read(Arc::new(bundle));
    let faults = sessions.iter().filter_map(|session| {
        let fault = match fault(&vac::record(session, &Options::default())) {
            Ok(fault) => fault?,
            Err(error) => error.to_string(),
        };
        Some(format!("{}: {fault}", session.uid()))
    });
    (faults.collect(), sessions.len())
}

#[test]
fn every_record_is_valid() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    let corpus = samples::corpus();
    let least = if corpus.is_some() { 250 } else { 50 };
    roots.extend(corpus);
    let sources = Catalog::here().find(&roots).sources;
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut faults, mut count) = (Vec::new(), 0);
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (more, sessions) = judge(source);
            faults.extend(more);
            count += sessions;
        }
        (faults, count)
    };
    let (faults, count) = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let (mut faults, count) = work();
        let (more, others) = other.join().expect("no panic");
        faults.extend(more);
        (faults, count + others)
    });
    assert!(count > least, "there are more than {count} sessions");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Numbers that are valid counters or costs in JSON but not in CBOR. If a canonical key can't hold
/// a number in both encodings, the number is kept separately.
#[test]
fn odd_numbers_are_valid_in_both_encodings() {
    const LINE: &str = concat!(
        r#"{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2026-08-02T09:14:06Z","#,
        r#""message":{"role":"assistant","model":"m","content":[],"usage":{"input_tokens":@,"#,
        r#""output_tokens":@,"input":@,"cached":@,"cost":@,"total":@}}}"#,
    );
    for number in [
        "10",
        "10.0",
        "1e1",
        "100e-1",
        "-0",
        "-1",
        "0.1",
        "0.12345678901234567890",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551617",
        "1e400",
        "5e-324",
        "1e-400",
        "\"10\"",
        "null",
    ] {
        let line = LINE.replace('@', number) + "\n";
        let opened = Catalog::here().open_bytes("s1.jsonl", line.clone().into_bytes());
        let record = vac::record(opened.expect("a session").session(), &Options::default());
        assert_eq!(fault(&record).expect("convertible"), None, "{number}");
        let restored = vac::restore(&record).expect("a record");
        let values = |text: &[u8]| from_json(text.trim_ascii(), Limits::default());
        let native = restored.bundle.members[0].bytes();
        assert_eq!(values(native), values(line.as_bytes()), "{number}");
    }
}

/// The member with one byte changed or inserted, or truncated.
fn harmed(member: &Member, round: usize) -> Member {
    let mut bytes = member.bytes().to_vec();
    if !bytes.is_empty() {
        let at = (round + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) % bytes.len();
        match round % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] = b"\"{}[]:,\\\n\0\xff0"[round % 12],
            2 => bytes.insert(at, b"\n\0}\"{-9e."[round % 9]),
            _ => bytes[at] = b"0-.e\\u\"nt"[round % 9],
        }
    }
    Member::new(member.name.clone(), member.stream.clone(), bytes).expect("short")
}

/// The member with half a surrogate pair at the beginning of texts with this name: in the last
/// text, or in all.
fn halved(member: &Member, name: &str, all: bool) -> Member {
    let text = String::from_utf8_lossy(member.bytes()).into_owned();
    let begin = format!("\"{name}\":\"");
    let places: Vec<usize> = text.match_indices(&begin).map(|(at, _)| at + begin.len()).collect();
    let mut bytes = text.clone().into_bytes();
    for &at in places.iter().rev().take(if all { usize::MAX } else { 1 }) {
        bytes.splice(at..at, *b"\\ud800");
    }
    Member::new(member.name.clone(), member.stream.clone(), bytes).expect("short")
}

/// Half a surrogate pair is valid in JSON but not in a text. Wherever one occurs, the record is
/// valid in both encodings.
#[test]
fn records_of_sessions_with_half_a_surrogate_pair_are_valid() {
    const NAMES: [&str; 14] = [
        "type",
        "role",
        "kind",
        "subtype",
        "status",
        "model",
        "version",
        "cwd",
        "sessionId",
        "id",
        "name",
        "timestamp",
        "uuid",
        "input_tokens",
    ];
    let roots = [samples::workspace().join("crates/formats/src")];
    let sources = Catalog::here().find(&roots).sources;
    let (mut faults, mut count) = (Vec::new(), 0);
    for source in sources.iter().filter(|source| source.format.name() != vac::NAME) {
        let (bundle, _) = catalog::bundle(source);
        for (name, all) in NAMES.iter().flat_map(|name| [(name, false), (name, true)]) {
            let members = bundle.members.iter().map(|member| halved(member, name, all));
            let members: Vec<Member> = members.map(|m| source.format.decode(m)).collect();
            if members.iter().zip(&bundle.members).all(|(a, b)| a.bytes() == b.bytes()) {
                continue;
            }
            for session in source.format.read(Arc::new(Bundle { members })) {
                count += 1;
                let fault = match fault(&vac::record(&session, &Options::default())) {
                    Ok(None) => continue,
                    Ok(Some(fault)) => fault,
                    Err(error) => error.to_string(),
                };
                faults.push(format!("{} {name}, {all}: {fault}", session.uid()));
            }
        }
    }
    assert!(count > 200, "{count} sessions");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Damage to a session does not make its record invalid, and the record still restores the session.
#[test]
fn records_of_damaged_sessions_are_valid() {
    let roots = [samples::workspace().join("crates/formats/src")];
    let sources = Catalog::here().find(&roots).sources;
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.format.name() != vac::NAME) {
        let (bundle, _) = catalog::bundle(source);
        for round in 0..40 {
            let members = bundle.members.iter().map(|member| harmed(member, round));
            let members = members.map(|member| source.format.decode(member)).collect();
            for session in source.format.read(Arc::new(Bundle { members })) {
                let fault = match fault(&vac::record(&session, &Options::default())) {
                    Ok(None) => continue,
                    Ok(Some(fault)) => fault,
                    Err(error) => error.to_string(),
                };
                faults.push(format!(
                    "{} {}, {round}: {fault}",
                    session.uid(),
                    source.format.name()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The documents of a source's sessions.
fn documents(source: &Source) -> Vec<Vec<u8>> {
    let sessions = source.format.read(Arc::new(catalog::bundle(source).0));
    let options = Options::default();
    let both = sessions.iter().flat_map(|session| {
        let mut stead = Vec::new();
        let _ = formats::stead::write_document(session, &options, &mut stead);
        [vac::record(session, &options), stead]
    });
    both.collect()
}

#[test]
fn the_order_in_which_files_were_found_is_no_matter() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let mut sources = Catalog::here().find(&roots).sources;
    sources.retain(|source| source.files.len() > 1);
    assert!(sources.len() > 5, "{}", sources.len());
    for source in &mut sources {
        let first = documents(source);
        source.files.reverse();
        assert!(first == documents(source), "{}", source.group);
        let half = source.files.len() / 2;
        source.files.rotate_left(half);
        assert!(first == documents(source), "{}", source.group);
    }
}

/// Law 10 for records in CBOR whose bytes are changed, truncated or repeated. A record that can't
/// be decoded is refused. Any other record keeps its stored bytes, passes the proof, and can be
/// written again.
#[test]
fn damaged_records_in_cbor_are_refused_or_kept() {
    let roots = [samples::workspace().join("crates/formats/src")];
    let sources = Catalog::here().find(&roots).sources;
    let (mut refused, mut kept) = (0, 0);
    for source in sources.iter().filter(|source| source.format.name() != vac::NAME) {
        let (bundle, _) = catalog::bundle(source);
        for session in source.format.read(Arc::new(bundle)) {
            let record = vac::record(&session, &Options::default());
            let packed = from_json(&record, Limits::default()).expect("convertible");
            for round in 0..18 {
                let bytes = harmed_cbor(&packed, round);
                let named = || format!("{}, round {round}", session.uid());
                let Ok(opened) = Catalog::here().open_bytes("r.vac.cbor", bytes.clone()) else {
                    refused += 1;
                    continue;
                };
                kept += 1;
                let mut events = 0;
                for session in &opened.sessions {
                    let stored = session.bundle.members.iter().map(Member::stored_bytes);
                    assert!(stored.eq([&bytes[..]]), "{}", named());
                    events += session.len();
                    let _ = vac::record(session, &Options::default());
                }
                assert!(events <= bytes.len(), "{}: {events} events", named());
                assert_eq!(session::proof::check(&opened.sessions, 3), [], "{}", named());
            }
        }
    }
    assert!(refused > 500 && kept > 500, "{refused} refused, {kept} kept");
}

/// The bytes after one damage: a byte changed or inserted, truncation, a repeated part, or a false
/// length.
fn harmed_cbor(packed: &[u8], round: usize) -> Vec<u8> {
    let mut bytes = packed.to_vec();
    let at = (round + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) % bytes.len();
    match round % 6 {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << (round / 6 % 8),
        2 => bytes.insert(at, b"\x5f\xbf\xff\xf6"[round / 6 % 4]),
        3 => bytes[at] = b"\x9b\xbb\x7b\xd8"[round / 6 % 4],
        4 => bytes.extend_from_within(at..),
        _ => drop(bytes.splice(at..at, *b"\x7b\xff\xff\xff\xff\xff\xff\xff\xff")),
    }
    bytes
}
