//! Cost of a redaction: linear in its input, whatever that contains.

use std::io::Write as _;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
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
    ("paths of Base64", |size| "/QUJDREVGR0hJSktMTU5P/".repeat(size * 45)),
    ("beginnings of containers", |size| {
        STANDARD.encode(b"a\0\x02\x1f\x8b\x08\0\0PK\x03\x04".repeat(size * 55))
    }),
    ("lines of Base64", |size| "> QUJDREVGR0hJSktMTU5PUFFSU1RVVldY\n".repeat(size * 28)),
    ("wide letters", |size| "\u{ff47}\u{ff48}, ".repeat(size * 125)),
    ("digits of databases", |size| format!("\\x{} ", "67".repeat(12)).repeat(size * 37)),
    ("words of mails", |size| "=?utf-8?Q?a=5Fb?= =?utf-8?B?QUJD?= ".repeat(size * 28)),
    ("strings of templates", |size| "ab${\"c\"}d${'".repeat(size * 70)),
    ("positions of traces", |size| "0040: 67 68 70 ghp\n".repeat(size * 52)),
    ("values of forms", |size| "a=b+c+d&e+f=".repeat(size * 83)),
    ("quotes that are doubled", |size| "a\"\"b''c".repeat(size * 125)),
    ("strings over lines", |size| "a value=\"a b\nc\" b=\"\n".repeat(size * 50)),
    ("lines of logs", |size| "2026-03-01T10:00:07Z app | a | b\n".repeat(size * 30)),
    ("rows of times", |size| "2026-03-01 2026-03-02 2026-03-03 ".repeat(size * 30)),
    ("findings", |size| (0..size * 40).map(|at| format!("password=kW7v{at}Qz5r ")).collect()),
    ("packed zeros", |size| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&vec![0; 1 << 20]).expect("memory");
        format!("{} ", STANDARD.encode(packed.finish().expect("memory"))).repeat(size / 8 + 1)
    }),
    ("files of an archive within each other", |size| STANDARD.encode(overlapping(size * 750))),
];

/// A zip archive of about a number of bytes, in which each file is the header of the next one and
/// everything behind it, and the last one is a million zeros.
fn overlapping(size: usize) -> Vec<u8> {
    let mut zeros = DeflateEncoder::new(Vec::new(), Compression::best());
    zeros.write_all(&vec![0; 1 << 20]).expect("memory");
    let header = [&b"PK\x03\x04\x14\0\0\0\x08\0"[..], &[0; 20]].concat();
    // A block of deflate that is stored, with the next header.
    let block = [&[0, 30, 0, !30, !0][..], &header].concat();
    [&header[..], &block.repeat(size / block.len()), &zeros.finish().expect("memory")].concat()
}

/// Documents, of about a number of kilobytes.
const DOCUMENTS: &[(&str, Made)] = &[
    ("texts in each other", |size| nested(size * 25, |at| format!("words of it {at}"))),
    ("findings in each other", |size| nested(size * 3, |at| format!("password=kW7v{at}Qz5rX9"))),
    ("a long name of a list", |size| {
        let values: Vec<String> = (0..size * 40).map(|at| format!("\"value {at}\"")).collect();
        format!("{{\"{}\":[{}]}}", "name ".repeat(size * 100), values.join(","))
    }),
    ("findings under a long name", |size| {
        let values = (0..size * 8).map(|at| format!("\"password=kW7v{at}Qz5rX9\""));
        let values: Vec<String> = values.collect();
        format!("{{\"{}\":[{}]}}", "name ".repeat(size * 100), values.join(","))
    }),
    ("streams of one piece", |size| {
        let line = |at| format!("{{\"type\":\"delta\",\"id\":\"x{at}\",\"delta\":\"par{at}\"}}\n");
        (0..size * 20).map(line).collect()
    }),
    ("names that are all other", |size| {
        let members: Vec<String> =
            (0..size * 40).map(|at| format!("\"k{at}\":\"a value\"")).collect();
        format!("{{{}}}", members.join(","))
    }),
    ("names of users", |size| {
        (0..size * 20).map(|at| format!("{{\"text\":\"/home/user{at}x/a user{at}x\"}}\n")).collect()
    }),
];

