//! `verbatim check`: the proof that nothing is lost, with a list of damaged and unknown content.

use std::path::PathBuf;

use api::check::Check;
use operations::check::{Checked, Depth};

use crate::check_result::{self, CheckResult};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::input::only_files;
use crate::options::Global;
use crate::progress::Progress;
use crate::select::Select;
use crate::{json, notes, what};

/// Prove that nothing is lost, and list damaged and unknown content
///
/// `check` asks whether reading loses anything, of sessions and documents alike; `validate` asks
/// whether a file follows the published rules of its kind.
///
/// For each session: its records tile the files; every value of the native JSON, found by an
/// independent parser, is owned by exactly one event; every record is rebuilt from its labelled
/// fields alone. Damaged lines are kept and listed with file, line and byte. Files that are not
/// sessions are listed with the reason.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, session ids, `@`, `last` (default: all sessions of this machine)
    what: Vec<String>,
    #[command(flatten)]
    select: Select,
    /// Leave out the independent parser: much faster, and the other two claims are still proven
    #[arg(long)]
    quick: bool,
    /// Also write each session as a record, and prove that the record restores the session and its
    /// bytes: slower, and keeps the record in memory
    #[arg(long, conflicts_with = "quick")]
    deep: bool,
    /// Exit with code 1 if a session has unknown records or fields, or a database has unknown
    /// tables or rows (for scheduled jobs); still with 3 if something could not be read
    #[arg(long)]
    fail_on_unknown: bool,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.what)?;
    let found = what::found(&args.what, &args.select, env)?;
    let depth = match (args.quick, args.deep) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Deep,
        _ => Depth::Full,
    };
    let length = found.sources.iter().map(catalog::Source::length).sum();
    let progress = Progress::new(env.err, env.err_terminal, found.sources.len(), length);
    let checked = operations::check(&env.machine.job, &found, depth, &|done: &Checked| {
        progress.step(done.bytes());
    });
    drop(progress);
    let checked = checked?;
    let result = CheckResult { checked: &checked, skipped: &found.skipped };
    if global.json {
        json::write(env.out, &Check::of(&checked, &found.skipped, depth))?;
    } else {
        let home = env.machine.home.clone();
        let mut screen = crate::screen::Screen::new(env.out, color, env.width);
        check_result::print(&result, home.as_deref(), &mut screen)?;
        if checked.is_empty() && found.skipped.is_empty() {
            notes::nothing(&places(args), &args.select, "check", env)?;
        }
    }
    notes::unread_agents(!places(args).is_empty(), &found.skipped, color, env)?;
    let totals = result.totals();
    Ok(match () {
        () if totals.lost_places > 0 || totals.missing_leaves > 0 => Exit::Bad,
        () if totals.failures > 0 => Exit::Failed,
        () if args.fail_on_unknown && totals.unknown > 0 => Exit::Bad,
        () => Exit::Good,
    })
}

/// The places that the arguments name.
fn places(args: &Args) -> Vec<PathBuf> {
    args.select.within.iter().cloned().chain(args.what.iter().map(PathBuf::from)).collect()
}
