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
    /// The bytes of all items.
    length: u64,
}

impl<'w> Progress<'w> {
    /// Progress of a task with `total` items that have `length` bytes.
    pub(crate) fn new(
        err: &'w mut (dyn Write + Send),
        terminal: bool,
        total: usize,
        length: u64,
    ) -> Self {
        let next = terminal.then(|| Instant::now() + PATIENCE);
        if terminal {
            erase_on_interrupt();
        }
        let (total, done, bytes, shown) = (total as u64, 0, 0, false);
        Self { state: Mutex::new(State { err, shown, next, total, done, bytes, length }) }
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
            let percent = (state.bytes * 100).checked_div(state.length).unwrap_or(0).min(100);
            let _ = write!(state.err, "\r\x1b[K{done} of {total} · {size} · {percent} %");
            let _ = state.err.flush();
        }
    }
}

/// An interrupt erases the line before it ends the program.
#[cfg(unix)]
fn erase_on_interrupt() {
    use signal_hook::consts::SIGINT;
    // Whatever cancels the job erases the line too.
    if crate::interrupt::is_watching() {
        return;
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let _ = std::io::stderr().write_all(b"\r\x1b[K");
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
const fn erase_on_interrupt() {}

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
