//! `verbatim receipt`: what one finished turn did, without its texts.

use std::path::{Path, PathBuf};

use formats::turns::StoreFault;
use operations::attest::{CheckedReceipt, StoreReceiptError, store_receipt};
use receipt::{Receipt, SessionTurns};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::select::Select;
use crate::terminal::{self, Plain};
use crate::what::named;
use crate::{input, json, notes};

/// Write the receipt of a finished turn
///
/// A receipt lets somebody audit a turn without reading it: its state, calls and results, tokens,
/// approvals, commands and changes of files, and the digests and byte ranges of its source. It has
/// no text of the conversation. A value that the source does not tell is `unavailable`, never 0.
/// Exit code 1 if the turn has not ended, or if `--check` fails.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session: its id or the beginning of it, a path, `-` for standard input, `@` for the
    /// newest of this folder (the default), `last` for the newest of all
    #[arg(value_name = "WHAT", conflicts_with_all = ["thread", "check"])]
    session: Option<PathBuf>,
    /// The turn: its number, a range (`2..5`), `last`, `all`, or the agent's own id of it
    #[arg(long, value_name = "TURN")]
    turn: Option<String>,
    /// The thread of a store with a record for each turn; the receipt has that agent's own schema
    #[arg(long, value_name = "ID", requires = "turn")]
    thread: Option<String>,
    /// Give the last turn a receipt even if no record says that it has ended
    #[arg(long)]
    unfinished: bool,
    /// Validate a file of receipts, and make each again where its source is at hand
    #[arg(long, value_name = "FILE", conflicts_with_all = ["thread", "turn", "unfinished"])]
    check: Option<PathBuf>,
    /// Write it on one line; the digest of a receipt is that of this form
    #[arg(long)]
    compact: bool,
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
        print(std::slice::from_ref(&receipt), false, args.compact, env)?;
        return Ok(Exit::Good);
    }
    let session = args.session.as_deref().unwrap_or(Path::new("@"));
    let session = named(session, &args.select, env)?;
    let opened = input::open(&session, &args.select.within, env)?;
    notes::unread(&opened.session().unread_records(), env)?;
    let turns = SessionTurns::of(opened.session());
    let (numbers, several) = numbers(args.turn.as_deref().unwrap_or("last"), &turns)?;
    let mut receipts = Vec::new();
    for number in numbers {
        match turns.receipt(number, args.unfinished) {
            Ok(receipt) => receipts.push(receipt),
            Err(fault @ receipt::Fault::Unfinished(_)) if several => {
                writeln!(env.err, "note: {fault}: it is left out")?;
            }
            Err(fault) => return Err(refused(&fault)),
        }
    }
    print(&receipts, several, args.compact, env)?;
    Ok(if opened.unread.is_empty() { Exit::Good } else { Exit::Failed })
}

/// A turn that has no receipt.
fn refused(fault: &receipt::Fault) -> Failure {
    match fault {
        receipt::Fault::Unfinished(_) => Failure::Faulty(
            fault.to_string(),
            "`--unfinished` makes a receipt of it as it is".into(),
        ),
        _ => Failure::Refused(fault.to_string(), "`verbatim show` numbers the turns".into()),
    }
}

/// The numbers that an argument names, and whether it may name several.
fn numbers(turn: &str, turns: &SessionTurns<'_>) -> Result<(Vec<usize>, bool), Failure> {
    let unknown = || refused(&receipt::Fault::Unknown(Plain::line(turn).as_str().to_owned()));
    if turns.is_empty() {
        let hint = "only a session with a prompt has turns";
        return Err(Failure::Refused("the session has no turn".into(), hint.into()));
    }
    if let Some((from, to)) = turn.split_once("..") {
        let from = if from.is_empty() { Some(1) } else { from.parse().ok() };
        let to = if to.is_empty() { Some(turns.len()) } else { to.parse().ok() };
        let (Some(from), Some(to)) = (from, to) else { return Err(unknown()) };
        return match from >= 1 && from <= to && to <= turns.len() {
            true => Ok(((from..=to).collect(), true)),
            false => Err(unknown()),
        };
    }
    match turn {
        "all" => Ok(((1..=turns.len()).collect(), true)),
        "last" => Ok((vec![turns.len()], false)),
        _ => {
            let number = turn.parse().ok().or_else(|| turns.named(turn)).ok_or_else(unknown)?;
            Ok((vec![number], false))
        }
    }
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

/// Prints one receipt, or a list of them.
fn print(
    receipts: &[Receipt],
    several: bool,
    compact: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let json = |receipt: &Receipt| receipt.json(compact).map_err(std::io::Error::other);
    let text = match receipts {
        [one] if !several => json(one)?,
        _ if compact => serde_json::to_string(receipts).map_err(std::io::Error::other)?,
        _ => serde_json::to_string_pretty(receipts).map_err(std::io::Error::other)?,
    };
    Ok(writeln!(env.out, "{}", terminal::json(&text))?)
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
    let (session, within) = (args.session.as_deref(), &args.select.within);
    let catalog = env.catalog();
    let check =
        |text: &&RawValue| CheckedReceipt::of(text.get().as_bytes(), session, within, &catalog);
    let receipts: Vec<CheckedReceipt> = texts.iter().map(check).collect();
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
    let source = match one.source {
        "same" => ("shown", "it gives the same receipt".into()),
        "different" => {
            let places = one.differences.join(", ");
            ("FAILED", format!("the source gives another value at {places}"))
        }
        _ => ("not shown", "the session is not at hand".into()),
    };
    for (what, (verdict, why)) in [("schema", schema), ("source", source)] {
        writeln!(env.out, "  {what:<8} {verdict:<10} {}", Plain::line(&why))?;
    }
    Ok(())
}
