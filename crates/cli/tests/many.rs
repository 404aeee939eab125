//! A thousand sessions converted in one run: memory is bounded by the largest, not by their sum.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Stdio;
use std::time::Duration;

use common::{Place, put, talk};

const MIB: u64 = 1 << 20;

#[test]
fn a_thousand_sessions_take_the_memory_of_one() {
    let place = Place::new();
    let long = "The doors are green. ".repeat(5000);
    let mut all = 0;
    for number in 0..1000 {
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-{number:012x}");
        let text = talk(&id, &long, "2026-03-01T10:0");
        all += text.len() as u64;
        put(&place.path().join(format!("home/.claude/projects/-srv-doors/{id}.jsonl")), &text);
    }
    assert!(all > 100 * MIB, "{all}");
    let mut command = place.command(&["fidelity", "--json"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(number.unwrap_or_default() * 1024);
        if let Some(code) = child.try_wait().unwrap() {
            break code;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(code.success());
    assert!(peak > 0 && peak < 60 * MIB, "{} MiB for {} MiB", peak / MIB, all / MIB);
}
