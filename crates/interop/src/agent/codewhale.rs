//! CodeWhale.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "codewhale",
    is_deep: false,
    prepare: |_| Ok(()),
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |place| {
        vec![
            ("DEEPSEEK_BASE_URL", format!("{}/v1", place.url())),
            ("DEEPSEEK_API_KEY", "sk-dummy-key-for-the-mock".to_owned()),
            ("CODEWHALE_TELEMETRY", "0".to_owned()),
        ]
    },
    command,
    memory: None,
    lonely: Some("its sub-agents run on without the session that is asked"),
    drops: |_, _| None,
    bare: |text| text,
    own: &[],
    import: None,
    made: &[],
    vocabulary,
};

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    let start = [program.as_str(), "exec", "--auto"];
    let with = |more: &[&str]| Command::new(&[&start, more].concat());
    Ok(match *ask {
        Ask::Prompt(prompt) => with(&["--", prompt]),
        Ask::Image(..) => return Err("it takes images only on its screen"),
        Ask::Resume(id, prompt) => with(&["--resume", id, "--", prompt]),
        Ask::Fork(..) | Ask::Compact(_) => return Err("only its screen can"),
        Ask::Told(..) => return Err("it was not tried"),
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
        Act::Delegate(prompt) => call("agent", json!({"prompt": prompt})),
        Act::Wait => return None,
    })
}