/// Objects in lists in objects, each with a text.
fn nested(depth: usize, text: fn(usize) -> String) -> String {
    let open: String =
        (0..depth).map(|at| format!("{{\"text\":\"{}\",\"a\":[", text(at))).collect();
    format!("{open}null{}\n", "]}".repeat(depth))
}

/// The time of a draft by a redactor that has seen no text before: it keeps what is clean.
fn time(text: &str) -> Duration {
    time_once(text).min(time_once(text))
}

fn time_once(text: &str) -> Duration {
    time_by(&redactor(), text)
}

fn redactor() -> Redactor {
    let options = RedactionOptions::new(Profile::Share, TagKey::new([3; 32]));
    Redactor::new(Rules::shipped().expect("shipped"), options)
}

fn time_by(redactor: &Redactor, text: &str) -> Duration {
    time_of(redactor, format!("{}\n", serde_json::json!({ "content": text })))
}

fn time_of(redactor: &Redactor, document: String) -> Duration {
    let session = plain::session("a", document.into_bytes()).expect("short");
    let start = Clock::now();
    redactor.draft(&[&session], &[]).expect("drafted");
    start.elapsed()
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

/// Signs and words that a decoder or a rule begins at, goes on over, or ends at.
const SIGNS: &[&str] = &[
    "a",
    "Z",
    "7",
    "0",
    "f",
    " ",
    "\n",
    "\t",
    "\r",
    "\\",
    "/",
    "\"",
    "'",
    "`",
    "=",
    "==",
    ":",
    ";",
    ",",
    ".",
    "-",
    "_",
    "+",
    "*",
    "|",
    "#",
    "%",
    "&",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "@",
    "~",
    "$",
    "^",
    "!",
    "?",
    "\0",
    "\u{1b}[0m",
    "\u{200b}",
    "\u{e9}",
    "\u{fffd}",
    "\\x41",
    "\\u0041",
    "\\n",
    "%41",
    "%u0041",
    "&#65;",
    "&amp;",
    "=41",
    "=\n",
    "\\\n",
    "\"+\"",
    "' '",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "0x41,",
    "65,",
    "65 ",
    "41 ",
    "00000000: ",
    "QUJD",
    "4142",
    "ghp_",
    "AKIA",
    "sk-",
    "eyJ",
    "password=",
    "token: ",
    "Bearer ",
    "://",
    "user:",
    "Cookie: ",
    "/home/",
    "C:\\Users\\",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "-----END ",
    "H4sI",
    "UEsD",
    "\u{1f}\u{8b}",
    "PK\u{3}\u{4}",
    "stream\n",
    "1. ",
    "> ",
    "+ ",
    "12 | ",
    "   1\u{2192}",
    "chr(65)",
    "\"0\":65,",
    "{\"a\":",
    "[[",
    "]]",
    "[0,",
    "null",
    "<<EOF\n",
    "EOF\n",
    "4111 1111 ",
    "DE89 ",
    "+49 170 ",
    "a@b.de ",
    "10.0.0.1 ",
    "::1 ",
    "correct horse ",
    "name is ",
    "[redacted:",
];

/// A text of so many kilobytes that is made of the same signs again and again.
fn repeated(signs: &[usize], size: usize) -> String {
    let unit: String = signs.iter().map(|&at| SIGNS[at]).collect();
    unit.repeat(size * 1000 / unit.len() + 1)
}

/// Signs of the numbers that follow from a seed, always the same.
fn chosen(seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize
    };
    let number = 1 + next() % 6;
    (0..number).map(|_| next() % SIGNS.len()).collect()
}

