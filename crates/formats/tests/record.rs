//! Law 4, over every sample and every real session of every agent: a record is read back as the
//! session that it was written from. By itself it restores every native value, and with embedded
//! bytes every byte.

use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Root, Source};
use evidence::schema::{RECORD, Schema};
use evidence::value::Encoding;
use serde_json::Value;
use session::{Bundle, Member, Session, Stream, Transport, proof};
use verbatim_formats::secrets::withheld;
use verbatim_formats::vac::{self, record, restore};
use verbatim_formats::{Options, by_name};

/// Every file that is a session of an agent.
fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.iter().map(|root: &PathBuf| Root::named(root)).collect();
    let mut sources = catalog::scan(verbatim_formats::ALL, &roots).sources;
    sources.retain(|source| source.format.name() != vac::NAME);
    sources
}

/// `None` for bytes that are not JSON, and for values nested too deeply to compare.
fn json(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

/// Compares each native record with the restored one: one per line, or as written.
fn gives_back(session: &Session, restored: &Bundle) {
    let format = by_name(session.format).expect("a format in the registry");
    let mut text = Vec::new();
    for (member, native) in restored.members.iter().zip(&session.bundle.members) {
        if matches!(native.transport(), Transport::Text(_)) {
            assert_eq!(member.bytes(), native.stored_bytes(), "{}", session.uid());
        }
        text.extend_from_slice(format.decode(member.clone()).bytes());
    }
    let mut rest = text.as_slice();
    for record in &session.records {
        let native = session.record_bytes(record);
        let length = match rest.starts_with(native) {
            true => native.len(),
            false => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
        };
        if rest[..length] != *native {
            let place = format!("{}:{}", session.uid(), record.line);
            assert_eq!(json(&rest[..length]), json(native), "{place}");
            assert!(json(native).is_some(), "{place}: can't be compared");
        }
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    assert!(rest.is_empty(), "{}: more than there was", session.uid());
}

/// Reads a record back as a session over its own bytes.
fn reads_back(session: &Session, record: Vec<u8>) {
    let member = Member::new("a.vac.json", Stream::Main, record).expect("a short record");
    let format = by_name(vac::NAME).expect("a format in the registry");
    let read = format.read(Arc::new(Bundle::of(member)));
    assert_eq!(proof::check(&read, 3), [], "{}", session.uid());
    let [read] = read.as_slice() else { panic!("{}: {} sessions", session.uid(), read.len()) };
    assert_eq!(vac::differences(session, read), Vec::<String>::new(), "{}", session.uid());
    assert_eq!(read.notes, [], "{}", session.uid());
}

/// Longer texts take long to format, and add nothing to the test.
const SHORT: usize = 1 << 20;

fn holds(session: &Session) {
    let options = Options { secrets: true, ..Options::default() };
    let text = record(session, &options);
    assert_eq!(text, record(session, &options), "{}: not the same", session.uid());
    if let Some((covered, secrets)) = withheld(session) {
        let text = record(session, &Options::default());
        let restored = restore(&text).unwrap_or_else(|error| panic!("{}: {error}", session.uid()));
        gives_back(&covered, &restored.bundle);
        let stead = by_name("stead").expect("a format in the registry");
        let written = stead.write(session).expect("a document");
        assert!(!written.rows.is_empty(), "{}: nothing is told", session.uid());
        for secret in secrets {
            let value = secret.span.of(session.bundle.bytes(secret.member));
            let value = value.strip_prefix(b"\"").unwrap_or(value);
            let value = value.strip_suffix(b"\"").unwrap_or(value);
            for document in [&*text, &*written.files[0].1] {
                let stands = memchr::memmem::find(document, value).is_some();
                assert!(!stands, "{}: {} is shared", session.uid(), secret.path);
            }
        }
    }
    let restored = restore(&text).unwrap_or_else(|error| panic!("{}: {error}", session.uid()));
    assert_eq!((restored.format.as_str(), restored.exact), (session.format, false));
    gives_back(session, &restored.bundle);
    reads_back(session, text);
    let length = session.bundle.members.iter().map(|member| member.bytes().len()).sum::<usize>();
    let options = Options { embed: true, pretty: length < SHORT, ..Options::default() };
    let restored = restore(&record(session, &options)).expect("a record");
    assert!(restored.exact);
    let stored = session.bundle.members.iter().map(Member::stored_bytes);
    assert!(stored.eq(restored.bundle.members.iter().map(Member::bytes)), "{}", session.uid());
}

#[test]
fn a_record_is_its_session() {
    let sources = sources();
    let half = sources.len() / 2;
    let all = |sources: &[Source]| {
        for source in sources {
            let bundle = Arc::new(catalog::bundle(source).0);
            source.format.read(bundle).iter().for_each(holds);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| all(&sources[half..]));
        all(&sources[..half]);
    });
}

/// On reading, content takes precedence over the children made from it; a child that disagrees is a
/// note.
#[test]
fn a_child_that_disagrees_is_noted() {
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls","n":1}}"#;
    let line = format!(
        "{}\"message\":{{\"role\":\"assistant\",\"content\":[{call}]}}}}\n",
        r#"{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2026-08-02T09:14:06Z","#
    );
    let read = |name: &str, bytes: Vec<u8>, format: &str| {
        let member = Member::new(name, Stream::Main, bytes).expect("a short text");
        by_name(format).expect("a format").read(Arc::new(Bundle::of(member))).remove(0)
    };
    let native = read("s1.jsonl", line.into_bytes(), "claude-code");
    let text = String::from_utf8(record(&native, &Options::default())).expect("UTF-8");
    assert_eq!(read("a.vac.json", text.clone().into_bytes(), vac::NAME).notes, []);
    let at = text.rfind("\"command\":\"ls\"").expect("the child behind the content");
    let changed = format!("{}{}", &text[..at], text[at..].replacen("ls", "rm", 1));
    let notes = read("a.vac.json", changed.clone().into_bytes(), vac::NAME).notes;
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].mended
            && notes[0].span.of(changed.as_bytes()).starts_with(b"{\"type\":\"tool-call\"")
    );
    let restored = restore(changed.as_bytes()).expect("a record");
    gives_back(&native, &restored.bundle);
}

