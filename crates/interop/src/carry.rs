//! A session is resumed by every agent: `verbatim resume` places it into the agent's empty home,
//! and the request that the agent then sends has the whole conversation.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent::{Agent, Ask, Place};
use crate::cell::{Cell, CellResult, LIMIT, Programs};
use crate::judge::Verbatim;
use crate::live::shown;
use crate::mock::Mock;
use crate::process::Process;

pub(crate) mod corpus;
pub(crate) mod items;
pub(crate) mod matrix;
pub(crate) mod parts;
pub(crate) mod sources;
pub(crate) mod told;

use matrix::Arrival;
use parts::{Part, plain, strings, thoughts};
use told::FileTexts;

/// The prompt with which the agent continues.
pub(crate) const PROMPT: &str = "And now? [[hello]]";

/// A session that agents are to resume.
pub(crate) struct Source<'s> {
    /// The agent that wrote it.
    pub agent: &'static str,
    /// Its name in the matrix.
    pub name: &'s str,
    /// The folder in which verbatim finds it.
    pub home: &'s Path,
    /// The id by which verbatim finds it there.
    pub id: String,
    /// The folder in which it is continued.
    pub work: &'s Path,
    /// Its first file, if it is a real session.
    pub file: Option<&'s Path>,
}

impl<'s> Source<'s> {
    /// The newest session of a cell.
    pub(crate) fn of(cell: &'s Cell<'_>, name: &'s str) -> Option<Self> {
        let id = cell.verbatim.newest()?;
        let (agent, home, work) = (cell.agent.name, &cell.place.home, &cell.place.work);
        Some(Self { agent, name, home, id, work, file: None })
    }
}

/// An agent's first request with the prompt.
struct Resumed {
    body: Value,
    /// Its texts.
    text: String,
    /// The requests that a provider refuses, in its words.
    refused: Vec<String>,
}

/// Lets each agent resume a session. The source's own agent is the control: what it does not send
/// of its own session, it drops itself.
pub(crate) fn carried(source: &Source<'_>, programs: &Programs, folder: &Path) -> Vec<Arrival> {
    let failed = |why: &str| Arrival { why: Some(why.to_owned()), ..Arrival::of(source, "") };
    if fs::create_dir_all(folder).is_err() {
        return vec![failed("its folder can't be made")];
    }
    let agents = programs.all.iter();
    let resumed: Vec<_> = agents
        .map(|(target, program)| {
            let folder = folder.join(format!("to-{}", target.name));
            (*target, resumed(source, (target, program), programs, &folder))
        })
        .collect();
    let Some((control, parts)) = expected(source, programs, folder, &resumed) else {
        return vec![failed("the session can't be shown")];
    };
    let arrival = |(target, resumed): (&'static Agent, Result<Resumed, String>)| {
        let arrival = Arrival { control, ..Arrival::of(source, target.name) };
        let resumed = match resumed {
            Ok(resumed) => resumed,
            Err(why) => return Arrival { why: Some(why), parts: parts.len(), ..arrival },
        };
        let (absent, there): (Vec<&Part>, Vec<&Part>) =
            parts.iter().partition(|part| !part.is_in(&resumed.text));
        let (dropped, missing): (Vec<&Part>, Vec<&Part>) =
            absent.into_iter().partition(|part| (target.drops)(part, &resumed.text).is_some());
        let reasons = dropped.iter().filter_map(|part| (target.drops)(part, &resumed.text));
        let reasons = reasons.collect::<BTreeSet<_>>().into_iter().collect();
        let arrival = arrival.with(&parts, &there, &missing).without(reasons);
        Arrival { refused: resumed.refused, ..arrival }
    };
    resumed.into_iter().map(arrival).collect()
}

