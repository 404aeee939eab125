//! `verbatim migrate`: an agent's projects in the form that the agent plans.

use std::path::{Path, PathBuf};

use api::migrate::Migration;
use formats::{LinePhases, PlannedForm};
use operations::MigrationPhases;
use operations::placing::{Migrated, MigrationNote, MigrationTask};
use redact::rules::Class;
use redact::{Profile, Redactor};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::json;
use crate::options::Global;
use crate::redaction::RedactionArgs;
use crate::terminal::Plain;

/// Convert an agent's projects to that agent's planned layout
///
/// For Sage: phase 1 names each project's folder without `.` and without `-` at its end; phase 2
/// gives each message a `uuid` and a `session_id`; phase 3 adds token estimates, apart from counted
/// tokens. Every other byte stays. The result is a copy, unless `--in-place` is given.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The agent: `sage`
    agent: String,
    /// The folder of its projects (default: the agent's own)
    folder: Option<PathBuf>,
    /// The folder to write, which must not exist
    #[arg(short, long, value_name = "COPY", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Only this phase: 1, 2, 3, or 4, which replaces secrets in the conversations by placeholders
    /// (default: 1 to 3)
    #[arg(long, value_name = "N")]
    phase: Option<u8>,
    /// Put the result in the folder's place; the old folder stays beside it, with another name
    #[arg(long)]
    in_place: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let catalog = env.catalog();
    let format = catalog.format(&args.agent)?;
    let Some(form) = format.data().planned_form else {
        let all = catalog.formats.iter().filter(|format| format.data().planned_form.is_some());
        let known: Vec<&str> = all.map(|format| format.name()).collect();
        let what = format!("{} plans no migration", format.name());
        return Err(Failure::Usage(what, format!("agents that do: {}", known.join(", "))));
    };
    let phases = phases(args.phase)?;
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => operations::projects(&catalog, format)?,
    };
    let target = match (&args.output, args.in_place) {
        (Some(copy), _) => copy.clone(),
        (None, true) => folder.clone(),
        (None, false) if args.dry_run => folder.clone(),
        (None, false) => {
            let what = "it is not said where to write the copy".to_owned();
            return Err(Failure::Usage(what, "name it: `-o COPY`, or use `--in-place`".into()));
        }
    };
    let redactor = (args.phase == Some(4)).then(|| sanitiser(env)).transpose()?;
    let redactor = redactor.as_ref();
    let (catalog, folder) = (&catalog, &*folder);
    let task = MigrationTask { catalog, format, form, folder, phases, redactor };
    let migrated = match (args.dry_run, args.in_place) {
        (true, _) => task.plan(args.output.as_deref())?,
        (false, true) => task.in_place()?,
        (false, false) => task.copy(&target)?,
    };
    let Migrated { plan, changed, backup, carried, left, notes } = &migrated;
    tell_notes(notes, env)?;
    if global.json {
        let document = Migration::of(format.name(), folder, &target, plan, changed, args.dry_run);
        json::write(env.out, &document.with_backup(backup.as_deref(), carried, left))?;
    } else {
        tell(args, form, &migrated, &target, env)?;
    }
    Ok(if left.is_empty() { Exit::Good } else { Exit::Bad })
}

fn phases(phase: Option<u8>) -> Result<MigrationPhases, Failure> {
    let lines = |ids, estimates| LinePhases { ids, estimates };
    match phase {
        None => Ok(MigrationPhases { folders: true, lines: lines(true, true) }),
        Some(1) => Ok(MigrationPhases { folders: true, lines: lines(false, false) }),
        Some(2) => Ok(MigrationPhases { folders: false, lines: lines(true, false) }),
        Some(3) => Ok(MigrationPhases { folders: false, lines: lines(false, true) }),
        Some(4) => Ok(MigrationPhases { folders: false, lines: lines(false, false) }),
        Some(other) => Err(Failure::Usage(
            format!("there is no phase {other}"),
            "the phases are 1 to 4; without `--phase` the first three".into(),
        )),
    }
}

/// The redactor of phase 4: secrets, and of personal data what Sage's plan names, numbers of cards
/// and of social security.
fn sanitiser(env: &Environment<'_>) -> Result<Redactor, Failure> {
    let kept = [Class::Email, Class::User, Class::Host, Class::Person];
    RedactionArgs::keeping(&kept).redactor(Profile::Share, env)
}

/// Reports what killed runs had begun.
fn tell_notes(notes: &[MigrationNote], env: &mut Environment<'_>) -> Result<(), Failure> {
    for note in notes {
        let what = match note {
            MigrationNote::Removed(place) => {
                format!("note: removed what a killed run had written of {}", place.display())
            }
            MigrationNote::Ended(old) => format!(
                "note: a run before was killed, and this one has ended it; the old folder is {}",
                old.display()
            ),
            MigrationNote::Elsewhere(place) => format!(
                "warning: a run that was killed has exchanged {}: run it again for that folder",
                place.display()
            ),
            MigrationNote::Strange(path, why) => {
                format!("warning: {} is left alone: {why}", path.display())
            }
        };
        writeln!(env.err, "{}", Plain::line(&what))?;
    }
    Ok(())
}

fn tell(
    args: &Args,
    form: &PlannedForm,
    Migrated { plan, changed, backup, carried, left, .. }: &Migrated,
    target: &Path,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let would = if args.dry_run { "would be " } else { "" };
    for (from, to) in &plan.renamed {
        writeln!(env.out, "{would}renamed: {} -> {}", Plain::line(from), Plain::line(to))?;
    }
    for file in changed {
        writeln!(env.out, "{would}extended: {}", Plain::line(&file.to.display().to_string()))?;
    }
    let folders = counted(plan.renamed.len() as u64, "folder", "folders");
    let files = counted(changed.len() as u64, "file", "files");
    let all = counted(plan.files.len() as u64, "file", "files");
    writeln!(env.err, "{folders} {would}renamed, {files} of {all} {would}extended")?;
    let place = Plain::line(&target.display().to_string());
    match backup {
        Some(backup) => {
            let backup = Plain::line(&backup.display().to_string());
            writeln!(env.err, "in its place: {place}; the old folder is {backup}")?;
        }
        None if args.in_place || args.dry_run => {}
        None => writeln!(env.err, "written: {place}")?,
    }
    for file in carried {
        let file = Plain::line(&file.display().to_string());
        writeln!(env.err, "written to meanwhile, and carried over: {file}")?;
    }
    for file in left {
        let file = Plain::line(&file.display().to_string());
        writeln!(env.err, "warning: written to meanwhile, and only in the old folder: {file}")?;
    }
    if (args.in_place || args.dry_run) && !plan.renamed.is_empty() {
        writeln!(env.err, "warning: {}", form.renamed)?;
    }
    Ok(())
}
