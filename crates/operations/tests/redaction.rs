//! Law 9: a redacted session has every other byte, is read without new damage, in the same order
//! and pairing, and nothing is found in it again. Over every sample and real session, with any key.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use catalog::{Catalog, Error, Machine, Root, Source, bundle, scan};
use meaning::Calls;
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, Redactor, TagKey};
use session::Session;
use verbatim_operations::check::Depth;

fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.into_iter().map(Root::named).collect();
    scan(formats::ALL, &roots).sources
}

fn redactor(profile: Profile, key: u8) -> Redactor {
    let mut options = RedactionOptions::new(profile, TagKey::new([key; 32]));
    options.users = vec!["alice-q7".into()];
    options.hosts = vec!["zeb-host-9".into()];
    Redactor::new(Rules::shipped().unwrap(), options)
}

fn catalog() -> Catalog<'static> {
    Catalog { formats: formats::ALL, machine: Machine::default() }
}

/// Kinds and pairs of the events of a session, in its order.
fn order(session: &Session) -> Vec<String> {
    let calls = Calls::of(session);
    let event = |event: session::EventRef<'_>| {
        format!("{:?} {:?} {:?}", event.kind, event.standing, calls.result(event.index))
    };
    session.events().map(event).collect()
}

/// Law 9 with one key; with `CI_DEEP=1` with twenty, as no tag may decide whether a session passes.
#[test]
fn every_session_is_redacted_and_keeps_its_order() {
    let keys = if std::env::var_os("CI_DEEP").is_some() { 20 } else { 1 };
    let sources = sources();
    for key in 1..=keys {
        law_9(&sources, key);
    }
}

/// The law over all sources, half of them on each of two threads.
fn law_9(sources: &[Source], key: u8) {
    let halves: Vec<(usize, Vec<String>)> = std::thread::scope(|scope| {
        let half = |first| scope.spawn(move || faults(sources.iter().skip(first).step_by(2), key));
        [half(0), half(1)].map(|half| half.join().unwrap()).into()
    });
    let redacted: usize = halves.iter().map(|(redacted, _)| redacted).sum();
    let faults: Vec<String> = halves.into_iter().flat_map(|(_, faults)| faults).collect();
    let first = &faults[..faults.len().min(40)];
    assert!(faults.is_empty(), "key {key}: {} faults of {redacted}: {first:#?}", faults.len());
    assert!(redacted > 40, "{redacted}");
}

/// Number of the sessions that were redacted, and what breaks the law in them.
fn faults<'s>(sources: impl Iterator<Item = &'s Source>, key: u8) -> (usize, Vec<String>) {
    let (catalog, redactor) = (catalog(), redactor(Profile::Share, key));
    let (mut redacted, mut faults) = (0, Vec::new());
    for source in sources {
        let sessions = source.format.read(Arc::new(bundle(source).0));
        let Some(session) = sessions.iter().find(|session| !session.remainder) else { continue };
        let name = format!("{}: {:?}", session.uid(), source.files[0].path);
        let done = match verbatim_operations::redact(&catalog, session, &redactor) {
            Ok(done) => done,
            Err(error) => {
                faults.push(format!("{name}: {error}"));
                continue;
            }
        };
        redacted += 1;
        if source.format.is_document() {
            continue;
        }
        let before = source.format.read(Arc::clone(&session.bundle));
        // A byte offset in another file is not where it was, which the reader notes and mends.
        let noted = |one: &Session| {
            one.notes.iter().filter(|note| note.why != session::JsonFault::NoPlace).count()
        };
        let notes = |all: &[Session]| all.iter().map(noted).sum::<usize>();
        if order(&before[done.picked]) != order(done.session()) {
            faults.push(format!("{name}: the order changed"));
        }
        if notes(&before) != notes(&done.sessions) {
            faults.push(format!("{name}: another damage"));
        }
        match verbatim_operations::redact(&catalog, done.session(), &redactor) {
            Ok(again) if again.report.entries.is_empty() => {}
            Ok(again) => faults.push(format!("{name}: again {:?}", again.report.entries[0])),
            Err(error) => faults.push(format!("{name}: again {error}")),
        }
    }
    (redacted, faults)
}

/// Whoever cancels an operation gets no result, and no file is written.
#[test]
fn a_cancelled_operation_gives_nothing() {
    let catalog = catalog();
    let folder = samples::workspace().join("crates/formats/src/agents");
    let mut found = scan(formats::ALL, &[Root::named(folder)]);
    found.sources.truncate(2);
    let opened = catalog.read(&found.sources[0]).unwrap();
    let job = &catalog.machine.job;
    let check = || verbatim_operations::check(job, &found, Depth::Quick, &|_| {});
    assert_eq!((check().unwrap().len(), job.done().items), (2, 2));
    job.cancel();
    let is_cancelled = |error: Option<Error>| matches!(error, Some(Error::Cancelled));
    assert!(is_cancelled(check().err()));
    let redactor = redactor(Profile::Share, 7);
    let redaction = verbatim_operations::redact(&catalog, opened.session(), &redactor);
    assert!(is_cancelled(redaction.err()));
    let mut files: Vec<(String, formats::Content)> = Vec::new();
    let options = formats::Options::default();
    let converted =
        verbatim_operations::convert_to(&catalog, opened.session(), "vac", &options, &mut files);
    assert!(is_cancelled(converted.err()) && files.is_empty());
}
