//! Speed of looking for secrets: `cargo bench -p verbatim-evidence --bench scan -- FILES`. Prints
//! MB per second of one core for each step, best of several runs; without files over the samples.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use verbatim_evidence::redact::rules::Rules;
use verbatim_evidence::redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

const RUNS: usize = 5;

fn best(name: &str, total: usize, mut run: impl FnMut()) {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run();
        least = least.min(started.elapsed());
    }
    println!("{name:20} {:8.1} MB/s", total as f64 / 1e6 / least.as_secs_f64());
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let texts: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect(file)).collect();
    let total = texts.iter().map(Vec::len).sum();
    let options =
        RedactionOptions::new(Profile::Secrets, TagKey::of(&[7; 32]).expect("long enough"));
    let redactor = Redactor::new(Rules::shipped().expect("valid"), options);
    let sessions: Vec<_> =
        texts.iter().map(|text| plain::session("x", text.clone()).expect("short")).collect();
    println!("{} files, {:.1} MB", texts.len(), total as f64 / 1e6);
    best("rules load", 1_000_000, || drop(Rules::shipped()));
    best("read", total, || {
        for text in &texts {
            drop(plain::session("x", text.clone()));
        }
    });
    let mut findings = 0;
    best("scan", total, || {
        findings = 0;
        for session in &sessions {
            findings += redactor.scan_report(&[session], &[]).expect("ok").entries.len();
        }
    });
    println!("{findings} findings");
}
