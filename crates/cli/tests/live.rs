//! Files that an agent writes while they are read: `check` and `show` never fail, and nothing
//! counts as lost.
#![allow(clippy::unwrap_used)]

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

mod common;
use common::{ID, Place, put, talk};

#[test]
fn a_session_that_grows_is_cut_and_is_replaced() {
    let place = Place::new();
    let path = place.path().join(format!("{ID}.jsonl"));
    let text = talk(ID, "Paint", "2026-03-01T10:0");
    put(&path, &text);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0usize.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                match round % 60 {
                    // The file is truncated while it is read, then replaced by another one.
                    0 => OpenOptions::new().write(true).open(&path).unwrap().set_len(900).unwrap(),
                    1 => {
                        let new = path.with_extension("tmp");
                        std::fs::write(&new, &text).unwrap();
                        std::fs::rename(&new, &path).unwrap();
                    }
                    _ => {
                        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
                        let (a, b) = text.split_at(text.len() / 3 + round % 7);
                        file.write_all(a.as_bytes()).unwrap();
                        std::thread::sleep(Duration::from_millis(1));
                        file.write_all(b.as_bytes()).unwrap();
                    }
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let file = path.to_str().unwrap();
        for _ in 0..25 {
            let checked = place.run(&["check", file]);
            assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
            assert!(checked.out.contains("0 bytes lost"), "{}", checked.out);
            let shown = place.run(&["show", file]);
            assert_eq!(shown.code, 0, "{}", shown.err);
        }
        done.store(true, Ordering::Relaxed);
    });
}
