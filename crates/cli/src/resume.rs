//! `verbatim resume`: continues a session, in its own agent or in another one.

use std::path::PathBuf;
use std::process::ExitStatus;

use api::resume::Resumed;
use catalog::Opened;
use operations::placing::{
    Desk, Earlier, Placement, PlacementState, PlacingNote, Settled, Settlement, StrangeEntry,
    is_startable, start, undo_words,
};
use operations::{Damage, Mended, PlacementPlan, ResumeChoice, ResumePlan};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::notes::say;
use crate::options::Global;
use crate::screen::{Line, Style};
use crate::terminal::Plain;
use crate::totals::print_totals;
use crate::what::One;
use crate::{input, interrupt, json, notes};

pub(crate) mod lineage;
pub(crate) mod quote;
mod sub_agent;
mod undo;

/// Continue a session in its own agent, or place it into another agent's store to continue it there
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// The agent that continues it; without it, the session's own
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// The folder in which to continue, if it is not the session's own
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The agent's own folder, if it is not the default one
    #[arg(long, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// Include the conversation before a compaction, which its agent would leave out
    #[arg(long)]
    all: bool,
    /// Place a mended copy of a session that its own agent can't continue any more
    #[arg(long, conflicts_with_all = ["to", "undo"])]
    repair: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Start the agent when the session is there
    #[arg(long, conflicts_with = "dry_run")]
    run: bool,
    /// Remove what was placed, unless the agent has continued it
    #[arg(long, conflicts_with_all = ["run", "within", "all"])]
    undo: bool,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if args.undo {
        return undo::run(args, global, env);
    }
    let to = args.to.as_deref().map(|to| operations::agent(&env.catalog(), to)).transpose()?;
    let name = args.one.name(env)?;
    let mut opened = input::open(&name, args.one.within(), env)?;
    sub_agent::alone(&name, &mut opened, env)?;
    match args.repair {
        true => is_damaged(&opened, env)?,
        false => tell_emptied(&opened, env)?,
    }
    if to.is_some() {
        input::add_history(&mut opened, args.one.within(), env)?;
    }
    let catalog = env.catalog();
    let mut desk = Desk::new(&catalog, args.home.as_deref())?;
    let here = std::env::current_dir().ok();
    let choice = ResumeChoice {
        to: to.map(|format| format.name()),
        folder: args.folder.as_deref(),
        home: args.home.as_deref(),
        all: args.all,
        anew: false,
        untimed: input::file_time(&opened),
        at: Some(env.now),
        copy: None,
        ours: &[],
        repair: args.repair,
        here: here.as_deref(),
    };
    if args.run {
        let planned = desk.plan(&opened, choice)?;
        is_startable(planned.plan.command.as_deref().unwrap_or_default(), &catalog.machine)?;
    }
    let placement = match args.dry_run {
        true => desk.plan(&opened, choice),
        false => desk.place(&opened, choice),
    };
    tell_notes(&mut desk, env)?;
    let placement = placement?;
    if global.json {
        tell_document(&placement, env)?;
    } else {
        tell(args, &placement, &opened, env)?;
    }
    let Placement { plan, .. } = placement;
    if args.run {
        env.out.flush()?;
        interrupt::end_at_once();
        return ended(&plan, start(&plan, &env.machine)?);
    }
    Ok(Exit::Good)
}

/// Says how to continue from before a line that emptied the conversation: the session's agent goes
/// on from nothing, and nothing else of it is there to be placed.
fn tell_emptied(opened: &Opened, env: &mut Environment<'_>) -> Result<(), Failure> {
    let session = opened.session();
    let damages = operations::damages(&env.catalog(), session);
    let Some(emptied) = damages.iter().find(|one| one.damage == Damage::Emptied) else {
        return Ok(());
    };
    let line = emptied.lines.first().copied().unwrap_or_default();
    let id = quote::words(std::slice::from_ref(&session.id));
    let what = format!(
        "note: line {line} emptied this conversation: `verbatim resume {id} --repair` places a \
         copy with what was before"
    );
    Ok(say(Plain::words(&what), env)?)
}

