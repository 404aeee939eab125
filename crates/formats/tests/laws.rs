//! The laws, checked for every format and every sample, and for the real files if present.
//!
//! A law knows no format. A bug report becomes a sample folder, and from then on every law covers
//! it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{Root, Source};
use meaning::account::LedgerRow;
use session::{
    Bundle, EventRef, Field, Hold, Map, Member, Memory, Row, Session, Slot, Transport, proof,
};
use verbatim_formats::{Format, Options};

/// A sample, or a real session: its path and the catalog's reading.
struct Sample {
    path: PathBuf,
    source: Source,
}

impl Sample {
    fn bundle(&self) -> Bundle {
        let (bundle, unread) = catalog::bundle(&self.source);
        assert!(unread.is_empty(), "{}: {unread:?}", self.path.display());
        bundle
    }

    /// The bundle with its members decoded by the format.
    fn decoded(&self, bundle: Bundle) -> Bundle {
        let decode = |member| self.source.format.decode(member);
        Bundle { members: bundle.members.into_iter().map(decode).collect() }
    }

    fn read(&self, bundle: Bundle) -> Vec<Session> {
        self.read_with(bundle, &mut Memory::default())
    }

    fn read_with(&self, bundle: Bundle, memory: &mut Memory) -> Vec<Session> {
        self.source.format.read_with(Arc::new(self.decoded(bundle)), memory)
    }
}

fn folder(format: &dyn Format) -> PathBuf {
    samples::format(format.name()).join("samples")
}

/// Every session in every sample folder of every format.
fn all_samples() -> Vec<Sample> {
    verbatim_formats::ALL.iter().flat_map(|format| samples_of(*format)).collect()
}

fn samples_of(format: &'static dyn Format) -> Vec<Sample> {
    let entries = std::fs::read_dir(folder(format)).into_iter().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let found: Vec<Sample> = folders.iter().flat_map(|path| sources(path)).collect();
    for sample in &found {
        let (whose, path) = (sample.source.format.name(), sample.path.display());
        assert_eq!(whose, format.name(), "{path}: {}", sample.source.group);
    }
    found
}

fn sources(path: &Path) -> Vec<Sample> {
    let found = catalog::scan(verbatim_formats::ALL, &[Root::named(path)]);
    let sample = |source: Source| Sample { path: path.to_path_buf(), source };
    found.sources.into_iter().map(sample).collect()
}

/// Every format has samples, and every sample is a session.
#[test]
fn every_format_has_samples() {
    for format in verbatim_formats::ALL {
        assert!(!samples_of(*format).is_empty(), "{} has no samples", format.name());
    }
}

/// Laws 1, 2 and 3 over the samples: records tile, leaves are owned, bytes come back.
#[test]
fn samples_are_read_without_loss() {
    all_samples().iter().for_each(whole);
}

/// The same over the real files.
#[test]
fn real_files_are_read_without_loss() {
    let Some(corpora) = samples::corpora() else { return };
    let samples: Vec<Sample> = corpora.iter().flat_map(|folder| sources(folder)).collect();
    assert!(samples.len() > 200, "the corpora hold more than {} sessions", samples.len());
    samples.iter().for_each(whole);
}

fn whole(sample: &Sample) {
    let checked = operations::check::check_source(&sample.source, operations::check::Depth::Deep);
    let name = sample.path.display();
    assert_eq!(checked.lost, [], "{name}");
    assert_eq!((checked.missing, checked.unread.len()), (0, 0), "{name}");
    let values = sample.bundle().members.iter().any(has_values);
    assert!(checked.leaves.is_some_and(|leaves| leaves > 0 || !values), "{name}");
}

/// True if a line, or the whole text, is a JSON object or array with anything in it.
fn has_values(member: &Member) -> bool {
    let is_json = |text: &[u8]| {
        let value = serde_json::from_slice::<serde_json::Value>(text);
        value.is_ok_and(|value| match value {
            serde_json::Value::Object(members) => !members.is_empty(),
            serde_json::Value::Array(elements) => !elements.is_empty(),
            _ => true,
        })
    };
    is_json(member.bytes()) || member.bytes().split(|byte| *byte == b'\n').any(is_json)
}

