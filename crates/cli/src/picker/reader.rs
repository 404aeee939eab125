//! The screens above the list: a session that is read, or the choice of an agent to continue it.

use ratatui::text::Line;

use super::styled;
use super::work::TextName;

/// A part of the session that is shown, with the options of `show` that show it.
struct Mode {
    name: &'static str,
    options: &'static [&'static str],
}

const MODES: &[Mode] = &[
    Mode { name: "everything", options: &[] },
    Mode { name: "talk", options: &["--only", "prompts,answers"] },
    Mode { name: "edits", options: &["--only", "edits", "--diff"] },
    Mode { name: "failures", options: &["--only", "errors"] },
    Mode { name: "prompts", options: &["--only", "prompts"] },
];

/// A session that is read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub uid: String,
    mode: usize,
    /// Whether nothing is folded, whether edits are shown as diffs, whether the records are shown
    /// as the agent wrote them.
    pub unfolds: bool,
    pub diffs: bool,
    pub bytes: bool,
    /// The first line on the screen.
    pub top: usize,
}

impl Reader {
    pub(super) fn of(uid: String) -> Self {
        Self { uid, ..Self::default() }
    }

    /// The reader of what a session changed.
    pub(super) fn of_edits(uid: String) -> Self {
        Self { uid, mode: 2, ..Self::default() }
    }

    pub(super) fn next_mode(&mut self) {
        self.mode = (self.mode + 1) % MODES.len();
        self.top = 0;
    }

    /// The shown part, in words.
    pub(super) fn mode(&self) -> String {
        let mut words = vec![if self.bytes { "bytes" } else { MODES[self.mode].name }];
        words.extend(self.unfolds.then_some("unfolded"));
        words.extend(self.diffs.then_some("diffs"));
        words.join(", ")
    }

    /// The command whose output is shown.
    pub(super) fn args(&self) -> Vec<String> {
        let mut args = vec!["show"];
        match self.bytes {
            true => args.push("--raw"),
            false => {
                args.extend(MODES[self.mode].options);
                args.extend(self.unfolds.then_some("--all"));
                args.extend((self.diffs && self.mode != 2).then_some("--diff"));
            }
        }
        args.extend(["--", &self.uid]);
        args.into_iter().map(str::to_owned).collect()
    }

    /// The name of the text.
    pub(super) fn name(&self) -> TextName {
        TextName { uid: self.uid.clone(), way: self.mode() }
    }

    /// Goes to the next line that a test takes, or to the one before.
    pub(super) fn go(&mut self, lines: &[Line<'_>], back: bool, is_it: fn(&str) -> bool) {
        let takes = |at: &usize| lines.get(*at).is_some_and(|line| is_it(&styled::text(line)));
        let found = match back {
            true => (0..self.top).rev().find(takes),
            false => (self.top + 1..lines.len()).find(takes),
        };
        self.top = found.unwrap_or(self.top);
    }
}

/// Whether a line begins a turn: `▌ 3 of 12`.
pub(super) fn begins_turn(line: &str) -> bool {
    let number = line.strip_prefix("▌ ").and_then(|rest| rest.split(' ').next());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        && line.contains(" of ")
}

/// Whether a line is a call that failed.
pub(super) fn is_failed(line: &str) -> bool {
    line.contains("✗ ")
}

/// The choice of an agent.
#[derive(Debug)]
pub(super) struct Choice {
    pub uid: String,
    /// The folder in which to continue, if the session's own is gone.
    pub folder: Option<String>,
    pub agents: Vec<&'static str>,
    pub at: usize,
    pub top: usize,
}

impl Choice {
    /// The agents that can continue a session of an agent, but for that one.
    pub(super) fn of(uid: String, folder: Option<String>) -> Self {
        let own = uid.split(':').next().unwrap_or_default();
        let agents = operations::takers(formats::ALL).into_iter();
        let agents = agents.filter(|name| *name != own).collect();
        Self { uid, folder, agents, at: 0, top: 0 }
    }

    pub(super) fn agent(&self) -> &'static str {
        self.agents.get(self.at).copied().unwrap_or_default()
    }

    /// The command that places the session there; with `--dry-run` it says what would arrive.
    pub(super) fn args(&self, tries: bool) -> Vec<String> {
        let mut args = vec!["resume", "--to", self.agent()];
        args.extend(self.folder.iter().flat_map(|folder| ["--folder", folder]));
        args.extend(tries.then_some("--dry-run"));
        args.extend(["--", &self.uid]);
        args.into_iter().map(str::to_owned).collect()
    }

    pub(super) fn name(&self) -> TextName {
        TextName { uid: self.uid.clone(), way: format!("to {}", self.agent()) }
    }
}
