//! `verbatim archive sign`, and the check of what it signed.

use std::path::Path;

use api::archive_custody::ArchiveSigned;
use archive::Archive;
use operations::attest::{
    CustodyTask, CustodyVerdict, KeyStanding, Keys, KnownKey, LocalLog, Signer, check_custody,
    sign_custody,
};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{json, keeping, key};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The key: its name, its file, or its fingerprint in your ssh agent (`SHA256:…`); default:
    /// your only one
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Sign also that objects were removed which earlier statements name
    #[arg(long)]
    withdraw: bool,
}

pub(super) fn sign(
    args: &Args,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    // Statements are numbered: one signs at a time.
    let _lock = place.exclusive()?;
    let archive = Archive::read(place)?;
    if let Some(fault) = archive.faults.first() {
        let what = format!("{}: {}", fault.path.display(), fault.why);
        return Err(Failure::Faulty(what, "a damaged archive is not signed".into()));
    }
    let keys = Keys::of(&env.machine)?;
    let machine = env.machine.clone();
    let signer = Signer::named(args.key.as_deref(), &keys, &machine)?;
    let mut known = key::known(&keys, env)?;
    known.push(signer.known.clone());
    let log = LocalLog::of(&machine)?;
    let task =
        CustodyTask { keys: &known, withdraw: args.withdraw, now: env.now, random: key::random()? };
    let signed = sign_custody(&archive, &signer, &log, task)?;
    if global.json {
        let key = signer.known.key.fingerprint();
        json::write(env.out, &ArchiveSigned::of(&archive, &signed, key, &signer.known.issuer))?;
        return Ok(Exit::Good);
    }
    for (statement, _) in &signed.written {
        writeln!(env.out, "{}", Plain::line(&format!("signed {statement}")))?;
    }
    for object in &signed.withdrawn {
        writeln!(env.out, "{}", Plain::line(&format!("withdrawn: {object}")))?;
    }
    let written = counted(signed.written.len() as u64, "statement", "statements");
    let runs = counted(signed.known as u64, "run", "runs");
    writeln!(env.out, "{written} written, {runs} had one before")?;
    Ok(Exit::Good)
}

/// The verdict of the statements of an archive, if keys are given.
pub(super) fn checked(
    archive: &Archive,
    trust: &[String],
    env: &mut Environment<'_>,
) -> Result<Option<CustodyVerdict>, Failure> {
    if trust.is_empty() {
        return Ok(None);
    }
    let mut keys = Vec::new();
    for name in trust {
        keys.push(trusted(name, env)?);
    }
    let (packs, _) = archive.files();
    let progress = Progress::new(env.err, env.err_terminal, packs, archive.length());
    Ok(Some(check_custody(archive, &keys, &|bytes| progress.step(bytes))?))
}

/// The key of a file, or one that the user knows by this name.
fn trusted(name: &str, env: &mut Environment<'_>) -> Result<KnownKey, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        let key = Keys::public(path)?;
        let issuer = key.uri();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(KnownKey { name, key, issuer, standing: KeyStanding::Given });
    }
    let known = key::known(&Keys::of(&env.machine)?, env)?;
    known.into_iter().find(|known| known.is_called(name)).ok_or_else(|| {
        let hint = "name its file, or a key of `verbatim key list`";
        Failure::Refused(format!("there is no key `{name}`"), hint.into())
    })
}

/// Prints the verdict, or says that there are statements which nobody asked for.
pub(super) fn tell(
    archive: &Archive,
    verdict: Option<&CustodyVerdict>,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut screen = Screen::new(env.out, color, env.width);
    let Some(verdict) = verdict else {
        let count = archive.place.statements()?.len();
        if count > 0 {
            let statements = counted(count as u64, "statement", "statements");
            let what = format!("{statements} of custody not checked: `--trust KEY`");
            screen.line(&Line::new().tell(Style::Faint, &what))?;
        }
        return Ok(());
    };
    for fault in &verdict.faults {
        let what = format!("{}: {}", fault.path, fault.why);
        let kind = format!("{}: ", fault.kind);
        screen.line(&Line::new().tell(Style::Bad, &kind).tell(Style::Normal, &what))?;
    }
    for (name, count) in &verdict.signed {
        let statements = counted(*count as u64, "statement", "statements");
        let what = format!("custody: {statements} signed by `{name}`");
        screen.line(&Line::new().tell(Style::Normal, &what))?;
    }
    let objects = counted(verdict.sound as u64, "object", "objects");
    let what = match verdict.is_good() {
        true => format!("custody good: {objects} as they were signed, and no other"),
        false => format!("custody NOT good: {objects} as they were signed"),
    };
    Ok(screen.line(&Line::new().tell(Style::Normal, &what))?)
}
