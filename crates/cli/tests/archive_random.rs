//! Random histories of the archive: kills at any moment, and very many small appends. The plain run
//! takes a seeded sample, `CI_DEEP=1` all.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use common::kept::{archive, digests, given, good, json, names};
use common::{ID, Place, talk};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (number ^ (number >> 31)) % below
    }
}

fn is_deep() -> bool {
    std::env::var_os("CI_DEEP").is_some()
}

/// Runs that are killed at any moment, at changes of the sources of any kind: each version that a
/// finished run reported comes back byte for byte.
#[test]
fn runs_that_are_killed_at_random_lose_nothing() {
    let place = Place::with_sessions();
    let mut random = Random(0x5eed);
    let more = talk(ID, "Paint it again", "2026-03-02T10:0");
    let begin = std::time::Instant::now();
    good(&place, &["sync"]);
    // A kill at any moment of a run, or behind it.
    let span = 2 * u64::try_from(begin.elapsed().as_micros()).unwrap();
    let mut reported = vec![fs::read(place.session()).unwrap()];
    let rounds = if is_deep() { 1000 } else { 20 };
    for round in 0..rounds {
        let text = fs::read_to_string(place.session()).unwrap();
        let text = match random.next(4) {
            0 => text.replacen("green", &format!("green{round}"), 1),
            1 => text[..text.len() / 2].to_owned() + "\n" + &more.replace("Paint", "Sand"),
            _ => text + &more.replace(&format!("{ID}-"), &format!("{round}-")),
        };
        fs::write(place.session(), &text).unwrap();
        let args: &[&str] = match random.next(5) {
            0 => &["archive", "compact"],
            _ => &["sync"],
        };
        let mut command = place.command(args);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.next(span)));
        let _ = child.kill();
        let is_done = child.wait().unwrap().success();
        if is_done && args == ["sync"] {
            reported.push(text.into_bytes());
        }
        if round % 16 == 15 {
            good(&place, &["archive", "verify", "--read-data"]);
        }
    }
    good(&place, &["sync"]);
    reported.push(fs::read(place.session()).unwrap());
    good(&place, &["archive", "verify", "--read-data"]);
    let mut kept = Vec::new();
    for digest in digests(&place, ID) {
        kept.push(given(&place, &format!("{ID}@{digest}")));
    }
    for state in &reported {
        assert!(kept.contains(state), "a version that a run reported is lost");
    }
    eprintln!("{rounds} kills, {} versions reported, {} kept", reported.len(), kept.len());
}

/// A sync after each of many appends leaves few files, and every version.
#[test]
fn appends_with_a_sync_after_each_leave_few_files() {
    let place = Place::with_sessions();
    let mut random = Random(0xa99e);
    let rounds = if is_deep() { 10_000 } else { 60 };
    let mut lengths = Vec::new();
    for round in 0..rounds {
        let mut file = fs::File::options().append(true).open(place.session()).unwrap();
        let words = "plane the board, ".repeat(1 + random.next(40) as usize);
        let line = format!(
            "{{\"parentUuid\":null,\"sessionId\":\"{ID}\",\"type\":\"user\",\"uuid\":\"r{round}\",\
             \"timestamp\":\"2026-05-01T10:00:00.000Z\",\"message\":{{\"role\":\"user\",\
             \"content\":\"{words}\"}}}}\n"
        );
        file.write_all(line.as_bytes()).unwrap();
        lengths.push(file.metadata().unwrap().len());
        good(&place, &["sync"]);
    }
    let count = |part: &str| names(&archive(&place).join(part)).len();
    let (packs, runs) = (count("packs"), count("runs"));
    let bytes = json(&place, &["archive", "status", "--json"])["stored"].as_u64().unwrap();
    let most = 64 + (bytes / (128 << 20)) as usize;
    eprintln!("{rounds} appends: {packs} packs, {runs} runs, {bytes} bytes");
    assert!(packs + runs <= most, "{packs} packs and {runs} runs");
    good(&place, &["archive", "verify", "--read-data"]);
    // Any of the versions comes back.
    let (versions, whole) = (digests(&place, ID), fs::read(place.session()).unwrap());
    assert_eq!(versions.len(), rounds);
    for _ in 0..10 {
        let at = random.next(rounds as u64) as usize;
        let state = given(&place, &format!("{ID}@{}", versions[at]));
        assert!(state == whole[..lengths[at] as usize], "version {at}");
    }
}
