//! `verbatim receipt`: what one finished turn did, without its texts.

use std::path::{Path, PathBuf};

use formats::turns::StoreFault;
use operations::attest::{
    CheckedReceipt, Keys, ReceiptSource, SignedRecord, StoreReceiptError, VerifyVerdict,
    check_receipts, check_turn_proof, store_receipt, sub_agents,
};
use receipt::{Receipt, SessionTurns};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::select::Select;
use crate::terminal::{self, Plain};
use crate::what::named;
use crate::{input, json, key, notes};

mod which;

use which::Which;

/// Write the receipt of a finished turn
///
/// A receipt lets somebody audit a turn without reading it: its state, calls and results, tokens,
/// approvals, commands and changes of files, and the digests and byte ranges of its source. It has
/// no text of the conversation. A value that the source does not record is `unavailable`, never 0.
/// Exit code 1 if the turn has not ended, or if `--check` fails.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, a path, `-` for standard input, `@` for the
    /// newest of this folder (the default), `last` for the newest of all
    #[arg(value_name = "WHAT", conflicts_with = "thread")]
    session: Option<PathBuf>,
    /// The turn: its number, a range (`2..5`), `last`, `all`, the agent's own id of it, or
    /// `rewound` for those that were taken back since (default: the last one that has ended)
    #[arg(long, value_name = "TURN")]
    turn: Option<String>,
    /// The thread of a store with a record for each turn; the receipt has that agent's own schema
    #[arg(long, value_name = "ID", requires = "turn")]
    thread: Option<String>,
    /// Give the last turn a receipt even if no record says that it has ended
    #[arg(long)]
    unfinished: bool,
    /// With the proof that the turn belongs to the signed record: WHAT is that record, with its
    /// skeleton and its secret beside it
    #[arg(long, requires = "session", conflicts_with_all = ["thread", "check"])]
    signed: bool,
    /// Validate a file of receipts, and say whether each turn is unchanged where its source is at
    /// hand; WHAT names the source, if it is not found by its id
    #[arg(long, value_name = "FILE", conflicts_with_all = ["thread", "turn", "unfinished"])]
    check: Option<PathBuf>,
    /// Write it on one line; the digest of a receipt is that of this form
    #[arg(long)]
    compact: bool,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", conflicts_with = "check")]
    output: PathBuf,
    /// Replace an existing file; an agent's own files are never replaced
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    select: Select,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if let Some(file) = &args.check {
        return check(file, args, global, env);
    }
    if let Some(thread) = &args.thread {
        let turn = args.turn.as_deref().unwrap_or_default();
        let receipt = of_store(thread, turn, &args.select.within, env)?;
        put(std::slice::from_ref(&receipt), false, args, env)?;
        return Ok(Exit::Good);
    }
    let which = Which::read(args.turn.as_deref())?;
    let session = args.session.as_deref().unwrap_or(Path::new("@"));
    let session = named(session, &args.select, env)?;
    let opened = input::open(&session, &args.select.within, env)?;
    notes::unread(&opened.session().unread_records(), env)?;
    let found = sub_agents(&opened, &args.select.within, &env.catalog());
    let turns = SessionTurns::with_sub_agents(opened.session(), &found);
    let (wanted, several) = which.of(&turns, args.unfinished, env)?;
    let mut receipts = Vec::new();
    for turn in wanted {
        match turns.receipt_of(turn, args.unfinished) {
            Ok(receipt) => receipts.push(receipt),
            Err(fault @ receipt::Fault::Unfinished(_)) if several => {
                notes::say(Plain::line(&format!("note: {fault}. It is left out.")), env)?;
            }
            Err(fault) => return Err(which::refused(&fault)),
        }
    }
    if args.signed {
        let record = SignedRecord::open(&session)?;
        receipts.iter_mut().try_for_each(|receipt| record.prove_turn(receipt))?;
    }
    put(&receipts, several, args, env)?;
    Ok(if opened.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

/// The receipt of a turn in a store.
fn of_store(
    thread: &str,
    turn: &str,
    within: &[PathBuf],
    env: &Environment<'_>,
) -> Result<Receipt, Failure> {
    store_receipt(thread, turn, within, &env.catalog()).map_err(|error| match error {
        StoreReceiptError::Catalog(error) => error.into(),
        StoreReceiptError::Turn(fault @ StoreFault::Unfinished(_)) => {
            Failure::Faulty(fault.to_string(), "ask again once the turn has ended".into())
        }
        StoreReceiptError::Turn(fault) => {
            Failure::Refused(fault.to_string(), "look at the records of the store".into())
        }
    })
}

/// Prints one receipt or a list of them, or writes it to a file.
fn put(
    receipts: &[Receipt],
    several: bool,
    args: &Args,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let json = |receipt: &Receipt| receipt.json(args.compact).map_err(std::io::Error::other);
    let text = match receipts {
        [one] if !several => json(one)?,
        _ if args.compact => serde_json::to_string(receipts).map_err(std::io::Error::other)?,
        _ => serde_json::to_string_pretty(receipts).map_err(std::io::Error::other)?,
    };
    if args.output == Path::new("-") {
        return Ok(writeln!(env.out, "{}", terminal::json(&text))?);
    }
    let (catalog, state) = (env.catalog(), env.machine.state());
    let owner = |path: &Path| catalog.owner(path);
    let mut writer = store::Writer::new(&args.output, args.force, &owner).noting(state);
    writer.begin(&["receipt.json"])?;
    writer.file("receipt.json", &mut |sink| writeln!(sink, "{text}"))?;
    let saved = std::mem::take(&mut writer.saved);
    Ok(notes::wrote(&saved, env)?)
}

/// The results of a check.
#[derive(Serialize)]
struct Checks {
    schema: &'static str,
    receipts: Vec<CheckedReceipt>,
}

/// Checks the receipts of a file.
fn check(
    file: &Path,
    args: &Args,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let bytes = catalog::stored(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoFile(file.to_string_lossy().into_owned()),
        _ => Failure::File(file.into(), error),
    })?;
    let not_json = |error: serde_json::Error| {
        let what = format!("{}: not JSON: {error}", Plain::line(&file.to_string_lossy()).as_str());
        Failure::Faulty(what, "a receipt is one JSON object, or a list of them".into())
    };
    // The texts as they are: a parsed value would hide names that are there twice.
    let texts: Vec<&RawValue> = match bytes.trim_ascii_start().first() {
        Some(b'[') => serde_json::from_slice(&bytes).map_err(not_json)?,
        _ => vec![serde_json::from_slice(&bytes).map_err(not_json)?],
    };
    if texts.is_empty() {
        let what = format!("{}: it has no receipt", Plain::line(&file.to_string_lossy()).as_str());
        return Err(Failure::Faulty(what, "a file of receipts has at least one".into()));
    }
    let texts: Vec<&[u8]> = texts.iter().map(|text| text.get().as_bytes()).collect();
    let (session, within) = (args.session.as_deref(), &args.select.within);
    let mut receipts = check_receipts(&texts, session, within, &env.catalog());
    prove(&texts, &mut receipts, env)?;
    let good = receipts.iter().all(CheckedReceipt::is_good);
    if global.json {
        json::write(env.out, &Checks { schema: "verbatim-receipt-check-1", receipts })?;
    } else {
        for one in &receipts {
            tell(one, env)?;
        }
    }
    Ok(if good { Exit::Good } else { Exit::Bad })
}

