//! Claude Code's format.

use serde_json::{Value, json};
use similar::TextDiff;

use crate::agents::{Agent, Members, absolute, after, folder, time};
use crate::work::{Act, Replace, Step, Telling, Tools};

/// Claude Code.
pub(crate) struct Claude {
    pub telling: Telling,
    pub main: Vec<Value>,
    pub sub: Vec<Value>,
}

impl Claude {
    /// Hunks as the agent writes them: leading tabs are two spaces each.
    fn hunks(before: &str, after: &str) -> Vec<Value> {
        let shown = |text: &str| -> String {
            let line = |line: &str| {
                let rest = line.trim_start_matches('\t');
                "  ".repeat(line.len() - rest.len()) + rest + "\n"
            };
            text.lines().map(line).collect()
        };
        let (before, after) = (shown(before), shown(after));
        let diff = TextDiff::from_lines(&before, &after);
        let groups = diff.grouped_ops(3);
        let hunk = |ops: &Vec<similar::DiffOp>| {
            let changes = ops.iter().flat_map(|op| diff.iter_changes(op));
            let line = |change: similar::Change<&str>| {
                format!("{}{}", change.tag(), change.value().trim_end_matches('\n'))
            };
            let (first, last) = (ops[0], ops[ops.len() - 1]);
            let old = first.old_range().start..last.old_range().end;
            let new = first.new_range().start..last.new_range().end;
            let start = |range: &std::ops::Range<usize>| {
                if range.is_empty() { range.start } else { range.start + 1 }
            };
            json!({
                "oldStart": start(&old), "oldLines": old.len(),
                "newStart": start(&new), "newLines": new.len(),
                "lines": changes.map(line).collect::<Vec<_>>(),
            })
        };
        groups.iter().map(hunk).collect()
    }

    /// Tool, arguments, answer, and the line's `toolUseResult`.
    fn words(&self, step: &Step<'_>) -> (&'static str, Value, String, Value) {
        let path = absolute(step);
        let after = after(step);
        let patch = Self::hunks(&step.before, &after);
        match &step.act {
            Act::Read => {
                let numbered: String = (1..)
                    .zip(step.before.split('\n'))
                    .map(|(at, line)| format!("{at:>6}→{line}\n"))
                    .collect();
                ("Read", json!({"file_path": path}), numbered, Value::Null)
            }
            Act::Edit(edits) => edited(step, edits),
            Act::Write { fresh: false, .. }
                if path.ends_with(".ipynb") && self.telling == Telling::Whole =>
            {
                let told = json!({"new_source": "x", "cell_id": "c1", "cell_type": "code",
                    "language": "python", "edit_mode": "replace", "error": "",
                    "notebook_path": path, "original_file": step.before, "updated_file": after});
                let input = json!({"notebook_path": path, "cell_id": "c1", "new_source": "x"});
                ("NotebookEdit", input, "Updated cell c1 with x".into(), told)
            }
            Act::Write { fresh, .. } => {
                let kind = if *fresh { "create" } else { "update" };
                let original = if *fresh { Value::Null } else { json!(step.before) };
                let told = json!({"type": kind, "filePath": path, "content": after,
                    "structuredPatch": if *fresh { Vec::new() } else { patch },
                    "originalFile": original});
                let said = match fresh {
                    true => format!("File created successfully at: {path}"),
                    false => format!("The file {path} has been updated."),
                };
                ("Write", json!({"file_path": path, "content": after}), said, told)
            }
            Act::Remove => {
                let told = json!({"stdout": "", "stderr": "", "interrupted": false});
                ("Bash", json!({"command": format!("rm {path}")}), String::new(), told)
            }
            Act::Patch(_) => unreachable!("no tool for it"),
        }
    }
}

/// One edit, or several in one call.
fn edited(step: &Step<'_>, edits: &[Replace]) -> (&'static str, Value, String, Value) {
    let path = absolute(step);
    let patch = Claude::hunks(&step.before, &after(step));
    if let [Replace { old, new, all }] = edits {
        // The agent does not write the original of a long file; then the edit is in the hunks.
        let long = step.number.is_multiple_of(5) && !step.stale;
        let original = if long { Value::Null } else { json!(step.before) };
        let told = json!({"filePath": path, "oldString": old, "newString": new,
            "originalFile": original, "structuredPatch": patch, "userModified": false,
            "replaceAll": all});
        let input = json!({"file_path": path, "old_string": old, "new_string": new,
            "replace_all": all});
        return ("Edit", input, format!("The file {path} has been updated."), told);
    }
    let edit = |edit: &Replace| {
        let Replace { old, new, all } = edit;
        json!({"old_string": old, "new_string": new, "replace_all": all})
    };
    let edits: Vec<Value> = edits.iter().map(edit).collect();
    let told = json!({"filePath": path, "edits": edits, "originalFileContents": step.before,
        "structuredPatch": patch, "userModified": false});
    let said = format!("Applied {} edits to {path}", edits.len());
    ("MultiEdit", json!({"file_path": path, "edits": edits}), said, told)
}

impl Agent for Claude {
    fn format(&self) -> &'static str {
        "claude-code"
    }

    fn tools(&self) -> Tools {
        let telling = self.telling;
        Tools {
            telling,
            begin: true,
            edits: true,
            several: true,
            patches: false,
            writes: true,
            removes: true,
            subs: telling == Telling::Whole,
            others: telling == Telling::Whole,
        }
    }

    fn tell(&mut self, step: &Step<'_>) {
        let (name, input, said, told) = self.words(step);
        let (lines, stream) =
            if step.sub { (&mut self.sub, true) } else { (&mut self.main, false) };
        let model = if stream { "claude-haiku-4-5" } else { "claude-opus-4-5" };
        let id = format!("call_{}_{}", step.number, lines.len());
        let mut line = |kind: &str, message: Value, told: Value| {
            let uuid = format!("{}-{stream}-{}", step.number, lines.len());
            let parent = lines.last().map(|line| line["uuid"].clone());
            let mut line = json!({"parentUuid": parent, "isSidechain": stream, "type": kind,
                "cwd": folder(step), "sessionId": "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11",
                "version": "2.1.34", "gitBranch": "main", "message": message, "uuid": uuid,
                "timestamp": time(step.number)});
            if stream {
                line["agentId"] = json!("a1");
            }
            if !told.is_null() {
                line["toolUseResult"] = told;
            }
            lines.push(line);
        };
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        line(
            "assistant",
            json!({"id": format!("msg_{id}"), "type": "message", "model": model,
            "role": "assistant", "content": [call]}),
            Value::Null,
        );
        let told = match (self.telling, step.refused) {
            (Telling::Bare, _) => Value::Null,
            (_, Some(why)) => json!(format!("Error: {why}")),
            _ => told,
        };
        let mut answer = json!({"tool_use_id": id, "type": "tool_result",
            "content": step.refused.unwrap_or(&said)});
        if step.refused.is_some() {
            answer["is_error"] = json!(true);
        }
        line("user", json!({"role": "user", "content": [answer]}), told);
    }

    fn members(self: Box<Self>) -> Members {
        let mut members = vec![(None, "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11.jsonl", self.main)];
        if !self.sub.is_empty() {
            members.push((Some("agent-a1"), "agent-a1.jsonl", self.sub));
        }
        members
    }
}
