//! The JSON reader against an independent parser: the same verdict on any bytes, and a walk that
//! stays within them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use session::{Node, Scan, Shape};

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

fuzz_target!(|bytes: &[u8]| {
    match Scan::new().read(bytes, 0) {
        Ok(doc) => {
            assert!(theirs(bytes), "we accept what is no JSON");
            walk(doc.root(), 0);
        }
        Err(_) => assert!(!theirs(bytes), "we refuse what is JSON"),
    }
});
