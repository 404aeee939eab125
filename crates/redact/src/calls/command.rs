//! A command: the lines that it prints, if it prints the value of a name that says that it gives
//! access.

use std::collections::BTreeSet;

use serde_json::Value;

use super::echoed::{self, Names};
use super::printed::{Line, Printed};
use super::program::Scripts;
use super::shell::{self, Inner, Pipeline};
use super::table;
use crate::rules::naming;

/// The most commands that are in each other.
const DEPTH: usize = 4;

/// Programs that print nothing.
const SILENT: &[&str] = &[
    "cd", "export", "source", ".", "set", "unset", "mkdir", "sleep", "true", "false", "pushd",
    "popd", "test", "[", "[[", "alias", "umask", "trap", "shopt", "setopt", "nvm", "conda", "rm",
    "touch", "cp", "mv", "ln", "chmod", "chown", "read", "local", "declare", "typeset", ":", "fi",
    "done", "esac", "for", "case", "}", "exit", "return", "break", "continue", "wait", "kill",
];

/// Programs that print one line.
const ONE_LINE: &[&str] = &[
    "hostname", "whoami", "pwd", "date", "id", "uname", "arch", "nproc", "basename", "dirname",
    "realpath", "readlink", "wc", "printenv", "which", "expr", "tty", "logname", "mktemp",
];

/// The lines that a command prints, if the value of such a name is in them.
pub(super) fn printed(command: &str, scripts: &Scripts) -> Option<Printed> {
    of_command(command, 0, &mut Known::of(scripts))
}

/// The same of a command as a list of its words.
pub(super) fn printed_by_words(words: &[Value], scripts: &Scripts) -> Option<Printed> {
    let words: Option<Vec<String>> =
        words.iter().map(|word| Some(word.as_str()?.to_owned())).collect();
    let words = words?;
    match words.as_slice() {
        [one] => printed(one, scripts),
        _ => {
            let pipeline = Pipeline { stages: vec![words], ..Pipeline::default() };
            match of_pipeline(&pipeline, 0, &mut Known::of(scripts)) {
                Prints::Value(printed) => Some(printed),
                _ => None,
            }
        }
    }
}

/// The output of a pipeline.
enum Prints {
    Nothing,
    /// Lines without such a value.
    Lines(Vec<Line>),
    /// The value of such a name.
    Value(Printed),
    Unknown,
}

/// The facts that are known where a command runs.
#[derive(Clone)]
struct Known<'s> {
    /// The variables that have such a value.
    variables: BTreeSet<String>,
    /// The scripts that print such a value.
    scripts: &'s Scripts,
}

impl<'s> Known<'s> {
    const fn of(scripts: &'s Scripts) -> Self {
        Self { variables: BTreeSet::new(), scripts }
    }

    fn is_secret(&self, name: &str) -> bool {
        naming::is_secret(name.as_bytes()) || self.variables.contains(name)
    }

    /// Whether a command prints such a value, here.
    fn asks(&self, command: &str, depth: usize) -> bool {
        // `$(<file)` is what the file has.
        let command = match command.trim_start().strip_prefix('<') {
            Some(file) => format!("cat {file}"),
            None => command.to_owned(),
        };
        of_command(&command, depth + 1, &mut self.clone()).is_some()
    }
}

fn of_command(command: &str, depth: usize, known: &mut Known<'_>) -> Option<Printed> {
    if depth > DEPTH {
        return None;
    }
    let (mut all, mut is_known, mut has_value) = (Vec::new(), true, false);
    for pipeline in shell::pipelines(command) {
        let lines = match of_pipeline(&pipeline, depth, known) {
            Prints::Nothing => Some(Vec::new()),
            Prints::Lines(lines) => Some(lines),
            Prints::Value(printed) => {
                has_value = true;
                printed.into_lines()
            }
            Prints::Unknown => None,
        };
        let is_other = pipeline.is_other || is_else(&pipeline);
        match lines {
            Some(mut lines) => {
                lines.iter_mut().for_each(|line| line.is_optional |= is_other);
                all.append(&mut lines);
            }
            None => is_known = false,
        }
    }
    has_value.then(|| Printed::of(is_known.then_some(all)))
}

