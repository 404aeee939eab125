//! The picker: `verbatim` alone, on a terminal. It lists the sessions, the newest first, filters
//! them as you type, shows and reads one, and hands it to the command that continues or exports it.
//!
//! To show a session, the picker runs `verbatim show` in a thread and draws the lines that this
//! command prints.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::scope::Here;
use crate::terminal::Plain;
use crate::zone::Zone;

mod draw;
mod growth;
mod guard;
mod keys;
mod marks;
mod reader;
mod rows;
mod state;
mod styled;
mod work;

#[cfg(test)]
mod picture;
#[cfg(test)]
mod tests;

use guard::Guard;
use marks::Marks;
use state::{End, Picker};
pub(crate) use work::Runner;
use work::Worker;

/// The options of the picker.
pub(crate) struct Options {
    /// The folder whose sessions are shown first, instead of the current one.
    pub folder: Option<PathBuf>,
    /// Whether it prints the id of the chosen session and ends.
    pub print: bool,
    /// Whether the commands read the files alone, not the index.
    pub no_index: bool,
    /// Whether it may use colours.
    pub color: bool,
}

/// Whether there is a terminal to draw on, and one to type at.
pub(crate) fn is_possible(options: &Options, env: &Environment<'_>) -> bool {
    let drawn = if options.print { io::stderr().is_terminal() } else { env.width.is_some() };
    drawn
        && io::stdin().is_terminal()
        && env.machine.variable("TERM").is_some_and(|term| term != "dumb")
}

/// The time in which a key is awaited before the screen looks for news.
const TICK: Duration = Duration::from_millis(40);

/// Opens the picker. `runner` runs a command of this program. Returns the exit code.
pub(crate) fn run(
    options: &Options,
    runner: Runner,
    env: &mut Environment<'_>,
) -> Result<u8, Failure> {
    if let Some(folder) = &options.folder {
        std::env::set_current_dir(folder)
            .map_err(|_| Failure::NoFile(folder.display().to_string()))?;
        // The shell's name of the folder is that of the one before.
        env.machine.variables.remove("PWD");
    }
    env.out.flush()?;
    let worker = Worker::new(env, runner, (options.no_index, options.color));
    let marks = Marks::read(env.machine.state());
    let mut picker = Picker::new(Here::of(env), Zone::of(env, false), env.now, marks);
    picker.home = env.machine.home.clone();
    picker.can_color = options.color;
    picker.prints = options.print;
    let end = watched(&mut picker, worker, options.print)?;
    finish(end, runner, options, env)
}

/// Draws the screen and answers keys until the person leaves it.
fn watched(picker: &mut Picker, mut worker: Worker, print: bool) -> io::Result<End> {
    let out: Box<dyn Write> = if print { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let guard = Guard::enter(print)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(out))?;
    worker.list();
    loop {
        while let Some(news) = worker.news() {
            picker.take(news);
        }
        let size = terminal.size()?;
        picker.resized(usize::from(size.width), usize::from(size.height));
        for job in picker.wants() {
            worker.start(job);
        }
        if picker.is_changed() {
            terminal.draw(|frame| draw::draw(picker, frame))?;
        }
        if let Some(text) = picker.copied.take() {
            copy(&text, print)?;
        }
        if guard.is_ended() {
            return Ok(End::Quit);
        }
        if !event::poll(TICK)? {
            continue;
        }
        let end = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => picker.press(key),
            Event::Paste(text) => {
                picker.paste(&text);
                None
            }
            _ => {
                picker.touch();
                None
            }
        };
        if let Some(end) = end {
            return Ok(end);
        }
    }
}

/// Asks the terminal to put a text into the clipboard (OSC 52 of xterm's control sequences). One
/// that does not know the request ignores it.
fn copy(text: &str, on_stderr: bool) -> io::Result<()> {
    let request = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    let mut out: Box<dyn Write> =
        if on_stderr { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    out.write_all(request.as_bytes())?;
    out.flush()
}

/// Does what the person chose, when the terminal is as it was.
fn finish(
    end: End,
    runner: Runner,
    options: &Options,
    env: &mut Environment<'_>,
) -> Result<u8, Failure> {
    match end {
        End::Quit => Ok(Exit::Good as u8),
        End::Print(uid) => {
            writeln!(env.out, "{}", Plain::line(&uid))?;
            Ok(Exit::Good as u8)
        }
        End::Command(words) => {
            let shown: Vec<&str> = words.iter().map(String::as_str).collect();
            writeln!(env.out, "verbatim {}", Plain::line(&shown.join(" ")))?;
            let mut args: Vec<OsString> = vec!["verbatim".into()];
            args.extend(options.no_index.then(|| "--no-index".into()));
            args.extend(words.iter().map(OsString::from));
            Ok(runner(args, env))
        }
    }
}
