//! `verbatim rows`: what happened in sessions as rows of tables, for other engines.

use std::path::PathBuf;

use api::rows::{RowTable, lines};
use archive::{Archive, ArchiveFolder, ArchiveView};
use catalog::{Found, SkipReason, Skipped};
use clap::ValueEnum;
use operations::rows::{self, RowOptions};
use redact::UnredactedFlag;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::redaction::{self, ProfileName};
use crate::select::Select;
use crate::terminal::{self, Plain};
use crate::what;
use crate::{keeping, notes};

/// Print what happened in sessions as rows of tables, for other programs and engines
///
/// Each row is a JSON object on a line of its own, and names its table; `schemas/` has a schema for
/// each table. Sessions are redacted first, unless `--unredacted` is given. The rows of a session
/// depend on its own files and on the options alone, so that many machines can make them. What
/// cannot be read is a row of `faults`, and the exit code stays 0.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, archives of `sync`, session ids, `@`, `last` (default: all sessions of this
    /// machine)
    #[arg(value_name = "WHAT")]
    what: Vec<PathBuf>,
    /// The tables, separated by commas (default: all)
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    table: Vec<TableName>,
    /// Which values are redacted, and are findings
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    /// Use the bytes of this file as the key of the tags, so that equal values have equal tags in
    /// all rows that are made with it (default: no placeholder has a tag)
    #[arg(long, value_name = "FILE")]
    tag_key: Option<PathBuf>,
    /// Print sessions as they are, secrets and all
    #[arg(long)]
    unredacted: bool,
    /// Only this part of the sessions, for tasks that run side by side: `2/8` is the second of
    /// eight. All parts together have the rows of one run
    #[arg(long, value_name = "PART/PARTS", value_parser = part)]
    part: Option<(u64, u64)>,
    #[command(flatten)]
    select: Select,
}

/// A table, as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableName {
    /// A row for each session
    Sessions,
    /// A row for each turn
    Turns,
    /// A row for each call of a tool
    Calls,
    /// A row for each number of tokens that an agent recorded
    Usage,
    /// A row for each file that a call changed
    Files,
    /// A row for each text that a search finds
    Texts,
    /// A row for each sensitive value, by place and class
    Findings,
    /// A row for each file or place that could not be read
    Faults,
}

impl TableName {
    const fn table(self) -> RowTable {
        match self {
            Self::Sessions => RowTable::Sessions,
            Self::Turns => RowTable::Turns,
            Self::Calls => RowTable::Calls,
            Self::Usage => RowTable::Usage,
            Self::Files => RowTable::Files,
            Self::Texts => RowTable::Texts,
            Self::Findings => RowTable::Findings,
            Self::Faults => RowTable::Faults,
        }
    }
}

/// A part, and the number of parts.
fn part(text: &str) -> Result<(u64, u64), String> {
    let numbers = text
        .split_once('/')
        .and_then(|(part, all)| Some((part.parse::<u64>().ok()?, all.parse::<u64>().ok()?)));
    let numbers = numbers.filter(|(part, all)| (1..=*all).contains(part));
    numbers.ok_or_else(|| "a part is a number from 1 and the number of parts: `2/8`".into())
}

pub(crate) fn run(args: &Args, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    crate::input::only_files(&args.what)?;
    let redactor = redaction::repeatable(args.profile.into(), args.tag_key.as_deref())?;
    let named: Vec<RowTable> = args.table.iter().map(|name| name.table()).collect();
    let tables = if named.is_empty() { &RowTable::ALL[..] } else { &named };
    let options = RowOptions {
        redactor: &redactor,
        unredacted: UnredactedFlag::typed(args.unredacted),
        findings: tables.contains(&RowTable::Findings),
    };
    let found = found(args, env)?;
    let catalog = env.catalog();
    let mut faults = 0;
    let (part, all) = args.part.unwrap_or((1, 1));
    for sources in rows::batches(rows::part(&found.sources, part, all)) {
        let made = rows::read(&catalog, sources, &options, &|source, prices| {
            (lines(source, tables, prices), source.faults.len())
        })?;
        for (text, unread) in made {
            faults += unread;
            put(&text, env)?;
        }
    }
    // What belongs to no session is in the first part.
    if part == 1 {
        let unread = rows::unread(&catalog.machine.job, &found, &options);
        faults += unread.faults.len();
        put(&lines(&unread, tables, &Default::default()), env)?;
    }
    env.out.flush()?;
    if faults > 0 && !tables.contains(&RowTable::Faults) {
        let rows = counted(faults as u64, "row", "rows");
        let text = format!("note: not everything could be read: `--table faults` has {rows} of it");
        notes::say(Plain::line(&text), env)?;
    }
    if found.sources.is_empty() {
        notes::nothing(&args.what, &args.select, "rows", env)?;
    }
    Ok(Exit::Good)
}

/// The sessions that the arguments name. A folder that is an archive has the newest version of each
/// of its sessions, whatever the agents' own folders have.
fn found(args: &Args, env: &mut Environment<'_>) -> Result<Found, Failure> {
    let is_archive = |path: &&PathBuf| path.join("archive.json").is_file();
    let (archives, others): (Vec<&PathBuf>, Vec<&PathBuf>) = args.what.iter().partition(is_archive);
    let mut found = match others.is_empty() && !archives.is_empty() {
        true => Found::default(),
        false => what::found(&others, &args.select, env)?,
    };
    for path in &archives {
        let Some(place) = ArchiveFolder::open(path)? else { continue };
        let view = ArchiveView::of(Archive::read(place)?, env.formats);
        let fault = |fault: &archive::ArchiveFault| Skipped {
            path: fault.path.clone(),
            why: SkipReason::Unreadable(fault.why.clone()),
        };
        found.skipped.extend(view.archive().faults.iter().map(fault));
        let left_out = archive::twin::left_out(&view.archive().place)?;
        if left_out > 0 {
            let why = SkipReason::Unreadable(keeping::left_out(left_out));
            found.skipped.push(Skipped { path: path.to_path_buf(), why });
        }
        let newest = view.kept().into_iter().filter(|version| version.is_newest);
        found.sources.extend(newest.map(|version| version.source));
    }
    if args.select.is_narrow() && !archives.is_empty() {
        let filter = args.select.filter(env)?;
        env.catalog().narrow(&mut found, &|entry| filter.takes(entry));
    }
    Ok(found)
}

/// Writes lines, without characters that could act on a terminal.
fn put(text: &[u8], env: &mut Environment<'_>) -> Result<(), Failure> {
    let text = std::str::from_utf8(text).map_err(std::io::Error::other)?;
    Ok(env.out.write_all(terminal::json(text).as_bytes())?)
}
