//! `verbatim validate`: the type of a file, and whether it meets its rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use api::validate::Validation;
use catalog::Found;
use evidence::schema::Schema;
use operations::validate::{Judged, Wanted, refused, validate};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::input::STDIN;
use crate::notes::{say, warn};
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::{json, what};

/// Identify a file and check it against its schema
///
/// Verifiable agent records (JSON and CBOR) and signed ones are checked against their CDDL schema,
/// stead documents against their JSON Schema and the rules beyond it, agents' sessions against the
/// proof and the rules that their agent states. Exit code 1 if a rule is broken.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, folders of sessions and documents, session ids, `@`, `last`; `-` is standard input
    #[arg(required = true, value_name = "WHAT")]
    files: Vec<PathBuf>,
    /// The format of the files, instead of the detected one: `vac`, `stead`, or an agent's format
    #[arg(long = "as", value_name = "FORMAT")]
    format: Option<String>,
    /// Check records against the draft's literal schema, with its known defects. Since 2 November
    /// 2026 another draft is in its place, draft-birkholz-vcon-ai-agent-extension-00
    #[arg(long)]
    draft: bool,
    /// Check stead documents against schema 0.1.0 as published, which lists two agents only
    #[arg(long)]
    schema_strict: bool,
    /// CDDL rule to validate against (default: detected)
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let format = args.format.as_deref();
    let (draft, strict, rule) = (args.draft, args.schema_strict, args.rule.as_deref());
    let wanted = Wanted { format, draft, strict, rule };
    if let Some(rule) = rule.filter(|rule| !rules(draft).any(|known| known == *rule)) {
        let hint = format!("its rules: {}", rules(draft).collect::<Vec<_>>().join(", "));
        return Err(Failure::Usage(format!("the schema has no rule `{rule}`"), hint));
    }
    let mut rows = Vec::new();
    let (files, outcome) = files(args, color, env)?;
    for file in &files {
        let name = file.to_string_lossy().into_owned();
        let judged = match refused(&env.catalog(), file, wanted) {
            Ok(Some(judged)) => judged,
            // Standard input is no file; the reading of the whole file reports an error of it.
            Ok(None) | Err(_) => {
                let bytes = read(file, env)?;
                let name = if name == "-" { STDIN } else { &name };
                validate(&env.catalog(), name, bytes.into(), wanted)?
            }
        };
        rows.push((name, judged));
    }
    let good = rows.iter().all(|(_, judged)| judged.ok());
    if global.json {
        json::write(env.out, &Validation::of(&rows))?;
    } else {
        print(&rows, color, env)?;
    }
    Ok(if good { outcome } else { Exit::Bad })
}

/// The names of the rules that a record can be validated against.
fn rules(draft: bool) -> impl Iterator<Item = &'static str> {
    if draft { Schema::draft() } else { Schema::record() }.rules()
}

/// The files to validate: the named ones, and the sessions and documents in named folders.
fn files(
    args: &Args,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(Vec<PathBuf>, Exit), Failure> {
    let (mut files, mut outcome) = (Vec::new(), Exit::Good);
    for name in &args.files {
        let folder = name.clone();
        if catalog::is_of_system(name) {
            let why = catalog::SkipReason::System.to_string();
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, why);
            return Err(Failure::File(folder, error));
        }
        let Some(found) = found(name, env)? else {
            files.push(name.clone());
            continue;
        };
        let all = || found.sources.iter().flat_map(|source| &source.files);
        let judged = |file: &&catalog::SourceFile| {
            file.rows.is_none() && matches!(file.role, formats::Role::Main | formats::Role::Sub(_))
        };
        let below: BTreeSet<PathBuf> =
            all().filter(judged).map(|file| file.path.to_path_buf()).collect();
        if below.is_empty() {
            let why = match all().next() {
                Some(_) => "it is in a database: `verbatim check` proves it",
                None => "it holds no session and no document",
            };
            let why = why.to_owned();
            return Err(catalog::Error::NoSession { path: folder, why }.into());
        }
        files.extend(below);
        if warn(&found.skipped, color, env)? != Exit::Good {
            outcome = Exit::Failed;
        }
        if all().any(|file| file.rows.is_some()) {
            let note =
                "note: sessions in databases are not validated here: `verbatim check` proves them";
            say(Plain::words(note), env)?;
        }
    }
    Ok((files, outcome))
}

/// The sources of a folder or a session's name; `None` for the name of a file.
fn found(name: &PathBuf, env: &Environment<'_>) -> Result<Option<Found>, Failure> {
    let names = std::slice::from_ref(name);
    match name.is_dir() {
        true => Ok(Some(env.catalog().find(names))),
        false if !what::is_id(name) || name == Path::new("-") => Ok(None),
        false => match what::found(names, &Select::default(), env) {
            // Who types the name of a file looks for a file.
            Err(Failure::Catalog(catalog::Error::NoSuch { .. })) => Ok(None),
            found => found.map(Some),
        },
    }
}

fn read(file: &Path, env: &mut Environment<'_>) -> Result<Vec<u8>, Failure> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        env.input.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    catalog::whole(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoFile(file.to_string_lossy().into_owned()),
        _ => Failure::File(file.into(), error),
    })
}

fn print(rows: &[(String, Judged)], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let mut screen = Screen::new(env.out, color, env.width);
    for (file, judged) in rows {
        let line = match judged.ok() {
            true => Line::new().say(Style::Good, "valid    "),
            false if judged.undecided => Line::new().say(Style::Warn, "UNKNOWN  "),
            false => Line::new().say(Style::Bad, "INVALID  "),
        };
        let line = line.put(Style::Strong, Plain::line(file)).say(Style::Normal, "  ");
        screen.line(&line.tell(Style::Faint, &judged.what))?;
        for problem in &judged.problems {
            let mark = if problem.advice { "  advice " } else { "  " };
            let line =
                Line::new().say(Style::Warn, mark).put(Style::Name, Plain::line(&problem.place));
            let place = format!(" (byte {}): ", problem.byte);
            let line =
                line.tell(Style::Faint, &place).put(Style::Normal, Plain::line(&problem.rule));
            screen.line(&line)?;
            if !problem.hint.is_empty() {
                let hint = Line::new().say(Style::Faint, "      ");
                screen.line(&hint.put(Style::Faint, Plain::line(&problem.hint)))?;
            }
        }
        if judged.more {
            screen.line(&Line::new().say(Style::Faint, "  … and more"))?;
        }
    }
    Ok(())
}
