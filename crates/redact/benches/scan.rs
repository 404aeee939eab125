//! Speed of looking for secrets: `cargo bench -p verbatim-evidence --bench scan`, over the real
//! sessions, or over the files behind `--`. Prints MB per second of one core for each step, best
//! of several runs, and the costs beside each other.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use verbatim_redact::rules::Rules;
use verbatim_redact::{Glance, Profile, RedactionOptions, Redactor, TagKey, plain};

const RUNS: usize = 5;
/// The largest number of real sessions.
const MOST: usize = 40;

fn best(name: &str, total: usize, mut run: impl FnMut()) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run();
        least = least.min(started.elapsed());
    }
    println!("{name:10} {:8.1} MB/s", total as f64 / 1e6 / least.as_secs_f64());
    least.as_secs_f64()
}

fn lines_of_json(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => lines_of_json(&path, found),
            false if path.extension().is_some_and(|end| end == "jsonl") => found.push(path),
            false => {}
        }
    }
}

fn files() -> Vec<PathBuf> {
    let named = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let mut files: Vec<PathBuf> = named.map(PathBuf::from).collect();
    if let (true, Some(corpus)) = (files.is_empty(), samples::corpus()) {
        lines_of_json(&corpus.join("codex"), &mut files);
        files.sort();
        files.truncate(MOST);
    }
    files
}

fn main() {
    let texts: Vec<Vec<u8>> =
        files().iter().map(|file| std::fs::read(file).expect("readable")).collect();
    let total = texts.iter().map(Vec::len).sum();
    let key = TagKey::of(&[7; 32]).expect("long enough");
    let options = RedactionOptions::new(Profile::Secrets, key);
    let redactor = Redactor::new(Rules::shipped().expect("valid"), options);
    let session = |text: &Vec<u8>| plain::session("x", text.clone()).expect("short enough");
    let sessions: Vec<_> = texts.iter().map(session).collect();
    println!("{} files, {:.1} MB", texts.len(), total as f64 / 1e6);
    let read = best("read", total, || texts.iter().for_each(|text| drop(session(text))));
    let glance = best("glance", total, || {
        let mut glance = Glance::default();
        texts.iter().for_each(|text| glance.look(text));
        assert!(glance.end() <= total);
    });
    let scan = best("scan", total, || {
        for session in &sessions {
            redactor.scan_report(&[session], &[]).expect("scanned");
        }
    });
    let redact = best("redact", total, || {
        for session in &sessions {
            let draft = redactor.draft(&[session], &[]).expect("drafted");
            let after = vec![plain::again(&draft.bundle)];
            redactor.verified(&draft, &[session], after, &[]).expect("verified");
        }
    });
    println!("glance / read {:.2}, scan / read {:.1}", glance / read, scan / read);
    println!("redact / scan {:.2}", redact / scan);
}
