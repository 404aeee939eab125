//! The part of `demo` about keeping: sessions are archived, their agent deletes them, and one of
//! them is found, continued in another agent, and given back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use archive::sync::{self, SyncOptions};
use archive::{Archive, ArchiveFolder, ArchiveView, MachineName};
use catalog::{Catalog, Formats, Machine, System};
use operations::ResumeChoice;
use operations::placing::Desk;
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human;
use crate::screen::{Line, Screen, Style};

/// Writes the samples of the first agent that deletes its sessions to where it has them, in a home
/// of the demo's own; returns the files.
fn place_samples(machine: &Machine, formats: Formats<'_>) -> Result<Vec<PathBuf>, Failure> {
    let Some(format) = formats.iter().find(|format| format.data().retention.is_some()) else {
        return Ok(Vec::new());
    };
    let places = machine.places(*format);
    let folder = format.name().replace('-', "_");
    let mut files = Vec::new();
    for (path, bytes) in &formats::samples() {
        // A sample has its files below a folder as the agent does: `AGENT/SAMPLE/PLACE/…`.
        let mut parts = path.components();
        parts.by_ref().take(2).for_each(drop);
        let Some(place) = parts.next().filter(|_| path.starts_with(&folder)) else { continue };
        if let Some(root) = places.iter().find(|root| root.path.ends_with(place)) {
            let file = root.path.join(parts.as_path());
            store::save(&file, bytes, true)?;
            files.push(file);
        }
    }
    Ok(files)
}

/// Keeps the samples, deletes them, and gives one back.
pub(super) fn keep(folder: &Path, color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let home = Some(folder.join("home"));
    let machine = Machine { home, system: System::Linux, ..Machine::default() };
    let files = place_samples(&machine, env.formats)?;
    let catalog = Catalog { formats: env.formats, machine };
    let place = ArchiveFolder::create_of_samples(&folder.join("archive"))?;
    let mut screen = Screen::new(env.out, color, env.width);
    let kept = synced(&place, &catalog, env.now)?.sessions;
    for file in &files {
        std::fs::remove_file(file).map_err(|error| Failure::File(file.clone(), error))?;
    }
    let gone = synced(&place, &catalog, env.now)?.gone;
    let kept = human::counted(kept as u64, "session", "sessions");
    let text = format!("kept: {kept}; deleted, as agents do: {gone}");
    screen.line(&Line::new().tell(Style::Normal, &text))?;
    let view = ArchiveView::of(Archive::read(place.clone())?, env.formats);
    let machine = Machine { archive: Some(Arc::new(view)), ..catalog.machine.clone() };
    let catalog = Catalog { machine, ..catalog };
    let listing = catalog.list(&[], false);
    let Some(found) = listing.entries.iter().find(|entry| entry.archived) else { return Ok(()) };
    if let Some((agent, home)) = resumed(&catalog, &found.id, folder)? {
        let ready = format!("found in the archive, ready for {agent}: ");
        let line = Line::new().tell(Style::Good, &ready);
        screen.line(&line.tell(Style::Normal, &home.display().to_string()))?;
    }
    let archive = Archive::read(place)?;
    if let Some(version) = archive.named(&found.id)? {
        let restored = archive.restore_in_place(version, &catalog)?;
        for file in &restored.files {
            let what = format!("{} ({})", file.path.display(), human::size(file.bytes));
            let line = Line::new().say(Style::Good, "and given back: ");
            screen.line(&line.tell(Style::Normal, &what))?;
        }
    }
    Ok(())
}

/// Places an archived session in a home of another agent, to go on in the demo's folder; returns
/// the agent and this home, which is the demo's: the agent itself does not look there.
fn resumed(
    catalog: &Catalog<'_>,
    id: &str,
    folder: &Path,
) -> Result<Option<(&'static str, PathBuf)>, Failure> {
    let opened = catalog.open(Path::new(id), &[])?;
    let own = opened.session().format;
    let takers = operations::takers(catalog.formats);
    let Some(to) = takers.into_iter().find(|name| *name != own) else { return Ok(None) };
    // Outside of the home, whose sessions are archived when the demo runs again.
    let home = folder.join(to);
    let choice = ResumeChoice {
        to: Some(to),
        folder: Some(folder),
        home: Some(&home),
        all: false,
        anew: false,
        untimed: None,
        at: None,
        copy: None,
        ours: &[],
        repair: false,
        here: None,
    };
    Desk::new(catalog, Some(&home))?.place(&opened, choice)?;
    Ok(Some((to, home)))
}

fn synced(
    place: &ArchiveFolder,
    catalog: &Catalog<'_>,
    now: UtcTime,
) -> Result<sync::SyncReport, Failure> {
    let machine = MachineName::new("demo".into(), None);
    let _lock = place.shared()?;
    let mut archive = Archive::read(place.clone())?;
    let sources = sync::look(&archive, catalog, &machine);
    let (exclude, include, ignore) = (&[][..], &[][..], &[][..]);
    let options = SyncOptions { now, machine: &machine, exclude, include, ignore };
    Ok(sync::keep(&mut archive, catalog, sources, &options, &|_| {})?)
}
