//! `verbatim export`: a session to hand out, redacted unless the user says otherwise.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use catalog::Redaction;
use catalog::view::export::{ExportNote, html, markdown};
use clap::ValueEnum;
use formats::Files as _;
use session::Session;

use crate::convert::target::Target;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::input;
use crate::options::Global;
use crate::redaction::{ProfileName, RedactionArgs};
use crate::terminal::Plain;

/// Choice of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One page: loads nothing, has no scripts, for phones, print, dark and light
    Html,
    /// For a repository or a review
    Markdown,
    /// The verifiable agent record
    Vac,
    /// The stead session document
    Stead,
    /// The agent's own format
    Native,
}

/// Export a session to share it: a page, Markdown, or a document; redacted by default
///
/// The session is redacted as by `redact`, read again and scanned again, and only then written.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, a path, or `-` for standard input
    session: PathBuf,
    /// The form
    #[arg(long, value_enum, default_value = "html")]
    to: Form,
    /// The file to write, or the folder if there are several files; `-` is standard output
    #[arg(short, long, value_name = "PATH", default_value = "-")]
    output: String,
    /// Which values go
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    #[command(flatten)]
    redaction: RedactionArgs,
    /// Export everything, secrets too; the page and the Markdown say so
    #[arg(long, conflicts_with_all = ["profile", "keep", "drop_outputs", "stable_tags"])]
    unredacted: bool,
    /// With `--to native`: all sessions of a file that has several, not only this one
    #[arg(long)]
    whole_file: bool,
    /// Replace an existing file; an agent's own files are never replaced
    #[arg(long)]
    force: bool,
    /// Search for the session in this folder instead of the agents' own folders
    #[arg(long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
}

/// A session that may go out: a redacted one, or one that the user wants as it is.
enum Outgoing {
    Redacted(Redaction),
    AsItIs(Box<Session>),
}

impl Outgoing {
    fn session(&self) -> &Session {
        match self {
            Self::Redacted(redaction) => redaction.session(),
            Self::AsItIs(session) => session,
        }
    }
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if global.json {
        return Err(Failure::Usage(
            "`export` has no `--json`: its output is the session".into(),
            "`show --json` and `scan --json` have it".into(),
        ));
    }
    let mut opened = input::open(&args.session, &args.within, env)?;
    if args.to == Form::Native && !args.whole_file {
        input::cut_out(&args.session, &args.within, &mut opened, env)?;
    }
    let whole = opened.unread.is_empty();
    let (outgoing, note) = if args.unredacted {
        let native = env.catalog().native(opened.session())?;
        let session = native.unwrap_or_else(|| opened.sessions.swap_remove(opened.picked));
        (Outgoing::AsItIs(Box::new(session)), ExportNote { redacted: None })
    } else {
        let redactor = args.redaction.redactor(args.profile.into(), env)?;
        let redaction = env.catalog().redact(opened.session(), &redactor)?;
        let count = redaction.report.entries.len();
        let redacted = Some((redactor.options().profile.name().to_owned(), count));
        (Outgoing::Redacted(redaction), ExportNote { redacted })
    };
    write(args, outgoing.session(), &note, env)?;
    let what = match &note.redacted {
        Some((_, count)) => {
            format!("redacted: {}", counted(*count as u64, "value was", "values were"))
                + " replaced; read it before you share it"
        }
        None => "NOT redacted: it may contain secrets and personal data".to_owned(),
    };
    writeln!(env.err, "note: {}", Plain::line(&what))?;
    Ok(if whole { Exit::Good } else { Exit::Failed })
}

fn write(
    args: &Args,
    session: &Session,
    note: &ExportNote,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let catalog = env.catalog();
    let owner = |path: &Path| catalog.owner(path);
    let state = env.machine.state();
    let mut target = match &*args.output {
        "-" => Target::stream(env),
        path => Target::disk(path.as_ref(), args.force, &owner, state),
    };
    let to = match args.to {
        Form::Html => return page(&mut target, "session.html", |sink| html(session, note, sink)),
        Form::Markdown => {
            return page(&mut target, "session.md", |sink| markdown(session, note, sink));
        }
        Form::Vac => "vac",
        Form::Stead => "stead",
        Form::Native => session.format,
    };
    let options = formats::Options { secrets: args.unredacted, ..formats::Options::default() };
    let done = catalog.convert_to(session, to, &options, &mut target);
    target.end()?;
    done?;
    Ok(())
}

fn page(
    target: &mut Target<'_>,
    name: &str,
    compose: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let begun = target.begin(&[name]);
    let done = begun.and_then(|()| {
        target.file(name, &mut |sink| {
            let mut sink = io::BufWriter::with_capacity(1 << 16, sink);
            compose(&mut sink)?;
            sink.flush()
        })
    });
    target.failure().map_or(Ok(()), Err)?;
    done.map_err(Failure::Stream)
}
