//! Ctrl-C, for commands that run as a job: the first one cancels the job, so that the command ends
//! by itself and leaves nothing behind. A command that does not end within a moment is ended by the
//! signal, as any program is, but not while it changes files: what it has begun is completed or
//! undone first. A second Ctrl-C ends the program in any case.

use std::sync::atomic::{AtomicBool, Ordering};

use catalog::Job;

/// Whether this process may answer signals: it runs one command, and no pager does so.
static MAY: AtomicBool = AtomicBool::new(false);
/// Whether a job is cancelled by a signal.
static WATCHING: AtomicBool = AtomicBool::new(false);
/// Whether a signal ends the program at once.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Lets commands of this process answer signals.
pub(crate) fn allow() {
    MAY.store(true, Ordering::Relaxed);
}

/// Whether a signal cancels the job that runs.
pub(crate) fn is_watching() -> bool {
    WATCHING.load(Ordering::Relaxed)
}

/// From now on, a signal ends the program at once: the job is done, and another program has the
/// terminal.
pub(crate) fn end_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

/// Lets Ctrl-C cancel a job.
#[cfg(unix)]
pub(crate) fn cancels(job: &Job) {
    use signal_hook::consts::SIGINT;
    use signal_hook::iterator::Signals;
    // What ignores the signal, as a job in the background does, goes on to ignore it.
    let may = MAY.load(Ordering::Relaxed) && !catalog::database::is_ignored(SIGINT);
    if !may || WATCHING.swap(true, Ordering::Relaxed) {
        return;
    }
    let Ok(signals) = Signals::new([SIGINT]) else { return };
    // The handler itself sets the flag: no step begins between the signal and a thread.
    if signal_hook::flag::register(SIGINT, job.flag()).is_err() {
        return;
    }
    catalog::database::outlive_interrupts();
    std::thread::spawn(move || wait(signals));
}

/// Ends the program some time after the first signal and the last change, or with the second
/// signal.
#[cfg(unix)]
fn wait(mut signals: signal_hook::iterator::Signals) {
    use std::time::{Duration, Instant};
    /// The time that a command has to end by itself.
    const PATIENCE: Duration = Duration::from_secs(1);
    let is_first = signals.forever().next().is_some();
    let mut end = Instant::now() + PATIENCE;
    while is_first && Instant::now() < end && !AT_ONCE.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(10));
        // The time runs from the end of the change: behind it the command asks the job.
        if store::is_changing() {
            end = Instant::now() + PATIENCE;
        }
        if signals.pending().next().is_some() {
            break;
        }
    }
    end_now();
}

/// Ends the program as the signal does by default, so that its caller knows why.
#[cfg(unix)]
pub(crate) fn end_now() {
    use std::io::{IsTerminal as _, Write as _};
    let mut err = std::io::stderr();
    if err.is_terminal() {
        let _ = err.write_all(b"\r\x1b[K");
    }
    catalog::database::end_by(signal_hook::consts::SIGINT);
}

/// The console of other systems ends a program by an event, not by a signal.
#[cfg(not(unix))]
pub(crate) const fn cancels(_: &Job) {}

#[cfg(not(unix))]
pub(crate) const fn end_now() {}
