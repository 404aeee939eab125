//! `verbatim archive`: looks into the archive, gives sessions back, and removes them.

use std::path::{Path, PathBuf};

use api::archive::{ArchiveRestored, ArchiveStatus, ArchiveVerdict, ArchiveVersions};
use archive::{Archive, Verification, Version};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{expiry, json, keeping, notes};

mod change;
mod custody;
mod export;

use change::{compact, findings, forget, merge, revive};

/// Look into the archive, check it, give sessions back, or remove them for ever
///
/// `verbatim sync` fills the archive. Sessions in it that their agents have deleted are in `list`,
/// `show`, `search` and the other commands like any session.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Say what the archive has, and how large it is
    Status,
    /// Check that every version of every session is there
    Verify {
        /// Read every byte, and compare it with its digest
        #[arg(long)]
        read_data: bool,
        /// Check every file beside the statements of `archive sign` that this key signed: a public
        /// key (PEM, or a line of ssh), or the name of a key that you know (may be repeated)
        #[arg(long, value_name = "KEY")]
        trust: Vec<String>,
    },
    /// Sign a statement of custody for each run: what it hands over, from which machine
    ///
    /// The statements are in `custody` of the archive, a COSE_Sign1 each, with the digests of the
    /// files and the head of the log of this machine, which has each run. `archive verify --trust
    /// KEY` checks a copy of the archive beside them.
    Sign(custody::Args),
    /// List the versions of a session
    Versions {
        /// The session: its id or the beginning of it
        #[arg(value_name = "ID")]
        session: String,
    },
    /// Give the files of a session back, byte for byte
    Restore {
        /// The session, `ID`, or a version of it: `ID@DIGEST`, `ID@2026-11-20`
        #[arg(value_name = "ID")]
        session: String,
        /// The folder to write to (default: a new one with the name of the session)
        #[arg(short, long, value_name = "FOLDER", conflicts_with = "in_place")]
        output: Option<PathBuf>,
        /// Write the files to where their agent had them, so that it finds the session again
        #[arg(long)]
        in_place: bool,
    },
    /// Remove a session with all of its versions for ever, and never keep it again
    Forget {
        /// The session: its id or the beginning of it
        #[arg(value_name = "ID", required_unless_present = "findings")]
        session: Option<String>,
        /// Every session in a version of which `scan --archive` finds a secret
        #[arg(long, conflicts_with_all = ["session", "revive"])]
        findings: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Let `sync` keep a forgotten session again
        #[arg(long, conflicts_with = "yes")]
        revive: bool,
    },
    /// Put small files together, and remove what nothing needs
    Compact,
    /// Write a redacted twin of the archive, which can be carried to others
    ///
    /// The twin is an archive too. A second run adds only what is new or has grown. Receipts say
    /// what was replaced, by class and rule. Exit code 1: something was left out, or something in
    /// the twin is not safe.
    Export(export::Args),
    /// Add the sessions of another archive, which is only read
    Merge {
        /// The folder of the other archive
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    match &args.task {
        Task::Status => status(global, color, env),
        Task::Verify { read_data, trust } => verify((*read_data, trust), global, color, env),
        Task::Sign(args) => custody::sign(args, global, env),
        Task::Versions { session } => versions(session, global, color, env),
        Task::Restore { session, output, in_place } => {
            restore(session, output.as_deref(), *in_place, global, env)
        }
        Task::Forget { session: Some(session), revive: true, .. } => revive(session, global, env),
        Task::Forget { session: Some(session), yes, .. } => forget(session, *yes, global, env),
        Task::Forget { session: None, yes, .. } => findings(*yes, global, env),
        Task::Compact => compact(global, env),
        Task::Export(args) => export::run(args, global, env),
        Task::Merge { folder } => merge(folder, global, env),
    }
}

/// Reads the archive under the lock of those who only read.
fn read(env: &Environment<'_>) -> Result<(Archive, archive::Lock), Failure> {
    let place = keeping::opened(env)?;
    let lock = place.reading()?;
    Ok((Archive::read(place)?, lock))
}

