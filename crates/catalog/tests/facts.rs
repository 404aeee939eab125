//! A record contains its source's facts about the whole session: folder, branch, revision and
//! repository, program, models and provider, start and end.

use std::collections::BTreeSet;
use std::sync::Arc;

use formats::{Options, vac};
use serde_json::Value;
use session::{EventRef, Session, Slot, Standing, UtcTime};
use verbatim_catalog::{Catalog, summaries};

/// The texts in a slot over all events. Copies from another session count only if no other event
/// has one.
fn said(session: &Session, slot: Slot) -> BTreeSet<String> {
    let by = |copied: bool| -> BTreeSet<String> {
        let events = session.events().filter(|e| e.standing().is_copied() == copied);
        let values = events.flat_map(|event| values(event, slot));
        values.filter(|text| !text.is_empty()).collect()
    };
    let own = by(false);
    if own.is_empty() { by(true) } else { own }
}

fn values(event: EventRef<'_>, slot: Slot) -> Vec<String> {
    let fields = event.fields().iter().filter(|field| field.slot == slot);
    let texts =
        fields.filter_map(|field| serde_json::from_slice::<Value>(event.value(*field)).ok());
    texts.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn text<'r>(record: &'r Value, pointer: &str) -> Option<&'r str> {
    record.pointer(pointer).and_then(Value::as_str)
}

/// Facts that the record of a session lacks.
fn missing(session: &Session) -> Vec<String> {
    let bytes = vac::record(session, &Options { secrets: true, ..Options::default() });
    let record: Value = serde_json::from_slice(&bytes).expect("a record");
    let mut missing = [places(session, &record), times(session, &record)].concat();
    missing.extend(models(session, &record));
    if record.pointer("/session/environment").is_some() {
        let (inner, outer) = (record.pointer("/session/environment/vcs"), record.get("vcs"));
        missing.extend((inner != outer).then(|| "two version controls".to_owned()));
    }
    let name = text(&record, "/recording-agent/name");
    let version = text(&record, "/recording-agent/version");
    if (name, version) != (Some("verbatim"), Some(env!("CARGO_PKG_VERSION"))) {
        missing.push("the recording agent".to_owned());
    }
    missing.into_iter().map(|what| format!("{}: {what}", session.uid())).collect()
}

fn places(session: &Session, record: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    for (slot, pointer) in [
        (Slot::WorkingDir, "/session/environment/working-dir"),
        (Slot::Branch, "/vcs/branch"),
        (Slot::Revision, "/vcs/revision"),
        (Slot::Repository, "/vcs/repository"),
        (Slot::VersionControl, "/vcs/type"),
        (Slot::Version, "/session/agent-meta/cli-version"),
        (Slot::Provider, "/session/agent-meta/model-provider"),
    ] {
        let said = said(session, slot);
        let told = text(record, pointer);
        let derived = matches!(slot, Slot::Provider | Slot::VersionControl) && said.is_empty();
        if !derived && told.map_or(!said.is_empty(), |told| !said.contains(told)) {
            missing.push(format!("{pointer} is {told:?} of {said:?}"));
        }
    }
    missing
}

fn models(session: &Session, record: &Value) -> Option<String> {
    let own = session.events().filter(|event| !event.standing().is_copied());
    let models = own.flat_map(|event| values(event, Slot::Model));
    let models: BTreeSet<String> =
        models.filter(|model| !model.is_empty() && !model.starts_with('<')).collect();
    let first = text(record, "/session/agent-meta/model-id").expect("a model");
    let told: BTreeSet<String> = match record.pointer("/session/agent-meta/models") {
        Some(all) => all.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None if first == "unknown" => BTreeSet::new(),
        None => BTreeSet::from([first.to_owned()]),
    };
    let right = told == models && (told.is_empty() || told.contains(first));
    (!right).then(|| format!("the models are {told:?} of {models:?}"))
}

fn times(session: &Session, record: &Value) -> Vec<String> {
    let counts =
        |event: &EventRef<'_>| !event.standing().is_copied() && event.standing() != Standing::Echo;
    let own = || session.events().filter(counts);
    let read = |event: EventRef<'_>, slot: Slot| -> Vec<UtcTime> {
        let fields = event.fields().iter().filter(|field| field.slot == slot);
        fields.filter_map(|field| UtcTime::read(event.value(*field))).collect()
    };
    let happened: BTreeSet<UtcTime> = own().filter_map(EventRef::time).collect();
    // A header may record when the session began, also one that is a dated line of the log.
    let began = own().flat_map(|event| read(event, Slot::Started)).min();
    let updated = own().flat_map(|event| read(event, Slot::Updated)).max();
    let saved = own().flat_map(|event| read(event, Slot::Saved)).max();
    let end = happened.last().copied().max(updated).or(saved);
    let main = own().filter(|event| *event.stream() == session::Stream::Main);
    let first = main.filter_map(EventRef::time).min().or(happened.first().copied());
    let start = began.or(first).or(end);
    let end = end.max(began);
    let mut missing = Vec::new();
    for (pointer, time) in
        [("/session/session-start", start), ("/session/session-end", end), ("/created", start)]
    {
        let told = record.pointer(pointer).map(Value::to_string);
        let told = told.and_then(|told| UtcTime::read(told.as_bytes()));
        if told != time {
            missing.push(format!("{pointer} is {told:?}, not {time:?}"));
        }
    }
    missing
}

#[test]
fn every_fact_of_a_session_is_in_its_record() {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for source in Catalog::here().find(&roots).sources {
        if source.format.name() == vac::NAME {
            continue;
        }
        for session in source.format.read(Arc::new(verbatim_catalog::bundle(&source).0)) {
            wrong.extend(missing(&session));
            let places = [Slot::WorkingDir, Slot::Branch, Slot::Revision, Slot::Repository];
            seen.extend(
                places
                    .into_iter()
                    .filter(|slot| !said(&session, *slot).is_empty())
                    .map(|slot| format!("{slot:?}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(seen.len(), 4, "a sample tells of each: {seen:?}");
}

/// A list and the record of a session report the same folder, model, version, start and end. If the
/// session records no end, a list has the modification time of its files.
#[test]
fn a_list_tells_what_the_record_tells() {
    let catalog = Catalog::here();
    let mut compared = 0;
    for source in catalog.find(&[samples::workspace().join("crates/formats/src")]).sources {
        if source.format.is_document() {
            continue;
        }
        let Ok(opened) = catalog.read(&source) else { continue };
        for entry in summaries(&source).expect("entries") {
            let Some(session) = opened.sessions.iter().find(|s| s.id == entry.id) else { continue };
            let bytes = vac::record(session, &Options { secrets: true, ..Options::default() });
            let record: Value = serde_json::from_slice(&bytes).expect("a record");
            let texts = [
                ("/session/environment/working-dir", &entry.folder),
                ("/session/agent-meta/model-id", &entry.model),
                ("/session/agent-meta/cli-version", &entry.version),
            ];
            for (pointer, listed) in texts {
                let told = text(&record, pointer).filter(|told| *told != vac::UNKNOWN);
                let listed = listed.as_deref().filter(|listed| *listed != vac::UNKNOWN);
                assert_eq!(listed, told, "{} {pointer}", session.uid());
            }
            let lasted = meaning::facts::lasted(session);
            let (start, end) = (lasted.start.map(|at| at.instant), lasted.end.map(|at| at.instant));
            let updated = entry.updated.filter(|_| end.is_some());
            assert_eq!((entry.started, updated), (start, end), "{}", session.uid());
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
