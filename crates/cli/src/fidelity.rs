//! `verbatim fidelity`: how much of each agent's sessions arrives at each other one, by the books.

use std::path::PathBuf;

use api::fidelity::FidelityDocument;
use operations::fidelity::{Fidelity, PairFidelity};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{count, counted};
use crate::input::only_files;
use crate::notes::{self, say};
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::{json, what};

/// Show how much of a session survives conversion, for each pair of agents
///
/// Converts every session to every other agent in memory, and adds up the books. Each row is a pair
/// of agents, the number of sessions behind the first one's name. TALK is the share of the
/// conversation (prompts, answers, thoughts, calls and their output) that arrives, whole or in
/// part. Of all values of the sessions, most are bookkeeping of their agent: the share that is
/// CARRIED as it is, MAPPED to another form that gives it back, there IN PART or LEFT OUT, and OF
/// IT TALK, the share of conversation in what is left out. MADE is the share of the written values
/// that the sessions do not have.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, session ids, `@`, `last` (default: all sessions of this machine)
    #[arg(value_name = "WHAT")]
    what: Vec<PathBuf>,
    #[command(flatten)]
    select: Select,
    /// Only sessions of this agent
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// Only conversions to this agent
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.what)?;
    let catalog = env.catalog();
    let found = what::found(&args.what, &args.select, env)?;
    let length = found.sources.iter().map(catalog::Source::length).sum();
    let progress = Progress::new(env.err, env.err_terminal, found.sources.len(), length);
    let done = |bytes| progress.step(bytes);
    let fidelity =
        operations::fidelity(&catalog, &found, args.from.as_deref(), args.to.as_deref(), &done);
    drop(progress);
    let mut fidelity = fidelity?;
    let failed = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
    let failed = failed.map(|skipped| format!("{}: {}", skipped.path.display(), skipped.why));
    fidelity.unread.extend(failed);
    if global.json {
        json::write(env.out, &FidelityDocument::of(&fidelity))?;
    } else {
        print(&fidelity, &mut Screen::new(env.out, color, env.width))?;
        for unread in &fidelity.unread {
            say(Plain::line(&format!("warning: not read: {unread}")), env)?;
        }
    }
    env.out.flush()?;
    notes::unread(&fidelity.damaged, env)?;
    let is_named = !args.what.is_empty() || !args.select.within.is_empty();
    notes::unread_agents(is_named, &found.skipped, color, env)?;
    Ok(if fidelity.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

const HEAD: [&str; 9] =
    ["FROM", "TO", "TALK", "CARRIED", "MAPPED", "IN PART", "LEFT OUT", "OF IT TALK", "MADE"];

/// The width from which on the matrix is one table.
const WIDE: usize = 104;

/// The widths of the shares in a narrow terminal: of the longest share, or of the name.
const WIDTHS: [usize; 7] = [7, 7, 7, 7, 8, 10, 7];

/// Prints the matrix.
fn print(fidelity: &Fidelity, screen: &mut Screen<'_>) -> std::io::Result<()> {
    if fidelity.pairs.is_empty() {
        return screen.line(&Line::new().say(Style::Faint, "no sessions found"));
    }
    match screen.width.is_some_and(|width| width < WIDE) {
        true => grouped(fidelity, screen)?,
        false => table(fidelity, screen)?,
    }
    let silent = fidelity.pairs.values().map(|pair| pair.silent).max().unwrap_or_default();
    if silent > 0 {
        let what = "without a prompt: no agent can continue them";
        let text = format!(
            "not counted, of one agent at most: {} {what}",
            counted(silent, "session", "sessions")
        );
        screen.text(Style::Faint, &text)?;
    }
    Ok(())
}

/// The matrix as one table.
fn table(fidelity: &Fidelity, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let head = HEAD.map(|name| Line::new().say(Style::Faint, name)).to_vec();
    let mut rows = vec![head];
    let mut before = "";
    for ((from, to), pair) in &fidelity.pairs {
        let from = match std::mem::replace(&mut before, from) == *from {
            true => String::new(),
            false => format!("{from}, {}", count(pair.sessions)),
        };
        rows.push(row(&from, to, pair));
    }
    screen.table(&rows, &[2, 3, 4, 5, 6, 7, 8])
}

/// The matrix for a narrow terminal: the first agent of each pair has a line of its own.
fn grouped(fidelity: &Fidelity, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let line = |first: &str, cells: [&str; 7]| {
        let cells = cells.iter().zip(WIDTHS);
        cells
            .fold(format!("  {first:<11}"), |line, (cell, width)| format!("{line}  {cell:>width$}"))
    };
    let [_, to, names @ ..] = HEAD;
    screen.line(&Line::new().tell(Style::Faint, &line(to, names)))?;
    let mut before = "";
    for ((from, to), pair) in &fidelity.pairs {
        if std::mem::replace(&mut before, from) != *from {
            let sessions = counted(pair.sessions, "session", "sessions");
            screen.line(&Line::new().tell(Style::Name, &format!("{from}, {sessions}")))?;
        }
        let shares = shares(pair);
        screen
            .line(&Line::new().tell(Style::Normal, &line(to, shares.each_ref().map(|it| &**it))))?;
    }
    Ok(())
}

fn row(from: &str, to: &'static str, pair: &PairFidelity) -> Vec<Line> {
    let mut row = vec![Line::new().tell(Style::Name, from), Line::new().say(Style::Normal, to)];
    row.extend(shares(pair).iter().map(|share| Line::new().tell(Style::Normal, share)));
    row
}

/// The shares of a pair, in the order of the columns.
fn shares(pair: &PairFidelity) -> [String; 7] {
    let fields = pair.fields();
    [
        share(pair.conversation - pair.dropped_conversation, pair.conversation),
        share(pair.carried, fields),
        share(pair.mapped, fields),
        share(pair.in_part, fields),
        share(pair.dropped, fields),
        share(pair.dropped_conversation, pair.dropped),
        share(pair.made, pair.leaves),
    ]
}

/// A share in percent with one decimal, rounded to the nearest; nothing of nothing is 0.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let permille = (u128::from(part) * 2000 + u128::from(whole)) / (2 * u128::from(whole.max(1)));
    format!("{}.{} %", permille / 10, permille % 10)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_rounded_to_the_nearest() {
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(2, 3), "66.7 %");
        assert_eq!(share(5, 5), "100.0 %");
        assert_eq!(share(0, 0), "0.0 %");
        assert_eq!(share(u64::MAX, u64::MAX), "100.0 %");
    }
}
