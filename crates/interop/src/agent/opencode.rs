//! OpenCode.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "opencode",
    is_deep: false,
    prepare: configure,
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |_| {
        let names = [
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
            "OPENCODE_DISABLE_CLAUDE_CODE",
            "OPENCODE_DISABLE_AUTOUPDATE",
        ];
        names.map(|name| (name, "1".to_owned())).to_vec()
    },
    command,
    memory: Some("AGENTS.md"),
    lonely: None,
    drops: |_, _| None,
    bare: |text| text,
    own: OWN,
    import: Some(|place, file| {
        Command::new(&[&place.program(), "import", &file.to_string_lossy()])
    }),
    made: MADE,
    vocabulary,
};

/// Its configuration, with the mock as a custom provider.
fn configure(place: &Place) -> io::Result<()> {
    let model = json!({
        "name": "Mock", "reasoning": true, "tool_call": true, "attachment": true,
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "limit": {"context": 400_000, "output": 8_000},
    });
    let options =
        json!({"baseURL": format!("{}/v1", place.url()), "apiKey": "dummy-key-for-the-mock"});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "Mock", "options": options,
        "models": {MODEL: model},
    });
    let config = json!({
        "provider": {"mock": provider}, "model": format!("mock/{MODEL}"), "share": "disabled",
        "autoupdate": false,
    });
    place.configure(".config/opencode/opencode.json", &config.to_string())
}

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    let model = format!("mock/{MODEL}");
    let start = [program.as_str(), "run", "--auto", "-m", &model];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["--", prompt]),
        Ask::Image(prompt, image) => with(&["-f", &image.to_string_lossy(), "--", prompt]),
        Ask::Resume(id, prompt) => with(&["-s", id, "--", prompt]),
        Ask::Fork(id, prompt) => with(&["-s", id, "--fork", "--", prompt]),
        Ask::Compact(id) => {
            let node = place.node.as_ref().ok_or("its server is asked with Node.js")?;
            let node = node.to_string_lossy();
            let script = include_str!("summarize.js");
            Command::new(&[&node, "-e", script, &program, id, "mock", MODEL])
        }
        Ask::Told(Means::Command, prompt) => {
            let [before, behind] = COMMAND;
            let text = format!("---\ndescription: Counts\n---\n{before} $ARGUMENTS\n\n{behind}\n");
            let written = place.configure(".config/opencode/command/count.md", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["--command", "count", "--", prompt])
        }
        Ask::Told(Means::File, prompt) => with(&["-f", "prices.txt", "--", prompt]),
        Ask::Told(Means::Folder, prompt) => with(&["-f", STALL, "--", prompt]),
        Ask::Told(Means::Memory, prompt) => with(&["--", prompt]),
        Ask::Told(Means::Skill, _) => return Err("its model loads skills itself"),
        Ask::Told(Means::Hook, _) => return Err("its hooks are programs of their own"),
        Ask::Told(Means::Denial, _) => return Err("without a screen it permits everything"),
    })
}

fn vocabulary(act: &Act, _: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("read", json!({"filePath": at(work, path)})),
        Act::Edit { path, old, new } => {
            let path = at(work, path);
            call("edit", json!({"filePath": path, "oldString": old, "newString": new}))
        }
        Act::Write { path, text } => {
            call("write", json!({"filePath": at(work, path), "content": text}))
        }
        Act::Run(line) => call("bash", json!({"command": line, "description": "Look for fruit"})),
        Act::Delegate(prompt) => call(
            "task",
            json!({"description": "Count fruit", "prompt": prompt, "subagent_type": "general"}),
        ),
        Act::Wait => return None,
    })
}

const OWN: &[Own] = &[Own {
    side: Side::Adds,
    kind: "user",
    start: "What did we do so far?",
    reason: "its own question before the summary of a compaction",
}];

const MADE: &[Made] = &[
    Made {
        name: "tail_start_id",
        change: |lines| {
            let Some(messages) = lines[0]["messages"].as_array_mut() else { return };
            let prompt = |message: &&Value| message["info"]["role"] == "user";
            let answer = |message: &&Value| message["info"]["role"] == "assistant";
            let Some(tail) = messages.iter().rfind(prompt).cloned() else { return };
            let Some(last) = messages.iter().rfind(answer).cloned() else { return };
            let compaction = json!({
                "type": "compaction", "auto": false, "tail_start_id": tail["info"]["id"],
            });
            let asked = behind(&last, &tail, 1, compaction);
            let text = json!({"type": "text", "text": "In short: pears and plums are mended."});
            let mut summary = behind(&asked, &last, 2, text);
            summary["info"]["summary"] = true.into();
            summary["info"]["parentID"] = asked["info"]["id"].clone();
            summary["info"]["finish"] = "stop".into();
            messages.extend([asked, summary]);
        },
    },
    Made {
        name: "revert",
        change: |lines| {
            let messages = lines[0]["messages"].as_array().cloned().unwrap_or_default();
            let last = messages.iter().rfind(|message| message["info"]["role"] == "user");
            if let Some(last) = last {
                lines[0]["info"]["revert"] = json!({"messageID": last["info"]["id"]});
            }
        },
    },
    Made {
        name: "a picture in a prompt",
        change: |lines| {
            let Some(messages) = lines[0]["messages"].as_array_mut() else { return };
            let prompt = |message: &&Value| message["info"]["role"] == "user";
            let Some(last) = messages.iter().rfind(prompt).cloned() else { return };
            let end = messages.last().cloned().unwrap_or_default();
            let file = json!({"type": "file", "mime": "image/png", "url": PICTURE});
            let mut shown = behind(&end, &last, 1, file);
            let text = json!({"type": "text", "text": "Is this a melon?"});
            let parts = behind(&end, &last, 1, text)["parts"].take();
            let number = |part: &Value| part["id"].as_str().unwrap_or_default().to_owned() + "t";
            let mut part = parts[0].clone();
            part["id"] = number(&part).into();
            if let Some(parts) = shown["parts"].as_array_mut() {
                parts.push(part);
            }
            messages.push(shown);
        },
    },
];

/// A message behind another one, in the form of a third, with one part.
fn behind(last: &Value, form: &Value, number: usize, mut part: Value) -> Value {
    let id = |id: &Value| format!("{}{number}", id.as_str().unwrap_or_default());
    let mut info = form["info"].clone();
    info["id"] = id(&last["info"]["id"]).into();
    let time = last["info"]["time"]["created"].as_i64().unwrap_or_default() + 1_000;
    info["time"] = json!({"created": time, "completed": time});
    if info["role"] == "user" {
        info["time"] = json!({"created": time});
    }
    part["id"] = format!("prt_{}", id(&last["info"]["id"]).trim_start_matches("msg_")).into();
    part["sessionID"] = info["sessionID"].clone();
    part["messageID"] = info["id"].clone();
    json!({"info": info, "parts": [part]})
}
