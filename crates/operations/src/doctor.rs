//! The findings on a machine: what is there, what can't be read, and what mends it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use archive::expiry::{Deletion, Expiring, deletions};
use catalog::{Catalog, Entry, Listing, SkipReason, UnreadAgent};
use formats::Format;
use session::UtcTime;

/// The findings on a machine.
#[derive(Debug)]
pub struct MachineReport {
    /// The agents that are read, in the order of the registry.
    pub agents: Vec<AgentReport>,
    /// The agents whose sessions are here and which are not read.
    pub unread_agents: Vec<UnreadAgent>,
    /// The files and folders that can't be read.
    pub unreadable: Vec<UnreadablePath>,
}

/// The findings about an agent.
#[derive(Debug)]
pub struct AgentReport {
    /// The format's name in the registry.
    pub format: &'static str,
    /// The places that were looked in.
    pub places: Vec<PlaceReport>,
    /// The number of sessions in them.
    pub sessions: usize,
    /// The number of sessions that the archive alone has.
    pub archived: usize,
    /// The number of sessions with records that could not be read, of what a list looks at.
    pub damaged: usize,
    /// The id of the newest session, and the time of its last event.
    pub newest: Option<(String, Option<UtcTime>)>,
    /// When the agent deletes sessions, if it does.
    pub deletion: Option<Deletion>,
    /// The number of sessions that it deletes within a week and that are not kept.
    pub expiring: usize,
}

/// A place in which an agent keeps sessions.
#[derive(Debug)]
pub struct PlaceReport {
    /// The folder or file.
    pub path: PathBuf,
    /// The variable of the environment that names it, if one does.
    pub variable: Option<&'static str>,
    /// Whether it is there.
    pub exists: bool,
}

/// A file or folder that can't be read.
#[derive(Debug)]
pub struct UnreadablePath {
    /// Its path.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
    /// The way to let it be read, if there is one.
    pub mend: Option<Mend>,
}

/// The way to mend a finding. The command line has the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Keep the sessions in the archive.
    Keep,
    /// Let this variable name a place that exists, or nothing.
    Variable(&'static str),
    /// Permit the user to read this path.
    Permit(PathBuf),
    /// Look at each record of this path, or of all sessions of an agent.
    Check(Option<PathBuf>),
}

/// Examines a machine. `listing` has all its sessions, `expiring` those that are about to be
/// deleted.
#[must_use]
pub fn examine(
    catalog: &Catalog<'_>,
    listing: &Listing,
    expiring: &[Expiring],
    now: UtcTime,
) -> MachineReport {
    let live = listing.entries.iter().filter(|entry| !entry.archived);
    let sessions = live.filter_map(|entry| Some((entry.format, &**entry.files.first()?)));
    let deletions = deletions(catalog, sessions, now);
    let kept = catalog.formats.iter().filter(|format| !format.data().places.is_empty());
    let mut agents: Vec<AgentReport> =
        kept.map(|format| agent(*format, catalog, &listing.entries)).collect();
    for report in &mut agents {
        report.deletion = deletions.iter().find(|of| of.agent == report.format).copied();
        let rows = expiring.iter().filter(|row| row.agent == report.format);
        report.expiring = rows.map(|row| row.sessions).sum();
    }
    let failures = listing.skipped.iter().filter(|skipped| skipped.why.is_failure());
    let unreadable = failures
        .map(|skipped| UnreadablePath {
            path: skipped.path.clone(),
            why: skipped.why.to_string(),
            mend: mend(&skipped.path, &skipped.why, &agents),
        })
        .collect();
    MachineReport { agents, unread_agents: catalog.machine.unread_agents(), unreadable }
}

/// The findings about an agent, among all sessions of the machine.
fn agent(format: &'static dyn Format, catalog: &Catalog<'_>, entries: &[Entry]) -> AgentReport {
    let places = catalog.machine.places(format).into_iter();
    let own = entries.iter().filter(|entry| entry.format == format.name());
    let (archived, live): (Vec<&Entry>, Vec<&Entry>) = own.partition(|entry| entry.archived);
    let newest = live.iter().max_by_key(|entry| entry.updated);
    AgentReport {
        format: format.name(),
        places: places
            .map(|root| PlaceReport {
                // A place that can't be looked at may be there.
                exists: root.path.try_exists().unwrap_or(true),
                variable: root.variable,
                path: root.path,
            })
            .collect(),
        sessions: live.len(),
        archived: archived.len(),
        damaged: live.iter().filter(|entry| entry.damaged > 0).count(),
        newest: newest.map(|entry| (entry.id.to_string(), entry.updated)),
        deletion: None,
        expiring: 0,
    }
}

/// The way to let a path be read.
fn mend(path: &Path, why: &SkipReason, agents: &[AgentReport]) -> Option<Mend> {
    let mut places = agents.iter().flat_map(|agent| &agent.places);
    let named = places.find(|place| place.path == path && !place.exists);
    if let Some(variable) = named.and_then(|place| place.variable) {
        return Some(Mend::Variable(variable));
    }
    match (why, is_forbidden(path)) {
        (_, true) => Some(Mend::Permit(path.to_path_buf())),
        // A file of this length is never read.
        (SkipReason::Long(_), false) => None,
        (_, false) => Some(Mend::Check(Some(path.to_path_buf()))),
    }
}

/// Whether the user may not read a file, or may not list a folder.
fn is_forbidden(path: &Path) -> bool {
    let forbids = |error: std::io::Error| error.kind() == ErrorKind::PermissionDenied;
    match path.is_dir() {
        true => path.read_dir().err().is_some_and(forbids),
        false => std::fs::File::open(path).err().is_some_and(forbids),
    }
}