/// Law 5 over the samples: the stead document meets its schema, is contiguous, keeps the order, and
/// restores every session with its events, its identity and the linkage of its calls.
#[test]
fn stead_documents_hold_their_sessions() {
    all_samples().iter().for_each(stead);
}

/// The same over the real files.
#[test]
fn stead_documents_hold_real_sessions() {
    let Some(corpora) = samples::corpora() else { return };
    corpora.iter().flat_map(|folder| sources(folder)).for_each(|sample| stead(&sample));
}

fn stead(sample: &Sample) {
    if sample.source.format.name() == verbatim_formats::stead::NAME {
        return;
    }
    let name = sample.path.display();
    for session in sample.read(sample.bundle()) {
        let (document, rows) = stead_document(&session);
        let published = evidence::schema::stead_session(&document);
        let (verdict, beyond) = evidence::schema::stead_session_extended(&document);
        // The rows name the one thing that may break the schema, and nothing else does.
        let outside = rows.iter().any(|row| row.what.starts_with("source.backend"));
        let known = sample.source.format.data().stead_backend.is_some();
        assert_eq!(outside, !known, "{name}");
        assert_eq!((published.is_good(), beyond.is_none()), (known, known), "{name}");
        assert!(verdict.is_good(), "{name} {}: {:#?}", session.id, verdict.errors());
        let restored = verbatim_formats::stead::restore(&document).expect("it holds its lines");
        assert_eq!(restored.format, session.format, "{name}");
        let again = sample.read(restored.bundle.clone());
        // Files with one id can be several sessions: alone, each has this id.
        let same = |other: &&Session| other.id == session.id || session.remainder;
        let again = again.iter().find(same).or(again.first().filter(|_| again.len() == 1));
        let again = again.unwrap_or_else(|| panic!("{name}: {} is not given back", session.id));
        assert_eq!(linked(again), linked(&session), "{name} {}", session.id);
        if !session.shared {
            let bytes = |bundle: &Bundle| -> Vec<Vec<u8>> {
                bundle.members.iter().map(|member| member.bytes().to_vec()).collect()
            };
            assert!(restored.exact, "{name}");
            assert_eq!(bytes(&sample.decoded(restored.bundle)), bytes(&session.bundle), "{name}");
        }
    }
}

fn stead_document(session: &Session) -> (Vec<u8>, Vec<LedgerRow>) {
    let mut document = Vec::new();
    let options = Options { secrets: true, ..Options::default() };
    let rows = verbatim_formats::stead::write_document(session, &options, &mut document);
    (document, rows.expect("memory takes it"))
}

/// The facts of each event that law 5 keeps: its kind, its identity, and the links of calls and
/// results.
fn linked(session: &Session) -> Vec<(session::Kind, Option<String>, Option<String>)> {
    let text = |event: EventRef<'_>, slot| event.text(slot).map(std::borrow::Cow::into_owned);
    let events = session.events();
    events.map(|e| (e.kind, text(e, Slot::Id), text(e, Slot::Call))).collect()
}

/// Law 6: a sample uses each row of each table.
#[test]
fn no_row_is_dead() {
    let mut dead = Vec::new();
    for format in verbatim_formats::ALL {
        let mut hit = BTreeSet::new();
        for sample in samples_of(*format) {
            for session in sample.read(sample.bundle()) {
                session.events().for_each(|event| rows(event, &mut hit));
            }
        }
        for (name, map) in format.data().maps {
            for row in map.rows.iter().map(|named| named.text) {
                if !hit.contains(&(std::ptr::from_ref(*map).addr(), row.to_owned())) {
                    dead.push(format!("{}: {name}.{row}", format.name()));
                }
            }
        }
    }
    assert!(dead.is_empty(), "rows that no sample hits:\n{}", dead.join("\n"));
}

