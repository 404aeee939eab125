//! Law 7 for the documents, over every sample and every real session: the ledger of a conversion
//! has each field of the session once, and reading the document back gives what the ledger says.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Root, Source};
use meaning::account::{Account, Cause, Fate, Ledger, LedgerRow};
use serde_json::Value;
use session::{Bundle, EventRef, Field, Hold, Kind, Member, Session, Stream};
use verbatim_formats::{Options, by_name, stead, vac};

/// Every file that is a session of an agent.
fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.iter().map(|root: &PathBuf| Root::named(root)).collect();
    let mut sources = catalog::scan(verbatim_formats::ALL, &roots).sources;
    sources.retain(|source| ![vac::NAME, stead::NAME].contains(&source.format.name()));
    sources
}

fn owned(session: &Session) -> impl Iterator<Item = (EventRef<'_>, &Field)> {
    let fields = session.events().flat_map(|event| event.fields().iter().map(move |f| (event, f)));
    fields.filter(|(_, field)| field.hold == Hold::Own)
}

/// Law 7a: each field that owns its bytes has one fate, and each record that is no JSON is carried.
/// A document drops nothing but what it withholds.
fn tiles(session: &Session, ledger: &Ledger) {
    let place = |(event, field): (EventRef<'_>, &Field)| (event.index, *field);
    let fates = ledger.fates(session).map(|(event, field, _)| (event.index, field));
    assert!(fates.eq(owned(session).map(place)), "{}", session.uid());
    for (event, field, fate) in ledger.fates(session) {
        if let Fate::Dropped(cause) = fate {
            let name = String::from_utf8_lossy(event.name(field));
            assert_eq!(cause, Cause::Secret, "{}:{} {name}", session.uid(), event.origin.line);
        }
    }
    assert!(ledger.opaque(session).all(|(_, carried)| carried), "{}", session.uid());
}

/// Longer sessions take long to compare, and add nothing to the test.
const SHORT: usize = 1 << 20;

/// Law 7b, fields: the session that a document gives back has each carried and each mapped value,
/// in the same record. A withheld one it does not have.
fn gives_back(session: &Session, ledger: &Ledger, restored: Bundle) {
    let format = by_name(session.format).expect("a format in the registry");
    let members = restored.members.into_iter().map(|member| format.decode(member)).collect();
    let again = format.read(Arc::new(Bundle { members }));
    // Files with one id can be several sessions: alone, each has this id.
    let same = |other: &&Session| other.id == session.id || session.remainder;
    let again = again.iter().find(same).or(again.first().filter(|_| again.len() == 1));
    let again = again.expect("the session");
    assert_eq!(again.len(), session.len(), "{}", session.uid());
    let mut values: HashSet<(u32, String)> = HashSet::new();
    for (event, field) in owned(again) {
        values.insert((event.origin.record, canonical(event.value(*field))));
    }
    for (event, field, fate) in ledger.fates(session) {
        let is_there = values.contains(&(event.origin.record, canonical(event.value(field))));
        let withheld = fate == Fate::Dropped(Cause::Secret);
        let name = String::from_utf8_lossy(event.name(field));
        assert_ne!(is_there, withheld, "{}:{} {name}", session.uid(), event.origin.line);
    }
}

/// A value however it is laid out and in whatever order its keys are.
fn canonical(raw: &[u8]) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(raw) else {
        return String::from_utf8_lossy(raw).into_owned();
    };
    value.sort_all_objects();
    value.to_string()
}

type Counts = BTreeMap<String, u64>;

