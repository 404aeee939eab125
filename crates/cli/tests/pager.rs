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

/// A character that acts on a terminal or deceives its reader. The only control sequences that are
/// allowed are verbatim's own colours.
fn acting(text: &str) -> Option<char> {
    let mut rest = text.replace("\u{1b}[", "\u{1b}");
    for code in ["0m", "1m", "2m", "32m", "1;31m", "33m", "36m", "1;33m"] {
        rest = rest.replace(&format!("\u{1b}{code}"), "");
    }
    let acts = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'
                | '\u{e0000}'..='\u{e007f}')
    };
    rest.chars().find(acts)
}

/// Every payload, as the prompt, the title, the folder, the model and the tool's arguments of a
/// session, in the pager of each command that has one.
#[test]
fn no_payload_acts_in_the_pager() {
    let Some(path) = samples::shared("vectors/hostile/terminal.jsonl") else { return };
    let payloads = std::fs::read_to_string(path).unwrap();
    let place = Place::new();
    for (at, payload) in payloads.lines().enumerate() {
        let value: serde_json::Value = serde_json::from_str(payload).unwrap();
        let quoted = value["message"]["content"].to_string();
        let hostile = &quoted[1..quoted.len() - 1];
        let id = ID.replace("5f1e7f1e", &format!("5f1e{at:04}"));
        let text = talk(&id, hostile, "2026-03-01T10:0")
            .replace("/home/ana/shop", &format!("/home/{hostile}/shop"))
            .replace("claude-opus-4-5", hostile)
            .replace("ls doors", hostile)
            .replace("msg_", &format!("msg{at}_"));
        let title = format!(
            "{{\"type\":\"custom-title\",\"customTitle\":{quoted},\"sessionId\":\"{id}\"}}\n"
        );
        put(&place.path().join(format!("in/{id}.jsonl")), &format!("{text}{title}"));
    }
    let saved = place.path().join("saved");
    let first = format!("in/{}.jsonl", ID.replace("5f1e7f1e", "5f1e0000"));
    for args in [
        &["list", "in", "-n", "all", "-v", "--all"][..],
        &["search", "-C", "in", "before", "-n", "all"],
        &["show", &first, "--all"],
    ] {
        let mut command = paged(&place, &format!("cat > {}", saved.display()), args);
        assert!(command.status().unwrap().success(), "{args:?}");
        let text = std::fs::read_to_string(&saved).unwrap();
        let count = text.matches("before").count();
        assert!(count >= if args[0] == "show" { 1 } else { 30 }, "{args:?}: {count}");
        assert_eq!(acting(&text), None, "{args:?}: {text:?}");
        std::fs::remove_file(&saved).unwrap();
    }
}

/// A command that an interrupt ends, also where the tests themselves run in the background, which
/// ignores interrupts.
fn interruptible(place: &Place, args: &[&str]) -> Command {
    let inner = place.command(args);
    let mut command = Command::new("/usr/bin/env");
    command.env_clear().arg("--default-signal=INT").arg(inner.get_program()).args(inner.get_args());
    let set = inner.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(set).current_dir(inner.get_current_dir().unwrap());
    command
}

/// An interrupt during the work ends a command as a shell expects it (130), and leaves nothing on
/// the terminal's last line.
#[test]
fn an_interrupt_leaves_a_clean_terminal() {
    let place = Place::new();
    let text = talk(ID, &"Paint the door. ".repeat(2_000), "2026-03-01T10:0");
    for at in 0..1_500 {
        let id = ID.replace("5f1e7f1e", &format!("5f1e{at:04}"));
        put(&place.path().join(format!("in/{id}.jsonl")), &text.replace(ID, &id));
    }
    let mut interrupted = 0;
    for args in [
        &["list", "in", "--turns"][..],
        &["search", "-C", "in", "--regex", "no such (door|gate) .*there"],
        &["show", "no-such-id", "-C", "in"],
        &["usage", "in"],
        &["check", "in"],
    ] {
        for wait in [30, 200, 700] {
            let pty = openpty(None, None).unwrap();
            let mut terminal = std::fs::File::from(pty.master);
            let reader = std::thread::spawn(move || {
                let mut all = Vec::new();
                // The end of a terminal is an error.
                let _ = std::io::Read::read_to_end(&mut terminal, &mut all);
                String::from_utf8_lossy(&all).into_owned()
            });
            let mut command = interruptible(&place, args);
            command.stdin(Stdio::null()).stdout(pty.slave.try_clone().unwrap()).stderr(pty.slave);
            let mut child = command.env("PAGER", "cat").spawn().unwrap();
            drop(command);
            std::thread::sleep(Duration::from_millis(wait));
            let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGINT);
            let status = child.wait().unwrap();
            let shown = reader.join().unwrap();
            if std::os::unix::process::ExitStatusExt::signal(&status) != Some(2) {
                // It was quicker than the interrupt.
                assert!(status.code().is_some(), "{args:?}: {status}");
                continue;
            }
            interrupted += 1;
            let hides = shown.matches("\u{1b}[?25l").count();
            assert_eq!(hides, shown.matches("\u{1b}[?25h").count(), "{args:?}: {shown:?}");
            let last = shown.rsplit(['\n', '\r']).next().unwrap();
            let left = last.strip_prefix("\u{1b}[K").unwrap_or(last);
            assert_eq!(left, "", "{args:?} after {wait} ms: {shown:?}");
        }
    }
    assert!(interrupted >= 5, "{interrupted}");
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
    assert_eq!(acting(&text), None, "{text:?}");
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
