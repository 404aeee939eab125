//! The laws, checked for every format and every sample, and for the real files if present.
//!
//! A law knows no format. A bug report becomes a sample folder, and from then on every law covers
//! it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::{Root, Source};
use meaning::account::LedgerRow;
use session::{
    Bundle, EventRef, Field, Hold, Map, Mark, Member, Memory, Row, Session, Slot, Standing, Stream,
    Transport, proof,
};
use verbatim_formats::laws::{self, BrokenLaw, Law};
use verbatim_formats::{Candidate, Claim, Format, Options};

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
        self.source.format.read(Arc::new(self.decoded(bundle)))
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
    let samples: Vec<Sample> = corpora.iter().flat_map(|corpus| sources(corpus)).collect();
    assert!(samples.len() > 200, "the corpus holds more than {} sessions", samples.len());
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
    corpora.iter().flat_map(|corpus| sources(corpus)).for_each(|sample| stead(&sample));
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
    let (mut dead, mut hit) = (Vec::new(), BTreeSet::new());
    // Agents that were made from another one have its tables.
    for sample in all_samples() {
        for session in sample.read(sample.bundle()) {
            session.events().for_each(|event| rows(event, &mut hit));
        }
    }
    for format in verbatim_formats::ALL {
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
        let first = laws::told(&sample.read(sample.bundle()));
        sample.source.files.reverse();
        assert_eq!(first, laws::told(&sample.read(sample.bundle())), "{:?}", sample.path);
    }
}

/// A law of the reader, for each sample.
fn hold(samples: &[Sample], law: impl Fn(&dyn Format, &Bundle) -> Vec<BrokenLaw>) {
    for sample in samples {
        assert_eq!(law(sample.source.format, &sample.bundle()), [], "{:?}", sample.path);
    }
}

/// A reader that is wrong in one way: the check of each law can fail.
struct Wrong(Law, AtomicUsize);

impl Format for Wrong {
    fn data(&self) -> &'static verbatim_formats::FormatData {
        right().data()
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        right().claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let is_cut = bundle.members.iter().any(|member| member.bytes().len().is_multiple_of(7));
        let mut sessions = right().read_with(bundle, memory);
        let turn = self.1.fetch_add(1, Ordering::Relaxed);
        for session in &mut sessions {
            match self.0 {
                Law::NothingIsLost => session.forget_events(),
                Law::AnyBytes if is_cut => session.forget_events(),
                Law::SameSessions if turn.is_multiple_of(2) => {
                    session.mark(0, Mark::Standing(Standing::Rewound));
                }
                _ => {}
            }
        }
        sessions
    }
}

fn right() -> &'static dyn Format {
    verbatim_formats::by_name("claude-code").expect("a format")
}

#[test]
fn a_wrong_reader_breaks_each_law() {
    let line = "{\"type\":\"user\",\"uuid\":\"1\",\"sessionId\":\"a\",\
                \"message\":{\"role\":\"user\",\"content\":\"Weigh the plums.\"}}\n";
    let member =
        |name: &str| Member::new(name, Stream::Main, line.as_bytes().to_vec()).expect("short");
    let bundle = Bundle { members: vec![member("1"), member("2")] };
    assert_eq!(laws::broken(right(), &bundle), []);
    for law in [Law::NothingIsLost, Law::AnyBytes, Law::SameSessions] {
        let broken = laws::broken(&Wrong(law, AtomicUsize::new(0)), &bundle);
        assert!(broken.iter().any(|broken| broken.law == law), "{law:?}: {broken:?}");
    }
}

/// Law 10: any bytes. Samples are truncated and their bytes changed: nothing panics, and the proof
/// holds for the rest.
#[test]
fn any_bytes_are_kept() {
    hold(&all_samples(), laws::any_bytes);
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
                let harmed = laws::harm(&stored, round).expect("short");
                std::fs::write(&source.files[at].path, harmed.bytes()).expect("saved");
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
    let samples: Vec<Sample> = corpora.iter().flat_map(|corpus| sources(corpus)).collect();
    assert!(samples.len() > 200, "the corpus holds more than {} sessions", samples.len());
    same_as_plain(&samples, &mut Memory::default());
}

/// Reads the samples with the memory of those before them, and each alone without templates.
fn same_as_plain(samples: &[Sample], memory: &mut Memory) {
    for sample in samples {
        let broken = laws::same_sessions(sample.source.format, &sample.bundle(), memory);
        assert_eq!(broken, [], "{:?}", sample.path);
    }
}