/// The made values of a ledger, by their place.
fn made(ledger: &Ledger) -> Counts {
    let mut counts = Counts::new();
    for (what, _, count) in ledger.made() {
        *counts.entry(what.to_owned()).or_default() += count;
    }
    counts
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The marks of made values in a record, by their place.
fn marks_of_record(record: &Value) -> Counts {
    let (session, mut counts) = (&record["session"], Counts::new());
    for what in strings(&session["verbatim"]["made"]) {
        *counts.entry(what.to_owned()).or_default() += 1;
    }
    let layouts = &session["verbatim"]["paths"];
    let mut entries: Vec<&Value> = session["entries"].as_array().into_iter().flatten().collect();
    while let Some(entry) = entries.pop() {
        entries.extend(entry["children"].as_array().into_iter().flatten());
        let own = entry["verbatim"]["case"].as_str().map(str::to_owned);
        let name = own.unwrap_or_else(|| {
            let kind = entry["type"].as_str().unwrap_or_default();
            let event = entry["event-type"].as_str().filter(|_| kind == "system-event");
            event.map_or_else(|| kind.to_owned(), |event| format!("{kind}/{event}"))
        });
        for key in strings(&layouts[&name]["made"]).chain(strings(&entry["verbatim"]["made"])) {
            *counts.entry(format!("session.entries[].{key}")).or_default() += 1;
        }
    }
    counts
}

/// The marks of made values in a stead document, by their place.
fn marks_of_document(document: &Value) -> Counts {
    let mut counts = Counts::new();
    for what in strings(&document["extensions"]["verbatim"]["made"]) {
        *counts.entry(what.to_owned()).or_default() += 1;
    }
    for event in document["events"].as_array().into_iter().flatten() {
        let ours = &event["extensions"]["verbatim"];
        for key in strings(&ours["made"]) {
            *counts.entry(format!("events[].payload.{key}")).or_default() += 1;
        }
        if ours["inferred_time"] == true {
            *counts.entry("events[].timestamp".to_owned()).or_default() += 1;
        }
    }
    counts
}

fn holds(session: &Session) {
    let options = Options::default();
    let uid = session.uid();
    let bytes: usize = session.bundle.members.iter().map(|member| member.bytes().len()).sum();
    let ledger = vac::ledger(session, &options).expect("a ledger");
    tiles(session, &ledger);
    let record = vac::record(session, &options);
    if let Ok(text) = serde_json::from_slice(&record) {
        assert_eq!(made(&ledger), marks_of_record(&text), "{uid}");
    }
    if bytes < SHORT {
        gives_back(session, &ledger, vac::restore(&record).expect("a record").bundle);
    }
    let ledger = stead::ledger(session, &options).expect("a ledger");
    tiles(session, &ledger);
    let mut document = Vec::new();
    stead::write_document(session, &options, &mut document).expect("memory takes it");
    if let Ok(text) = serde_json::from_slice(&document) {
        assert_eq!(made(&ledger), marks_of_document(&text), "{uid}");
    }
    if bytes < SHORT {
        gives_back(session, &ledger, stead::restore(&document).expect("a document").bundle);
    }
}

#[test]
fn ledgers_are_complete_and_true() {
    let sources = sources();
    let all = |sources: &[Source]| {
        for source in sources {
            let bundle = Arc::new(catalog::bundle(source).0);
            source.format.read(bundle).iter().for_each(holds);
        }
    };
    let half = sources.len() / 2;
    std::thread::scope(|scope| {
        scope.spawn(|| all(&sources[half..]));
        all(&sources[..half]);
    });
}

/// A writer that takes nothing has dropped everything, and need not say so.
#[test]
fn fields_that_nobody_takes_are_dropped() {
    for source in sources().into_iter().take(40) {
        let bundle = Arc::new(catalog::bundle(&source).0);
        for session in source.format.read(bundle) {
            let ledger = Account::of(&session).close();
            let dropped = |fate| matches!(fate, Fate::Dropped(_));
            assert!(ledger.fates(&session).all(|(_, _, fate)| dropped(fate)));
            assert_eq!(ledger.fates(&session).count(), owned(&session).count());
            let rows = ledger.rows(&session);
            let told: u64 = rows.iter().map(|row| row.count).sum();
            let secrets = |(_, _, fate)| fate == Fate::Dropped(Cause::Secret);
            let secrets = ledger.fates(&session).filter(|row| secrets(*row)).count();
            assert_eq!(told as usize + secrets, owned(&session).count());
        }
    }
}

/// A call and a result that say nothing: each made value has its row, and its mark.
#[test]
fn nothing_is_made_up_in_silence() {
    let block = |kind: &str, role: &str| {
        let head = r#""uuid":"u","sessionId":"s1","timestamp":"2026-08-02T09:14:06Z""#;
        format!(
            "{{\"type\":\"{role}\",{head},\"message\":{{\"role\":\"{role}\",\
             \"content\":[{{\"type\":\"{kind}\"}}]}}}}\n"
        )
    };
    let text = block("tool_use", "assistant") + &block("tool_result", "user");
    let member = Member::new("s1.jsonl", Stream::Main, text.into_bytes()).expect("a short file");
    let format = by_name("claude-code").expect("a format in the registry");
    let sessions = format.read(Arc::new(Bundle::of(member)));
    let session = &sessions[0];
    assert!(session.events().any(|event| event.kind == Kind::ToolResult));
    let places = |target: &str| -> Vec<String> {
        let target = by_name(target).expect("a format in the registry");
        let rows = target.write(session).expect("a document").rows;
        assert!(rows.iter().all(|row| row.fate.is_none()));
        rows.iter().map(LedgerRow::name).collect()
    };
    assert_eq!(
        places(vac::NAME),
        [
            "session.agent-meta.model-id",
            "session.agent-meta.model-provider",
            "session.entries[].input",
            "session.entries[].name",
            "session.entries[].output",
            "session.entries[].status",
        ]
    );
    assert_eq!(
        places(stead::NAME),
        [
            "events[].payload.call_id (2 values)",
            "events[].payload.input",
            "events[].payload.ok",
            "events[].payload.tool_name",
            "events[].timestamp (2 values)",
            "metadata.project_root",
        ]
    );
}
