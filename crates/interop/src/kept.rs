//! A session of years ago is placed into an agent's store. After the agent's own start and clean-up
//! it is still there, and listed; and the printed line, pasted into a shell, continues it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agent::{Agent, Ask, Command, Place};
use crate::carry::{PROMPT, request};
use crate::cell::{Cell, CellResult, Programs, set_up};
use crate::judge::Findings;

/// The folder in which it is continued: a shell must take its name as it is.
const WORK: &str = "the  keeper's shop";

/// The words of the placed sessions.
const SAID: [&str; 2] = ["Count the medlars of long ago.", "There were nineteen medlars."];

/// The use of an agent without its screen.
struct Rules {
    agent: &'static str,
    /// A shell script in the place of its program, so that the printed line runs to its end.
    script: &'static str,
    /// The command that lists its sessions, or the reason why no command does.
    list: fn(&Place) -> Result<Command, &'static str>,
}

const RULES: [Rules; 7] = [
    Rules {
        agent: "claude-code",
        script: "exec \"$PROGRAM\" -p \"$@\" -- \"$PROMPT\"",
        list: |_| Err("it lists its sessions on its screen only"),
    },
    Rules {
        agent: "codex",
        script: "exec \"$PROGRAM\" exec --dangerously-bypass-approvals-and-sandbox \"$@\" \
                 \"$PROMPT\"",
        list: |place| {
            let ask = |id: u32, method: &str, params: Value| {
                json!({"id": id, "method": method, "params": params}).to_string()
            };
            let who = json!({"clientInfo": {"name": "interop", "version": "1"}});
            // Its server ends with its input: it is kept open until the answer is there.
            let script = format!(
                "{{ echo '{}'; echo '{}'; sleep 4; }} | '{}' app-server",
                ask(1, "initialize", who),
                ask(2, "thread/list", json!({})),
                place.program.display()
            );
            Ok(Command::new(&["/bin/bash", "-c", &script]))
        },
    },
    Rules {
        agent: "gemini",
        script: "exec \"$NODE\" \"$PROGRAM\" -m gemini-2.5-pro --skip-trust \"$@\" -p \"$PROMPT\"",
        list: |place| {
            let node = place.node.as_ref().ok_or("it needs Node.js")?.to_string_lossy();
            let program = place.program.to_string_lossy();
            Ok(Command::new(&[&node, &program, "--skip-trust", "--list-sessions"]))
        },
    },
    Rules {
        agent: "opencode",
        script: "exec \"$PROGRAM\" run --auto -m mock/mock-1 \"$@\" -- \"$PROMPT\"",
        list: |place| Ok(Command::new(&[&place.program.to_string_lossy(), "session", "list"])),
    },
    Rules {
        agent: "pi",
        script: "exec \"$NODE\" \"$PROGRAM\" --provider mock --model mock-1 \"$@\" -p -- \
                 \"$PROMPT\"",
        list: |_| Err("it lists its sessions on its screen only"),
    },
    Rules {
        agent: "qwen",
        script: "exec \"$NODE\" \"$PROGRAM\" --approval-mode yolo \"$@\" -p \"$PROMPT\"",
        list: |_| Err("it lists its sessions on its screen only"),
    },
    Rules {
        agent: "copilot",
        script: "exec \"$PROGRAM\" --allow-all-tools --allow-all-paths \"$@\" -p \"$PROMPT\"",
        list: |_| Err("it lists its sessions on its screen only"),
    },
];

/// Places sessions into the agent's empty home, and lets the agent start.
pub(crate) fn run(agent: &'static Agent, programs: &Programs, folder: &Path) -> CellResult {
    let Some(rules) = RULES.iter().find(|rules| rules.agent == agent.name) else {
        return CellResult::Cannot("it removes no sessions".to_owned());
    };
    let cell = match set_up(agent, programs, folder, WORK) {
        Ok(cell) => cell,
        Err(error) => return CellResult::Failed(format!("it could not be set up: {error}")),
    };
    let mut found = Findings::default();
    match kept(&cell, programs, rules, folder, &mut found) {
        Ok(()) => {}
        Err(Stop::Wrong(why)) => found.wrong.push(why),
        Err(Stop::Agent(result)) => return result,
    }
    found.wrong.extend(cell.mock.refused().into_iter().map(|why| format!("refused: {why}")));
    CellResult::Judged(Box::new(found))
}

/// The reason why a run has ended before its end.
enum Stop {
    /// Verbatim is wrong.
    Wrong(String),
    /// The agent did not do it.
    Agent(CellResult),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Wrong(error.to_string())
    }
}

impl From<CellResult> for Stop {
    fn from(result: CellResult) -> Self {
        Self::Agent(result)
    }
}

