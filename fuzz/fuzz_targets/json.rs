//! The JSON reader against an independent parser: the same verdict on any bytes, and a walk that
//! stays within them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use session::{Node, Scan, Shape, Span};

fn walk(node: Node<'_>, depth: usize) -> usize {
    let inside = |child: Node<'_>| {
        assert!(node.span().holds(child.span()));
        if depth < 200 { walk(child, depth + 1) } else { 0 }
    };
    match node.shape() {
        Shape::Object => node.members().map(|member| inside(member.value)).sum::<usize>() + 1,
        Shape::Array => node.elements().map(inside).sum::<usize>() + 1,
        _ => 1,
    }
}

/// The independent parser refuses lone surrogates in what it decodes; a raw value it only skips.
fn theirs(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok() && serde_json::from_slice::<&RawValue>(bytes).is_ok()
}

/// Every value and key in its place.
fn places(node: Node<'_>, depth: usize, out: &mut Vec<(Option<Span>, Span)>) {
    if depth < 200 {
        for member in node.members() {
            out.push((Some(member.key), member.value.span()));
            places(member.value, depth + 1, out);
        }
        for element in node.elements() {
            out.push((None, element.span()));
            places(element, depth + 1, out);
        }
    }
}

fn read(scan: &mut Scan, bytes: &[u8]) -> Option<Vec<(Option<Span>, Span)>> {
    let doc = scan.read(bytes, 0).ok()?;
    walk(doc.root(), 0);
    let mut out = vec![(None, doc.root().span())];
    places(doc.root(), 0, &mut out);
    Some(out)
}

// Texts stand between bytes that no text has. What one leaves behind changes nothing for the next.
fuzz_target!(|bytes: &[u8]| {
    let mut scan = Scan::new();
    for text in bytes.split(|&byte| byte == 0xff) {
        let plain = session::plainly(|| read(&mut Scan::new(), text));
        assert_eq!(plain.is_some(), theirs(text), "we and they do not agree what is JSON");
        for _ in 0..3 {
            assert_eq!(read(&mut scan, text), plain, "what was read before makes a difference");
        }
    }
});
