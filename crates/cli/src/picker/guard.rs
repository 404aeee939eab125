//! The terminal while the picker draws on it. However the picker ends, by a key, a signal or a
//! panic, the terminal is left as it was.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// A terminal that is restored when this is dropped.
pub(super) struct Guard {
    ended: Arc<AtomicBool>,
    restored: Arc<AtomicBool>,
    on_stderr: bool,
}

impl Guard {
    /// Takes the terminal. A panic restores it before it is reported.
    pub(super) fn enter(on_stderr: bool) -> io::Result<Self> {
        let [ended, restored] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        watch_signals([&ended, &restored], on_stderr);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore(on_stderr);
            before(panic);
        }));
        enable_raw_mode()?;
        let guard = Self { ended, restored, on_stderr };
        execute!(stream(on_stderr), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(guard)
    }

    /// Whether a signal asked the program to end.
    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore(self.on_stderr);
        self.restored.store(true, Ordering::Relaxed);
        if !std::thread::panicking() {
            let _ = std::panic::take_hook();
        }
    }
}

/// The terminal's own file: the caller of the picker holds the lock of standard output, and another
/// thread answers a signal.
#[cfg(unix)]
fn stream(on_stderr: bool) -> Box<dyn Write> {
    use std::os::fd::AsFd;
    let owned = match on_stderr {
        true => io::stderr().as_fd().try_clone_to_owned(),
        false => io::stdout().as_fd().try_clone_to_owned(),
    };
    owned.map_or_else(
        |_| Box::new(io::sink()) as _,
        |owned| Box::new(std::fs::File::from(owned)) as _,
    )
}

#[cfg(not(unix))]
fn stream(on_stderr: bool) -> Box<dyn Write> {
    if on_stderr { Box::new(io::stderr()) } else { Box::new(io::stdout()) }
}

fn restore(on_stderr: bool) {
    let _ = disable_raw_mode();
    let _ = execute!(stream(on_stderr), DisableBracketedPaste, LeaveAlternateScreen, Show);
}

/// The time that the picker has to end after a signal. If its terminal is gone, it may be waiting
/// for a key that never comes.
#[cfg(unix)]
const LAST: std::time::Duration = std::time::Duration::from_millis(500);

#[cfg(unix)]
fn watch_signals([ended, restored]: [&Arc<AtomicBool>; 2], on_stderr: bool) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let [ended, restored] = [ended, restored].map(Arc::clone);
    // Without a thread, a signal ends the program at once, as it does by default.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if restored.load(Ordering::Relaxed) {
                // The command with which the picker ended is running.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            ended.store(true, Ordering::Relaxed);
            std::thread::sleep(LAST);
            if !restored.load(Ordering::Relaxed) {
                restore(on_stderr);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    });
}

/// The console of Windows ends a program by an event, not by a signal.
#[cfg(not(unix))]
fn watch_signals(_: [&Arc<AtomicBool>; 2], _: bool) {}
