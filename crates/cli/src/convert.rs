//! `verbatim convert`: a session in another format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use catalog::api::convert::Conversion;
use catalog::{Error, Opened};
use formats::Loss;
use session::Session;
use session::secret::secrets;

use crate::args::Global;
use crate::human::counted;
use crate::json;
use crate::terminal::Plain;
use crate::world::{Failure, Outcome, World};

mod target;

use target::Target;

/// Write a session in another format (or in its own: then byte for byte)
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, a path, or `-` for standard input
    session: String,
    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: String,
    /// Where to write: a file, a folder where there are several files, or `-` for standard output
    #[arg(short, long, value_name = "PATH", default_value = "-")]
    output: String,
    /// Replace the output where it is there; never what an agent wrote, nor what is no plain file
    #[arg(long)]
    force: bool,
    /// Look for the session under this folder instead of the agents' own places
    #[arg(long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
    /// Put the native bytes into the document, so that they come back from it alone
    #[arg(long)]
    embed: bool,
    /// Write a session of a database as the dump of its rows, also where its agent takes another
    /// form
    #[arg(long)]
    rows: bool,
    /// Write the values that give access to something (share addresses, keys) into the document
    #[arg(long)]
    with_secrets: bool,
    /// Lay the document out for people
    #[arg(long, conflicts_with = "cbor")]
    pretty: bool,
    /// Write the record (`--to vac`) in CBOR, deterministically; so does an output `*.cbor`
    #[arg(long)]
    cbor: bool,
    /// Write nothing that the document's published schema does not accept
    #[arg(long)]
    schema_strict: bool,
}

pub(crate) fn run(args: &Args, global: Global, world: &mut World<'_>) -> Result<Outcome, Failure> {
    let catalog = world.catalog();
    catalog.format(&args.to)?;
    let binary = args.cbor || Path::new(&args.output).extension() == Some("cbor".as_ref());
    if binary && args.output == "-" && world.width.is_some() {
        let what = "CBOR is binary, and standard output is a terminal";
        return Err(Failure::Usage(what.into(), "give a file for it: `-o FILE`".into()));
    }
    let opened = open(&args.session, &args.within, world)?;
    in_vain(args, opened.session(), catalog.format(&args.to)?.is_document())?;
    let options = formats::Options {
        pretty: args.pretty,
        embed: args.embed,
        rows: args.rows,
        strict: args.schema_strict,
        secrets: args.with_secrets,
        at: None,
    };
    let owner = |path: &Path| catalog.owner(path);
    let mut target = match &*args.output {
        "-" => Target::stream(world),
        path => Target::disk(path.as_ref(), args.force, &owner),
    };
    let (session, to) = (opened.session(), &*args.to);
    let losses = match binary {
        true => catalog.convert_to_cbor(session, to, &options, &mut target),
        false => catalog.convert_to(session, to, &options, &mut target),
    };
    let (files, losses) = (target.end()?, losses?);
    if global.json {
        // Where the document itself goes to standard output, the ledger must not stand in it.
        let saved = files.iter().map(|file| (file.path.as_path(), file.bytes));
        let ledger = Conversion::of(&losses, saved, opened.session(), &args.to);
        match args.output == "-" {
            true => json::write(&mut world.err, &ledger)?,
            false => json::write(world.out, &ledger)?,
        }
    } else {
        for file in files {
            let (file, size) = (file.path.display().to_string(), crate::human::size(file.bytes));
            writeln!(world.err, "wrote {} ({size})", Plain::line(&file))?;
        }
        print_losses(&losses, world)?;
        if let Some(place) = catalog.format(&args.to)?.belongs().filter(|_| args.output != "-") {
            writeln!(world.err, "its place: {place}")?;
        }
    }
    if args.embed || opened.session().format == args.to {
        stored_secrets(opened.session(), world)?;
    }
    Ok(if opened.unread.is_empty() { Outcome::Good } else { Outcome::Failed })
}

