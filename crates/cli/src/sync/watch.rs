//! `verbatim sync --watch`: stays, and keeps what has changed when it rests.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use archive::sync::look;
use archive::{Archive, MachineName, SeenStates, Watch};

use crate::environment::{self, Environment};
use crate::exit::{Exit, Failure};
use crate::notes;
use crate::terminal::Plain;

/// Greatest time between two looks at the files.
const PAUSE: Duration = Duration::from_secs(5);

/// The result of a run of `sync`: the archive, the machine, and the files as they were before.
type Kept = (Archive, MachineName, Option<SeenStates>);

/// A run of `sync`.
type Keep<'k, 'w> = &'k mut dyn FnMut(&mut Environment<'w>) -> Result<Kept, Failure>;

/// Keeps once, and then again whenever something that has changed rests. Ends on a signal.
pub(super) fn watch<'w>(
    rest: u32,
    watch: &mut Watch,
    env: &mut Environment<'w>,
    keep: Keep<'_, 'w>,
) -> Result<Exit, Failure> {
    let signals = signals()?;
    let pause = PAUSE.min(Duration::from_secs(rest.into()) / 4);
    loop {
        env.now = environment::now();
        let (archive, machine, seen) = keep(env)?;
        env.out.flush()?;
        let mut catalog = env.catalog();
        catalog.machine.archive = None;
        seen.into_iter().for_each(|seen| watch.kept(seen));
        loop {
            match signals.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                    notes::say(Plain::ours("ended: what has rested is kept"), env)?;
                    return Ok(Exit::Good);
                }
            }
            if watch.is_due(&look(&archive, &catalog, &machine), environment::now()) {
                break;
            }
        }
    }
}

/// Gets a message when a signal asks the program to end.
#[cfg(unix)]
fn signals() -> std::io::Result<Receiver<()>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (tell, told) = std::sync::mpsc::channel();
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if tell.send(()).is_err() {
                return;
            }
        }
    });
    Ok(told)
}

/// The system ends the program by itself: an interrupted run harms nothing.
#[cfg(not(unix))]
fn signals() -> std::io::Result<Receiver<()>> {
    let (tell, told) = std::sync::mpsc::channel();
    std::mem::forget(tell);
    Ok(told)
}
