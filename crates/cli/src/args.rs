//! Command-line arguments, and the command that they start.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::SessionArchive;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use session::Sorting as _;
use session::UtcTime;

use crate::environment::{Environment, VERSION};
use crate::examples::with_examples;
use crate::exit::{Exit, Failure};
use crate::keeping::Lazy;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{
    archive_command, attribution, blame, check, completions, convert, demo, doctor, export,
    fidelity, human, indexing, interrupt, keeping, key, list, log, man, mcp, migrate, notes,
    picker, query, receipt, redact, resume, rows, scan, search, serve, show, sign, stats, sync,
    teach, usage, validate, verify,
};

mod commands;
mod dashed;

use commands::Command;
use dashed::dashed;

/// Find, read, move and share the sessions of your coding agents, without losing a byte.
#[derive(Parser)]
#[command(name = "verbatim", version = VERSION, about, max_term_width = 100, after_help = AFTER)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command: list the sessions of this folder first, not those of the current one
    #[arg(short = 'C', value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Without a command: print the name of the session that you choose, and end
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    global: Global,
    /// The folder of the archive (default: `$VERBATIM_ARCHIVE`, or `verbatim/archive` in the folder
    /// for data); `scan --archive` alone looks through it
    #[arg(long, global = true, value_name = "FOLDER")]
    archive: Option<Option<PathBuf>>,
    /// Read the files alone, not what `sync` keeps in the index; the answers are the same
    #[arg(long, global = true)]
    no_index: bool,
}

const AFTER: &str = "\
Every day: list, search, show, resume, export, usage.
To look: serve, stats, blame, attribution, query, rows, mcp. To move: convert, migrate, fidelity.
To share: scan, redact. To prove: check, receipt, key, sign, verify, log, validate.
To keep: sync, archive, doctor. To begin: demo, completions, man.

Exit codes: 0 all is well; 1 bytes are lost, a rule is broken, or (with --fail-on-unknown)
something is unknown; 2 the command line is wrong; 3 a file, or rows of a database, could not be
found, read or written; 4 (`verify`) nothing failed, but no known key signed. If several apply,
lost bytes come first, then unreadable files.";

/// The command line, with examples.
pub(crate) fn command() -> clap::Command {
    with_examples(Args::command())
}

pub(crate) fn run(args: impl Iterator<Item = OsString>, env: &mut Environment<'_>) -> u8 {
    let mut root = Args::command();
    let args = dashed(args.collect(), &root);
    // Only the help, which clap gives out as an error, has the examples.
    let parsed = root.try_get_matches_from_mut(&args);
    let parsed = parsed.or_else(|_| command().try_get_matches_from(&args));
    let parsed = parsed.and_then(|matches| Args::from_arg_matches(&matches));
    let Args { command, folder, print, global, archive, no_index } = match parsed {
        Ok(args) => args,
        Err(error) => return wrong(&error, &args, env),
    };
    let options = picker::Options { folder, print, no_index, color: global.color.is_on(env) };
    let Some(command) = command else {
        return match !global.json && picker::is_possible(&options, env) {
            true => pick(&options, archive.flatten(), env),
            false => wrong(&no_command(), &args, env),
        };
    };
    if options.folder.is_some() || options.print {
        return told(&picker_alone(), options.color, env);
    }
    env.machine.follow = global.follow;
    if let (Some(None), false) = (&archive, matches!(command, Command::Scan(_))) {
        return told(&nameless_archive(), global.color.is_on(env), env);
    }
    let is_of_archive = archive.is_some();
    let lazy = with_archive(archive.flatten(), env);
    if !no_index && command.reads_index() {
        env.machine.index = indexing::opened(env);
    }
    if command.is_job() {
        interrupt::cancels(&env.machine.job);
    }
    let color = global.color.is_on(env);
    let result = started(command, (is_of_archive, no_index), global, color, env);
    ended(result, lazy.as_deref(), color, env)
}

