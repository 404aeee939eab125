//! `verbatim scan`: sensitive values, by value and place.

use std::path::{Path, PathBuf};

use api::redact::{Fingerprints, ScanDocument, below};
use operations::ScanResult;
use redact::Redactor;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::progress::Progress;
use crate::redaction::{ProfileName, RedactionArgs};
use crate::screen::Screen;
use crate::select::Select;
use crate::terminal::Plain;
use crate::{json, what};

mod allow;
mod baseline;
pub(crate) mod kept;
mod report;
mod sarif;
mod staged;

use allow::AllowList;

/// Find secrets in sessions and in any other files, without changing or showing them
///
/// Looks through every wrapping: JSON in JSON, streamed pieces, Base64, colours, diffs. What is no
/// session is looked through as a text. Prints each value once, by its class and its first place,
/// and never any part of it. `-` scans standard input, a session or any text.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// Folders, files, session ids, `@`, `last`, or `-` for standard input (default: all sessions
    /// of this machine, and the prompt histories beside them)
    what: Vec<String>,
    #[command(flatten)]
    select: Select,
    /// Scan what `git commit` would commit: the staged files, as they are staged
    #[arg(long, conflicts_with = "what")]
    staged: bool,
    /// Which values count
    #[arg(long, value_enum, default_value = "secrets")]
    profile: ProfileName,
    #[command(flatten)]
    redaction: RedactionArgs,
    /// List every value with all of its places, and every file that was skipped
    #[arg(long)]
    all: bool,
    /// Print the findings as SARIF 2.1.0, for tools that show them beside the code
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// The list of accepted findings. The default is `.verbatim-allow` in this folder, or with
    /// `--staged` at the top of the repository; it accepts below that folder only
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    /// Accept everything that is found, for this reason: a line for each is added to the list
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,
    /// Leave out what an earlier scan has found: its output with `--json` or `--sarif`
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

const AFTER: &str = "\
Exit codes: 0 nothing was found; 1 something was found; 2 the command line is wrong; 3 nothing was
found, but a file could not be looked through. Pictures, values that a provider has sealed, and an
agent's own settings and databases without sessions are no reason for 3.";

pub(crate) fn run(
    args: &Args,
    is_of_archive: bool,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if is_of_archive && (args.staged || !args.what.is_empty() || args.select.is_narrow()) {
        return Err(Failure::Usage(
            "`--archive` looks through all that the archive has".into(),
            "leave out the names and the filters".into(),
        ));
    }
    let redactor = args.redaction.redactor(args.profile.into(), env)?;
    // Paths are relative to this folder; those of staged files are, to the top of the repository.
    let base = std::env::current_dir().unwrap_or_default();
    let (mut result, top) = match &*args.what {
        [one] if one == "-" => (input(&redactor, env)?, base.clone()),
        _ if is_of_archive => (kept::scan(&redactor, env)?.result(), base.clone()),
        _ if args.staged => staged::scan(&base, &redactor, env)?,
        _ => (files(args, &redactor, env)?, base.clone()),
    };
    let list = match &args.allow {
        Some(path) => AllowList::read(path, None)?,
        None => {
            let folder = allow::Folder::of(&top, args.staged);
            AllowList::read(&top.join(allow::NAME), Some(folder))?
        }
    };
    for file in &mut result.skipped {
        file.open &= !list.has_unread(&file.path, &below(&file.path, &base));
    }
    let by_tag = args.redaction.has_stable_tags();
    let profile = redactor.options().profile.name();
    let fingerprints = Fingerprints { base: &base, by_tag };
    let mut document = ScanDocument::of(&result, profile, redactor.rules_version(), fingerprints);
    document.accept(|row| list.has(row));
    document.allow = list.is_used().then(|| list.path().display().to_string());
    if let Some(path) = &args.baseline {
        let known = baseline::read(path)?;
        document.accept(|row| known.contains(&*row.fingerprint.to_string()));
    }
    if let Some(reason) = &args.accept {
        return accept(&mut document, list, reason, by_tag, env);
    }
    tell(args, global, color, &document, env)?;
    let is_machine = args.what.is_empty() && !args.staged && !is_of_archive;
    if is_machine && args.select.within.is_empty() {
        crate::notes::unread_agents(false, &[], color, env)?;
    }
    if list.has_foreign_tags(by_tag) {
        let what = "some lines name tags, which need `--stable-tags` or `--tag-key`";
        crate::notes::say(Plain::line(&format!("note: {}: {what}", list.path().display())), env)?;
    }
    Ok(match () {
        () if document.findings > 0 => Exit::Bad,
        () if !document.not_read.is_empty() => Exit::Failed,
        () => Exit::Good,
    })
}

