//! Judge of a redaction: looks for values that must not be left, with a walk and decoders that have
//! nothing in common with those of the scan (`serde_json`, public decoders), so that a fault of the
//! scan is no fault of its judge.

use std::collections::BTreeMap;
use std::io::Read as _;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;
use session::Bundle;

/// The largest number of wrappings that are undone.
const DEPTH: usize = 5;
/// The shortest run that is decoded.
const RUN: usize = 16;
/// The largest unpacked length.
const UNPACKED: u64 = 16 << 20;

/// The first place where one of the values is left: its member and line.
pub(super) fn left(bundle: &Bundle, values: &[&[u8]]) -> Option<(u32, u32)> {
    if values.is_empty() {
        return None;
    }
    let sought = AhoCorasick::new(values).ok()?;
    for (number, member) in (0u32..).zip(&bundle.members) {
        let judge = Judge { sought: &sought, left: 32 * member.bytes().len() as u64 + (64 << 20) };
        if let Some(line) = judge.member(&String::from_utf8_lossy(member.bytes())) {
            return Some((number, line));
        }
    }
    None
}

struct Judge<'j> {
    sought: &'j AhoCorasick,
    /// The bytes that may still be decoded.
    left: u64,
}

impl Judge<'_> {
    fn member(mut self, text: &str) -> Option<u32> {
        let mut streams: BTreeMap<String, String> = BTreeMap::new();
        if self.sought.is_match(text) {
            let at = self.sought.find(text)?.start();
            return Some(text[..at].matches('\n').count() as u32 + 1);
        }
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return self.value(&value, &mut streams).then_some(1);
        }
        for (line, record) in (1..).zip(text.lines()) {
            let found = match serde_json::from_str::<Value>(record) {
                Ok(value) => self.value(&value, &mut streams),
                Err(_) => self.text(record, DEPTH),
            };
            if found {
                return Some(line);
            }
        }
        streams.values().any(|stream| self.text(stream, DEPTH)).then_some(0)
    }

    /// Whether a value is left in a record. Its pieces of streams are added to theirs.
    fn value(&mut self, value: &Value, streams: &mut BTreeMap<String, String>) -> bool {
        let mut texts = Vec::new();
        collect(value, "", &mut texts);
        let is_piece = texts.iter().any(|(_, text)| text.contains("delta"))
            || texts.iter().any(|(name, _)| name.contains("delta") || name.contains("chunk"));
        for (name, text) in texts {
            if self.text(&text, DEPTH) {
                return true;
            }
            if is_piece && !name.is_empty() {
                streams.entry(name).or_default().push_str(&text);
            }
        }
        false
    }

    /// Whether a value is left in a text, or in anything that it decodes to.
    fn text(&mut self, text: &str, depth: usize) -> bool {
        if self.sought.is_match(text) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let mut more = Vec::new();
        if text.contains('\\') {
            let quoted = format!("\"{}\"", text.replace('\n', "\\n").replace('\t', "\\t"));
            more.extend(serde_json::from_str::<String>(&quoted));
        }
        if text.starts_with(['{', '[', '"'])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let mut texts = Vec::new();
            collect(&value, "", &mut texts);
            more.extend(texts.into_iter().map(|(_, text)| text));
        }
        if text.contains('%') {
            more.push(percent(text));
        }
        if text.contains('\u{1b}') {
            more.push(uncoloured(text));
        }
        if text.contains("&#") {
            more.push(unreferenced(text));
        }
        let is_digit = |letter: char| letter.is_ascii_alphanumeric() || "+/-_".contains(letter);
        let runs = text.split(|letter| !is_digit(letter)).filter(|run| run.len() >= RUN);
        more.extend(runs.flat_map(decoded));
        more.retain(|other| other != text && !other.is_empty());
        more.iter().any(|other| {
            let Some(left) = self.left.checked_sub(other.len() as u64) else { return false };
            self.left = left;
            self.text(other, depth - 1)
        })
    }
}

/// The strings, names and numbers of a value, each with the name that leads to it.
fn collect(value: &Value, name: &str, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => texts.push((name.to_owned(), text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, texts)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            texts.push((String::new(), name.clone()));
            collect(value, name, texts);
        }),
        Value::Number(number) => texts.push((String::new(), number.to_string())),
        Value::Bool(_) | Value::Null => {}
    }
}

/// The texts in a run of Base64 or of hexadecimal digits.
fn decoded(run: &str) -> Vec<String> {
    let plain = BASE64_STANDARD_NO_PAD.decode(run).or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(run));
    let digits: Option<Vec<u8>> = (0..run.len() / 2)
        .map(|at| u8::from_str_radix(run.get(2 * at..2 * at + 2)?, 16).ok())
        .collect();
    plain.ok().into_iter().chain(digits).filter_map(unpacked).collect()
}

/// Bytes as a text, unpacked; of UTF-16 too. `None` if they are none.
fn unpacked(bytes: Vec<u8>) -> Option<String> {
    let mut text = Vec::new();
    let packed = &bytes[..];
    let read = match packed {
        [0x1f, 0x8b, ..] => {
            flate2::read::MultiGzDecoder::new(packed).take(UNPACKED).read_to_end(&mut text)
        }
        [0x78, ..] => flate2::read::ZlibDecoder::new(packed).take(UNPACKED).read_to_end(&mut text),
        _ => Ok(0),
    };
    if read.is_ok_and(|length| length > 0) {
        return Some(String::from_utf8_lossy(&text).into_owned());
    }
    if bytes.len() > 7 && bytes.iter().skip(1).step_by(2).all(|&byte| byte == 0) {
        let units: Vec<u16> = bytes.iter().step_by(2).map(|&byte| u16::from(byte)).collect();
        return String::from_utf16(&units).ok();
    }
    String::from_utf8(bytes).ok()
}

fn percent(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                out.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                out.push(b'%');
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| {
        part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';')
    });
    first + &rest.map(|part| part.get(1..).unwrap_or_default()).collect::<String>()
}

fn unreferenced(text: &str) -> String {
    let mut parts = text.split("&#");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letter = part.split_once(';').and_then(|(digits, rest)| {
            let point = match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            Some((char::from_u32(point.ok()?)?, rest))
        });
        match letter {
            Some((letter, rest)) => {
                out.push(letter);
                out.push_str(rest);
            }
            None => {
                out.push_str("&#");
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use serde_json::json;
    use session::{Member, Stream};

    use super::*;

    const VALUE: &str = "kW7vQz5rT1x9-pLm4";

    fn seen(members: &[String]) -> bool {
        let member = |text: &String| {
            Member::new("a.jsonl", Stream::Main, text.clone().into_bytes()).expect("short")
        };
        let bundle = Bundle { members: members.iter().map(member).collect() };
        left(&bundle, &[VALUE.as_bytes()]).is_some()
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

    #[test]
    fn a_harmed_redactor_is_caught_wherever_it_forgets_a_value() {
        for (place, members) in harmed(VALUE) {
            assert!(seen(&members), "{place}: {members:?}");
        }
        for (place, members) in harmed("[REDACTED:password:K3J5QZ7RMA]") {
            assert!(!seen(&members), "{place}: {members:?}");
        }
    }
}
