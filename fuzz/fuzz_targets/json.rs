//! The JSON reader against an independent parser: the same verdict on any bytes, and a walk that
//! stays within them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use session::{Node, Scan, Span};

/// The verdict of the independent parser. It refuses lone surrogates when it decodes a string, but
/// not in a raw value, which it only skips. Bytes that are not UTF-8 are replaced before.
fn theirs(bytes: &[u8]) -> bool {
    serde_json::from_str::<&RawValue>(&String::from_utf8_lossy(bytes)).is_ok()
}

type Places = Vec<(Option<Span>, Span)>;

/// Checks that every value and key has its place, each value within its parent.
fn places(node: Node<'_>, depth: usize, out: &mut Places) {
    if depth == 200 {
        return;
    }
    let members = node.members().map(|member| (Some(member.key), member.value));
    for (key, value) in members.chain(node.elements().map(|element| (None, element))) {
        assert!(node.span().holds(value.span()));
        out.push((key, value.span()));
        places(value, depth + 1, out);
    }
}

fn read(scan: &mut Scan, bytes: &[u8]) -> Option<Places> {
    let doc = scan.read(bytes, 0).ok()?;
    let mut out = vec![(None, doc.root().span())];
    places(doc.root(), 0, &mut out);
    Some(out)
}

// The text is surrounded by bytes that no text contains, and read again after others. State left
// behind by one text must not change the next.
fuzz_target!(|bytes: &[u8]| {
    let mut scan = Scan::new();
    for text in bytes.split(|&byte| byte == 0xff) {
        let plain = read(&mut Scan::without_templates(), text);
        assert_eq!(plain.is_some(), theirs(text), "we and they do not agree what is JSON");
        for _ in 0..3 {
            assert_eq!(read(&mut scan, text), plain, "what was read before makes a difference");
        }
    }
});