/// Prints the findings, in the form that the user wants.
fn tell(
    args: &Args,
    global: Global,
    color: bool,
    document: &ScanDocument<'_>,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if args.sarif {
        sarif::write(env.out, document)?;
    } else if global.json {
        json::write(env.out, document)?;
    } else {
        let home = env.machine.home.clone();
        let shown = report::Shown { all: args.all, home: home.as_deref() };
        report::print(document, shown, &mut Screen::new(env.out, color, env.width))?;
    }
    if !global.json {
        report::unread(document, args.all, env)?;
    }
    let none = document.sessions + document.texts == 0 && document.not_read.is_empty();
    if none && !global.json && !args.sarif && !args.staged && args.baseline.is_none() {
        let named = args.what.iter().map(PathBuf::from);
        let places: Vec<PathBuf> = args.select.within.iter().cloned().chain(named).collect();
        crate::notes::nothing(&places, &args.select, "scan", env)?;
    }
    Ok(())
}

/// Adds what was found to the list of accepted findings.
fn accept(
    document: &mut ScanDocument<'_>,
    mut list: AllowList,
    reason: &str,
    by_tag: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let findings = || document.sources.iter().flat_map(|source| &source.findings);
    let (below, outside): (Vec<_>, Vec<_>) =
        findings().partition(|row| list.is_about(Path::new(&*row.file)));
    let added = list.add(below.into_iter(), reason, by_tag)?;
    for line in &added {
        writeln!(env.out, "{}", Plain::words(line))?;
    }
    if !added.is_empty() {
        list.write()?;
    }
    let count = crate::human::counted(added.len() as u64, "line", "lines");
    let text = format!("{count} added to {}", list.path().display());
    writeln!(env.out, "{}", Plain::line(&text))?;
    report::unread(document, false, env)?;
    if let Some(first) = outside.first() {
        let findings = crate::human::counted(outside.len() as u64, "finding is", "findings are");
        let what = format!("{findings} not accepted: {} is outside of this folder", first.file);
        let hint = "a list that no option names accepts below its own folder only; name one: \
                    `--allow FILE`";
        return Err(Failure::Faulty(what, hint.into()));
    }
    Ok(if document.not_read.is_empty() { Exit::Good } else { Exit::Failed })
}

fn files(
    args: &Args,
    redactor: &Redactor,
    env: &mut Environment<'_>,
) -> Result<ScanResult, Failure> {
    crate::input::only_files(&args.what)?;
    let catalog = env.catalog();
    let mut found = what::found(&args.what, &args.select, env)?;
    let is_all = args.what.is_empty() && args.select.within.is_empty();
    if !args.select.is_narrow() {
        operations::add_side_files(&catalog, &mut found, is_all);
    }
    let total = found.sources.len() + found.skipped.len();
    let length = found.sources.iter().map(catalog::Source::length).sum();
    let progress = Progress::new(env.err, env.err_terminal, total, length);
    let scanned =
        operations::scan_secrets(&catalog, &found, redactor, &|done| progress.step(done.bytes));
    drop(progress);
    Ok(scanned?)
}

/// Standard input: a session, or else any text.
fn input(redactor: &Redactor, env: &mut Environment<'_>) -> Result<ScanResult, Failure> {
    let mut bytes = Vec::new();
    env.input.read_to_end(&mut bytes)?;
    let mut result = ScanResult::default();
    match operations::scan_bytes(&env.catalog(), crate::input::STDIN, bytes, redactor) {
        Ok(mut source) => {
            source.files = vec!["-".into()];
            result.sources.push(source);
        }
        Err(mut file) => {
            file.path = "-".into();
            result.skipped.push(file);
        }
    }
    Ok(result)
}
