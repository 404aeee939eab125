//! A search by kept places finds the same as one in the session that is redacted as a whole.

use std::path::PathBuf;

use catalog::Machine;
use redact::rules::Rules;
use redact::{Profile, RedactionOptions, TagKey};
use session::Member;

use super::*;

fn redactor() -> Redactor {
    let mut options = RedactionOptions::new(Profile::Share, TagKey::none());
    options.users = vec!["ana".to_owned()];
    Redactor::new(Rules::shipped().unwrap(), options)
}

fn catalog() -> Catalog<'static> {
    Catalog { formats: formats::ALL, machine: Machine::default() }
}

/// The findings in a source as it is.
fn found_in(job: &Job, source: &Source, redactor: &Redactor) -> Option<KeptFindings> {
    findings(job, source, whole(source)?, redactor)
}

/// The texts that a search for a word finds, with the titles.
type Found = Vec<(Option<String>, Vec<TextMatch>)>;

/// In the sessions as the gate lets them through, each opened and redacted by itself or with all of
/// its bundle.
fn by_the_gate(sessions: &[Session], pattern: &Pattern, redactor: &Redactor) -> Option<Found> {
    let mut found = Vec::new();
    for session in sessions.iter().filter(|session| !session.remainder) {
        let done = crate::redact(&catalog(), session, redactor).ok()?;
        if let Some(FoundTexts::Clean { title, hits }) = clean_texts(done.outgoing(), pattern) {
            found.push((title, hits));
        }
    }
    Some(found)
}

/// By the places that are kept.
fn by_places(source: &Source, kept: &KeptFindings, pattern: &Pattern) -> Option<Found> {
    let sessions = source.format.read(Arc::new(bundle(source).0));
    let (entries, memory) = (catalog::summary::entries(source, &sessions), &mut Memory::default());
    let takes = &|_: &Entry| true;
    let matches = clean_matches(source, (kept, entries), (pattern, takes), memory).unwrap()?;
    let texts = |(texts, _): (FoundTexts, Entry)| match texts {
        FoundTexts::Clean { title, hits } => (title, hits),
        FoundTexts::NotYet(_) => panic!("it was redacted"),
    };
    Some(matches.0.into_iter().map(texts).collect())
}

/// Compares both for some words of the redacted session. Returns the number of sources that have
/// findings, of those that have none, and of matches.
fn compare(paths: &[PathBuf], most: u64) -> (usize, usize, usize) {
    let (redactor, job) = (redactor(), Job::default());
    let (mut checked, mut unchecked, mut matched) = (0, 0, 0);
    for source in catalog().find(paths).sources.iter().filter(|source| source.length() < most) {
        let Some(found) = found_in(&job, source, &redactor) else {
            unchecked += 1;
            continue;
        };
        checked += 1;
        let kept = KeptFindings::unpacked(&found.packed()).unwrap();
        assert_eq!(kept, found);
        let sessions = source.format.read(Arc::new(bundle(source).0));
        // Of a document, the gate lets the session through that it records.
        let is_own = |session| matches!(crate::native(&catalog(), session), Ok(None));
        if !sessions.iter().all(is_own) {
            continue;
        }
        for word in ["the", "redacted", "user1", "a", "file"] {
            let pattern = Pattern::words(&[word.to_owned()]).unwrap();
            let Some(expected) = by_the_gate(&sessions, &pattern, &redactor) else { continue };
            // The bytes as they are decide which sources are read: a word that only a placeholder
            // has is not looked for.
            let is_in = |member: &Member| pattern.may_be_in(member.bytes());
            let expected =
                if sessions[0].bundle.members.iter().any(is_in) { expected } else { Vec::new() };
            let ours = by_places(source, &kept, &pattern).expect("the files have not changed");
            assert_eq!(ours, expected, "{word} in {:?}", source.files[0].path);
            matched += ours.iter().map(|(_, hits)| hits.len()).sum::<usize>();
        }
    }
    (checked, unchecked, matched)
}

