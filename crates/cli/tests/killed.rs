//! `verbatim resume`, killed at each system call that changes files: the agent then lists either
//! nothing new or the whole session, and the next run leaves everything as if nothing had happened.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use common::{ID, Place};
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::Value;

/// The system calls that change what is on the disk.
const CHANGES: [libc::c_long; 17] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_ftruncate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fchmod,
];

/// Whether a system call at which the program stops, before it is executed, changes the disk.
fn changes(call: &libc::user_regs_struct) -> bool {
    let number = call.orig_rax as libc::c_long;
    // `O_TMPFILE` has the bit of `O_DIRECTORY` too, which only opens.
    let made = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY) as u64;
    match number {
        libc::SYS_open => call.rsi & made != 0,
        libc::SYS_openat => call.rdx & made != 0,
        // Messages to the terminal are no changes.
        libc::SYS_write | libc::SYS_writev => call.rdi > 2 && CHANGES.contains(&number),
        _ => CHANGES.contains(&number),
    }
}

/// Runs the program and kills it just before its `nth` change. Returns the number of changes that
/// it made, and whether it ended by itself.
fn killed(place: &Place, args: &[&str], nth: usize) -> Option<(usize, bool)> {
    let program = env!("CARGO_BIN_EXE_verbatim");
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", "read go; exec \"$0\" \"$@\" < /dev/null", program]).args(args);
    command.current_dir(place.path()).env_clear().env("HOME", place.path().join("home"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let traced = trace(&mut child, nth);
    let _ = child.kill();
    let _ = child.wait();
    traced
}

fn trace(child: &mut Child, nth: usize) -> Option<(usize, bool)> {
    let pid = Pid::from_raw(child.id() as i32);
    ptrace::attach(pid).ok()?;
    waitpid(pid, None).unwrap();
    ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC).unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let (mut started, mut count, mut signal) = (false, 0, None);
    loop {
        ptrace::syscall(pid, signal.take()).ok()?;
        match waitpid(pid, None).unwrap() {
            WaitStatus::PtraceEvent(..) => started = true,
            WaitStatus::PtraceSyscall(_) => {
                let call = ptrace::getregs(pid).unwrap();
                // Each call stops twice; before it is executed, its result is this error.
                let entry = call.rax as i64 == -i64::from(libc::ENOSYS);
                if started && entry && changes(&call) {
                    count += 1;
                    if count == nth {
                        nix::sys::signal::kill(pid, Signal::SIGKILL).unwrap();
                        waitpid(pid, None).unwrap();
                        return Some((count - 1, false));
                    }
                }
            }
            WaitStatus::Stopped(_, Signal::SIGSTOP | Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, other) => signal = Some(other),
            WaitStatus::Exited(..) | WaitStatus::Signaled(..) => return Some((count, true)),
            _ => {}
        }
    }
}

