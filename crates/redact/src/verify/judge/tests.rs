//! The judge finds a value wherever a harmed redactor forgets it.

use std::io::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde_json::json;
use session::{Member, Stream};

use super::*;

const VALUES: [&str; 2] = ["kW7vQz5rT1x9-pLm4", "kW7vQz5rT1x9pLm4"];
const PLACEHOLDER: &str = "[REDACTED:password:K3J5QZ7RMA]";

fn seen(value: &str, members: &[String]) -> bool {
    let member = |text: &String| {
        Member::new("a.jsonl", Stream::Main, text.clone().into_bytes()).expect("short")
    };
    let bundle = Bundle { members: members.iter().map(member).collect() };
    left(&bundle, std::iter::once(value.as_bytes())).is_some()
}

/// Documents that a harmed redactor leaves: each forgets one kind of place.
fn harmed(value: &str) -> Vec<(&'static str, Vec<String>)> {
    let line = |value: Value| format!("{value}\n");
    let text = format!("it is {value} there");
    let base64 = BASE64_STANDARD_NO_PAD.encode(&text);
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).expect("memory");
    let gzip = BASE64_STANDARD_NO_PAD.encode(gzip.finish().expect("memory"));
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(text.as_bytes()).expect("memory");
    let zlib = BASE64_STANDARD_NO_PAD.encode(zlib.finish().expect("memory"));
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let percent: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let references: String = text.bytes().map(|byte| format!("&#{byte};")).collect();
    let escaped: String = text.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let (a, b) = value.split_at(value.len() / 2);
    let delta = |text: &str| line(json!({ "type": "text_delta", "delta": { "text": text } }));
    let coloured = format!("{a}\u{1b}[1;31m{b}");
    vec![
        ("a string", vec![line(json!({ "text": text }))]),
        ("a name", vec![line(json!({ text.clone(): 1 }))]),
        ("a list", vec![line(json!({ "list": [1, [text]] }))]),
        ("no JSON", vec![format!("{{ \"text: {value}\n")]),
        ("a second line", vec!["{}\n".to_owned() + &line(json!({ "text": text }))]),
        ("a second member", vec!["{}\n".into(), line(json!({ "text": text }))]),
        ("one document", vec![format!("{{\n\"text\": \"{escaped}\"\n}}")]),
        ("escapes", vec![format!("{{\"text\":\"{escaped}\"}}\n")]),
        ("a member of the same name", vec![format!("{{\"a\":\"{value}\",\"a\":1}}\n")]),
        ("JSON in JSON", vec![line(json!({ "a": json!({ "b": coloured }).to_string() }))]),
        ("Base64", vec![line(json!({ "text": format!("got {base64}.") }))]),
        ("hexadecimal digits", vec![line(json!({ "text": hex }))]),
        ("Gzip", vec![line(json!({ "text": gzip }))]),
        ("zlib", vec![line(json!({ "text": zlib }))]),
        ("UTF-16", vec![line(json!({ "text": BASE64_STANDARD_NO_PAD.encode(wide) }))]),
        ("percent encoding", vec![line(json!({ "url": percent }))]),
        ("references", vec![line(json!({ "html": references }))]),
        ("colours", vec![line(json!({ "out": coloured }))]),
        ("a stream", vec![delta(a) + &delta(b)]),
    ]
}

/// The same for what keeps the letters of a value apart, and for what they are packed in.
fn apart(value: &str) -> Vec<(&'static str, Vec<String>)> {
    let line = |value: Value| format!("{value}\n");
    let field = |text: String| vec![line(json!({ "a": text }))];
    let text = format!("it is {value} there");
    let bytes: String = text.bytes().map(|byte| format!("={byte:02X}")).collect();
    let (a, b) = value.split_at(value.len() / 2);
    let delta =
        |text: &str| line(json!({ "type": "delta", "chunk": BASE64_STANDARD_NO_PAD.encode(text) }));
    let stored = [&[7, 0, 9], text.as_bytes(), &[0; 512]].concat();
    vec![
        ("a stream of Base64", vec![delta(&format!("--{a}")) + &delta(b)]),
        ("two texts", vec![line(json!({ "content": [{ "text": a }, { "text": b }] }))]),
        ("a list of numbers", vec![line(json!({ "bytes": text.as_bytes() }))]),
        ("escapes of a program", field(bytes.replace('=', "\\x"))),
        ("quoted-printable", field(bytes)),
        ("a soft break", field(format!("x=3D{a}=\n{b}"))),
        ("zeros between", field(spread(value, "\0"))),
        ("characters without a width", field(spread(value, "\u{200b}"))),
        ("tags", field(format!("<i>{a}</i><b>{b}"))),
        ("strings put together", field(format!("'{a}' + '{b}'"))),
        ("a broken line", field(format!("{a}\\\n  {b}"))),
        ("cut lines with numbers", field(format!("  1\u{2192}{a}\n  2\u{2192}{b}"))),
        ("a dump", field(dump(&text))),
        ("zip", field(zip(&text))),
        ("a picture", field(picture(&text))),
        ("a stored archive", field(BASE64_STANDARD_NO_PAD.encode(stored))),
    ]
}