/// Texts that nobody chose: one in so many of all pairs of signs, and others of up to six.
#[test]
fn signs_again_and_again_cost_as_much_as_other_texts() {
    let is_deep = std::env::var_os("CI_DEEP").is_some();
    let step = if is_deep { 1 } else { 97 };
    let all = SIGNS.len() * SIGNS.len();
    let pairs = (0..all).step_by(step).map(|at| vec![at / SIGNS.len(), at % SIGNS.len()]);
    let others = (0..all * 2).step_by(step).map(|seed| chosen(seed as u64));
    let kinds: Vec<Vec<usize>> = pairs.chain(others).collect();
    let mut slow = Vec::new();
    // Each text is new to it. Patterns are compiled once.
    let redactor = redactor();
    for kind in &kinds {
        let first = time_by(&redactor, &repeated(kind, 50));
        if first < Duration::from_millis(15) {
            continue;
        }
        let is_linear = (0..3).any(|_| {
            let (one, four) = (time(&repeated(kind, 50)), time(&repeated(kind, 200)));
            println!("{:?}: {one:?} {four:?}", repeated(kind, 0));
            four <= one * 6 + Duration::from_millis(40) && one < Duration::from_millis(400)
        });
        if !is_linear {
            slow.push(repeated(kind, 0));
        }
    }
    assert!(slow.is_empty(), "{} of {}: {slow:?}", slow.len(), kinds.len());
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

/// Containers that unpack to more than is unpacked in a session: the verification looks into as
/// many of them as the scan before it, although the copy is shorter.
#[test]
fn a_session_with_more_than_is_unpacked_is_redacted_once() {
    let text = KINDS.iter().find(|(kind, _)| *kind == "packed zeros").expect("a kind").1(1000);
    let document = format!("{}\n", serde_json::json!({ "content": text }));
    let session = plain::session("a", document.into_bytes()).expect("short");
    let redactor = redactor();
    let draft = redactor.draft(&[&session], &[]).expect("drafted");
    assert!(!draft.findings.is_empty());
    let after = draft.bundle.members[0].bytes().to_vec();
    let after = plain::session("a", after).expect("short");
    let clean = redactor.verified(&draft, &[&session], vec![after], &[]);
    assert!(clean.is_ok(), "{:?}", clean.err().map(|(failure, _)| failure));
}

#[test]
fn four_times_the_document_costs_at_most_eight_times_as_much() {
    let run = |document: String| time_of(&redactor(), document);
    for (kind, made) in DOCUMENTS {
        let is_linear = (0..3).any(|_| {
            let (one, four) = (run(made(100)), run(made(400)));
            println!("{kind}: {one:?} {four:?}");
            four <= one * 8 + Duration::from_millis(40)
        });
        assert!(is_linear, "{kind}");
    }
}

/// A document with the output of a search for files, twice: paths with backslashes, each with the
/// name of a user. The second output goes on where the first one ends.
fn listing(lines: usize) -> String {
    let path = |at: usize| format!("d:\\Users\\Mirela\\Papers\\thesis\\part{at}.tex");
    let paths: Vec<String> = (0..lines).map(path).collect();
    let output = format!("{lines} files:\n{}", paths.join("\n"));
    let call = |id: usize| serde_json::json!({ "id": id, "response": { "output": output } });
    serde_json::json!({ "calls": [call(1), call(2)] }).to_string()
}

#[test]
fn twice_the_findings_in_one_joined_text_cost_twice_as_much() {
    let run = |lines| {
        let once = || time_of(&redactor(), listing(lines));
        once().min(once())
    };
    let is_linear = (0..4).any(|_| {
        let (one, two) = (run(1000), run(2000));
        println!("a listing: {one:?} {two:?}");
        two * 2 <= one * 5 + Duration::from_millis(20)
    });
    assert!(is_linear);
}
