//! Gemini CLI.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "gemini",
    is_deep: false,
    prepare: |place| {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
            "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
        });
        place.configure(".gemini/settings.json", &settings.to_string())
    },
    settle: |_| Ok(()),
    // It leaves an empty log of a session that it resumes in another minute, and at its next start
    // it deletes that log with every file of a name that ends alike.
    keep: |place| {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {
                "disableAutoUpdate": true, "enableAutoUpdate": false,
                "sessionRetention": {"enabled": false},
            },
            "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
        });
        place.configure(".gemini/settings.json", &settings.to_string())
    },
    variables: |place| {
        vec![
            ("GOOGLE_GEMINI_BASE_URL", place.url()),
            ("GEMINI_API_KEY", "dummy-key-for-the-mock".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ]
    },
    command,
    memory: Some("GEMINI.md"),
    lonely: None,
    drops: |part, _| {
        let is_command = part.kind == "prompt" && part.text.starts_with(['/', '?']);
        is_command.then_some("a prompt that begins as a command of its screen")
    },
    bare: |text| text,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let node = place.node.as_ref().ok_or("it needs Node.js")?.to_string_lossy().into_owned();
    let program = place.program();
    let start =
        [&node, &program, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust"];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["-p", prompt]),
        Ask::Image(prompt, image) => {
            let name = image.file_name().unwrap_or_default().to_string_lossy();
            with(&["-p", &format!("@{name} {prompt}")])
        }
        Ask::Resume(id, prompt) => with(&["--resume", id, "-p", prompt]),
        Ask::Fork(..) => return Err("it has no fork"),
        Ask::Compact(id) => {
            let text = json!({
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "model": {"compressionThreshold": 0.000_001},
            });
            drop(place.configure(".gemini/settings.json", &text.to_string()));
            with(&["--resume", id, "-p", "Go on. [[hello]]"])
        }
        Ask::Told(Means::Command, prompt) => {
            let [before, behind] = COMMAND;
            let text = format!("prompt = \"{before} {{{{args}}}} {behind}\"\n");
            let written = place.configure(".gemini/commands/count.toml", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["-p", &format!("/count {prompt}")])
        }
        Ask::Told(Means::File, prompt) => with(&["-p", &format!("@prices.txt {prompt}")]),
        Ask::Told(Means::Folder, prompt) => with(&["-p", &format!("@{STALL} {prompt}")]),
        Ask::Told(Means::Memory, prompt) => with(&["-p", prompt]),
        Ask::Told(Means::Hook, prompt) => {
            let hook = json!([{"hooks": [{"type": "command", "command": hook_command()}]}]);
            let text = json!({
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "hooks": {"BeforeAgent": hook},
            });
            let written = place.configure(".gemini/settings.json", &text.to_string());
            written.map_err(|_| "it can't be configured")?;
            with(&["-p", prompt])
        }
        Ask::Told(Means::Skill, _) => return Err("its model loads skills itself"),
        Ask::Told(Means::Denial, _) => return Err("it does not offer what it denies"),
    })
}

/// The command of the hook: it prints a text for the model.
fn hook_command() -> String {
    let told = json!({"hookSpecificOutput": {"additionalContext": HOOK}});
    format!("echo '{told}'")
}

fn vocabulary(act: &Act, asked: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("read_file", json!({"file_path": at(work, path)})),
        Act::Edit { path, old, new } => {
            let instruction = "Change the prices";
            let path = at(work, path);
            let input = json!({
                "file_path": path, "old_string": old, "new_string": new,
                "instruction": instruction,
            });
            call(offered(&asked.tools, &["replace", "edit"]), input)
        }
        Act::Write { path, text } => {
            call("write_file", json!({"file_path": at(work, path), "content": text}))
        }
        Act::Run(line) => call("run_shell_command", json!({"command": line})),
        Act::Delegate(prompt) => {
            call("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt}))
        }
        Act::Wait => return None,
    })
}

const OWN: &[Own] = &[
    Own {
        side: Side::Adds,
        kind: "user",
        start: "<session_context>",
        reason: "the folder and the date, told anew with each request",
    },
    Own {
        side: Side::Adds,
        kind: "answer",
        start: "[The previous response was interrupted",
        reason: "it puts an answer between two prompts in a row",
    },
    Own {
        side: Side::Doubles,
        kind: "result",
        start: "",
        reason: "each result of a session that it loads is sent twice",
    },
];

const MADE: &[Made] = &[
    Made {
        name: "$rewindTo",
        change: |lines| {
            let last = lines.iter().rfind(|line| line["type"] == "user");
            if let Some(id) = last.map(|line| line["id"].clone()) {
                lines.push(json!({"$rewindTo": id}));
            }
        },
    },
    Made {
        name: "a text beside a result",
        change: |lines| {
            let time = lines.iter().rev().find_map(|line| line["timestamp"].as_str());
            let time = time.unwrap_or_default().to_owned();
            let told =
                json!({"id": "made-call", "name": "read_file", "response": {"output": "melon 9"}});
            let told = json!({"functionResponse": told});
            let call = json!({
                "id": "made-call", "name": "read_file", "args": {"file_path": "melons.txt"},
                "result": [told], "status": "success", "timestamp": time,
            });
            let message = |id: &str, kind: &str, content: Value| {
                let mut message = json!({"id": id, "timestamp": time, "type": kind});
                message["content"] = content;
                message
            };
            let mut asks = message("made-1", "gemini", "First the melons.".into());
            asks["toolCalls"] = json!([call]);
            let typed = json!([told, {"text": "And be quick with the melons."}]);
            lines.push(asks);
            lines.push(message("made-2", "user", typed));
            lines.push(message("made-3", "gemini", "They cost nine.".into()));
        },
    },
];