/// Runs a command.
fn started(
    command: Command,
    (is_of_archive, no_index): (bool, bool),
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    match command {
        Command::List(args) => list::run(&args, global, color, env),
        Command::Search(args) => search::run(&args, global, color, env),
        Command::Show(args) => show::run(&args, global, color, env),
        Command::Serve(args) => serve::run(&args, no_index, global, env),
        Command::Check(args) => check::run(&args, global, color, env),
        Command::Convert(args) => convert::run(&args, global, env),
        Command::Resume(args) => resume::run(&args, global, env),
        Command::Fidelity(args) => fidelity::run(&args, global, color, env),
        Command::Migrate(args) => migrate::run(&args, global, env),
        Command::Scan(args) => scan::run(&args, is_of_archive, global, color, env),
        Command::Redact(args) => redact::run(&args, global, color, env),
        Command::Export(args) => export::run(&args, global, env),
        Command::Usage(args) => usage::run(&args, global, color, env),
        Command::Stats(args) => stats::run(&args, global, color, env),
        Command::Receipt(args) => receipt::run(&args, global, env),
        Command::Key(args) => key::run(&args, global, color, env),
        Command::Sign(args) => sign::run(&args, global, color, env),
        Command::Verify(args) => verify::run(&args, global, color, env),
        Command::Query(args) => query::run(&args, global, color, env),
        Command::Rows(args) => rows::run(&args, env),
        Command::Mcp(args) => mcp::run(&args, no_index, global, env),
        Command::Blame(args) => blame::run(&args, global, color, env),
        Command::Attribution(args) => attribution::run(&args, global, color, env),
        Command::Validate(args) => validate::run(&args, global, color, env),
        Command::Log(args) => log::run(&args, global, color, env),
        Command::Sync(args) => sync::run(&args, no_index, global, color, env),
        Command::Archive(args) => archive_command::run(&args, global, color, env),
        Command::Doctor(args) => doctor::run(&args, global, color, env),
        Command::Demo(_) if global.json => Err(Failure::Usage(
            "`demo` has no `--json`: its output is for people".into(),
            "`list`, `check` and the other commands have it".into(),
        )),
        Command::Demo(args) => demo::run(&args, color, env),
        Command::Completions(args) => completions::run(&args, self::command(), global, env),
        Command::Man(args) => man::run(&args, self::command(), global, env),
    }
}

