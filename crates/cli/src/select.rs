//! Filters of sessions, with one meaning for every command that has them.

use std::path::{Path, PathBuf};

use catalog::repository::working_trees;
use operations::filter::Filter;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::scope::{Here, names};
use crate::when;
use crate::zone::Zone;

/// The filters as options.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct Select {
    /// Only sessions of this agent (`claude` is enough for `claude-code`)
    #[arg(long, value_name = "NAME", help_heading = FILTERS)]
    agent: Vec<String>,
    /// Only sessions of this project: the name of its folder, or a path
    #[arg(long, value_name = "PROJECT", help_heading = FILTERS)]
    project: Vec<String>,
    /// Only sessions of this repository, in all of its working trees; elsewhere, of this folder
    #[arg(long, help_heading = FILTERS)]
    here: bool,
    /// Only this model: a part of its name is enough
    #[arg(long, value_name = "NAME", help_heading = FILTERS)]
    model: Vec<String>,
    /// From this time on: `today`, `yesterday`, `monday`, `last week`, `3d`, `12h`, `2w`, 2026-03,
    /// 2026-03-01, 2026-03-01T14:30
    #[arg(long, value_name = "WHEN", help_heading = FILTERS, allow_hyphen_values = true)]
    since: Option<String>,
    /// Up to this time; a day, a week or a month is included
    #[arg(long, value_name = "WHEN", help_heading = FILTERS, allow_hyphen_values = true)]
    until: Option<String>,
    /// Use UTC instead of the local time zone
    #[arg(long, help_heading = FILTERS)]
    utc: bool,
    /// Look in this folder instead of the agents' own folders
    #[arg(short = 'C', long = "in", value_name = "FOLDER", help_heading = FILTERS)]
    pub within: Vec<PathBuf>,
}

/// The heading of the filters in a help.
const FILTERS: &str = "Which sessions";

impl Select {
    /// Whether it leaves any session out.
    pub(crate) fn is_narrow(&self) -> bool {
        let lists = [&self.agent, &self.project, &self.model];
        self.here
            || self.since.is_some()
            || self.until.is_some()
            || lists.iter().any(|list| !list.is_empty())
    }

    /// Whether it names a project.
    pub(crate) fn has_project(&self) -> bool {
        self.here || !self.project.is_empty()
    }

    /// The user's time zone.
    pub(crate) fn zone(&self, env: &Environment<'_>) -> Zone {
        Zone::of(env, self.utc)
    }

    /// The filter that the options describe.
    pub(crate) fn filter(&self, env: &Environment<'_>) -> Result<Filter, Failure> {
        let zone = self.zone(env);
        let agents = self.agent.iter().map(|name| agent(name, env));
        let mut projects: Vec<String> =
            self.project.iter().flat_map(|name| project(name, env)).collect();
        if self.here {
            projects.extend(Here::of(env).map(|here| here.projects()).unwrap_or_default());
        }
        let when = |text: &Option<String>, end| match text {
            Some(text) => when::time(text, end, &zone, env.now).map(Some),
            None => Ok(None),
        };
        Ok(Filter {
            agents: agents.collect::<Result<_, _>>()?,
            projects,
            models: self.model.clone(),
            since: when(&self.since, false)?,
            until: when(&self.until, true)?,
        })
    }
}

/// The format of an agent's name, in any case; the beginning of a name is enough.
fn agent(name: &str, env: &Environment<'_>) -> Result<String, Failure> {
    let names: Vec<&str> = env.formats.iter().map(|format| format.name()).collect();
    let wanted = name.to_lowercase();
    let known = names.iter().find(|known| **known == wanted);
    let known = known.or_else(|| {
        let mut begun = names.iter().filter(|known| known.starts_with(&wanted));
        begun.next().filter(|_| !wanted.is_empty() && begun.next().is_none())
    });
    known.map(|known| (*known).to_owned()).ok_or_else(|| {
        Failure::Usage(
            format!("unknown agent `{name}`"),
            format!("the names are: {}", names.join(", ")),
        )
    })
}

/// A project as the filter takes it: `.`, `~/shop` and other paths become whole paths. A folder
/// that is a repository has all of its working trees.
fn project(name: &str, env: &Environment<'_>) -> Vec<String> {
    let home = env.machine.home.as_deref();
    let from_home = name.strip_prefix("~").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let name = match (from_home, home) {
        (Some(rest), Some(home)) => format!("{}{rest}", home.display()),
        _ => name.to_owned(),
    };
    // A path of Windows is whole on every system: its sessions may have come from there.
    let has_drive = matches!(name.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    let is_part = !has_drive && !Path::new(&name).is_absolute();
    let is_path = name.starts_with('.') || is_part && name.contains('/');
    let whole = match std::path::absolute(&name) {
        Ok(path) if is_path => path,
        _ => PathBuf::from(&name),
    };
    let mut projects = vec![whole.to_string_lossy().into_owned()];
    if whole.is_absolute() && whole.join(".git").exists() {
        projects.extend(names(&working_trees(&whole)).into_iter().skip(1));
    }
    projects
}
