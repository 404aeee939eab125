//! A damaged session is mended and continued by its agent.

use std::fs;
use std::path::Path;

use crate::agent::{Agent, Ask};
use crate::back::{goes_on, holds, resume, text};
use crate::carry::{PROMPT, request};
use crate::cell::{Cell, CellResult, Programs, set_up};
use crate::judge::Findings;

/// The prompt of the session that is damaged.
const FIRST: &str = "Mend the prices. [[work]]";

/// The damage that is done to a session's file by hand: the words of the lines that are removed, or
/// a line that is added.
enum Harm {
    Without(&'static [&'static str]),
    With(&'static str),
}

/// Damages the session of an agent, lets verbatim mend it, and lets the agent continue the copy.
pub(crate) fn run(agent: &'static Agent, programs: &Programs, folder: &Path) -> CellResult {
    let harm = match agent.name {
        "claude-code" => Harm::Without(&["\"tool_result\""]),
        "codex" => Harm::Without(&["function_call_output\"", "custom_tool_call_output\""]),
        "pi" => Harm::Without(&["\"toolResult\""]),
        "copilot" => Harm::Without(&["\"tool.execution_complete\""]),
        "qwen" => Harm::Without(&["\"tool_result\""]),
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
