//! Commands of a shell, as their pipelines: what prints, and what each program is given.

/// The words of a program and its arguments, without their quotes.
pub(super) type Stage = Vec<String>;

/// The most words of a command that are read.
const WORDS: usize = 400;

/// A pipeline: the programs in it, and whether it prints to a file and not to the screen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Stage>,
    pub(super) is_silent: bool,
    /// The file that it prints to.
    pub(super) target: Option<String>,
    /// It prints in place of the one before: it is behind `||` or `else`.
    pub(super) is_other: bool,
}

/// The pipelines of a command, in their order.
pub(super) fn pipelines(command: &str) -> Vec<Pipeline> {
    let mut all = vec![Pipeline::default()];
    let mut stage = Stage::new();
    let mut letters = Letters { rest: command, word: None, is_target: false };
    for _ in 0..WORDS {
        let Some(token) = letters.next() else { break };
        let Some(last) = all.last_mut() else { break };
        match token {
            Token::Word(word) if letters.is_target => {
                last.is_silent |= !word.starts_with("/dev/std") && !word.starts_with("/dev/tty");
                last.target = Some(word);
                letters.is_target = false;
            }
            Token::Word(word) => stage.push(word),
            Token::Into { is_error } => letters.is_target = !is_error,
            Token::Pipe => last.stages.push(std::mem::take(&mut stage)),
            Token::End { is_other } => {
                last.stages.push(std::mem::take(&mut stage));
                all.push(Pipeline { is_other, ..Pipeline::default() });
            }
            Token::Document(text) => stage.extend(["<<".to_owned(), text]),
        }
    }
    if let Some(last) = all.last_mut() {
        last.stages.push(stage);
    }
    for pipeline in &mut all {
        pipeline.stages.retain(|stage| !stage.is_empty());
    }
    all.retain(|pipeline| !pipeline.stages.is_empty());
    all
}

enum Token {
    Word(String),
    Pipe,
    End {
        is_other: bool,
    },
    /// The lines that a command reads, behind `<<`.
    Document(String),
    /// The output goes into the file that the next word names; or the messages of faults do, and
    /// their target is left out.
    Into {
        is_error: bool,
    },
}

struct Letters<'c> {
    rest: &'c str,
    word: Option<String>,
    is_target: bool,
}

