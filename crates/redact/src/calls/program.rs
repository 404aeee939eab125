//! Programs: those that an agent runs to call its tools, and scripts that a call wrote and a later
//! one runs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::input::{COMMANDS, PATHS, has_hint};
use super::printed::Printed;
use super::shell::{self, name_of};
use super::{command, table};

/// The most scripts of a session, and the longest one.
const MOST: usize = 256;
const LONGEST: usize = 64 << 10;

/// Members that have what is written into a file.
const CONTENTS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "new_string",
    "newString",
    "new_str",
    "code_edit",
    "text",
];

/// Programs that run a script.
const RUNNERS: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "source",
    ".",
    "python",
    "python3",
    "node",
    "bun",
    "deno",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "pwsh",
    "powershell",
    "uv",
    "npx",
    "go",
    "lua",
];

/// Signs that a line of a program prints.
const PRINTS: &[&str] = &[
    "print",
    "console.log",
    "stdout.write",
    "echo",
    "puts ",
    "fmt.Print",
    "Write-Output",
    "Write-Host",
    "say ",
    "p ",
];

/// The scripts that were written, each by the name of its file, with what it prints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripts {
    all: BTreeMap<String, Printed>,
}

impl Scripts {
    /// Keeps the scripts that a call with this input writes, if they print such a value.
    pub(crate) fn learn(&mut self, input: &[u8]) {
        if !has_hint(input) || input.len() > LONGEST {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(input) else { return };
        let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        match inner.unwrap_or(value) {
            Value::String(text) => self.learn_from(&text),
            Value::Object(members) => {
                let text = |names: &[&str]| {
                    let value = |name: &&str| members.get(*name).and_then(Value::as_str);
                    names.iter().find_map(value)
                };
                if let (Some(path), Some(content)) = (text(PATHS), text(CONTENTS)) {
                    self.keep(path, content);
                }
                members.values().filter_map(Value::as_str).for_each(|text| self.learn_from(text));
                let words = members.values().filter_map(Value::as_array).flatten();
                words.filter_map(Value::as_str).for_each(|text| self.learn_from(text));
            }
            _ => {}
        }
    }

    /// Keeps the scripts that a command or a patch writes.
    fn learn_from(&mut self, text: &str) {
        if text.contains('>') {
            for pipeline in shell::pipelines(text) {
                let Some(path) = &pipeline.target else { continue };
                let Some(stage) = pipeline.stages.first() else { continue };
                let document = stage.iter().position(|word| word == "<<");
                let program = stage.first().map_or("", String::as_str);
                match document.and_then(|at| stage.get(at + 1)) {
                    Some(document) => self.keep(path, document),
                    None if matches!(program, "echo" | "printf") => {
                        let printed = stage[1..].join(" ").replace("\\n", "\n");
                        self.keep(path, &printed);
                    }
                    None => {}
                }
            }
        }
        for part in text.split("*** ").skip(1) {
            let head = ["Add File: ", "Update File: "].iter().find_map(|of| part.strip_prefix(of));
            let Some((path, lines)) = head.and_then(|rest| rest.split_once('\n')) else { continue };
            let added = lines.lines().filter_map(|line| line.strip_prefix('+'));
            self.keep(path, &added.collect::<Vec<_>>().join("\n"));
        }
    }

    fn keep(&mut self, path: &str, content: &str) {
        let name = name_of(path.trim()).to_owned();
        if name.is_empty() || content.len() > LONGEST {
            return;
        }
        match printed(&name, content) {
            Some(printed) if self.all.len() < MOST => drop(self.all.insert(name, printed)),
            _ => drop(self.all.remove(&name)),
        }
    }

    /// The lines of the script that a program with its arguments runs.
    pub(super) fn run_by(&self, words: &[String]) -> Option<&Printed> {
        let (first, arguments) = words.split_first()?;
        let program = name_of(first).to_ascii_lowercase();
        if let Some(printed) = self.all.get(name_of(first)) {
            return Some(printed);
        }
        let is_runner = RUNNERS.contains(&program.as_str());
        let mut words = arguments.iter().filter(|word| !word.starts_with('-')).take(3);
        words.find_map(|word| self.all.get(name_of(word))).filter(|_| is_runner)
    }

    /// Whether an input has the name of such a script.
    pub(super) fn is_named_in(&self, input: &[u8]) -> bool {
        self.all.keys().any(|name| memchr::memmem::find(input, name.as_bytes()).is_some())
    }
}

/// The lines that a script prints, if it prints such a value.
fn printed(name: &str, content: &str) -> Option<Printed> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let first = content.lines().next().unwrap_or_default();
    let is_shell = match ending {
        "sh" | "bash" | "zsh" | "ps1" | "bat" | "cmd" | "fish" | "ksh" => true,
        "" => first.starts_with("#!") && first.contains("sh"),
        _ => false,
    };
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let lines = content.lines().filter(|line| !is_comment(line));
    if is_shell {
        return command::printed(&lines.collect::<Vec<_>>().join("\n"), &Scripts::default());
    }
    const CODE: [&str; 12] =
        ["py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "go", "lua", "exs"];
    CODE.contains(&ending).then(|| of_code(content)).flatten()
}

/// The lines of a program in another language, if it prints the value of such a name.
pub(super) fn of_code(content: &str) -> Option<Printed> {
    let prints = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with(['#', '*'])
            && !line.starts_with("//")
            && PRINTS.iter().any(|of| line.contains(of))
    };
    let lines: Vec<&str> = content.lines().filter(prints).collect();
    let holds: Vec<&str> = content.lines().filter(|line| table::is_read_from(line)).collect();
    // `token = os.environ["API_TOKEN"]` and, later, `print(token)`.
    let name = |line: &&str| line.split_once('=').map(|(name, _)| name.trim().to_owned());
    let held: Vec<String> = holds.iter().filter_map(name).collect();
    let word = |name: &String| name.rsplit([' ', '\t']).next().unwrap_or_default().to_owned();
    let held: Vec<String> = held.iter().map(word).filter(|word| !word.is_empty()).collect();
    let shows = |line: &&&str| {
        let is_other = ["len(", ".length", "bool(", "!!", "sha256", "md5", "typeof"];
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut words = line.split(|letter| !is_part(letter));
        let is_direct =
            table::is_read_from(line) || words.any(|word| held.iter().any(|of| of == word));
        is_direct && !is_other.iter().any(|of| line.contains(of))
    };
    let shown = lines.iter().filter(shows).count();
    match (shown, lines.len()) {
        (0, _) => None,
        (1, 1) => Some(Printed::value_alone(false)),
        _ => Some(Printed::of(None)),
    }
}