/// Refuses options that would do nothing.
fn in_vain(args: &Args, session: &Session, document: bool) -> Result<(), Failure> {
    let stored = session.format == args.to;
    let options = [
        ("--embed", args.embed && (stored || !document)),
        ("--schema-strict", args.schema_strict && (stored || !document)),
        ("--pretty", args.pretty && !document),
    ];
    let Some((option, _)) = options.into_iter().find(|(_, vain)| *vain) else { return Ok(()) };
    let why = match document {
        true => "the session is one already, and what is in it stays",
        false => "it is an agent's own format, and its files are written as they are stored",
    };
    let what = format!("`{option}` does nothing with `--to {}`: {why}", args.to);
    Err(Failure::Usage(what, format!("leave `{option}` out")))
}

/// Opens what the user named; `-` is standard input. Says on standard error what of it could not
/// be read.
pub(crate) fn open(
    name: &str,
    within: &[PathBuf],
    world: &mut World<'_>,
) -> Result<Opened, Failure> {
    if name == "-" {
        let mut bytes = Vec::new();
        world.input.read_to_end(&mut bytes)?;
        let nothing = bytes.is_empty();
        return Ok(world.catalog().open_bytes("stdin.jsonl", bytes).map_err(
            |error| match error {
                Error::NoSession { why, .. } => {
                    let why = if nothing { "nothing is in it".into() } else { why };
                    Error::NoSession { path: "standard input".into(), why }
                }
                other => other,
            },
        )?);
    }
    let opened = world.catalog().open(name, within)?;
    for unread in &opened.unread {
        let what = format!("{}: {}", unread.path.display(), unread.why);
        writeln!(world.err, "warning: not read: {}", Plain::line(&what))?;
    }
    with_it(name, &opened, world)?;
    Ok(opened)
}

/// How many files are named that were read with one.
const NAMED: usize = 5;

/// Says which files were read beside the one that was named: they are the same session.
fn with_it(name: &str, opened: &Opened, world: &mut World<'_>) -> Result<(), Failure> {
    let named = Path::new(name).canonicalize().ok().filter(|path| path.is_file());
    let Some(named) = named else { return Ok(()) };
    let other = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path != named);
    let others: Vec<&PathBuf> = opened.paths.iter().filter(other).collect();
    if others.is_empty() {
        return Ok(());
    }
    let names: Vec<String> =
        others.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = if others.len() > NAMED { ", …" } else { "" };
    let count = counted(others.len() as u64, "file", "files");
    let text = format!("{count} of the same session read with it: {}{more}", names.join(", "));
    Ok(writeln!(world.err, "note: {}", Plain::line(&text))?)
}

/// The stored bytes are what they are: says which secrets are in them.
fn stored_secrets(session: &Session, world: &mut World<'_>) -> Result<(), Failure> {
    let secrets = secrets(session);
    let paths: BTreeSet<&str> = secrets.iter().map(|secret| &*secret.path).collect();
    if !paths.is_empty() {
        let paths: Vec<&str> = paths.into_iter().take(TOLD).collect();
        let count = counted(secrets.len() as u64, "value that gives", "values that give");
        let what = format!("the stored bytes hold {count} access: {}", paths.join(", "));
        writeln!(world.err, "warning: {}", Plain::line(&what))?;
    }
    Ok(())
}

/// How many losses are told one by one.
const TOLD: usize = 20;

/// What the target could not take, by name.
fn print_losses(losses: &[Loss], world: &mut World<'_>) -> Result<(), Failure> {
    for loss in losses.iter().take(TOLD) {
        let how = match loss.carried {
            formats::Carried::Mapped => "mapped",
            formats::Carried::Synthesised => "made up",
            formats::Carried::Dropped => "not carried",
            formats::Carried::Withheld => "withheld (`--with-secrets` writes it)",
        };
        writeln!(world.err, "{how}: {} ({})", Plain::line(&loss.what), loss.why)?;
    }
    if let Some(more) = losses.len().checked_sub(TOLD).filter(|more| *more > 0) {
        writeln!(world.err, "… and {more} more")?;
    }
    Ok(())
}