#[test]
fn a_search_by_places_finds_what_the_gate_lets_through_in_samples() {
    let samples: Vec<PathBuf> =
        samples::formats().iter().map(|folder| folder.join("samples")).collect();
    let (checked, unchecked, matched) = compare(&samples, u64::MAX);
    println!("{checked} sources have findings, {unchecked} have none, {matched} matches");
    assert!(checked > 100 && unchecked * 5 < checked && matched > 500);
}

#[test]
fn a_search_by_places_finds_what_the_gate_lets_through_in_real_sessions() {
    let Some(corpus) = samples::corpus() else { return };
    let deep = std::env::var_os("CI_DEEP").is_some();
    let (checked, unchecked, matched) = compare(&[corpus], if deep { u64::MAX } else { 60_000 });
    println!("{checked} sources have findings, {unchecked} have none, {matched} matches");
    assert!(checked > 50 && unchecked * 5 < checked && matched > 500);
}

/// Places of other bytes, or places that were dropped, show nothing.
#[test]
fn without_its_places_nothing_of_a_session_is_shown() {
    let folder = samples::of_format("claude-code/samples");
    let found = catalog().find(&[folder]);
    let (redactor, job) = (redactor(), Job::default());
    let mut changed = 0;
    for source in &found.sources {
        let Some(kept) = found_in(&job, source, &redactor) else { continue };
        let (bundle, _) = bundle(source);
        let is_same = kept.apply(&bundle).is_some_and(|clean| clean.members == bundle.members);
        if is_same {
            continue;
        }
        // The digest, no texts and no places: nothing is replaced.
        let mut dropped = kept.packed()[..32].to_vec();
        dropped.push(0);
        let dropped = KeptFindings::unpacked(&dropped).unwrap();
        assert!(dropped.apply(&bundle).is_none(), "{:?}", source.files[0].path);
        let mut grown = bundle.clone();
        let member = grown.members.first_mut().unwrap();
        let bytes = [member.bytes(), b"{\"type\":\"user\"}\n"].concat();
        *member = Member::new(&*member.name, member.stream.clone(), bytes).unwrap();
        assert!(kept.apply(&grown).is_none(), "{:?}", source.files[0].path);
        changed += 1;
    }
    assert!(changed > 3, "{changed}");
}

/// Not all sessions are redacted at once: the newest come first, and at least one.
#[test]
fn the_newest_sessions_are_redacted_first() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"type\":\"user\",\"sessionId\":\"5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e01\",\
                \"message\":{\"role\":\"user\",\"content\":\"Mend it.\"},\"uuid\":\"7dd1\"}\n";
    let now = std::time::SystemTime::now();
    let name = |age: u64| format!("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e0{age}.jsonl");
    for age in [3, 1, 4, 2] {
        let path = folder.path().join(name(age));
        std::fs::write(&path, text).unwrap();
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(now - std::time::Duration::from_secs(age * 60)).unwrap();
    }
    let found = catalog().find(&[folder.path().to_path_buf()]);
    let since = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    let later = session::UtcTime(i64::try_from(since.as_micros()).unwrap() + 60_000_000);
    let place = folder.path().join("index.db");
    let index = IndexWriter::open(&place, "test", later).unwrap();
    let bytes = text.len() as u64;
    let taken = |most| {
        let taken = lacking_findings(&found, &index, "rules", most).into_iter();
        taken.map(|source| source.files[0].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(taken(u64::MAX), [1, 2, 3, 4].map(name));
    assert_eq!(taken(2 * bytes), [1, 2].map(name));
    assert_eq!(taken(0), [""; 0]);
    assert_eq!(taken(1), [1].map(name));
    let first = lacking_findings(&found, &index, "rules", bytes);
    let rules: FindingRules<'_> = ("rules", &|| Some(redactor()));
    keep_findings(&Job::default(), &first, &index, rules, &|_| {}).unwrap();
    index.end().unwrap();
    let index = IndexWriter::open(&place, "test", later).unwrap();
    let rest = lacking_findings(&found, &index, "rules", u64::MAX).into_iter();
    let rest: Vec<String> = rest.map(|source| source.files[0].name.clone()).collect();
    assert_eq!(rest, [2, 3, 4].map(name));
}
