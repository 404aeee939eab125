//! The arguments, and which command they start.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::screen::Screen;
use crate::terminal::Plain;
use crate::world::{Outcome, World};
use crate::{attribution, check, convert, demo, list, show, usage, validate};

/// Your agents' history, without loss: read it, convert it, prove it.
#[derive(Parser)]
#[command(name = "verbatim", version, about, max_term_width = 100, after_help = AFTER)]
struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

const AFTER: &str = "\
Exit codes: 0 all is well; 1 something is lost (or unknown, where that was not to be);
2 the command line is wrong; 3 something could not be found, read or written.";

/// Options of every command.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Global {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Check(check::Args),
    Convert(convert::Args),
    Usage(usage::Args),
    Attribution(attribution::Args),
    Validate(validate::Args),
    Demo(demo::Args),
}

impl Color {
    fn is_on(self, world: &World<'_>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let dumb = world.machine.variable("TERM").is_some_and(|term| term == "dumb");
                world.width.is_some() && world.machine.variable("NO_COLOR").is_none() && !dumb
            }
        }
    }
}

pub(crate) fn run(args: impl Iterator<Item = OsString>, world: &mut World<'_>) -> u8 {
    let Args { command, global } = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            let text = error.render().to_string();
            let _ = if error.use_stderr() {
                let plain = Plain::block(&text);
                writeln!(world.err, "{}", plain.as_str().trim_end())
            } else {
                write!(world.out, "{text}")
            };
            return error.exit_code() as u8;
        }
    };
    let color = global.color.is_on(world);
    let result = match command {
        Command::List(args) => list::run(&args, global, color, world),
        Command::Show(args) => show::run(&args, global, color, world),
        Command::Check(args) => check::run(&args, global, color, world),
        Command::Convert(args) => convert::run(&args, global, world),
        Command::Usage(args) => usage::run(&args, global, color, world),
        Command::Attribution(args) => attribution::run(&args, global, color, world),
        Command::Validate(args) => validate::run(&args, global, color, world),
        Command::Demo(args) => demo::run(&args, color, world),
    };
    match result {
        Ok(outcome) => outcome as u8,
        Err(crate::Failure::Stream(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Outcome::Good as u8
        }
        Err(failure) => {
            let _ = world.out.flush();
            let (what, hint) = failure.words();
            let mut screen = Screen::new(world.err, color && world.err_terminal, None);
            let _ = screen.error(&what, hint.as_deref());
            failure.outcome() as u8
        }
    }
}

/// The help of the command and of each of its subcommands, as printed: the reference page.
#[must_use]
pub fn help() -> String {
    let mut root = Args::command();
    root.build();
    let mut text = root.render_long_help().to_string();
    for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let help = command.render_long_help();
        text.push_str(&format!("\n\n=== verbatim {}\n\n{help}", command.get_name()));
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}