/// A name that a line has twice is in a record once, whatever its entry's layout, and the bytes
/// have the rest: JSON with one name twice is not a valid record.
#[test]
fn a_name_that_comes_twice_is_written_once() {
    let twice = |role: &str| {
        let (uuid, time) = ("\"uuid\":\"u\"", "\"timestamp\":\"2026-03-02T10:00:00Z\"");
        let of = "\"session_id\":\"s\"";
        let once = format!("\"role\":\"{role}\",\"content\":\"x\",{of},{uuid},{time},\"a\":1");
        format!("{{{once},{}}}\n", once.replace("\"x\"", "\"y\"").replace(role, "user"))
    };
    // With so many roles the last entries have no layout.
    let roles = (0..60).map(|number| format!("role {number}")).chain(["user".to_owned()]);
    let text: String = roles.map(|role| twice(&role)).collect();
    let member = Member::new("conversation.jsonl", Stream::Main, text.into_bytes());
    let bundle = Arc::new(Bundle::of(member.expect("a short text")));
    let session = by_name("sage").expect("a format").read(bundle).remove(0);
    let text = record(&session, &Options::default());
    let verdict = Schema::record().validate(RECORD, &text, Encoding::Json);
    assert!(verdict.is_good(), "{:?}", verdict.errors());
    holds(&session);
}

#[test]
fn a_record_that_does_not_hold_together_is_refused() {
    let sources = sources();
    let source = sources.iter().find(|source| source.files.len() > 1).expect("a session");
    let sessions = source.format.read(Arc::new(catalog::bundle(source).0));
    let text = record(&sessions[0], &Options { embed: true, ..Options::default() });
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(restore(text.as_bytes()).is_ok());
    for (from, to) in [
        ("\"sha-256\":\"", "\"sha-256\":\"0"),
        ("\"length\":", "\"length\":1"),
        ("\"gzip\":\"H4", "\"gzip\":\"H5"),
        ("\"source\":", "\"sauce\":"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(restore(text.replacen(from, to, 1).as_bytes()).is_err(), "{from}");
    }
    for cut in [0, 1, text.len() / 2, text.len() - 3] {
        assert!(restore(&text.as_bytes()[..cut]).is_err());
    }
    for foreign in ["{}", "[]", "{\"session\":{\"entries\":[]},\"verbatim\":{}}"] {
        assert!(restore(foreign.as_bytes()).is_err(), "{foreign}");
    }
}

/// A value deeper in a line has the name of one at the top: the record keeps them apart, and the
/// one at the top counts.
#[test]
fn two_values_with_one_name_and_meaning_keep_their_order() {
    let line = |id: u32, agent: &str| {
        format!(
            concat!(
                r#"{{"parentUuid":null,"isSidechain":true,{agent}"type":"progress","#,
                r#""data":{{"type":"agent_progress","agentId":"inner-{id}"}},"#,
                r#""uuid":"b0000000-0000-4000-8000-00000000000{id}","#,
                r#""timestamp":"2026-03-01T08:00:0{id}.000Z","#,
                r#""sessionId":"3f6c1b00-0000-4000-8000-000000000001"}}"#
            ),
            agent = agent,
            id = id,
        )
    };
    let text = format!("{}\n{}\n", line(1, ""), line(2, r#""agentId":"outer","#));
    let name = "3f6c1b00-0000-4000-8000-000000000001.jsonl";
    let member = Member::new(name, Stream::Main, text.into_bytes()).expect("short");
    let format = by_name("claude-code").expect("a format in the registry");
    let [session] = &format.read(Arc::new(Bundle::of(member)))[..] else { panic!("one") };
    holds(session);
    let document = json(&record(session, &Options::default())).expect("JSON");
    let entry = &document["session"]["entries"][1];
    assert_eq!(entry["agentId"], "outer", "{entry}");
    assert_eq!(entry["verbatim"]["native"]["/data/agentId"], "inner-2", "{entry}");
}
