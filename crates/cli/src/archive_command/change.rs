//! `verbatim archive forget`, `compact` and `merge`: what changes the archive.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use api::archive::{ArchiveChange, ArchiveMerged};
use archive::{Archive, ArchiveFolder, Compacted, SessionName, merge};

use crate::environment::{self, Environment};
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::progress::Progress;
use crate::redaction::RedactionArgs;
use crate::scan::kept::scan_archive;
use crate::terminal::Plain;
use crate::{json, keeping, notes};

pub(super) fn forget(
    name: &str,
    yes: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    place.is_no_twin()?;
    let lock = place.exclusive()?;
    let archive = Archive::read(place.clone())?;
    let versions = archive.versions_of(name)?;
    if versions.is_empty()
        && let Some(session) = archive.forgotten_name(name)?
    {
        // A run that was interrupted has noted it, and may have left its bytes.
        let (_, change) = archive.compact(&lock, false)?;
        return changed("forgotten", Some(session.uid()), &place.folder, change, global, env);
    }
    let session = keeping::named(&archive, name)?[0].session.name.clone();
    about(&archive, &session, env)?;
    let names = [session];
    remove(archive, &names, yes, &lock, env).and_then(|change| {
        let uid = Some(names[0].uid());
        changed("forgotten", uid, &place.folder, change, global, env)
    })
}

/// Forgets every session in which a scan finds a secret.
pub(super) fn findings(
    yes: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    place.is_no_twin()?;
    let lock = place.exclusive()?;
    let redactor = RedactionArgs::default().redactor(redact::Profile::Secrets, env)?;
    let scanned = scan_archive(Archive::read(place.clone())?, &redactor, env)?;
    let count = |scanned: &operations::ScannedSource| match &scanned.report {
        Ok(report) => report.entries.len(),
        Err(_) => 0,
    };
    let mut found: BTreeMap<SessionName, usize> = BTreeMap::new();
    for (version, scanned) in &scanned.versions {
        if count(scanned) > 0 {
            *found.entry(version.name.clone()).or_default() += count(scanned);
        }
    }
    let archive = Archive::read(place.clone())?;
    for (session, values) in &found {
        let values = counted(*values as u64, "finding", "findings");
        notes::say(Plain::line(&format!("{}: {values}", session.uid())), env)?;
        about(&archive, session, env)?;
    }
    let beside = scanned.beside.iter().flatten().filter(|scanned| count(scanned) > 0);
    for path in beside.flat_map(|scanned| &scanned.files) {
        let what = format!("not removed, has a finding, and is no session: {}", path.display());
        notes::say(Plain::line(&what), env)?;
    }
    let unread = scanned.versions.iter().filter(|(_, scanned)| scanned.report.is_err()).count();
    if unread > 0 {
        let versions = counted(unread as u64, "version", "versions");
        notes::say(Plain::line(&format!("could not be looked through: {versions}")), env)?;
    }
    let names: Vec<SessionName> = found.into_keys().collect();
    if names.is_empty() {
        let (files, bytes) = (archive.files(), archive.length());
        let change = Compacted {
            packs: (files.0, files.0),
            runs: (files.1, files.1),
            bytes: (bytes, bytes),
        };
        return changed("no findings", None, &place.folder, change, global, env);
    }
    let change = remove(archive, &names, yes, &lock, env)?;
    changed("forgotten", None, &place.folder, change, global, env)
}

/// Says what to forget a session removes, and what it leaves.
fn about(
    archive: &Archive,
    session: &SessionName,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let versions = archive.versions();
    let versions: Vec<_> = versions.iter().filter(|v| v.session.name == *session).collect();
    let files = || versions.iter().flat_map(|version| &version.session.files);
    let count = counted(versions.len() as u64, "version", "versions");
    let beside = archive.beside(session);
    let bytes = files().map(|file| file.length).sum::<u64>();
    let what = format!("{}: {count}, {}", session.uid(), human::size(bytes));
    notes::say(Plain::line(&what), env)?;
    let own: BTreeSet<PathBuf> =
        files().map(|file| file.path.path()).chain(beside.own.iter().cloned()).collect();
    let sources: Vec<PathBuf> =
        own.into_iter().filter(|path| path.symlink_metadata().is_ok()).collect();
    for (what, paths) in [
        ("removed with it", &beside.own),
        ("not removed, may still have prompts of it", &beside.shared),
        ("not touched, in its agent's folder", &sources),
    ] {
        for path in paths {
            notes::say(Plain::line(&format!("  {what}: {}", path.display())), env)?;
        }
    }
    Ok(())
}

