//! `verbatim log`: the log of this machine, its heads, and proofs.

use std::path::{Path, PathBuf};

use ::sign::{NoteFault, NoteKey};
use operations::attest::{
    HeadVerdict, Keys, LocalLog, LogState, NewEntry, Signer, check_head, file_digest, receipt_file,
};
use store::Writer;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::key;
use crate::notes::{self, say};
use crate::options::Global;
use crate::terminal::Plain;

/// Keep a log of what there was and when, so that nothing in it can be changed unseen
///
/// The log has the digest of each file that you append, and of what each `sync` kept. Nothing in it
/// is changed or removed. Its head is one line that is of all of it: carry it out (into a
/// commit, a mail, to a witness), and `log check` proves later that the log only grew since, or
/// names a rollback or a fork. What a log does not show: docs/prove.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Append files: their digests are on the disk when it is reported
    Append {
        /// Files, as a signed record, its signature or a receipt
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the head, signed: as a checkpoint, and in the last line as one line
    Head {
        /// The key, as for `sign`; it is one of Ed25519
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
    },
    /// Prove that the log has a file: writes `FILE.receipt`, which `verify` reads
    Prove {
        /// The file
        file: PathBuf,
        /// The key, as for `sign`; it is one of Ed25519
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
        /// The receipt to write (RFC 9942), instead of `FILE.receipt`
        #[arg(short, long, value_name = "PATH")]
        output: Option<PathBuf>,
        /// Write the proof in the form of C2SP too
        #[arg(long, value_name = "PATH")]
        tlog_proof: Option<PathBuf>,
        /// Replace existing files
        #[arg(long)]
        force: bool,
    },
    /// Check a head from before: whether the log only grew since
    Check {
        /// The head: its line, or a file that has it or a checkpoint
        #[arg(required = true, value_name = "HEAD")]
        head: Vec<String>,
        /// A witness whose cosignatures count: `NAME+ID+KEY`, as C2SP writes it (may be repeated)
        #[arg(long, value_name = "KEY")]
        witness: Vec<String>,
        /// Write the proof that the log only grew (RFC 9942), signed by your key
        #[arg(short, long, value_name = "PATH")]
        output: Option<PathBuf>,
        /// The key for that, as for `sign`
        #[arg(long, value_name = "KEY", requires = "output")]
        key: Option<String>,
        /// Replace an existing file
        #[arg(long, requires = "output")]
        force: bool,
        /// Check the head by such a proof, where the log is not
        #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "witness"])]
        grown: Option<PathBuf>,
    },
}

const SCHEMA: &str = "verbatim-log-1";

mod growth;
mod shown;

use shown::{AppendedRow, CheckedRow, Shown, print};

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let log = LocalLog::of(&env.machine)?;
    match &args.action {
        Action::Append { files } => append(&log, files, global, env),
        Action::Head { key } => head(&log, key.as_deref(), global, env),
        Action::Prove { file, key, output, tlog_proof, force } => {
            let outputs = (output.as_deref(), tlog_proof.as_deref(), *force);
            prove(&log, file, key.as_deref(), outputs, global, env)
        }
        Action::Check { head, grown: Some(grown), .. } => {
            growth::check(&text_of(head)?, grown, (global, color), env)
        }
        Action::Check { head, witness, output, key, force, .. } => {
            let output = output.as_deref().map(|output| (output, key.as_deref(), *force));
            check(&log, head, witness, output, (global, color), env)
        }
    }
}

/// Appends what runs of `sync` kept, where the log does not have it yet. A fault is reported, and
/// the archive stays as it is: the next run adds what is missing.
pub(crate) fn append_runs(runs: &[String], env: &mut Environment<'_>) -> Result<(), Failure> {
    let entry = |name: &String| {
        let digest = name.rsplit_once('-')?.1.split('.').next()?;
        Some(NewEntry { digest: ::sign::hash_of_hex(digest)?, name: format!("sync {name}") })
    };
    let added = LocalLog::of(&env.machine).and_then(|log| {
        let state = log.read()?;
        let has = |entry: &NewEntry| {
            state.as_ref().is_some_and(|state| state.find(&entry.digest).is_some())
        };
        let new = runs.iter().filter_map(entry).filter(|entry| !has(entry));
        let new: Vec<NewEntry> = new.collect();
        if new.is_empty() {
            return Ok(());
        }
        log.append(&new, env.now, &key::random().unwrap_or_default()).map(drop)
    });
    if let Err(error) = added {
        let text = format!("note: the log lacks what `sync` kept, and the next adds it: {error}");
        say(Plain::line(&text), env)?;
    }
    Ok(())
}

/// The log, which must be there.
fn read(log: &LocalLog) -> Result<LogState, Failure> {
    log.read()?.ok_or_else(|| {
        let what = format!("there is no log: {} is missing", log.file().display());
        Failure::Refused(what, "`verbatim log append FILE` begins one".into())
    })
}

fn append(
    log: &LocalLog,
    files: &[PathBuf],
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let entry = |file: &PathBuf| -> Result<NewEntry, Failure> {
        if !file.is_file() {
            return Err(Failure::NoFile(file.display().to_string()));
        }
        Ok(NewEntry { digest: file_digest(file)?, name: file.display().to_string() })
    };
    let new: Vec<NewEntry> = files.iter().map(entry).collect::<Result<_, _>>()?;
    let first = log.append(&new, env.now, &key::random()?)?;
    let rows = new.into_iter().zip(first..);
    if global.json {
        let entries = rows.map(|(entry, index)| AppendedRow { file: entry.name, index }).collect();
        json::write(env.out, &Shown::Appended { schema: SCHEMA, entries })?;
        return Ok(Exit::Good);
    }
    for (entry, index) in rows {
        let text = format!("appended {} as entry {index}", entry.name);
        writeln!(env.out, "{}", Plain::line(&text))?;
    }
    Ok(Exit::Good)
}

