//! Credentials, the wrappings that agents' logs put around them, and a decoder for what is left.
//! No credential is in this file: each is put together when a test runs.

pub(crate) mod more;

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// A wrapping: of a text with a credential, and the credential.
pub(crate) type Wrap = fn(&str, &str) -> String;

pub(crate) const WRAPPINGS: &[(&str, Wrap)] = &[
    ("plain text", |text, _| text.to_owned()),
    ("a JSON leaf", |text, _| line(json!({ "content": text }))),
    ("ASCII", |text, _| line(json!({ "content": text })).replace('é', "\\u00e9")),
    ("escapes", |text, _| format!("{{\"content\":\"{}\"}}\n", escaped(text))),
    ("JSON in JSON", |text, _| {
        line(json!({ "arguments": json!({ "command": text }).to_string() }))
    }),
    ("JSON in JSON in JSON", |text, _| {
        let inner = json!({ "output": json!({ "stdout": text }).to_string() }).to_string();
        line(json!({ "payload": inner }))
    }),
    ("a file with line numbers", |text, _| {
        let lines = text.lines().enumerate().map(|(at, line)| format!("{:>5}→{line}", at + 10));
        line(json!({ "content": lines.collect::<Vec<_>>().join("\n") }))
    }),
    ("a diff", |text, _| {
        let lines = text.lines().map(|line| format!("+{line}")).collect::<Vec<_>>();
        line(json!({ "diff": format!("@@ -1,2 +1,9 @@\n {}\n", lines.join("\n")) }))
    }),
    ("grep -n", |text, _| {
        let lines = text.lines().enumerate().map(|(at, line)| format!("src/a.env:{at}:{line}"));
        line(json!({ "stdout": lines.collect::<Vec<_>>().join("\n") }))
    }),
    ("Base64", |text, _| line(json!({ "content": format!("got {}", STANDARD.encode(text)) }))),
    ("a stream", |text, _| {
        let letters: Vec<char> = text.chars().collect();
        let delta = |piece: &[char]| {
            let text: String = piece.iter().collect();
            let delta = json!({ "type": "text_delta", "text": text });
            line(json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
        };
        letters.chunks(5).map(delta).collect()
    }),
    ("colours", |text, secret| {
        let half = secret.len() / 2;
        let half = (half..).find(|&at| secret.is_char_boundary(at)).expect("an end");
        let coloured = format!(
            "\u{1b}[1;31m{}\u{1b}[0m\u{1b}[32m{}\u{1b}[0m",
            &secret[..half],
            &secret[half..]
        );
        line(json!({ "stdout": text.replace(secret, &coloured) }))
    }),
    ("percent encoding", |text, _| {
        let coded: String = text
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect();
        line(json!({ "url": format!("https://h.example/?q={coded}") }))
    }),
    ("a name of a member", |text, _| line(json!({ "files": { text: 1 } }))),
    ("a name in a list", |text, _| line(json!({ "args": ["-c", text] }))),
    ("CRLF", |text, _| line(json!({ "content": text.replace('\n', "\r\n") }))),
    ("UTF-16 in Base64", |text, _| {
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        line(json!({ "content": STANDARD.encode(wide) }))
    }),
    ("Gzip in Base64", |text, _| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(text.as_bytes()).expect("memory");
        line(json!({ "content": STANDARD.encode(packed.finish().expect("memory")) }))
    }),
    ("a data address", |text, _| {
        line(json!({ "url": format!("data:text/plain;base64,{}", STANDARD.encode(text)) }))
    }),
    ("twice in a line", |text, _| line(json!({ "content": format!("{text} {text}") }))),
    ("a patch", |text, _| {
        let lines = text.lines().map(|line| format!("+{line}")).collect::<Vec<_>>().join("\n");
        line(
            json!({ "patch": format!("*** Begin Patch\n*** Add File: a\n{lines}\n*** End Patch") }),
        )
    }),
    ("a quotation", |text, _| {
        let lines = text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>();
        line(json!({ "content": lines.join("\n") }))
    }),
    ("hexadecimal digits", |text, _| {
        let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        line(json!({ "content": digits }))
    }),
    ("a line that is no JSON", |text, _| format!("{{\"content\": {text}\n")),
];

fn line(value: Value) -> String {
    format!("{value}\n")
}