/// Removes sessions, if the user agrees.
fn remove(
    archive: Archive,
    names: &[SessionName],
    yes: bool,
    lock: &archive::Lock,
    env: &mut Environment<'_>,
) -> Result<Compacted, Failure> {
    if !yes && !agreed(names.len(), env)? {
        return Err(Failure::Refused(
            "nothing was removed".into(),
            "answer `yes`, or say `--yes`".into(),
        ));
    }
    let machine = environment::machine(env);
    let (_, change) = archive.forget(names, (env.now, &machine), lock)?;
    Ok(change)
}

/// Asks, and reads the answer from standard input.
fn agreed(sessions: usize, env: &mut Environment<'_>) -> Result<bool, Failure> {
    let what = match sessions {
        1 => "it".to_owned(),
        many => format!("these {many} sessions"),
    };
    write!(env.err, "Remove {what} from the archive for ever? [yes/no] ")?;
    env.err.flush()?;
    let mut answer = Vec::new();
    let mut byte = [0];
    while answer.len() < 16 && env.input.read(&mut byte)? == 1 && byte != *b"\n" {
        answer.push(byte[0]);
    }
    writeln!(env.err)?;
    Ok(answer.trim_ascii().eq_ignore_ascii_case(b"yes"))
}

pub(super) fn revive(
    name: &str,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    let _lock = place.exclusive()?;
    let mut archive = Archive::read(place.clone())?;
    let session = archive.forgotten_name(name)?.ok_or_else(|| {
        Failure::Usage(
            format!("no session with an id like `{name}` was forgotten"),
            "`verbatim archive status` names those that were".into(),
        )
    })?;
    archive.revive(&session, (env.now, &environment::machine(env)))?;
    let (files, bytes) = (archive.files(), archive.length());
    let change = Compacted {
        packs: (files.0, files.0),
        runs: (files.1 - 1, files.1),
        bytes: (bytes, bytes),
    };
    changed("revived", Some(session.uid()), &place.folder, change, global, env)
}

pub(super) fn compact(global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    let lock = place.exclusive()?;
    let (_, change) = Archive::read(place.clone())?.compact(&lock, true)?;
    changed("compacted", None, &place.folder, change, global, env)
}

pub(super) fn merge(
    folder: &Path,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let other = ArchiveFolder::open_foreign(folder)?.ok_or_else(|| {
        Failure::Usage(
            format!("there is no archive in {}", folder.display()),
            "name the folder of another archive".into(),
        )
    })?;
    let other = Archive::read(other)?;
    let place = ArchiveFolder::create(&keeping::folder(env)?)?;
    let _lock = place.shared()?;
    let mut archive = Archive::read(place.clone())?;
    let merged = {
        let versions = other.versions();
        let files = versions.iter().flat_map(|version| &version.session.files);
        let bytes = files.map(|file| file.length).sum();
        let progress = Progress::new(env.err, env.err_terminal, versions.len(), bytes);
        merge::merge(&mut archive, &other, env.now, &|bytes| progress.step(bytes))?
    };
    if global.json {
        json::write(env.out, &ArchiveMerged::of(&place.folder, &merged))?;
    } else {
        let taken = counted(merged.taken as u64, "version", "versions");
        let known = human::count(merged.known as u64);
        let stored = human::size(merged.stored);
        writeln!(env.out, "{taken} taken ({stored} added), {known} known before")?;
        for (name, why) in &merged.refused {
            notes::say(Plain::line(&format!("refused: {name}: {why}")), env)?;
        }
    }
    Ok(if merged.refused.is_empty() { Exit::Good } else { Exit::Bad })
}

fn changed(
    done: &'static str,
    uid: Option<String>,
    folder: &Path,
    change: Compacted,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if global.json {
        json::write(env.out, &ArchiveChange::of(folder, uid, &change))?;
        return Ok(Exit::Good);
    }
    let what = uid.map(|uid| format!(" {uid}")).unwrap_or_default();
    let sizes =
        format!("{} before, {} now", human::size(change.bytes.0), human::size(change.bytes.1));
    let files = format!(
        "{} and {}",
        counted(change.packs.1 as u64, "pack", "packs"),
        counted(change.runs.1 as u64, "run", "runs")
    );
    writeln!(env.out, "{}", Plain::line(&format!("{done}{what}: {sizes}; {files}")))?;
    Ok(Exit::Good)
}
