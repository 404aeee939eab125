//! One cell of the table: one agent in an empty home, in one scenario.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::agent::{Agent, Ask, Command as Asked, Place};
use crate::back;
use crate::carry::{self, Source};
use crate::judge::{self, Verbatim};
use crate::kept;
use crate::live;
use crate::mended;
use crate::mock::told::Told;
use crate::mock::{Mock, script};
use crate::process::{Ending, Process};
use crate::scenario::{BACK, CARRY, KEPT, MADE, MEMORY, MENDED, STALL, Scenario, Turn};

/// Why a run was not begun.
pub(crate) const LATE: &str = "the time was up";
/// Time limit of one command of an agent. It is generous: machines are shared.
pub(crate) const LIMIT: Duration = Duration::from_secs(150);
/// Time in which an interrupted agent must exit.
const LEAVE: Duration = Duration::from_secs(20);

/// The programs that a run needs.
#[derive(Clone)]
pub(crate) struct Programs {
    /// The agent's.
    pub agent: PathBuf,
    /// Node.js.
    pub node: Option<PathBuf>,
    /// `verbatim`.
    pub verbatim: PathBuf,
    /// All agents that can run, which resume its session.
    pub all: Vec<(&'static Agent, PathBuf)>,
    /// Whether they resume the session of every scenario.
    pub matrix: bool,
    /// The seed of the sample of pairs that go back and forth; `None` for all pairs.
    pub sample: Option<u64>,
}

impl Programs {
    /// Those for an agent's run. In a sample, an agent's session goes to one that is run deeply
    /// only if it is such an agent itself.
    pub(crate) fn of(&self, agent: &Agent, path: PathBuf) -> Self {
        let mut programs = Self { agent: path, ..self.clone() };
        if programs.sample.is_some() && !agent.is_deep {
            programs.all.retain(|(other, _)| !other.is_deep);
        }
        programs
    }
}

/// Result of a run.
pub(crate) enum CellResult {
    /// The agent can't do this without a screen; the reason.
    Cannot(String),
    /// The agent did not do the scenario; its error message.
    Failed(String),
    /// The agent ran, and verbatim's output was compared with the facts.
    Judged(Box<judge::Findings>),
}

/// Everything that one run needs.
pub(crate) struct Cell<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) place: Place,
    pub(crate) notes: PathBuf,
    pub(crate) mock: Mock,
    pub(crate) verbatim: Verbatim,
}

/// Runs an agent through a scenario in a folder, which must be empty.
pub(crate) fn run(
    agent: &'static Agent,
    programs: &Programs,
    scenario: &Scenario,
    folder: &Path,
) -> CellResult {
    if scenario.name == KEPT {
        return kept::run(agent, programs, folder);
    }
    if scenario.name == BACK {
        return back::run(agent, programs, folder);
    }
    if scenario.name == MENDED {
        return mended::run(agent, programs, folder);
    }
    let delegates = scenario.name == "agent";
    if let Some(why) = agent.lonely.filter(|_| delegates) {
        return CellResult::Cannot(why.to_owned());
    }
    if scenario.name == MADE && !agent.made.is_empty() {
        early_in_a_minute();
    }
    match set_up(agent, programs, folder, "shop") {
        Ok(cell) => match cell.play(scenario) {
            CellResult::Judged(mut found) => {
                if scenario.name == CARRY || programs.matrix {
                    carry_on(&cell, programs, scenario, folder, &mut found);
                }
                match scenario.name {
                    MADE => live::made::check(&cell, &mut found),
                    name => live::check(&cell, name, &mut found),
                }
                let at_home = cell.mock.refused();
                found.arrivals.iter_mut().for_each(|arrival| arrival.refused_at_home(&at_home));
                for arrival in &found.arrivals {
                    found.wrong.extend(arrival.wrong());
                    found.notes.push(arrival.note());
                }
                CellResult::Judged(found)
            }
            other => other,
        },
        Err(error) => CellResult::Failed(format!("it could not be set up: {error}")),
    }
}

/// Waits for the first half of a minute, if there is less time. An agent that names its files by
/// the minute begins another one in the next, and the file that is changed by hand is then not the
/// one that it reads.
fn early_in_a_minute() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let second = now.map_or(0, |now| now.as_secs() % 60);
    if second > 30 {
        std::thread::sleep(Duration::from_secs(60 - second));
    }
}

/// Lets every agent resume the cell's session.
fn carry_on(
    cell: &Cell<'_>,
    programs: &Programs,
    scenario: &Scenario,
    folder: &Path,
    found: &mut judge::Findings,
) {
    let Some(source) = Source::of(cell, scenario.name) else {
        // Some agents keep nothing of a request that failed at once.
        return;
    };
    found.arrivals = carry::carried(&source, programs, &folder.join("carried"));
}

/// An empty home of an agent, and a folder of this name in which it works.
pub(crate) fn set_up<'a>(
    agent: &'a Agent,
    programs: &Programs,
    folder: &Path,
    work: &str,
) -> io::Result<Cell<'a>> {
    let (home, work) = (folder.join("home"), folder.join(work));
    let notes = folder.join("notes");
    for folder in [&home, &work, &notes, &folder.join("tmp")] {
        fs::create_dir_all(folder)?;
    }
    for (name, text) in script::FILES {
        let path = work.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)?;
    }
    if let Some(name) = agent.memory {
        fs::write(work.join(STALL).join(name), format!("{MEMORY}\n"))?;
    }
    fs::write(work.join("basket.png"), PNG)?;
    judge::git(&work, &["init", "-q", "-b", "main"])?;
    judge::git(&work, &["add", "."])?;
    let who = ["-c", "user.name=Ana", "-c", "user.email=ana@shop.example"];
    judge::git(&work, &[&who[..], &["commit", "-q", "-m", "The shop"]].concat())?;
    let mock = Mock::start(&folder.join("requests"), &work, agent.vocabulary, true)?;
    let place = Place {
        home: home.clone(),
        work,
        port: mock.port,
        program: programs.agent.clone(),
        node: programs.node.clone(),
    };
    (agent.prepare)(&place)?;
    let verbatim = Verbatim::new(programs.verbatim.clone(), home, notes.clone());
    Ok(Cell { agent, place, notes, mock, verbatim })
}