fn is_else(pipeline: &Pipeline) -> bool {
    pipeline.stages.first().and_then(|stage| stage.first()).is_some_and(|word| word == "else")
}

fn of_pipeline(pipeline: &Pipeline, depth: usize, known: &mut Known<'_>) -> Prints {
    let mut stages = Vec::new();
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let is_last = number + 1 == pipeline.stages.len();
        match shell::inner(stage) {
            Inner::Command(_) if pipeline.is_silent => return Prints::Nothing,
            Inner::Command(command) => {
                let printed = of_command(&command, depth + 1, known);
                return match printed.filter(|_| is_last) {
                    Some(printed) => Prints::Value(printed),
                    // Its output goes on: `sh -c "cat key" | base64 -d`.
                    None if !is_last && known.asks(&command, depth) => {
                        Prints::Value(Printed::value_alone(false))
                    }
                    None => Prints::Unknown,
                };
            }
            Inner::Program(words) => stages.push(words),
        }
    }
    if let ([_], Some(stage)) = (pipeline.stages.as_slice(), pipeline.stages.first()) {
        keep(stage, depth, known);
    }
    stages.retain(|stage| !stage.is_empty());
    let Some(last) = stages.last() else { return Prints::Nothing };
    if let Some(printed) = known.scripts.run_by(stages[0]).filter(|_| !pipeline.is_silent) {
        let is_alone = stages.len() == 1;
        return Prints::Value(if is_alone { printed.clone() } else { Printed::of(None) });
    }
    let name = shell::name_of(&last[0]).to_ascii_lowercase();
    if pipeline.is_silent || (stages.len() == 1 && SILENT.contains(&name.as_str())) {
        return Prints::Nothing;
    }
    if let [stage] = stages.as_slice()
        && let Some(lines) = echoed(&name, &stage[1..], depth, known)
    {
        return match lines.iter().any(Line::has_value) {
            true => Prints::Value(Printed::of(Some(lines))),
            false => Prints::Lines(lines),
        };
    }
    if let Some(count) = table::generated(&stages) {
        return Prints::Value(Printed::values_alone(count));
    }
    if table::prints_value(&stages) {
        let is_exact = stages.len() == 1 && matches!(&*name, "printenv" | "cat");
        return Prints::Value(Printed::value_alone(is_exact));
    }
    let is_variable = last.len() == 1 && table::variable(&last[0]).is_some();
    let is_one = is_variable
        || ONE_LINE.contains(&name.as_str())
        || last.iter().any(|word| word == "--version");
    if is_one { Prints::Lines(vec![Line::other()]) } else { Prints::Unknown }
}

fn echoed(
    program: &str,
    arguments: &[String],
    depth: usize,
    known: &Known<'_>,
) -> Option<Vec<Line>> {
    let is_secret = |name: &str| known.is_secret(name);
    let asks = |command: &str| known.asks(command, depth);
    echoed::lines(program, arguments, &Names { is_secret: &is_secret, asks: &asks })
}

/// Keeps the variables that a stage gives such a value: `A=$(cat key)`, `read -r A < key`.
fn keep(stage: &[String], depth: usize, known: &mut Known<'_>) {
    let words = || stage.iter().skip_while(|word| matches!(&***word, "export" | "local" | "{"));
    for word in words() {
        let Some((name, value)) = word.split_once('=') else { break };
        let command = value.strip_prefix("$(").and_then(|of| of.strip_suffix(')'));
        let command = command.or_else(|| value.strip_prefix('`')?.strip_suffix('`'));
        let is_value = match command {
            Some(command) => known.asks(command, depth),
            None => table::variable(value).is_some_and(|of| known.is_secret(of)),
        };
        if is_value {
            known.variables.insert(name.to_owned());
        }
    }
    if stage.first().is_some_and(|word| word == "read")
        && stage[1..].iter().any(|word| table::is_secret_file(word) && word.contains(['/', '.']))
    {
        let names = stage[1..].iter().filter(|word| !word.contains(['/', '.', '-']));
        known.variables.extend(names.cloned());
    }
}
