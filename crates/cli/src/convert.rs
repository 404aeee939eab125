//! `verbatim convert`: a session in another format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use api::convert::Conversion;
use catalog::{Catalog, Opened};
use formats::FateTotals;
use formats::secrets::secrets;
use meaning::account::{Cause, LedgerRow};
use operations::{ConversionProof, Converted, validate};
use session::{Session, UnreadRecord};
use store::{Saved, Writer};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::options::Global;
use crate::resume::lineage;
use crate::signed::{self, Bytes};
use crate::terminal::Plain;
use crate::totals::print_totals;
use crate::what::One;
use crate::{input, json, notes, watch};

pub(crate) mod target;

use target::Target;

/// Write a session in another format (or in its own: then byte for byte)
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// The format to write: `vac` (verifiable agent record), `stead`, or an agent's format
    #[arg(long, value_name = "FORMAT")]
    to: String,
    /// The file to write, or the folder if there are several files; `-` is standard output
    #[arg(short, long, value_name = "PATH", default_value = "-")]
    output: String,
    /// Replace an existing file; an agent's own files, links and devices are never replaced
    #[arg(long)]
    force: bool,
    /// Embed the agent's own files, so that the document alone gives every byte back
    #[arg(long)]
    embed: bool,
    /// Write the rows of a database as a dump, even if the agent takes in another form of it
    #[arg(long)]
    rows: bool,
    /// Write the values that the agent's own format marks as credentials (its share links, keys,
    /// addresses with passwords), which stars replace otherwise. Credentials in texts and outputs
    /// are always written: `scan` finds them, `redact` takes them out
    #[arg(long)]
    with_secrets: bool,
    /// Indent the document for reading
    #[arg(long, conflicts_with = "cbor")]
    pretty: bool,
    /// Write the record (`--to vac`) in deterministic CBOR, as for an output named `*.cbor`
    #[arg(long)]
    cbor: bool,
    /// Write compacted conversation for another agent too, not only what would be resumed
    #[arg(long)]
    all: bool,
    /// Write the books of a conversion to another agent as JSON: where each field went, and where
    /// each value came from
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Prove the conversion to another agent before anything is written: every value is in the
    /// books, carried values are equal, and the conversation is read back
    #[arg(long)]
    prove: bool,
    /// With `--prove`: convert a session of which records could not be read. The book of unreadable
    /// records names them
    #[arg(long, requires = "prove")]
    allow_damaged: bool,
    /// Write nothing if the document's published schema does not accept it
    #[arg(long)]
    schema_strict: bool,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let catalog = env.catalog();
    catalog.format(&args.to)?;
    let binary = is_binary(args, env)?;
    let name = args.one.name(env)?;
    let mut opened = input::open(&name, args.one.within(), env)?;
    lineage::add(opened.session_mut(), env)?;
    if args.to != opened.session().format && catalog.format(&args.to)?.data().target.is_some() {
        input::add_history(&mut opened, args.one.within(), env)?;
    }
    in_vain(args, opened.session(), catalog.format(&args.to)?.is_document())?;
    own_again(args, opened.session(), &catalog)?;
    let options = formats::Options {
        pretty: args.pretty,
        embed: args.embed,
        rows: args.rows,
        strict: args.schema_strict,
        secrets: args.with_secrets,
        all: args.all,
        untimed: input::file_time(&opened),
        ..formats::Options::default()
    };
    let proof = args.prove.then(|| proven(&catalog, opened.session(), &args.to, &options));
    let proof = proof.transpose()?;
    let damaged = |proof: &ConversionProof| !proof.unread.is_empty() && !args.allow_damaged;
    let unproven = proof.as_ref().is_some_and(damaged);
    let owner = |path: &Path| catalog.owner(path);
    let state = env.machine.state();
    let target = match &*args.output {
        _ if unproven => Target::nowhere(),
        "-" => Target::stream(env),
        path => Target::disk(path.as_ref(), args.force, &owner, state.clone()),
    };
    let ledger = |path| Writer::new(path, args.force, &owner).noting(state.clone());
    let ledger = args.ledger.as_deref().map(ledger);
    let mut target = target.with_ledger(ledger);
    let (session, to) = (opened.session(), &*args.to);
    let converted = match binary {
        true => operations::convert_to_cbor(&catalog, session, to, &options, &mut target),
        false => operations::convert_to(&catalog, session, to, &options, &mut target),
    };
    let target::Written { files, totals: books, credentials } = target.end()?;
    let Converted { rows, foreign, unread } = converted?;
    if unproven {
        return Err(not_proven(&unread, args.ledger.as_deref(), env)?);
    }
    let written = Outcome { files, rows, books, proof, unread };
    tell(args, global, &opened, &written, env)?;
    let same = opened.session().format == args.to && !binary;
    signed::tell(&opened, if same { Bytes::Same } else { Bytes::Other }, env)?;
    signed::stale(written.files.iter().map(|file| &*file.path), env)?;
    watch::tell(credentials, &name, env)?;
    if args.embed || opened.session().format == args.to {
        stored_secrets(opened.session(), env)?;
    }
    if foreign {
        invalid(&opened, env)?;
    }
    Ok(if opened.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

/// Whether the output is CBOR. Outputs that can't be meant are refused.
fn is_binary(args: &Args, env: &Environment<'_>) -> Result<bool, Failure> {
    let binary = args.cbor || Path::new(&args.output).extension() == Some("cbor".as_ref());
    if binary && args.output == "-" && env.width.is_some() {
        let what = "standard output is a terminal, and CBOR is binary";
        return Err(Failure::Usage(what.into(), "name a file: `-o FILE`".into()));
    }
    if args.ledger.as_deref() == Some(Path::new(&args.output)) {
        let what = format!("{} can't be the session and its books", args.output);
        return Err(Failure::Usage(what, "name another file for `--ledger`".into()));
    }
    Ok(binary)
}

/// Result of a conversion.
struct Outcome {
    files: Vec<Saved>,
    rows: Vec<LedgerRow>,
    books: Option<FateTotals>,
    proof: Option<ConversionProof>,
    unread: Vec<UnreadRecord>,
}

/// Reports the files and the ledger of a conversion.
fn tell(
    args: &Args,
    global: Global,
    opened: &Opened,
    Outcome { files, rows, books, proof, unread }: &Outcome,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if global.json {
        // If the document itself goes to standard output, the ledger must not be written into it.
        let saved = files.iter().map(|file| (file.path.as_path(), file.bytes));
        let (session, to) = (opened.session(), &args.to);
        let sums = (books.as_ref(), proof.as_ref());
        let ledger = Conversion::of(rows, saved, session, to, sums, unread);
        match args.output == "-" {
            true => json::write(&mut env.err, &ledger)?,
            false => json::write(env.out, &ledger)?,
        }
    } else {
        notes::wrote(files, env)?;
        match books {
            Some(totals) => print_totals(totals, env)?,
            None => print_rows(rows, env)?,
        }
        notes::unread(unread, env)?;
        if let Some(proof) = proof {
            print_proof(proof, env)?;
        }
        if let Some(place) =
            env.catalog().format(&args.to)?.data().belongs.filter(|_| args.output != "-")
        {
            writeln!(env.err, "its agent looks for it at: {place}")?;
        }
    }
    Ok(())
}

/// The counts of a proof.
fn print_proof(proof: &ConversionProof, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count = crate::human::count;
    let (leaves, equal, back) = (count(proof.leaves), count(proof.equal), count(proof.read_back));
    let given = count(proof.given_back);
    writeln!(
        env.err,
        "proven: {leaves} written values are in the books; {equal} are equal to those"
    )?;
    writeln!(env.err, "  of the session, {given} give them back by an inverse;")?;
    let texts = count(proof.texts);
    Ok(writeln!(env.err, "  {back} of the conversation are read back, {texts} texts as they were")?)
}

/// Refusal of options that would do nothing.
fn in_vain(args: &Args, session: &Session, document: bool) -> Result<(), Failure> {
    let stored = session.format == args.to;
    let options = [
        ("--embed", args.embed && (stored || !document)),
        ("--schema-strict", args.schema_strict && (stored || !document)),
        ("--pretty", args.pretty && !document),
        ("--all", args.all && (stored || document)),
        ("--prove", args.prove && (stored || document)),
        ("--ledger", args.ledger.is_some() && (stored || document)),
    ];
    let Some((option, _)) = options.into_iter().find(|(_, vain)| *vain) else { return Ok(()) };
    let why = match document {
        true if stored => "the session is such a document already, and is written as it is",
        true => "a document has all of the session",
        false if stored => "an agent's own files are written as they are stored",
        false => "it is for documents",
    };
    let what = format!("`{option}` has no effect with `--to {}`: {why}", args.to);
    Err(Failure::Usage(what, format!("leave `{option}` out")))
}

/// Refusal of a proof and of books if a document gives the agent's own files back.
fn own_again(args: &Args, session: &Session, catalog: &Catalog<'_>) -> Result<(), Failure> {
    let wanted = [("--prove", args.prove), ("--ledger", args.ledger.is_some())];
    let Some((option, _)) = wanted.into_iter().find(|(_, wanted)| *wanted) else { return Ok(()) };
    match operations::native(catalog, session)? {
        Some(own) if own.format == args.to => Err(Failure::Usage(
            format!("`{option}` has no effect: {} has a session of {}", session.format, args.to),
            format!("leave `{option}` out: the agent's own files are given back"),
        )),
        _ => Ok(()),
    }
}

/// Proves a conversion to another agent.
fn proven(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    options: &formats::Options,
) -> Result<ConversionProof, Failure> {
    let proof = operations::prove_convert(catalog, session, to, options)?;
    if proof.is_good() {
        return Ok(proof);
    }
    let what = format!("the conversion is not proven: {}", proof.faults.join("; "));
    Err(Failure::Faulty(what, "nothing was written; please report it".into()))
}

/// Refusal of a proof for a session that could not be read whole.
fn not_proven(
    unread: &[UnreadRecord],
    ledger: Option<&Path>,
    env: &mut Environment<'_>,
) -> Result<Failure, Failure> {
    notes::unread(unread, env)?;
    let records = counted(unread.len() as u64, "record", "records");
    let what = format!("the conversion is not proven: {records} of the session could not be read");
    let written = match ledger {
        Some(path) => format!("only the books were written, to {}", path.display()),
        None => "nothing was written".to_owned(),
    };
    let next = "`--allow-damaged` converts the rest of the session, and proves that";
    Ok(Failure::Faulty(what, format!("{written}; {next}")))
}

/// Warning about a document of another program that was converted although it breaks its schema:
/// what is wrong in it may be missing or wrong in the target.
fn invalid(opened: &Opened, env: &mut Environment<'_>) -> Result<(), Failure> {
    let Some(judged) = validate::document(opened.session()).filter(|judged| !judged.ok()) else {
        return Ok(());
    };
    let file = opened.paths.first().map_or("-".into(), |path| path.to_string_lossy());
    let what = format!(
        "the source is not valid as {}, and was converted as it is; \
         `verbatim validate {file}` tells why",
        judged.what
    );
    Ok(writeln!(env.err, "warning: {}", Plain::line(&what))?)
}

/// Warning about secrets in stored bytes, which are written unchanged.
fn stored_secrets(session: &Session, env: &mut Environment<'_>) -> Result<(), Failure> {
    let secrets = secrets(session);
    let paths: BTreeSet<&str> = secrets.iter().map(|secret| &*secret.path).collect();
    if !paths.is_empty() {
        let paths: Vec<&str> = paths.into_iter().take(TOLD).collect();
        let count = counted(secrets.len() as u64, "credential", "credentials");
        let what = format!("the stored bytes contain {count}: {}", paths.join(", "));
        writeln!(env.err, "warning: {}", Plain::line(&what))?;
    }
    Ok(())
}

/// Maximum number of rows that are reported one by one.
const TOLD: usize = 20;

/// The rows of a ledger, by name.
fn print_rows(rows: &[LedgerRow], env: &mut Environment<'_>) -> Result<(), Failure> {
    for row in rows.iter().take(TOLD) {
        let how = match (row.word(), row.cause) {
            ("synthesised", _) => "made up",
            ("dropped", _) => "left out",
            ("in_part", _) => "in part",
            ("withheld", Cause::Secret) => "withheld (`--with-secrets` writes it)",
            (word, _) => word,
        };
        writeln!(env.err, "{how}: {} ({})", Plain::line(&row.name()), row.cause.words())?;
    }
    if let Some(more) = rows.len().checked_sub(TOLD).filter(|more| *more > 0) {
        writeln!(env.err, "… and {more} more")?;
    }
    Ok(())
}
