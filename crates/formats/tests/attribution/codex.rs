//! Codex's format.

use serde_json::{Value, json};

use crate::agents::{Agent, Members, absolute, after, diff, folder, time};
use crate::work::{Act, Step, Telling, Tools};

/// Codex.
pub(crate) struct Codex {
    pub telling: Telling,
    pub lines: Vec<Value>,
}

impl Codex {
    fn push(&mut self, number: usize, kind: &str, payload: &Value) {
        self.lines.push(json!({"timestamp": time(number), "type": kind, "payload": payload}));
    }

    fn call(&mut self, number: usize, payload: &Value, said: &str) {
        self.push(number, "response_item", payload);
        let kind = match payload["type"].as_str() {
            Some("custom_tool_call") => "custom_tool_call_output",
            _ => "function_call_output",
        };
        let answer = json!({"type": kind, "call_id": payload["call_id"], "output": said});
        self.push(number, "response_item", &answer);
    }

    fn shell(&mut self, step: &Step<'_>, suffix: &str, command: &str) {
        let arguments = json!({"command": ["bash", "-lc", command], "workdir": folder(step)});
        let call = json!({"type": "function_call", "name": "shell",
            "call_id": format!("call_{}_{suffix}", step.number),
            "arguments": arguments.to_string()});
        let said = json!({"output": "", "metadata": {"exit_code": 0, "duration_seconds": 0.1}});
        self.call(step.number, &call, &said.to_string());
    }

    /// The patch as the model writes it: three lines of context around each place.
    fn patch(step: &Step<'_>) -> String {
        let Act::Patch(splices) = &step.act else { unreachable!("no tool for it") };
        let lines: Vec<&str> = step.before.lines().collect();
        let mut text = String::from("*** Begin Patch\n");
        if lines.is_empty() {
            text += &format!("*** Add File: {}\n", step.path);
            let added = splices.iter().flat_map(|splice| &splice.new);
            text.extend(added.map(|line| format!("+{line}\n")));
            return text + "*** End Patch";
        }
        text += &format!("*** Update File: {}\n", step.path);
        for splice in splices {
            let end = splice.at + splice.gone;
            text += "@@\n";
            let same = |line: &&str| format!(" {line}\n");
            text.extend(lines[splice.at.saturating_sub(3)..splice.at].iter().map(same));
            text.extend(lines[splice.at..end].iter().map(|line| format!("-{line}\n")));
            text.extend(splice.new.iter().map(|line| format!("+{line}\n")));
            text.extend(lines[end..(end + 3).min(lines.len())].iter().map(same));
        }
        text + "*** End Patch"
    }
}

impl Agent for Codex {
    fn format(&self) -> &'static str {
        "codex"
    }

    fn tools(&self) -> Tools {
        let begin = self.telling == Telling::Whole;
        Tools {
            telling: self.telling,
            begin,
            edits: false,
            several: false,
            patches: true,
            writes: false,
            removes: true,
            subs: false,
            others: false,
        }
    }

    fn tell(&mut self, step: &Step<'_>) {
        if self.lines.is_empty() {
            let meta = json!({"id": "019e51c0-7a10-7bb2-9c41-3d0e5f2a6b11", "cwd": folder(step),
                "timestamp": time(0), "originator": "codex_cli_rs", "cli_version": "0.147.0",
                "model_provider": "openai"});
            self.push(0, "session_meta", &meta);
            let turn = json!({"cwd": folder(step), "model": "gpt-5.2-codex", "approval_policy":
                "on-request", "sandbox_policy": {"type": "workspace-write"}});
            self.push(0, "turn_context", &turn);
        }
        match &step.act {
            Act::Read => return,
            Act::Remove => return self.shell(step, "rm", &format!("rm {}", step.path)),
            _ => {}
        }
        let fresh = step.before.is_empty();
        if fresh && self.telling == Telling::Bare && step.number.is_multiple_of(2) {
            self.shell(step, "rm", &format!("rm -f {}", step.path));
            let text = after(step);
            let command = format!("cat > {} <<'EOF'\n{text}EOF\n", step.path);
            return self.shell(step, "cat", &command);
        }
        let id = format!("call_{}", step.number);
        let call = json!({"type": "custom_tool_call", "status": "completed", "call_id": id,
            "name": "apply_patch", "input": Self::patch(step)});
        let said = step.refused.unwrap_or("Success. Updated the following files:\nM a\n");
        self.push(step.number, "response_item", &call);
        if self.telling == Telling::Whole {
            let after = after(step);
            let change = match fresh {
                true => json!({"type": "add", "content": after}),
                false => json!({"type": "update", "unified_diff": diff(&step.before, &after),
                    "move_path": null}),
            };
            let changes = json!({absolute(step): change});
            let end = json!({"type": "patch_apply_end", "call_id": id, "stdout": said,
                "stderr": "", "success": step.refused.is_none(), "changes": changes});
            self.push(step.number, "event_msg", &end);
        }
        let answer = json!({"type": "custom_tool_call_output", "call_id": id, "output": said});
        self.push(step.number, "response_item", &answer);
    }

    fn members(self: Box<Self>) -> Members {
        let name = "rollout-2026-03-01T10-00-00-019e51c0-7a10-7bb2-9c41-3d0e5f2a6b11.jsonl";
        vec![(None, name, self.lines)]
    }
}
