//! `verbatim verify`: what a signature shows, line by line.

use std::path::PathBuf;

use operations::attest::{
    KeyStanding, Keys, KnownKey, VerifyReport, VerifyResult, VerifyTask, VerifyVerdict,
};
use serde::Serialize;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{json, key, notes};

/// Verify a signature, and explain what it proves and what it does not
///
/// The signature is beside the file (`FILE.cose`), or has it inside. Each line is `shown`, `not
/// shown` or `FAILED`. Exit code 0: a key of yours, one that you trust, or the one that you name
/// signed these bytes, and nothing failed; 1: something failed; 4: nothing failed, but no key that
/// you know signed them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Signed files, or their signatures
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The signature, if it is not beside the file
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// The signer's public key (PEM, or a line of ssh), instead of those that you trust
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Make the draft's canonical form of the file first, as verifiers after the draft do
    #[arg(long)]
    as_draft: bool,
}

/// The results.
#[derive(Serialize)]
struct Results<'r> {
    schema: &'static str,
    files: &'r [VerifyReport],
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if args.signature.is_some() && args.files.len() > 1 {
        let what = "`--signature` is of one file, and there are several";
        return Err(Failure::Usage(what.into(), "verify each by itself".into()));
    }
    let mut keys = known(args, env)?;
    let signature = args.signature.as_deref();
    let (as_draft, now) = (args.as_draft, env.now);
    let (mut reports, mut unread, mut asked) = (Vec::new(), Vec::new(), args.key.is_some());
    for file in &args.files {
        let verify = |keys: &[KnownKey], env: &Environment<'_>| {
            let task = VerifyTask { signature, keys, as_draft, now };
            operations::attest::verify(file, task, &env.catalog())
        };
        let mut verified = verify(&keys, env);
        // The ssh agent comes last, if no other key is the signer's: it may not answer at once.
        let is_unknown = |report: &VerifyReport| report.result == VerifyResult::Unknown;
        if !asked && verified.as_ref().is_ok_and(is_unknown) {
            asked = true;
            let held = key::held(env)?;
            if !held.is_empty() {
                keys.extend(held);
                verified = verify(&keys, env);
            }
        }
        match verified {
            Ok(report) => reports.push(report),
            Err(error) => unread.push(Failure::from(error)),
        }
    }
    if global.json {
        json::write(env.out, &Results { schema: "verbatim-verify-1", files: &reports })?;
    } else {
        let mut screen = Screen::new(env.out, color, env.width);
        reports.iter().try_for_each(|report| print(report, &mut screen))?;
    }
    let exit = exit(&reports, !unread.is_empty());
    // A file that can't be read does not hide what the others show.
    match unread.pop() {
        Some(last) if reports.is_empty() && unread.is_empty() => Err(last),
        last => {
            let mut screen = notes::errors(color, env);
            for failure in unread.iter().chain(&last) {
                let (what, hint) = failure.words();
                screen.error(&what, hint.as_deref())?;
            }
            Ok(exit)
        }
    }
}

/// The exit code: what failed first, then what could not be read, then what nobody known signed.
fn exit(reports: &[VerifyReport], unread: bool) -> Exit {
    let any = |result| reports.iter().any(|report| report.result == result);
    match () {
        () if any(VerifyResult::Failed) => Exit::Bad,
        () if unread => Exit::Failed,
        () if any(VerifyResult::Unknown) => Exit::Unshown,
        () => Exit::Good,
    }
}

/// The keys to verify with.
fn known(args: &Args, env: &mut Environment<'_>) -> Result<Vec<KnownKey>, Failure> {
    let Some(file) = &args.key else { return key::known(&Keys::of(&env.machine)?, env) };
    let key = Keys::public(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let issuer = key.uri();
    Ok(vec![KnownKey { name, key, issuer, standing: KeyStanding::Given }])
}

/// Prints the verdict, and then what a signature shows.
fn print(report: &VerifyReport, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let (style, verdict) = match report.result {
        VerifyResult::Signed => (Style::Good, "verified"),
        VerifyResult::Unknown => (Style::Warn, "not verified: no key that you know signed it"),
        VerifyResult::Failed => (Style::Bad, "FAILED"),
    };
    let line = Line::new().say(style, verdict).say(Style::Normal, ": ");
    screen.line(&line.put(Style::Strong, Plain::line(&report.file)))?;
    for check in &report.checks {
        let style = match check.verdict {
            VerifyVerdict::Shown => Style::Good,
            VerifyVerdict::NotShown => Style::Faint,
            VerifyVerdict::Failed => Style::Bad,
        };
        let line = Line::new().tell(Style::Normal, &format!("  {:<13} ", check.what));
        let line = line.tell(style, &format!("{:<10} ", check.verdict.word()));
        screen.line(&line.put(Style::Normal, Plain::line(&check.why)))?;
    }
    let Some(claims) = &report.claims else { return Ok(()) };
    let time = claims.issued_at.map(|seconds| {
        let time = session::UtcTime(seconds.saturating_mul(1_000_000));
        format!("{}, by the signer's clock", time.rfc3339())
    });
    let said = [
        ("issuer", claims.issuer.clone()),
        ("subject", claims.subject.clone()),
        ("content", claims.content_type.clone()),
        ("signed at", time),
    ];
    screen.line(&Line::new().say(Style::Normal, "  the signer says:"))?;
    for (what, value) in said {
        let Some(value) = value else { continue };
        let line = Line::new().tell(Style::Normal, &format!("    {what:<11} "));
        screen.line(&line.put(Style::Normal, Plain::line(&value)))?;
    }
    Ok(())
}
