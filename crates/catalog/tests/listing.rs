//! Facts in a list, compared with those in a session's record.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use formats::{Options, stead, vac};
use serde_json::Value;
use verbatim_catalog::{Catalog, Listing};
use verbatim_catalog::{Entry, Machine};

fn put(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn catalog() -> Catalog<'static> {
    Catalog { formats: formats::ALL, machine: Machine::default() }
}

fn list(folder: &Path) -> Listing {
    catalog().list(&[folder.to_path_buf()], false)
}

fn only(folder: &Path) -> Entry {
    let mut entries = list(folder).entries;
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.remove(0)
}

fn record(folder: &Path) -> Value {
    let opened = catalog().open(folder, &[]).unwrap();
    serde_json::from_slice(&vac::record(opened.session(), &Options::default())).unwrap()
}

const SESSION: &str = "ses_4f2a9c01bffeXk3mQp7LwRt2Ya";

/// A list reads the ends of a file, and a record all of it. For real files and samples, both have
/// the same model and the same start of the session.
#[test]
fn a_list_and_the_records_say_the_same() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let catalog = Catalog::here();
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for source in catalog.find(&roots).sources {
        let listed: BTreeMap<String, Entry> = verbatim_catalog::summaries(&source)
            .unwrap()
            .into_iter()
            .map(|entry| (entry.id.clone(), entry))
            .collect();
        let sessions = catalog.read(&source).map(|opened| opened.sessions).unwrap_or_default();
        // Records without a session are listed only if the source has no session.
        let whole = sessions.iter().filter(|session| !session.remainder).count();
        assert!((1..=whole.max(1)).contains(&listed.len()), "{}", source.group);
        for session in sessions {
            let Some(entry) = listed.get(&session.id).filter(|_| !session.remainder) else {
                continue;
            };
            let document = stead_of(&session);
            let record = vac::record(&session, &Options::default());
            let record: Value = serde_json::from_slice(&record).unwrap();
            let model = record.pointer("/session/agent-meta/model-id").and_then(Value::as_str);
            let model = model.filter(|model| *model != "unknown").map(Box::<str>::from);
            let began = record.get("created").map(Value::to_string);
            let began = began.and_then(|time| session::UtcTime::read(time.as_bytes()));
            // A list does not read sub-agents' files, so it lacks facts that only these record.
            let alone = session.bundle.members.iter().all(|m| m.stream == session::Stream::Main);
            let (model, began) = match alone {
                true => (model, began),
                false => (entry.model.clone().and(model), entry.started.and(began)),
            };
            if (&entry.model, entry.started) != (&model, began) {
                let listed = (&entry.model, entry.started);
                wrong.push(format!("{}: {listed:?}, not {:?}", session.uid(), (model, began)));
            }
            if entry.started.is_some() && document.contains("\"1970-01-01T00:00:00Z\"") {
                wrong.push(format!("{}: 1970, though a time is known", session.uid()));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

fn stead_of(session: &session::Session) -> String {
    let mut document = Vec::new();
    stead::write_document(session, &Options::default(), &mut document).unwrap();
    String::from_utf8(document).unwrap()
}

#[test]
fn a_session_lasts_as_long_as_it_says() {
    let temp = tempfile::tempdir().unwrap();
    let times =
        r#""startTime":"2026-05-04T08:00:00.000Z","lastUpdated":"2026-05-09T10:00:00.000Z""#;
    let said = |at: &str| {
        let time = format!("2026-05-04T{at}:00.000Z");
        format!(r#"{{"id":"m{at}","timestamp":"{time}","type":"user","content":"till"}}"#)
    };
    let text = format!(
        r#"{{"sessionId":"5b0c9d1e","projectHash":"ab","kind":"main",{times},"messages":[{},{}]}}"#,
        said("08:20"),
        said("08:30")
    );
    put(temp.path(), ".gemini/tmp/ab/chats/session-2026-05-04T08-00-5b0c9d1e.json", text);
    let entry = only(temp.path());
    assert_eq!(entry.started.unwrap().rfc3339(), "2026-05-04T08:00:00Z");
    assert_eq!(entry.updated.unwrap().rfc3339(), "2026-05-09T10:00:00Z");
    let record = record(temp.path());
    assert_eq!(record["created"], "2026-05-04T08:00:00.000Z");
    assert_eq!(record["session"]["session-start"], "2026-05-04T08:00:00.000Z");
    assert_eq!(record["session"]["session-end"], "2026-05-09T10:00:00.000Z");
}

#[test]
fn a_time_of_zero_is_not_set() {
    let temp = tempfile::tempdir().unwrap();
    let info = format!(r#""id":"{SESSION}","time":{{"created":0,"updated":0}}"#);
    let of = format!(r#""messageID":"msg_1","sessionID":"{SESSION}""#);
    let part = format!(r#"{{"id":"prt_1",{of},"type":"text","text":"a","time":{{"start":0}}}}"#);
    let said = format!(r#""id":"msg_1","sessionID":"{SESSION}","role":"user""#);
    let time = r#""time":{"created":1790000000123}"#;
    let message = format!(r#"{{"info":{{{said},{time}}},"parts":[{part}]}}"#);
    put(temp.path(), "export.json", format!(r#"{{"info":{{{info}}},"messages":[{message}]}}"#));
    let entry = only(temp.path());
    assert_eq!(entry.started.unwrap().rfc3339(), "2026-09-21T14:13:20.123Z");
    assert_eq!(record(temp.path())["created"], 1_790_000_000_123_u64);
}

#[test]
fn what_the_agent_answered_by_itself_names_no_model() {
    let temp = tempfile::tempdir().unwrap();
    let line = |kind: &str, id: u32, message: &str| {
        let id = format!("{id:08}-1111-4222-8333-444455556666");
        let of = format!(r#""uuid":"{id}","parentUuid":null,"sessionId":"7a1d""#);
        let time = r#""timestamp":"2026-05-04T08:00:00.000Z""#;
        format!(r#"{{"type":"{kind}",{of},{time},"message":{message}}}"#)
    };
    let answer = |model: &str| {
        format!(r#"{{"id":"{model}","role":"assistant","model":"{model}","content":[]}}"#)
    };
    let prompt = line("user", 1, r#"{"role":"user","content":"Fix it"}"#);
    let made = line("assistant", 2, &answer("<synthetic>"));
    let path = put(temp.path(), "a.jsonl", format!("{prompt}\n{made}\n"));
    assert_eq!(only(temp.path()).model, None);
    let [one, two] = ["claude-a", "claude-b"].map(|model| line("assistant", 3, &answer(model)));
    fs::write(path, format!("{prompt}\n{made}\n{one}\n{two}\n{two}\n")).unwrap();
    assert_eq!(only(temp.path()).model.as_deref(), Some("claude-a"));
    let meta = &record(temp.path())["session"]["agent-meta"];
    assert_eq!(meta["model-id"], "claude-a");
}

#[test]
fn a_list_of_a_session_that_stands_alone_is_that_sessions() {
    let temp = tempfile::tempdir().unwrap();
    put(temp.path(), &format!("storage/session_diff/{SESSION}.json"), "[]");
    assert_eq!(only(temp.path()).id, SESSION);
    assert_eq!(record(temp.path())["session"]["session-id"], SESSION);
}
