//! Calls that a script of an agent makes: `await tools.exec_command({cmd: "ls"})`. The script is
//! read for its words, not run: what it computes is not known.

use session::EventRef;

use crate::registry::agent;
use crate::tools::{self, Common, words};

/// A call in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedCall {
    /// The name of the tool.
    pub tool: String,
    /// The command that it runs, if it is written out.
    pub command: Option<String>,
}

/// The calls in the script of a call, in the order of the text; empty if it is no script.
#[must_use]
pub fn of(call: EventRef<'_>) -> Vec<ScriptedCall> {
    let is_script = agent(call.session().format).is_some_and(|format| {
        let rules = format.data().turns;
        (rules.is_script)(call)
    });
    let code = is_script.then(|| tools::input(call, words)).flatten();
    code.map(|code| calls(&code)).unwrap_or_default()
}

/// The call that names a script: the first one that runs a command, else the first one.
#[must_use]
pub fn main(calls: &[ScriptedCall]) -> Option<&ScriptedCall> {
    calls.iter().find(|call| call.command.is_some()).or_else(|| calls.first())
}

/// The tool of the call that names a script, in the words that agents have in common.
#[must_use]
pub fn common(call: EventRef<'_>) -> Option<Common> {
    let calls = of(call);
    agent(call.session().format)?.data().tools.common(&main(&calls)?.tool)
}

/// The word before the name of each tool.
const TOOLS: &str = "tools.";
/// The names of an argument that is a command.
const COMMANDS: [&str; 2] = ["cmd", "command"];

fn calls(code: &str) -> Vec<ScriptedCall> {
    let mut calls = Vec::new();
    // What precedes the first one is no call.
    for (part, before) in code.split(TOOLS).skip(1).zip(code.split(TOOLS)) {
        let is_word = |letter: char| letter.is_alphanumeric() || "_$.".contains(letter);
        let (tool, rest) = part.split_at(part.find(|c| !is_word(c)).unwrap_or(part.len()));
        let is_call = !tool.is_empty() && rest.trim_start().starts_with('(');
        if is_call && !before.ends_with(is_word) {
            let tool = tool.to_owned();
            calls.push(ScriptedCall { tool, command: command(rest) });
        }
    }
    calls
}

/// The command among the arguments of a call, written as `cmd: "ls"`.
fn command(arguments: &str) -> Option<String> {
    let of = |name: &&str| {
        arguments.match_indices(*name).find_map(|(at, _)| {
            let before = arguments[..at].trim_end_matches(['"', '\'']).trim_end();
            let value = arguments[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
            let value = value.strip_prefix(':')?.trim_start();
            before.ends_with(['{', ',']).then(|| literal(value)).flatten()
        })
    };
    COMMANDS.iter().find_map(of).filter(|command| !command.trim().is_empty())
}

/// The text of a string at the beginning of a piece of a script.
fn literal(text: &str) -> Option<String> {
    let mut letters = text.chars();
    let quote = letters.next().filter(|letter| "\"'`".contains(*letter))?;
    let mut said = String::new();
    loop {
        match letters.next()? {
            '\\' => match letters.next()? {
                'n' => said.push('\n'),
                't' => said.push('\t'),
                '\n' => {}
                other => said.push(other),
            },
            letter if letter == quote => return Some(said),
            letter => said.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ScriptedCall, calls};

    #[test]
    fn the_calls_of_a_script_are_read() {
        let of = |code: &str| -> Vec<(String, Option<String>)> {
            calls(code).into_iter().map(|ScriptedCall { tool, command }| (tool, command)).collect()
        };
        let call = |tool: &str, command: Option<&str>| (tool.to_owned(), command.map(String::from));
        let code =
            "const r = await tools.exec_command({cmd:\"sed -n '1p' \\\"a\\\"\",\"workdir\":1});";
        assert_eq!(of(code), [call("exec_command", Some("sed -n '1p' \"a\""))]);
        let code = "await Promise.all([tools.exec_command({\n  'cmd' : 'ls\\npwd' }), \
                    tools.apply_patch(patch), tools.exec_command({ workdir, cmd: dir })])";
        let all =
            [("exec_command", Some("ls\npwd")), ("apply_patch", None), ("exec_command", None)];
        assert_eq!(of(code), all.map(|(tool, command)| call(tool, command)));
        for code in
            ["", "text(1)", "my_tools.run(1)", "tools.length", "tools.", "tools.x({cmd: \"a"]
        {
            let commands: Vec<_> = calls(code).into_iter().filter_map(|it| it.command).collect();
            assert!(commands.is_empty() && calls(code).len() <= 1, "{code}");
        }
    }
}
