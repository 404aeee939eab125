//! Progress line for long work. It is printed only on a terminal, and erased at the end.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::human;

/// Delay before the first report.
const PATIENCE: Duration = Duration::from_millis(400);
/// Interval between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// Progress of one task.
pub(crate) struct Progress<'w> {
    state: Mutex<State<'w>>,
}

struct State<'w> {
    err: &'w mut (dyn Write + Send),
    shown: bool,
    next: Option<Instant>,
    total: u64,
    done: u64,
    bytes: u64,
}

impl<'w> Progress<'w> {
    /// Progress of a task with `total` items.
    pub(crate) fn new(err: &'w mut (dyn Write + Send), terminal: bool, total: usize) -> Self {
        let next = terminal.then(|| Instant::now() + PATIENCE);
        let total = total as u64;
        Self { state: Mutex::new(State { err, shown: false, next, total, done: 0, bytes: 0 }) }
    }

    /// Counts a finished item of this size, in bytes.
    pub(crate) fn step(&self, bytes: u64) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += 1;
        state.bytes += bytes;
        let now = Instant::now();
        if state.next.is_some_and(|next| next <= now) {
            state.next = Some(now + PAUSE);
            state.shown = true;
            let (done, total) = (human::count(state.done), human::count(state.total));
            let size = human::size(state.bytes);
            let _ = write!(state.err, "\r\x1b[K{done} of {total} · {size}");
            let _ = state.err.flush();
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Ok(state) = self.state.get_mut()
            && state.shown
        {
            let _ = write!(state.err, "\r\x1b[K");
            let _ = state.err.flush();
        }
    }
}
