//! More wrappings, each with the traces that a credential leaves in it: none may be in what is
//! redacted. The traces are made with the wrapping, so that no decoder has to find them.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// A text with a credential in a wrapping, and its traces.
pub(crate) type Traced = (String, Vec<String>);

/// A wrapping: of a text with a credential, and the credential.
pub(crate) type More = fn(&str, &str) -> Traced;

/// The number of letters that are a trace.
const PIECE: usize = 12;

/// All letters of the text are spelled.
fn spelled(text: &str, secret: &str, spell: impl Fn(char) -> String) -> Traced {
    let all: String = text.chars().map(&spell).collect();
    (all, pieces(secret, &spell))
}

/// Only the letters of the credential are.
fn spelled_within(text: &str, secret: &str, spell: impl Fn(char) -> String) -> Traced {
    let inner: String = secret.chars().map(&spell).collect();
    (text.replace(secret, &inner), pieces(secret, &spell))
}

fn pieces(secret: &str, spell: &impl Fn(char) -> String) -> Vec<String> {
    let letters: Vec<char> = secret.chars().collect();
    let windows = letters.windows(PIECE.min(letters.len()));
    windows.map(|window| window.iter().copied().map(spell).collect()).collect()
}

/// The credential is in three parts.
fn parted(text: &str, secret: &str, between: &str) -> Traced {
    let third = secret.len() / 3;
    let parts = [&secret[..third], &secret[third..2 * third], &secret[2 * third..]];
    let long = parts.iter().skip(1).filter(|part| part.len() >= 5).map(ToString::to_string);
    (text.replace(secret, &parts.join(between)), long.collect())
}

/// The whole text is a run of digits.
fn packed(bytes: &[u8]) -> Traced {
    coded(STANDARD.encode(bytes))
}

fn coded(run: String) -> Traced {
    let middle = run.len() / 2;
    let trace = run[middle.saturating_sub(12)..(middle + 12).min(run.len())].to_owned();
    (format!("got {run} ."), vec![trace])
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut head = b"PK\x03\x04".to_vec();
    head.resize(30, 0);
    (head[8], head[26]) = (8, 5);
    head[18..22].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    [&head[..], b"a.env", &packed].concat()
}

fn tar(bytes: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    head[..5].copy_from_slice(b"a.env");
    head[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
    head[257..262].copy_from_slice(b"ustar");
    let padding = vec![0; 1024];
    [&head[..], bytes, &padding].concat()
}

fn png(kind: &[u8], bytes: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
    };
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]),
        chunk(kind, bytes),
        chunk(b"IDAT", &zlib(&[0, 1, 2, 3])),
    ]
    .concat()
}

fn gif(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"GIF89a\x01\0\x01\0\0\0\0\x21\xfe".to_vec();
    for block in bytes.chunks(255) {
        out.push(block.len() as u8);
        out.extend_from_slice(block);
    }
    [&out[..], b"\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3b"].concat()
}

fn webp(bytes: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let body = [b"WEBPVP8 \x04\0\0\0\x01\x02\x03\x04XMP ", &length(bytes)[..], bytes].concat();
    [b"RIFF", &length(&body)[..], &body].concat()
}

fn lines(text: &str, width: usize, between: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let lines: Vec<String> = letters.chunks(width).map(|line| line.iter().collect()).collect();
    lines.join(between)
}

/// A text that a width cut. Its traces are whole lines of the credential.
fn cut(text: &str, secret: &str, width: usize, between: &str) -> Traced {
    let document = lines(text, width, between);
    let parts = document.split(between).filter(|line| line.len() > 8 && secret.contains(line));
    let traces = parts.map(str::to_owned).collect();
    (document.clone(), traces)
}

fn dump(bytes: &[u8], unit: usize, letters: bool) -> String {
    let mut out = String::new();
    for (number, line) in bytes.chunks(16).enumerate() {
        let digits =
            |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let units: Vec<String> = line.chunks(unit).map(digits).collect();
        let shown: String = line
            .iter()
            .map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { '.' })
            .collect();
        let at = number * 16;
        out += &match (unit, letters) {
            (2, _) => format!("{at:08x}: {:<40} {shown}\n", units.join(" ")),
            (_, true) => format!("{at:08x}  {:<48}  |{shown}|\n", units.join(" ")),
            _ => format!("{at:07o} {}\n", units.join(" ")),
        };
    }
    out
}

