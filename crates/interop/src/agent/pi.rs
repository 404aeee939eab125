//! Pi.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "pi",
    is_deep: true,
    prepare: configure,
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |_| vec![("PI_OFFLINE", "1".to_owned())],
    command,
    memory: None,
    lonely: Some("it has no sub-agents of its own"),
    drops: |_, _| None,
    bare: |text| text,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

/// Its configuration, with the mock as a custom provider.
fn configure(place: &Place) -> io::Result<()> {
    let model = json!({
        "id": MODEL, "name": "Mock", "reasoning": true, "input": ["text", "image"],
        "contextWindow": 400_000, "maxTokens": 8_000,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    });
    let provider = json!({
        "baseUrl": format!("{}/v1", place.url()), "api": "openai-completions",
        "apiKey": "dummy-key-for-the-mock", "models": [model],
    });
    let models = json!({"providers": {"mock": provider}});
    place.configure(".pi/agent/models.json", &models.to_string())?;
    let settings = json!({
        "defaultProvider": "mock", "defaultModel": MODEL, "enableInstallTelemetry": false,
        "compaction": {"keepRecentTokens": 1},
    });
    place.configure(".pi/agent/settings.json", &settings.to_string())
}

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let node = place.node.as_ref().ok_or("it needs Node.js")?.to_string_lossy().into_owned();
    let program = place.program();
    let start = [&node, &program, "--provider", "mock", "--model", MODEL, "-p"];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["--", prompt]),
        Ask::Image(prompt, image) => with(&[&format!("@{}", image.display()), "--", prompt]),
        Ask::Resume(id, prompt) => with(&["--session", id, "--", prompt]),
        Ask::Fork(id, prompt) => with(&["--fork", id, "--", prompt]),
        Ask::Compact(id) => {
            let shell = ["bash", "-c", include_str!("compact.sh"), "compact"];
            let agent = [&node, &program, "--provider", "mock", "--model", MODEL];
            Command::new(&[&shell[..], &agent, &["--mode", "rpc", "--session", id]].concat())
        }
        Ask::Told(Means::Command, prompt) => {
            let [before, behind] = COMMAND;
            let text = format!("---\ndescription: Counts\n---\n{before} $ARGUMENTS\n\n{behind}\n");
            let written = place.configure(".pi/agent/prompts/count.md", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["--", &format!("/count {prompt}")])
        }
        Ask::Told(Means::Skill, prompt) => {
            let text = format!("---\nname: weights\ndescription: How to weigh\n---\n{SKILL}\n");
            let written = place.configure(".pi/agent/skills/weights/SKILL.md", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["--", &format!("/skill:weights {prompt}")])
        }
        Ask::Told(Means::File, prompt) => with(&["@prices.txt", "--", prompt]),
        Ask::Told(Means::Folder, _) => return Err("it takes files alone"),
        Ask::Told(Means::Memory, _) => return Err("it reads no instructions of a folder below"),
        Ask::Told(Means::Hook, _) => return Err("its hooks are programs of their own"),
        Ask::Told(Means::Denial, _) => return Err("it asks for no permission"),
    })
}

fn vocabulary(act: &Act, _: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("read", json!({"path": at(work, path)})),
        Act::Edit { path, old, new } => {
            let edits = json!([{"oldText": old, "newText": new}]);
            call("edit", json!({"path": at(work, path), "edits": edits}))
        }
        Act::Write { path, text } => {
            call("write", json!({"path": at(work, path), "content": text}))
        }
        Act::Run(line) => call("bash", json!({"command": line})),
        Act::Delegate(_) | Act::Wait => return None,
    })
}

const OWN: &[Own] = &[
    Own {
        side: Side::Adds,
        kind: "user",
        start: "The conversation history before this point was compacted",
        reason: "a summary, in words of its own",
    },
    Own {
        side: Side::Drops,
        kind: "user",
        start: "No prior history.",
        reason: "the same summary as it is in the session",
    },
];

const MADE: &[Made] = &[
    Made {
        name: "a branch that was left",
        change: |lines| {
            let is_user = |line: &&Value| line["message"]["role"] == "user";
            let Some(first) = lines.iter().find(is_user).cloned() else { return };
            let Some(last) = lines.iter().rfind(is_user).cloned() else { return };
            let text = json!([{"type": "text", "text": "Only the melons, please."}]);
            lines.push(entry(&first, &last["parentId"], "made0001", text));
        },
    },
    Made {
        name: "a picture in a prompt",
        change: |lines| {
            let is_user = |line: &&Value| line["message"]["role"] == "user";
            let Some(form) = lines.iter().find(is_user).cloned() else { return };
            let parent = lines.last().map(|line| line["id"].clone()).unwrap_or_default();
            let (_, data) = PICTURE.split_once(',').unwrap_or_default();
            let picture = json!({"type": "image", "data": data, "mimeType": "image/png"});
            let text = json!({"type": "text", "text": "Is this a melon?"});
            lines.push(entry(&form, &parent, "made0002", json!([text, picture])));
        },
    },
];

/// An entry with a message of this content, in the form of another one.
fn entry(form: &Value, parent: &Value, id: &str, content: Value) -> Value {
    let mut entry = form.clone();
    entry["id"] = id.into();
    entry["parentId"] = parent.clone();
    entry["message"]["content"] = content;
    entry
}