impl Letters<'_> {
    fn next(&mut self) -> Option<Token> {
        loop {
            let mut chars = self.rest.chars();
            let Some(letter) = chars.next() else { return self.word.take().map(Token::Word) };
            let behind = chars.as_str();
            let is_end = letter.is_whitespace() || "|;&<>".contains(letter);
            // `(cd a; b)`: what is in brackets runs as it would without them.
            let is_closed = letter == ')' && !self.word.as_ref().is_some_and(|of| of.contains('('));
            if is_closed || (letter == '(' && self.word.is_none()) {
                self.rest = behind;
                match self.word.take() {
                    Some(word) => return Some(Token::Word(word)),
                    None => continue,
                }
            }
            // `2>`, `&>`: the number is no word.
            let is_number = |word: &String| letter == '>' && matches!(&**word, "1" | "2");
            if is_end && self.word.is_some() && !self.word.as_ref().is_some_and(is_number) {
                return self.word.take().map(Token::Word);
            }
            match letter {
                '\n' | ';' => {
                    self.rest = behind;
                    return Some(Token::End { is_other: false });
                }
                ' ' | '\t' | '\r' => self.rest = behind,
                '|' | '&' if behind.starts_with(letter) => {
                    self.rest = &behind[1..];
                    return Some(Token::End { is_other: letter == '|' });
                }
                '|' => {
                    self.rest = behind;
                    return Some(Token::Pipe);
                }
                '&' if behind.starts_with('>') => self.rest = behind,
                '&' => {
                    self.rest = behind;
                    return Some(Token::End { is_other: false });
                }
                '>' => return Some(self.into(behind)),
                '<' => match document(behind) {
                    Some((text, rest)) => {
                        self.rest = rest;
                        return Some(Token::Document(text));
                    }
                    None => self.rest = behind.trim_start_matches('<'),
                },
                _ => self.take(letter, self.rest.len() - behind.len()),
            }
        }
    }

    fn into(&mut self, behind: &str) -> Token {
        let is_error = self.word.take().as_deref() == Some("2");
        let behind = behind.trim_start_matches('>');
        self.rest = &self.rest[self.rest.len() - behind.len()..];
        if is_error || self.rest.starts_with('&') {
            let target = self.rest.trim_start_matches(['&', ' ']);
            let end = target.find(|of: char| of.is_whitespace() || ";|&)".contains(of));
            let end = end.unwrap_or(target.len());
            self.rest = &self.rest[self.rest.len() - target.len() + end..];
            return Token::Into { is_error: true };
        }
        Token::Into { is_error: false }
    }

    /// Adds a letter, or what is between quotes or in `$(...)`, to the word.
    fn take(&mut self, letter: char, length: usize) {
        let rest = &self.rest[length..];
        let word = self.word.get_or_insert_default();
        let (text, used) = match letter {
            '\'' | '"' | '`' => quoted(rest, letter),
            '\\' => match rest.chars().next() {
                Some('\n') => (String::new(), 1),
                Some(next) => (next.into(), next.len_utf8()),
                None => (String::new(), 0),
            },
            '$' if rest.starts_with('(') => {
                let used = substitution(rest);
                (format!("${}", &rest[..used]), used)
            }
            _ => (letter.into(), 0),
        };
        word.push_str(&text);
        self.rest = &rest[used..];
    }
}

/// The lines of `<<EOF`, and the rest of the command without them: the rest of its line goes on.
fn document(behind: &str) -> Option<(String, &str)> {
    let rest = behind.strip_prefix('<').filter(|rest| !rest.starts_with('<'))?;
    let rest = rest.trim_start_matches(['-', ' ']);
    let mark = rest.trim_start_matches(['\'', '"', '\\']);
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mark = &mark[..mark.find(|letter| !is_letter(letter)).unwrap_or(mark.len())];
    let from = rest.find('\n')? + 1;
    let lines = rest.get(from..).filter(|_| !mark.is_empty())?;
    let mut at = 0;
    for line in lines.split_inclusive('\n') {
        if line.trim() == mark {
            // The line end behind the mark ends the command.
            return Some((lines[..at].to_owned(), &lines[at + line.trim_end().len()..]));
        }
        at += line.len();
    }
    Some((lines.to_owned(), ""))
}

/// The text before a closing quote, and the length with the quote.
pub(super) fn quoted(rest: &str, quote: char) -> (String, usize) {
    let (mut text, mut letters) = (String::new(), rest.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return (text, at + 1),
            '\\' if quote != '\'' => text.extend(letters.next().map(|(_, next)| next)),
            _ => text.push(letter),
        }
    }
    (text, rest.len())
}

