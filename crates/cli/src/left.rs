//! Sessions that are gone, and of which only prompts are left in the agent's own list of what was
//! typed. They are shown as what they are, never as sessions.

use std::path::Path;

use catalog::{Entry, LeftPrompts};
use formats::TypedPrompt;
use operations::SearchHits;
use operations::filter::Filter;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::{self, counted};
use crate::notes;
use crate::resume::quote;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::zone::Zone;

/// Whether such a session belongs to a scope. Some lists do not say in which folder a prompt was
/// typed: it may have been this one.
pub(crate) fn is_within(entry: &Entry, scope: Option<&Filter>) -> bool {
    entry.folder.is_none() || scope.is_none_or(|scope| scope.takes(entry))
}

/// The line that says what is left of a session, and where.
fn remains(entry: &Entry, home: Option<&Path>) -> Line {
    let files = entry.files.iter().map(|file| {
        let file = human::folder(&file.to_string_lossy(), home);
        file.as_str().to_owned()
    });
    let files: Vec<String> = files.collect();
    let text = format!("the session is gone; only prompts are left, in {}", files.join(" and "));
    Line::new().say(Style::Warn, "  ").tell(Style::Warn, &text)
}

/// Prints what is below the heading of such a session in a search.
pub(crate) fn found(
    of: &SearchHits,
    shown: usize,
    (zone, home): (&Zone, Option<&Path>),
    marked: &dyn Fn(&Plain) -> Line,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    screen.line(&remains(&of.entry, home).fit(screen.width))?;
    for hit in of.hits.iter().take(shown) {
        let mut line = Line::new().tell(Style::Name, &format!("  prompt {}", hit.turn));
        if let Some(time) = hit.time {
            line = line.say(Style::Faint, " · ").tell(Style::Faint, &zone.moment(time));
        }
        screen.line(&line)?;
        let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(4));
        for text in &hit.lines {
            screen.line(&marked(&Plain::line(text).cut(room)))?;
        }
    }
    let name = quote::words(&[format!("{}:{}", of.entry.format, of.entry.id)]);
    let all = format!("  all of its prompts: verbatim show {name}");
    screen.line(&Line::new().command(Style::Faint, &all))?;
    Ok(())
}

/// Prints the prompts that are left of a session, for people.
pub(crate) fn show(
    left: &LeftPrompts,
    zone: &Zone,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    for (number, prompt) in (1..).zip(&left.prompts) {
        screen.gap()?;
        let mut line = Line::new().tell(Style::Name, &format!("prompt {number}"));
        if let Some(time) = prompt.time {
            line = line.say(Style::Faint, " · ").tell(Style::Faint, &zone.moment(time));
        }
        screen.line(&line)?;
        for text in prompt.text.lines() {
            screen.text(Style::Normal, text)?;
        }
    }
    Ok(())
}

/// Prints the heading of the prompts that are left of a session.
pub(crate) fn heading(
    left: &LeftPrompts,
    home: Option<&Path>,
    screen: &mut Screen<'_>,
) -> Result<(), Failure> {
    let entry = &left.entry;
    let uid = format!("{}:{}", entry.format, entry.id);
    screen.line(&Line::new().tell(Style::Name, &uid))?;
    let mut facts = counted(left.prompts.len() as u64, "prompt", "prompts");
    if let Some(folder) = &entry.folder {
        facts = format!("{} · {facts}", human::folder(folder, home).as_str());
    }
    screen.line(&Line::new().tell(Style::Faint, &facts))?;
    screen.line(&remains(entry, home))?;
    Ok(())
}

/// Whether a prompt is part of a talk. A command of the agent that was typed alone, such as
/// `/help`, is not.
pub(crate) fn is_talk(prompt: &TypedPrompt) -> bool {
    let text = &*prompt.text;
    !text.starts_with('/') || text.trim().contains(char::is_whitespace)
}

/// Says below a list of how many sessions only prompts are left.
pub(crate) fn below_list(
    left: &[LeftPrompts],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let count = left.len() as u64;
    if count == 0 {
        return Ok(());
    }
    let sessions = counted(count, "session that is gone", "sessions that are gone");
    let what = format!("only prompts are left of {sessions}: `verbatim search WORDS` finds them");
    let mut notes = notes::screen(color, env);
    Ok(notes.line(&Line::new().tell(Style::Faint, &what))?)
}

/// Prints a line for each match, with tabs between the values: `left` in the place of the part.
pub(crate) fn lines(left: &[SearchHits], env: &mut Environment<'_>) -> Result<(), Failure> {
    for of in left {
        for hit in &of.hits {
            let time = hit.time.map(session::UtcTime::sortable).unwrap_or_default();
            let text = hit.lines.first().map(|line| Plain::line(line)).unwrap_or_default();
            let uid = Plain::line(&format!("{}:{}", of.entry.format, of.entry.id));
            writeln!(env.out, "{uid}\t{}\tleft\t{time}\t{text}", hit.turn)?;
        }
    }
    Ok(())
}