/// The rows of an event's fields. A container's row leads to the table of its members.
fn rows(event: EventRef<'_>, hit: &mut BTreeSet<(usize, String)>) {
    let mut tables: Vec<Option<&'static Map>> = vec![Some(event.case.map)];
    for field in event.fields() {
        let depth = usize::from(field.depth);
        tables.resize(depth + 1, None);
        let Some(map) = tables[depth] else { continue };
        let name = event.name(*field);
        let row = map.row(name);
        if row.is_some() {
            let name = String::from_utf8_lossy(name).into_owned();
            hit.insert((std::ptr::from_ref(map).addr(), name));
        }
        if field.hold == Hold::Open {
            tables.push(match row {
                Some(Row::Within(_, map)) => Some(map),
                _ => None,
            });
        }
    }
}

/// Law 6: `samples/unmapped.txt` lists the names without a row, each with the reason after a `#`,
/// so that drift shows as a diff. `UPDATE=1 cargo test` renews the names and keeps the reasons.
#[test]
fn what_no_table_names_is_listed() {
    for format in verbatim_formats::ALL {
        let mut strange = BTreeSet::new();
        for sample in samples_of(*format) {
            for session in sample.read(sample.bundle()) {
                for event in session.events() {
                    let unknown = event.fields().iter().filter(|field| !field.known);
                    strange.extend(unknown.map(|field| line(event, *field)));
                }
            }
        }
        let path = folder(*format).join("unmapped.txt");
        let listed = std::fs::read_to_string(&path).unwrap_or_default();
        let reason = |name: &String| {
            let known = listed.lines().find_map(|line| line.strip_prefix(&**name));
            format!("{name}{}\n", known.filter(|rest| rest.starts_with(WHY)).unwrap_or_default())
        };
        let text: String = strange.iter().map(reason).collect();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).expect("the list can be written");
        }
        assert_eq!(listed, text, "{}: UPDATE=1 renews {}", format.name(), path.display());
        let reasons = listed.lines().filter(|line| line.contains(WHY)).count();
        assert_eq!(reasons, strange.len(), "a name without its reason in {}", path.display());
    }
}

/// The separator between a name and its reason.
const WHY: &str = "  # ";

fn line(event: EventRef<'_>, field: Field) -> String {
    let name = match event.name(field) {
        b"" => "(not an object)".to_owned(),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    format!("{}: {name}", event.case.name)
}

/// Law 8: the order of events does not depend on the order of the members.
#[test]
fn order_does_not_depend_on_the_order_of_members() {
    for mut sample in all_samples() {
        let first = told(&sample.read(sample.bundle()));
        sample.source.files.reverse();
        assert_eq!(first, told(&sample.read(sample.bundle())), "{:?}", sample.path);
    }
}

/// The visible content of the sessions, in source order, with members by name.
fn told(sessions: &[Session]) -> BTreeSet<(String, Vec<String>)> {
    let tell = |event: EventRef<'_>| {
        let member = &event.session().bundle.members[event.origin.member as usize];
        let (line, part) = (event.origin.line, event.origin.part);
        format!("{}:{line}.{part} {:?} {}", member.name, event.kind, event.standing.word())
    };
    let sessions = sessions.iter();
    sessions.map(|session| (session.uid(), session.top().map(tell).collect())).collect()
}

/// Law 10: any bytes. Samples are truncated and their bytes changed: nothing panics, and the proof
/// holds for the rest.
#[test]
fn any_bytes_are_kept() {
    for sample in all_samples() {
        let bundle = sample.bundle();
        for round in 0..24u64 {
            let mut harmed = bundle.clone();
            for member in &mut harmed.members {
                *member = harm(member, round);
            }
            let sessions = sample.read(harmed);
            let breaches = proof::check(&sessions, 3);
            assert_eq!(breaches, [], "{:?}, round {round}", sample.path);
        }
    }
}

