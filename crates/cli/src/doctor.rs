//! `verbatim doctor`: what is found on this machine, what is not, and the commands that mend it.

use std::path::Path;

use api::doctor::{Doctor, DoctorPath};
use operations::doctor::{AgentReport, MachineReport, Mend, PlaceReport, examine};

use crate::environment::{Environment, VERSION};
use crate::exit::{Exit, Failure};
use crate::human::{self, age, counted};
use crate::options::Global;
use crate::resume::quote;
use crate::screen::{Line, Screen, Style};
use crate::zone::Zone;
use crate::{expiry, indexing, json, keeping};

/// Say what verbatim finds on this machine, what it can't read, and what mends that
///
/// The version and the system; the places that were looked in; the sessions of each agent; agents
/// that are here and not read; settings that delete sessions, with the days left; files that can't
/// be read. The exit code is 0 whatever it finds, unless `--check` is given.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Exit with 1 if an agent deletes sessions within a week that are not kept: for scripts
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let catalog = env.catalog();
    let listing = catalog.list(&[], false);
    let expiring = expiry::of_list(&listing.entries, env);
    let report = examine(&catalog, &listing, &expiring, env.now);
    let windows = env.machine.system == catalog::System::Windows;
    let command = |mend: &Mend| command(mend, windows);
    let document = document(&report, &command, env);
    let is_lost = report.agents.iter().any(|agent| agent.expiring > 0);
    let exit = if args.check && is_lost { Exit::Bad } else { Exit::Good };
    if global.json {
        json::write(env.out, &document)?;
        return Ok(exit);
    }
    let home = env.machine.home.clone();
    let now = env.now;
    let zone = Zone::of(env, false).name(now);
    let mut screen = Screen::new(env.out, color, env.width);
    let mut page = Page { screen: &mut screen, home: home.as_deref() };
    page.machine(&document, &zone)?;
    page.agents(&report, now, &command)?;
    page.unread(&report)?;
    page.unreadable(&report, &command)?;
    Ok(exit)
}

/// The command that mends a finding.
fn command(mend: &Mend, windows: bool) -> String {
    let path = |path: &Path| quote::words(&[path.to_string_lossy().into_owned()]);
    match mend {
        Mend::Keep => "verbatim sync".into(),
        Mend::Variable(name) if windows => format!("set {name}="),
        Mend::Variable(name) => format!("unset {name}"),
        Mend::Permit(of) if windows => format!("icacls {} /grant \"%USERNAME%:R\"", path(of)),
        Mend::Permit(of) => format!("chmod u+rX {}", path(of)),
        Mend::Check(None) => "verbatim check".into(),
        Mend::Check(Some(of)) => format!("verbatim check {}", path(of)),
    }
}

/// The document, with what only the command line knows.
fn document(
    report: &MachineReport,
    command: &dyn Fn(&Mend) -> String,
    env: &Environment<'_>,
) -> Doctor {
    let made = |path: &Path, exists: bool| DoctorPath {
        path: path.to_string_lossy().into_owned(),
        exists,
        mend: (!exists).then(|| command(&Mend::Keep)),
    };
    let archive = keeping::folder(env).ok().map(|folder| made(&folder, folder.is_dir()));
    let index = indexing::path(env).map(|file| made(&file, file.is_file()));
    let mut document = Doctor::of(report, command);
    document.version = VERSION.into();
    document.os = std::env::consts::OS;
    document.arch = std::env::consts::ARCH;
    document.home = env.machine.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    document.unknown_time_zone = Zone::unknown(env);
    document.archive = archive;
    document.index = index;
    document
}

/// The findings, as people read them.
struct Page<'p, 's> {
    screen: &'p mut Screen<'s>,
    home: Option<&'p Path>,
}

impl Page<'_, '_> {
    fn machine(&mut self, facts: &Doctor, zone: &str) -> std::io::Result<()> {
        let text = format!("verbatim {} on {} {}", facts.version, facts.os, facts.arch);
        self.screen.line(&Line::new().tell(Style::Strong, &text))?;
        match &facts.home {
            Some(home) => self.fact("home", Style::Normal, home)?,
            None => {
                let text = "none is known, so no agent's own folders: `verbatim list FOLDER` reads \
                            another one, and the variable HOME names one";
                self.fact("home", Style::Warn, text)?;
            }
        }
        match &facts.unknown_time_zone {
            None => self.fact("days", Style::Normal, &format!("in the time zone {zone}"))?,
            Some(name) => {
                let text = format!(
                    "in UTC: TZ is `{name}`, which is no known time zone. TZ=Europe/Berlin is one"
                );
                self.fact("days", Style::Warn, &text)?;
            }
        }
        for (what, of) in [("archive", &facts.archive), ("index", &facts.index)] {
            let Some(of) = of else { continue };
            let path = human::folder(&of.path, self.home).to_string();
            match &of.mend {
                None => self.fact(what, Style::Normal, &path)?,
                Some(mend) => {
                    let text = format!("none yet in {path}: `{mend}` makes it");
                    self.fact(what, Style::Faint, &text)?;
                }
            }
        }
        Ok(())
    }

