//! `verbatim scan`: what must not be shared, by class and place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use catalog::api::redact::{FindingRow, ScanDocument};
use catalog::{Found, ScannedSource};
use evidence::redact::{RedactionReport, Redactor};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{count, counted};
use crate::json;
use crate::options::Global;
use crate::progress::Progress;
use crate::redaction::{ProfileName, RedactionArgs};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

mod sarif;

/// Find secrets in sessions, without changing or showing them
///
/// Looks through every wrapping: JSON in JSON, streamed pieces, Base64, colours, diffs. Prints the
/// class and the place of each finding and never any part of its value. Exit code 1 if there are
/// any, so that a hook or a job can stop on it. `-` scans standard input, a session or any text.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders, files, session ids, or `-` for standard input (default: all sessions of this
    /// machine)
    what: Vec<String>,
    /// Which values count
    #[arg(long, value_enum, default_value = "secrets")]
    profile: ProfileName,
    #[command(flatten)]
    redaction: RedactionArgs,
    /// List every place, not only the first ones of each session
    #[arg(long)]
    all: bool,
    /// Print the findings as SARIF 2.1.0, for tools that show them beside the code
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

/// Number of places that are listed of a session.
const SHOWN: usize = 8;

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let redactor = args.redaction.redactor(args.profile.into(), env)?;
    let (scanned, mut unread) = match &*args.what {
        [one] if one == "-" => (vec![input(&redactor, env)?], Vec::new()),
        _ => files(args, &redactor, env)?,
    };
    let profile = redactor.options().profile.name();
    let mut document = ScanDocument::of(&scanned, profile, redactor.rules_version());
    document.not_read.append(&mut unread);
    if args.sarif {
        sarif::write(env.out, &document)?;
    } else if global.json {
        json::write(env.out, &document)?;
    } else {
        print(&document, args.all, &mut Screen::new(env.out, color, env.width))?;
    }
    for unread in document.not_read.iter().filter(|_| !global.json) {
        writeln!(env.err, "warning: not read: {}", Plain::line(unread))?;
    }
    Ok(match () {
        () if !document.not_read.is_empty() => Exit::Failed,
        () if document.findings > 0 => Exit::Bad,
        () => Exit::Good,
    })
}

type Scanned = (Vec<ScannedSource>, Vec<String>);

fn files(args: &Args, redactor: &Redactor, env: &mut Environment<'_>) -> Result<Scanned, Failure> {
    crate::input::only_files(&args.what)?;
    let catalog = env.catalog();
    let (paths, ids): (Vec<&String>, Vec<&String>) =
        args.what.iter().partition(|what| std::path::Path::new(what).exists());
    let mut found = Found::default();
    if ids.is_empty() || !paths.is_empty() {
        let paths: Vec<PathBuf> = paths.into_iter().map(PathBuf::from).collect();
        found = catalog.find(&paths);
    }
    if !ids.is_empty() {
        let ids: Vec<&str> = ids.into_iter().map(String::as_str).collect();
        found.sources.extend(catalog.sources(&ids)?);
    }
    let progress = Progress::new(env.err, env.err_terminal, found.sources.len());
    let scanned = catalog.scan_secrets(&found, redactor, &|done| progress.step(done.bytes));
    drop(progress);
    let failed = found.aside.iter().filter(|aside| aside.why.is_failure());
    let unread = failed.map(|aside| format!("{}: {}", aside.path.display(), aside.why)).collect();
    Ok((scanned, unread))
}

/// Standard input: a session, or else any text.
fn input(redactor: &Redactor, env: &mut Environment<'_>) -> Result<ScannedSource, Failure> {
    let mut bytes = Vec::new();
    env.input.read_to_end(&mut bytes)?;
    Ok(env.catalog().scan_bytes(crate::input::STDIN, bytes, redactor)?)
}

fn print(document: &ScanDocument<'_>, all: bool, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let mut classes: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for source in document.sources.iter().filter(|source| !source.findings.is_empty()) {
        let names = source.sessions.join(", ");
        screen.line(&Line::new().tell(Style::Strong, &names))?;
        let shown = if all { usize::MAX } else { SHOWN };
        for finding in &source.findings {
            let (number, tags) = classes.entry(finding.class).or_default();
            *number += 1;
            tags.insert(finding.tag);
        }
        let rows: Vec<Vec<Line>> = source.findings.iter().take(shown).map(row).collect();
        screen.table(&rows, &[])?;
        let more = source.findings.len().saturating_sub(shown);
        if more > 0 {
            let text = format!("  and {} more (`--all` lists them)", count(more as u64));
            screen.line(&Line::new().tell(Style::Faint, &text))?;
        }
    }
    if !classes.is_empty() {
        screen.line(&Line::new())?;
    }
    let mut rows = Vec::new();
    for (class, (number, tags)) in &classes {
        rows.push(vec![
            Line::new().tell(Style::Normal, class),
            Line::new().tell(Style::Normal, &count(*number)),
            Line::new()
                .put(Style::Faint, Plain::line(&counted(tags.len() as u64, "value", "values"))),
        ]);
    }
    screen.table(&rows, &[1])?;
    let sessions = document.sources.iter().map(|source| source.sessions.len() as u64).sum();
    let text = format!(
        "{} in {}",
        counted(document.findings as u64, "finding", "findings"),
        counted(sessions, "session", "sessions")
    );
    screen.line(&Line::new().tell(Style::Normal, &text))
}

/// A finding: what it is, the rule, and the place.
fn row(finding: &FindingRow<'_>) -> Vec<Line> {
    let wrapped = finding.wrappings.iter().map(|wrapping| format!(" in {wrapping}"));
    let what = format!("  {}{}", finding.class, wrapped.collect::<String>());
    let place = format!("{}:{} {}", finding.file, finding.line, finding.pointer);
    let place = place.trim_end();
    vec![
        Line::new().tell(Style::Normal, &what),
        Line::new().tell(Style::Faint, finding.rule),
        Line::new().tell(Style::Faint, place),
    ]
}

/// A table of what a report has, by class: for `redact`.
pub(crate) fn by_class(report: &RedactionReport) -> Vec<(&'static str, u64, u64)> {
    let mut classes: BTreeMap<&'static str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for entry in &report.entries {
        let (number, tags) = classes.entry(entry.class).or_default();
        *number += 1;
        tags.insert(&entry.tag);
    }
    classes.into_iter().map(|(class, (all, tags))| (class, all, tags.len() as u64)).collect()
}
