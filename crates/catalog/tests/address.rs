//! Addresses of events: in all samples and real sessions each address finds its event, and stays
//! the same when a file grows.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use session::{Bundle, EventAddress, Member, Session, Transport};
use verbatim_catalog::{Catalog, Source};

/// The least number of events: of the samples alone, or with the real sessions.
fn floor(samples: usize, real: usize) -> usize {
    if samples::corpus().is_some() { real } else { samples }
}

fn sources() -> Vec<Source> {
    let catalog = Catalog { formats: formats::ALL, machine: Default::default() };
    let folders = samples::formats().into_iter().map(|folder| folder.join("samples"));
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.extend(samples::corpus());
    catalog.find(&folders).sources
}

fn read(source: &Source) -> Vec<Session> {
    source.format.read(Arc::new(verbatim_catalog::bundle(source).0))
}

#[test]
fn an_address_leads_back_to_its_event() {
    let mut events = 0;
    for source in sources() {
        for session in read(&source) {
            let mut seen = HashSet::new();
            for event in session.events() {
                let text = event.address().to_string();
                let address: EventAddress = text.parse().unwrap();
                let found = session.find(&address).map(|found| found.index);
                assert_eq!(found, Some(event.index), "{text}");
                assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
                assert!(seen.insert(text));
                events += 1;
            }
            let last = session.events().last().map(|event| event.address());
            let Some(mut behind) = last else { continue };
            behind.part += 1;
            assert!(session.find(&behind).is_none(), "{behind}");
            behind.uid.push('x');
            assert!(session.find(&behind).is_none(), "{behind}");
        }
    }
    assert!(events > floor(1500, 5000), "{events}");
}

/// The bundle in an earlier state: each file has only the complete lines of its first half.
fn half(bundle: &Bundle) -> Bundle {
    let cut = |member: &Member| {
        let bytes = member.bytes();
        let middle = bytes.len() / 2;
        let line = bytes[..middle].iter().rposition(|byte| *byte == b'\n');
        let end = line.map_or(0, |at| at + 1);
        Member::new(member.name.clone(), member.stream.clone(), bytes[..end].to_vec()).unwrap()
    };
    Bundle { members: bundle.members.iter().map(cut).collect() }
}

#[test]
fn an_address_stays_when_the_session_grows() {
    let mut same = 0;
    for source in sources() {
        let (bundle, _) = verbatim_catalog::bundle(&source);
        let plain = |member: &Member| *member.transport() == Transport::Plain;
        let lines = |member: &Member| member.name.ends_with(".jsonl");
        if !bundle.members.iter().all(|member| plain(member) && lines(member)) {
            continue;
        }
        let before = source.format.read(Arc::new(half(&bundle)));
        let after = source.format.read(Arc::new(bundle));
        for old in before.iter().filter(|session| !session.remainder && session.notes.is_empty()) {
            let Some(new) = after.iter().find(|new| new.uid() == old.uid()) else { continue };
            for event in old.events() {
                // A record without a session id may move to another session when a second one
                // appears.
                let Some(found) = new.find(&event.address()) else {
                    assert!(after.len() > before.len(), "{}", event.address());
                    continue;
                };
                assert!(found.bytes() == event.bytes(), "{}", event.address());
                same += 1;
            }
        }
    }
    assert!(same > floor(250, 500), "{same}");
}