/// All files and folders of the agents, with their bytes.
fn stores(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.ends_with("home/.local") {
            continue;
        }
        if path.is_dir() {
            found.extend(stores(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

fn listed(place: &Place) -> Vec<String> {
    let ran = place.run(&["list", "--json"]);
    let list: Value = serde_json::from_str(&ran.out).unwrap();
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["uid"].as_str().unwrap().to_owned()).collect()
}

/// The file by which the agent lists the session that will be placed.
fn lister(place: &Place, args: &[&str]) -> PathBuf {
    let ran = place.run(&[args, &["--dry-run", "--json"]].concat());
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    plan["files"].as_array().unwrap().last().unwrap()["path"].as_str().unwrap().into()
}

/// Kills a placement, and then its removal, at each change.
fn everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let place = make();
    let old = listed(&place);
    let Some((changes, true)) = killed(&place, args, usize::MAX) else {
        eprintln!("skipped: this system lets no process trace another");
        return;
    };
    let new = listed(&place);
    assert!(changes > 8 && new.len() == old.len() + 1, "{changes} changes, {new:?}");
    for nth in 1..=changes {
        let place = make();
        let home = place.path().join("home");
        let before = stores(&home);
        let lister = lister(&place, args);
        assert_eq!(killed(&place, args, nth), Some((nth - 1, false)));
        // The last file is the one that lists the session.
        if lister.exists() {
            let ran = place.run(&[args, &["--dry-run", "--json"]].concat());
            assert!(ran.out.contains("\"placed-before\""), "{nth}: not whole: {}", ran.out);
        }
        // The next run ends what was begun, and its removal leaves no trace.
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
        assert_eq!(listed(&place).len(), new.len(), "{nth}");
        let ran = place.run(&["resume", ID, "--undo"]);
        assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
        assert_eq!(stores(&home), before, "{nth}");
    }
    removed_everywhere(make, args);
}

fn removed_everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let undo = ["resume", ID, "--undo"];
    let placed = || {
        let place = make();
        let before = stores(&place.path().join("home"));
        assert_eq!(place.run(args).code, 0);
        (place, before)
    };
    let Some((changes, true)) = killed(&placed().0, &undo, usize::MAX) else { return };
    assert!(changes > 4, "{changes} changes");
    for nth in 1..=changes {
        let (place, before) = placed();
        assert_eq!(killed(&place, &undo, nth), Some((nth - 1, false)));
        let ran = place.run(&undo);
        assert!(matches!(ran.code, 0 | 3), "{nth}: {}", ran.err);
        assert_eq!(stores(&place.path().join("home")), before, "{nth}");
    }
}

/// A machine with sessions, and a folder to continue them in.
fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

#[test]
fn a_session_of_one_file() {
    everywhere(prepared, &["resume", ID, "--folder", "work", "--to", "codex"]);
}

/// The database is there when the file that lists it appears.
#[test]
fn a_session_with_a_database() {
    everywhere(prepared, &["resume", ID, "--folder", "work", "--to", "cursor"]);
}

/// Kills a placement, and then its removal, at each change; then the agent writes, and the next run
/// ends what was begun. What the agent wrote stays, with everything that it belongs to.
fn continued_everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let undo = ["resume", ID, "--undo"];
    for (prepare, kill) in [(None, args), (Some(args), &undo[..])] {
        let place = || {
            let place = make();
            if let Some(args) = prepare {
                assert_eq!(place.run(args).code, 0);
            }
            place
        };
        let Some((changes, true)) = killed(&place(), kill, usize::MAX) else { return };
        let mut continued = 0;
        for nth in 1..=changes {
            let place = place();
            let lister = lister(&make(), args).file_name().unwrap().to_owned();
            assert_eq!(killed(&place, kill, nth), Some((nth - 1, false)));
            let all = stores(&place.path().join("home"));
            let Some(file) = all.keys().find(|path| path.ends_with(&lister)).cloned() else {
                continue;
            };
            continued += 1;
            let mut file = fs::File::options().append(true).open(file).unwrap();
            file.write_all(b"{\"type\":\"user\"}\n").unwrap();
            let all = stores(&place.path().join("home"));
            for args in [args, &undo] {
                place.run(args);
                assert_eq!(stores(&place.path().join("home")), all, "{nth}: {args:?}");
            }
        }
        assert!(continued > 0, "the agent never saw it");
    }
}

#[test]
fn a_session_with_side_files() {
    let place = Place::with_sessions();
    let ran = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "record.vac.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record = fs::read(place.path().join("record.vac.json")).unwrap();
    let make = || {
        let place = Place::new();
        fs::create_dir_all(place.path().join("work")).unwrap();
        fs::create_dir_all(place.path().join("home")).unwrap();
        fs::write(place.path().join("record.vac.json"), &record).unwrap();
        place
    };
    let args = ["resume", "record.vac.json", "--folder", "work", "--to", "claude-code"];
    everywhere(make, &args);
    continued_everywhere(make, &args);
}
