//! `verbatim attribution`: the lines of files that a session wrote, and their authors.

use api::agent_trace::Trace;
use api::attribution::Lines;
use formats::attribution::{AttributedFile, AttributedRange, Attribution, attribution};
use session::Session;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::what::One;
use crate::{input, json, notes};

/// Show which lines of which files a session wrote, and by which model
///
/// Follows every edit that the session records through the later ones. Line numbers are those of
/// the files as the session left them; the files themselves are not opened. Edits whose lines can't
/// be derived are listed with the reason; nothing is guessed.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// Write an Agent Trace record (version 0.1.0) instead
    #[arg(long, conflicts_with = "json")]
    agent_trace: bool,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let name = args.one.name(env)?;
    let opened = input::open(&name, args.one.within(), env)?;
    // A document records the edits in its own words. Its native session records more.
    let native = operations::native(&env.catalog(), opened.session())?;
    let session = native.as_ref().unwrap_or_else(|| opened.session());
    let lines = attribution(session);
    notes::unread(&session.unread_records(), env)?;
    if args.agent_trace {
        json::write(env.out, &Trace::of(session, &lines))?;
    } else if global.json {
        json::write(env.out, &Lines::of(session, &lines))?;
    } else {
        print(session, &lines, &mut Screen::new(env.out, color, env.width))?;
    }
    Ok(if opened.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

/// The table of a session's lines, and the edits that are not in it.
fn print(session: &Session, lines: &Attribution, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let count = |range: &AttributedRange| range.end - range.start + 1;
    let all: usize = lines.files.iter().flat_map(|file| &file.ranges).map(count).sum();
    let told = format!(
        "{} in {}",
        counted(all as u64, "line", "lines"),
        counted(lines.files.len() as u64, "file", "files"),
    );
    let mut facts = Line::new().tell(Style::Name, &session.uid()).say(Style::Faint, "  ");
    facts = facts.tell(Style::Strong, &told);
    if let Some(folder) = &lines.folder {
        facts = facts.say(Style::Faint, "  ").put(Style::Faint, Plain::line(folder));
    }
    screen.line(&facts)?;
    if !lines.files.is_empty() {
        screen.gap()?;
        let names = ["FILE", "LINES", "CONTRIBUTOR", "MODEL", "SHA-256", "WRITTEN AT"];
        let mut rows = vec![names.map(|name| Line::new().say(Style::Faint, name)).to_vec()];
        rows.extend(lines.files.iter().flat_map(|file| file_rows(session, file)));
        screen.table(&rows, &[])?;
    }
    if !lines.unknown.is_empty() {
        screen.gap()?;
        screen.line(&Line::new().say(Style::Strong, "Could not be derived"))?;
        let row = |unknown: &replay::UnclearChange| {
            vec![
                Line::new().say(Style::Normal, "  ").put(Style::Normal, Plain::line(&unknown.path)),
                Line::new().put(Style::Faint, place(session, unknown.event)),
                Line::new().say(Style::Warn, unknown.why),
            ]
        };
        screen.table(&lines.unknown.iter().map(row).collect::<Vec<_>>(), &[])?;
    }
    Ok(())
}

/// Maximum length of a digest in a table, in characters.
const SHOWN: usize = 12;

/// The rows of a file. The first row holds its path.
fn file_rows(session: &Session, file: &AttributedFile) -> Vec<Vec<Line>> {
    let row = |(at, range): (usize, &AttributedRange)| {
        let path = if at == 0 { Plain::line(&file.path) } else { Plain::default() };
        let span = match range.end - range.start {
            0 => human::count(range.start as u64),
            _ => format!("{}–{}", range.start, range.end),
        };
        let model = match &range.model {
            Some(model) => Line::new().put(Style::Normal, Plain::line(model)),
            None => Line::new().say(Style::Faint, "unknown"),
        };
        vec![
            Line::new().put(Style::Name, path),
            Line::new().tell(Style::Strong, &span),
            Line::new().say(Style::Normal, "ai"),
            model,
            Line::new().tell(Style::Faint, range.hash.get(..SHOWN).unwrap_or(&range.hash)),
            Line::new().put(Style::Faint, place(session, range.event)),
        ]
    };
    file.ranges.iter().enumerate().map(row).collect()
}

/// Place of an event: its line, and its stream unless that is the main one.
fn place(session: &Session, event: session::EventIx) -> Plain {
    let event = session.event(event);
    let line = format!("line {}", event.origin.line);
    Plain::line(&match event.stream() {
        session::Stream::Main => line,
        stream => format!("{line} of {stream}"),
    })
}