/// Says what could not be read of the archive, and how the command failed. Returns its exit code.
fn ended(
    result: Result<Exit, Failure>,
    lazy: Option<&Lazy>,
    color: bool,
    env: &mut Environment<'_>,
) -> u8 {
    let faults = lazy.iter().flat_map(|lazy| lazy.faults());
    for what in faults.map(|fault| format!("warning: the archive: {fault}")) {
        let _ = notes::say(Plain::line(&what), env);
    }
    if let Some(count) = lazy.map(Lazy::left_out).filter(|count| *count > 0) {
        let what = format!("note: {}", keeping::left_out(count));
        let _ = notes::say(Plain::line(&what), env);
    }
    match result {
        Ok(outcome) => outcome as u8,
        Err(Failure::Stream(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Exit::Good as u8
        }
        // Whoever cancelled a command knows it.
        Err(_) if env.machine.job.is_cancelled() => Exit::Cancelled as u8,
        Err(failure) => told(&failure, color, env),
    }
}

/// Opens the picker. Returns its exit code, or that of the command that it ends with.
fn pick(options: &picker::Options, archive: Option<PathBuf>, env: &mut Environment<'_>) -> u8 {
    let _lazy = with_archive(archive, env);
    if !options.no_index {
        env.machine.index = indexing::opened(env);
    }
    let runner: picker::Runner = |args, env| run(args.into_iter(), env);
    picker::run(options, runner, env).unwrap_or_else(|failure| told(&failure, options.color, env))
}

/// The failure of an option of the picker beside a command.
fn picker_alone() -> Failure {
    let hint = "`verbatim -C FOLDER` opens the picker; most commands take `--in FOLDER`";
    Failure::Usage("`-C` and `--print` in front of a command mean nothing".into(), hint.into())
}

/// The error of a command line without a command, which prints the help.
fn no_command() -> clap::Error {
    let strict = command().subcommand_required(true).arg_required_else_help(true);
    match strict.try_get_matches_from(["verbatim"]) {
        Err(error) => error,
        Ok(_) => command().error(ErrorKind::MissingSubcommand, "no command is named"),
    }
}

/// Lets the commands take sessions from the archive in this folder, or in the usual one.
fn with_archive(folder: Option<PathBuf>, env: &mut Environment<'_>) -> Option<Arc<Lazy>> {
    if let Some(folder) = folder {
        env.machine.variables.insert(keeping::VARIABLE.into(), folder.into());
    }
    let lazy = keeping::folder(env).ok().and_then(|folder| Lazy::of(&folder, env));
    env.machine.archive = lazy.clone().map(|lazy| lazy as Arc<dyn SessionArchive>);
    lazy
}

/// The failure of `--archive` without a folder, which `scan` alone takes.
fn nameless_archive() -> Failure {
    let hint = "name it: `--archive FOLDER`; `scan --archive` alone looks through the archive";
    Failure::Usage("`--archive` names no folder".into(), hint.into())
}

/// Prints an error of the command line, or the help. Returns its exit code.
fn wrong(error: &clap::Error, args: &[OsString], env: &mut Environment<'_>) -> u8 {
    if let Some(failure) = mistaken(error) {
        return told(&failure, false, env);
    }
    // Line breaks in an argument would break the message into several lines.
    let broken = args.iter().filter_map(|arg| arg.to_str()).filter(|arg| arg.contains('\n'));
    let text = broken.fold(message(error), |text, arg| {
        let (name, value) = arg.split_once('=').unwrap_or((arg, arg));
        [arg, name, value]
            .into_iter()
            .filter(|part| part.contains('\n'))
            .fold(text, |text, part| text.replace(part, Plain::words(part).as_str()))
    });
    let _ = if error.use_stderr() {
        let plain = Plain::block(&text);
        writeln!(env.err, "{}", plain.as_str().trim_end())
    } else {
        write!(env.out, "{text}")
    };
    error.exit_code() as u8
}

/// Prints a failure. Returns its exit code.
fn told(failure: &Failure, color: bool, env: &mut Environment<'_>) -> u8 {
    let _ = env.out.flush();
    let (what, hint) = failure.words();
    let (now, width) = (env.now, env.width.filter(|_| env.err_terminal));
    let mut screen = notes::errors(color, env);
    let _ = screen.error(&what, hint.as_deref());
    if let Failure::Catalog(catalog::Error::Ambiguous { found, copies, .. }) = failure {
        let _ = choices(found, *copies, (now, width), &mut screen);
    }
    failure.exit() as u8
}

/// Number of sessions that a name may mean of which each is listed.
const CHOICES: usize = 10;

/// Greatest number of columns of a title among them.
const TITLE: usize = 48;

/// Prints the sessions that a name may mean, the newest first.
fn choices(
    found: &[catalog::Choice],
    copies: bool,
    (now, width): (UtcTime, Option<usize>),
    screen: &mut Screen<'_>,
) -> std::io::Result<()> {
    let mut found: Vec<&catalog::Choice> = found.iter().collect();
    found.in_order_by_key(|choice| std::cmp::Reverse(choice.updated));
    // The id is whole; the title has the room that it leaves.
    let ids = found.iter().take(CHOICES).map(|choice| choice.uid.chars().count()).max();
    let room = width.map_or(TITLE, |width| width.saturating_sub(ids.unwrap_or(0) + 16));
    let room = if room < 8 { 0 } else { room.min(TITLE) };
    let row = |choice: &&catalog::Choice| {
        let age = choice.updated.map(|time| human::age(now, time)).unwrap_or_default();
        vec![
            Line::new().say(Style::Normal, "  ").put(Style::Name, Plain::line(&choice.uid)),
            Line::new().tell(Style::Normal, &age),
            Line::new().put(
                Style::Strong,
                Plain::line(if room == 0 { "" } else { &choice.title }).cut(room),
            ),
        ]
    };
    // Copies have the same id: each is known by its file.
    let below = |choice: &&catalog::Choice| {
        let file = choice.file.as_ref().map(|file| file.display().to_string());
        file.map(|file| Line::new().say(Style::Normal, "    ").tell(Style::Faint, &file))
    };
    let shown = &found[..found.len().min(CHOICES)];
    match copies {
        false => screen.table(&shown.iter().map(row).collect::<Vec<_>>(), &[1])?,
        true => shown.iter().try_for_each(|choice| {
            screen.table(&[row(choice)], &[1])?;
            below(choice).iter().try_for_each(|line| screen.line(line))
        })?,
    }
    match found.len().checked_sub(CHOICES).filter(|more| *more > 0) {
        Some(more) => screen.line(&Line::new().tell(Style::Faint, &format!("  and {more} more"))),
        None => Ok(()),
    }
}

/// The failure of a word that people try in place of a command.
fn mistaken(error: &clap::Error) -> Option<Failure> {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let command = text(ContextKind::InvalidSubcommand).and_then(teach::taught);
    command.or_else(|| text(ContextKind::InvalidArg).and_then(teach::option))
}

/// The text of an error of the command line. An unknown option is no value: to put it behind `--`
/// would only lead to the next error.
fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    if error.kind() != ErrorKind::UnknownArgument {
        return text;
    }
    let misleading = |line: &&str| line.contains("tip: to pass '") && line.contains("'-- ");
    let lines: Vec<&str> = text.lines().filter(|line| !misleading(line)).collect();
    lines.join("\n").replace("\n\n\n", "\n\n")
}

/// Width of the published help.
const HELP_WIDTH: usize = 100;

/// The help of the command and of each subcommand, as printed.
#[must_use]
pub fn help() -> String {
    let mut root = command().term_width(HELP_WIDTH);
    root.build();
    let mut text = root.render_long_help().to_string();
    for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let help = command.render_long_help();
        text.push_str(&format!("\n\n=== verbatim {}\n\n{help}", command.get_name()));
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}
