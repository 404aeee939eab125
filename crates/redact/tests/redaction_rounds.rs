//! The rounds of the fuzz targets of redaction on texts that are made by chance, always the same:
//! pieces of everything that the scan knows.

mod rounds;

use verbatim_redact as redact;

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
