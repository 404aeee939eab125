//! `verbatim redact`: sessions without sensitive values.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use api::redact::{REDACT, RedactDocument, RedactRow};
use catalog::{Catalog, Error};
use formats::{Content, Files as _};
use operations::Redaction;
use redact::Redactor;
use store::Writer;

use crate::convert::target::Target;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::options::Global;
use crate::redaction::{self, ProfileName, RedactionArgs};
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::signed::{self, Bytes};
use crate::terminal::Plain;
use crate::what::{all_taken, named};
use crate::{input, json, notes, present};

/// Write sessions without secrets and personal data, in their own format
///
/// Each value becomes a placeholder such as `[REDACTED:password:K3J5QZ7RMA]`, the same one wherever
/// the value is. Every other byte stays. The result is read and scanned again before anything is
/// written: if anything is left, nothing is. `-` redacts standard input, a session or any text.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The sessions: ids, paths, `@` for the newest of this folder (the default), `last` for the
    /// newest of all, or `-` for standard input. With filters, all that they take
    #[arg(value_name = "WHAT")]
    sessions: Vec<PathBuf>,
    /// The file to write, or the folder if there are several files; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<String>,
    /// Which values go
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    #[command(flatten)]
    redaction: RedactionArgs,
    /// Write the report of what was replaced to this file (default: `PATH.redaction.json`)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Take all sessions of a file that has several, not only the one that an id names
    #[arg(long)]
    whole_file: bool,
    /// Replace existing files; an agent's own files are never replaced
    #[arg(long)]
    force: bool,
    /// Show parts of a signed record so that its signature still holds: what is found, and what you
    /// withhold, is left out, and `verify` proves the rest
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["sessions", "report", "whole_file"])]
    signed: Option<PathBuf>,
    /// With `--signed`: withhold an entry (`3`), a range (`3..7`) or a field of one (`3/content`);
    /// entries are counted from 1 (may be repeated)
    #[arg(long, value_name = "N", requires = "signed")]
    withhold: Vec<present::Part>,
    #[command(flatten)]
    select: Select,
}

impl Args {
    /// The names of the sessions.
    fn sessions(&self, env: &Environment<'_>) -> Result<Vec<PathBuf>, Failure> {
        // Filters name sessions as ids do: each that they take is redacted.
        if self.sessions.is_empty() && self.select.is_narrow() {
            return all_taken(&self.select, env);
        }
        let newest = [PathBuf::from("@")];
        let all = if self.sessions.is_empty() { &newest[..] } else { &self.sessions };
        all.iter().map(|name| named(name, &self.select, env)).collect()
    }

