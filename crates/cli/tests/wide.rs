//! Tables of names that are wider than any screen.
#![allow(clippy::unwrap_used)]

mod common;
use common::{ID, Place, put, talk};

#[test]
fn a_name_of_any_length_fits_into_a_table() {
    let place = Place::new();
    let long = "m".repeat(70_000);
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    put(&place.path().join(format!("{ID}.jsonl")), &talk(ID, "Paint", "2026-03-01T10:0"));
    let wide = talk(other, "Sand", "2026-03-01T10:0").replace("claude-opus-4-5", &long);
    put(&place.path().join(format!("{other}.jsonl")), &wide.replace("msg_", "other_"));
    let ran = place.run(&["usage", "--by", "model", "."]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("mmm…") && ran.out.contains("claude-opus-4-5"), "{}", ran.out.len());
    assert!(ran.out.lines().all(|line| line.len() < 6_000));
}
