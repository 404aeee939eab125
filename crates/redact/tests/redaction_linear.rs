//! Cost of a redaction: linear in its input, whatever that contains.

use std::io::Write as _;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use verbatim_redact::rules::Rules;
use verbatim_redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

/// A text of about a number of kilobytes.
type Made = fn(usize) -> String;

const KINDS: &[(&str, Made)] = &[
    ("headers of keys", |size| format!("-----BEGIN {0} KEY-----", "PRIVATE").repeat(size * 37)),
    ("ends of keys", |size| format!("-----END {0} KEY----- x", "PRIVATE").repeat(size * 37)),
    ("names of values", |size| "api_key=".repeat(size * 125)),
    ("backslashes", |size| format!("word{}", "\\".repeat(300)).repeat(size * 3)),
    ("quotes", |size| "a'b\"c".repeat(size * 200)),
    ("tags", |size| "ab<b>c</b>".repeat(size * 100)),
    ("percent signs", |size| "ab%41c".repeat(size * 160)),
    ("cut lines", |size| "abcdef0123456789abcd\n".repeat(size * 47)),
    ("numbers", |size| "12, ".repeat(size * 250)),
    ("equal signs", |size| "a=\nb=41".repeat(size * 140)),
    ("digits of Base64", |size| STANDARD.encode("a text of words ".repeat(size * 47))),
    ("Base64 many times", |size| {
        (0..12).fold("hello ".repeat(size * 5), |text, _| STANDARD.encode(text))
    }),
    ("letters apart", |size| "a . . . b 9 . c ".repeat(size * 62)),
    ("letters in a list", |size| "g h p _ ".repeat(size * 125)),
    ("numbers apart", |size| "chr(103)+chr(999)+".repeat(size * 55)),
    ("positions of numbers", |size| "\"0\":1,\"1\":2,\"2\":300,".repeat(size * 50)),
    ("letters as numbers between commas", |size| "103,104,".repeat(size * 125)),
    ("letters as numbers between commas and spaces", |size| "103, 104, ".repeat(size * 100)),
    ("consecutive numbers", |size| (0..size * 170).map(|at| format!("{},", at % 65_536)).collect()),
    ("positions of letters", |size| {
        (0..size * 90).map(|at| format!("\"{}\":103,", at % 65_536)).collect()
    }),
    ("letters between dashes", |size| "a-".repeat(size * 500)),
    ("escapes of bytes", |size| "\\x67\\x68".repeat(size * 125)),
    ("words of PDF", |size| "stream\nx".repeat(size * 125)),
    ("paths of Base64", |size| "/QUJDREVGR0hJSktMTU5P/".repeat(size * 45)),
    ("spelled containers", |size| "x\\x9c\\x03a".repeat(size * 90)),
    ("beginnings of containers", |size| {
        STANDARD.encode(b"a\0\x02\x1f\x8b\x08\0\0PK\x03\x04".repeat(size * 55))
    }),
    ("lines of Base64", |size| "> QUJDREVGR0hJSktMTU5PUFFSU1RVVldY\n".repeat(size * 28)),
    ("findings", |size| (0..size * 40).map(|at| format!("password=kW7v{at}Qz5r ")).collect()),
    ("packed zeros", |size| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&vec![0; 1 << 20]).expect("memory");
        format!("{} ", STANDARD.encode(packed.finish().expect("memory"))).repeat(size / 8 + 1)
    }),
];

/// The time of a draft by a redactor that has seen no text before: it keeps what is clean.
fn time(text: &str) -> Duration {
    let line = format!("{}\n", serde_json::json!({ "content": text }));
    let session = plain::session("a", line.into_bytes()).expect("short");
    let run = || {
        let options = RedactionOptions::new(Profile::Share, TagKey::new([3; 32]));
        let redactor = Redactor::new(Rules::shipped().expect("shipped"), options);
        let start = Clock::now();
        redactor.draft(&[&session], &[]).expect("drafted");
        start.elapsed()
    };
    run().min(run())
}

/// The time that this thread computes; where the system doesn't tell, the time that passes.
enum Clock {
    Computed(u64),
    Passed(Instant),
}

impl Clock {
    fn now() -> Self {
        computed().map_or_else(|| Self::Passed(Instant::now()), Self::Computed)
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::Computed(start) => Duration::from_nanos(computed().unwrap_or(*start) - start),
            Self::Passed(start) => start.elapsed(),
        }
    }
}

fn computed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

#[test]
fn four_times_the_text_costs_at_most_eight_times_as_much() {
    for (kind, made) in KINDS {
        // A machine that does other things meanwhile makes a figure too large, never too small.
        let is_linear = (0..3).any(|_| {
            let (one, four) = (time(&made(100)), time(&made(400)));
            println!("{kind}: {one:?} {four:?}");
            four <= one * 8 + Duration::from_millis(40)
        });
        assert!(is_linear, "{kind}");
    }
}
