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
    /// Whether it is a real one, of any version of its agent.
    pub real: bool,
    /// The agent that resumes it.
    pub to: &'static str,
    /// Number of the conversation's parts.
    pub parts: usize,
    /// Number of those that are in the request.
    pub there: usize,
    /// Number of pictures, and of those in the request.
    pub pictures: [usize; 2],
    /// Number of reports of sub-agents, and of those in the request.
    pub reports: [usize; 2],
    /// The requests that a provider refuses, in its words.
    pub refused: Vec<String>,
    /// Those of them that it also sends of this session in its own home, where it wrote it.
    pub own_refused: Vec<String>,
    /// The judge that knows the conversation: the agent itself, or another one.
    pub control: &'static str,
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
        let (from, session) = (source.agent, source.name.to_owned());
        Self { from, session, real: source.file.is_some(), to, ..Self::default() }
    }

    /// The same with its counts.
    pub(crate) fn with(mut self, parts: &[Part], there: &[&Part], missing: &[&Part]) -> Self {
        (self.parts, self.there) = (parts.len(), there.len());
        let count = |kind: &str| {
            let all = parts.iter().filter(|part| part.kind == kind).count();
            [all, there.iter().filter(|part| part.kind == kind).count()]
        };
        (self.pictures, self.reports) = (count("picture"), count("report"));
        // A text of a real session is nothing to print.
        let name = |part: &&Part| {
            if self.real {
                return part.kind.to_string();
            }
            let text: String = part.text.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{} `{text}`", part.kind)
        };
        self.missing = missing.iter().take(NAMED).map(name).collect();
        if self.real {
            self.missing.sort();
            self.missing.dedup();
        }
        self
    }

    /// The same with the texts that the agent sends of no session.
    pub(crate) fn without(mut self, drops: Vec<&'static str>) -> Self {
        self.drops = drops;
        self
    }

    /// Separates the refused requests that the agent sends in its own home too.
    pub(crate) fn refused_at_home(&mut self, refused: &[String]) {
        if self.is_control() {
            let all = std::mem::take(&mut self.refused);
            (self.own_refused, self.refused) =
                all.into_iter().partition(|why| refused.contains(why));
        }
    }

    /// Whether the agent is the one that wrote the session.
    pub(crate) fn is_control(&self) -> bool {
        self.from == self.to
    }

    /// Whether all parts arrived.
    pub(crate) fn is_whole(&self) -> bool {
        self.why.is_none() && self.missing.is_empty() && self.refused.is_empty()
    }

    /// The counts: all parts, and the pictures and the reports among them.
    fn counts(&self) -> String {
        let mut text = format!("{}/{}", self.there, self.parts);
        for (name, [all, there]) in [("pictures", self.pictures), ("reports", self.reports)] {
            if all > 0 {
                let _ = write!(text, ", {name} {there}/{all}");
            }
        }
        if !self.refused.is_empty() {
            text.push_str(", refused");
        }
        if !self.own_refused.is_empty() {
            text.push_str(", its own request is refused");
        }
        text
    }

    /// Whether the session has nothing to continue: no prompt.
    fn is_silent(&self) -> bool {
        self.why.is_some() && self.parts == 0
    }

    /// The faults of verbatim. What an agent drops of its own session is its own doing.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let to = self.to;
        // Today's version of an agent may not resume a session of an old one.
        if self.is_silent() || self.real && self.is_control() {
            return Vec::new();
        }
        let missing = self.missing.iter().map(|part| format!("{to}: did not arrive: {part}"));
        let refused = self.refused.iter();
        let refused = refused.map(|why| format!("{to}: a provider refuses the request: {why}"));
        match &self.why {
            Some(why) => vec![format!("{to}: {why}")],
            None if self.is_control() => Vec::new(),
            None => refused.chain(missing).collect(),
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
            "there": self.there, "pictures": self.pictures, "reports": self.reports,
            "refused": self.refused, "own_refused": self.own_refused, "control": self.control,
            "missing": self.missing, "drops": self.drops, "why": self.why,
        })
    }
}

/// The matrix in Markdown: a row for each session, a column for each agent with its version.
pub(crate) fn table(arrivals: &[Arrival], versions: &[(&'static str, String)]) -> String {
    let mut text = String::from("| session | control |");
    for (agent, version) in versions {
        let _ = write!(text, " {agent} {version} |");
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(versions.len()));
    let mut rows: BTreeMap<(&str, &str), Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        rows.entry((arrival.from, &arrival.session)).or_default().push(arrival);
    }
    for ((from, session), row) in &rows {
        let control = row.iter().map(|arrival| arrival.control).max().unwrap_or_default();
        let _ = write!(text, "\n| {from}, {session} | {control} |");
        for (agent, _) in versions {
            let cell = row.iter().find(|arrival| arrival.to == *agent);
            let word = match cell {
                None => "·".to_owned(),
                Some(cell) if cell.why.is_some() => "not resumed".to_owned(),
                Some(cell) => cell.counts(),
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
    for arrival in arrivals {
        for why in &arrival.own_refused {
            let Arrival { from, session, to, .. } = arrival;
            let _ = write!(
                text,
                "\n- {from}, {session}: {to} sends the same request in the home where it wrote the \
                 session, and a provider refuses it: {why}"
            );
        }
    }
    for arrival in arrivals.iter().filter(|arrival| !arrival.is_whole()) {
        let Arrival { from, session, to, .. } = arrival;
        let own = if arrival.is_control() { " of its own session" } else { "" };
        for part in &arrival.missing {
            let _ = write!(text, "\n- {from}, {session}: {to} does not send{own}: {part}");
        }
        for why in &arrival.refused {
            let _ = write!(text, "\n- {from}, {session}: {to}: a provider refuses it: {why}");
        }
        if let Some(why) = &arrival.why {
            let _ = write!(text, "\n- {from}, {session}: {to}: {why}");
        }
    }
    text.trim_end().to_owned() + "\n"
}