/// Law 10 for what is stored otherwise than it is read (compressed, or plain text): the stored
/// bytes are harmed. A file that can't be unpacked then is named, and any other holds the proof.
#[test]
fn any_stored_bytes_are_kept_or_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kinds = BTreeSet::new();
    for sample in all_samples() {
        for (at, file) in sample.source.files.iter().enumerate().filter(|(_, f)| f.rows.is_none()) {
            let bundle = sample.bundle();
            let member = bundle.members.iter().find(|member| member.name == file.name);
            let member = member.expect("each file is a member");
            let kind = match member.transport() {
                Transport::Plain | Transport::Dump | Transport::Cbor(_) => continue,
                Transport::Zstd(_) => "zstd",
                Transport::Text(_) => "text",
            };
            kinds.insert(kind);
            let stored = member.stored_bytes().to_vec();
            let stored = Member::new("", member.stream.clone(), stored).expect("short");
            let mut source = sample.source.clone();
            source.files[at].path =
                folder.path().join(file.path.file_name().expect("a name")).into();
            for round in 0..24 {
                std::fs::write(&source.files[at].path, harm(&stored, round).bytes())
                    .expect("saved");
                let (bundle, unread) = catalog::bundle(&source);
                let named = unread.iter().all(|unread| *unread.path == *source.files[at].path);
                assert!(named && unread.len() + bundle.members.len() >= source.files.len());
                let breaches = proof::check(&sample.read(bundle), 3);
                assert_eq!(breaches, [], "{:?}, round {round}", sample.path);
            }
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["text", "zstd"]);
}

/// The member with one byte changed, or truncated after it. The round decides the place.
fn harm(member: &Member, round: u64) -> Member {
    let mut bytes = member.bytes().to_vec();
    let transport = member.transport().clone();
    if !bytes.is_empty() {
        let spread = (round + 1).wrapping_mul(6_364_136_223_846_793_005) >> 20;
        let at = (spread % bytes.len() as u64) as usize;
        match round % 3 {
            0 => bytes.truncate(at),
            1 => bytes[at] = b"\"{}[]:,\\\n\0\xff0"[round as usize % 12],
            _ => bytes.insert(at, b"\n\0}\"{"[round as usize % 5]),
        }
    }
    let (name, stream) = (member.name.clone(), member.stream.clone());
    // What was unpacked is harmed behind the unpacking, and its stored bytes are kept.
    Member::stored(name, stream, bytes, transport).expect("short")
}

/// Law 11: the same input gives the same sessions, whatever was read before. Lines that match a
/// cached template are read as others are.
#[test]
fn the_same_input_gives_the_same_sessions() {
    // A line seen twice is cached, and matched the third time.
    let (samples, mut memory) = (all_samples(), Memory::default());
    for _ in 0..4 {
        same_as_plain(&samples, &mut memory);
    }
}

#[test]
fn real_files_are_read_as_if_nothing_had_been_before_them() {
    let Some(corpora) = samples::corpora() else { return };
    let samples: Vec<Sample> = corpora.iter().flat_map(|folder| sources(folder)).collect();
    assert!(samples.len() > 200, "the corpora hold more than {} sessions", samples.len());
    same_as_plain(&samples, &mut Memory::default());
}

/// Reads the samples with the memory of those before them, and each alone without templates.
fn same_as_plain(samples: &[Sample], memory: &mut Memory) {
    for sample in samples {
        let sessions = sample.read_with(sample.bundle(), memory);
        let plain = sample.read_with(sample.bundle(), &mut Memory::without_templates());
        alike(sample, &plain, &sessions);
    }
}

fn alike(sample: &Sample, plain: &[Session], sessions: &[Session]) {
    assert_eq!(told(plain), told(sessions), "{:?}", sample.path);
    assert_eq!(plain.len(), sessions.len());
    for (plain, session) in plain.iter().zip(sessions) {
        assert_eq!((&plain.records, &plain.notes), (&session.records, &session.notes));
        let name = || format!("{} in {:?}", session.uid(), sample.path);
        assert_eq!(plain.len(), session.len(), "{}", name());
        for (plain, event) in plain.events().zip(session.events()) {
            let of = |event: EventRef<'_>| (event.kind, event.span, event.parent, event.standing);
            assert_eq!(of(plain), of(event), "{}", name());
            assert!(std::ptr::eq(plain.case, event.case), "{}", name());
            assert_eq!(plain.fields(), event.fields(), "{}", name());
        }
    }
}
