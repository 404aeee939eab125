//! Speed of reading into complete events, against two rivals in the same process and in turn:
//! `serde_json::Value` over the same bytes, and a bare newline and UTF-8 scan.
//!
//! `cargo bench -p verbatim-bench [-- FORMAT…]` prints, for each format, the speed of each rival
//! and the ratio pair by pair: machines are noisy, a ratio within one round is not. If the corpus
//! is present it is read, otherwise the samples, repeated.
//!
//! A format with short files has two rows: the files as they are, and each file grown to a megabyte
//! (`grown.rs`). Files without any JSON (plain text, databases) and dumps of databases are left
//! out: the rival has nothing to read there.

#![allow(clippy::print_stdout)]

mod grown;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use formats::{Candidate, Claim, Format, Role};
use session::{Bundle, Member, Stream};

/// Number of rounds. The median is reported.
const ROUNDS: usize = 9;

/// Bytes read between two looks at the clock. A block is large enough to hide which rival must
/// request from the system the memory that another has just returned.
const BLOCK: usize = 128_000_000;

/// Average file length in bytes below which files are also grown.
const SHORT: usize = 256 * 1024;

fn main() {
    let shared = samples::corpus();
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    for format in formats::ALL {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == format.name()) {
            continue;
        }
        let root = match &shared {
            Some(corpus) if corpus.join(format.name()).is_dir() => corpus.join(format.name()),
            _ => sample_folder(*format),
        };
        let bundles = bundles(*format, &root);
        if bundles.is_empty() {
            continue;
        }
        compare(*format, "as they are", &bundles);
        if length(&bundles) / bundles.len() < SHORT {
            let grown = |bundle| grown::grown(*format, bundle);
            let grown: Vec<_> = bundles.iter().filter_map(grown).collect();
            if !grown.is_empty() {
                compare(*format, "grown", &grown);
            }
        }
    }
}

fn sample_folder(format: &dyn Format) -> PathBuf {
    samples::format(format.name()).join("samples")
}

/// Each claimed file that contains JSON, as its own bundle.
fn bundles(format: &dyn Format, root: &Path) -> Vec<Arc<Bundle>> {
    let mut bundles = Vec::new();
    for path in files(root) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let name = path.to_string_lossy().replace('\\', "/");
        let file = Candidate::of(&name, &bytes);
        if let Claim::Part { role: Role::Main | Role::Sub(_), .. } = format.claim(&file)
            && !name.ends_with(".dump.jsonl")
            && values(&bytes) > 0
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let member = Member::new(name, Stream::Main, bytes);
            bundles.extend(member.map(|member| Arc::new(Bundle::of(member))));
        }
    }
    bundles
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Total length, in bytes.
fn length(bundles: &[Arc<Bundle>]) -> usize {
    bundles.iter().map(|bundle| bundle.bytes(0).len()).sum()
}

fn compare(format: &dyn Format, which: &str, bundles: &[Arc<Bundle>]) {
    let size = length(bundles);
    let repeats = BLOCK.div_ceil(size.max(1));
    let mut rounds = Vec::new();
    let mut events = 0;
    for _ in 0..ROUNDS {
        let ours = timed(|| {
            events = 0;
            for _ in 0..repeats {
                for bundle in bundles {
                    let sessions = black_box(format.read(Arc::clone(bundle)));
                    events += sessions.iter().map(session::Session::len).sum::<usize>();
                }
            }
        });
        let value = timed(|| {
            repeat(repeats, bundles, |bytes| {
                black_box(values(bytes));
            })
        });
        let scan = timed(|| repeat(repeats, bundles, scan));
        rounds.push((ours, value, scan));
    }
    let median = |pick: fn(&(f64, f64, f64)) -> f64| {
        let mut figures: Vec<f64> = rounds.iter().map(pick).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    let speed = |seconds: f64| (size * repeats) as f64 / seconds / 1e9;
    println!(
        "{:<12} {which:<12} {:>8.2} MB {:>8} events   read {:.2} GB/s   \
         Value {:.2} GB/s ({:.1}x)   scan {:.2} GB/s ({:.2}x)",
        format.name(),
        size as f64 / 1e6,
        events / repeats,
        speed(median(|round| round.0)),
        speed(median(|round| round.1)),
        median(|round| round.1 / round.0),
        speed(median(|round| round.2)),
        median(|round| round.2 / round.0),
    );
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn repeat(times: usize, bundles: &[Arc<Bundle>], work: fn(&[u8])) {
    for _ in 0..times {
        bundles.iter().for_each(|bundle| work(bundle.bytes(0)));
    }
}

/// Number of values in the bytes, each parsed as a `serde_json::Value`. If a line fails, parsing
/// continues with the next line.
fn values(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut stream =
            serde_json::Deserializer::from_slice(rest).into_iter::<serde_json::Value>();
        while let Some(Ok(value)) = stream.next() {
            black_box(&value);
            count += usize::from(value.is_object() || value.is_array());
        }
        let read = stream.byte_offset();
        let next = memchr::memchr(b'\n', &rest[read..]).map_or(rest.len(), |at| read + at + 1);
        rest = &rest[next..];
    }
    count
}

fn scan(bytes: &[u8]) {
    black_box(memchr::memchr_iter(b'\n', bytes).count());
    black_box(simdutf8::basic::from_utf8(bytes).is_ok());
}
