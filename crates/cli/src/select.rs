//! Filters of sessions, with one meaning for every command that has them.

use std::path::{Path, PathBuf};

use operations::filter::Filter;
use session::UtcTime;

use crate::environment::Environment;
use crate::exit::Failure;
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
    /// Only sessions of the current folder
    #[arg(long, help_heading = FILTERS)]
    here: bool,
    /// Only this model: a part of its name is enough
    #[arg(long, value_name = "NAME", help_heading = FILTERS)]
    model: Vec<String>,
    /// From this time on: `today`, `yesterday`, `3d`, `12h`, `2w`, 2026-03-01, 2026-03-01T14:30
    #[arg(long, value_name = "WHEN", help_heading = FILTERS)]
    since: Option<String>,
    /// Up to this time; a day is included
    #[arg(long, value_name = "WHEN", help_heading = FILTERS)]
    until: Option<String>,
    /// Days and times in UTC instead of the local time zone
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
            self.project.iter().map(|name| project(name, env)).collect();
        if self.here {
            projects.push(std::env::current_dir()?.to_string_lossy().into_owned());
        }
        let when = |text: &Option<String>, end| match text {
            Some(text) => time(text, end, &zone, env.now).map(Some),
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
            format!("no agent is called `{name}`"),
            format!("the names are: {}", names.join(", ")),
        )
    })
}

/// A project as the filter takes it: `.`, `~/shop` and other paths become whole paths.
fn project(name: &str, env: &Environment<'_>) -> String {
    let home = env.machine.home.as_deref();
    let from_home = name.strip_prefix("~").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if let (Some(rest), Some(home)) = (from_home, home) {
        return format!("{}{rest}", home.display());
    }
    let is_path = name.starts_with('.') || name.contains('/') && !Path::new(name).is_absolute();
    match std::path::absolute(name) {
        Ok(path) if is_path => path.to_string_lossy().into_owned(),
        _ => name.to_owned(),
    }
}

/// Reads a time. For the end of a span, a day means the end of that day.
fn time(text: &str, end: bool, zone: &Zone, now: UtcTime) -> Result<UtcTime, Failure> {
    read(text.trim(), end, zone, now).ok_or_else(|| {
        Failure::Usage(
            format!("`{text}` is no time"),
            "use `today`, `yesterday`, `3d`, `12h`, `2w`, a day (2026-03-01), or a day and a time \
             (2026-03-01T14:30)"
                .into(),
        )
    })
}

fn read(text: &str, end: bool, zone: &Zone, now: UtcTime) -> Option<UtcTime> {
    let today = zone.day(now)?;
    let day = match text.to_lowercase().as_str() {
        "now" => return Some(now),
        "today" => Some(today),
        "yesterday" => today.yesterday().ok(),
        _ => text.parse().ok().filter(|_| text.len() == 10),
    };
    if let Some(day) = day {
        return zone.begin(if end { day.tomorrow().ok()? } else { day });
    }
    if let Some(ago) = ago(text) {
        return Some(UtcTime(now.0.checked_sub(ago)?));
    }
    UtcTime::of_text(text).or_else(|| zone.at(text))
}

/// A length of time before now (`3d`), in microseconds.
fn ago(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let minutes: i64 = match unit {
        "min" | "m" => 1,
        "h" => 60,
        "d" => 60 * 24,
        "w" => 60 * 24 * 7,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(minutes)?.checked_mul(60_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_zone() {
        let zone = |env: &str| {
            let mut machine = catalog::Machine::default();
            machine.variables.insert("TZ".into(), env.into());
            let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
            Zone::of(
                &Environment {
                    formats: &[],
                    machine,
                    now: UtcTime(0),
                    input: &mut input,
                    out: &mut out,
                    err: &mut err,
                    width: None,
                    links: false,
                    err_terminal: false,
                },
                false,
            )
        };
        // POSIX zones need no files of the system. This one is nine hours east of UTC.
        let zone = zone("JST-9");
        let now = UtcTime::of_text("2026-03-01T16:00:00Z").unwrap();
        let read = |text, end| read(text, end, &zone, now).map(UtcTime::rfc3339);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("today", false), some("2026-03-01T15:00:00Z"));
        assert_eq!(read("Yesterday", false), some("2026-02-28T15:00:00Z"));
        assert_eq!(read("yesterday", true), some("2026-03-01T15:00:00Z"));
        assert_eq!(read("2026-03-01", false), some("2026-02-28T15:00:00Z"));
        assert_eq!(read("2026-03-01", true), some("2026-03-01T15:00:00Z"));
        assert_eq!(read("2026-03-01T14:30", true), some("2026-03-01T05:30:00Z"));
        assert_eq!(read("2026-03-01T14:30:00Z", true), some("2026-03-01T14:30:00Z"));
        assert_eq!(read("3d", false), some("2026-02-26T16:00:00Z"));
        assert_eq!(read("12h", false), some("2026-03-01T04:00:00Z"));
        for wrong in ["", "d", "3x", "tomorrowish", "2026-13-01", "99999999999999999999d"] {
            assert_eq!(read(wrong, false), None, "{wrong}");
        }
    }
}
