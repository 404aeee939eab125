//! Failures of the proof: if a reader or writer drops or changes something, `check` exits 1.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use formats::{Candidate, Claim, Format, FormatData, WriteError, Written};
use session::harm::Parts;
use session::{Bundle, Memory, Session, UtcTime};
use verbatim_cli::Environment;

mod common;
use common::{ID, put, talk};

/// A format of the registry that introduces a fault.
struct Harmful {
    read: fn(&mut Session),
    write: fn(&mut Written),
}

fn sound() -> &'static dyn Format {
    formats::by_name("claude-code").unwrap()
}

impl Format for Harmful {
    fn data(&self) -> &'static FormatData {
        sound().data()
    }
    fn claim(&self, file: &Candidate<'_>) -> Claim {
        sound().claim(file)
    }
    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut sessions = sound().read_with(bundle, memory);
        (self.read)(&mut sessions[0]);
        sessions
    }
    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        let mut written = sound().write(session)?;
        (self.write)(&mut written);
        Ok(written)
    }
}

/// Exit code and output of `check` with a faulty format.
fn check(read: fn(&mut Session), write: fn(&mut Written), depth: &str) -> (u8, String) {
    let temp = tempfile::tempdir().unwrap();
    put(&temp.path().join(format!("{ID}.jsonl")), &talk(ID, "Paint", "2026-03-01T10:0"));
    let format: &'static dyn Format = Box::leak(Box::new(Harmful { read, write }));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut env = Environment {
        formats: &[format],
        machine: catalog::Machine::default(),
        now: UtcTime(0),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    };
    let mut args = vec!["verbatim".into(), "check".into(), temp.path().as_os_str().to_owned()];
    args.extend((!depth.is_empty()).then(|| depth.into()));
    let code = verbatim_cli::run(args.into_iter(), &mut env);
    assert_eq!(String::from_utf8(err).unwrap(), "");
    (code, String::from_utf8(out).unwrap())
}

type Fault = (&'static str, fn(&mut Session), fn(&mut Written));

const FAULTS: &[Fault] = &[
    ("drops a field", |s| at(s, |parts, at| parts.remove_field(at)), |_| {}),
    ("duplicates a field", |s| at(s, |parts, at| parts.repeat_field(at)), |_| {}),
    ("moves a field", |s| at(s, |parts, at| parts.swap_values(at, at + 1)), |_| {}),
    ("skips a record", |s| Parts::of(s).remove_record(2), |_| {}),
    ("writes one byte differently", |_| {}, |written| written.files[0].1.to_mut()[99] ^= 0x20),
];

/// The depths of a check that must find a fault. Only a deep check writes.
fn depths(what: &str) -> &'static [&'static str] {
    if what.starts_with("writes") { &["--deep"] } else { &["--quick", "", "--deep"] }
}

fn at(session: &mut Session, change: impl Fn(&mut Parts<'_>, usize)) {
    let mut parts = Parts::of(session);
    let field = parts.own_field(0).unwrap();
    change(&mut parts, field);
}

#[test]
fn check_exits_1_on_each_fault() {
    for (what, read, write) in FAULTS {
        for depth in depths(what) {
            let (code, out) = check(*read, *write, depth);
            assert_eq!(code, 1, "a format that {what} passed ({depth}):\n{out}");
            assert!(
                out.contains("LOST") && out.contains(&format!("{ID}.jsonl:")),
                "{what}:\n{out}"
            );
        }
    }
}

#[test]
fn check_exits_0_without_a_fault() {
    let (code, out) = check(|_| {}, |_| {}, "--deep");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("1 session") && out.contains("0 bytes lost"), "{out}");
}
