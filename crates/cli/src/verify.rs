//! `verbatim verify`: what a signature shows, line by line.

use std::path::{Path, PathBuf};

use ::sign::Envelope;
use attest::{Keys, KnownKey, Standing, Verdict, VerifyReport, VerifyTask, companion};
use serde::Serialize;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::key;
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Say what the signature of a file shows, and what it does not
///
/// The signature is beside the file (`FILE.cose`). Each line is `shown`, `not shown` or `FAILED`.
/// Exit code 0 if a key that you trust, that is your own or that you name signed these bytes, and
/// nothing failed; 1 if something failed; 4 if nothing failed, but no known key signed.
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
    /// Make the draft's canonical form of the file first, as the draft's verifier does
    #[arg(long)]
    as_draft: bool,
}

/// The results.
#[derive(Serialize)]
struct Results {
    schema: &'static str,
    files: Vec<VerifyReport>,
}

/// Greatest length of an envelope without its content.
const ENVELOPE: u64 = 1 << 30;

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
    let keys = known(args, env)?;
    let mut reports = Vec::new();
    for file in &args.files {
        reports.push(verified(file, args, &keys, env)?);
    }
    let exit = match &reports {
        all if all.iter().any(VerifyReport::failed) => Exit::Bad,
        all if all.iter().all(VerifyReport::is_good) => Exit::Good,
        _ => Exit::Unshown,
    };
    if global.json {
        json::write(env.out, &Results { schema: "verbatim-verify-1", files: reports })?;
        return Ok(exit);
    }
    let mut screen = Screen::new(env.out, color, env.width);
    for report in &reports {
        print(report, &mut screen)?;
    }
    Ok(exit)
}

/// The keys to verify with.
fn known(args: &Args, env: &Environment<'_>) -> Result<Vec<KnownKey>, Failure> {
    let Some(file) = &args.key else { return Ok(Keys::of(&env.machine)?.known()?) };
    let key = key::public(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let issuer = key.uri();
    Ok(vec![KnownKey { name, key, issuer, standing: Standing::Given }])
}

/// Verifies a file, or the file of a signature.
fn verified(
    file: &Path,
    args: &Args,
    keys: &[KnownKey],
    env: &Environment<'_>,
) -> Result<VerifyReport, Failure> {
    let read = |path: &Path| match catalog::whole(path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let what = format!("there is no file `{}`", path.display());
            Err(Failure::Refused(what, "name the signature: `--signature FILE`".into()))
        }
        Err(error) => Err(Failure::File(path.into(), error)),
    };
    let beside = (file.extension() == Some("cose".as_ref())).then(|| file.with_extension(""));
    let (content, signature) = match (&args.signature, beside) {
        (Some(signature), _) => (Some(file.to_path_buf()), signature.clone()),
        (None, Some(content)) => (Some(content).filter(|it| it.is_file()), file.to_path_buf()),
        (None, None) => (Some(file.to_path_buf()), companion(file)),
    };
    let large = signature.metadata().is_ok_and(|meta| meta.len() > ENVELOPE);
    if large {
        let what = format!("{}: too large for a signature", signature.display());
        return Err(Failure::Refused(what, "name the signature: `--signature FILE`".into()));
    }
    let alone = content.as_ref().is_some_and(|_| args.signature.is_none() && !signature.exists());
    let bytes = content.as_deref().map(read).transpose()?;
    // An envelope with its content inside has any name.
    let is_envelope = alone && bytes.as_deref().is_some_and(Envelope::is_likely);
    let (bytes, envelope) = match is_envelope {
        true => (None, bytes.unwrap_or_default()),
        false => (bytes, read(&signature)?),
    };
    let shown = if is_envelope { file } else { &signature };
    let (file, signature) = (content.as_deref().unwrap_or(file), shown);
    let (file, signature) = (file.display().to_string(), signature.display().to_string());
    let task = VerifyTask {
        file: &file,
        signature: &signature,
        content: bytes.as_deref(),
        envelope: &envelope,
        keys,
        as_draft: args.as_draft,
    };
    Ok(attest::verify(task, &env.catalog()))
}

fn print(report: &VerifyReport, screen: &mut Screen<'_>) -> std::io::Result<()> {
    screen.line(&Line::new().put(Style::Strong, Plain::line(&report.file)))?;
    for check in &report.checks {
        let style = match check.verdict {
            Verdict::Shown => Style::Good,
            Verdict::NotShown => Style::Faint,
            Verdict::Failed => Style::Bad,
        };
        let line = Line::new().tell(Style::Normal, &format!("  {:<13} ", check.what));
        let line = line.tell(style, &format!("{:<10} ", check.verdict.word()));
        screen.line(&line.put(Style::Normal, Plain::line(&check.why)))?;
    }
    let Some(claims) = &report.claims else { return Ok(()) };
    let time = claims.issued_at.map(|seconds| {
        let time = session::UtcTime(seconds.saturating_mul(1_000_000));
        format!("{time}, by the signer's clock")
    });
    let said = [
        ("issuer", claims.issuer.clone()),
        ("subject", claims.subject.clone()),
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