/// The lines of a program that calls an agent's tools, if one of its calls asks for such a value.
pub(super) fn of_calls(program: &str, scripts: &Scripts) -> Option<Printed> {
    if !program.contains("tools.") && !program.contains("await ") {
        return None;
    }
    let literals = literals(program);
    let mut asked = Vec::new();
    let mut others = 0;
    for (name, text) in &literals {
        let is_path = PATHS.contains(&name.as_str()) && table::is_secret_file(text);
        match command::printed(text, scripts) {
            Some(printed) => asked.push(printed),
            None if is_path => asked.push(Printed::value_alone(true)),
            None => others += usize::from(COMMANDS.contains(&name.as_str())),
        }
    }
    match (asked.len(), others) {
        (0, _) => None,
        (1, 0) => asked.pop(),
        (_, 0) => Some(Printed::one_of(asked)),
        _ => Some(Printed::of(None)),
    }
}

/// The texts in quotes of a program, each with the name of the member that has it. The words of a
/// list are one text.
fn literals(program: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let (mut at, mut list) = (0, None::<(String, Vec<String>)>);
    while let Some(found) = program[at..].find(['"', '\'', '`', '[', ']']) {
        let start = at + found;
        let letter = program.as_bytes()[start];
        let name = member_before(&program[..start]);
        match letter {
            b'[' if COMMANDS.contains(&name.as_str()) => list = Some((name, Vec::new())),
            b'[' => {}
            b']' => {
                all.extend(list.take().map(|(name, words)| (name, in_words(&words))));
            }
            quote => {
                let (text, used) = shell::quoted(&program[start + 1..], char::from(quote));
                at = start + 1 + used;
                match &mut list {
                    Some((_, words)) => words.push(text),
                    None => all.push((name, text)),
                }
                continue;
            }
        }
        at = start + 1;
    }
    all
}

/// A list of words as a command: `bash -lc X` is X.
fn in_words(words: &[String]) -> String {
    match words {
        [_, option, command] if option.starts_with('-') && option.ends_with('c') => command.clone(),
        _ => words.join(" "),
    }
}

/// The name before a colon at the end of a text.
fn member_before(text: &str) -> String {
    let text = text.trim_end();
    let Some(text) = text.strip_suffix(':') else { return String::new() };
    let text = text.trim_end().trim_end_matches(['"', '\'']);
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let from = text.rfind(|letter| !is_letter(letter)).map_or(0, |at| at + 1);
    text[from..].to_owned()
}
