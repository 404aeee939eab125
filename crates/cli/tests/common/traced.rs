//! The program, stopped at each of its system calls that change files: it is killed there, or the
//! call fails, or another program writes meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::Place;

/// The system calls that change what is on the disk, and whether they take room there.
const CHANGES: [(libc::c_long, bool); 20] = [
    (libc::SYS_write, true),
    (libc::SYS_pwrite64, true),
    (libc::SYS_writev, true),
    (libc::SYS_mkdir, true),
    (libc::SYS_mkdirat, true),
    (libc::SYS_rmdir, false),
    (libc::SYS_unlink, false),
    (libc::SYS_unlinkat, false),
    (libc::SYS_link, true),
    (libc::SYS_linkat, true),
    (libc::SYS_rename, false),
    (libc::SYS_renameat, false),
    (libc::SYS_renameat2, false),
    (libc::SYS_ftruncate, false),
    (libc::SYS_fsync, false),
    (libc::SYS_fdatasync, false),
    (libc::SYS_fchmod, false),
    (libc::SYS_chmod, false),
    (libc::SYS_fchmodat, false),
    (libc::SYS_utimensat, false),
];

/// The fate of a change, before it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// It is executed.
    Go,
    /// The program is killed.
    Kill,
    /// It fails with this error of the system.
    Fail(i32),
    /// It is executed, and somebody presses Ctrl-C.
    Interrupt,
}

/// A change at which the program stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// Its number, from 1.
    pub number: usize,
    /// Whether it takes room on the disk.
    pub takes_room: bool,
    /// Whether a folder that can't be written refuses it.
    pub is_refused: bool,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, with this exit code.
    Left(i32),
    /// It was killed.
    Killed,
}

/// Whether a system call changes the disk, and whether it takes room.
fn change(call: &libc::user_regs_struct) -> Option<bool> {
    let number = call.orig_rax as libc::c_long;
    // `O_TMPFILE` has the bit of `O_DIRECTORY` too, which only opens.
    let made = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY) as u64;
    match number {
        libc::SYS_open => (call.rsi & made != 0).then_some(true),
        libc::SYS_openat => (call.rdx & made != 0).then_some(true),
        // Messages to the terminal are no changes.
        libc::SYS_write | libc::SYS_writev if call.rdi <= 2 => None,
        _ => CHANGES.iter().find(|(known, _)| *known == number).map(|(_, room)| *room),
    }
}

/// Runs the program, and asks at each of its changes what is to happen. Returns the number of
/// changes that it made, and its end; `None` if this system lets no process trace another.
pub(crate) fn traced(
    place: &Place,
    args: &[&str],
    act: &mut dyn FnMut(Change) -> Act,
) -> Option<(usize, End)> {
    let program = env!("CARGO_BIN_EXE_verbatim");
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", "read go; exec \"$0\" \"$@\" < /dev/null", program]).args(args);
    command.current_dir(place.path()).env_clear().env("HOME", place.path().join("home"));
    command.env("PATH", place.path().join("bin"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let ended = follow(&mut child, act);
    let _ = child.kill();
    let _ = child.wait();
    ended
}

fn follow(child: &mut Child, act: &mut dyn FnMut(Change) -> Act) -> Option<(usize, End)> {
    let pid = Pid::from_raw(child.id() as i32);
    ptrace::attach(pid).ok()?;
    waitpid(pid, None).unwrap();
    ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC).unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let (mut started, mut count, mut signal) = (false, 0, None);
    let mut failing = None;
    loop {
        ptrace::syscall(pid, signal.take()).ok()?;
        match waitpid(pid, None).unwrap() {
            WaitStatus::PtraceEvent(..) => started = true,
            WaitStatus::PtraceSyscall(_) => {
                let mut call = ptrace::getregs(pid).unwrap();
                // Each call stops twice; before it is executed, its result is this error.
                let entry = call.rax as i64 == -i64::from(libc::ENOSYS);
                if let Some(error) = failing.take() {
                    call.rax = -i64::from(error) as u64;
                    ptrace::setregs(pid, call).unwrap();
                    continue;
                }
                let Some(takes_room) = change(&call).filter(|_| started && entry) else { continue };
                count += 1;
                let number = call.orig_rax as libc::c_long;
                let is_open = !matches!(
                    number,
                    libc::SYS_write
                        | libc::SYS_pwrite64
                        | libc::SYS_writev
                        | libc::SYS_ftruncate
                        | libc::SYS_fsync
                        | libc::SYS_fdatasync
                );
                match act(Change { number: count, takes_room, is_refused: is_open }) {
                    Act::Go => {}
                    Act::Interrupt => interrupt(pid),
                    Act::Kill => {
                        nix::sys::signal::kill(pid, Signal::SIGKILL).unwrap();
                        waitpid(pid, None).unwrap();
                        return Some((count - 1, End::Killed));
                    }
                    Act::Fail(error) => {
                        // A call without a number is executed as none.
                        call.orig_rax = u64::MAX;
                        ptrace::setregs(pid, call).unwrap();
                        failing = Some(error);
                    }
                }
            }
            WaitStatus::Stopped(_, Signal::SIGSTOP | Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, other) => signal = Some(other),
            WaitStatus::Exited(_, code) => return Some((count, End::Left(code))),
            WaitStatus::Signaled(..) => return Some((count, End::Killed)),
            _ => {}
        }
    }
}

/// Sends what Ctrl-C sends, and gives another thread of the program the time to take it.
fn interrupt(pid: Pid) {
    nix::sys::signal::kill(pid, Signal::SIGINT).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
}

/// Runs the program and kills it just before its `nth` change. Returns the number of changes that
/// it made, and whether it ended by itself.
pub(crate) fn killed(place: &Place, args: &[&str], nth: usize) -> Option<(usize, bool)> {
    let mut act = |change: Change| if change.number == nth { Act::Kill } else { Act::Go };
    traced(place, args, &mut act).map(|(count, end)| (count, end != End::Killed))
}

/// All files and folders below a folder, with their bytes, but for verbatim's own.
pub(crate) fn stores(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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
