//! `verbatim demo`: the main job over the samples that ship in the program, in a folder of its own.

use std::path::{Path, PathBuf};

use catalog::check::Checked;
use include_dir::{Dir, DirEntry, include_dir};

use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::verdict::{self, Verdict};
use crate::world::{Failure, Outcome, World};
use crate::{human, output};

/// Try everything on sample sessions, in ./verbatim-demo
///
/// Writes the samples that ship in the program into a folder, lists them, proves that reading loses
/// nothing, and writes a verifiable record of each session. Reads nothing of yours.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to
    #[arg(long, default_value = "verbatim-demo", value_name = "FOLDER")]
    folder: PathBuf,
}

/// The formats' folders. What in them is no sample is left alone.
static FORMATS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../formats/src");

/// The document that the demo writes.
const RECORD: &str = "vac";

pub(crate) fn run(args: &Args, color: bool, world: &mut World<'_>) -> Result<Outcome, Failure> {
    let sessions = args.folder.join("sessions");
    let records = args.folder.join("records");
    let samples = samples(&FORMATS);
    for (path, bytes) in &samples {
        let target = sessions.join(path);
        output::save(&target, bytes).map_err(|error| Failure::File(target.clone(), error))?;
    }
    let catalog = world.catalog();
    let found = catalog.find(std::slice::from_ref(&sessions));
    step(world, color, "1", "Sample sessions, as agents write them", &sessions)?;
    let listing = catalog.list(std::slice::from_ref(&sessions), false);
    crate::list::table(&listing.entries, false, color, world)?;

    step(world, color, "2", "Nothing of them is lost in reading", &sessions)?;
    let checked: Vec<Checked> = catalog.check(&found, false, &|_| {});
    let verdict = Verdict { checked: &checked, aside: &found.aside };
    let home = world.machine.home.clone();
    verdict::print(&verdict, home.as_deref(), &mut Screen::new(world.out, color, world.width))?;

    if catalog.format(RECORD).is_ok() {
        step(world, color, "3", "A verifiable record of each", &records)?;
        let written = convert(&catalog, &found, &records)?;
        let size = human::size(written.iter().map(|saved| saved.bytes).sum());
        let count = human::counted(written.len() as u64, "record", "records");
        let line = Line::new().tell(Style::Normal, &format!("{count}, {size}"));
        Screen::new(world.out, color, world.width).line(&line)?;
    }
    next(&args.folder, &mut Screen::new(world.out, color, world.width))?;
    let totals = verdict.totals();
    let good = totals.lost_places == 0 && totals.missing_leaves == 0 && totals.failures == 0;
    Ok(if good { Outcome::Good } else { Outcome::Bad })
}

/// All samples: where they go, and their bytes.
fn samples<'d>(dir: &'d Dir<'_>) -> Vec<(PathBuf, &'d [u8])> {
    let mut found = Vec::new();
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => found.extend(samples(dir)),
            DirEntry::File(file) => found.extend(place(file.path()).map(|p| (p, file.contents()))),
        }
    }
    found
}

/// `<format>/samples/<case>/<file>` is `<format>/<case>/<file>`; what stands beside the cases, and
/// every other file of a format, is no sample.
fn place(path: &Path) -> Option<PathBuf> {
    let parts: Vec<_> = path.iter().collect();
    let [format, samples, case, rest @ ..] = &*parts else { return None };
    let is_sample = *samples == "samples" && !rest.is_empty();
    is_sample.then(|| [*format, *case].into_iter().chain(rest.iter().copied()).collect())
}

fn step(
    world: &mut World<'_>,
    color: bool,
    number: &'static str,
    what: &'static str,
    folder: &Path,
) -> Result<(), Failure> {
    let mut screen = Screen::new(world.out, color, world.width);
    if number != "1" {
        screen.gap()?;
    }
    let folder = Plain::line(&format!("  {}", folder.display()));
    let line = Line::new().say(Style::Name, number).say(Style::Name, "  ").say(Style::Strong, what);
    screen.line(&line.say(Style::Normal, "  ").put(Style::Faint, folder))?;
    Ok(screen.gap()?)
}

/// Writes the record of every session.
fn convert(
    catalog: &catalog::recipe::Catalog<'_>,
    found: &catalog::Found,
    folder: &Path,
) -> Result<Vec<output::Saved>, Failure> {
    let options = formats::Options { pretty: true, embed: true };
    let mut saved = Vec::new();
    for source in &found.sources {
        for session in catalog.read(source)?.sessions.iter().filter(|session| !session.remainder) {
            let written = catalog.convert(session, RECORD, &options)?;
            let name = output::file_name(&format!("{}-{}.json", session.format, session.id));
            for (_, bytes) in &written.files {
                let path = folder.join(&name);
                output::save(&path, bytes).map_err(|error| Failure::File(path.clone(), error))?;
                saved.push(output::Saved { path, bytes: bytes.len() as u64 });
            }
        }
    }
    Ok(saved)
}

/// What to try next.
fn next(folder: &Path, screen: &mut Screen<'_>) -> std::io::Result<()> {
    screen.gap()?;
    screen.line(&Line::new().say(Style::Strong, "Next"))?;
    let commands = [
        ("verbatim list".to_owned(), "the sessions of your own agents"),
        ("verbatim show ID".to_owned(), "read one; the beginning of its id is enough"),
        ("verbatim check".to_owned(), "prove that nothing of yours is lost"),
        ("verbatim convert ID --to vac -o record.json".to_owned(), "the verifiable record of one"),
        (format!("verbatim check {}", folder.display()), "the same over the samples"),
    ];
    let rows: Vec<Vec<Line>> = commands
        .iter()
        .map(|(command, what)| {
            let command = Line::new().say(Style::Normal, "  ").tell(Style::Name, command);
            vec![command, Line::new().say(Style::Faint, what)]
        })
        .collect();
    screen.table(&rows, &[])
}
