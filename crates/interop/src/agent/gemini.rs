//! Gemini CLI.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "gemini",
    prepare: |place| {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
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
    lonely: None,
    drops: |part| {
        let is_command = part.kind == "prompt" && part.text.starts_with(['/', '?']);
        is_command.then_some("a prompt that begins as a command of its screen")
    },
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
    })
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
