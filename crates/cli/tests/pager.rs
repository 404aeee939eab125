//! The pager on a terminal: what it gets, and what an interrupt does to it.
#![allow(clippy::unwrap_used)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

mod common;
use common::{ID, Place, put, talk};

/// A command whose output is a terminal, with this program as its pager.
fn paged(place: &Place, pager: &str, args: &[&str]) -> Command {
    let pty = openpty(None, None).unwrap();
    // Nobody reads a terminal of a test: without this a long output waits for ever.
    let mut terminal = std::fs::File::from(pty.master);
    std::thread::spawn(move || std::io::copy(&mut terminal, &mut std::io::sink()));
    let script = place.path().join("pager.sh");
    put(&script, &format!("#!/bin/sh\n{pager}\n"));
    let mut mode = std::fs::metadata(&script).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let mut command = place.command(args);
    command.env("PAGER", &script).env("PATH", std::env::var("PATH").unwrap());
    command.stdin(Stdio::null()).stdout(Stdio::from(pty.slave)).stderr(Stdio::null());
    command
}

fn session(place: &Place, prompt: &str) {
    put(&place.path().join("s.jsonl"), &talk(ID, prompt, "2026-03-01T10:0"));
}

#[test]
fn a_terminal_has_its_transcript_in_the_pager() {
    let place = Place::new();
    session(&place, "Paint \\u001b[2J\\u009b1J\\u202e the door");
    let saved = place.path().join("saved");
    let mut command = paged(&place, &format!("cat > {}", saved.display()), &["show", "s.jsonl"]);
    assert!(command.status().unwrap().success());
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("▌ 1") && text.contains("the door"), "{text}");
    // The only control sequences are verbatim's own colours.
    let mut rest = text.replace("\u{1b}[", "\u{1b}");
    for code in ["0m", "1m", "2m", "32m", "1;31m", "33m", "36m", "1;33m"] {
        rest = rest.replace(&format!("\u{1b}{code}"), "");
    }
    let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert_eq!(rest.chars().find(|c| acts(*c)), None, "{rest:?}");
    for more in [&["--no-pager"][..], &["--json"]] {
        std::fs::remove_file(&saved).unwrap_or_default();
        let args = [&["show", "s.jsonl"], more].concat();
        let mut command = paged(&place, &format!("cat > {}", saved.display()), &args);
        assert!(command.status().unwrap().success());
        assert!(!saved.exists(), "{more:?}");
    }
}

/// An interrupt is the pager's: verbatim waits until the pager has left the terminal.
#[test]
fn an_interrupt_leaves_the_terminal_to_the_pager() {
    let place = Place::new();
    session(&place, &"Paint the door. ".repeat(20_000));
    let (began, ended) = (place.path().join("began"), place.path().join("ended"));
    let pager = format!(
        "trap '' INT\ntouch {}\nsleep 1\nhead -c 100 >/dev/null\ntouch {}",
        began.display(),
        ended.display()
    );
    let mut command = paged(&place, &pager, &["show", "s.jsonl", "--all"]);
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while !began.exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it waits for the pager");
    let status = child.wait().unwrap();
    assert!(ended.exists() && status.success(), "{status}");
}

/// Until there is something to show, no pager runs, and an interrupt ends the command.
#[test]
fn a_command_without_output_starts_no_pager() {
    let place = Place::new();
    let began = place.path().join("began");
    let mut command = paged(&place, &format!("touch {}; cat", began.display()), &["show", "gone"]);
    assert!(!command.status().unwrap().success());
    assert!(!began.exists());
}
