//! Which of the placements of a session is meant: the one of its present state, one that this state
//! takes the place of, or none yet.

use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use catalog::{Catalog, Opened};
use session::Sorting as _;
use session::UtcTime;
use store::placing::{FileState, Placed, State, Step, state, state_of};

use crate::placing::error::Error;
use crate::placing::import;
use crate::resume::{PlacementPlan, ResumeChoice, ResumePlan, plan_resume};

/// The placement that a plan is for.
#[derive(Clone, Debug)]
pub(crate) enum Version {
    /// No state of the session was placed for this folder.
    First,
    /// This state was placed.
    Known(Placed),
    /// An earlier state was placed, and is as it was placed: this one takes its place.
    InPlaceOf(Placed),
    /// Earlier states were placed, and their agent has continued them: this one is another session.
    Beside(Placed),
    /// The session was placed for another folder: this one is another session.
    Elsewhere,
}

/// A plan, and the placement that it is for.
pub(crate) struct Versioned {
    pub(crate) plan: ResumePlan,
    pub(crate) version: Version,
}

/// Plans to continue a session, by what was placed of it before.
pub(crate) fn versioned(
    catalog: &Catalog<'_>,
    opened: &Opened,
    choice: ResumeChoice<'_>,
    entries: &[Placed],
) -> Result<Versioned, Error> {
    let ours = unchanged(entries, opened.session().format);
    let choice = ResumeChoice { ours: &ours, ..choice };
    let plan = plan_resume(catalog, opened, choice)?;
    if let PlacementPlan::AlreadyInStore = plan.way {
        return Ok(Versioned { plan, version: Version::First });
    }
    let again = |copy: Option<&str>, at: Option<UtcTime>, anew: bool| {
        let anew = anew || choice.anew;
        plan_resume(catalog, opened, ResumeChoice { copy, at, anew, ..choice })
    };
    let version = version(catalog, opened, &plan, entries, &again)?;
    let plan = match &version {
        Version::InPlaceOf(entry) => {
            let plan = again(entry.copy.as_deref(), choice.at, false)?;
            if takes_its_place(&plan, entry) {
                return Ok(Versioned { plan, version });
            }
            // Its file would stay there, beside the new one with the same id.
            let (plan, entry) = (again(Some(&copy_of(&plan)), choice.at, true)?, entry.clone());
            return Ok(Versioned { plan, version: Version::Beside(entry) });
        }
        Version::Known(entry) => {
            // Its own agent did not take it in as it is stored.
            let anew = plan.from == plan.agent && entry.id != plan.id;
            again(entry.copy.as_deref(), entry.at.map(UtcTime), anew)?
        }
        Version::Beside(_) | Version::Elsewhere => again(Some(&copy_of(&plan)), choice.at, true)?,
        Version::First => plan,
    };
    Ok(Versioned { plan, version })
}

/// Whether a plan writes each file of an earlier placement anew. Earlier versions gave some files
/// other names.
fn takes_its_place(plan: &ResumePlan, entry: &Placed) -> bool {
    let PlacementPlan::Files(files) = &plan.way else { return false };
    entry.files.iter().all(|file| files.iter().any(|(path, _)| *path == file.path))
}

/// The name of another copy: the same state in the same folder gets the same one.
fn copy_of(plan: &ResumePlan) -> String {
    formats::digest::digest(format!("{}\0{}", plan.state, plan.folder).as_bytes())
}

/// The files that were placed into this agent's store and that nobody has changed.
fn unchanged(entries: &[Placed], agent: &str) -> Vec<PathBuf> {
    let is_placed = |entry: &&Placed| entry.step == Step::Placed && entry.agent == agent;
    let placed = entries.iter().filter(is_placed);
    let files = placed.flat_map(|entry| &entry.files);
    let files = files.filter(|file| state_of(file) == FileState::Unchanged);
    files.map(|file| file.path.clone()).collect()
}

