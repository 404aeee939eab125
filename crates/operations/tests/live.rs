//! Files that change while they are read: no error, and no loss.
#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use catalog::Catalog;
use catalog::Machine;
use verbatim_operations::check;

use ::catalog as catalog_crate;

#[path = "../../catalog/tests/tiny/mod.rs"]
mod tiny;
use tiny::FORMATS;

const LINE: &str =
    "{\"id\":\"one\",\"time\":\"2026-03-01T10:00:00Z\",\"said\":\"a line of text\"}\n";

/// Checks a file repeatedly while another thread applies `change` to it, round by round.
fn check_while(change: impl Fn(&std::path::Path, usize) + Sync) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("one.tiny");
    fs::write(&path, LINE.repeat(500)).unwrap();
    let catalog = Catalog { formats: FORMATS, machine: Machine::default() };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                change(&path, round);
                // Agents write more slowly than this. Without the pause, the file would grow faster
                // than it is read.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        for _ in 0..40 {
            let found = catalog.find(&[temp.path().into()]);
            let job = &catalog.machine.job;
            let all = check::check_all(job, &found.sources, check::Depth::Full, &|_| {});
            for checked in all.unwrap() {
                assert_eq!(checked.lost, []);
                assert!(checked.unread.is_empty(), "{:?}", checked.unread);
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_grows() {
    check_while(|path, round| {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        // A line is written in two parts, so that a reader may come between them.
        let (a, b) = LINE.split_at(round % LINE.len());
        file.write_all(a.as_bytes()).unwrap();
        file.write_all(b.as_bytes()).unwrap();
    });
}

#[test]
fn a_file_that_is_cut() {
    check_while(|path, round| {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_len((LINE.len() * 10 + round % 50) as u64).unwrap();
        fs::write(path, LINE.repeat(700)).unwrap();
    });
}

#[test]
fn a_file_that_is_replaced() {
    check_while(|path, round| {
        let new = path.with_extension("new");
        fs::write(&new, LINE.repeat(round % 900)).unwrap();
        fs::rename(&new, path).unwrap();
    });
}
