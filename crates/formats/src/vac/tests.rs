//! What a record promises: it holds the session, whatever wrote it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use session::{Bundle, Member, Session, Stream, proof};

use super::{Vac, differences, record, restore};
use crate::{ALL, Format, Options, trial};

/// Calls `check` with every session of every format: those of the samples, and the real ones.
fn every_session(check: impl Fn(&Session)) {
    let corpus = samples::corpus();
    for &format in ALL {
        let folder = format.name().replace('-', "_");
        let mut folders = vec![trial::samples(&folder, "")];
        if let Some(corpus) = &corpus {
            folders.extend(below(&corpus.join(format.name())));
        }
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            let opened = trial::open(format, folder);
            opened.sessions.values().flatten().for_each(&check);
        }
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// `None` for what is no JSON, and for what lies too deep to be compared.
fn json(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

/// Holds each native record to what the record gives back.
fn compare(session: &Session, restored: &[u8]) {
    let name = session.bundle.members.first().map_or("", |member| &member.name);
    let mut rest = restored;
    for record in &session.records {
        let native = session.record_bytes(record);
        let length = match rest.starts_with(native) {
            true => native.len(),
            false => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
        };
        if length != native.len() || json(native).is_some() {
            let found = json(&rest[..length]);
            assert_eq!(found, json(native), "{name}:{}", record.line);
        }
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    assert!(rest.is_empty(), "{name}: more than there was");
}

#[test]
fn the_record_alone_gives_back_every_native_value() {
    every_session(|session| {
        let name = session.bundle.members.first().map_or("", |member| &member.name);
        let restored = restore(&record(session, &Options::default()))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(restored.format, session.format);
        let members = restored.bundle.members.iter();
        let text: Vec<u8> = members.flat_map(|member| member.bytes()).copied().collect();
        compare(session, &text);
    });
}

#[test]
fn a_record_read_back_is_the_session() {
    every_session(|session| {
        let text = record(session, &Options::default());
        let read = Vac.read(Arc::new(Bundle::of(member("a.vac.json", text))));
        assert_eq!(proof::check(&read, 3), [], "{}", session.uid());
        assert_eq!(read.len(), 1, "{}", session.uid());
        assert_eq!(differences(session, &read[0]), Vec::<String>::new(), "{}", session.uid());
    });
}

fn member(name: &str, bytes: Vec<u8>) -> Member {
    Member::new(name, Stream::Main, bytes).expect("a member")
}

#[test]
fn with_the_bytes_in_it_a_record_gives_back_every_byte() {
    every_session(|session| {
        // What is long takes long to compress, and nothing in it is different.
        let length: usize = session.bundle.members.iter().map(|member| member.bytes().len()).sum();
        if length > 2 << 20 {
            return;
        }
        let options = Options { embed: true, pretty: true };
        let restored = restore(&record(session, &options)).expect("a record");
        assert!(restored.exact);
        let stored = session.bundle.members.iter().map(|member| member.stored_bytes());
        let back = restored.bundle.members.iter().map(|member| member.bytes());
        assert!(stored.eq(back), "{}", session.uid());
    });
}
