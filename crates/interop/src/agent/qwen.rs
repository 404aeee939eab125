//! Qwen Code, with the mock as a provider like OpenAI.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "qwen",
    is_deep: true,
    prepare: |place| place.configure(SETTINGS, &settings(place).to_string()),
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |place| {
        vec![
            ("OPENAI_API_KEY", "dummy-key-for-the-mock".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", place.url())),
            ("OPENAI_MODEL", MODEL.to_owned()),
            // The titles that it makes by itself are requests that no script answers.
            ("QWEN_DISABLE_AUTO_TITLE", "1".to_owned()),
        ]
    },
    command,
    memory: Some("QWEN.md"),
    lonely: None,
    drops: |_, _| None,
    bare: |text| text,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

const SETTINGS: &str = ".qwen/settings.json";

fn settings(place: &Place) -> Value {
    let model = json!({
        "id": MODEL, "name": MODEL, "baseUrl": format!("{}/v1", place.url()),
        "envKey": "OPENAI_API_KEY",
        "generationConfig": {"contextWindowSize": 400_000, "modalities": {"image": true}},
    });
    json!({
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
        "model": {"name": MODEL}, "modelProviders": {"openai": [model]},
        "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
        "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
        "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false},
    })
}

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let node = place.node.as_ref().ok_or("it needs Node.js")?.to_string_lossy().into_owned();
    let program = place.program();
    let start = [&node, &program, "--approval-mode", "yolo"];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) | Ask::Told(Means::Memory, prompt) => with(&["-p", prompt]),
        Ask::Image(prompt, image) => {
            let name = image.file_name().unwrap_or_default().to_string_lossy();
            with(&["-p", &format!("@{name} {prompt}")])
        }
        Ask::Resume(id, prompt) => with(&["--resume", id, "-p", prompt]),
        Ask::Fork(id, prompt) => with(&["--resume", id, "--fork-session", "-p", prompt]),
        Ask::Compact(id) => with(&["--resume", id, "-p", "/compress"]),
        Ask::Told(Means::Command, prompt) => {
            let [before, behind] = COMMAND;
            let text = format!("prompt = \"{before} {{{{args}}}} {behind}\"\n");
            let written = place.configure(".qwen/commands/count.toml", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["-p", &format!("/count {prompt}")])
        }
        Ask::Told(Means::File, prompt) => with(&["-p", &format!("@prices.txt {prompt}")]),
        Ask::Told(Means::Folder, prompt) => with(&["-p", &format!("@{STALL} {prompt}")]),
        Ask::Told(Means::Hook, prompt) => {
            let told = json!({"hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit", "additionalContext": HOOK,
            }});
            let hook =
                json!([{"hooks": [{"type": "command", "command": format!("echo '{told}'")}]}]);
            let mut settings = settings(place);
            settings["hooks"] = json!({"UserPromptSubmit": hook});
            let written = place.configure(SETTINGS, &settings.to_string());
            written.map_err(|_| "it can't be configured")?;
            with(&["-p", prompt])
        }
        Ask::Told(Means::Skill, _) => return Err("its model loads skills itself"),
        Ask::Told(Means::Denial, _) => return Err("it does not offer what it denies"),
    })
}

fn vocabulary(act: &Act, _: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("read_file", json!({"file_path": at(work, path)})),
        Act::Edit { path, old, new } => {
            let path = at(work, path);
            call("edit", json!({"file_path": path, "old_string": old, "new_string": new}))
        }
        Act::Write { path, text } => {
            call("write_file", json!({"file_path": at(work, path), "content": text}))
        }
        Act::Run(line) => {
            call("run_shell_command", json!({"command": line, "is_background": false}))
        }
        Act::Delegate(prompt) => call(
            "agent",
            json!({
                "description": "Count fruit", "prompt": prompt,
                "subagent_type": "general-purpose", "run_in_background": false,
            }),
        ),
        Act::Wait => return None,
    })
}

const OWN: &[Own] = &[Own {
    side: Side::Adds,
    kind: "answer",
    start: "Got it. Thanks for the additional context!",
    reason: "its own answer to a summary, in the model's place",
}];

const MADE: &[Made] = &[Made {
    name: "a rewind",
    change: |lines| {
        let is_prompt = |line: &&Value| line["type"] == "user" && line["subtype"].is_null();
        let Some(last) = lines.iter().rfind(is_prompt).cloned() else { return };
        let mut rewind = last.clone();
        rewind["uuid"] = "5d0c7a1e-0000-4000-8000-00000000abcd".into();
        rewind["type"] = "system".into();
        rewind["subtype"] = "rewind".into();
        rewind["systemPayload"] = json!({"truncatedCount": 2});
        if let Some(members) = rewind.as_object_mut() {
            members.remove("message");
        }
        lines.push(rewind);
    },
}];