fn escaped(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Characters of an alphabet, by chance that is always the same.
pub(crate) fn made(seed: u64, alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state >> 11) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Kinds of credentials: the credential, and a text with it.
pub(crate) fn credentials() -> Vec<(&'static str, String, String)> {
    let token = |seed: u64, length: usize| format!("a7Z{}9k", made(seed, LETTERS, length - 5));
    let app = format!("gh{}_{}", 's', token(1, 36));
    let jwt = |seed: u64| {
        let part = |text: &str| STANDARD.encode(text).replace('=', "");
        let head = part(r#"{"alg":"RS256","typ":"JWT"}"#);
        let body = part(&format!(r#"{{"sub":"{}","iat":1761000000}}"#, made(seed, LETTERS, 20)));
        format!("{head}.{body}.{}", made(seed + 1, LETTERS, 86))
    };
    let stateless = format!("gh{}_123456_{}", 's', jwt(5));
    let key: Vec<String> = (0..14).map(|at| made(50 + at, LETTERS, 64)).collect();
    let pem =
        format!("-----BEGIN {0} KEY-----\n{1}\n-----END {0} KEY-----", "PRIVATE", key.join("\n"));
    let head = format!("-----BEGIN {0} KEY-----\n{1}", "PRIVATE", key[..4].join("\n"));
    let text = |before: &str, secret: &str, behind: &str| format!("{before}{secret}{behind}");
    let mut all = Vec::new();
    let mut add = |kind, before: &str, secret: String, behind: &str| {
        let whole = text(before, &secret, behind);
        all.push((kind, secret, whole));
    };
    add("app token", "git clone https://x-access-token:", app, "@github.com/a/b.git\nok");
    add("stateless token", "url = https://x-access-token:", stateless, "@github.com/a/b.git");
    add(
        "model key",
        "export ANTHROPIC_KEY=",
        format!("sk-{}-api03-{}", "ant", token(7, 90)),
        "\nls",
    );
    add("project key", "key: ", format!("sk-{}-{}", "proj", token(8, 100)), " done");
    add("bearer", "curl -H 'Authorization: Bearer ", token(9, 40), "' https://h.example/");
    add(
        "basic",
        "Authorization: Basic ",
        STANDARD.encode(format!("u:{}", token(10, 20))),
        "\nHost: h",
    );
    add("cookie", "Cookie: session=", token(11, 40), "\nHost: h");
    add("password", "password: ", format!("Tr{}!x", made(12, LETTERS, 9)), "\nok");
    add("environment", "DB_PASSWORD=", format!("w{}9", made(13, LETTERS, 16)), "\nPORT=1");
    add("web token", "token ", jwt(14), " end");
    add(
        "cloud key",
        "id ",
        format!("{}IA{}", "AK", made(15, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
        " x",
    );
    add("runtime token", "token=", format!("{}_{}", "cwrt", token(16, 40)), " x");
    add("private key", "cat key\n", pem, "\ndone\n");
    add("head of a private key", "head -5 key\n", head, "\n");
    add("address", "postgres://app:", format!("p{}Q", made(17, LETTERS, 14)), "@db.example:5432/x");
    all
}

/// Whether a credential, or twelve characters of it, are in a text or in what it decodes to.
pub(crate) fn is_left(text: &str, secret: &str) -> bool {
    decoded(text, 6).iter().any(|view| {
        let plain: String = view.chars().filter(|letter| !letter.is_whitespace()).collect();
        let secret: String = secret.chars().filter(|letter| !letter.is_whitespace()).collect();
        let piece = secret.len().min(12);
        let heads = ["-----BEGINPR", "eyJhbGciOiJS", "sk-ant-api03"];
        (0..=secret.len() - piece).any(|at| {
            secret.get(at..at + piece).is_some_and(|part| {
                let known = heads.iter().any(|head| head.contains(&part[..8]));
                !known && !part.starts_with("-----") && plain.contains(part)
            })
        })
    })
}

/// A text, and all that it decodes to.
fn decoded(text: &str, depth: usize) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    if depth == 0 {
        return all;
    }
    let (mut strings, mut stream) = (Vec::new(), String::new());
    for line in text.lines() {
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            collect(&value, &mut strings);
            stream.push_str(value["delta"]["text"].as_str().unwrap_or_default());
        }
    }
    all.push(stream);
    for view in strings.iter().map(String::as_str).chain([text]) {
        let mut more = Vec::new();
        for run in
            view.split(|letter: char| !(letter.is_ascii_alphanumeric() || "+/=".contains(letter)))
        {
            more.extend(STANDARD.decode(run).ok().map(|bytes| wide(&bytes)));
            let digits: Option<Vec<u8>> = (0..run.len() / 2)
                .map(|at| u8::from_str_radix(run.get(2 * at..2 * at + 2)?, 16).ok())
                .collect();
            more.extend(digits.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
        }
        more.push(percent(view));
        more.push(uncoloured(view));
        let known = |other: &String| other.len() < 8 || all.contains(other) || other == view;
        let more: Vec<String> = more.into_iter().filter(|other| !known(other)).collect();
        all.push(view.to_owned());
        for view in more {
            all.extend(decoded(&view, depth - 1));
        }
    }
    all
}

fn collect(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, strings)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            strings.push(name.clone());
            collect(value, strings);
        }),
        _ => {}
    }
}

/// Bytes as a text: unpacked, or of UTF-16.
fn wide(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(bytes);
    if std::io::Read::read_to_string(&mut unpacked, &mut text).is_ok() {
        return text;
    }
    if bytes.iter().skip(1).step_by(2).all(|&byte| byte == 0) {
        return bytes.iter().step_by(2).map(|&byte| char::from(byte)).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

fn percent(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn uncoloured(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    first + &rest.collect::<String>()
}
