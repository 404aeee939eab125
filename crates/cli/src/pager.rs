//! Pager: the program in which a terminal shows long output, as for git. Only text that is safe for
//! a terminal reaches it, since everything that is printed is.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

/// The commands that are read in a pager.
const LONG: [&str; 3] = ["show", "search", "list"];

/// A pager, which runs from the first output on.
pub(crate) struct Pager {
    command: String,
    /// The running program; `None` before it, or if it can't be started.
    child: Option<Child>,
    is_tried: bool,
}

/// Whether a command line asks for output that is read in a pager.
pub(crate) fn wants(args: &[OsString]) -> bool {
    let mut words = args.iter().skip(1).map(|arg| arg.to_string_lossy());
    let without = ["--no-pager", "--json", "-h", "--help"];
    let command = words.find(|word| !word.starts_with('-'));
    command.is_some_and(|command| LONG.contains(&&*command))
        && !args.iter().any(|arg| without.iter().any(|word| arg == word))
}

/// The pager's command line: of the first of these variables that is set, else `less`. `None` if
/// the user wants none.
pub(crate) fn command(machine: &catalog::Machine) -> Option<String> {
    let named = ["VERBATIM_PAGER", "PAGER"].into_iter();
    let set = |name: &str| machine.variables.get(name);
    let command = named.filter_map(set).next().map(|value| value.to_string_lossy());
    let command = command.unwrap_or_else(|| "less".into()).trim().to_owned();
    (!matches!(&*command, "" | "cat")).then_some(command)
}

/// The program of a command line. One with quotes or other signs of the shell is read by it, as git
/// does; the user's own variable says so.
fn program(command: &str) -> Option<Command> {
    if cfg!(unix)
        && command.contains(['"', '\'', '\\', '$', '|', '&', ';', '<', '>', '(', '`', '~'])
    {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        return Some(shell);
    }
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next()?);
    program.args(words);
    Some(program)
}

impl Pager {
    /// A pager that starts with the first output. Until then, an interrupt ends this program as
    /// usual, and nobody else has the terminal.
    pub(crate) fn new(command: &str) -> Self {
        Self { command: command.to_owned(), child: None, is_tried: false }
    }

    /// Starts it. `None` if it can't be started.
    fn start(&self) -> Option<Child> {
        let mut program = program(&self.command)?;
        program.stdin(Stdio::piped());
        // As git has it: quit if it fits on a screen, keep colours, leave it on the screen.
        if std::env::var_os("LESS").is_none() {
            program.env("LESS", "FRX");
        }
        if std::env::var_os("LV").is_none() {
            program.env("LV", "-c");
        }
        // Before it starts: an interrupt may come as soon as it is there.
        outlive_interrupts();
        program.spawn().ok()
    }

    /// Whether it draws links: `less` does since version 566.
    pub(crate) fn draws_links(command: &str) -> bool {
        let words: Vec<&str> = command.split_whitespace().collect();
        let [program @ "less"] = *words else { return false };
        let told = Command::new(program).arg("--version").output().ok();
        let told = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
        let version = told.as_deref().and_then(|told| told.strip_prefix("less "));
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
        version.and_then(|text| digits(text).parse::<u32>().ok()).is_some_and(|it| it >= 566)
    }

    /// Waits until the user has left it.
    pub(crate) fn end(self) {
        if let Some(mut child) = self.child {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.is_tried, true) {
            self.child = self.start();
        }
        match self.child.as_mut().map(|child| &mut child.stdin) {
            Some(Some(stdin)) => stdin.write(bytes),
            Some(None) => Err(io::ErrorKind::BrokenPipe.into()),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.child.as_mut().map(|child| &mut child.stdin) {
            Some(stdin) => stdin.as_mut().map_or(Ok(()), Write::flush),
            None => io::stdout().flush(),
        }
    }
}

/// An interrupt is the pager's, which is alive until the user leaves it: if this program ended
/// first, both the pager and the shell would have the terminal.
#[cfg(unix)]
fn outlive_interrupts() {
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, seen);
    catalog::database::outlive_interrupts();
}

#[cfg(not(unix))]
const fn outlive_interrupts() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_is_paged() {
        let paged = |args: &[&str]| {
            let args: Vec<OsString> = ["verbatim"].iter().chain(args).map(Into::into).collect();
            wants(&args)
        };
        assert!(paged(&["show", "0b5c"]) && paged(&["--utc", "list"]));
        assert!(!paged(&["show", "0b5c", "--json"]) && !paged(&["list", "--no-pager"]));
        assert!(!paged(&["check"]) && !paged(&[]) && !paged(&["search", "-h"]));
    }
}
