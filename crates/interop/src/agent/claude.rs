//! Claude Code.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::mock::script::Act;

const OPTIONS: &[&str] = &[
    "-p",
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "Bash,Read,Edit,Write,Agent,Task",
];

pub(super) const AGENT: Agent = Agent {
    name: "claude-code",
    is_deep: false,
    prepare: |place| {
        let work = place.work.to_string_lossy();
        let state = json!({
            "hasCompletedOnboarding": true, "numStartups": 1, "installMethod": "native",
            "customApiKeyResponses": {"approved": ["dummy-key-for-the-mock"], "rejected": []},
            "projects": {work: {"hasTrustDialogAccepted": true, "allowedTools": []}},
        });
        place.configure(".claude.json", &state.to_string())
    },
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |place| {
        let set = |name: &'static str| (name, "1".to_owned());
        vec![
            ("ANTHROPIC_BASE_URL", place.url()),
            ("ANTHROPIC_API_KEY", "sk-dummy-key-for-the-mock".to_owned()),
            // To this model it sends reminders as blocks of their own, to newer ones as one text.
            ("ANTHROPIC_MODEL", "claude-sonnet-4-5-20250929".to_owned()),
            set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"),
            set("DISABLE_AUTOUPDATER"),
            set("DISABLE_TELEMETRY"),
        ]
    },
    command,
    memory: Some("CLAUDE.md"),
    lonely: None,
    drops: |part, _| {
        part.text.starts_with("API Error: ").then_some("its own message of a refused request")
    },
    bare: |text| text,
    own: OWN,
    import: None,
    made: MADE,
    vocabulary,
};

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    let start = [&[program.as_str()], OPTIONS].concat();
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["--", prompt]),
        Ask::Image(prompt, image) => {
            let data = STANDARD.encode(fs::read(image).unwrap_or_default());
            let source = json!({"type": "base64", "media_type": "image/png", "data": data});
            let content = json!([
                {"type": "image", "source": source}, {"type": "text", "text": prompt},
            ]);
            let line = json!({"type": "user", "message": {"role": "user", "content": content}});
            let streams =
                ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
            with(&streams).reading(format!("{line}\n"))
        }
        Ask::Resume(id, prompt) => with(&["--resume", id, "--", prompt]),
        Ask::Fork(id, prompt) => with(&["--resume", id, "--fork-session", "--", prompt]),
        Ask::Compact(id) => with(&["--resume", id, "--", "/compact"]),
        Ask::Told(means, prompt) => return told(place, means, prompt),
    })
}

fn told(place: &Place, means: Means, prompt: &str) -> Result<Command, &'static str> {
    let (program, [before, behind]) = (place.program(), COMMAND);
    let start = [&[program.as_str()], OPTIONS].concat();
    let with = |prompt: &str| Command::new(&[&start, &["--", prompt][..]].concat());
    let hook = json!([{"hooks": [{"type": "command", "command": format!("echo '{HOOK}'")}]}]);
    let hooks = json!({"hooks": {"SessionStart": hook, "UserPromptSubmit": hook}});
    let files = match means {
        Means::Command => Some((
            ".claude/commands/count.md",
            format!("---\ndescription: Counts\n---\n{before} $ARGUMENTS\n\n{behind}\n"),
        )),
        Means::Skill => Some((
            ".claude/skills/weights/SKILL.md",
            format!("---\nname: weights\ndescription: How to weigh\n---\n{SKILL}\n"),
        )),
        Means::Hook => Some((".claude/settings.json", hooks.to_string())),
        _ => None,
    };
    if let Some((path, text)) = files {
        place.configure(path, &text).map_err(|_| "it can't be configured")?;
    }
    Ok(match means {
        Means::Command => with(&format!("/count {prompt}")),
        Means::Skill => with(&format!("/weights {prompt}")),
        Means::File => with(&format!("@prices.txt {prompt}")),
        Means::Folder => with(&format!("@{STALL}/ {prompt}")),
        Means::Hook | Means::Memory => with(prompt),
        Means::Denial => {
            let options = ["-p", "--permission-mode", "default", "--allowedTools", "Read", "--"];
            Command::new(&[&[program.as_str()], &options[..], &[prompt]].concat())
        }
    })
}

fn vocabulary(act: &Act, asked: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("Read", json!({"file_path": at(work, path)})),
        Act::Edit { path, old, new } => {
            let path = at(work, path);
            call("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
        }
        Act::Write { path, text } => {
            call("Write", json!({"file_path": at(work, path), "content": text}))
        }
        Act::Run(line) => call("Bash", json!({"command": line, "description": "Look for fruit"})),
        Act::Delegate(prompt) => call(
            offered(&asked.tools, &["Agent", "Task"]),
            json!({
                "description": "Count fruit", "prompt": prompt,
                "subagent_type": "general-purpose", "run_in_background": false,
            }),
        ),
        Act::Wait => return None,
    })
}

