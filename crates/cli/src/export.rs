//! `verbatim export`: a session to hand out, redacted unless the user says otherwise.

use std::path::Path;

use api::redact::RedactRow;
use clap::ValueEnum;
use operations::{ExportChoice, ExportForm, ExportPlan};
use redact::UnredactedFlag;
use session::Session;
use store::Saved;

use crate::convert::target::Target;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::redaction::{self, ProfileName, RedactionArgs};
use crate::signed::{self, Bytes};
use crate::terminal::Plain;
use crate::view::{self, View};
use crate::what::One;
use crate::{input, notes};

mod presented;

/// Choice of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One page: loads nothing, whole without scripts, for phones, print, dark and light
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
/// The page of a presentation (`redact --signed`) carries its proof, and checks it in the browser
/// against the fingerprint of a key.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// The form (default: by the name of the file, else html)
    #[arg(long, value_enum)]
    to: Option<Form>,
    /// The file to write, or the folder if there are several files; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<String>,
    /// Which values go
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    #[command(flatten)]
    redaction: RedactionArgs,
    /// Export everything, secrets too; the page and the Markdown say so
    #[arg(long, conflicts_with_all = ["profile", "keep", "drop_outputs", "drop", "stable_tags"])]
    unredacted: bool,
    /// Only this turn of a page or of Markdown; `7..9` these turns, `-1` or `last` the last one
    #[arg(long, value_name = "TURN", value_parser = view::turn, allow_hyphen_values = true)]
    turn: Option<(i64, Option<i64>)>,
    /// Show the bytes of each record on a page too: up to 4 kB of each
    #[arg(long)]
    bytes: bool,
    /// With `--to native`: all sessions of a file that has several, not only this one
    #[arg(long)]
    whole_file: bool,
    /// Replace an existing file; an agent's own files are never replaced
    #[arg(long)]
    force: bool,
}

impl Form {
    /// The endings of names of files in this form; the first one is proposed.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Html => &["html", "htm"],
            Self::Markdown => &["md", "markdown"],
            Self::Vac => &["vac.json", "json"],
            Self::Stead => &["stead.json", "json"],
            Self::Native => &[],
        }
    }

    /// The form that a file's name tells.
    fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let fits = |form: &Self| {
            let mut endings = form.endings().iter().filter(|ending| **ending != "json");
            endings.any(|ending| name.ends_with(&format!(".{ending}")))
        };
        [Self::Html, Self::Markdown, Self::Vac, Self::Stead].into_iter().find(fits)
    }

    /// The form of an export: as typed, else by the file's name.
    fn of(typed: Option<Self>, output: &str) -> Result<Self, Failure> {
        let path = Path::new(output);
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
        let ending = ending.filter(|_| output != "-" && !output.ends_with(['/', '\\']));
        let Some(ending) = ending.filter(|_| !path.is_dir()) else {
            return Ok(typed.unwrap_or(Self::Html));
        };
        let named = Self::named(output);
        match (typed, named) {
            (None, Some(named)) => Ok(named),
            (None, None) => Err(Failure::Usage(
                format!("the ending `.{ending}` is not of a known form"),
                "name the file .html, .md, .vac.json or .stead.json, or type `--to FORM`".into(),
            )),
            (Some(typed), Some(named)) if typed != named => Err(contradiction(typed, &ending)),
            (Some(typed @ (Self::Html | Self::Markdown)), None) => {
                Err(contradiction(typed, &ending))
            }
            (Some(typed), _) => Ok(typed),
        }
    }
}