impl Cell<'_> {
    fn play(&self, scenario: &Scenario) -> CellResult {
        for (at, turn) in scenario.turns.iter().enumerate() {
            let id = match turn {
                Turn::Resume(_) | Turn::Fork(_) | Turn::Compact => match self.verbatim.newest() {
                    Some(id) => id,
                    None => return CellResult::Judged(Box::new(judge::Findings::nothing_found())),
                },
                _ => String::new(),
            };
            let image = self.place.work.join("basket.png");
            let ask = match *turn {
                Turn::Prompt(prompt) | Turn::Interrupt(prompt) => Ask::Prompt(prompt),
                Turn::Image(prompt) => Ask::Image(prompt, &image),
                Turn::Resume(prompt) => Ask::Resume(&id, prompt),
                Turn::Fork(prompt) => Ask::Fork(&id, prompt),
                Turn::Compact => Ask::Compact(&id),
                Turn::Told(means, prompt) => Ask::Told(means, prompt),
            };
            let before = self.mock.asked();
            if let Err(verdict) = self.ask(at, &ask, matches!(turn, Turn::Interrupt(_))) {
                return verdict;
            }
            if self.mock.asked() == before {
                return CellResult::Failed(format!("it asked no model; {}", self.said(at)));
            }
        }
        let told = self.mock.told();
        self.write_told(&told);
        let mut found = self.verbatim.judge(self.agent.name, scenario, &told, &self.place.work);
        let refused = self.mock.refused().into_iter();
        found.wrong.extend(refused.map(|why| format!("a provider refuses the request: {why}")));
        CellResult::Judged(Box::new(found))
    }

    pub(crate) fn ask(&self, at: usize, ask: &Ask<'_>, interrupt: bool) -> Result<(), CellResult> {
        let asked = (self.agent.command)(&self.place, ask)
            .map_err(|why| CellResult::Cannot(why.to_owned()))?;
        self.run(at, &asked, interrupt)
    }

    /// Runs a command of the agent.
    pub(crate) fn run(&self, at: usize, asked: &Asked, interrupt: bool) -> Result<(), CellResult> {
        let failed = |what: String| CellResult::Failed(format!("{what}; {}", self.said(at)));
        let (program, arguments) =
            asked.arguments.split_first().ok_or_else(|| failed("no command".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.place.work).env_clear();
        command.envs(self.environment()).envs((self.agent.variables)(&self.place));
        let mut process =
            Process::start(&mut command, &asked.input, &self.notes, &format!("turn-{at}"))
                .map_err(|error| failed(format!("{program}: {error}")))?;
        if !interrupt {
            return match process.end(LIMIT) {
                Ending::Left(_) => Ok(()),
                Ending::Killed => Err(failed(format!("it took longer than {LIMIT:?}"))),
            };
        }
        if !process.wait_for(LIMIT, || self.mock.is_silent()) {
            return Err(failed("it did not come to the silence".to_owned()));
        }
        // The agent may first save the part of the answer that it has received.
        std::thread::sleep(Duration::from_secs(1));
        process.signal(Signal::INT);
        process.leave(LEAVE);
        Ok(())
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let home = self.place.home.to_string_lossy().into_owned();
        let tmp = self.notes.with_file_name("tmp").to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let node = self.place.node.as_ref().and_then(|node| node.parent());
        let path = node.map_or(path.clone(), |node| format!("{}:{path}", node.display()));
        // If the network can't be closed, a request to the outside finds a closed port.
        let closed = "http://127.0.0.1:9".to_owned();
        let pairs = [
            ("HOME", home),
            ("TMPDIR", tmp),
            ("PATH", path),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("SHELL", "/bin/bash".to_owned()),
            ("USER", "ana".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("HTTP_PROXY", closed.clone()),
            ("HTTPS_PROXY", closed.clone()),
            ("http_proxy", closed.clone()),
            ("https_proxy", closed),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
            ("no_proxy", "127.0.0.1,localhost".to_owned()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// The folder with the requests that the agent sent.
    pub(crate) fn requests(&self) -> PathBuf {
        self.notes.with_file_name("requests")
    }

    /// Removes the requests so far.
    pub(crate) fn forget(&self) {
        drop(fs::remove_dir_all(self.requests()));
        drop(fs::create_dir_all(self.requests()));
    }

    /// The agent's last error message.
    fn said(&self, at: usize) -> String {
        let read = |kind: &str| {
            let bytes = fs::read(self.notes.join(format!("turn-{at}.{kind}"))).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            last.map(|line| line.chars().filter(|c| !c.is_control()).take(160).collect::<String>())
        };
        let said = read("stderr").or_else(|| read("stdout"));
        said.map_or("it said nothing".to_owned(), |said| format!("it said: {said}"))
    }

    fn write_told(&self, told: &[Told]) {
        let lines: String = told.iter().map(|told| format!("{}\n", told.to_json())).collect();
        drop(fs::write(self.notes.join("told.jsonl"), lines));
    }
}

/// A small red square.
const PNG: &[u8] = include_bytes!("../../../interop/basket.png");
