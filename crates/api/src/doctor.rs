//! `verbatim-doctor-1`: what is found on a machine, what is not, and what mends it.

use operations::doctor::{AgentReport, MachineReport, Mend, PlaceReport};
use serde::Serialize;

use super::text::text;

/// The document.
#[derive(Debug, Serialize)]
pub struct Doctor {
    schema: &'static str,
    /// The version, with what is known of the commit.
    pub version: String,
    /// The operating system: `linux`, `macos`, `windows`.
    pub os: &'static str,
    /// The processor: `x86_64`, `aarch64`.
    pub arch: &'static str,
    /// The user's home folder.
    pub home: Option<String>,
    /// The value of `TZ` if it names no known time zone; days are then those of UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_time_zone: Option<String>,
    /// The archive: its folder and whether it is there.
    pub archive: Option<DoctorPath>,
    /// The index: its file and whether it is there.
    pub index: Option<DoctorPath>,
    agents: Vec<DoctorAgent>,
    unread_agents: Vec<DoctorUnreadAgent>,
    unreadable: Vec<DoctorUnreadable>,
}

/// A file or folder.
#[derive(Debug, Serialize)]
pub struct DoctorPath {
    /// The path.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// The command that makes it, if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

#[derive(Debug, Serialize)]
struct DoctorAgent {
    format: &'static str,
    places: Vec<DoctorPlace>,
    sessions: usize,
    archived: usize,
    newest: Option<DoctorNewest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<DoctorCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion: Option<DoctorDeletion>,
}

#[derive(Debug, Serialize)]
struct DoctorPlace {
    path: String,
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct DoctorNewest {
    uid: String,
    updated: Option<String>,
}

#[derive(Debug, Serialize)]
struct DoctorCount {
    sessions: usize,
    mend: String,
}

#[derive(Debug, Serialize)]
struct DoctorDeletion {
    after_days: u64,
    next_in_days: Option<u64>,
    /// Sessions that are deleted within a week and are not in the archive.
    unkept: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

#[derive(Debug, Serialize)]
struct DoctorUnreadAgent {
    agent: &'static str,
    folder: String,
}

#[derive(Debug, Serialize)]
struct DoctorUnreadable {
    path: String,
    why: String,
    mend: Option<String>,
}

impl Doctor {
    /// The document without the facts that the command line knows. `mend` gives the command.
    #[must_use]
    pub fn of(report: &MachineReport, mend: &dyn Fn(&Mend) -> String) -> Self {
        let unread = report.unread_agents.iter().flat_map(|unread| {
            let agent = unread.agent;
            unread.folders.iter().map(move |it| DoctorUnreadAgent { agent, folder: text(it) })
        });
        let unreadable = report.unreadable.iter().map(|of| DoctorUnreadable {
            path: text(&of.path),
            why: of.why.clone(),
            mend: of.mend.as_ref().map(mend),
        });
        Self {
            schema: "verbatim-doctor-1",
            version: String::new(),
            os: "",
            arch: "",
            home: None,
            unknown_time_zone: None,
            archive: None,
            index: None,
            agents: report.agents.iter().map(|agent| DoctorAgent::of(agent, mend)).collect(),
            unread_agents: unread.collect(),
            unreadable: unreadable.collect(),
        }
    }
}

impl DoctorAgent {
    fn of(agent: &AgentReport, mend: &dyn Fn(&Mend) -> String) -> Self {
        let place = |place: &PlaceReport| DoctorPlace {
            path: text(&place.path),
            exists: place.exists,
            variable: place.variable,
        };
        let newest = agent.newest.as_ref().map(|(id, updated)| DoctorNewest {
            uid: format!("{}:{id}", agent.format),
            updated: updated.map(session::UtcTime::sortable),
        });
        Self {
            format: agent.format,
            places: agent.places.iter().map(place).collect(),
            sessions: agent.sessions,
            archived: agent.archived,
            newest,
            damaged: (agent.damaged > 0)
                .then(|| DoctorCount { sessions: agent.damaged, mend: mend(&Mend::Check(None)) }),
            deletion: agent.deletion.map(|deletion| DoctorDeletion {
                after_days: deletion.days,
                next_in_days: deletion.left,
                unkept: agent.expiring,
                mend: (agent.expiring > 0).then(|| mend(&Mend::Keep)),
            }),
        }
    }
}
