//! Verbatim's word on a session against its agent's: the items that `show` calls live are those of
//! the agent's own next request, but for a list of what the agent adds, drops or doubles itself.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::agent::{Agent, Ask};
use crate::carry::{PROMPT, items, request};
use crate::cell::Cell;
use crate::judge::Findings;

mod compare;
pub(crate) mod made;
pub(crate) mod shown;

pub(crate) use compare::Side;

/// Something that an agent does to its own session on the way to its provider.
pub(crate) struct Own {
    /// Its doing.
    pub side: Side,
    /// The kind of the items: `user`, `answer`, `call`, `result` or `picture`.
    pub kind: &'static str,
    /// The beginning of their texts.
    pub start: &'static str,
    /// Why this is no fault of verbatim.
    pub reason: &'static str,
}

impl Own {
    fn is(&self, difference: &compare::Difference) -> bool {
        self.side == difference.side
            && self.kind == difference.item.kind
            && difference.item.text.starts_with(self.start)
    }
}

/// The entries of an agent's list that no run of all scenarios needs.
pub(crate) fn stale(agent: &Agent, used: &BTreeSet<usize>) -> Vec<String> {
    let left = agent.own.iter().enumerate().filter(|(at, _)| !used.contains(at));
    left.map(|(_, own)| {
        let Own { side, kind, start, reason } = own;
        format!("nothing needs this any more: {side:?} {kind} `{start}` ({reason})")
    })
    .collect()
}

/// The number of the agent's command that resumes the session.
const TURN: usize = 90;

/// Lets the agent resume its newest session in its own home, and compares the request with the live
/// items.
pub(crate) fn check(cell: &Cell<'_>, name: &str, found: &mut Findings) {
    // Some agents keep nothing of a request that failed at once.
    let Some(id) = cell.verbatim.newest() else { return };
    check_session(cell, &id, name, found);
}

/// The same of the session with this id.
fn check_session(cell: &Cell<'_>, id: &str, name: &str, found: &mut Findings) {
    let Some(show) = cell.verbatim.show_in(id, &cell.place.home) else {
        return found.wrong.push(format!("{name}: {id} can't be shown"));
    };
    let ours = shown::items(&show);
    if !ours.items.iter().any(|item| item.kind == "user") {
        return;
    }
    // A compaction has changed the configuration of some.
    let ready = (cell.agent.prepare)(&cell.place).is_ok();
    let asked = cell.ask(TURN, &Ask::Resume(id, PROMPT), false).is_ok();
    match request(&cell.requests()) {
        Ok((body, _)) if ready && asked => judge(cell, name, &ours, &body, found),
        Ok(_) => found.wrong.push(format!("{name}: the agent could not resume its own session")),
        Err(why) => found.wrong.push(format!("{name}, resumed by its own agent: {why}")),
    }
}

fn judge(cell: &Cell<'_>, name: &str, ours: &shown::Shown, body: &Value, found: &mut Findings) {
    let mut theirs = items::whole(body, PROMPT);
    for part in &mut theirs {
        part.text = (cell.agent.bare)(&part.text).to_owned();
    }
    let theirs = shown::of_request(theirs);
    let ours = ours.against(&theirs);
    let mut used = BTreeSet::new();
    let differences = compare::differences(&ours, &theirs);
    for difference in differences {
        match cell.agent.own.iter().position(|own| own.is(&difference)) {
            Some(at) => drop(used.insert(at)),
            None => found.wrong.push(format!("{name}: {}", difference.to_line())),
        }
    }
    found.own.extend(used);
    let count = ours.len();
    found.notes.push(format!("{name}: {count} live items compared with the agent's own request"));
}
