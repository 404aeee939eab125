//! Warnings on standard error about files that could not be read.

use std::collections::HashSet;
use std::path::Path;

use catalog::{SkipReason, Skipped, UnreadAgent};
use session::UnreadRecord;
use store::Saved;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;

/// The place of notes on a table: behind it on a terminal, where both may be in a pager; otherwise
/// standard error.
pub(crate) fn screen<'e>(color: bool, env: &'e mut Environment<'_>) -> Screen<'e> {
    match env.width {
        Some(width) => Screen::new(env.out, color, Some(width)),
        None => errors(color, env),
    }
}

/// Standard error, as wide as the terminal.
pub(crate) fn errors<'e>(color: bool, env: &'e mut Environment<'_>) -> Screen<'e> {
    let width = env.width.filter(|_| env.err_terminal);
    Screen::new(env.err, color && env.err_terminal, width)
}

/// Prints a note on standard error.
pub(crate) fn say(text: Plain, env: &mut Environment<'_>) -> std::io::Result<()> {
    errors(false, env).line(&Line::new().put(Style::Normal, text))
}

/// Names the written files, with their sizes, and the folders that were made for them.
pub(crate) fn wrote(files: &[Saved], env: &mut Environment<'_>) -> std::io::Result<()> {
    for file in files {
        let (path, size) = (file.path.display().to_string(), human::size(file.bytes));
        writeln!(env.err, "wrote {} ({size})", Plain::line(&path))?;
    }
    made(files, env)
}

/// Names the folders that were made for files.
pub(crate) fn made(files: &[Saved], env: &mut Environment<'_>) -> std::io::Result<()> {
    let mut told: Vec<&Path> = Vec::new();
    for folder in files.iter().filter_map(|file| file.folder.as_deref()) {
        if told.iter().any(|above| folder.starts_with(above)) {
            continue;
        }
        told.push(folder);
        let path = folder.display().to_string();
        writeln!(env.err, "made the folder {}: only you can read it", Plain::line(&path))?;
    }
    Ok(())
}

/// Names the agents whose sessions are here and which no format reads: on this machine, or in the
/// places that the user named, where `skipped` has their files.
pub(crate) fn unread_agents(
    is_named: bool,
    skipped: &[Skipped],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let here = if is_named { Vec::new() } else { env.machine.unread_agents() };
    tell_unread(&here, skipped, color, env)
}

/// The same of agents that were found.
pub(crate) fn tell_unread(
    here: &[UnreadAgent],
    skipped: &[Skipped],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let home = env.machine.home.clone();
    let mut told: HashSet<&str> = here.iter().map(|unread| unread.agent).collect();
    let mut agents: Vec<String> = Vec::new();
    let mut is_first = true;
    for UnreadAgent { agent, sessions, .. } in here {
        // The first number says what is counted.
        agents.push(match *sessions {
            Some(count) if std::mem::take(&mut is_first) => {
                format!("{agent} ({})", counted(count as u64, "session", "sessions"))
            }
            Some(count) => format!("{agent} ({})", human::count(count as u64)),
            None => (*agent).to_owned(),
        });
    }
    for skipped in skipped {
        if let SkipReason::Foreign(agent) = skipped.why
            && told.insert(agent)
        {
            let path = human::folder(&skipped.path.to_string_lossy(), home.as_deref());
            agents.push(format!("{agent} ({})", path.as_str()));
        }
    }
    if agents.is_empty() {
        return Ok(());
    }
    env.out.flush()?;
    let text = format!("also here, not read: {}", agents.join(", "));
    Ok(errors(color, env).text(Style::Faint, &text)?)
}

/// Says where sessions were looked for: in the named places, or in those of the agents. If the
/// sessions were narrowed by filters, it says that.
pub(crate) fn nothing<P: AsRef<Path>>(
    what: &[P],
    select: &Select,
    command: &str,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    env.out.flush()?;
    if select.is_narrow() {
        let text =
            format!("no session matches the filters: `verbatim {command}` without them reads all");
        return Ok(say(Plain::line(&text), env)?);
    }
    let roots = env.machine.roots(env.formats);
    let mut places: Vec<String> = match what {
        [] => roots.iter().map(|root| root.path.display().to_string()).collect(),
        named => named.iter().map(|path| path.as_ref().display().to_string()).collect(),
    };
    // Two agents may share a folder.
    let mut seen = HashSet::new();
    places.retain(|place| seen.insert(place.clone()));
    let text = match places.is_empty() {
        true => format!(
            "no agent has a folder of sessions here: `verbatim {command} FOLDER` reads another"
        ),
        false => format!("no sessions were found in: {}", places.join(", ")),
    };
    Ok(say(Plain::line(&text), env)?)
}

/// Names the records of a session that could not be read: their bytes are kept where they are, and
/// nothing that is made of the session has what they say.
pub(crate) fn unread(records: &[UnreadRecord], env: &mut Environment<'_>) -> std::io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let bytes: u64 = records.iter().map(|record| record.span.len() as u64).sum();
    let count = counted(records.len() as u64, "record", "records");
    let mut notes = errors(false, env);
    let bytes = counted(bytes, "byte", "bytes");
    notes.line(&Line::new().tell(Style::Normal, &format!("unreadable: {count}, {bytes}")))?;
    let below =
        |text: &str| Line::new().say(Style::Normal, "  ").put(Style::Normal, Plain::line(text));
    for UnreadRecord { file, line, span, why, .. } in records.iter().take(NAMED) {
        let bytes = format!("bytes {} to {}", span.start, span.end);
        notes.line(&below(&format!("{file}, line {line}, {bytes}: {why}")))?;
    }
    match records.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => notes.line(&below(&format!("and {more} more; `verbatim check` names them all"))),
    }
}

/// The greatest number of unreadable records that are named.
const NAMED: usize = 5;

/// Warns about unreadable files, and returns the exit code that they cause.
pub(crate) fn warn(
    skipped: &[Skipped],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    env.out.flush()?;
    let mut notes = errors(color, env);
    let mut outcome = Exit::Good;
    for skipped in skipped.iter().filter(|skipped| skipped.why.is_failure()) {
        outcome = Exit::Failed;
        let what = format!("{}: {}", skipped.path.display(), skipped.why);
        notes.line(&Line::new().say(Style::Warn, "warning: ").tell(Style::Normal, &what))?;
    }
    let outside =
        skipped.iter().filter(|skipped| matches!(skipped.why, SkipReason::Outside)).count();
    if outside > 0 {
        let links = counted(outside as u64, "symbolic link leads", "symbolic links lead");
        let what = format!("{links} out of the folder, unfollowed; `--follow` follows them");
        notes.line(&Line::new().say(Style::Faint, "note: ").tell(Style::Normal, &what))?;
    }
    Ok(outcome)
}
