//! Back and forth between two agents: a session is placed into the other agent, both go on, and it
//! is placed again, and back; into another home, and for another folder; and removed again. Nothing
//! is lost, nothing is in the way, and each state can be reached.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent::{Agent, Ask, Place};
use crate::carry::PROMPT;
use crate::cell::{Cell, CellResult, Programs, set_up};
use crate::judge::{Findings, Verbatim};
use crate::mock::Mock;

mod journal;

/// The first prompt.
const FIRST: &str = "Mend the prices. [[work]]";

/// The prompts of each side. The session at home is that of all pairs, so each pair has its own.
struct Prompts {
    there: String,
    again: String,
    more: String,
}

impl Prompts {
    fn of(target: &Agent) -> Self {
        let name = target.name;
        Self {
            there: format!("How many quinces are left in {name}? [[hello]]"),
            again: format!("And how many medlars at home, not in {name}? [[hello]]"),
            more: format!("Count the sloes at home too, not in {name}. [[hello]]"),
        }
    }
}

/// Goes back and forth between an agent and others: all that run, or the one of a sample.
pub(crate) fn run(agent: &'static Agent, programs: &Programs, folder: &Path) -> CellResult {
    let cell = match set_up(agent, programs, folder, "shop") {
        Ok(cell) => cell,
        Err(error) => return CellResult::Failed(format!("it could not be set up: {error}")),
    };
    // What is placed must stay although its agent cleans up; the source's agent is not on trial.
    if let Err(error) = (agent.keep)(&cell.place) {
        return CellResult::Failed(format!("it could not be set up: {error}"));
    }
    if let Err(result) = cell.ask(0, &Ask::Prompt(FIRST), false) {
        return result;
    }
    let mut found = Findings::default();
    let Some(source) = cell.verbatim.newest() else {
        return CellResult::Judged(Box::new(Findings::nothing_found()));
    };
    for (target, program) in others(agent, programs) {
        let folder = folder.join(format!("to-{}", target.name));
        let names = format!("{} and {}", agent.name, target.name);
        match pair(&cell, &source, (target, program), programs, &folder) {
            Ok(steps) => {
                found.sessions += 1;
                found.notes.push(format!("{names}: {steps} steps, nothing lost or refused"));
            }
            Err(why) => found.wrong.push(format!("{names}: {why}")),
        }
    }
    CellResult::Judged(Box::new(found))
}

/// The agents to which an agent goes. In a sample each agent is once the first and once the other.
fn others<'p>(
    agent: &Agent,
    programs: &'p Programs,
) -> impl Iterator<Item = (&'static Agent, &'p Path)> {
    let all = &programs.all;
    let own = all.iter().position(|(other, _)| other.name == agent.name);
    let chosen = programs.sample.zip(own).filter(|_| all.len() > 1).map(|(seed, own)| {
        let further = 1 + usize::try_from(seed % (all.len() as u64 - 1)).unwrap_or(0);
        (own + further) % all.len()
    });
    let is_one = move |at: usize| chosen.is_none_or(|chosen| at == chosen) && Some(at) != own;
    let all = all.iter().enumerate().filter(move |(at, _)| is_one(*at));
    all.map(|(_, (agent, program))| (*agent, program.as_path()))
}

/// The other agent in a home of its own, and the session that is placed there.
struct Pair<'p> {
    home: &'p Cell<'p>,
    /// The id of the session in its own agent.
    source: &'p str,
    other: Cell<'p>,
    /// The folder with the names of both agents' programs.
    bin: PathBuf,
    verbatim: &'p Path,
    /// The number of steps so far.
    steps: usize,
}