const OWN: &[Own] = &[
    Own {
        side: Side::Adds,
        kind: "result",
        start: "[Tool call interrupted: the session ended before this call's",
        reason: "it makes a result for a call that has none",
    },
    Own {
        side: Side::Adds,
        kind: "user",
        start: "[Image: source: ",
        reason: "its own words about the file of a picture",
    },
    Own {
        side: Side::Adds,
        kind: "answer",
        start: "No response requested.",
        reason: "it puts an answer between two prompts in a row",
    },
    Own {
        side: Side::Adds,
        kind: "user",
        start: "<local-command-caveat>",
        reason: "commands of its screen are sent; they are no part of the talk",
    },
    Own {
        side: Side::Adds,
        kind: "user",
        start: "<command-name>",
        reason: "a command of its screen, as above",
    },
    Own {
        side: Side::Adds,
        kind: "user",
        start: "<local-command-stdout>",
        reason: "the output of a command of its screen, as above",
    },
];

const MADE: &[Made] = &[
    Made {
        name: "results in reverse order",
        change: |lines| {
            let is_result = |line: &Value| line["message"]["content"][0]["type"] == "tool_result";
            let results: Vec<usize> =
                (0..lines.len()).filter(|&at| is_result(&lines[at])).collect();
            if let [one, other, ..] = results[..] {
                for name in ["message", "toolUseResult", "sourceToolAssistantUUID"] {
                    let kept = lines[one][name].take();
                    lines[one][name] = lines[other][name].take();
                    lines[other][name] = kept;
                }
            }
        },
    },
    Made {
        name: "a text typed while tools run",
        change: |lines| {
            let is_result = |line: &Value| line["message"]["content"][0]["type"] == "tool_result";
            let answers = |line: &Value| line["type"] == "assistant";
            let Some(result) = lines.iter().rposition(is_result) else { return };
            let Some(next) = lines[result..].iter().position(answers) else { return };
            let (time, end) = (lines[result]["timestamp"].clone(), lines.split_off(result + next));
            let typed = json!({
                "type": "queued_command", "prompt": "And be quick with the melons.",
                "commandMode": "prompt",
            });
            added(lines, "attachment", "attachment", typed);
            let Some(line) = lines.last_mut() else { return };
            line["timestamp"] = time;
            line["parentUuid"] = end[0]["parentUuid"].clone();
            let id = line["uuid"].clone();
            lines.extend(end);
            lines[result + next + 1]["parentUuid"] = id;
        },
    },
    Made {
        name: "the report of a sub-agent",
        change: |lines| {
            let report = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n\
                          <summary>Counted</summary>\n<result>Three melons.</result>\n\
                          </task-notification>";
            added(lines, "user", "message", json!({"role": "user", "content": report}));
        },
    },
    Made {
        name: "a picture in a prompt",
        change: |lines| {
            let data = PICTURE.rsplit(',').next().unwrap_or_default();
            let source = json!({"type": "base64", "media_type": "image/png", "data": data});
            let content = json!([
                {"type": "text", "text": "Is this a melon?"}, {"type": "image", "source": source},
            ]);
            added(lines, "user", "message", json!({"role": "user", "content": content}));
        },
    },
    Made {
        name: "a prompt that was edited",
        change: |lines| {
            let prompts =
                |line: &&Value| line["type"] == "user" && line["message"]["content"].is_string();
            let Some(last) = lines.iter().rfind(prompts).cloned() else { return };
            let content = json!({"role": "user", "content": "No, the melons."});
            let parent = last["parentUuid"].clone();
            added(lines, "user", "message", content);
            if let Some(line) = lines.last_mut() {
                line["parentUuid"] = parent;
            }
            // The line of the last prompt names the other branch.
            lines.retain(|line| line["type"] != "last-prompt");
        },
    },
];

/// Adds a line behind the last message.
fn added(lines: &mut Vec<Value>, kind: &str, name: &str, value: Value) {
    let is_message = |line: &&Value| line["message"].is_object() && line["uuid"].is_string();
    let Some(last) = lines.iter().rfind(is_message) else { return };
    let names =
        ["cwd", "sessionId", "version", "gitBranch", "timestamp", "isSidechain", "userType"];
    let mut line = json!({"type": kind, "parentUuid": last["uuid"]});
    for own in names {
        line[own] = last[own].clone();
    }
    line["uuid"] = format!("5f1e7f1e-2a0b-4a55-9f3e-{:012x}", lines.len()).into();
    // The newest line is the end of the conversation.
    let time = line["timestamp"].as_str().unwrap_or_default();
    line["timestamp"] = format!("2031{}", time.get(4..).unwrap_or_default()).into();
    line[name] = value;
    lines.push(line);
}
