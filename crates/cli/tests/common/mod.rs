//! Runs of the binary in a folder and home of the test.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod kept;
#[cfg(unix)]
pub(crate) mod placed;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod traced;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use catalog::Machine;
use session::UtcTime;
use verbatim_cli::Environment;

pub(crate) const ID: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11";
pub(crate) const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

/// Machine of a test.
pub(crate) struct Place {
    pub temp: tempfile::TempDir,
}

pub(crate) struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { temp: tempfile::tempdir().unwrap() }
    }

    /// A home with two sessions, one of them with a sub-agent.
    pub(crate) fn with_sessions() -> Self {
        let place = Self::new();
        let projects = place.path().join("home/.claude/projects/-home-ana-shop");
        let session = talk(ID, "Paint the **door** green", "2026-03-01T10:0");
        put(&projects.join(format!("{ID}.jsonl")), &session);
        let sub = talk(ID, "Count the doors", "2026-03-01T10:0");
        let sub = sub.replace(&format!("{ID}-"), "of-the-agent-");
        put(&projects.join(format!("{ID}/subagents/agent-a1.jsonl")), &sub);
        let other = talk(OTHER, "Count the windows", "2026-02-01T10:0");
        put(&projects.join(format!("{OTHER}.jsonl")), &other);
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.temp.path()
    }

    pub(crate) fn session(&self) -> PathBuf {
        self.path().join(format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl"))
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_verbatim"));
        command.args(args).current_dir(self.path()).env_clear();
        command.env("HOME", self.path().join("home")).env("USERPROFILE", self.path().join("home"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        ran(child.wait_with_output().unwrap())
    }
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Copies a folder recursively.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}

pub(crate) fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A prompt, thinking, a tool call that works, one that fails, and an answer.
pub(crate) fn talk(id: &str, prompt: &str, hour: &str) -> String {
    let line = |at: usize, kind: &str, message: &str| {
        let parent = if at == 0 { "null".into() } else { format!("\"{id}-{}\"", at - 1) };
        format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\
             \"cwd\":\"/home/ana/shop\",\"sessionId\":\"{id}\",\"version\":\"2.1.34\",\
             \"gitBranch\":\"main\",\"type\":\"{kind}\",\"message\":{message},\
             \"uuid\":\"{id}-{at}\",\"timestamp\":\"{hour}{at}:00.000Z\"}}\n"
        )
    };
    let answer = |id: usize, block: &str| {
        format!(
            "{{\"model\":\"claude-opus-4-5\",\"id\":\"msg_{id}\",\"type\":\"message\",\
             \"role\":\"assistant\",\"content\":[{block}],\"stop_reason\":null,\
             \"usage\":{{\"input_tokens\":10,\"output_tokens\":5}}}}"
        )
    };
    let result = |call: &str, text: &str, error: bool| {
        format!(
            "{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{call}\",\
             \"type\":\"tool_result\",\"content\":\"{text}\",\"is_error\":{error}}}]}}"
        )
    };
    let call = |id: &str, command: &str| {
        format!(
            "{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\
             \"input\":{{\"command\":\"{command}\"}}}}"
        )
    };
    let think = "{\"type\":\"thinking\",\"thinking\":\"Green it is.\",\"signature\":\"c2ln\"}";
    [
        line(0, "user", &format!("{{\"role\":\"user\",\"content\":\"{prompt}\"}}")),
        line(1, "assistant", &answer(1, think)),
        line(2, "assistant", &answer(1, &call("t1", "ls doors"))),
        line(3, "user", &result("t1", "front\\nback", false)),
        line(4, "assistant", &answer(2, &call("t2", "paint --green"))),
        line(5, "user", &result("t2", "no paint left", true)),
        line(6, "assistant", &answer(3, "{\"type\":\"text\",\"text\":\"There is no paint.\"}")),
    ]
    .concat()
}

/// The output of a command on a terminal of `width` columns.
pub(crate) fn on_terminal(
    place: &Place,
    args: &[&str],
    width: usize,
    variables: &[(&str, &str)],
) -> String {
    let (code, out, err) = ran_on_terminal(place, args, width, variables);
    assert_eq!(code, 0, "{err}");
    out
}

/// The exit code and both outputs of a command on a terminal.
pub(crate) fn ran_on_terminal(
    place: &Place,
    args: &[&str],
    width: usize,
    variables: &[(&str, &str)],
) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let variables =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let home = Some(place.path().join("home"));
    let mut env = Environment {
        formats: formats::ALL,
        machine: Machine { home, variables, ..Machine::default() },
        now: UtcTime(1_775_000_000_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: Some(width),
        links: false,
        err_terminal: true,
    };
    let args = ["verbatim"].iter().chain(args).map(Into::into);
    let code = verbatim_cli::run(args, &mut env);
    let err = String::from_utf8_lossy(&err);
    // On a slow machine there is progress, which is erased.
    let left = |line: &str| line.rsplit("\r\x1b[K").next().unwrap_or_default().to_owned();
    let err = err.split_inclusive('\n').map(left).collect();
    (code, String::from_utf8(out).unwrap(), err)
}
