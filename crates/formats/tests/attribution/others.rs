//! The formats of the agents whose tools record the text itself, or a diff with line numbers.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::agents::{Agent, Members, absolute, after, diff, folder, time};
use crate::work::{Act, Replace, Step, Telling, Tools};

const EDITS: Tools = Tools {
    telling: Telling::Whole,
    begin: true,
    edits: true,
    several: false,
    patches: false,
    writes: true,
    removes: false,
    subs: false,
    others: false,
};

fn only(step: &Step<'_>) -> Replace {
    match &step.act {
        Act::Edit(edits) => edits[0].clone(),
        _ => unreachable!("another tool"),
    }
}

/// Gemini CLI: a document.
pub(crate) struct Gemini {
    pub telling: Telling,
    pub messages: Vec<Value>,
    pub folder: String,
}

impl Agent for Gemini {
    fn format(&self) -> &'static str {
        "gemini"
    }

    fn tools(&self) -> Tools {
        Tools { telling: self.telling, others: self.telling == Telling::Whole, ..EDITS }
    }

    fn tell(&mut self, step: &Step<'_>) {
        self.folder = folder(step);
        let path = absolute(step);
        let (name, args, said) = match &step.act {
            Act::Read => ("read_file", json!({"file_path": path}), step.before.clone()),
            Act::Write { after, fresh } => {
                let said = match fresh {
                    true => format!("Successfully created and wrote to new file: {path}."),
                    false => format!("Successfully overwrote file: {path}."),
                };
                ("write_file", json!({"file_path": path, "content": after}), said)
            }
            _ => {
                let Replace { old, new, all } = only(step);
                let count = if all { step.before.matches(&old).count() } else { 1 };
                let args = json!({"file_path": path, "instruction": "x", "old_string": old,
                    "new_string": new, "expected_replacements": count});
                ("replace", args, format!("Successfully modified file: {path}"))
            }
        };
        let id = format!("call_{}_{}", step.number, self.messages.len());
        let status = match step.refused {
            None => "success",
            Some(why) if why.contains("want") => "cancelled",
            Some(_) => "error",
        };
        let output = json!({"output": step.refused.unwrap_or(&said)});
        let mut call = json!({"id": id, "name": name, "args": args, "status": status,
            "result": [{"functionResponse": {"id": id, "name": name, "response": output}}],
            "timestamp": time(step.number)});
        if self.telling == Telling::Whole && step.refused.is_none() {
            let text = after(step);
            call["resultDisplay"] = json!({"fileDiff": diff(&step.before, &text),
                "fileName": path, "originalContent": step.before, "newContent": text});
        }
        self.messages.push(json!({"id": format!("m{}", self.messages.len()),
            "timestamp": time(step.number), "type": "gemini", "content": "",
            "model": "gemini-3-pro-preview", "toolCalls": [call]}));
    }

    fn members(self: Box<Self>) -> Members {
        let whole = json!({"sessionId": "6a0f2c31-58d7-4b0e-9a44-1d2f6c7e8b90",
            "projectHash": "549df1e2", "startTime": time(0), "lastUpdated": time(0),
            "directories": [self.folder], "messages": self.messages});
        vec![(None, "session-2026-03-01T10-00-6a0f2c31.json", vec![whole])]
    }

    fn whole(&self) -> bool {
        true
    }
}

/// OpenCode: an exported session.
pub(crate) struct OpenCode {
    pub telling: Telling,
    pub messages: Vec<Value>,
    pub folder: String,
}

const OPENCODE: &str = "ses_f3baf9384ffeQm3kT9xWc2LpZa";

impl Agent for OpenCode {
    fn format(&self) -> &'static str {
        "opencode"
    }

    fn tools(&self) -> Tools {
        Tools { telling: self.telling, others: self.telling == Telling::Whole, ..EDITS }
    }

    fn tell(&mut self, step: &Step<'_>) {
        self.folder = folder(step);
        let path = absolute(step);
        let text = after(step);
        let diff = diff(&step.before, &text);
        let file = json!({"file": path, "before": step.before, "after": text});
        let bare = self.telling == Telling::Bare;
        let (tool, input, metadata) = match &step.act {
            Act::Read => return,
            // Only the diff has the old text.
            Act::Write { fresh: false, .. } if bare => {
                ("edit", json!({"filePath": path}), json!({"diff": diff}))
            }
            Act::Write { after, fresh } => {
                let mut metadata = json!({"filepath": path, "exists": !fresh});
                if !bare {
                    metadata["filediff"] = file;
                }
                ("write", json!({"filePath": path, "content": after}), metadata)
            }
            _ => {
                let Replace { old, new, all } = only(step);
                let input = json!({"filePath": path, "oldString": old, "newString": new,
                    "replaceAll": all});
                let mut metadata = json!({"diff": diff});
                if !bare {
                    metadata["filediff"] = file;
                }
                ("edit", input, metadata)
            }
        };
        let at = self.messages.len();
        let (message, now) = (format!("msg_{at:026}"), 1_790_000_000_000u64 + at as u64 * 1000);
        let state = match step.refused {
            Some(why) => json!({"status": "error", "input": input, "error": why,
                "time": {"start": now, "end": now}}),
            None => json!({"status": "completed", "input": input, "output": "", "title": path,
                "metadata": metadata, "time": {"start": now, "end": now}}),
        };
        self.messages.push(json!({
            "info": {"id": message, "sessionID": OPENCODE, "role": "assistant",
                "time": {"created": now}, "modelID": "claude-opus-4-5",
                "providerID": "anthropic", "path": {"cwd": self.folder, "root": self.folder}},
            "parts": [{"id": format!("prt_{at:026}"), "sessionID": OPENCODE, "messageID": message,
                "type": "tool", "callID": format!("call_{}", step.number), "tool": tool,
                "state": state}],
        }));
    }

    fn members(self: Box<Self>) -> Members {
        let info = json!({"id": OPENCODE, "version": "1.1.53", "directory": self.folder,
            "title": "Work", "time": {"created": 1_790_000_000_000u64,
            "updated": 1_790_000_900_000u64}});
        vec![(None, "export.json", vec![json!({"info": info, "messages": self.messages})])]
    }

    fn whole(&self) -> bool {
        true
    }
}