/// A dump, and its third line as a trace.
fn dumped(text: &str, unit: usize, letters: bool) -> Traced {
    let dump = dump(text.as_bytes(), unit, letters);
    let trace = dump.lines().nth(1).or_else(|| dump.lines().next()).expect("a line").to_owned();
    (dump, vec![trace])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) const MORE: &[(&str, More)] = &[
    ("Gzip in members", |text, _| {
        packed(&[gzip(b"hello there\n"), gzip(text.as_bytes())].concat())
    }),
    ("Gzip in Gzip", |text, _| packed(&gzip(&gzip(text.as_bytes())))),
    ("Gzip in digits", |text, _| coded(hex(&gzip(text.as_bytes())))),
    ("Gzip behind much", |text, _| {
        packed(&gzip(&[&vec![b' '; 2 << 20], text.as_bytes()].concat()))
    }),
    ("zlib", |text, _| packed(&zlib(text.as_bytes()))),
    ("zlib in digits", |text, _| coded(hex(&zlib(text.as_bytes())))),
    ("zip", |text, _| packed(&zip(text.as_bytes()))),
    ("tar", |text, _| packed(&tar(text.as_bytes()))),
    ("tar in Gzip", |text, _| packed(&gzip(&tar(text.as_bytes())))),
    ("a text in PNG", |text, _| packed(&png(b"tEXt", &[b"Note\0", text.as_bytes()].concat()))),
    ("a comment in GIF", |text, _| packed(&gif(text.as_bytes()))),
    ("a text in WebP", |text, _| packed(&webp(text.as_bytes()))),
    ("base64url", |text, _| coded(URL_SAFE.encode(text))),
    ("Base64 four times", |text, _| {
        coded((0..4).fold(text.to_owned(), |text, _| STANDARD.encode(text)))
    }),
    ("Base64 in lines", |text, _| {
        let run = lines(&STANDARD.encode(text), 76, "\n");
        let trace = run.lines().next().expect("a line").to_owned();
        (run, vec![trace])
    }),
    ("references", |text, secret| {
        spelled(text, secret, |letter| format!("&#{};", u32::from(letter)))
    }),
    ("hexadecimal references", |text, secret| {
        spelled_within(text, secret, |letter| format!("&#x{:x};", u32::from(letter)))
    }),
    ("escapes of a program", |text, secret| {
        spelled_within(text, secret, |letter| format!("\\x{:02x}", u32::from(letter)))
    }),
    ("octal escapes", |text, secret| {
        spelled_within(text, secret, |letter| format!("\\{:03o}", u32::from(letter)))
    }),
    ("braced escapes", |text, secret| {
        spelled_within(text, secret, |letter| format!("\\u{{{:x}}}", u32::from(letter)))
    }),
    ("percent encoding of all", |text, secret| {
        spelled_within(text, secret, |letter| format!("%{:02x}", u32::from(letter)))
    }),
    ("quoted-printable", |text, secret| {
        spelled_within(text, secret, |letter| format!("={:02X}", u32::from(letter)))
    }),
    ("soft breaks", |text, secret| parted(text, secret, "=\n")),
    ("zeros between", |text, secret| spelled(text, secret, |letter| format!("{letter}\0"))),
    ("characters without a width", |text, secret| {
        spelled_within(text, secret, |letter| format!("{letter}\u{200b}"))
    }),
    ("soft hyphens", |text, secret| parted(text, secret, "\u{ad}")),
    ("marks of direction", |text, secret| parted(text, secret, "\u{202d}")),
    ("colours within", |text, secret| parted(text, secret, "\u{1b}[0m\u{1b}[32m")),
    ("tags", |text, secret| parted(text, secret, "</span><span class=\"x\">")),
    ("comments of HTML", |text, secret| parted(text, secret, "<!-- -->")),
    ("strings with `+`", |text, secret| parted(text, secret, "\" + \"")),
    ("strings on lines", |text, secret| parted(text, secret, "' +\n    '")),
    ("strings beside each other", |text, secret| parted(text, secret, "\"\n    \"")),
    ("strings with `.`", |text, secret| parted(text, secret, "' . '")),
    ("strings with `||`", |text, secret| parted(text, secret, "' || '")),
    ("strings that are added", |text, secret| parted(text, secret, "\";\nkey += \"")),
    ("quotes of a shell", |text, secret| parted(text, secret, "''")),
    ("lines that a backslash continues", |text, secret| parted(text, secret, "\\\n")),
    ("the same, indented", |text, secret| parted(text, secret, "\\\n    ")),
    ("a width of 64", |text, secret| cut(text, secret, 64, "\n")),
    ("a width of 76 and indentation", |text, secret| cut(text, secret, 76, "\n    ")),
    ("a dump of xxd", |text, _| dumped(text, 2, true)),
    ("a dump of hexdump", |text, _| dumped(text, 1, true)),
    ("a dump of od", |text, _| dumped(text, 1, false)),
    ("digits with spaces", |text, secret| {
        spelled(text, secret, |letter| format!("{:02x} ", u32::from(letter)))
    }),
    ("digits with colons", |text, secret| {
        spelled(text, secret, |letter| format!("{:02X}:", u32::from(letter)))
    }),
    ("an array of a program", |text, secret| {
        spelled(text, secret, |letter| format!("0x{:02x}, ", u32::from(letter)))
    }),
    ("an array of numbers", |text, secret| {
        spelled(text, secret, |letter| format!("{}, ", u32::from(letter)))
    }),
];