/// Judges the proofs in receipts.
fn prove(
    texts: &[&[u8]],
    checked: &mut [CheckedReceipt],
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let read: Vec<Option<Receipt>> = texts.iter().map(|text| Receipt::read(text).ok()).collect();
    if !read.iter().flatten().any(|receipt| receipt.inclusion_proof.is_some()) {
        return Ok(());
    }
    let keys = key::known(&Keys::of(&env.machine)?, env)?;
    for (one, receipt) in checked.iter_mut().zip(&read) {
        one.proof = receipt.as_ref().and_then(|receipt| check_turn_proof(receipt, &keys));
    }
    Ok(())
}

/// Prints the result of a check, a line for each thing that it shows.
fn tell(one: &CheckedReceipt, env: &mut Environment<'_>) -> Result<(), Failure> {
    let name = match (&one.thread, &one.turn) {
        (Some(thread), Some(turn)) => format!("{thread}, turn {turn}"),
        (Some(thread), None) => thread.clone(),
        _ => "receipt".into(),
    };
    writeln!(env.out, "{}", Plain::line(&name))?;
    let schema = match &one.error {
        Some(error) => ("FAILED", error.clone()),
        None => ("shown", "each member, and no other".into()),
    };
    let note = one.note.as_deref().unwrap_or_default();
    let with = |what: &str| match note {
        "" => what.to_owned(),
        note => format!("{what}; {note}"),
    };
    let source = match one.source {
        ReceiptSource::Same => ("shown", with("the turn is unchanged")),
        ReceiptSource::Different => {
            let places = one.differences.join(", ");
            (
                "FAILED",
                with(&format!("the turn changed: the source gives another value at {places}")),
            )
        }
        ReceiptSource::Gone => ("FAILED", "the turn is gone: the source has no such turn".into()),
        ReceiptSource::Absent if one.thread.is_none() => ("not shown", "it is not known".into()),
        ReceiptSource::Absent => ("not shown", "the session is not at hand".into()),
        ReceiptSource::Unreadable => ("FAILED", format!("the source can't be read: {note}")),
    };
    let reader = one.reader.clone().map(|reader| ("told", reader));
    let word = |verdict: VerifyVerdict| verdict.word();
    let proof = one.proof.as_ref().map(|proof| (word(proof.verdict), proof.why.clone()));
    let lines =
        [("schema", Some(schema)), ("source", Some(source)), ("proof", proof), ("reader", reader)];
    for (what, (verdict, why)) in lines.into_iter().filter_map(|(what, told)| Some((what, told?))) {
        writeln!(env.out, "  {what:<8} {verdict:<10} {}", Plain::line(&why))?;
    }
    Ok(())
}
