//! `verbatim archive export`: the redacted twin of an archive, and its check.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use api::archive_export::{ArchiveExported, TwinVerdict};
use archive::twin::Twin;
use archive::{Archive, ArchiveFolder, ArchiveView};
use operations::twin::check::{TwinCheck, check_twin};
use operations::twin::{self, ExportReport};
use redact::Redactor;

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::progress::Progress;
use crate::redaction::{self, ProfileName};
use crate::terminal::Plain;
use crate::{json, keeping, key, notes};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The folder of the twin, which is made if it is missing
    #[arg(long, value_name = "FOLDER", required_unless_present = "check")]
    redacted: Option<PathBuf>,
    /// Look through a twin with the rules of this program, and list the objects that are not safe
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["redacted", "renew"])]
    check: Option<PathBuf>,
    /// First remove the sessions from the twin of which the check finds that they are not safe, and
    /// then write them anew
    #[arg(long)]
    renew: bool,
    /// Which values are replaced
    #[arg(long, value_enum, default_value = "share")]
    profile: ProfileName,
    /// Use the bytes of this file as the key of the tags, so that equal values have equal tags
    /// (default: no placeholder has a tag)
    #[arg(long, value_name = "FILE")]
    tag_key: Option<PathBuf>,
}

pub(super) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let redactor = redaction::repeatable(args.profile.into(), args.tag_key.as_deref())?;
    match (&args.check, &args.redacted) {
        (Some(folder), _) => check(folder, &redactor, global, env),
        (None, Some(folder)) => export(folder, args.renew, &redactor, global, env),
        (None, None) => Ok(Exit::Good),
    }
}

fn export(
    folder: &Path,
    renew: bool,
    redactor: &Redactor,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let source = keeping::opened(env)?;
    let _lock = source.reading()?;
    let key = source.export_key(&key::random()?)?;
    let view = ArchiveView::of(Archive::read(source.clone())?, env.formats);
    let place = twin_place(folder, &source, env)?;
    let profile = redactor.options().profile.name();
    let before = place.objects()?;
    if renew {
        remove_unsafe(&place, redactor, env)?;
    }
    let _twin_lock = place.shared()?;
    let mut twin = Twin::read(place.clone())?;
    if let Some(fault) = twin.archive.faults.first() {
        let what = format!("{}: {}", fault.path.display(), fault.why);
        return Err(Failure::Faulty(what, "a damaged twin is not added to: make another".into()));
    }
    if let Some(other) = twin.profiles().into_iter().find(|other| *other != profile) {
        let what = format!("this twin was redacted by the profile `{other}`, not `{profile}`");
        return Err(Failure::Refused(what, format!("use `--profile {other}`, or another folder")));
    }
    let report = {
        let kept = view.kept();
        let bytes = kept.iter().map(|version| version.source.length()).sum();
        let catalog = env.catalog();
        let progress = Progress::new(env.err, env.err_terminal, kept.len(), bytes);
        let step = |bytes| progress.step(bytes);
        twin::export(&catalog, &view, &mut twin, (redactor, &key), &step)?
    };
    let after: HashSet<String> = place.objects()?.into_iter().collect();
    let removed: Vec<String> = before.into_iter().filter(|it| !after.contains(it)).collect();
    let faults = &view.archive().faults;
    for fault in faults {
        let what = format!("warning: {}: {}", fault.path.display(), fault.why);
        notes::say(Plain::line(&what), env)?;
    }
    let dangers = twin.unsafe_versions().len();
    if global.json {
        json::write(env.out, &ArchiveExported::of(&twin, &report, &removed))?;
    } else {
        tell(&twin, &report, &removed, env)?;
    }
    let is_good = report.left_out.is_empty() && dangers == 0 && faults.is_empty();
    Ok(if is_good { Exit::Good } else { Exit::Bad })
}

/// The folder of the twin, which is neither the archive itself nor an agent's.
fn twin_place(
    folder: &Path,
    source: &ArchiveFolder,
    env: &Environment<'_>,
) -> Result<ArchiveFolder, Failure> {
    if let Some(owner) = env.catalog().owner(folder) {
        let what = format!("{} belongs to {owner}", folder.display());
        return Err(Failure::Refused(what, "name another folder for the twin".into()));
    }
    let whole = std::path::absolute(folder)?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let above = whole.ancestors().find(|above| above.exists()).unwrap_or(&whole);
    let (own, other) = (real(&source.folder), real(above));
    if other.starts_with(&own) || whole.exists() && own.starts_with(&other) {
        let what = format!("{} is the archive itself, or one is in the other", folder.display());
        return Err(Failure::Refused(what, "name another folder for the twin".into()));
    }
    Ok(ArchiveFolder::create(folder)?)
}