fn pair(
    home: &Cell<'_>,
    source: &str,
    to: (&'static Agent, &Path),
    programs: &Programs,
    folder: &Path,
) -> Result<usize, String> {
    let mut pair = Pair::new(home, source, to, programs, folder)?;
    let Prompts { there, again, more } = Prompts::of(to.0);
    let first = pair.placed(&[], "placed")?;
    let id = text(&first, "id");
    let files = first["files"].as_array().is_some_and(|files| !files.is_empty());
    let kept = journal::as_before(&pair.other.place.home)?;
    pair.placed(&[], "placed-before")?;
    pair.other_goes_on(10, &id, &there, &[FIRST])?;
    pair.placed(&[], "continued")?;
    journal::restore(kept)?;
    pair.placed(&[], "continued")?;
    let newest = pair.both_go_on(&id, files)?;
    pair.other_goes_on(11, &newest, PROMPT, &[FIRST, &again, &more])?;
    pair.other_goes_on(12, &id, PROMPT, &[FIRST, &there])?;
    pair.elsewhere(folder, files)?;
    pair.placed(&[], "continued")?;
    pair.comes_back(&id)?;
    match home.mock.refused().into_iter().chain(pair.other.mock.refused()).next() {
        Some(why) => Err(format!("a provider refuses the request: {why}")),
        None => Ok(pair.steps),
    }
}

impl<'p> Pair<'p> {
    fn new(
        home: &'p Cell<'p>,
        source: &'p str,
        (target, program): (&'static Agent, &Path),
        programs: &'p Programs,
        folder: &Path,
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("it could not be set up: {error}");
        let (own, notes, bin) = (folder.join("home"), folder.join("notes"), folder.join("bin"));
        for folder in [&own, &notes, &bin, &folder.join("tmp")] {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        for (name, program) in [(target.name, program), (home.agent.name, &programs.agent)] {
            std::os::unix::fs::symlink(program, bin.join(name)).map_err(failed)?;
        }
        let work = &home.place.work;
        let requests = folder.join("requests");
        let mock = Mock::start(&requests, work, target.vocabulary, true).map_err(failed)?;
        let place = Place {
            home: own.clone(),
            work: work.clone(),
            port: mock.port,
            program: program.to_owned(),
            node: programs.node.clone(),
        };
        (target.prepare)(&place).map_err(failed)?;
        let verbatim = Verbatim::new(programs.verbatim.clone(), own, notes.clone());
        let other = Cell { agent: target, place, notes, mock, verbatim };
        Ok(Self { home, source, other, bin, verbatim: &programs.verbatim, steps: 0 })
    }

    /// Both have gone on: the newer state is another session there, and its own next state takes
    /// its place, and gives it back. Returns the id of the newest one.
    fn both_go_on(&mut self, id: &str, files: bool) -> Result<String, String> {
        let Prompts { there, again, more } = &Prompts::of(self.other.agent);
        self.home_goes_on(1, again, &[FIRST])?;
        let second = self.placed(&[], "placed")?;
        let newer = text(&second, "id");
        if newer == id {
            return Err("what the other agent continued was replaced".to_owned());
        }
        if second["earlier"]["newer"] != 1 {
            return Err(format!(
                "it says that {} turns are newer, not 1",
                second["earlier"]["newer"]
            ));
        }
        // The source goes on once more, and nobody has continued the second copy.
        self.home_goes_on(2, more, &[FIRST, again])?;
        let third = self.placed(&[], "placed")?;
        let newest = text(&third, "id");
        if files && newest != newer {
            return Err("what nobody continued was not replaced".to_owned());
        }
        self.shows(&newest, &[FIRST, again, more], &[there])?;
        self.undone(&[])?;
        self.shows(&newer, &[FIRST, again], &[more, there])?;
        self.shows(id, &[FIRST, there], &[again, more])?;
        let third = self.placed(&[], "placed")?;
        Ok(text(&third, "id"))
    }

    /// Another folder and another home are placements of their own.
    fn elsewhere(&mut self, folder: &Path, files: bool) -> Result<(), String> {
        let there = folder.join("elsewhere");
        fs::create_dir_all(&there).map_err(|error| error.to_string())?;
        let there = there.to_string_lossy().into_owned();
        self.placed(&["--folder", &there], "placed")?;
        self.undone(&["--folder", &there])?;
        if files {
            let tried = folder.join("try").to_string_lossy().into_owned();
            self.placed(&["--home", &tried], "placed")?;
            self.undone(&["--home", &tried])?;
        }
        Ok(())
    }

    /// The session that the other agent continued is placed into the first agent, and goes on.
    fn comes_back(&mut self, id: &str) -> Result<(), String> {
        let to = self.home.agent.name;
        let from = self.other.place.home.to_string_lossy().into_owned();
        let id = format!("{}:{id}", self.other.agent.name);
        let work = self.home.place.work.to_string_lossy().into_owned();
        let all = ["resume", &id, "--to", to, "--json", "--in", &from, "--folder", &work];
        self.steps += 1;
        let back = resume(self.home, self.verbatim, &self.bin, &all)?;
        (self.home.agent.settle)(&self.home.place).map_err(|error| error.to_string())?;
        if back["state"] != "placed" || back["id"] == self.source {
            return Err(format!("back at home it is {}, as {}", back["state"], back["id"]));
        }
        let asked = goes_on(self.home, 3, &text(&back, "id"), PROMPT)?;
        holds(&asked, &[FIRST, &Prompts::of(self.other.agent).there])
    }

    /// Places the session in its present state, and expects this outcome.
    fn placed(&mut self, more: &[&str], state: &str) -> Result<Value, String> {
        self.steps += 1;
        let work = self.other.place.work.to_string_lossy().into_owned();
        let from = self.home.place.home.to_string_lossy().into_owned();
        let mut all = vec!["resume", self.source, "--to", self.other.agent.name, "--json"];
        all.extend(["--in", &from]);
        if !more.contains(&"--folder") {
            all.extend(["--folder", &work]);
        }
        all.extend(more);
        let document = resume(&self.other, self.verbatim, &self.bin, &all)?;
        (self.other.agent.settle)(&self.other.place).map_err(|error| error.to_string())?;
        match document["state"] == state {
            true => Ok(document),
            false => {
                Err(format!("at step {} it is {}, not {state}", self.steps, document["state"]))
            }
        }
    }

    fn undone(&mut self, more: &[&str]) -> Result<(), String> {
        self.steps += 1;
        let all = [&["resume", self.source, "--undo", "--json"], more].concat();
        resume(&self.other, self.verbatim, &self.bin, &all).map(drop)
    }

    /// Whether the other agent's store has a session with these prompts, and without those.
    fn shows(&mut self, id: &str, with: &[&str], without: &[&str]) -> Result<(), String> {
        self.steps += 1;
        let uid = format!("{}:{id}", self.other.agent.name);
        let shown = self.other.verbatim.show_in(&uid, &self.other.place.home);
        let shown = shown.ok_or_else(|| format!("{uid} is not there"))?.to_string();
        if let Some(said) = without.iter().find(|said| shown.contains(**said)) {
            return Err(format!("{uid} has `{said}`"));
        }
        holds(&shown, with)
    }

    fn other_goes_on(
        &mut self,
        at: usize,
        id: &str,
        prompt: &str,
        said: &[&str],
    ) -> Result<(), String> {
        self.steps += 1;
        holds(&goes_on(&self.other, at, id, prompt)?, said)
    }

    fn home_goes_on(&mut self, at: usize, prompt: &str, said: &[&str]) -> Result<(), String> {
        self.steps += 1;
        holds(&goes_on(self.home, at, self.source, prompt)?, said)
    }
}

/// Lets an agent continue a session. Returns the texts of its request.
pub(crate) fn goes_on(
    cell: &Cell<'_>,
    at: usize,
    id: &str,
    prompt: &str,
) -> Result<String, String> {
    cell.forget();
    cell.ask(at, &Ask::Resume(id, prompt), false).map_err(|result| match result {
        CellResult::Cannot(why) | CellResult::Failed(why) => why,
        CellResult::Judged(_) => "it was judged".to_owned(),
    })?;
    let asked = fs::read_dir(cell.requests()).map_err(|error| error.to_string())?;
    let texts = asked.flatten().filter_map(|entry| fs::read_to_string(entry.path()).ok());
    let texts: Vec<String> = texts.filter(|text| text.contains(prompt)).collect();
    match texts.is_empty() {
        true => Err(format!("it sent no request with `{prompt}`")),
        false => Ok(texts.join("\n")),
    }
}

pub(crate) fn holds(asked: &str, said: &[&str]) -> Result<(), String> {
    match said.iter().find(|said| !asked.contains(*said)) {
        Some(said) => Err(format!("its request does not have `{said}`")),
        None => Ok(()),
    }
}

pub(crate) fn text(document: &Value, name: &str) -> String {
    document[name].as_str().unwrap_or_default().to_owned()
}

/// Runs `verbatim resume` in an agent's home. Returns its document.
pub(crate) fn resume(
    cell: &Cell<'_>,
    verbatim: &Path,
    bin: &Path,
    arguments: &[&str],
) -> Result<Value, String> {
    let mut command = Command::new(verbatim);
    command.args(arguments).current_dir(&cell.place.work);
    command.env_clear().envs(cell.environment()).envs((cell.agent.variables)(&cell.place));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", bin.display()));
    let output = command.output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.lines().find(|line| line.starts_with("error")).unwrap_or("nothing");
        format!("verbatim {} said: {said}", arguments.join(" "))
    })
}
