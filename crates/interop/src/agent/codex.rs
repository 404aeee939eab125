//! Codex.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::mock::script::Act;

const OPTIONS: &[&str] = &["--dangerously-bypass-approvals-and-sandbox"];

pub(super) const AGENT: Agent = Agent {
    name: "codex",
    is_deep: false,
    prepare: |place| {
        let work = place.work.to_string_lossy();
        let url = place.url();
        let text = format!(
            "model = \"gpt-5.2-codex\"\nopenai_base_url = \"{url}/v1\"\n\
             check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n\
             [projects.\"{work}\"]\ntrust_level = \"trusted\"\n"
        );
        place.configure(".codex/config.toml", &text)
    },
    settle: name_providers,
    keep: |_| Ok(()),
    variables: |_| vec![("CODEX_API_KEY", "sk-dummy-key-for-the-mock".to_owned())],
    command,
    memory: None,
    lonely: None,
    drops: |part, request| {
        is_shortened(part, request).then_some("more of a result than 12,000 characters")
    },
    bare: |text| text,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

/// Whether the request has the beginning and the end of a long result, and the agent's own mark
/// between them. Its file has all of it.
fn is_shortened(part: &Part, request: &str) -> bool {
    const WHOLE: usize = 10_000;
    const SEEN: usize = 1_000;
    let text: Vec<char> = part.text.chars().collect();
    if part.kind != "result" || text.len() < WHOLE {
        return false;
    }
    let begin: String = text[..SEEN].iter().collect();
    let end: String = text[text.len() - SEEN..].iter().collect();
    let behind = request.find(&begin).map(|at| &request[at..]);
    let marked = behind.and_then(|behind| Some(&behind[..behind.find(&end)?]));
    marked.is_some_and(|between| between.contains(" chars truncated…"))
}

/// Configures the providers that the placed sessions name, the first of them as the provider to
/// use: the agent continues a session with its own provider only.
fn name_providers(place: &Place) -> io::Result<()> {
    let mut names = BTreeSet::new();
    let mut folders = vec![place.home.join(".codex/sessions")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let header = text.lines().next().unwrap_or_default();
            let header: Value = serde_json::from_str(header).unwrap_or_default();
            names.extend(header["payload"]["model_provider"].as_str().map(str::to_owned));
        }
    }
    names.remove("openai");
    let path = place.home.join(".codex/config.toml");
    let mut text = fs::read_to_string(&path)?;
    if let Some(name) = names.first() {
        text.insert_str(0, &format!("model_provider = {name:?}\n"));
    }
    for name in names {
        let url = place.url();
        text.push_str(&format!(
            "\n[model_providers.{name:?}]\nname = {name:?}\nbase_url = \"{url}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"CODEX_API_KEY\"\n"
        ));
    }
    fs::write(path, text)
}

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    let start = [&[program.as_str(), "exec"], OPTIONS].concat();
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["--", prompt]),
        Ask::Image(prompt, image) => with(&["-i", &image.to_string_lossy(), "--", prompt]),
        Ask::Resume(id, prompt) => with(&["resume", "--", id, prompt]),
        Ask::Fork(id, prompt) => with(&["fork", "--", id, prompt]),
        Ask::Compact(id) => with(&[
            "resume",
            "-c",
            "model_auto_compact_token_limit=500",
            "--",
            id,
            "Go on. [[hello]]",
        ]),
        Ask::Told(Means::Skill, prompt) => {
            let text = format!("---\nname: weights\ndescription: How to weigh\n---\n{SKILL}\n");
            let written = place.configure(".codex/skills/weights/SKILL.md", &text);
            written.map_err(|_| "it can't be configured")?;
            with(&["--", &format!("$weights {prompt}")])
        }
        Ask::Told(Means::File | Means::Folder, _) => return Err("its model reads files itself"),
        Ask::Told(Means::Memory, _) => return Err("it reads no instructions of a folder below"),
        Ask::Told(Means::Command, _) => return Err("its commands need its screen"),
        Ask::Told(Means::Hook, _) => return Err("a hook must be trusted on its screen first"),
        Ask::Told(Means::Denial, _) => return Err("without a screen it asks for nothing"),
    })
}