fn status(global: Global, color: bool, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let expiring = expiry::unkept(&archive, env);
    let lost = archive.lost_versions().len();
    let left_out = archive::twin::left_out(&archive.place)?;
    let is_good = archive.faults.is_empty() && lost == 0;
    let outcome = if is_good { Exit::Good } else { Exit::Bad };
    if global.json {
        json::write(env.out, &ArchiveStatus::of(&archive, expiry::count(&expiring), left_out))?;
        return Ok(outcome);
    }
    let home = env.machine.home.clone();
    let folder = human::folder(&archive.place.folder.to_string_lossy(), home.as_deref());
    let newest = archive.newest();
    let gone = newest.keys().filter(|name| archive.is_gone(name)).count();
    let files = newest.values().flat_map(|version| &version.session.files);
    let bytes: u64 = files.map(|file| file.length).sum();
    let (packs, runs) = archive.files();
    writeln!(env.out, "{folder}")?;
    writeln!(
        env.out,
        "{} in {} ({}), {} of them deleted by their agents",
        counted(newest.len() as u64, "session", "sessions"),
        counted(archive.versions().len() as u64, "version", "versions"),
        human::size(bytes),
        human::count(gone as u64),
    )?;
    let stored = archive.length();
    let share = (stored * 100).checked_div(bytes).unwrap_or(0);
    writeln!(
        env.out,
        "{} on disk ({share} % of the newest versions), in {} and {}",
        human::size(stored),
        counted(packs as u64, "pack", "packs"),
        counted(runs as u64, "run", "runs"),
    )?;
    shares(&archive, env)?;
    if left_out > 0 {
        writeln!(env.out, "{}", keeping::left_out(left_out))?;
    }
    for pattern in archive.excludes() {
        writeln!(env.out, "left out: {}", Plain::line(pattern))?;
    }
    for (name, _) in archive.forgotten() {
        writeln!(env.out, "forgotten: {}", Plain::line(&name.uid()))?;
    }
    for fault in &archive.faults {
        let what = format!("damaged: {}: {}", fault.path.display(), fault.why);
        writeln!(env.out, "{}", Plain::line(&what))?;
    }
    if lost > 0 {
        let versions = counted(lost as u64, "version", "versions");
        writeln!(env.out, "lost: {versions}; `verbatim archive verify` names each")?;
    }
    if archive.has_unremoved() {
        writeln!(env.out, "{}", keeping::UNREMOVED)?;
    }
    expiry::tell(&expiring, color, env)?;
    Ok(outcome)
}

/// Prints the part of each agent, if there are several.
fn shares(archive: &Archive, env: &mut Environment<'_>) -> Result<(), Failure> {
    let shares = archive.shares();
    for share in shares.iter().filter(|_| shares.len() > 1) {
        let sessions = counted(share.sessions as u64, "session", "sessions");
        let percent = (share.stored * 100).checked_div(share.bytes).unwrap_or(0);
        let (bytes, stored) = (human::size(share.bytes), human::size(share.stored));
        let what = format!("{}: {sessions}, {bytes} in {stored} ({percent} %)", share.agent);
        writeln!(env.out, "  {}", Plain::line(&what))?;
    }
    Ok(())
}

fn verify(
    (read_data, trust): (bool, &[String]),
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let verdict = {
        let (packs, _) = archive.files();
        let progress = Progress::new(env.err, env.err_terminal, packs, archive.length());
        archive.verify(read_data, &|bytes| progress.step(bytes))
    };
    let custody = custody::checked(&archive, trust, env)?;
    if global.json {
        let document = ArchiveVerdict::of(&archive, &verdict, read_data, custody.as_ref());
        json::write(env.out, &document)?;
    } else {
        tell_verdict(&verdict, read_data, color, env)?;
        custody::tell(&archive, custody.as_ref(), color, env)?;
    }
    let is_kept = custody.is_none_or(|custody| custody.is_good());
    Ok(if verdict.is_good() && is_kept { Exit::Good } else { Exit::Bad })
}

