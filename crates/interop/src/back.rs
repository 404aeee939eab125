//! Back and forth: a session is placed into another agent, both go on, and it is placed again; into
//! another home, for another folder; and a damaged session is mended and continued.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent::{Agent, Ask, Place};
use crate::carry::{PROMPT, request};
use crate::cell::{Cell, CellResult, Programs, set_up};
use crate::judge::{Findings, Verbatim};
use crate::mock::Mock;

/// The prompts of each side.
const FIRST: &str = "Mend the prices. [[work]]";
const THERE: &str = "How many quinces are left there? [[hello]]";
const AGAIN: &str = "And how many medlars at home? [[hello]]";
const MORE: &str = "Count the sloes at home, too. [[hello]]";

/// Goes back and forth between an agent and each other one that runs.
pub(crate) fn run(agent: &'static Agent, programs: &Programs, folder: &Path) -> CellResult {
    let cell = match set_up(agent, programs, folder, "shop") {
        Ok(cell) => cell,
        Err(error) => return CellResult::Failed(format!("it could not be set up: {error}")),
    };
    if let Err(result) = cell.ask(0, &Ask::Prompt(FIRST), false) {
        return result;
    }
    let mut found = Findings::default();
    for (target, program) in programs.all.iter().filter(|(other, _)| other.name != agent.name) {
        let folder = folder.join(format!("to-{}", target.name));
        match pair(&cell, (target, program), programs, &folder) {
            Ok(()) => found.sessions += 1,
            Err(why) => found.wrong.push(format!("{} and {}: {why}", agent.name, target.name)),
        }
    }
    found.notes.push(format!("back and forth with {} agents", found.sessions));
    CellResult::Judged(Box::new(found))
}

/// The other agent in a home of its own, and the session that is placed there.
struct Pair<'p> {
    home: &'p Cell<'p>,
    other: Cell<'p>,
    bin: PathBuf,
    verbatim: &'p Path,
}

