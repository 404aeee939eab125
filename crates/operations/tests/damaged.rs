//! Any bytes as a session of any agent: each writer writes it or refuses it, and what is written is
//! proven. `VERBATIM_SECONDS` lets it run longer (the fuzz target `writers` does the same).
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Root, Source, bundle, scan};
use formats::{Format, Options};
use session::{Bundle, Member, Session, Stream, UtcTime};
use verbatim_operations::prove_conversion;

/// A generator of numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// One change: a byte, a part that is gone or doubled, or two lines in another order.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let at = numbers.below(bytes.len());
    let end = bytes.len().min(at + 1 + numbers.below(60));
    match numbers.below(5) {
        0 => bytes[at] = numbers.below(256) as u8,
        1 => drop(bytes.drain(at..end)),
        2 => {
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        3 => {
            let words: [&[u8]; 6] = [b"null", b"\"\"", b"[]", b"{}", b"\\ud800", b"true"];
            let word = words[numbers.below(words.len())];
            bytes.splice(at..at, word.iter().copied());
        }
        _ => {
            let mut lines: Vec<Vec<u8>> =
                bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let (a, b) = (numbers.below(lines.len()), numbers.below(lines.len()));
            lines.swap(a, b);
            *bytes = lines.join(&b'\n');
        }
    }
}

/// Converts a session to each agent; gives the faults.
fn faults(session: &Session) -> (usize, Vec<String>) {
    let (mut done, mut faults) = (0, Vec::new());
    let options = Options { untimed: Some(UtcTime(1_780_000_000_000_000)), ..Options::default() };
    let targets = formats::ALL.iter().copied().filter(|format| format.data().target.is_some());
    for target in targets.filter(|target| target.name() != session.format) {
        let Ok(written) = formats::write_with(target, session, &options) else { continue };
        let proof = prove_conversion(session, target, &written);
        done += 1;
        faults.extend(proof.faults.into_iter().map(|fault| format!("{}: {fault}", target.name())));
    }
    (done, faults)
}

fn read(format: &dyn Format, name: &str, bytes: Vec<u8>) -> Vec<Session> {
    let member = Member::new(name, Stream::Main, bytes);
    let Some(member) = member.map(|member| format.decode(member)) else { return Vec::new() };
    format.read(Arc::new(Bundle { members: vec![member] }))
}

#[test]
fn damaged_sessions_are_converted_and_proven() {
    let root = Root::named(samples::workspace().join("crates/formats/src"));
    let mut sources = scan(formats::ALL, &[root]).sources;
    sources.retain(|source| !source.format.is_document());
    let members: Vec<(&dyn Format, String, Vec<u8>)> = sources
        .iter()
        .filter_map(|source: &Source| {
            let bundle = bundle(source).0;
            let member = bundle.members.first()?;
            let small = (1..40_000).contains(&member.bytes().len());
            small.then(|| (source.format, member.name.clone(), member.bytes().to_vec()))
        })
        .collect();
    assert!(members.len() > 20, "{}", members.len());
    let seconds = std::env::var("VERBATIM_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let (mut numbers, mut round, mut done) = (Numbers(20_260_301), 0, 0);
    while round < 120 || Instant::now() < end {
        let (format, name, bytes) = &members[numbers.below(members.len())];
        let mut bytes = bytes.clone();
        for _ in 0..1 + numbers.below(4) {
            if !bytes.is_empty() {
                damage(&mut bytes, &mut numbers);
            }
        }
        for session in read(*format, name, bytes.clone()) {
            let (count, faults) = faults(&session);
            done += count;
            let text = String::from_utf8_lossy(&bytes);
            assert!(faults.is_empty(), "round {round}, {name}: {faults:#?}\n{text}");
        }
        round += 1;
    }
    assert!(done > 200, "{done} conversions");
}
