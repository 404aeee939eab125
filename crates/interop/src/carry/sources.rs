//! Sessions for the matrix that no agent writes here: the samples of agents that can't be run, and
//! sessions that are made for what the scenarios do not have.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};

use crate::carry::Source;
use crate::judge::{Listed, Verbatim};

/// The agents whose samples are resumed, since their programs can't be run everywhere.
const SAMPLED: [&str; 3] = ["codewhale", "cursor", "sage"];

/// Number of samples of each of these agents: the largest ones.
const SAMPLES: usize = 4;

/// A session that is not from a run of an agent.
pub(crate) struct Given {
    agent: &'static str,
    name: String,
    home: PathBuf,
    id: String,
    file: Option<PathBuf>,
}

impl Given {
    /// As a source, continued in this folder.
    pub(crate) fn source<'s>(&'s self, work: &'s Path) -> Source<'s> {
        let Self { agent, name, home, id, file } = self;
        Source { agent, name, home, id: id.clone(), work, file: file.as_deref() }
    }

    /// A real session.
    pub(crate) fn real(agent: &'static str, listed: &Listed) -> Self {
        let short: String = listed.id.chars().take(13).collect();
        let (home, id) = (listed.folder.clone(), listed.id.clone());
        Self { agent, name: format!("real {short}"), home, id, file: Some(listed.file.clone()) }
    }

    /// Whether its agent's name and its own have this text.
    pub(crate) fn is_named(&self, text: &str) -> bool {
        format!("{}, {}", self.agent, self.name).contains(text)
    }
}

/// All given sessions. Made ones are written into `folder`.
pub(crate) fn given(verbatim: &Verbatim, folder: &Path) -> io::Result<Vec<Given>> {
    let mut given: Vec<Given> = Vec::new();
    for agent in SAMPLED {
        let home = fs::canonicalize(format!("crates/formats/src/agents/{agent}/samples"))?;
        let mut listed = verbatim.listed_in(&home, agent);
        listed.sort_by(|one, other| (other.bytes, &other.id).cmp(&(one.bytes, &one.id)));
        for one in listed.into_iter().take(SAMPLES) {
            let short: String = one.id.chars().take(13).collect();
            let (name, home) = (format!("sample {short}"), home.clone());
            given.push(Given { agent, name, home, id: one.id, file: None });
        }
    }
    for (number, (name, talk)) in
        [("1,000 turns", turns()), ("odd texts", odd())].iter().enumerate()
    {
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-0000000000{number:02}");
        let home = folder.join(format!("made-{number}"));
        let file = home.join(format!(".claude/projects/-srv-shop/{id}.jsonl"));
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&file, lines(&id, talk))?;
        let name = (*name).to_owned();
        given.push(Given { agent: "claude-code", name, home, id, file: None });
    }
    Ok(given)
}

/// A message: its role and its content blocks.
type Message = (&'static str, Value);

/// A thousand turns.
fn turns() -> Vec<Message> {
    let turn = |number: usize| {
        let text = |text: String| json!([{"type": "text", "text": text}]);
        [
            ("user", text(format!("Question {number} about figs?"))),
            ("assistant", text(format!("Answer {number}: they are ripe."))),
        ]
    };
    (1..=1000).flat_map(turn).collect()
}

/// Texts that are not plain, calls that were made together, one of which failed, and a last turn
/// that did not end.
fn odd() -> Vec<Message> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let call = |id: &str, command: &str| {
        let input = json!({"command": command});
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": input})
    };
    let result = |id: &str, text: &str, failed: bool| {
        let kind = "tool_result";
        json!([{"type": kind, "tool_use_id": id, "content": text, "is_error": failed}])
    };
    vec![
        ("user", text("Größe, 価格, \u{5d0}\u{5d1}, \u{1f469}\u{200d}\u{1f33e} and e\u{301}?")),
        (
            "assistant",
            text("Control: \u{1}, \u{7f}, \u{1b}[31mred\u{1b}[0m, tab\tend, \u{2028} line."),
        ),
        ("user", text("A quote \" and a backslash \\ and </script> and ${HOME}.")),
        ("assistant", json!([call("toolu_1", "ls -la figs"), call("toolu_2", "cat no such file")])),
        ("user", result("toolu_1", "figs/one fig\nfigs/two figs", false)),
        ("user", result("toolu_2", "cat: no such file here", true)),
        ("assistant", text("One of the two worked.")),
        ("user", text("And the last one, which never ended?")),
        ("assistant", json!([call("toolu_3", "sleep 600 && echo never")])),
    ]
}

/// The lines of a transcript of Claude Code.
fn lines(id: &str, talk: &[Message]) -> String {
    let line = |(at, (role, content)): (usize, &Message)| {
        let uuid = |at: usize| format!("5f1e7f1e-2a0b-4a55-9f3e-{at:012x}");
        let parent = at.checked_sub(1).map(uuid);
        let (minute, second) = (at / 60 % 60, at % 60);
        let time = format!("2026-03-01T{:02}:{minute:02}:{second:02}.000Z", 8 + at / 3600);
        let mut message = json!({"role": role, "content": content});
        if *role == "assistant" {
            message["id"] = format!("msg_{at:06}").into();
            message["type"] = "message".into();
            message["model"] = "claude-opus-4-5".into();
            message["stop_reason"] = "end_turn".into();
            message["stop_sequence"] = Value::Null;
            message["usage"] = json!({
                "input_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                "output_tokens": 1,
            });
        }
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/srv/shop",
            "sessionId": id, "version": "2.1.330", "type": role, "message": message,
            "uuid": uuid(at), "timestamp": time,
        });
        format!("{line}\n")
    };
    talk.iter().enumerate().map(line).collect()
}
