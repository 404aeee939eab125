//! Dense texts against the reader of all others: the same verdict, and the same values.

use super::*;
use crate::json::node::{Counts, Doc, Node};
use crate::json::reader::Scan;

struct Random(u64);

impl Random {
    fn next(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }

    fn value(&mut self, depth: usize, text: &mut String) {
        const LEAVES: &[&str] = &["0", "-1.5e+3", "true", "null", "[ ]", "{}", r#""""#, STRINGS[0]];
        text.push_str(self.of(&["", "", "", " ", "\n\t"]));
        match self.next(4) {
            0 if depth > 0 => text.push_str(self.of(LEAVES)),
            1 => text.push_str(self.of(STRINGS)),
            kind if depth < 40 => {
                text.push(if kind == 2 { '{' } else { '[' });
                for at in 0..=self.next(3) {
                    text.push_str(if at == 0 { "" } else { "," });
                    if kind == 2 {
                        text.push_str(self.of(&["", " ", "\n"]));
                        text.push_str(self.of(STRINGS));
                        text.push_str(self.of(&[":", " : "]));
                    }
                    self.value(depth + 1, text);
                }
                text.push(if kind == 2 { '}' } else { ']' });
            }
            _ => text.push_str(self.of(LEAVES)),
        }
        text.push_str(self.of(&["", "", " "]));
    }
}

const STRINGS: &[&str] =
    &[r#""a:\"}{][,\\""#, r#""\\\"""#, r#""""#, r#""näme\u00e9""#, r#""plain""#];

/// Compares a text's two readings. Returns whether it is JSON, and its number of listed containers.
fn compare(text: &[u8]) -> (bool, usize) {
    let mut scan = Scan::without_templates();
    let tokens = scan.read(text, 7);
    if std::str::from_utf8(text).is_err() {
        return (false, 0);
    }
    let shown = String::from_utf8_lossy(text);
    let (tokens, outline) = match (tokens, Outline::of(text)) {
        (Ok(tokens), Ok(outline)) => (tokens, outline),
        (tokens, outline) => {
            assert_eq!(tokens.is_ok(), outline.is_ok(), "{shown}");
            return (false, 0);
        }
    };
    let counts = Counts::default();
    let base = 7;
    let outline = &outline;
    let (template, not_utf8) = (None, None);
    let dense = Doc { text, tokens: &[], after: &[], outline, base, template, counts, not_utf8 };
    assert_eq!(tokens.size(), dense.size(), "{shown}");
    let mut open = vec![(tokens.root(), dense.root())];
    while let Some((ours, theirs)) = open.pop() {
        let told = |node: Node<'_>| (node.span(), node.shape(), node.is_empty_container());
        assert_eq!(told(ours), told(theirs), "{shown}");
        let inside = |node: Node<'_>| node.members().count() + node.elements().count();
        assert_eq!(inside(ours), inside(theirs), "{shown}");
        open.extend(ours.elements().zip(theirs.elements()));
        for (ours, theirs) in ours.members().zip(theirs.members()) {
            assert_eq!((ours.key, ours.name), (theirs.key, theirs.name), "{shown}");
            open.push((ours.value, theirs.value));
        }
    }
    (true, outline.listed.len())
}

#[test]
fn a_dense_text_reads_as_any_other() {
    let mut random = Random(42);
    let (mut listed, mut valid) = (0, [0, 0]);
    for round in 0..4000 {
        let mut text = String::new();
        random.value(0, &mut text);
        let mut text = text.into_bytes();
        let damaged = round % 2 == 1;
        if damaged {
            let alphabet = b"{}[]:,\"\\ \n0e.-tu\x01\x1a\xff";
            let (at, byte) = (random.next(text.len()), alphabet[random.next(alphabet.len())]);
            match random.next(3) {
                0 => text[at] = byte,
                1 => drop(text.remove(at)),
                _ => text.insert(at, byte),
            }
        }
        let (is_json, count) = compare(&text);
        valid[usize::from(damaged)] += usize::from(is_json);
        listed += count;
    }
    assert_eq!(valid[0], 2000);
    assert!(valid[1] > 50 && listed > 1000, "{valid:?} {listed}");
}

/// The list is short and no value is skipped slowly, whatever the nesting.
#[test]
fn an_outline_is_small() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let wide = |value: &str, count: usize| format!("[{}0]", format!("{value},").repeat(count));
    let longer = format!("{{\"a\":{}}}", wide("\"long\"", 40));
    let texts =
        [deep(100_000), wide("{}", 50_000), wide(&deep(70), 1000), wide(&longer, 1000), longer];
    for text in texts {
        let outline = Outline::of(text.as_bytes()).unwrap();
        assert!(outline.listed.len() <= text.len() / (HOP - LISTED) as usize + 1);
        assert_eq!(outline.end(text.as_bytes(), 0), text.len());
    }
}

#[test]
fn endless_nesting_is_refused() {
    let text = "[".repeat(DEPTH + 1) + &"]".repeat(DEPTH + 1);
    let fault = Scan::new().read(text.as_bytes(), 0).err();
    assert_eq!(fault, Some(JsonError { at: offset(DEPTH), why: JsonFault::Deep }));
    let text = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    assert!(Scan::new().read(text.as_bytes(), 0).is_ok());
}