/// The parts that each request must have, and the judge that knows them. Of a real session: the
/// request of its own agent; if that can't run here, the second reader; without both, verbatim.
fn expected(
    source: &Source<'_>,
    programs: &Programs,
    folder: &Path,
    resumed: &[(&'static Agent, Result<Resumed, String>)],
) -> Option<(&'static str, Vec<Part>)> {
    let verbatim = Verbatim::new(programs.verbatim.clone(), folder.into(), folder.into());
    let show = || verbatim.show_in(&source.id, source.home);
    let own = resumed.iter().find(|(agent, _)| agent.name == source.agent);
    if let Some((agent, Ok(own))) = own {
        let mut parts = items::items(&own.body, PROMPT);
        for part in &mut parts {
            let bare = (agent.bare)(&part.text);
            if bare.len() < part.text.len() {
                *part = Part::new("prompt", bare.to_owned());
            }
        }
        parts.retain(|part| !told::is_own(agent.name, &part.text));
        let texts = FileTexts::of(source.file.unwrap_or(source.home));
        let core = |part: Part| match &*part.kind {
            "told" => texts.core(part),
            _ => vec![part],
        };
        let parts = parts.into_iter().flat_map(core);
        let mut parts: Vec<Part> = parts.flat_map(Part::around_cuts).collect();
        without_thoughts(&mut parts, &thoughts(&show()?));
        return Some(("its own agent", parts));
    }
    let read = |file| items::second_reader(&corpus::shared()?, source.agent, file);
    if let Some(parts) = source.file.and_then(read) {
        return Some(("the second reader", parts));
    }
    Some(("verbatim", shown::parts(&show()?)))
}

/// Removes the thoughts from answers: one agent sends its thoughts as answers, or in front of them.
/// Other agents have thoughts of their own.
fn without_thoughts(parts: &mut Vec<Part>, thoughts: &BTreeSet<String>) {
    for part in parts.iter_mut().filter(|part| part.kind == "answer") {
        let mut rest = part.text.as_str();
        while let Some(behind) = thoughts
            .iter()
            .filter(|thought| !thought.is_empty())
            .filter_map(|thought| rest.strip_prefix(thought.as_str()))
            .min_by_key(|behind| behind.len())
        {
            rest = behind.trim_start();
        }
        part.text = rest.to_owned();
    }
    parts.retain(|part| !part.text.is_empty());
}

/// Places the session into the agent's empty home, and lets the agent continue it. Returns its
/// first request.
fn resumed(
    source: &Source<'_>,
    (target, program): (&'static Agent, &Path),
    programs: &Programs,
    folder: &Path,
) -> Result<Resumed, String> {
    let failed = |error: io::Error| format!("it could not be set up: {error}");
    let (home, notes, bin) = (folder.join("home"), folder.join("notes"), folder.join("bin"));
    let requests = folder.join("requests");
    for folder in [&home, &notes, &bin, &folder.join("tmp")] {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    std::os::unix::fs::symlink(program, bin.join(target.name)).map_err(failed)?;
    let own = source.agent == target.name;
    let mock = Mock::start(&requests, source.work, target.vocabulary, own).map_err(failed)?;
    let place = Place {
        home: home.clone(),
        work: source.work.to_owned(),
        port: mock.port,
        program: program.to_owned(),
        node: programs.node.clone(),
    };
    (target.prepare)(&place).map_err(failed)?;
    let verbatim = Verbatim::new(programs.verbatim.clone(), home, notes.clone());
    let other = Cell { agent: target, place, notes, mock, verbatim };
    let id = placed(source, &other, programs, &bin)?;
    (target.settle)(&other.place).map_err(failed)?;
    said(other.ask(1, &Ask::Resume(&id, PROMPT), false))?;
    let (body, text) = request(&requests)?;
    Ok(Resumed { body, text, refused: other.mock.refused() })
}

/// Runs `verbatim resume` in the agent's home. Returns the session's id in that agent.
fn placed(
    source: &Source<'_>,
    cell: &Cell<'_>,
    programs: &Programs,
    bin: &Path,
) -> Result<String, String> {
    let mut command = Command::new(&programs.verbatim);
    command.args(["resume", &source.id, "--to", cell.agent.name, "--json", "--in"]);
    command.arg(source.home).arg("--folder").arg(source.work);
    command.current_dir(source.work).env_clear().envs(cell.environment());
    command.envs((cell.agent.variables)(&cell.place));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", bin.display()));
    let process = Process::start(&mut command, "", &cell.notes, "resume");
    process.map_err(|error| format!("verbatim resume: {error}"))?.end(LIMIT);
    let read = |kind: &str| fs::read(cell.notes.join(format!("resume.{kind}"))).unwrap_or_default();
    let placed: Option<Value> = serde_json::from_slice(&read("stdout")).ok();
    let id = placed.as_ref().and_then(|placed| placed["id"].as_str());
    id.map(str::to_owned).ok_or_else(|| {
        let said = String::from_utf8_lossy(&read("stderr")).into_owned();
        format!("verbatim resume: {}", said.lines().next().unwrap_or("it said nothing"))
    })
}

fn said(result: Result<(), CellResult>) -> Result<(), String> {
    result.map_err(|result| match result {
        CellResult::Cannot(why) | CellResult::Failed(why) => why,
        CellResult::Judged(_) => "it was judged".to_owned(),
    })
}

/// The first request that has the prompt, and its texts.
pub(crate) fn request(folder: &Path) -> Result<(Value, String), String> {
    let files = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = files.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let asked = files.iter().filter_map(|file| {
        let mut value: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        let mut texts = Vec::new();
        strings(&value, &mut texts);
        let text = plain(&texts.join("\n"));
        text.contains(PROMPT).then(|| (value["body"].take(), text))
    });
    // Some agents ask for a title first, with the prompt alone.
    let longest = asked.max_by_key(|(_, text)| text.len());
    longest.ok_or_else(|| "it sent no request with the prompt".to_owned())
}
