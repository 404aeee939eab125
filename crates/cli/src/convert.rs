//! `verbatim convert`: a session in another format.

use std::path::PathBuf;

use catalog::recipe::Opened;
use formats::Written;

use crate::output;
use crate::terminal::Plain;
use crate::world::{Failure, Outcome, World};

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
    /// Look for the session under this folder instead of the agents' own places
    #[arg(long = "in", value_name = "FOLDER")]
    within: Vec<PathBuf>,
    /// Put the native bytes into the document, so that they come back from it alone
    #[arg(long)]
    embed: bool,
    /// Lay the document out for people
    #[arg(long)]
    pretty: bool,
    /// Write nothing that the document's published schema does not accept
    #[arg(long)]
    schema_strict: bool,
}

pub(crate) fn run(args: &Args, world: &mut World<'_>) -> Result<Outcome, Failure> {
    let catalog = world.catalog();
    catalog.format(&args.to)?;
    let opened = open(&args.session, &args.within, world)?;
    let options = formats::Options {
        pretty: args.pretty,
        embed: args.embed,
        strict: args.schema_strict,
        at: None,
    };
    let written = catalog.convert(opened.session(), &args.to, &options)?;
    if args.output == "-" {
        to_stream(&written, world)?;
    } else {
        let files = output::write(&written.files, args.output.as_ref(), &opened.paths)?;
        for file in files {
            let (file, size) = (file.path.display().to_string(), crate::human::size(file.bytes));
            writeln!(world.err, "wrote {} ({size})", Plain::line(&file))?;
        }
    }
    losses(&written, world)?;
    Ok(if opened.unread.is_empty() { Outcome::Good } else { Outcome::Failed })
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
        return Ok(world.catalog().open_bytes("stdin.jsonl", bytes)?);
    }
    let opened = world.catalog().open(name, within)?;
    for unread in &opened.unread {
        let what = format!("{}: {}", unread.path.display(), unread.why);
        writeln!(world.err, "warning: not read: {}", Plain::line(&what))?;
    }
    Ok(opened)
}

fn to_stream(written: &Written, world: &mut World<'_>) -> Result<(), Failure> {
    match &*written.files {
        [(_, bytes)] if world.width.is_some() => {
            // Foreign bytes on a terminal: shown, not obeyed.
            let text = String::from_utf8_lossy(bytes);
            Ok(world.out.write_all(Plain::block(&text).as_str().as_bytes())?)
        }
        [(_, bytes)] => Ok(world.out.write_all(bytes)?),
        files => Err(Failure::Usage(
            format!("the session becomes {} files", files.len()),
            "give a folder for them: `-o FOLDER`".into(),
        )),
    }
}

/// How many losses are told one by one.
const TOLD: usize = 20;

/// What the target could not take, by name.
fn losses(written: &Written, world: &mut World<'_>) -> Result<(), Failure> {
    for loss in written.losses.iter().take(TOLD) {
        let how = match loss.carried {
            formats::Carried::Mapped => "mapped",
            formats::Carried::Synthesised => "made up",
            formats::Carried::Dropped => "not carried",
        };
        writeln!(world.err, "{how}: {} ({})", Plain::line(&loss.what), loss.why)?;
    }
    if let Some(more) = written.losses.len().checked_sub(TOLD).filter(|more| *more > 0) {
        writeln!(world.err, "… and {more} more")?;
    }
    Ok(())
}
