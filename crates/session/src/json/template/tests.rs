//! Templates against the grammar: a text that matches is JSON, and its tokens are the same.

use super::PART;
use crate::json::grammar;
use crate::json::grammar::Token;
use crate::json::index;
use crate::json::reader::Scan;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % sides
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())]
    }
}

/// Placeholders of a string, and of a number or a word.
const STRING: u8 = 1;
const SCALAR: u8 = 2;

/// The structure of a value, with one of three forms of white space.
fn structure(dice: &mut Dice, style: usize, depth: usize, out: &mut Vec<u8>) {
    let [comma, colon, open] = [[",", ":", ""], [", ", ": ", ""], [",\n ", " :\t", "\r\n "]][style];
    let kind = if depth == 0 { 3 + dice.roll(2) } else { dice.roll(5) };
    if depth > 4 || kind < 3 {
        return out.push(if kind == 0 { SCALAR } else { STRING });
    }
    let (begin, end) = if kind == 3 { (b'{', b'}') } else { (b'[', b']') };
    out.push(begin);
    out.extend(open.bytes());
    for member in 0..dice.roll(7) {
        if member > 0 {
            out.extend(comma.bytes());
        }
        if kind == 3 {
            let long = "n".repeat(PART);
            let name = dice.of(&["", "id", "type", "a\\\"b", "\u{e9}", "timestamp", &long]);
            out.extend(format!("\"{name}\"{colon}").bytes());
        }
        structure(dice, style, depth + 1, out);
    }
    out.push(end);
}

/// The structure with values.
fn filled(dice: &mut Dice, structure: &[u8]) -> Vec<u8> {
    let strings =
        ["", "x", "\\\\", "a\\\"b", "{},:[]\\n", "\u{e9}\u{1f600}", "\\u00e9 \\\\\\\"", " "];
    let long = "a word, ".repeat(12);
    let scalars = ["0", "1", "12345678", "123456789", "-1.5e+3", "true", "false", "null", "0.0"];
    let mut text = Vec::new();
    for &byte in structure {
        match byte {
            STRING => {
                let string = if dice.roll(8) == 0 { &long } else { dice.of(&strings) };
                text.extend(format!("\"{string}\"").bytes());
            }
            SCALAR => text.extend(dice.of(&scalars).bytes()),
            _ => text.push(byte),
        }
    }
    text
}

/// A byte changed, inserted or removed.
fn harmed(dice: &mut Dice, mut text: Vec<u8>) -> Vec<u8> {
    let at = dice.roll(text.len());
    let byte = dice.of(b"\"\\{}[]:, \n0-et\x00\x1f\xc3n");
    match dice.roll(3) {
        0 => text[at] = byte,
        1 => text.insert(at, byte),
        _ => drop(text.remove(at)),
    }
    text
}

type Tokens = (Vec<Token>, Vec<u32>);

fn tokens(tokens: &[Token], after: &[u32]) -> Tokens {
    (tokens[..after.len()].to_vec(), after.to_vec())
}

/// The grammar's tokens.
fn plain(text: &[u8]) -> Option<Tokens> {
    let mut index = Vec::new();
    let filled = index::build(text, &mut index).ok()?;
    let most = filled.count + 1;
    let (mut found, mut after) = (vec![Token::default(); most], vec![0; most]);
    let count = grammar::tokens(text, &index[..filled.count], &mut found, &mut after).ok()?;
    Some(tokens(&found, &after[..count]))
}

#[test]
fn the_tokens_of_a_template_are_those_of_the_grammar() {
    let mut dice = Dice(1);
    let mut scan = Scan::new();
    let (mut fitted, mut refused) = (0, 0);
    for round in 0..3_000 {
        let mut like = Vec::new();
        structure(&mut dice, round % 3, 0, &mut like);
        for _ in 0..8 {
            let whole = filled(&mut dice, &like);
            let harmed = harmed(&mut dice, whole.clone());
            for text in [whole, harmed] {
                let expected = plain(&text);
                let read = scan.read(&text, 0).ok();
                fitted += usize::from(read.is_some_and(|doc| doc.template.is_some()));
                refused += usize::from(read.is_none());
                let read = read.map(|doc| tokens(doc.tokens, doc.after));
                assert_eq!(read, expected, "{:?}", text.escape_ascii().to_string());
            }
        }
    }
    assert!(fitted > 10_000 && refused > 10_000, "{fitted} fitted, {refused} refused");
}

#[test]
fn nothing_is_fitted_where_nothing_is_to_be_remembered() {
    let mut scan = Scan::without_templates();
    for _ in 0..5 {
        let doc = scan.read(br#"{"a":[1,"x"]}"#, 0).expect("JSON");
        assert!(doc.template.is_none());
    }
    let mut scan = Scan::new();
    let fits: Vec<bool> = (0..4)
        .map(|_| scan.read(br#"{"a":[1,"y"]}"#, 0).is_ok_and(|doc| doc.template.is_some()))
        .collect();
    assert_eq!(fits, [false, false, true, true], "a structure is kept when it is seen again");
}

/// Oversized names and value counts are not cached (memory bound against hostile input).
#[test]
fn what_is_kept_is_bounded() {
    let many = format!("[{}0]", "0,".repeat(600));
    let long = format!("{{\"{}\":1,\"b\":2}}", "n".repeat(20_000));
    let mut scan = Scan::new();
    for text in [many, long] {
        for _ in 0..4 {
            let doc = scan.read(text.as_bytes(), 0).expect("JSON");
            assert!(doc.template.is_none(), "{} bytes", text.len());
        }
    }
}
