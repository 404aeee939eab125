//! A child process with a time limit. All processes that it started end with it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Interval between two checks of a process.
const TICK: Duration = Duration::from_millis(40);

/// A process that leads its own process group.
pub(crate) struct Process {
    child: Child,
    begun: Instant,
}

/// Ending of a process.
pub(crate) enum Ending {
    /// It exited by itself.
    Left(ExitStatus),
    /// It exceeded its time limit and was killed.
    Killed,
}

impl Process {
    /// Starts a command in its own process group.
    /// `input` is its standard input. Its output goes to `name.stdout` and
    /// `name.stderr` in the folder `notes`.
    pub(crate) fn start(
        command: &mut Command,
        input: &str,
        notes: &Path,
        name: &str,
    ) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        let path = notes.join(format!("{name}.stdin"));
        fs::write(&path, input)?;
        let child = command
            .process_group(0)
            .stdin(File::open(&path)?)
            .stdout(Stdio::from(File::create(notes.join(format!("{name}.stdout")))?))
            .stderr(Stdio::from(File::create(notes.join(format!("{name}.stderr")))?))
            .spawn()?;
        Ok(Self { child, begun: Instant::now() })
    }

    /// Sends a signal to the whole group. If the group has ended, nothing happens.
    pub(crate) fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, signal));
    }

    /// Waits until the condition holds or the process has ended. Returns false if the time runs out
    /// first.
    pub(crate) fn wait_for(&mut self, limit: Duration, holds: impl Fn() -> bool) -> bool {
        while self.begun.elapsed() < limit {
            if holds() || matches!(self.child.try_wait(), Ok(Some(_))) {
                return true;
            }
            std::thread::sleep(TICK);
        }
        false
    }

    /// Waits for the end within a time limit, and kills the rest of the group.
    pub(crate) fn leave(self, limit: Duration) {
        let limit = self.begun.elapsed() + limit;
        self.end(limit);
    }

    /// Waits for the end, and kills the rest of the group.
    pub(crate) fn end(mut self, limit: Duration) -> Ending {
        while self.begun.elapsed() < limit {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Ending::Left(status);
            }
            std::thread::sleep(TICK);
        }
        Ending::Killed
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