/// Reports what the journal has beside the result.
fn tell_notes(desk: &mut Desk<'_>, env: &mut Environment<'_>) -> Result<(), Failure> {
    for note in desk.notes() {
        let what = match note {
            PlacingNote::Strange(StrangeEntry { path, why }) => {
                format!("warning: {} is not obeyed: {why}", path.display())
            }
            PlacingNote::Kept(path) => format!(
                "warning: an agent wrote into a session after it was removed; what it wrote is \
                 kept in {}: move that file elsewhere",
                path.display()
            ),
            PlacingNote::Held(path) => format!(
                "warning: a program has the session that was removed open: what it writes now goes \
                 to {}, which is deleted by a later run if nothing was written",
                path.display()
            ),
            PlacingNote::Declined { agent, why } => {
                format!("note: {agent} does not take its own session in as it is stored: {why}")
            }
            PlacingNote::Settled(Settled { agent, id, result }) => match result {
                Settlement::Kept => format!("note: {agent}:{id} is there: a run before was killed"),
                Settlement::Removed => {
                    format!("note: removed what a killed run had left of {agent}:{id}")
                }
                Settlement::Failed(why) => {
                    format!("warning: what a killed run had left of {agent}:{id} is there: {why}")
                }
            },
        };
        say(Plain::words(&what), env)?;
    }
    Ok(())
}

/// The line that continues a session.
pub(crate) fn line(plan: &ResumePlan) -> Option<String> {
    let command = plan.command.as_ref();
    command.map(|words| quote::line(&plan.folder, &plan.variables, words))
}

fn tell_document(placement: &Placement, env: &mut Environment<'_>) -> Result<(), Failure> {
    let Placement { plan, state, earlier } = placement;
    let line = line(plan);
    let document = Resumed::of((plan, earlier.as_ref()), state.word(), line.as_deref());
    Ok(json::write(env.out, &document)?)
}

fn tell(
    args: &Args,
    placement: &Placement,
    opened: &Opened,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let Placement { plan, state, earlier } = placement;
    let (state, line) = (*state, line(plan));
    if let Some(earlier) = earlier {
        tell_earlier(earlier, plan.agent, env)?;
    }
    let (agent, id) = (plan.agent, Plain::line(&plan.id));
    let there = format!("is in {agent}'s store already, as {}", id.as_str());
    let what = match state {
        PlacementState::There => None,
        PlacementState::Planned => Some(format!("would be placed into {agent}'s store as {id}:")),
        PlacementState::Placed => Some(format!("placed into {agent}'s store as {id}:")),
        PlacementState::Before => Some(format!("{there}:")),
        PlacementState::Continued => Some(format!("{there}, and was continued there")),
    };
    if let Some(what) = what {
        say(Plain::words(&what), env)?;
    }
    if plan.anew && !args.repair {
        tell_anew(plan, env)?;
    }
    if matches!(state, PlacementState::Planned | PlacementState::Placed | PlacementState::Before) {
        tell_files(plan, env)?;
    }
    if matches!(state, PlacementState::Planned | PlacementState::Placed)
        && let Some((totals, _)) = &plan.books
    {
        print_totals(totals, env)?;
    }
    notes::unread(&plan.unread, env)?;
    tell_mended(plan, env)?;
    if state == PlacementState::Placed {
        tell_undo(args, plan, env)?;
    }
    if !opened.unread.is_empty() {
        let count = counted(opened.unread.len() as u64, "file", "files");
        writeln!(env.err, "warning: {count} of the session could not be read, and did not cross")?;
    }
    if args.home.is_some() && plan.variables.is_empty() && state != PlacementState::There {
        let what = format!("{agent} uses that folder only if its own settings name it");
        writeln!(env.err, "note: {what}, if it is not its default one")?;
    }
    match line {
        Some(line) => {
            writeln!(env.err, "to continue it:")?;
            // The line has no character that acts on a terminal.
            writeln!(env.out, "{line}")?;
        }
        None => writeln!(env.err, "{agent} has no command that continues it")?,
    }
    Ok(())
}

/// Says why the session's own agent gets it in another form than its own.
fn tell_anew(plan: &ResumePlan, env: &mut Environment<'_>) -> Result<(), Failure> {
    let agent = plan.agent;
    writeln!(env.err, "note: it is written anew, in the form that {agent} has today")?;
    if let Some(parent) = &plan.parent {
        let parent = quote::words(&["verbatim".into(), "resume".into(), parent.clone()]);
        writeln!(
            env.err,
            "note: it is a sub-agent's session, which {agent} continues within its parent only: \
             this copy is a session of its own. To continue the parent: `{parent}`"
        )?;
    }
    Ok(())
}

