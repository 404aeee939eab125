//! `verbatim redact`: sessions without what must not be shared.

use std::path::{Path, PathBuf};

use catalog::api::redact::{REDACT, RedactDocument, RedactRow};
use catalog::{Error, Redaction};
use evidence::redact::Redactor;
use formats::Files as _;

use crate::convert::target::Target;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::input;
use crate::json;
use crate::options::Global;
use crate::redaction::{self, ProfileName, RedactionArgs};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Write sessions without secrets and personal data, in their own format
///
/// Each value becomes a placeholder such as `[REDACTED:password:K3J5QZ7RMA]`, the same one wherever
/// the value is. Every other byte stays. The result is read and scanned again before anything is
/// written: if anything is left, nothing is. `-` redacts standard input, a session or any text.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The sessions: ids, paths, or `-` for standard input
    #[arg(required = true)]
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
    /// Replace existing files; an agent's own files are never replaced
    #[arg(long)]
    force: bool,
    /// Search for the sessions in this folder instead of the agents' own folders
    #[arg(long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
}

impl Args {
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
    let several = args.sessions.len() > 1;
    let output = args.output();
    if several && output == "-" {
        let what = "several sessions need a folder".to_owned();
        return Err(Failure::Usage(what, "name one: `-o FOLDER`".into()));
    }
    if global.json && output == "-" {
        let what = "`--json` prints the report, and standard output has the session".to_owned();
        return Err(Failure::Usage(what, "name a file: `-o FILE`".into()));
    }
    redaction::output(args.output.as_deref(), env)?;
    let redactor = args.redaction.redactor(args.profile.into(), env)?;
    // Nothing is written before all sessions are redacted.
    let mut redactions = Vec::new();
    let mut whole = true;
    for session in &args.sessions {
        redactions.push(redacted(session, &args.within, &redactor, &mut whole, env)?);
    }
    let mut rows = Vec::new();
    for redaction in &redactions {
        let folder = several.then(|| store::file_name(&redaction.session().uid()));
        rows.push(write(args, folder.as_deref(), redaction, env)?);
    }
    let document = RedactDocument {
        schema: REDACT,
        profile: redactor.options().profile.name(),
        rules: redactor.rules_version(),
        sessions: rows,
    };
    if let Some(path) = report_path(args) {
        let mut text = Vec::new();
        json::write(&mut text, &document)?;
        let owner = |path: &Path| env.catalog().owner(path);
        let mut writer = store::Writer::new(&path, args.force, &owner);
        writer.begin(&["report.json"])?;
        writer.file("report.json", &mut |sink| sink.write_all(&text))?;
    }
    if global.json {
        json::write(env.out, &document)?;
    } else if output != "-" {
        let mut screen = Screen::new(env.out, color, env.width);
        print(&document, &mut screen)?;
        if let Some(path) = report_path(args) {
            let text = format!("wrote {} (the report: places and classes)", path.display());
            screen.line(&Line::new().tell(Style::Faint, &text))?;
        }
    }
    Ok(if whole { Exit::Good } else { Exit::Failed })
}

/// A session without what must not be shared; of standard input, any text.
fn redacted(
    name: &Path,
    within: &[PathBuf],
    redactor: &Redactor,
    whole: &mut bool,
    env: &mut Environment<'_>,
) -> Result<Redaction, Failure> {
    let catalog = env.catalog();
    if name == Path::new("-") {
        let mut bytes = Vec::new();
        env.input.read_to_end(&mut bytes)?;
        return match catalog.open_bytes(input::STDIN, bytes.clone()) {
            Ok(opened) => Ok(catalog.redact(opened.session(), redactor)?),
            Err(Error::NoSession { .. }) => Ok(catalog.redact_text("text", bytes, redactor)?),
            Err(error) => Err(error.into()),
        };
    }
    let opened = input::open(name, within, env)?;
    *whole &= opened.unread.is_empty();
    Ok(catalog.redact(opened.session(), redactor)?)
}

/// Writes the files of a redacted session.
fn write<'r>(
    args: &Args,
    folder: Option<&str>,
    redaction: &'r Redaction,
    env: &mut Environment<'_>,
) -> Result<RedactRow<'r>, Failure> {
    let session = redaction.session();
    let catalog = env.catalog();
    let path = folder
        .map_or_else(|| args.output().to_owned(), |folder| format!("{}/{folder}/", args.output()));
    let owner = |path: &Path| catalog.owner(path);
    let mut target = match &*path {
        "-" => Target::stream(env),
        path => Target::disk(path.as_ref(), args.force, &owner),
    };
    let options = formats::Options { secrets: true, ..formats::Options::default() };
    let done = match catalog.format(session.format) {
        Ok(_) => catalog.convert_to(session, session.format, &options, &mut target).map(|_| ()),
        Err(_) => {
            let text = session.bundle.bytes(0);
            let begun = target.begin(&["text"]);
            let put = begun.and_then(|()| target.file("text", &mut |sink| sink.write_all(text)));
            put.map_err(|error| Error::Io { path: (&*path).into(), source: error })
        }
    };
    let (files, _) = target.end()?;
    done?;
    let files = files.iter().map(|file| file.path.display().to_string()).collect();
    Ok(RedactRow::of(session.uid(), files, &redaction.report))
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
