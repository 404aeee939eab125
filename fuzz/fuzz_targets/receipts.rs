//! Arbitrary bytes as a receipt, as a session, and as a store's records: nothing panics, a receipt
//! is read back as it was, and its byte ranges are in its sources.
#![no_main]

use std::sync::Arc;

use formats::turns::StoreRecords;
use libfuzzer_sys::fuzz_target;
use receipt::{Receipt, SessionTurns};
use session::{Bundle, Member, Stream};

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    match choice {
        0 => {
            if let Ok(receipt) = Receipt::read(bytes) {
                again(&receipt);
            }
        }
        1 => of_store(bytes),
        _ => of_session(formats::ALL[usize::from(choice) % formats::ALL.len()], bytes),
    }
});

/// A receipt is read back as it was.
fn again(receipt: &Receipt) {
    for compact in [true, false] {
        let json = receipt.json(compact).expect("a receipt is JSON");
        assert_eq!(Receipt::read(json.as_bytes()).as_ref(), Ok(receipt));
    }
}

/// The records of a store: a thread, a turn, an item and events, parted by NUL.
fn of_store(bytes: &[u8]) {
    let parts: Vec<&[u8]> = bytes.splitn(4, |byte| *byte == 0).collect();
    let names =
        ["threads/thr_1.json", "turns/turn_1.json", "items/item_1.json", "events/thr_1.jsonl"];
    for format in formats::ALL {
        let Some(store) = format.data().turns.store else { continue };
        let files = names.iter().copied().zip(parts.iter().copied()).collect();
        let records = StoreRecords { files, elsewhere: Some(&[1, 7]) };
        if let Ok(facts) = (store.facts)(&records, "thr_1", "turn_1") {
            again(&Receipt::of(store.schema, &facts, None));
        }
    }
}

/// Every turn of a session.
fn of_session(format: &dyn formats::Format, bytes: &[u8]) {
    let mut bundle = Bundle::default();
    bundle.members.extend(Member::new("session.jsonl", Stream::Main, bytes.to_vec()));
    for session in format.read(Arc::new(bundle)) {
        let turns = SessionTurns::of(&session);
        for number in 1..=turns.len() {
            let receipt = turns.receipt(number, true).expect("each turn has a receipt");
            again(&receipt);
            let evidence = receipt.evidence.expect("the evidence of a session");
            for range in &evidence.ranges {
                let source = &evidence.sources[range.source as usize];
                assert!(range.start <= range.end && range.end <= source.bytes, "{range:?}");
            }
        }
    }
}