fn contradiction(typed: Form, ending: &str) -> Failure {
    let value = typed.to_possible_value();
    let form = value.as_ref().map_or("", |value| value.get_name());
    let right = typed.endings().first().copied().unwrap_or("jsonl");
    Failure::Usage(
        format!("a file of the form {form} is not named `.{ending}`"),
        format!("name it .{right}, or leave `--to` out"),
    )
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if global.json {
        return Err(Failure::Usage(
            "`export` has no `--json`: its output is the session".into(),
            "`show --json` and `scan --json` have it".into(),
        ));
    }
    let output = redaction::output(args.output.as_deref(), env)?;
    let form = Form::of(args.to, output)?;
    if args.bytes && form != Form::Html {
        return Err(Failure::Usage(
            "`--bytes` is for pages: a document has what its form holds".into(),
            "name the file .html, or leave `--bytes` out".into(),
        ));
    }
    let name = args.one.name(env)?;
    if form == Form::Html
        && let Some(text) = presented::read(&name)
    {
        return page_of_presentation(args, (&name, text), output, env);
    }
    let mut opened = input::open(&name, args.one.within(), env)?;
    if form == Form::Native && !args.whole_file {
        input::cut_out(&name, args.one.within(), &mut opened, env)?;
    }
    let whole = opened.unread.is_empty();
    let uid = opened.session().uid();
    let same = args.unredacted && form == Form::Native;
    signed::tell(&opened, if same { Bytes::Same } else { Bytes::Other }, env)?;
    notes::unread(&opened.session().unread_records(), env)?;
    let turns = turns(args, form, opened.session())?;
    let catalog = env.catalog();
    let redactor;
    let choice = match UnredactedFlag::typed(args.unredacted) {
        Some(flag) => ExportChoice::AsItIs(flag),
        None => {
            redactor = args.redaction.redactor(args.profile.into(), env)?;
            ExportChoice::Redacted(&redactor)
        }
    };
    let plan = operations::plan_export(&catalog, opened, choice, turns)?.with_bytes(args.bytes);
    let saved = write(args, (form, output), &plan, env)?;
    notes::wrote(&saved, env)?;
    signed::stale(saved.iter().map(|file| &*file.path), env)?;
    writeln!(env.err, "note: {}", Plain::line(&note(&uid, &plan)))?;
    Ok(if whole { Exit::Good } else { Exit::Failed })
}

/// Writes the page of a presentation, which proves what it shows.
fn page_of_presentation(
    args: &Args,
    (path, text): (&Path, String),
    output: &str,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if args.turn.is_some() {
        return Err(Failure::Usage(
            "the page of a presentation has all that the presentation shows".into(),
            "withhold the rest: `verbatim redact --signed RECORD --withhold N`".into(),
        ));
    }
    let redactor = match args.unredacted {
        true => None,
        false => Some(args.redaction.redactor(args.profile.into(), env)?),
    };
    let redactor = redactor.as_ref();
    let request = presented::Request { path, output, force: args.force, redactor };
    presented::run(&request, text, env)
}

/// The session that was written, and how many values of which classes were replaced in it.
fn note(uid: &str, plan: &ExportPlan) -> String {
    let Some(report) = plan.report() else {
        return format!("{uid}, NOT redacted: it may contain secrets and personal data");
    };
    let row = RedactRow::of(uid.to_owned(), Vec::new(), report);
    let classes = row.by_class();
    let values = classes.values().map(|(values, _)| *values as u64).sum();
    if values == 0 {
        return format!("{uid}: nothing to redact was found; read it before you share it");
    }
    let of = |(class, (values, _)): (&&str, &(usize, usize))| {
        format!("{class} {}", human::count(*values as u64))
    };
    let of: Vec<String> = classes.iter().map(of).collect();
    let count = counted(values, "value", "values");
    format!("{uid}, redacted: {count} ({}); read it before you share it", of.join(", "))
}

/// The first turn and the last one that the user named.
fn turns(args: &Args, form: Form, session: &Session) -> Result<Option<(u64, u64)>, Failure> {
    let Some(turns) = args.turn else { return Ok(None) };
    if !matches!(form, Form::Html | Form::Markdown) {
        return Err(Failure::Usage(
            "`--turn` is for pages and Markdown: a document holds a whole session".into(),
            "name the file .html or .md".into(),
        ));
    }
    let count = meaning::turn::number_of_turns(session);
    let view = View { turns: Some(turns), ..View::default() };
    let count = count as u64;
    let range = view.range(count);
    let (from, to) = (*range.start(), (*range.end()).min(count));
    if from > to || to == 0 {
        return Err(view::missing(count));
    }
    Ok(Some((from, to)))
}

fn write(
    args: &Args,
    (form, output): (Form, &str),
    plan: &ExportPlan,
    env: &mut Environment<'_>,
) -> Result<Vec<Saved>, Failure> {
    let catalog = env.catalog();
    let owner = |path: &Path| catalog.owner(path);
    let state = env.machine.state();
    let mut target = match output {
        "-" => Target::stream(env),
        path => Target::disk(path.as_ref(), args.force, &owner, state),
    };
    let form = match form {
        Form::Html => ExportForm::Html,
        Form::Markdown => ExportForm::Markdown,
        Form::Vac => ExportForm::Document("vac"),
        Form::Stead => ExportForm::Document("stead"),
        Form::Native => ExportForm::Native,
    };
    let done = plan.write(&catalog, form, &mut target);
    let saved = target.end()?.files;
    done?;
    Ok(saved)
}