/// A call of a sub-agent tool. These tools have their own namespace.
fn collaborate(name: &str, input: Value) -> Call {
    Call { space: Some("multi_agent_v1"), ..call(name, input) }
}

/// Codex reads, writes and edits files through the shell and patches.
fn vocabulary(act: &Act, asked: &Request, work: &Path) -> Option<Call> {
    let run =
        |line: String| match offered(&asked.tools, &["exec_command", "shell_command", "shell"]) {
            "exec_command" => call("exec_command", json!({"cmd": line, "workdir": work})),
            "shell_command" => call("shell_command", json!({"command": line, "workdir": work})),
            _ => call("shell", json!({"command": ["bash", "-lc", line], "workdir": work})),
        };
    let patch = |body: String| {
        let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
        if asked.tools.iter().any(|tool| tool == "apply_patch") {
            return call("apply_patch", Value::String(patch));
        }
        run(format!("apply_patch <<'PATCH'\n{patch}PATCH\n"))
    };
    let marked = |mark: char, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    Some(match *act {
        Act::Read(path) => run(format!("cat {path}")),
        Act::Edit { path, old, new } => {
            patch(format!("*** Update File: {path}\n@@\n{}{}", marked('-', old), marked('+', new)))
        }
        Act::Write { path, text } => patch(format!("*** Add File: {path}\n{}", marked('+', text))),
        Act::Run(line) => run(line.to_owned()),
        Act::Delegate(prompt) => collaborate("spawn_agent", json!({"message": prompt})),
        Act::Wait => {
            let result = asked.result.as_deref().unwrap_or_default();
            let spawned: Value = serde_json::from_str(result).unwrap_or_default();
            let targets = [&spawned["agent_id"]];
            collaborate("wait_agent", json!({"targets": targets, "timeout_ms": 60_000}))
        }
    })
}

const OWN: &[Own] = &[
    Own {
        side: Side::Adds,
        kind: "user",
        start: "<environment_context>",
        reason: "the folder and the date, told anew with each request",
    },
    Own {
        side: Side::Adds,
        kind: "result",
        start: "aborted",
        reason: "it makes a result for a call that has none",
    },
];

const MADE: &[Made] = &[
    Made {
        name: "results in reverse order",
        change: |lines| {
            let is_output = |line: &Value| line["payload"]["type"] == "function_call_output";
            let outputs: Vec<usize> =
                (0..lines.len()).filter(|&at| is_output(&lines[at])).collect();
            if let [one, other, ..] = outputs[..] {
                lines.swap(one, other);
            }
        },
    },
    Made {
        name: "a picture, and the report of a sub-agent",
        change: |lines| {
            let picture = json!({"type": "input_image", "image_url": PICTURE});
            let text = json!({"type": "input_text", "text": "Is this a melon?"});
            let said =
                |content: Value| json!({"type": "message", "role": "user", "content": content});
            lines.push(line(lines, "response_item", said(json!([text, picture]))));
            let report = "<subagent_notification>\n{\"status\":{\"completed\":\"Three melons.\"}}\n\
                          </subagent_notification>";
            let report = json!([{"type": "input_text", "text": report}]);
            lines.push(line(lines, "response_item", said(report)));
        },
    },
    Made {
        name: "replacement_history",
        change: |lines| {
            let said = |role: &str, kind: &str, text: &str| {
                let content = json!([{"type": kind, "text": text}]);
                json!({"type": "message", "role": role, "content": content})
            };
            let history = json!([
                said("user", "input_text", "Mend the prices, please."),
                said("user", "input_text", "So far: the pears and the plums were mended."),
            ]);
            let payload = json!({"message": "", "replacement_history": history});
            lines.push(line(lines, "compacted", payload));
            let answer = said("assistant", "output_text", "The melons are next.");
            lines.push(line(lines, "response_item", answer));
        },
    },
    Made {
        name: "thread_rolled_back",
        change: |lines| {
            let payload = json!({"type": "thread_rolled_back", "num_turns": 1});
            lines.push(line(lines, "event_msg", payload));
        },
    },
];

/// The next line of a rollout.
fn line(lines: &[Value], kind: &str, payload: Value) -> Value {
    let mut next = lines.last().cloned().unwrap_or_default();
    next["ordinal"] = lines.len().into();
    next["type"] = kind.into();
    next["payload"] = payload;
    next
}