fn tell_verdict(
    verdict: &Verification,
    read_data: bool,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut screen = Screen::new(env.out, color, env.width);
    for (fault, sessions) in &verdict.faults {
        let what = format!("{}: {}", fault.path.display(), fault.why);
        screen.line(&Line::new().say(Style::Bad, "damaged: ").tell(Style::Normal, &what))?;
        for uid in sessions {
            screen.line(
                &Line::new().say(Style::Normal, "  it has parts of ").tell(Style::Name, uid),
            )?;
        }
    }
    for (uid, digest) in &verdict.lost {
        let what = format!("{uid}@{}", &digest.to_string()[..12]);
        screen.line(&Line::new().say(Style::Bad, "lost: ").tell(Style::Normal, &what))?;
    }
    let versions = counted(verdict.sound as u64, "version", "versions");
    let packs = counted(verdict.packs as u64, "pack", "packs");
    let what = match (read_data, verdict.is_good()) {
        (true, true) => format!("good: {versions}; every byte of {packs} has its digest"),
        (false, true) => {
            format!("good: {versions}; the bytes of {packs} were not read: `--read-data`")
        }
        (_, false) => format!("{versions} can be given back"),
    };
    Ok(screen.line(&Line::new().tell(Style::Normal, &what))?)
}

fn versions(
    name: &str,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let versions = keeping::named(&archive, name)?;
    if global.json {
        json::write(env.out, &ArchiveVersions::of(&versions))?;
        return Ok(Exit::Good);
    }
    let mut screen = Screen::new(env.out, color, env.width);
    let row = |version: &&Version| {
        let bytes: u64 = version.session.files.iter().map(|file| file.length).sum();
        let files = counted(version.session.files.len() as u64, "file", "files");
        let seen = version.time.get(..16).unwrap_or(&version.time).replace('T', " ");
        vec![
            Line::new().tell(Style::Name, &version.session.digest.to_string()[..12]),
            Line::new().tell(Style::Normal, &seen),
            Line::new().tell(Style::Normal, &human::size(bytes)),
            Line::new().tell(Style::Faint, &files),
        ]
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    screen.table(&rows, &[2])?;
    Ok(Exit::Good)
}

fn restore(
    name: &str,
    output: Option<&Path>,
    in_place: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let version = archive.named(name)?.ok_or_else(|| keeping::unknown(name))?;
    let restored = match in_place {
        true => archive.restore_in_place(version, &env.catalog())?,
        false => {
            let own = version.session.ids.first().unwrap_or(&version.session.name.group);
            let usual = PathBuf::from(store::file_name(own));
            let folder = output.unwrap_or(&usual);
            if let Some(owner) = env.catalog().owner(folder) {
                return Err(Failure::Refused(
                    format!("{} belongs to {owner}", folder.display()),
                    "`--in-place` writes the files to where their agent had them".into(),
                ));
            }
            archive.restore(version, folder, &env.catalog())?
        }
    };
    if global.json {
        json::write(env.out, &ArchiveRestored::of(version, &restored))?;
        return Ok(Exit::Good);
    }
    for file in &restored.files {
        let path = file.path.display().to_string();
        let what = format!("wrote {path} ({})", human::size(file.bytes));
        writeln!(env.out, "{}", Plain::line(&what))?;
    }
    for path in &restored.left {
        let what = format!("note: {} is there with other content, and was left", path.display());
        notes::say(Plain::line(&what), env)?;
    }
    if restored.files.iter().any(|file| file.rows) {
        let what = "note: these are the session's rows in its agent's database, as lines of JSON, \
                    and not a file of the agent; `verbatim resume` continues it in an agent";
        notes::say(Plain::line(what), env)?;
    }
    Ok(Exit::Good)
}
