//! The proof: it holds for correct readings, and fails for each reader or writer that drops or
//! changes something.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;

use formats::{Candidate, Claim, Format, FormatData, WriteError, Written};
use session::harm::Parts;
use session::{Bundle, Member, Memory, Session, Stream};
use verbatim_operations::check::{Checked, Depth, prove};

use ::catalog as catalog_crate;

#[path = "../../catalog/tests/tiny/mod.rs"]
mod tiny;
use tiny::{TALK, Tiny};

/// A format that reads and writes like `Tiny`, and then introduces a fault.
struct Harmful {
    read: fn(&mut Vec<Session>),
    write: fn(&mut Written),
}

impl Format for Harmful {
    fn data(&self) -> &'static FormatData {
        Tiny.data()
    }
    fn claim(&self, file: &Candidate<'_>) -> Claim {
        Tiny.claim(file)
    }
    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut sessions = Tiny.read_with(bundle, memory);
        (self.read)(&mut sessions);
        sessions
    }
    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        let mut written = Tiny.write(session)?;
        (self.write)(&mut written);
        Ok(written)
    }
}

fn checked(format: &'static dyn Format, text: &str, depth: Depth) -> Checked {
    let member = Member::new("one.tiny", Stream::Main, text.into()).unwrap();
    prove(format, Bundle::of(member), vec![PathBuf::from("/x/one.tiny")], depth)
}

#[test]
fn nothing_is_lost_where_nothing_is_broken() {
    let checked = checked(&Tiny, TALK, Depth::Full);
    assert_eq!(checked.lost, []);
    assert_eq!((checked.records, checked.missing), (7, 0));
    // The leaves of each record: 4; 2 + 1 + 2, 1 + 1 + 2 + 1; 1 + 4 + 2; 2; 2 + 1.
    assert_eq!(checked.leaves, Some(4 + 9 + 6 + 2 + 3));
    let damaged: Vec<(u64, &str, bool)> =
        checked.damaged.iter().map(|d| (d.line, d.why.as_str(), d.mended)).collect();
    assert_eq!(
        damaged,
        [
            (4, "an array, a text or a number in place of a record", false),
            (5, "something follows the value", true),
            (6, "the value is cut off", false)
        ]
    );
    let drift: Vec<&str> = checked.drift.listed().map(|(s, _)| s.what.as_str()).collect();
    assert_eq!(drift, ["(without a type)", "said: inner.a", "said: other"]);
}

fn harm(sessions: &mut [Session], record: usize, change: impl Fn(&mut Parts<'_>, usize)) {
    let event = sessions[0].events().position(|e| e.origin.record as usize == record).unwrap();
    let before: usize = sessions[0].events().take(event).map(|e| e.fields().len()).sum();
    let mut parts = Parts::of(&mut sessions[0]);
    let field = parts.own_field(before).unwrap();
    change(&mut parts, field);
}

type Harm = (&'static str, fn(&mut Vec<Session>));

const READERS: &[Harm] = &[
    ("drops a field", |s| harm(s, 0, |parts, at| parts.remove_field(at))),
    ("drops a field of an inner object", |s| harm(s, 2, |parts, at| parts.remove_field(at + 2))),
    ("drops an element", |s| harm(s, 1, |parts, at| parts.remove_field(at + 2))),
    ("repeats a field", |s| harm(s, 1, |parts, at| parts.repeat_field(at))),
    ("swaps the values of two fields", |s| harm(s, 0, |parts, at| parts.swap_values(at, at + 1))),
    ("moves a value by a byte", |s| harm(s, 0, |parts, at| parts.shift_value(at))),
    ("skips a record", |s| Parts::of(&mut s[0]).remove_record(1)),
    ("makes no event of a record", |s| Parts::of(&mut s[0]).remove_event(0)),
    ("ends a record early", |s| Parts::of(&mut s[0]).shorten_record(0)),
    ("reads nothing", Vec::clear),
    ("reads other bytes", |s| {
        let text = TALK.replace("paint", "print");
        let member = Member::new("one.tiny", Stream::Main, text.into()).unwrap();
        *s = Tiny.read(Arc::new(Bundle::of(member)));
    }),
];

type Spoil = (&'static str, fn(&mut Written));

const WRITERS: &[Spoil] = &[
    ("changes a byte", |w| w.files[0].1.to_mut()[7] ^= 1),
    ("drops the last byte", |w| w.files[0].1.to_mut().truncate(TALK.len() - 1)),
    ("adds a byte", |w| w.files[0].1.to_mut().push(b'\n')),
    ("forgets the file", |w| w.files.clear()),
    ("renames the file", |w| w.files[0].0.push('x')),
];

fn leaked(read: fn(&mut Vec<Session>), write: fn(&mut Written)) -> &'static dyn Format {
    Box::leak(Box::new(Harmful { read, write }))
}

#[test]
fn every_reader_that_breaks_its_promise_is_found_out() {
    for (what, read) in READERS {
        for depth in [Depth::Quick, Depth::Full, Depth::Deep] {
            let checked = checked(leaked(*read, |_| {}), TALK, depth);
            assert!(!checked.lost.is_empty(), "a reader that {what} passed ({depth:?})");
        }
    }
}

#[test]
fn every_writer_that_breaks_its_promise_is_found_out() {
    for (what, write) in WRITERS {
        let checked = checked(leaked(|_| {}, *write), TALK, Depth::Deep);
        assert!(!checked.lost.is_empty(), "a writer that {what} passed");
    }
}

#[test]
fn the_witness_alone_counts_what_is_missing() {
    let drop = |s: &mut Vec<Session>| harm(s, 0, |parts, at| parts.remove_field(at));
    let checked = checked(leaked(drop, |_| {}), TALK, Depth::Full);
    assert_eq!(checked.missing, 1);
    let lost = checked.lost.iter().find(|lost| lost.what.contains("other values")).unwrap();
    assert_eq!((lost.line, lost.byte), (1, 6), "{lost:?}");
}

#[test]
fn json_that_was_kept_unread_is_a_loss() {
    let blind = |s: &mut Vec<Session>| {
        let text = String::from_utf8(s[0].bundle.bytes(0).to_vec()).unwrap();
        let bad = text.replace("\"one\"", "nope!");
        let member = Member::new("one.tiny", Stream::Main, bad.into()).unwrap();
        let bundle = Arc::clone(&s[0].bundle);
        *s = Tiny.read(Arc::new(Bundle::of(member)));
        s[0].bundle = bundle;
    };
    let checked = checked(leaked(blind, |_| {}), "{\"id\":\"one\"}\n", Depth::Full);
    assert!(checked.lost.iter().any(|lost| lost.what.contains("not read")), "{:?}", checked.lost);
}
