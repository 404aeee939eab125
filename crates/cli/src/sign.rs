//! `verbatim sign`: the record of a session, or receipts, and their signature.

use std::path::{Path, PathBuf};

use operations::attest::{Keys, SignTask, Signable, Signer, WrittenSignature, sign};
use redact::Glance;
use serde::Serialize;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::options::Global;
use crate::resume::lineage;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::what::One;
use crate::{input, json, key, notes, watch};

/// Sign the record of a session, or a receipt, so that others can verify it
///
/// Writes the session's verifiable record, and its signature beside it (`RECORD.cose`, a detached
/// COSE_Sign1 that any library for RFC 9052 verifies). A file that is a record or a receipt is
/// signed as it is. So that parts of a record can be withheld later (`redact --signed`), its
/// skeleton is signed too (`RECORD.skeleton.json`), and what withholding needs is in
/// `RECORD.secret`, for you alone. What a signature does not show: docs/prove.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// The key: its name, its file, or its fingerprint in your ssh agent (`SHA256:…`); default:
    /// your only one
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The file to write, with its signature beside it (default: the record's name, here)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace existing files; an agent's own are never replaced
    #[arg(long)]
    force: bool,
    /// Embed the agent's own files, so that their bytes are signed too
    #[arg(long)]
    embed: bool,
    /// Sign the canonical form that verifiers after the draft make again; refused where that would
    /// change a value
    #[arg(long)]
    as_draft: bool,
}

/// The signature that was made.
#[derive(Serialize)]
struct SignResult {
    schema: &'static str,
    file: String,
    signature: String,
    bytes: usize,
    subject: String,
    issuer: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let keys = Keys::of(&env.machine)?;
    let machine = env.machine.clone();
    let signer = Signer::named(args.key.as_deref(), &keys, &machine)?;
    let name = args.one.name(env)?;
    let content = content(args, &name, env)?;
    let mut glance = Glance::default();
    glance.look(&content.bytes);
    let task = SignTask {
        output: args.output.as_deref(),
        replace: args.force,
        as_draft: args.as_draft,
        now: env.now,
        random: key::random()?,
    };
    let written = sign(content, &signer, task, &env.catalog())?;
    print(&written, &signer, (global, color), env)?;
    watch::tell(glance.end(), &written.file, env)?;
    Ok(Exit::Good)
}

fn print(
    written: &WrittenSignature,
    signer: &Signer<'_>,
    (global, color): (Global, bool),
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let known = &signer.known;
    let result = SignResult {
        schema: "verbatim-sign-1",
        file: written.file.display().to_string(),
        signature: written.signature.display().to_string(),
        bytes: written.bytes,
        subject: written.subject.clone(),
        issuer: known.issuer.clone(),
        key: known.key.fingerprint(),
        skeleton: written.skeleton.as_ref().map(|it| it.file.display().to_string()),
        secret: written.skeleton.as_ref().map(|it| it.secret.display().to_string()),
    };
    if global.json {
        return Ok(json::write(env.out, &result)?);
    }
    let mut screen = Screen::new(env.out, color, env.width);
    let head = format!("signed {}", result.file);
    screen.line(&Line::new().put(Style::Strong, Plain::line(&head)))?;
    let lines = [
        ("signature", result.signature),
        ("bytes", result.bytes.to_string()),
        ("key", format!("{} ({})", result.key, known.name)),
        ("issuer", result.issuer),
        ("subject", result.subject),
    ];
    let own = |secret: String| format!("{secret}: keep it to yourself");
    let parts = [
        result.skeleton.map(|skeleton| ("skeleton", skeleton)),
        result.secret.map(|secret| ("secret", own(secret))),
    ];
    for (what, value) in lines.into_iter().chain(parts.into_iter().flatten()) {
        let line = Line::new().tell(Style::Faint, &format!("  {what:<10} "));
        screen.line(&line.put(Style::Normal, Plain::line(&value)))?;
    }
    Ok(())
}

/// The bytes to sign: those of a record or of receipts, else the record that is made.
fn content(args: &Args, name: &Path, env: &mut Environment<'_>) -> Result<Signable, Failure> {
    if name.is_file()
        && let Some(stored) = Signable::stored(name, &env.catalog())?
    {
        if args.embed {
            return Err(Failure::Usage(
                "`--embed` has no effect: a document is signed as it is".into(),
                "leave `--embed` out".into(),
            ));
        }
        return Ok(stored);
    }
    let mut opened = input::open(name, args.one.within(), env)?;
    lineage::add(opened.session_mut(), env)?;
    notes::unread(&opened.session().unread_records(), env)?;
    let options = formats::Options {
        embed: args.embed,
        untimed: input::file_time(&opened),
        ..formats::Options::default()
    };
    Ok(Signable::record(opened, &env.catalog(), &options)?)
}