/// The digest by which the desktop names a text.
fn content_id(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("composer.content.{hex}")
}

/// Cursor's desktop: rows of its database.
pub(crate) struct Cursor {
    pub rows: Vec<Value>,
    pub order: Vec<Value>,
}

const COMPOSER: &str = "3d4e5f60-5555-4666-8777-88889999aaaa";

impl Agent for Cursor {
    fn format(&self) -> &'static str {
        "cursor"
    }

    fn tools(&self) -> Tools {
        Tools { begin: false, edits: false, ..EDITS }
    }

    fn tell(&mut self, step: &Step<'_>) {
        let text = match &step.act {
            Act::Write { after, .. } => after.clone(),
            // Refused: the text that was not written.
            _ => "nothing of it\n".to_owned(),
        };
        let bubble = format!("b{:07}-0000-4000-8000-000000000001", self.rows.len());
        let params = json!({"relativeWorkspacePath": absolute(step), "streamingContent": text,
            "noCodeblock": true, "cloudAgentEdit": false});
        let result = json!({"beforeContentId": content_id(&step.before),
            "afterContentId": content_id(&text)});
        let decision = if step.refused.is_some() { "rejected" } else { "accepted" };
        let value = json!({"_v": 3, "bubbleId": bubble, "type": 2, "text": "",
            "capabilityType": 15, "createdAt": time(step.number),
            "modelInfo": {"modelName": "composer-1.5"},
            "toolFormerData": {"tool": 38, "name": "edit_file_v2", "status": "completed",
                "toolCallId": format!("call_{}\nfc_1", step.number), "params": params.to_string(),
                "result": result.to_string(), "userDecision": decision}});
        self.order.push(json!({"bubbleId": bubble, "type": 2}));
        let key = format!("bubbleId:{COMPOSER}:{bubble}");
        self.rows.push(json!({"table": "cursorDiskKV", "row": {"key": key, "value": value}}));
    }

    fn members(self: Box<Self>) -> Members {
        let value = json!({"_v": 17, "composerId": COMPOSER, "name": "Work",
            "createdAt": 1_790_000_000_123u64, "fullConversationHeadersOnly": self.order});
        let row = json!({"key": format!("composerData:{COMPOSER}"), "value": value});
        let mut rows = vec![json!({"table": "cursorDiskKV", "row": row})];
        rows.extend(self.rows);
        vec![(None, "state.vscdb.dump.jsonl", rows)]
    }
}

/// CodeWhale: a saved session.
pub(crate) struct CodeWhale {
    pub messages: Vec<Value>,
    pub folder: String,
}

impl Agent for CodeWhale {
    fn format(&self) -> &'static str {
        "codewhale"
    }

    fn tools(&self) -> Tools {
        EDITS
    }

    fn tell(&mut self, step: &Step<'_>) {
        self.folder = folder(step);
        let path = absolute(step);
        let (name, input) = match &step.act {
            Act::Write { after, .. } => ("write_file", json!({"path": path, "content": after})),
            _ => {
                let Replace { old, new, .. } = only(step);
                ("edit_file", json!({"path": path, "search": old, "replace": new}))
            }
        };
        let id = format!("call_{}", step.number);
        let said = format!(
            "--- a/{path}\n+++ b/{path}\n{}\nReplaced 1 occurrence in {path}\n  - src: a note",
            diff(&step.before, &after(step)).trim_start_matches("--- original\n+++ modified\n"),
        );
        let mut answer = json!({"type": "tool_result", "tool_use_id": id,
            "content": step.refused.unwrap_or(&said)});
        if step.refused.is_some() {
            answer["is_error"] = json!(true);
        }
        let call = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        self.messages.push(json!({"role": "assistant", "content": [call]}));
        self.messages.push(json!({"role": "user", "content": [answer]}));
    }

    fn members(self: Box<Self>) -> Members {
        let metadata = json!({"id": "0d1f2a3b-7777-4888-8999-000011112222", "title": "Work",
            "created_at": time(0), "updated_at": time(1), "message_count": self.messages.len(),
            "model": "deepseek-v4", "model_provider": "deepseek", "workspace": self.folder});
        let whole = json!({"schema_version": 1, "metadata": metadata,
            "messages": self.messages, "system_prompt": null});
        vec![(None, "0d1f2a3b-7777-4888-8999-000011112222.json", vec![whole])]
    }

    fn whole(&self) -> bool {
        true
    }
}
