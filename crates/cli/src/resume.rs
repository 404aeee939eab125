//! `verbatim resume`: continues a session, in its own agent or in another one.

use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::api::resume::Resumed;
use catalog::{Opened, ResumeChoice, ResumePlan, Way};
use store::placing::{Placed, Placements, State, is_unfinished, state};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::input;
use crate::json;
use crate::options::Global;
use crate::resume::step::{Done, entry_of, journal, not_started, noted};
use crate::terminal::Plain;
use crate::totals::print_totals;

mod import;
pub(crate) mod lineage;
mod quote;
mod step;
mod undo;

/// Continue a session in its own agent, or place it into another agent's store to continue it there
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, or a path
    session: PathBuf,
    /// The agent that continues it; without it, the session's own
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// The folder in which to continue, if it is not the session's own
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The agent's own folder, if it is not the default one
    #[arg(long, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// Search for the session in this folder instead of the agents' own folders
    #[arg(long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
    /// Continue compacted conversation too, not only what its agent would resume
    #[arg(long)]
    all: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Start the agent when the session is there
    #[arg(long, conflicts_with = "dry_run")]
    run: bool,
    /// Remove what was placed, unless the agent has continued it
    #[arg(long, conflicts_with_all = ["run", "folder", "home", "within", "all"])]
    undo: bool,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if args.undo {
        let query = args.session.to_string_lossy();
        return undo::run(&query, args.to.as_deref(), args.dry_run, global, env);
    }
    let mut opened = input::open(&args.session, &args.within, env)?;
    if args.to.is_some() {
        input::add_history(&mut opened, &args.within, env)?;
    }
    let choice = ResumeChoice {
        to: args.to.as_deref(),
        folder: args.folder.as_deref(),
        home: args.home.as_deref(),
        all: args.all,
        untimed: input::file_time(&opened),
    };
    let plan = env.catalog().plan_resume(&opened, choice)?;
    let done = match plan.way {
        Way::There => Done::There,
        _ if args.dry_run => planned(&plan, env)?,
        _ => placed(&plan, env)?,
    };
    tell(&plan, done, &opened, global, env)?;
    match (&plan.command, args.run) {
        (Some(command), true) => start(&plan, command, env),
        _ => Ok(Exit::Good),
    }
}

/// Result that a placement would have.
fn planned(plan: &ResumePlan, env: &Environment<'_>) -> Result<Done, Failure> {
    let entry = noted(plan, Placements::noted(&journal(env)?)?);
    if let Some(entry) = entry.filter(|entry| !is_unfinished(entry)) {
        return before(plan, &entry);
    }
    let Way::Files(files) = &plan.way else { return Ok(Done::Planned) };
    match files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        Some((path, _)) => Err(store::Error::Exists { path: path.clone() }.into()),
        None => Ok(Done::Planned),
    }
}

fn placed(plan: &ResumePlan, env: &Environment<'_>) -> Result<Done, Failure> {
    let folder = journal(env)?;
    let placements = Placements::open(&folder)?;
    let entry = noted(plan, Placements::noted(&folder)?);
    if let Way::Import { .. } = &plan.way {
        return import::placed(plan, &placements, entry, env);
    }
    if let Some(entry) = entry {
        return before(plan, &entry);
    }
    let Way::Files(files) = &plan.way else { return Ok(Done::There) };
    let files: Vec<(PathBuf, &[u8])> =
        files.iter().map(|(path, content)| (path.clone(), &**content)).collect();
    let catalog = env.catalog();
    placements.place(entry_of(plan), &files, &mut || catalog.read_back(plan))?;
    Ok(Done::Placed)
}

/// Result for a session that was placed before.
fn before(plan: &ResumePlan, entry: &Placed) -> Result<Done, Failure> {
    if let State::Changed(_) = state(entry) {
        return Ok(Done::Continued);
    }
    let Way::Files(files) = &plan.way else { return Ok(Done::Before) };
    let same = files.len() == entry.files.len()
        && files.iter().all(|(path, bytes)| entry.files.iter().any(|f| f.is(path, bytes)));
    if same {
        return Ok(Done::Before);
    }
    Err(Failure::Refused(
        format!("{} was placed as {} before, in another state or place", plan.source, plan.id),
        format!("remove it first: `verbatim resume {} --undo`", plan.id),
    ))
}

fn tell(
    plan: &ResumePlan,
    done: Done,
    opened: &Opened,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let line = plan.command.as_ref().map(|words| quote::line(&plan.folder, words));
    if global.json {
        let document = Resumed::of(plan, done.word(), line.as_deref());
        return Ok(json::write(env.out, &document)?);
    }
    let (agent, id) = (plan.agent, Plain::line(&plan.id));
    match done {
        Done::There => {}
        Done::Planned => writeln!(env.err, "would be placed into {agent}'s store as {id}:")?,
        Done::Placed => writeln!(env.err, "placed into {agent}'s store as {id}:")?,
        Done::Before => writeln!(env.err, "is in {agent}'s store already, as {id}:")?,
        Done::Continued => {
            writeln!(env.err, "is in {agent}'s store already, as {id}, and was continued there")?;
        }
    }
    if matches!(done, Done::Planned | Done::Placed | Done::Before) {
        tell_files(plan, env)?;
    }
    if matches!(done, Done::Planned | Done::Placed)
        && let Some((totals, _)) = &plan.books
    {
        print_totals(totals, env)?;
    }
    if done == Done::Placed {
        writeln!(env.err, "to remove it again: verbatim resume {id} --undo")?;
    }
    if !opened.unread.is_empty() {
        let count = counted(opened.unread.len() as u64, "file", "files");
        writeln!(env.err, "warning: {count} of the session could not be read, and did not cross")?;
    }
    match line {
        Some(line) => {
            writeln!(env.err, "to continue it:")?;
            writeln!(env.out, "{}", Plain::line(&line))?;
        }
        None => writeln!(env.err, "{agent} has no command that continues it")?,
    }
    Ok(())
}

fn tell_files(plan: &ResumePlan, env: &mut Environment<'_>) -> Result<(), Failure> {
    match &plan.way {
        Way::There => {}
        Way::Files(files) => {
            for (path, _) in files {
                writeln!(env.err, "  {}", Plain::line(&path.display().to_string()))?;
            }
        }
        Way::Import { file: (name, _), commands, .. } => {
            let line = quote::words(&(commands.import)(name));
            writeln!(env.err, "  by `{}`", Plain::line(&line))?;
        }
    }
    Ok(())
}

/// Starts the agent in the session's folder, with this terminal.
fn start(plan: &ResumePlan, words: &[String], env: &mut Environment<'_>) -> Result<Exit, Failure> {
    env.out.flush()?;
    let Some((program, rest)) = words.split_first() else { return Ok(Exit::Good) };
    let status = Command::new(program).args(rest).current_dir(Path::new(&plan.folder)).status();
    match status {
        Ok(status) if status.success() => Ok(Exit::Good),
        Ok(status) => Err(Failure::Refused(
            format!("`{program}` ended with {status}"),
            "its own messages say why".into(),
        )),
        Err(error) => Err(not_started(program, &error)),
    }
}
