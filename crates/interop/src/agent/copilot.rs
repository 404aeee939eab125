//! GitHub Copilot CLI, with the mock as a model provider of one's own.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

/// A name that its catalog has: others have no limits of tokens there.
const CATALOG: &str = "gpt-5.1";

pub(super) const AGENT: Agent = Agent {
    name: "copilot",
    is_deep: true,
    // It creates no folders for the files that it writes.
    prepare: |place| fs::create_dir_all(place.work.join("notes")),
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |place| {
        // It unpacks itself there, once for all homes.
        let unpacked = place.program.with_file_name("unpacked").to_string_lossy().into_owned();
        vec![
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", place.url())),
            ("COPILOT_PROVIDER_API_KEY", "dummy-key-for-the-mock".to_owned()),
            ("COPILOT_PROVIDER_MODEL_ID", CATALOG.to_owned()),
            ("COPILOT_PROVIDER_WIRE_MODEL", MODEL.to_owned()),
            ("XDG_CACHE_HOME", unpacked),
        ]
    },
    command,
    memory: None,
    lonely: None,
    drops: |_, _| None,
    bare,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    let start = [program.as_str(), "--allow-all-tools", "--allow-all-paths"];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    let prompted = |prompt: &str| with(&["-p", prompt]);
    Ok(match *ask {
        Ask::Prompt(prompt) => prompted(prompt),
        Ask::Image(prompt, image) => {
            with(&["--attachment", &image.to_string_lossy(), "-p", prompt])
        }
        Ask::Resume(id, prompt) => with(&[&format!("--resume={id}"), "-p", prompt]),
        Ask::Fork(..) => return Err("its fork needs its screen"),
        Ask::Compact(id) => with(&[&format!("--resume={id}"), "-p", "/compact"]),
        Ask::Told(Means::File, prompt) => prompted(&format!("@prices.txt {prompt}")),
        Ask::Told(Means::Folder, _) => return Err("it takes files alone"),
        Ask::Told(Means::Skill, prompt) => {
            let text = format!("---\nname: weights\ndescription: How to weigh\n---\n{SKILL}\n");
            let written = place.configure(".copilot/skills/weights/SKILL.md", &text);
            written.map_err(|_| "it can't be configured")?;
            prompted(&format!("/weights {prompt}"))
        }
        Ask::Told(Means::Command, _) => return Err("its own commands are skills"),
        Ask::Told(Means::Memory, _) => return Err("it reads no instructions of a folder below"),
        Ask::Told(Means::Hook, _) => return Err("a hook adds no text to a prompt"),
        Ask::Told(Means::Denial, prompt) => with(&["--deny-tool", "shell(rm)", "-p", prompt]),
    })
}

fn vocabulary(act: &Act, _: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("view", json!({"path": at(work, path)})),
        Act::Edit { path, old, new } => {
            call("edit", json!({"path": at(work, path), "old_str": old, "new_str": new}))
        }
        Act::Write { path, text } => {
            call("create", json!({"path": at(work, path), "file_text": text}))
        }
        Act::Run(line) => call("bash", json!({"command": line, "description": "Look for fruit"})),
        Act::Delegate(prompt) => call(
            "task",
            json!({
                "name": "counter", "description": "Count fruit", "prompt": prompt,
                "agent_type": "general-purpose", "mode": "sync",
            }),
        ),
        Act::Wait => return None,
    })
}

/// A prompt without the time in front of it.
fn bare(text: &str) -> &str {
    let behind = text.strip_prefix("<current_datetime>");
    let behind = behind.and_then(|rest| rest.split_once("</current_datetime>"));
    behind.map_or(text, |(_, text)| text.trim_start())
}

const OWN: &[Own] = &[
    Own {
        side: Side::Adds,
        kind: "user",
        start: "Some of the conversation history has been summarized",
        reason: "a summary, in words of its own, with the prompts before it",
    },
    Own {
        side: Side::Drops,
        kind: "user",
        start: "The shop answers,",
        reason: "the same summary as it is in the session",
    },
    Own {
        side: Side::Moves,
        kind: "result",
        start: "",
        reason: "it sends results in the order of their calls, and writes them as they come",
    },
    Own {
        side: Side::Adds,
        kind: "user",
        start: "Image file at path",
        reason: "the name of a picture, in front of it",
    },
];

const MADE: &[Made] = &[];