fn pair(
    home: &Cell<'_>,
    (target, program): (&'static Agent, &Path),
    programs: &Programs,
    folder: &Path,
) -> Result<(), String> {
    let pair = Pair::new(home, (target, program), programs, folder)?;
    let first = pair.placed(&[], "placed")?;
    let id = text(&first, "id");
    pair.other_goes_on(10, &id, THERE)?;
    pair.placed(&[], "continued")?;
    // Both have gone on: the newer state is another session.
    pair.home_goes_on(1, AGAIN)?;
    let second = pair.placed(&[], "placed")?;
    let newer = text(&second, "id");
    if newer == id {
        return Err("what the other agent continued was replaced".to_owned());
    }
    if second["earlier"]["newer"] != 1 {
        return Err(format!("it says that {} turns are newer, not 1", second["earlier"]["newer"]));
    }
    // The source goes on once more, and nobody has continued the second copy.
    pair.home_goes_on(2, MORE)?;
    let third = pair.placed(&[], "placed")?;
    let newest = text(&third, "id");
    let files = third["files"].as_array().is_some_and(|files| !files.is_empty());
    if files && newest != newer {
        return Err("what nobody continued was not replaced".to_owned());
    }
    let asked = pair.other_goes_on(11, &newest, PROMPT)?;
    holds(&asked, &[AGAIN, MORE])?;
    let asked = pair.other_goes_on(12, &id, PROMPT)?;
    holds(&asked, &[THERE])?;
    // Another folder and another home are placements of their own.
    let elsewhere = folder.join("elsewhere");
    fs::create_dir_all(&elsewhere).map_err(|error| error.to_string())?;
    let there = elsewhere.to_string_lossy().into_owned();
    pair.placed(&["--folder", &there], "placed")?;
    pair.undone(&["--folder", &there])?;
    if files {
        let tried = folder.join("try").to_string_lossy().into_owned();
        pair.placed(&["--home", &tried], "placed")?;
        pair.undone(&["--home", &tried])?;
    }
    pair.placed(&[], "continued").map(drop)
}

impl<'p> Pair<'p> {
    fn new(
        home: &'p Cell<'p>,
        (target, program): (&'static Agent, &Path),
        programs: &'p Programs,
        folder: &Path,
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("it could not be set up: {error}");
        let (own, notes, bin) = (folder.join("home"), folder.join("notes"), folder.join("bin"));
        for folder in [&own, &notes, &bin, &folder.join("tmp")] {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        std::os::unix::fs::symlink(program, bin.join(target.name)).map_err(failed)?;
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
        Ok(Self { home, other, bin, verbatim: &programs.verbatim })
    }

    /// The source's id in its own agent.
    fn source(&self) -> Result<String, String> {
        self.home.verbatim.newest().ok_or_else(|| "no session is listed".to_owned())
    }

    /// Places the session in its present state, and expects this outcome.
    fn placed(&self, more: &[&str], state: &str) -> Result<Value, String> {
        let source = self.source()?;
        let work = self.other.place.work.to_string_lossy().into_owned();
        let from = self.home.place.home.to_string_lossy().into_owned();
        let mut all = vec!["resume", &source, "--to", self.other.agent.name, "--json"];
        all.extend(["--in", &from]);
        if !more.contains(&"--folder") {
            all.extend(["--folder", &work]);
        }
        all.extend(more);
        let document = resume(&self.other, self.verbatim, &self.bin, &all)?;
        (self.other.agent.settle)(&self.other.place).map_err(|error| error.to_string())?;
        match document["state"] == state {
            true => Ok(document),
            false => Err(format!("it is {}, not {state}", document["state"])),
        }
    }

    fn undone(&self, more: &[&str]) -> Result<(), String> {
        let source = self.source()?;
        let all = [&["resume", &source, "--undo", "--json"], more].concat();
        resume(&self.other, self.verbatim, &self.bin, &all).map(drop)
    }

    fn other_goes_on(&self, at: usize, id: &str, prompt: &str) -> Result<String, String> {
        goes_on(&self.other, at, id, prompt)
    }

    fn home_goes_on(&self, at: usize, prompt: &str) -> Result<(), String> {
        let source = self.source()?;
        goes_on(self.home, at, &source, prompt).map(drop)
    }
}

/// Lets an agent continue a session. Returns the texts of its request.
fn goes_on(cell: &Cell<'_>, at: usize, id: &str, prompt: &str) -> Result<String, String> {
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

fn holds(asked: &str, said: &[&str]) -> Result<(), String> {
    match said.iter().find(|said| !asked.contains(*said)) {
        Some(said) => Err(format!("its request does not have `{said}`")),
        None => Ok(()),
    }
}

fn text(document: &Value, name: &str) -> String {
    document[name].as_str().unwrap_or_default().to_owned()
}

/// Runs `verbatim resume` in an agent's home. Returns its document.
fn resume(
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

/// The damage that is done to a session's file by hand: the words of the lines that are removed, or
/// a line that is added.
enum Harm {
    Without(&'static [&'static str]),
    With(&'static str),
}

/// Damages the session of an agent, lets verbatim mend it, and lets the agent continue the copy.
pub(crate) fn mended(agent: &'static Agent, programs: &Programs, folder: &Path) -> CellResult {
    let harm = match agent.name {
        "claude-code" => Harm::Without(&["\"tool_result\""]),
        "codex" => Harm::Without(&["function_call_output\"", "custom_tool_call_output\""]),
        "gemini" => Harm::With("{\"$set\":{\"messages\":[]}}\n"),
        _ => return CellResult::Cannot("its sessions are no files of lines".to_owned()),
    };
    let cell = match set_up(agent, programs, folder, "shop") {
        Ok(cell) => cell,
        Err(error) => return CellResult::Failed(format!("it could not be set up: {error}")),
    };
    if let Err(result) = cell.ask(0, &Ask::Prompt(FIRST), false) {
        return result;
    }
    let mut found = Findings::default();
    match copy_of(&cell, programs, folder, &harm) {
        Ok(note) => found.notes.push(note),
        Err(why) => found.wrong.push(why),
    }
    found.wrong.extend(cell.mock.refused().into_iter().map(|why| format!("refused: {why}")));
    CellResult::Judged(Box::new(found))
}

fn copy_of(
    cell: &Cell<'_>,
    programs: &Programs,
    folder: &Path,
    harm: &Harm,
) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let listed = cell.verbatim.listed_in(&cell.place.home, cell.agent.name);
    let session = listed.into_iter().next().ok_or("no session is listed")?;
    let before = fs::read_to_string(&session.file).map_err(failed)?;
    let damaged = match harm {
        Harm::With(line) => format!("{before}{line}"),
        Harm::Without(words) => {
            let has = |line: &&str| !words.iter().any(|word| line.contains(word));
            before.split_inclusive('\n').filter(has).collect()
        }
    };
    if damaged == before {
        return Err("the file has nothing to damage".to_owned());
    }
    // A line that the agent was writing when it was killed.
    let half = before.lines().last().map_or("", |line| &line[..line.len() / 2]);
    let damaged = format!("{damaged}{half}");
    fs::write(&session.file, &damaged).map_err(failed)?;
    let bin = folder.join("bin");
    // Gemini CLI records a digest of the folder only.
    let work = cell.place.work.display().to_string();
    let arguments = ["resume", &session.id, "--repair", "--folder", &work, "--json"];
    let copy = resume(cell, &programs.verbatim, &bin, &arguments)?;
    // Before the agent runs: some agents delete what they can't read at their start.
    if fs::read_to_string(&session.file).map_err(failed)? != damaged {
        return Err("the damaged session was changed".to_owned());
    }
    if copy["id"] == session.id.as_str() || copy["mended"].as_array().is_none_or(Vec::is_empty) {
        return Err("the copy is not another session, or nothing is mended".to_owned());
    }
    (cell.agent.settle)(&cell.place).map_err(failed)?;
    cell.forget();
    let asked = goes_on(cell, 1, &text(&copy, "id"), PROMPT)?;
    holds(&asked, &[FIRST])?;
    request(&cell.requests())?;
    Ok("the mended copy is continued".to_owned())
}
