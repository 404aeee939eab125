//! The agents: setup in an empty home, commands, and the names of their tools.

mod claude;
mod codewhale;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod pi;
mod qwen;
mod sage;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::carry::parts::Part;
use crate::live::made::{Import, Made};
use crate::live::{Own, Side};
use crate::mock::{Call, Request, Vocabulary};
use crate::scenario::{COMMAND, HOOK, Means, SKILL, STALL};

/// The model name that every agent gets, if the agent accepts any name.
pub(crate) const MODEL: &str = "mock-1";

/// A picture of one point, and longer than the shortest one that agents take.
pub(crate) const PICTURE: &str = "data:image/png;base64,\
    iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ\
    AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Folders and programs of one run of an agent.
pub(crate) struct Place {
    /// The agent's home: empty, but for its configuration.
    pub home: PathBuf,
    /// The folder in which it works: a repository of `git`.
    pub work: PathBuf,
    /// The mock's port.
    pub port: u16,
    /// The agent's program.
    pub program: PathBuf,
    /// The Node.js that runs it, if it is a script.
    pub node: Option<PathBuf>,
}

impl Place {
    /// The mock's address.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Writes a file of the home.
    pub(crate) fn configure(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.home.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    }

    fn program(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// A request to an agent. To continue a session, it has the session's id.
pub(crate) enum Ask<'a> {
    /// A prompt in a new session.
    Prompt(&'a str),
    /// The same with an image.
    Image(&'a str, &'a Path),
    /// A prompt in the session.
    Resume(&'a str, &'a str),
    /// A prompt in a copy of the session.
    Fork(&'a str, &'a str),
    /// Compact the session.
    Compact(&'a str),
    /// A prompt in a new session, with a text that somebody else gives to the agent.
    Told(Means, &'a str),
}

/// A command: its arguments, and its standard input.
pub(crate) struct Command {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// Its standard input.
    pub input: String,
}

impl Command {
    pub(crate) fn new(arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Self { arguments, input: String::new() }
    }

    fn reading(mut self, input: String) -> Self {
        self.input = input;
        self
    }
}

/// One agent.
pub(crate) struct Agent {
    /// Its name, as `verbatim` has it.
    pub name: &'static str,
    /// Whether a run of all scenarios takes only [`CARRY`](crate::scenario::CARRY) of it, unless
    /// all pairs are run too: such a run has little time.
    pub is_deep: bool,
    /// Writes its configuration.
    pub prepare: fn(&Place) -> io::Result<()>,
    /// Completes its configuration for a session that was placed.
    pub settle: fn(&Place) -> io::Result<()>,
    /// Keeps it from deleting sessions of its own that it has resumed.
    pub keep: fn(&Place) -> io::Result<()>,
    /// Its own environment variables, in addition to the common ones.
    pub variables: fn(&Place) -> Vec<(&'static str, String)>,
    /// The command for a request, or the reason why there is no command.
    pub command: fn(&Place, &Ask<'_>) -> Result<Command, &'static str>,
    /// The name of its file of instructions, if it reads those of a folder below.
    pub memory: Option<&'static str>,
    /// The reason why it has no sub-agents here; `None` if it has them.
    pub lonely: Option<&'static str>,
    /// Why it does not send a text of a session, even of its own, or not all of it; with the texts
    /// of its request.
    pub drops: fn(&Part, &str) -> Option<&'static str>,
    /// A text of the user's side without what it puts in front of it.
    pub bare: fn(&str) -> &str,
    /// The items of its own sessions that it adds, drops or doubles when it resumes them.
    pub own: &'static [Own],
    /// Its import, if its sessions are in a database.
    pub import: Option<Import>,
    /// Changes of its sessions' files by hand, which it then resumes.
    pub made: &'static [Made],
    /// Its tool calls for the script's acts.
    pub vocabulary: Vocabulary,
}

/// All agents.
pub(crate) const AGENTS: &[Agent] = &[
    claude::AGENT,
    codex::AGENT,
    gemini::AGENT,
    opencode::AGENT,
    pi::AGENT,
    qwen::AGENT,
    copilot::AGENT,
    codewhale::AGENT,
    sage::AGENT,
];

fn call(name: &str, input: Value) -> Call {
    Call { name: name.to_owned(), space: None, input }
}

/// The absolute path of a file of the work folder.
fn at(work: &Path, path: &str) -> String {
    work.join(path).to_string_lossy().into_owned()
}

/// The first of the names that the request offers, otherwise the first of all.
fn offered<'n>(tools: &[String], names: &[&'n str]) -> &'n str {
    let offered = names.iter().find(|name| tools.iter().any(|tool| tool == *name));
    offered.or(names.first()).copied().unwrap_or_default()
}