fn head(
    log: &LocalLog,
    key: Option<&str>,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let state = read(log)?;
    let machine = env.machine.clone();
    let signer = Signer::named(key, &Keys::of(&machine)?, &machine)?;
    let signed = signer.head(&state)?;
    if global.json {
        let (origin, size) = (signed.head.origin, signed.head.size);
        let (checkpoint, line) = (signed.note, signed.line);
        json::write(env.out, &Shown::Head { schema: SCHEMA, origin, size, checkpoint, line })?;
        return Ok(Exit::Good);
    }
    write!(env.out, "{}\n{}\n", signed.note, signed.line)?;
    Ok(Exit::Good)
}

fn prove(
    log: &LocalLog,
    file: &Path,
    key: Option<&str>,
    (output, tlog_proof, force): (Option<&Path>, Option<&Path>, bool),
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if !file.is_file() {
        return Err(Failure::NoFile(file.display().to_string()));
    }
    let state = read(log)?;
    let Some(index) = state.find(&file_digest(file)?) else {
        let what = format!("the log has no entry for {} as it is now", file.display());
        return Err(Failure::Refused(what, "`verbatim log append FILE` adds one".into()));
    };
    let machine = env.machine.clone();
    let signer = Signer::named(key, &Keys::of(&machine)?, &machine)?;
    let made = signer.prove(&state, index, env.now)?;
    let output = output.map_or_else(|| receipt_file(file), Path::to_path_buf);
    if tlog_proof == Some(&*output) {
        let what = format!("{} can't be both proofs", output.display());
        return Err(Failure::Usage(what, "name two files".into()));
    }
    let mut files = vec![(output.clone(), made.receipt)];
    files.extend(tlog_proof.map(|path| (path.to_path_buf(), made.proof.into_bytes())));
    write(&files, force, env)?;
    let (size, receipt) = (made.head.head.size, output.display().to_string());
    let file = file.display().to_string();
    if global.json {
        json::write(env.out, &Shown::Proven { schema: SCHEMA, file, index, size, receipt })?;
        return Ok(Exit::Good);
    }
    let text = format!("entry {index} of {size} is {file}: wrote {receipt}");
    writeln!(env.out, "{}", Plain::line(&text))?;
    Ok(Exit::Good)
}

/// Writes files, after it is known that each may be written.
fn write(
    files: &[(PathBuf, Vec<u8>)],
    force: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let catalog = env.catalog();
    let owner = |path: &Path| catalog.owner(path);
    let mut writers = Vec::new();
    for (path, bytes) in files {
        let mut writer = Writer::new(path, force, &owner).noting(catalog.machine.state());
        writer.begin(&["file"])?;
        writers.push((writer, bytes));
    }
    let mut saved = Vec::new();
    for (mut writer, bytes) in writers {
        writer.file("file", &mut |sink| sink.write_all(bytes))?;
        saved.append(&mut writer.saved);
    }
    Ok(notes::made(&saved, env)?)
}

/// The text of a head: its words, or those in a file.
fn text_of(words: &[String]) -> Result<String, Failure> {
    let [one] = words else { return Ok(words.join(" ")) };
    let path = Path::new(one);
    if !path.is_file() {
        return Ok(one.clone());
    }
    let bytes = catalog::bounded(path, 1 << 20);
    let bytes = bytes.map_err(|error| Failure::File(path.to_owned(), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The forms of a head in a text: a file can have the checkpoint and, in its last line, the same in
/// one line.
fn forms(text: &str) -> [String; 3] {
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
    [text.to_owned(), format!("{}\n", before.trim_end()), last.to_owned()]
}

fn check(
    log: &LocalLog,
    words: &[String],
    witnesses: &[String],
    output: Option<(&Path, Option<&str>, bool)>,
    (global, color): (Global, bool),
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let text = text_of(words)?;
    let witness = |text: &String| {
        NoteKey::read(text).map_err(|fault| {
            Failure::Usage(format!("{text}: {fault}"), "it is `NAME+ID+KEY`".into())
        })
    };
    let witnesses: Vec<NoteKey> = witnesses.iter().map(witness).collect::<Result<_, _>>()?;
    let state = read(log)?;
    let keys = key::known(&Keys::of(&env.machine)?, env)?;
    let [first, others @ ..] = forms(&text);
    let checked = check_head(&first, &state, &keys, &witnesses).or_else(|fault| {
        let others = others.iter().map(|form| check_head(form, &state, &keys, &witnesses));
        let mut others = others.filter(|other| !matches!(other, Err(NoteFault::Form(_))));
        others.next().unwrap_or(Err(fault))
    });
    let checked = checked.map_err(|fault| {
        let hint = "`verbatim log head` prints one: its last line, or the checkpoint before it";
        Failure::Faulty(format!("FAILED: {fault}"), hint.into())
    })?;
    if let Some((path, key, force)) = output.filter(|_| checked.verdict == HeadVerdict::Consistent)
    {
        let machine = env.machine.clone();
        let signer = Signer::named(key, &Keys::of(&machine)?, &machine)?;
        let receipt = signer.prove_growth(&state, checked.head.size, env.now)?;
        write(&[(path.to_path_buf(), receipt)], force, env)?;
    }
    print(&checked, &state, (global, color), env)?;
    Ok(match (&checked.verdict, &checked.signer) {
        (HeadVerdict::Consistent, Some(_)) => Exit::Good,
        // Anybody can write a head that nobody signed, so it accuses nobody.
        (_, None) => Exit::Unshown,
        _ => Exit::Bad,
    })
}
