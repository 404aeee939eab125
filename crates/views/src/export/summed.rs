//! Facts of a session and of its turns in words, the same in each form.

use meaning::facts;
use session::Session;

use crate::human::{self, counted};
use crate::transcript::{TurnSum, counts_of, did};

/// The facts of a session, each only where it is known.
#[must_use]
pub fn facts(session: &Session, sum: &TurnSum) -> Vec<(&'static str, String)> {
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    let version = facts::version(session).map(|version| format!(" {version}"));
    facts.push(("agent", format!("{}{}", session.format, version.unwrap_or_default())));
    facts.push(("session", session.id.clone()));
    let models = facts::models(session);
    if !models.is_empty() {
        facts.push(("models", models.join(", ")));
    }
    facts.extend(facts::folder(session).map(|folder| ("folder", folder.into_owned())));
    let lasted = facts::lasted(session);
    if let (Some(start), Some(end)) = (lasted.start, lasted.end) {
        let (from, to) = (human::moment(start.instant), human::moment(end.instant));
        let to = if from.get(..10) == to.get(..10) { to.get(11..).unwrap_or(&to) } else { &to };
        facts.push(("time", format!("{from} \u{2013} {to}")));
    }
    facts.extend(active(session, sum).map(|words| ("active", words)));
    facts.push(("turns", sum.turn.to_string()));
    if sum.calls > 0 {
        facts.push(("calls", calls(sum)));
    }
    if !sum.files.is_empty() {
        facts.push(("changed", changed(sum)));
    }
    facts.extend(sum.spending.tokens_in_words().map(|words| ("tokens", words)));
    facts.extend(sum.spending.money_in_words().map(|words| ("cost", words)));
    if sum.agents > 0 {
        facts.push(("sub-agents", format!("{}{}", sum.agents, not_in_sums(sum))));
    }
    if sum.pictures > 0 {
        facts.push(("pictures", sum.pictures.to_string()));
    }
    facts
}

/// Duration, calls, changes and use of a turn: `2 min · 18 calls: read 9, ran 9 · …`.
#[must_use]
pub fn turn_in_words(turn: &TurnSum) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(turn.took().map(human::span));
    used(turn, &mut words);
    words.extend(turn.end.map(formats::turns::TurnEnd::word).map(str::to_owned));
    words.join(" \u{b7} ")
}

/// Adds calls, changes and use of a turn.
fn used(turn: &TurnSum, words: &mut Vec<String>) {
    if turn.calls > 0 {
        words.push(calls(turn));
    }
    if !turn.files.is_empty() {
        words.push(changed(turn));
    }
    if turn.agents > 0 {
        let agents = counted(turn.agents, "sub-agent", "sub-agents");
        words.push(format!("{agents}{}", not_in_sums(turn)));
    }
    words.extend(turn.spending.tokens_in_words());
    words.extend(turn.spending.money_in_words());
}

/// Says how many sub-agents are in no sum, since their histories are not in the session.
fn not_in_sums(turn: &TurnSum) -> String {
    match turn.spending.apart {
        0 => String::new(),
        apart => format!(", {apart} not in the sums"),
    }
}

/// The sums of a session: `41 min active of 26 h · 259 calls: … · …`.
#[must_use]
pub fn session_in_words(session: &Session, sum: &TurnSum) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(active(session, sum).map(|active| match active.split_once(" of ") {
        Some((active, wall)) => format!("{active} active of {wall}"),
        None => format!("{active} active"),
    }));
    used(sum, &mut words);
    words.join(" \u{b7} ")
}

/// The time that the turns of a session took, of that from its first record to its last one.
fn active(session: &Session, sum: &TurnSum) -> Option<String> {
    let lasted = facts::lasted(session);
    let wall = lasted.end?.instant.0.checked_sub(lasted.start?.instant.0)?;
    let active = sum.active.filter(|_| wall > 0)?.min(wall);
    let (active, wall) = (human::span(active), human::span(wall));
    Some(if active == wall { active } else { format!("{active} of {wall}") })
}

fn calls(facts: &TurnSum) -> String {
    let calls = counted(facts.calls, "call", "calls");
    let did = did(&facts.kinds);
    match facts.failed {
        0 => format!("{calls}: {did}"),
        failed => format!("{calls}: {did}; {failed} failed"),
    }
}

fn changed(facts: &TurnSum) -> String {
    let files = counted(facts.files.len() as u64, "file", "files");
    match counts_of(facts.inserted, facts.deleted) {
        Some(counts) => format!("{files} {counts}"),
        None => files,
    }
}