/// A text with something between its letters.
fn spread(text: &str, between: &str) -> String {
    text.chars().map(|letter| format!("{letter}{between}")).collect()
}

/// A dump as `xxd` prints it.
fn dump(text: &str) -> String {
    let line = |(number, bytes): (usize, &[u8])| {
        let pairs: Vec<String> = bytes
            .chunks(2)
            .map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        let letters = String::from_utf8_lossy(bytes);
        format!("{:08x}: {:<40} {letters}\n", number * 16, pairs.join(" "))
    };
    text.as_bytes().chunks(16).enumerate().map(line).collect()
}

/// A file of a zip archive.
fn zip(text: &str) -> String {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut head = vec![b'P', b'K', 3, 4];
    head.resize(30, 0);
    (head[8], head[26]) = (8, 5);
    BASE64_STANDARD_NO_PAD.encode([&head[..], b"a.txt", &packed].concat())
}

/// A picture with a compressed text.
fn picture(text: &str) -> String {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    let chunk = [b"\x89PNG\r\n\x1a\n\0\0\0\x40zTXtNote\0\0", &packed[..]].concat();
    BASE64_STANDARD_NO_PAD.encode(chunk)
}

#[test]
fn each_of_many_values_is_caught() {
    let value = |number: u32| format!("kW7{number:06}vQz5rT1x9");
    let values: Vec<String> = (0..50_000).map(value).collect();
    let sought: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
    let seen = |text: &str| {
        let text = format!("{}\n", json!({ "text": text })).into_bytes();
        let member = Member::new("a.jsonl", Stream::Main, text).expect("short");
        left(&Bundle { members: vec![member] }, sought.iter().copied()).is_some()
    };
    for number in [0, 7, 25_000, 49_999] {
        assert!(seen(&format!("it is {} there", value(number))), "{number}");
        assert!(seen(&spread(&value(number), " ")), "{number}, apart");
    }
    assert!(!seen(&value(50_000)) && !seen("kW7 and nothing else"));
}

#[test]
fn a_harmed_redactor_is_caught_wherever_it_forgets_a_value() {
    for value in VALUES {
        for (place, members) in harmed(value).into_iter().chain(apart(value)) {
            assert!(seen(value, &members), "{place}: {members:?}");
        }
        for (place, members) in harmed(PLACEHOLDER).into_iter().chain(apart(PLACEHOLDER)) {
            assert!(!seen(value, &members), "{place}: {members:?}");
        }
    }
}

#[test]
fn a_text_that_comes_out_of_many_others_is_looked_at_once() {
    let text = "a%41 \\x42 =43=44=45 &#70; <b>g</b> \u{1b}[1mh\u{1b}[0m\n  1 i\n  2 j\n".repeat(9);
    let sought = Sought::of(vec![Cow::Borrowed(&b"kW7vQz5rT1x9"[..])]);
    let mut judge = Judge {
        sought: &sought,
        letters: &sought,
        least: 12,
        left: 1 << 30,
        unpacked: &Cell::new(1 << 30),
        clean: HashMap::new(),
    };
    assert!(!judge.text(&text, Made::default(), DEPTH));
    let decoded = (1 << 30) - judge.left;
    assert!(decoded < 1000 * text.len() as u64, "{} times", decoded / text.len() as u64);
}

#[test]
fn what_unpacks_to_very_much_is_unpacked_within_one_limit() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![0; 4 << 20]).expect("memory");
    let run = BASE64_STANDARD_NO_PAD.encode(packed.finish().expect("memory"));
    let left = Cell::new(10 << 20);
    assert!(!undo::any(&format!("{run} ").repeat(9), Made::default(), &left, &mut |_, _| false));
    assert_eq!(left.get(), 0);
}