/// Removes the sessions that are not safe from a twin.
fn remove_unsafe(
    place: &ArchiveFolder,
    redactor: &Redactor,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let lock = place.exclusive()?;
    let found = checked(place, redactor, env)?;
    let twin = Twin::read(place.clone())?;
    // A version may have the same pieces as another one of its session.
    let names: HashSet<_> = found.unsafe_versions.iter().map(|(name, _)| name).collect();
    let own = twin.archive.versions().into_iter().map(|it| (&it.session.name, it.session.digest));
    let own = own.filter(|(name, _)| names.contains(name));
    let versions: HashSet<_> = own.map(|(name, digest)| (name.clone(), digest)).collect();
    if !versions.is_empty() {
        twin.without(&versions, &lock)?;
    }
    Ok(())
}

fn checked(
    place: &ArchiveFolder,
    redactor: &Redactor,
    env: &mut Environment<'_>,
) -> Result<TwinCheck, Failure> {
    let twin = Twin::read(place.clone())?;
    let view = ArchiveView::of(Archive::read(place.clone())?, env.formats);
    if let Some(fault) = twin.archive.faults.first() {
        let what = format!("{}: {}", fault.path.display(), fault.why);
        let hint = "`verbatim archive verify` names what is damaged";
        return Err(Failure::Faulty(what, hint.into()));
    }
    let bytes = view.kept().iter().map(|version| version.source.length()).sum();
    let count = view.kept().len();
    let catalog = env.catalog();
    let progress = Progress::new(env.err, env.err_terminal, count, bytes);
    let step = |bytes| progress.step(bytes);
    Ok(check_twin(&catalog, &twin, &view, redactor, &step)?)
}

fn check(
    folder: &Path,
    redactor: &Redactor,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = ArchiveFolder::open_foreign(folder)?.ok_or_else(|| {
        Failure::Usage(
            format!("there is no twin in {}", folder.display()),
            "`verbatim archive export --redacted FOLDER` makes one".into(),
        )
    })?;
    let _lock = place.reading()?;
    let found = checked(&place, redactor, env)?;
    let exit = match found.objects.is_empty() && found.unread.is_empty() {
        true => Exit::Good,
        false => Exit::Bad,
    };
    if global.json {
        json::write(env.out, &TwinVerdict::of(folder, &found))?;
        return Ok(exit);
    }
    for (object, reasons) in &found.objects {
        writeln!(env.out, "not safe: {}", Plain::line(object))?;
        for reason in reasons {
            let digest = &reason.digest[..12];
            let what = format!("{}@{digest}: {}", reason.session, reason.why);
            writeln!(env.out, "  {}", Plain::line(&what))?;
        }
    }
    for (session, why) in &found.unread {
        writeln!(env.out, "{}", Plain::line(&format!("not looked through: {session}: {why}")))?;
    }
    let versions = counted(found.versions as u64, "version", "versions");
    match found.objects.len() as u64 {
        0 if found.unread.is_empty() => writeln!(env.out, "good: nothing found in {versions}")?,
        0 => writeln!(env.out, "nothing found in what could be read of {versions}")?,
        count => {
            let objects = counted(count, "object", "objects");
            writeln!(env.out, "not safe in all: {objects} ({versions} looked through)")?;
            let hint = "note: `verbatim archive export --redacted FOLDER --renew` replaces them \
                        here; remove them from each copy too";
            notes::say(Plain::line(hint), env)?;
        }
    }
    Ok(exit)
}

fn tell(
    twin: &Twin,
    report: &ExportReport,
    removed: &[String],
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let home = env.machine.home.clone();
    let folder = twin.archive.place.folder.to_string_lossy();
    let folder = human::folder(&folder, home.as_deref());
    let added = counted(report.added as u64, "version", "versions");
    let stored = human::size(report.stored);
    let known = human::count(report.known as u64);
    let what = format!("{added} written to {folder} ({stored} added), {known} there before");
    writeln!(env.out, "{}", Plain::line(&what))?;
    for (class, places) in &report.replaced {
        writeln!(env.out, "  {class}: {}", counted(*places, "place", "places"))?;
    }
    for object in removed {
        writeln!(env.out, "{}", Plain::line(&format!("removed: {object}")))?;
    }
    env.out.flush()?;
    for (uid, why) in &report.left_out {
        notes::say(Plain::line(&format!("warning: left out: {uid}: {why}")), env)?;
    }
    if report.beside > 0 {
        let files = counted(report.beside as u64, "file", "files");
        let what = format!("note: left out, since no twin has any: {files} beside sessions");
        notes::say(Plain::line(&what), env)?;
    }
    let dangers = twin.unsafe_versions().len();
    if dangers > 0 {
        let versions = counted(dangers as u64, "version", "versions");
        let what = format!(
            "warning: in the twin, not safe any more: {versions}; `verbatim archive export --check \
             FOLDER` lists the objects"
        );
        notes::say(Plain::line(&what), env)?;
    }
    Ok(())
}
