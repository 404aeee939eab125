//! A session that one agent wrote is resumed by every other agent: verbatim writes it for them, and
//! the request that the other agent then sends has the whole conversation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent::{Agent, Ask, Place, Settle};
use crate::cell::{Cell, CellResult, Programs};
use crate::judge::Verbatim;
use crate::mock::Mock;

/// The prompt with which the other agent continues.
const PROMPT: &str = "And now? [[hello]]";

/// The result for all other agents.
#[derive(Default)]
pub(crate) struct Carried {
    /// Parts that did not arrive.
    pub wrong: Vec<String>,
    /// One line for each agent that resumed it.
    pub notes: Vec<String>,
}

/// Lets each other agent resume the session of a cell.
pub(crate) fn carried(cell: &Cell<'_>, programs: &Programs, folder: &Path) -> Carried {
    let mut carried = Carried::default();
    let show = cell.verbatim.newest().and_then(|id| Some((cell.verbatim.show(&id)?, id)));
    let Some((show, id)) = show else {
        carried.wrong.push("its session can't be shown".to_owned());
        return carried;
    };
    let parts = parts(&show);
    for (target, program) in &programs.others {
        let folder = folder.join(format!("to-{}", target.name));
        match resumed(cell, (*target, program), programs, &id, &folder) {
            Ok(request) => {
                let missing: Vec<_> = parts.iter().filter(|part| !part.is_in(&request)).collect();
                let (all, there) = (parts.len(), parts.len() - missing.len());
                carried.notes.push(format!("{}: {there} of {all} parts arrived", target.name));
                carried.wrong.extend(missing.iter().take(5).map(|part| {
                    let text: String = part.text.chars().take(60).collect();
                    format!("{}: did not arrive: {} `{text}`", target.name, part.kind)
                }));
            }
            Err(why) => carried.wrong.push(format!("{}: {why}", target.name)),
        }
    }
    carried
}

/// A text of the conversation.
struct Part {
    kind: String,
    text: String,
}

impl Part {
    fn is_in(&self, request: &str) -> bool {
        request.contains(&self.text)
    }
}

/// White space does not count.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of a session that its next request should have: prompts, answers, calls, results.
fn parts(show: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for event in show["events"].as_array().into_iter().flatten() {
        let kind = event["kind"].as_str().unwrap_or_default();
        let live = event["standing"] == "live" && event["stream"] == "main";
        let slots: &[&str] = match kind {
            "user" if event["injected"] == false => &["content"],
            "assistant" => &["content"],
            "tool-call" => &["input"],
            "tool-result" => &["output"],
            _ => continue,
        };
        let fields = event["fields"].as_array().into_iter().flatten();
        let said = fields.filter(|field| slots.iter().any(|slot| field["slot"] == *slot));
        for field in said.filter(|_| live) {
            let mut texts = Vec::new();
            strings(&field["value"], &mut texts);
            let part = |text: &String| Part { kind: kind.to_owned(), text: plain(text) };
            // Types, names and ids of the interface are no texts of the conversation.
            let is_text = |text: &&String| text.contains(' ') || text.contains('/');
            parts.extend(texts.iter().filter(is_text).map(part));
        }
    }
    parts
}

/// The strings of a value, and of JSON within strings.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => strings(&inner, found),
            _ => found.push(text.clone()),
        },
        Value::Array(all) => all.iter().for_each(|one| strings(one, found)),
        Value::Object(all) => all.values().for_each(|one| strings(one, found)),
        _ => {}
    }
}

/// Writes the session for another agent, which continues it in an empty home. Returns the texts of
/// its first request.
fn resumed(
    cell: &Cell<'_>,
    (target, program): (&'static Agent, &Path),
    programs: &Programs,
    id: &str,
    folder: &Path,
) -> Result<String, String> {
    let failed = |error: io::Error| format!("it could not be set up: {error}");
    let (home, notes) = (folder.join("home"), folder.join("notes"));
    let requests = folder.join("requests");
    for folder in [&home, &notes, &folder.join("tmp")] {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let file = written(cell, programs, id, target.name, &folder.join("written"))?;
    let mock = Mock::start(&requests, &cell.place.work, target.vocabulary).map_err(failed)?;
    let place = Place {
        home: home.clone(),
        work: cell.place.work.clone(),
        port: mock.port,
        program: program.to_owned(),
        node: programs.node.clone(),
    };
    (target.prepare)(&place).map_err(failed)?;
    let verbatim = Verbatim::new(programs.verbatim.clone(), home, notes.clone());
    let other = Cell { agent: target, place, notes, mock, verbatim };
    settle(&other, &file)?;
    let id = other.verbatim.newest().ok_or("verbatim lists no session in its home")?;
    said(other.ask(1, &Ask::Resume(&id, PROMPT), false))?;
    request(&requests)
}

/// The file that verbatim writes for an agent.
fn written(
    cell: &Cell<'_>,
    programs: &Programs,
    id: &str,
    to: &str,
    folder: &Path,
) -> Result<PathBuf, String> {
    let mut command = Command::new(&programs.verbatim);
    command.args(["convert", id, "--to", to, "-o"]).arg(folder.join("")).env_clear();
    let output = command.env("HOME", &cell.place.home).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("convert: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let files = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let file = files.filter_map(Result::ok).map(|entry| entry.path()).next();
    file.ok_or_else(|| "convert wrote no file".to_owned())
}

/// Puts the file where the agent finds it.
fn settle(cell: &Cell<'_>, file: &Path) -> Result<(), String> {
    match (cell.agent.settle)(&cell.place, file) {
        Settle::At(path) => {
            let path = cell.place.home.join(path);
            let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
            parent.and_then(|()| fs::copy(file, &path)).map_err(|error| error.to_string())?;
            Ok(())
        }
        Settle::By(command) => said(cell.run(0, &command, false)),
    }
}

fn said(result: Result<(), CellResult>) -> Result<(), String> {
    result.map_err(|result| match result {
        CellResult::Cannot(why) | CellResult::Failed(why) => why,
        CellResult::Judged(_) => "it was judged".to_owned(),
    })
}

/// The texts of the first request that has the prompt.
fn request(folder: &Path) -> Result<String, String> {
    let files = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = files.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let texts = files.iter().filter_map(|file| {
        let value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        let mut texts = Vec::new();
        strings(&value, &mut texts);
        Some(plain(&texts.join("\n")))
    });
    let mut asked: Vec<String> = texts.filter(|text| text.contains(PROMPT)).collect();
    // Some agents ask for a title first, with the prompt alone.
    asked.sort_by_key(String::len);
    asked.pop().ok_or_else(|| "it sent no request with the prompt".to_owned())
}