    /// The place of the output.
    fn output(&self) -> &str {
        self.output.as_deref().unwrap_or("-")
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if let Some(record) = &args.signed {
        let redactor = args.redaction.redactor(args.profile.into(), env)?;
        let request = present::Request {
            record,
            parts: &args.withhold,
            force: args.force,
            redactor: &redactor,
        };
        return present::run(&request, args.output.as_deref(), (global, color), env);
    }
    let sessions = args.sessions(env)?;
    let several = sessions.len() > 1;
    let output = args.output();
    if several && output == "-" {
        let what = format!("{} sessions need a folder", sessions.len());
        return Err(Failure::Usage(what, "name one: `-o FOLDER`".into()));
    }
    if global.json && output == "-" {
        let what = "`--json` prints the report, and standard output has the session".to_owned();
        return Err(Failure::Usage(what, "name a file: `-o FILE`".into()));
    }
    redaction::output(args.output.as_deref(), env)?;
    let redactor = args.redaction.redactor(args.profile.into(), env)?;
    // Nothing is written before all sessions are redacted, and all files can be written.
    let mut redactions = Vec::new();
    let mut whole = true;
    for session in &sessions {
        redactions.push(redacted(session, args, &redactor, &mut whole, env)?);
    }
    let catalog = env.catalog();
    let files = redactions.iter().map(|redaction| files(&catalog, redaction));
    let files: Vec<Vec<(String, Content)>> = files.collect::<Result<_, _>>()?;
    let mut document = RedactDocument {
        schema: REDACT,
        profile: redactor.options().profile.name(),
        rules: redactor.rules_version(),
        sessions: redactions.iter().map(row).collect(),
    };
    let report = write(args, &redactions, &files, &mut document, env)?;
    signed::stale(document.sessions.iter().flat_map(|row| &row.files).map(Path::new), env)?;
    if global.json {
        json::write(env.out, &document)?;
    } else if output != "-" {
        let mut screen = Screen::new(env.out, color, env.width);
        print(&document, &mut screen)?;
        if let Some(path) = report {
            let text = format!("wrote {} (the report: places and classes)", path.display());
            screen.line(&Line::new().tell(Style::Faint, &text))?;
        }
    }
    Ok(if whole { Exit::Good } else { Exit::Failed })
}

/// Writes the sessions and then the report; returns the path of it.
fn write(
    args: &Args,
    redactions: &[Redaction],
    files: &[Vec<(String, Content)>],
    document: &mut RedactDocument<'_>,
    env: &mut Environment<'_>,
) -> Result<Option<PathBuf>, Failure> {
    let (catalog, paths) = (env.catalog(), paths(args, redactions));
    // Either nothing is written, or all.
    catalog.machine.job.check()?;
    let owner = |path: &Path| catalog.owner(path);
    let report_path = report_path(args);
    let writer = |path| Writer::new(path, args.force, &owner).noting(catalog.machine.state());
    let mut report = report_path.as_deref().map(writer);
    if let Some(report) = &mut report {
        report.begin(&["report.json"])?;
    }
    let mut saved = Vec::new();
    if args.output() == "-" {
        stream(&files[0], env)?;
    } else {
        let mut writers: Vec<Writer<'_>> = paths.iter().map(|path| writer(path)).collect();
        begin(&mut writers, files, report.as_ref())?;
        for ((writer, files), row) in writers.iter_mut().zip(files).zip(&mut document.sessions) {
            for (name, content) in files {
                writer.file(name, &mut |sink| sink.write_all(content))?;
            }
            row.files = writer.saved.iter().map(|file| file.path.display().to_string()).collect();
            saved.append(&mut writer.saved);
        }
    }
    notes::made(&saved, env)?;
    if let Some(report) = &mut report {
        report.file("report.json", &mut |sink| json::write(sink, document))?;
    }
    Ok(report.and_then(|mut report| report.saved.pop()).map(|file| file.path))
}

/// Tells all writers their files: if one can't be written, or two are the same, none is.
fn begin(
    writers: &mut [Writer<'_>],
    files: &[Vec<(String, Content)>],
    report: Option<&Writer<'_>>,
) -> Result<(), Failure> {
    for (writer, files) in writers.iter_mut().zip(files) {
        let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
        writer.begin(&names)?;
    }
    let mut known = HashSet::new();
    let mut all = writers.iter().chain(report).flat_map(Writer::targets);
    match all.find(|path| !known.insert(path.to_path_buf())) {
        Some(path) => Err(Failure::Usage(
            format!("two files would be written to {}", path.display()),
            "name another file for `--report`".into(),
        )),
        None => Ok(()),
    }
}

/// The paths of the sessions: several go to a folder each.
fn paths(args: &Args, redactions: &[Redaction]) -> Vec<PathBuf> {
    let output = args.output();
    if redactions.len() == 1 {
        return vec![output.into()];
    }
    let output = output.trim_end_matches(['/', '\\']);
    let mut known: HashMap<String, usize> = HashMap::new();
    let path = |redaction: &Redaction| {
        let name = store::file_name(&redaction.session().uid());
        let number = known.entry(name.clone()).or_default();
        *number += 1;
        match *number {
            1 => format!("{output}/{name}/").into(),
            number => format!("{output}/{name}-{number}/").into(),
        }
    };
    redactions.iter().map(path).collect()
}

fn row(redaction: &Redaction) -> RedactRow<'_> {
    let sessions = redaction.sessions.iter().filter(|session| !session.remainder);
    let uids: Vec<String> = sessions.map(session::Session::uid).collect();
    RedactRow::of(uids.join(", "), Vec::new(), &redaction.report)
}

/// The files of a redacted session, in its own format.
fn files(catalog: &Catalog<'_>, redaction: &Redaction) -> Result<Vec<(String, Content)>, Failure> {
    let session = redaction.session();
    if catalog.format(session.format).is_err() {
        return Ok(vec![("text".into(), session.bundle.bytes(0).to_vec().into())]);
    }
    Ok(operations::outgoing_files(catalog, &redaction.outgoing())?.files)
}

/// Writes the only file to standard output.
fn stream(files: &[(String, Content)], env: &mut Environment<'_>) -> Result<(), Failure> {
    let mut target = Target::stream(env);
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    let mut done = target.begin(&names);
    for (name, content) in files {
        done = done.and_then(|()| target.file(name, &mut |sink| sink.write_all(content)));
    }
    target.end()?;
    Ok(done?)
}

/// A session without sensitive values; of standard input, any text.
fn redacted(
    name: &Path,
    args: &Args,
    redactor: &Redactor,
    whole: &mut bool,
    env: &mut Environment<'_>,
) -> Result<Redaction, Failure> {
    let catalog = env.catalog();
    if name == Path::new("-") {
        let mut bytes = Vec::new();
        env.input.read_to_end(&mut bytes)?;
        return match catalog.open_bytes(input::STDIN, bytes.clone()) {
            Ok(opened) => Ok(operations::redact_opened(&catalog, opened, redactor)?),
            Err(Error::NoSession { .. }) => {
                Ok(operations::redact_text(&env.machine.job, "text", bytes, redactor)?)
            }
            Err(error) => Err(error.into()),
        };
    }
    let mut opened = match input::open(name, &args.select.within, env) {
        // A path names a file with all of its sessions.
        Err(Failure::Catalog(Error::Several { .. })) if name.is_file() => {
            catalog.open_file(name)?
        }
        opened => opened?,
    };
    if !args.whole_file {
        input::cut_out(name, &args.select.within, &mut opened, env)?;
    }
    *whole &= opened.unread.is_empty();
    signed::tell(&opened, Bytes::Other, env)?;
    notes::unread(&opened.session().unread_records(), env)?;
    Ok(operations::redact_opened(&catalog, opened, redactor)?)
}

/// The path of the report, if there is one.
fn report_path(args: &Args) -> Option<PathBuf> {
    let beside = || {
        let output = args.output().trim_end_matches(['/', '\\']);
        (output != "-").then(|| PathBuf::from(format!("{output}.redaction.json")))
    };
    args.report.clone().or_else(beside)
}

fn print(document: &RedactDocument<'_>, screen: &mut Screen<'_>) -> std::io::Result<()> {
    for row in &document.sessions {
        screen.line(&Line::new().tell(Style::Strong, &row.session))?;
        let classes = row.by_class();
        let line = |(class, (values, places)): (&&str, &(usize, usize))| {
            vec![
                Line::new().tell(Style::Normal, &format!("  {class}")),
                Line::new().tell(Style::Normal, &counted(*values as u64, "value", "values")),
                Line::new().tell(Style::Faint, &counted(*places as u64, "place", "places")),
            ]
        };
        let rows: Vec<Vec<Line>> = classes.iter().map(line).collect();
        screen.table(&rows, &[1, 2])?;
        if classes.is_empty() {
            screen.line(&Line::new().say(Style::Faint, "  nothing to redact"))?;
        }
        for file in &row.files {
            let text = Plain::line(&format!("wrote {file}"));
            screen.line(&Line::new().put(Style::Faint, text))?;
        }
    }
    Ok(())
}