/// Says what was placed of the session before, and what has become of it.
fn tell_earlier(earlier: &Earlier, agent: &str, env: &mut Environment<'_>) -> Result<(), Failure> {
    let since = match earlier.newer {
        Some(newer @ 1..) => {
            format!("the session is {} newer than", counted(newer as u64, "turn", "turns"))
        }
        Some(fewer @ ..0) => {
            let fewer = counted(fewer.unsigned_abs(), "turn", "turns");
            format!("the session is {fewer} shorter than")
        }
        Some(0) | None => "the session is not as".to_owned(),
    };
    let (id, then) = (Plain::line(&earlier.id), "what was placed before");
    let what = match earlier.is_replaced {
        true => format!("{since} {then} as {id}, which {agent} has not continued, and replaces it"),
        false => format!("{since} {then} as {id}, which stays there; it is another session"),
    };
    Ok(writeln!(env.err, "note: {what}")?)
}

/// Refuses a session that its agent can continue as it is.
fn is_damaged(opened: &Opened, env: &Environment<'_>) -> Result<(), Failure> {
    let catalog = env.catalog();
    let native = operations::native(&catalog, opened.session())?;
    let session = native.as_ref().unwrap_or(opened.session());
    match operations::damages(&catalog, session).is_empty() {
        false => Ok(()),
        true => Err(Failure::Faulty(
            format!("{} has nothing to mend: its agent can continue it as it is", session.uid()),
            format!("continue it: `verbatim resume {}`", session.id),
        )),
    }
}

/// Most lines that are named of one damage.
const LINES: usize = 8;

/// Says what is mended in the copy.
fn tell_mended(plan: &ResumePlan, env: &mut Environment<'_>) -> Result<(), Failure> {
    for Mended { damage, lines } in &plan.mended {
        let [one, several] = damage.names();
        let count = counted(lines.len() as u64, one, several);
        let mut named: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
        if lines.len() > LINES {
            named.push("…".into());
        }
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        let mending = damage.mending();
        writeln!(env.err, "mended: {count} ({noun} {}): {mending}", named.join(", "))?;
    }
    if !plan.mended.is_empty() {
        writeln!(env.err, "the damaged session stays as it is: {}", Plain::line(&plan.source))?;
    }
    Ok(())
}

fn tell_undo(args: &Args, plan: &ResumePlan, env: &mut Environment<'_>) -> Result<(), Failure> {
    let mut words = undo_words(&plan.id);
    if let Some(home) = &args.home {
        let after = words.iter().position(|word| word == "--undo").map_or(0, |at| at + 1);
        let home = ["--home".to_owned(), home.to_string_lossy().into_owned()];
        words.splice(after..after, home);
    }
    Ok(writeln!(env.err, "to remove it again: {}", quote::words(&words))?)
}

fn tell_files(plan: &ResumePlan, env: &mut Environment<'_>) -> Result<(), Failure> {
    match &plan.way {
        PlacementPlan::AlreadyInStore => {}
        PlacementPlan::Files(files) => {
            // A terminal has no room for a long path: the home is `~`.
            let home = env.machine.home.clone().filter(|_| env.err_terminal);
            for (path, _) in files {
                let path = human::folder(&path.display().to_string(), home.as_deref());
                let mut notes = notes::errors(false, env);
                let room = notes.width.map_or(usize::MAX, |width| width.saturating_sub(2));
                let path = path.cut_middle(room);
                notes.line(&Line::new().say(Style::Normal, "  ").put(Style::Normal, path))?;
            }
            let last = files.last().and_then(|(path, _)| Some((path, path.canonicalize().ok()?)));
            if let Some((path, real)) = last.filter(|(path, real)| *path != real) {
                let (path, real) = (path.display().to_string(), real.display().to_string());
                let (path, real) = (Plain::words(&path), Plain::words(&real));
                writeln!(env.err, "note: {path} is by a link {real}")?;
            }
        }
        PlacementPlan::Import { file: (name, _), commands, .. } => {
            let line = quote::words(&(commands.import)(name));
            writeln!(env.err, "  by `{line}`")?;
        }
    }
    Ok(())
}

/// The exit code after the agent has ended.
fn ended(plan: &ResumePlan, status: Option<ExitStatus>) -> Result<Exit, Failure> {
    match status {
        Some(status) if !status.success() => {
            let program = plan.command.iter().flatten().next().map_or("", String::as_str);
            let what = format!("`{program}` ended with {status}");
            Err(Failure::Refused(what, "its own messages say why".into()))
        }
        _ => Ok(Exit::Good),
    }
}
