//! Formats of the agents' tool calls. Every call has the number of its edit in its id.

use serde_json::Value;
use similar::TextDiff;

use crate::work::{Act, Step, Tools};

/// The members of a session: stream (`None` for the main one), name, and bytes.
pub(crate) type Members = Vec<(Option<&'static str>, &'static str, Vec<Value>)>;

/// An agent and its format.
pub(crate) trait Agent {
    fn format(&self) -> &'static str;
    fn tools(&self) -> Tools;
    fn tell(&mut self, step: &Step<'_>);
    fn members(self: Box<Self>) -> Members;
    /// Whether the session is one document, instead of a record per line.
    fn whole(&self) -> bool {
        false
    }
}

pub(crate) fn time(step: usize) -> String {
    format!("2026-03-01T{:02}:{:02}:00.000Z", 10 + step / 60, step % 60)
}

pub(crate) fn absolute(step: &Step<'_>) -> String {
    step.disk.path(&step.path).to_string_lossy().into_owned()
}

pub(crate) fn folder(step: &Step<'_>) -> String {
    step.disk.folder.path().to_string_lossy().into_owned()
}

pub(crate) fn diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).to_string()
}

/// The text after an act.
pub(crate) fn after(step: &Step<'_>) -> String {
    match &step.act {
        Act::Write { after, .. } => after.clone(),
        Act::Edit(edits) => edits.iter().fold(step.before.clone(), |text, edit| match edit.all {
            true => text.replace(&edit.old, &edit.new),
            false => text.replacen(&edit.old, &edit.new, 1),
        }),
        Act::Patch(splices) => {
            let mut lines: Vec<&str> = step.before.lines().collect();
            for splice in splices.iter().rev() {
                let new = splice.new.iter().map(String::as_str);
                lines.splice(splice.at..splice.at + splice.gone, new);
            }
            lines.iter().flat_map(|line| [line, "\n"]).collect()
        }
        Act::Read | Act::Remove => step.before.clone(),
    }
}
