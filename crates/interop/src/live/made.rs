//! Sessions that an agent does not write alone here: a history of its own that is changed by hand,
//! and then resumed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Command, Place};
use crate::cell::Cell;
use crate::judge::Findings;

/// A change of a session's file.
pub(crate) struct Made {
    /// Its name.
    pub name: &'static str,
    /// Changes the lines of the file; or its export, as one line.
    pub change: fn(&mut Vec<Value>),
}

/// The agent's command that takes in an export: of an agent with a database, the file that is
/// changed is an export of its session.
pub(crate) type Import = fn(&Place, &Path) -> Command;

/// The number of the agent's command that imports a session.
const TURN: usize = 80;

/// Makes each change of the agent's newest session, and compares what the agent then sends.
pub(crate) fn check(cell: &Cell<'_>, found: &mut Findings) {
    let listed = cell.verbatim.listed_in(&cell.place.home, cell.agent.name);
    let Some(session) = listed.into_iter().next() else { return };
    if let Some(import) = cell.agent.import {
        return imported(cell, &session.id, import, found);
    }
    let Ok(before) = fs::read_to_string(&session.file) else { return };
    for made in cell.agent.made {
        let written = changed(&before, made)
            .and_then(|text| fs::write(&session.file, text).map_err(|error| error.to_string()));
        match written {
            Ok(()) => {
                cell.forget();
                super::check(cell, made.name, found);
            }
            Err(why) => found.wrong.push(format!("{}: it can't be made: {why}", made.name)),
        }
    }
}

/// The same with an export, which the agent imports as a session of its own.
fn imported(cell: &Cell<'_>, id: &str, import: Import, found: &mut Findings) {
    let Some(before) = cell.verbatim.exported(id, &cell.place.home, cell.agent.name) else {
        return found.wrong.push(format!("{id} can't be exported"));
    };
    for (number, made) in cell.agent.made.iter().enumerate() {
        let text = match changed(&before, made) {
            Ok(text) => renamed(&text, number),
            Err(why) => {
                found.wrong.push(format!("{}: it can't be made: {why}", made.name));
                continue;
            }
        };
        let file: PathBuf = cell.notes.join(format!("made-{number}.json"));
        let ready = fs::write(&file, text).is_ok();
        if !ready || cell.run(TURN + number, &import(&cell.place, &file), false).is_err() {
            found.wrong.push(format!("{}: the agent does not import it", made.name));
            continue;
        }
        cell.forget();
        super::check_session(cell, &renamed(id, number), made.name, found);
    }
}

/// A text with other ids, in the same order: the agent keeps what it has by an id.
fn renamed(text: &str, number: usize) -> String {
    ["ses_", "msg_", "prt_"]
        .iter()
        .fold(text.to_owned(), |text, kind| text.replace(kind, &format!("{kind}{number:x}")))
}

fn changed(before: &str, made: &Made) -> Result<String, String> {
    let lines = serde_json::Deserializer::from_str(before).into_iter();
    let mut lines = lines.collect::<Result<Vec<Value>, _>>().map_err(|error| error.to_string())?;
    let old = lines.clone();
    (made.change)(&mut lines);
    if lines == old {
        return Err("the file has nothing to change".to_owned());
    }
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}