type Again<'a> =
    &'a dyn Fn(Option<&str>, Option<UtcTime>, bool) -> Result<ResumePlan, catalog::Error>;

fn version(
    catalog: &Catalog<'_>,
    opened: &Opened,
    plan: &ResumePlan,
    entries: &[Placed],
    again: Again<'_>,
) -> Result<Version, Error> {
    let here = |entry: &&Placed| {
        entry.step != Step::Replaced
            && entry.agent == plan.agent
            && plan.home.as_deref().is_none_or(|home| entry.is_in(home))
    };
    let there = |entry: &Placed| -> Result<bool, Error> {
        Ok(match plan.way {
            PlacementPlan::Import { .. } => {
                import::stored(plan.agent, &entry.id, catalog)?.is_some()
            }
            _ => state(entry) != State::Missing,
        })
    };
    let own = |entry: &&Placed| entry.source == plan.source && entry.folder == plan.folder;
    let mut versions: Vec<&Placed> = entries.iter().filter(here).filter(own).collect();
    versions.in_order_by_key(|entry| std::cmp::Reverse(entry.at));
    for entry in &versions {
        if is_of_state(opened, plan, entry, again)? {
            return Ok(Version::Known((*entry).clone()));
        }
    }
    let mut last = None;
    for entry in versions {
        if !there(entry)? {
            continue;
        }
        if is_replaceable(plan, entry) {
            return Ok(Version::InPlaceOf(entry.clone()));
        }
        last = last.or(Some(entry));
    }
    if let Some(entry) = last {
        return Ok(Version::Beside(entry.clone()));
    }
    // In its own agent, it has the same id in each folder.
    if plan.from == plan.agent && !plan.anew {
        return Ok(Version::First);
    }
    let mut same = entries.iter().filter(here).filter(|entry| entry.id == plan.id);
    let other = same.find(|entry| entry.source == plan.source && entry.folder != plan.folder);
    Ok(match other {
        Some(entry) if there(entry)? => Version::Elsewhere,
        _ => Version::First,
    })
}

/// Whether a placement is as it was placed. An agent's own import puts nothing in the place of
/// something else.
fn is_replaceable(plan: &ResumePlan, entry: &Placed) -> bool {
    matches!(plan.way, PlacementPlan::Files(_))
        && entry.step == Step::Placed
        && state(entry) == State::Unchanged
}

/// Whether a placement is of the state that the session has now.
fn is_of_state(
    opened: &Opened,
    plan: &ResumePlan,
    entry: &Placed,
    again: Again<'_>,
) -> Result<bool, Error> {
    if let Some(state) = &entry.state {
        return Ok(*state == plan.state);
    }
    // Earlier versions noted no state: then the same bytes or the same books show it.
    let old = again(None, entry.at.map(UtcTime), false)?;
    let books = old.books.as_ref().and_then(|(_, digest)| digest.as_ref());
    if books.is_some() && books == entry.books.as_ref() {
        return Ok(true);
    }
    let is_alike = match &old.way {
        PlacementPlan::Files(files) => {
            files.iter().all(|(path, bytes)| entry.files.iter().any(|file| file.is(path, bytes)))
        }
        PlacementPlan::Import { content, .. } => entry.content.as_ref() == Some(content),
        PlacementPlan::AlreadyInStore => true,
    };
    Ok(is_alike || !is_newer(opened, plan, entry))
}

/// Whether a session has gone on since it was placed, by its times and those of its files.
fn is_newer(opened: &Opened, plan: &ResumePlan, entry: &Placed) -> bool {
    let Some(at) = entry.at else { return true };
    let modified = |path: &PathBuf| {
        let time = path.metadata().ok()?.modified().ok()?;
        i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()
    };
    let placed = |path: &&PathBuf| !entry.files.iter().any(|file| file.path == **path);
    let files = opened.paths.iter().filter(placed).filter_map(modified);
    files.chain(plan.last.map(|last| last.0)).any(|time| time > at)
}
