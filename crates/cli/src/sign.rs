//! `verbatim sign`: the record of a session, and its signature.

use std::path::{Path, PathBuf};

use attest::{Keys, Signed, Signer, companion, subject};
use receipt::Receipt;
use serde::Serialize;
use store::Writer;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::json;
use crate::options::Global;
use crate::terminal::Plain;
use crate::what::One;

/// Format of records.
const RECORD: &str = "vac";

/// Sign the record of a session, or a receipt
///
/// Writes the session's verifiable record, and beside it its signature (`RECORD.cose`, a detached
/// COSE_Sign1), which any library for RFC 9052 verifies. A record or a receipt that is a file
/// already is signed as it stands. What a signature does not show: docs/prove.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    one: One,
    /// The key: its name, its file, or the fingerprint of one in your ssh agent (`SHA256:…`);
    /// default: your only one
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The record to write (default: AGENT-ID.json here); its signature is beside it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Embed the agent's own files, so that their bytes are signed too
    #[arg(long)]
    embed: bool,
    /// Sign in the draft's canonical form, for verifiers that make it again
    #[arg(long)]
    as_draft: bool,
}

/// What was signed.
#[derive(Serialize)]
struct SignResult {
    schema: &'static str,
    file: String,
    signature: String,
    bytes: usize,
    subject: String,
    issuer: String,
    key: String,
}

/// Bytes to sign.
struct Content {
    bytes: Vec<u8>,
    media_type: &'static str,
    subject: String,
    /// The file that has these bytes already.
    file: Option<PathBuf>,
    /// The name of the file to write.
    name: String,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let keys = Keys::of(&env.machine)?;
    let machine = env.machine.clone();
    let signer = Signer::named(args.key.as_deref(), &keys, &machine)?;
    let name = args.one.name(env)?;
    let content = content(args, &name, env)?;
    if args.as_draft && content.media_type != "application/json" {
        return Err(Failure::Usage(
            "`--as-draft` is for JSON, and this record is CBOR".into(),
            "leave `--as-draft` out".into(),
        ));
    }
    let before = content.file.is_some().then(|| content.bytes.clone());
    let Signed { content: bytes, envelope } =
        signer.sign(content.bytes, args.as_draft, content.media_type, &content.subject, env.now)?;
    let changed = before.as_ref().is_some_and(|before| *before != bytes);
    if changed && args.output.is_none() {
        return Err(Failure::Usage(
            format!("the draft's form of {} has other bytes", name.display()),
            "name a file for it: `-o FILE`".into(),
        ));
    }
    let in_place = content.file.filter(|_| !changed && args.output.is_none());
    let file = match (&in_place, &args.output) {
        (Some(file), _) => file.clone(),
        (None, Some(output)) => output.clone(),
        (None, None) => PathBuf::from(store::file_name(&content.name)),
    };
    let signature = companion(&file);
    // The envelope may replace one of these bytes only: both are checked before any is written.
    let both = [(&file, &bytes), (&signature, &envelope)];
    write(&both[usize::from(in_place.is_some())..], args.force, env)?;
    let result = SignResult {
        schema: "verbatim-sign-1",
        file: file.display().to_string(),
        signature: signature.display().to_string(),
        bytes: bytes.len(),
        subject: content.subject,
        issuer: signer.known.issuer.clone(),
        key: signer.known.key.fingerprint(),
    };
    if global.json {
        json::write(env.out, &result)?;
        return Ok(Exit::Good);
    }
    let lines = [
        format!("signed {} ({} bytes)", result.file, result.bytes),
        format!("  signature  {}", result.signature),
        format!("  key        {} ({})", result.key, signer.known.name),
        format!("  issuer     {}", result.issuer),
        format!("  subject    {}", result.subject),
    ];
    for line in lines {
        writeln!(env.out, "{}", Plain::line(&line))?;
    }
    Ok(Exit::Good)
}

/// Writes the files, after it is known that each may be written.
fn write(
    files: &[(&PathBuf, &Vec<u8>)],
    force: bool,
    env: &Environment<'_>,
) -> Result<(), Failure> {
    let catalog = env.catalog();
    let owner = |path: &Path| catalog.owner(path);
    let mut writers = Vec::new();
    for (path, bytes) in files {
        let mut writer = Writer::new(path, force, &owner).noting(env.machine.state());
        writer.begin(&["file"])?;
        writers.push((writer, bytes));
    }
    for (writer, bytes) in &mut writers {
        writer.file("file", &mut |sink| sink.write_all(bytes))?;
    }
    Ok(())
}

/// The bytes to sign: those of a record or a receipt, else the record that is made.
fn content(args: &Args, name: &Path, env: &mut Environment<'_>) -> Result<Content, Failure> {
    let file = Some(name.to_path_buf()).filter(|path| path.is_file());
    if let Some(path) = &file
        && path.metadata().is_ok_and(|meta| meta.len() < 1 << 24)
    {
        let bytes = catalog::whole(path).map_err(|error| Failure::File(path.clone(), error))?;
        if let Ok(receipt) = Receipt::read(&bytes) {
            let subject = subject(&receipt.thread.id);
            let name = String::new();
            return Ok(Content { bytes, media_type: "application/json", subject, file, name });
        }
    }
    let opened = input::open(name, args.one.within(), env)?;
    let session = opened.session();
    let subject = subject(&session.id);
    if session.format == RECORD
        && let Some(path) = file
    {
        let bytes = catalog::whole(&path).map_err(|error| Failure::File(path.clone(), error))?;
        let json = bytes.trim_ascii_start().first() == Some(&b'{');
        let media_type = if json { "application/json" } else { "application/cbor" };
        return Ok(Content { bytes, media_type, subject, file: Some(path), name: String::new() });
    }
    let options = formats::Options {
        embed: args.embed,
        untimed: input::file_time(&opened),
        ..formats::Options::default()
    };
    let written = env.catalog().convert(session, RECORD, &options)?;
    let bytes = written.files.into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default();
    let name = format!("{}-{}.json", session.format, session.id);
    Ok(Content { bytes, media_type: "application/json", subject, file: None, name })
}
