//! Arbitrary bytes, read by any format: nothing panics, and the proof holds.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use session::{Bundle, Member, Memory, Stream, proof};

// The first byte chooses the format and whether the rest is one member or two.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let format = formats::ALL[usize::from(choice >> 1) % formats::ALL.len()];
    let cut = if choice & 1 == 0 { bytes.len() } else { bytes.len() / 2 };
    let (main, sub) = bytes.split_at(cut);
    let mut bundle = Bundle::default();
    bundle.members.extend(Member::new("session.jsonl", Stream::Main, main.to_vec()));
    if !sub.is_empty() {
        let stream = Stream::Sub("agent-1".to_owned());
        bundle.members.extend(Member::new("agent-1.jsonl", stream, sub.to_vec()));
    }
    let bundle = Arc::new(bundle);
    let sessions = format.read(Arc::clone(&bundle));
    assert_eq!(proof::check(&sessions, 3), [], "{}", format.name());
    let plain = format.read_with(bundle, &mut Memory::without_templates());
    assert_eq!(plain.len(), sessions.len(), "{}", format.name());
    for (session, plain) in sessions.iter().zip(&plain) {
        assert_eq!(session.len(), plain.len(), "{}", format.name());
        for (event, plain) in session.events().zip(plain.events()) {
            assert!(std::ptr::eq(event.case, plain.case), "{}", format.name());
            assert_eq!(event.fields(), plain.fields(), "{}", format.name());
        }
        for event in session.top() {
            let _ = (event.said(), event.time(), event.children().count());
        }
    }
});