/// The length of `(...)`, with others in it.
pub(super) fn substitution(rest: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// The program that a stage runs, without what only starts it: `sudo`, `docker exec`, variables. Of
/// a shell, the command that it is given.
pub(super) fn inner(stage: &[String]) -> Inner<'_> {
    let is_variable = |word: &String| {
        let name = word.split('=').next().unwrap_or_default();
        word.contains('=')
            && !name.is_empty()
            && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
    };
    let mut rest = stage;
    for _ in 0..8 {
        let head = rest.iter().take_while(|word| is_variable(word)).count();
        rest = &rest[head..];
        let Some(program) = rest.first() else { break };
        let next = |word: &str| rest.iter().position(|other| other == word).map(|at| at + 1);
        let skip = match name_of(program) {
            "sudo" | "doas" | "nohup" | "nice" | "stdbuf" | "time" | "command" | "builtin"
            | "exec" | "env" | "xargs" | "timeout" | "then" | "do" | "else" | "elif" | "if"
            | "while" | "until" | "!" | "{" | "npx" | "&" => 1 + options(&rest[1..]),
            name if RUNNERS.contains(&name) && next("--").is_some() => next("--").unwrap_or(1),
            name if RUNNERS.contains(&name) && next("run").or(next("exec")).is_some() => {
                let at = next("run").or(next("exec")).unwrap_or(1);
                at + options(rest.get(at..).unwrap_or_default())
            }
            "eval" => return Inner::Command(rest[1..].join(" ")),
            "docker" | "podman" | "docker-compose" | "nerdctl" if next("exec").is_some() => {
                let at = next("exec").unwrap_or(1);
                let at = at + options(&rest[at..]);
                at + 1
            }
            "kubectl" | "oc" if next("exec").is_some() => next("--").unwrap_or(rest.len()),
            "ssh" | "fly" | "flyctl" | "gcloud" => match remote(rest) {
                Some(command) => return Inner::Command(command),
                None => break,
            },
            "bash" | "sh" | "zsh" | "dash" | "pwsh" | "powershell" | "cmd" => {
                let is_given = |word: &String| {
                    (word.starts_with('-') && word.ends_with('c'))
                        || matches!(&**word, "-Command" | "/c" | "/C" | "<<")
                };
                // `cmd /c echo %A%` has its command in several words.
                if let Some(at) = next("/c").or(next("/C")) {
                    return Inner::Command(rest[at..].join(" "));
                }
                let Some(at) = rest.iter().position(is_given) else { break };
                return Inner::Command(rest[at + 1..].first().cloned().unwrap_or_default());
            }
            _ => break,
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    Inner::Program(rest)
}

/// The command that a program runs on another machine.
fn remote(words: &[String]) -> Option<String> {
    if name_of(words.first()?) == "ssh" {
        let at = 2 + options(&words[1..]);
        return words.get(at..).filter(|of| !of.is_empty()).map(|of| of.join(" "));
    }
    words.iter().find(|word| *word == "ssh")?;
    let is_option = |word: &String| word == "-C" || word == "--command";
    let behind = words.iter().position(is_option).and_then(|at| words.get(at + 1)).cloned();
    let one = || words.iter().find_map(|word| word.strip_prefix("--command="));
    behind.or_else(|| one().map(str::to_owned))
}

/// Programs that run what is behind `--`, `run` or `exec`.
const RUNNERS: &[&str] = &[
    "heroku",
    "railway",
    "poetry",
    "uv",
    "pipenv",
    "bundle",
    "op",
    "doppler",
    "infisical",
    "aws-vault",
    "chamber",
    "teller",
    "dotenv",
    "dotenvx",
    "direnv",
    "pnpm",
    "yarn",
    "nix",
    "envconsul",
    "rtx",
    "mise",
    "rbenv",
    "hatch",
    "pdm",
    "npm",
    "flatpak",
];

/// The program of a stage, or the command of its shell.
pub(super) enum Inner<'s> {
    Program(&'s [String]),
    Command(String),
}

/// The number of options at the beginning, with a number behind one.
fn options(words: &[String]) -> usize {
    let is_option = |word: &String| {
        word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b's')
    };
    let mut at = words.iter().take_while(|word| is_option(word)).count();
    // `-u root`, `-n shop`.
    let has_value = |word: &String| matches!(&**word, "-u" | "-n" | "-p" | "-i" | "-e" | "-w");
    while at > 0
        && words.get(at - 1).is_some_and(|last| has_value(last) && last != "-i")
        && at < words.len()
    {
        at += 1 + words[at + 1..].iter().take_while(|word| is_option(word)).count();
    }
    at
}

/// The name of a program without its folder and ending.
pub(super) fn name_of(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}
