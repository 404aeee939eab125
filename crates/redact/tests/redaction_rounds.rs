//! The rounds of the fuzz targets of redaction on texts that are made by chance, always the same:
//! pieces of everything that the scan knows.

mod rounds;

use verbatim_redact as redact;
use verbatim_redact::rules::Rules;
use verbatim_redact::{Profile, RedactionOptions, Redactor, TagKey, plain};

const PIECES: &[&str] = &[
    "{\"a\":\"",
    "\"}\n",
    "\\",
    "\\\\n",
    "\\u00",
    "password=",
    "kD8wQz5rT1x7",
    "ghp_",
    "%41",
    "=\n",
    "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=",
    "68656c6c6f20776f726c642068656c6c6f",
    "\u{1b}[1m",
    "&#103;",
    "-----BEGIN PRIVATE KEY-----",
    "H4sIAAAAAAAA",
    "eJw",
    "<b>",
    "\" + \"",
    "'",
    "/home/ana-q7/",
    "[104, 101,",
    " 12\u{2192}",
    "\n+",
    "00000000: 6768 705f",
    "Authorization: Bearer ",
    "://u:p@h",
    "\u{200b}",
    "\0",
    "]",
    "山",
    "[REDACTED:password:",
    "Cookie: a=b; c=",
    "{\"type\":\"text_delta\",\"delta\":{\"text\":\"",
];

fn made(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let mut text = Vec::new();
    for _ in 0..next(60) + 1 {
        let piece = PIECES[next(PIECES.len())].as_bytes();
        for _ in 0..if next(8) == 0 { next(40) } else { 1 } {
            text.extend_from_slice(piece);
        }
    }
    text
}

#[test]
fn a_scan_of_anything_ends_and_says_the_same_again() {
    (0..150).for_each(|seed| rounds::scan(&made(seed)));
}

#[test]
fn a_redaction_of_anything_keeps_its_records_and_ends() {
    (150..300).for_each(|seed| rounds::redact(&made(seed)));
}

#[test]
fn a_verification_of_anything_fails_for_what_was_not_redacted() {
    (300..400).for_each(|seed| rounds::verify(&made(seed)));
}

/// A token of GitHub, another one for each number.
fn token(number: usize) -> String {
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digit = |at: usize| char::from(digits[(number * 37 + at * at * 11 + at * number) % 62]);
    format!("gh{}_{}", 'p', (1..37).map(digit).collect::<String>())
}

/// A redactor keeps which long texts have nothing in them. Here a text in which one rule finds one
/// token follows texts in which a value is found in several views.
#[test]
fn a_redactor_that_knows_a_session_redacts_it_again() {
    let options = RedactionOptions::new(Profile::Share, TagKey::new([9; 32]));
    let redactor = Redactor::new(Rules::shipped().expect("shipped"), options);
    let redacted = |session| {
        let draft = redactor.draft(&[session], &[]).expect("drafted");
        String::from_utf8(draft.bundle.members[0].bytes().to_vec()).expect("UTF-8")
    };
    let (mut lines, mut tokens) = (Vec::new(), Vec::new());
    for number in 0..50 {
        let spaced: Vec<String> =
            format!("{} files", token(9 * number)).chars().map(String::from).collect();
        lines.push(format!(r#"{{"text":"{}"}}"#, spaced.join("\u{2060}")));
        let digits: String = (1..5).map(|at| token(9 * number + at)[4..].to_owned()).collect();
        tokens.push(format!("EAAB{digits}"));
        lines.push(format!(r#"{{"text":"EAAB{digits} page"}}"#));
    }
    let session = plain::session("a", lines.join("\n").into_bytes()).expect("short");
    let (first, second) = (redacted(&session), redacted(&session));
    assert!(tokens.iter().all(|token| !first.contains(token)));
    let other = first.lines().zip(second.lines()).find(|(first, second)| first != second);
    assert_eq!(other, None);
}
