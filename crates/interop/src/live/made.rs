//! Sessions that an agent does not write alone here: a history of its own that is changed by hand,
//! and then resumed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cell::Cell;
use crate::judge::Findings;

/// A change of a session's file.
pub(crate) struct Made {
    /// Its name.
    pub name: &'static str,
    /// Changes the lines of the file.
    pub change: fn(&mut Vec<Value>),
}

/// Makes each change of the agent's newest session, and compares what the agent then sends.
pub(crate) fn check(cell: &Cell<'_>, found: &mut Findings) {
    let listed = cell.verbatim.listed_in(&cell.place.home, cell.agent.name);
    let Some(file) = listed.into_iter().next().map(|session| session.file) else { return };
    let Ok(before) = fs::read_to_string(&file) else { return };
    for made in cell.agent.made {
        if let Err(why) = write(&file, &before, made) {
            found.wrong.push(format!("{}: it can't be made: {why}", made.name));
            continue;
        }
        cell.forget();
        super::check(cell, made.name, found);
    }
}

fn write(file: &Path, before: &str, made: &Made) -> Result<(), String> {
    let lines = before.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    let mut lines = lines.map_err(|error| error.to_string())?;
    let old = lines.clone();
    (made.change)(&mut lines);
    if lines == old {
        return Err("the file has nothing to change".to_owned());
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(file, text).map_err(|error| error.to_string())
}