    fn fact(&mut self, name: &str, style: Style, text: &str) -> std::io::Result<()> {
        self.screen.line(&Line::new().tell(Style::Faint, &format!("{name:8}")).tell(style, text))
    }

    fn heading(&mut self, text: &'static str) -> std::io::Result<()> {
        self.screen.gap()?;
        self.screen.line(&Line::new().say(Style::Strong, text))
    }

    fn agents(
        &mut self,
        report: &MachineReport,
        now: session::UtcTime,
        command: &dyn Fn(&Mend) -> String,
    ) -> std::io::Result<()> {
        self.heading("Agents that are read")?;
        let width = report.agents.iter().map(|agent| agent.format.len()).max().unwrap_or_default();
        for agent in &report.agents {
            let name = format!("{:width$}  ", agent.format);
            let (style, text) = match agent.sessions {
                0 => (Style::Faint, format!("no sessions; looked in {}", self.places(agent))),
                _ => (Style::Normal, format!("{} in {}", sessions(agent, now), self.places(agent))),
            };
            self.screen.line(&Line::new().tell(Style::Name, &name).tell(style, &text))?;
            for (style, text) in below(agent, command) {
                self.screen.line(&Line::new().say(Style::Normal, "  ").tell(style, &text))?;
            }
        }
        Ok(())
    }

    /// The places of an agent that are there, or else the first one.
    fn places(&self, agent: &AgentReport) -> String {
        let shown = |place: &PlaceReport| {
            let path = human::folder(&place.path.to_string_lossy(), self.home).to_string();
            match place.variable {
                Some(name) => format!("{path} (by {name})"),
                None => path,
            }
        };
        let there = agent.places.iter().filter(|place| place.exists);
        let mut there: Vec<String> = there.map(shown).collect();
        if there.is_empty() {
            there.extend(agent.places.first().map(shown));
        }
        match there.is_empty() {
            true => "no folder, because there is no home".into(),
            false => there.join(", "),
        }
    }

    fn unread(&mut self, report: &MachineReport) -> std::io::Result<()> {
        if report.unread_agents.is_empty() {
            return Ok(());
        }
        self.heading(
            "Agents that are here and not read; a newer version of verbatim may read them",
        )?;
        for unread in &report.unread_agents {
            for folder in &unread.folders {
                let folder = human::folder(&folder.to_string_lossy(), self.home);
                let line = Line::new().tell(Style::Name, unread.agent).say(Style::Normal, "  ");
                self.screen.line(&line.put(Style::Normal, folder))?;
            }
        }
        Ok(())
    }

    fn unreadable(
        &mut self,
        report: &MachineReport,
        command: &dyn Fn(&Mend) -> String,
    ) -> std::io::Result<()> {
        if report.unreadable.is_empty() {
            return Ok(());
        }
        self.heading("What can't be read")?;
        for of in &report.unreadable {
            let path = human::folder(&of.path.to_string_lossy(), self.home);
            let line = Line::new().put(Style::Name, path).say(Style::Normal, ": ");
            self.screen.line(&line.tell(Style::Warn, &of.why))?;
            if let Some(mend) = &of.mend {
                let line = format!("  {}", command(mend));
                self.screen.line(&Line::new().command(Style::Normal, &line))?;
            }
        }
        Ok(())
    }
}

/// The number of an agent's sessions, and the age of the newest.
fn sessions(agent: &AgentReport, now: session::UtcTime) -> String {
    let text = counted(agent.sessions as u64, "session", "sessions");
    match agent.newest.as_ref().and_then(|(_, updated)| *updated) {
        Some(updated) => match &*age(now, updated) {
            "now" => format!("{text}, the newest of this minute,"),
            age => format!("{text}, the newest of {age} ago,"),
        },
        None => text,
    }
}

/// Further lines about an agent.
fn below(agent: &AgentReport, command: &dyn Fn(&Mend) -> String) -> Vec<(Style, String)> {
    let mut lines = Vec::new();
    let count = |number: usize, one, many| counted(number as u64, one, many);
    if agent.archived > 0 {
        let sessions = count(agent.archived, "session", "sessions");
        lines.push((Style::Normal, format!("{sessions} more in the archive alone")));
    }
    if let Some(deletion) = agent.deletion {
        let mut text = format!("it deletes sessions after {} days", deletion.days);
        if let Some(left) = deletion.left {
            text += &format!(", the next one in {}", counted(left, "day", "days"));
        }
        let style = if agent.expiring > 0 { Style::Warn } else { Style::Normal };
        if agent.expiring > 0 {
            let sessions = count(agent.expiring, "session is", "sessions are");
            let command = command(&Mend::Keep);
            text += &format!("; within a week {sessions} lost: `{command}` keeps them");
        }
        lines.push((style, text));
    }
    if agent.damaged > 0 {
        let sessions = count(agent.damaged, "session has", "sessions have");
        let command = command(&Mend::Check(None));
        let text = format!("{sessions} unreadable records: `{command}` names each");
        lines.push((Style::Warn, text));
    }
    lines
}
