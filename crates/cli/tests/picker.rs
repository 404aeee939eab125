//! The picker on a terminal: it draws, answers keys, and leaves the terminal as it was.
#![allow(clippy::unwrap_used)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;

mod common;
use common::{ID, Place, put, talk};

/// A picker on a terminal of its own.
struct Opened {
    child: Child,
    master: File,
    slave: File,
    before: Termios,
    told: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl Opened {
    fn open(place: &Place, args: &[&str], out: Option<Stdio>) -> Self {
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let before = tcgetattr(&pty.slave).unwrap();
        let (master, slave) = (File::from(pty.master), File::from(pty.slave));
        let end = || Stdio::from(slave.try_clone().unwrap());
        let mut command = place.command(args);
        command.env("TERM", "xterm-256color").stdin(end()).stderr(end());
        let child = command.stdout(out.unwrap_or_else(end)).spawn().unwrap();
        let (sender, told) = channel();
        let mut reads = master.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reads.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, master, slave, before, told, seen: Vec::new() }
    }

    fn text(&mut self) -> String {
        while let Ok(more) = self.told.try_recv() {
            self.seen.extend(more);
        }
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Waits until the screen has shown a text.
    fn await_text(&mut self, text: &str) {
        let began = Instant::now();
        while !self.text().contains(text) {
            assert!(began.elapsed() < Duration::from_secs(60), "{text}: {:?}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end. The terminal has its modes and its first screen again.
    fn end(mut self) -> i32 {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        self.await_text("\u{1b}[?1049l");
        let after = tcgetattr(&self.slave).unwrap();
        assert_eq!(after.local_flags, self.before.local_flags);
        assert_eq!(after.input_flags, self.before.input_flags);
        code
    }
}

fn place() -> Place {
    let place = Place::new();
    let file =
        place.path().join("home/.claude/projects/-home-ana-shop").join(format!("{ID}.jsonl"));
    put(&file, &talk(ID, "Oil the hinges", "2026-03-01T10:0"));
    place
}

#[test]
fn it_lists_reads_and_ends() {
    let place = place();
    let mut opened = Opened::open(&place, &[], None);
    opened.await_text("Oil the hinges");
    opened.press("hinges\r");
    opened.await_text("everything");
    // Back to the list, to its rows, and out.
    for key in ["\u{1b}", "\u{1b}", "q"] {
        std::thread::sleep(Duration::from_millis(150));
        opened.press(key);
    }
    assert_eq!(opened.end(), 0);
}

#[test]
fn signals_and_ctrl_c_leave_a_clean_terminal() {
    let place = place();
    for signal in [Some(Signal::SIGTERM), Some(Signal::SIGHUP), None] {
        let mut opened = Opened::open(&place, &[], None);
        opened.await_text("Oil the hinges");
        match signal {
            Some(signal) => {
                let pid = Pid::from_raw(i32::try_from(opened.child.id()).unwrap());
                kill(pid, signal).unwrap();
            }
            None => opened.press("\u{3}"),
        }
        assert_eq!(opened.end(), 0);
    }
}

/// A terminal that is closed ends the picker: it never waits for a key that can't come.
#[test]
fn a_closed_terminal_ends_it() {
    let place = place();
    for signal in [Signal::SIGHUP, Signal::SIGTERM] {
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let (mut master, slave) = (File::from(pty.master), File::from(pty.slave));
        let end = || Stdio::from(slave.try_clone().unwrap());
        let mut command = place.command(&[]);
        command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        let mut child = command.spawn().unwrap();
        drop((command, slave));
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains("Oil the hinges") {
            let count = master.read(&mut buffer).unwrap();
            seen.extend(&buffer[..count]);
        }
        drop(master);
        std::thread::sleep(Duration::from_millis(100));
        let _ = kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal);
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "it is still running");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_script_gets_the_chosen_name() {
    let place = place();
    let path = place.path().join("chosen");
    let out = File::create(&path).unwrap();
    let mut opened = Opened::open(&place, &["--print"], Some(out.into()));
    opened.await_text("Oil the hinges");
    opened.press("\r");
    assert_eq!(opened.end(), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("claude-code:{ID}\n"));
}

#[test]
fn without_a_terminal_the_help_is_printed() {
    let ran = place().run(&[]);
    assert_eq!(ran.code, 2);
    assert!((ran.out + &ran.err).contains("Usage: verbatim"));
}
