//! The matrix of sessions and the agents that resumed them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::carry::Source;
use crate::carry::parts::Part;

/// The result for one session and one agent that resumes it.
#[derive(Clone, Default)]
pub(crate) struct Arrival {
    /// The agent that wrote the session.
    pub from: &'static str,
    /// The name of the session.
    pub session: String,
    /// The agent that resumes it.
    pub to: &'static str,
    /// Number of the conversation's parts.
    pub parts: usize,
    /// Number of those that are in the request.
    pub there: usize,
    /// Some of the others.
    pub missing: Vec<String>,
    /// The texts that the agent sends of no session.
    pub drops: Vec<&'static str>,
    /// The reason why it was not resumed.
    pub why: Option<String>,
}

/// Number of missing parts that are named.
const NAMED: usize = 5;

impl Arrival {
    pub(crate) fn of(source: &Source<'_>, to: &'static str) -> Self {
        Self { from: source.agent, session: source.name.to_owned(), to, ..Self::default() }
    }

    /// The same with its counts.
    pub(crate) fn with(mut self, parts: usize, missing: &[&Part]) -> Self {
        (self.parts, self.there) = (parts, parts - missing.len());
        let name = |part: &&Part| {
            let text: String = part.text.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{} `{text}`", part.kind)
        };
        self.missing = missing.iter().take(NAMED).map(name).collect();
        self
    }

    /// The same with the texts that the agent sends of no session.
    pub(crate) fn without(mut self, drops: Vec<&'static str>) -> Self {
        self.drops = drops;
        self
    }

    /// Whether the agent is the one that wrote the session.
    pub(crate) fn is_control(&self) -> bool {
        self.from == self.to
    }

    /// Whether all parts arrived.
    pub(crate) fn is_whole(&self) -> bool {
        self.why.is_none() && self.parts == self.there
    }

    /// Whether the session has nothing to continue: no prompt.
    fn is_silent(&self) -> bool {
        self.why.is_some() && self.parts == 0
    }

    /// The faults of verbatim. What an agent drops of its own session is its own doing.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let to = self.to;
        if self.is_silent() {
            return Vec::new();
        }
        let missing = self.missing.iter().map(|part| format!("{to}: did not arrive: {part}"));
        match &self.why {
            Some(why) => vec![format!("{to}: {why}")],
            None if self.is_control() => Vec::new(),
            None => missing.collect(),
        }
    }

    /// The result in a line.
    pub(crate) fn note(&self) -> String {
        let control = if self.is_control() { " (its own)" } else { "" };
        match &self.why {
            Some(why) => format!("{}{control}: {why}", self.to),
            None => {
                format!("{}{control}: {} of {} parts arrived", self.to, self.there, self.parts)
            }
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "from": self.from, "session": self.session, "to": self.to, "parts": self.parts,
            "there": self.there, "missing": self.missing, "drops": self.drops, "why": self.why,
        })
    }
}

/// The matrix in Markdown: a row for each session, a column for each agent with its version.
pub(crate) fn table(arrivals: &[Arrival], versions: &[(&'static str, String)]) -> String {
    let mut text = String::from("| session |");
    for (agent, version) in versions {
        let _ = write!(text, " {agent} {version} |");
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(versions.len()));
    let mut rows: BTreeMap<(&str, &str), Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        rows.entry((arrival.from, &arrival.session)).or_default().push(arrival);
    }
    for ((from, session), row) in &rows {
        let _ = write!(text, "\n| {from}, {session} |");
        for (agent, _) in versions {
            let cell = row.iter().find(|arrival| arrival.to == *agent);
            let word = match cell {
                None => "·".to_owned(),
                Some(cell) if cell.why.is_some() => "not resumed".to_owned(),
                Some(cell) => format!("{}/{}", cell.there, cell.parts),
            };
            let _ = write!(text, " {word} |");
        }
    }
    text.push('\n');
    for arrival in arrivals {
        for why in &arrival.drops {
            let Arrival { from, session, to, .. } = arrival;
            let _ = write!(text, "\n- {from}, {session}: {to} never sends {why}");
        }
    }
    for arrival in arrivals.iter().filter(|arrival| !arrival.is_whole()) {
        let Arrival { from, session, to, .. } = arrival;
        let own = if arrival.is_control() { " of its own session" } else { "" };
        for part in &arrival.missing {
            let _ = write!(text, "\n- {from}, {session}: {to} does not send{own}: {part}");
        }
        if let Some(why) = &arrival.why {
            let _ = write!(text, "\n- {from}, {session}: {to}: {why}");
        }
    }
    text.trim_end().to_owned() + "\n"
}