fn kept(
    cell: &Cell<'_>,
    programs: &Programs,
    rules: &Rules,
    folder: &Path,
    found: &mut Findings,
) -> Result<(), Stop> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    std::os::unix::fs::symlink(&cell.place.program, bin.join(cell.agent.name))?;
    let sources = sources(cell, programs, folder)?;
    for source in &sources {
        placed(cell, programs, source, &bin, "placed")?;
    }
    // The agent's own start, with a session of its own.
    cell.ask(1, &Ask::Prompt("Good morning, shop. [[hello]]"), false)?;
    // A clean-up may begin at a start, and be done by the next one only.
    cell.ask(2, &Ask::Prompt("Good evening, shop. [[hello]]"), false)?;
    let mut lines = Vec::new();
    for source in &sources {
        lines.push(placed(cell, programs, source, &bin, "placed-before")?);
    }
    match (rules.list)(&cell.place) {
        Ok(list) => {
            cell.run(3, &list, false)?;
            let read = |kind| fs::read_to_string(cell.notes.join(format!("turn-3.{kind}")));
            let listed = read("stdout")? + &read("stderr")?;
            for (id, _) in &lines {
                if !listed.contains(id) {
                    found.wrong.push(format!("{id} is not in the agent's own list"));
                }
            }
        }
        Err(why) => found.notes.push(why.to_owned()),
    }
    let shell = folder.join("shell");
    script(cell, rules, &shell)?;
    for (at, (id, line)) in lines.iter().enumerate() {
        cell.forget();
        let path = shell.to_string_lossy();
        let pasted = format!("cd /; PATH='{path}':\"$PATH\"\n{line}");
        cell.run(4 + at, &Command::new(&["/bin/bash", "-c", &pasted]), false)?;
        let (_, text) = request(&cell.requests())
            .map_err(|why| Stop::Wrong(format!("`{line}` does not continue {id}: {why}")))?;
        for said in SAID.iter().filter(|said| !text.contains(*said)) {
            found.wrong.push(format!("`{line}` does not send `{said}`"));
        }
    }
    found.sessions = lines.len();
    found.notes.push(format!("{} old sessions are kept and continued", lines.len()));
    Ok(())
}

/// The agent's program for the printed line, which then runs without a screen.
fn script(cell: &Cell<'_>, rules: &Rules, shell: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let name = match cell.agent.name {
        "claude-code" => "claude",
        name => name,
    };
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let node = cell.place.node.clone().unwrap_or_default();
    let text = format!(
        "#!/bin/bash\nPROGRAM={}\nNODE={}\nPROMPT={}\n{}\n",
        quoted(&cell.place.program.to_string_lossy()),
        quoted(&node.to_string_lossy()),
        quoted(PROMPT),
        rules.script
    );
    fs::create_dir_all(shell)?;
    fs::write(shell.join(name), text)?;
    fs::set_permissions(shell.join(name), fs::Permissions::from_mode(0o755))
}

/// Two old sessions: one of another agent (or, of its own, a file from elsewhere), and one that was
/// converted to its own form before.
fn sources(cell: &Cell<'_>, programs: &Programs, folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let old = |number: usize| {
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-00000000010{number}");
        let path = folder.join(format!("old/{id}.jsonl"));
        fs::create_dir_all(folder.join("old"))?;
        fs::write(&path, lines(&id))?;
        Ok::<_, io::Error>(path)
    };
    let mut all = vec![old(1)?];
    if matches!(cell.agent.name, "codex" | "gemini") {
        let own = folder.join("old/own.jsonl");
        let mut command = std::process::Command::new(&programs.verbatim);
        command.args(["convert", "--to", cell.agent.name]).arg(old(2)?).arg("-o").arg(&own);
        command.env_clear().envs(cell.environment());
        let output = command.output()?;
        if !own.exists() {
            return Err(Stop::Wrong(first_line(&output.stderr)));
        }
        all.push(own);
    }
    Ok(all)
}

/// The lines of an old session of Claude Code.
fn lines(id: &str) -> String {
    let line = |at: usize, kind: &str, message: Value| {
        let parent = if at == 0 { Value::Null } else { format!("{id}-{}", at - 1).into() };
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external",
            "cwd": "/srv/shop", "sessionId": id, "version": "2.0.14", "type": kind,
            "message": message, "uuid": format!("{id}-{at}"),
            "timestamp": format!("2024-10-05T10:0{at}:00.000Z"),
        });
        format!("{line}\n")
    };
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-5",
        "content": [{"type": "text", "text": SAID[1]}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    });
    let prompt = json!({"role": "user", "content": SAID[0]});
    line(0, "user", prompt) + &line(1, "assistant", answer)
}

/// Places a session, and expects this state. Returns its id in the agent, and the printed line.
fn placed(
    cell: &Cell<'_>,
    programs: &Programs,
    source: &Path,
    bin: &Path,
    state: &str,
) -> Result<(String, String), Stop> {
    let run = |more: &[&str]| {
        let mut command = std::process::Command::new(&programs.verbatim);
        command.args(["resume", "--to", cell.agent.name]).args(more).arg(source);
        command.arg("--folder").arg(&cell.place.work).current_dir(&cell.place.work);
        command.env_clear().envs(cell.environment()).envs((cell.agent.variables)(&cell.place));
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", bin.display())).output()
    };
    let output = run(&["--json"])?;
    let document: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| Stop::Wrong(format!("verbatim resume: {}", first_line(&output.stderr))))?;
    if document["state"] != state {
        let what = format!("{}: it is {}, not {state}", source.display(), document["state"]);
        return Err(Stop::Wrong(what));
    }
    let printed = run(&[])?.stdout;
    let printed = String::from_utf8_lossy(&printed).trim_end().to_owned();
    let id = document["id"].as_str().unwrap_or_default().to_owned();
    Ok((id, printed))
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().next().unwrap_or("it said nothing").to_owned()
}
