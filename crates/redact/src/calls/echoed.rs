//! The lines that `echo` and `printf` print, out of their arguments.

use super::printed::{Line, Part};
use super::table::variable;

/// Which words name a value: a name of a variable, and a command whose output is put in.
pub(super) struct Names<'n> {
    pub(super) is_secret: &'n dyn Fn(&str) -> bool,
    pub(super) asks: &'n dyn Fn(&str) -> bool,
}

/// The lines of a program that prints its arguments; `None` for another program.
pub(super) fn lines(program: &str, arguments: &[String], names: &Names<'_>) -> Option<Vec<Line>> {
    let is_option = |word: &&String| {
        word.starts_with('-') && word.len() <= 3 && word[1..].chars().all(|of| "nEe".contains(of))
    };
    let skipped = arguments.iter().take_while(is_option).count();
    let arguments = &arguments[skipped..];
    let parts = match program {
        "echo" | "print" | "write-output" | "write-host" => joined(arguments, names),
        "printf" => formatted(arguments, names),
        _ => return None,
    };
    Some(broken(parts))
}

/// The parts of arguments with spaces between them.
fn joined(arguments: &[String], names: &Names<'_>) -> Vec<Part> {
    let mut all = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        if number > 0 {
            all.push(Part::Text(" ".to_owned()));
        }
        all.extend(parts(argument, names));
    }
    all
}

/// The parts of a format with its arguments in it.
fn formatted(arguments: &[String], names: &Names<'_>) -> Vec<Part> {
    let Some((format, mut values)) = arguments.split_first() else { return Vec::new() };
    let mut all = Vec::new();
    let mut rest = &**format;
    while let Some((before, behind)) = rest.split_once('%') {
        all.extend(parts(before, names));
        let letter = behind.find(|of: char| of.is_ascii_alphabetic() || of == '%');
        let end = letter.map_or(behind.len(), |at| at + 1);
        if behind[..end].ends_with('%') {
            all.push(Part::Text("%".to_owned()));
        } else if let Some((value, others)) = values.split_first() {
            all.extend(parts(value, names));
            values = others;
        }
        rest = &behind[end..];
    }
    all.extend(parts(rest, names));
    all
}

/// The parts of a word: texts, and the variables and commands in it.
fn parts(word: &str, names: &Names<'_>) -> Vec<Part> {
    let (mut all, mut text, mut rest) = (Vec::new(), String::new(), word);
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '$' => dollar(rest),
            '%' => rest[1..].find('%').map_or(0, |at| at + 2).min(64),
            _ => 0,
        };
        let hole = rest.get(..length).filter(|hole| hole.len() > 1);
        let is_batch = letter == '%';
        let hole = hole.filter(|hole| !is_batch || variable(hole).is_some_and(names.is_secret));
        let Some(hole) = hole else {
            text.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        if !text.is_empty() {
            all.push(Part::Text(std::mem::take(&mut text)));
        }
        let command = hole.strip_prefix("$(").and_then(|of| of.strip_suffix(')'));
        let is_value = match command {
            Some(command) => (names.asks)(command),
            None => variable(hole).is_some_and(names.is_secret),
        };
        all.push(if is_value { Part::Value } else { Part::Other });
        rest = &rest[hole.len()..];
    }
    if !text.is_empty() {
        all.push(Part::Text(text));
    }
    all
}

/// The length of a variable or a command behind `$`.
fn dollar(rest: &str) -> usize {
    let name = |text: &str| {
        text.find(|of: char| !(of.is_ascii_alphanumeric() || of == '_')).unwrap_or(text.len())
    };
    match rest.as_bytes().get(1) {
        Some(b'(') => 1 + super::shell::substitution(&rest[1..]),
        Some(b'{') => rest.find('}').map_or(0, |at| at + 1),
        Some(_) => {
            let head = ["$env:", "$Env:", "$ENV:"].iter().find(|head| rest.starts_with(**head));
            let head = head.map_or(1, |head| head.len());
            head + name(&rest[head..])
        }
        None => 0,
    }
}

/// The parts as lines: `\n` ends one.
fn broken(parts: Vec<Part>) -> Vec<Line> {
    let mut lines = vec![Line { is_exact: true, ..Line::default() }];
    for part in parts {
        let Part::Text(text) = part else {
            lines.extend(lines.is_empty().then(Line::default));
            if let Some(last) = lines.last_mut() {
                last.parts.push(part);
            }
            continue;
        };
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                lines.push(Line { is_exact: true, ..Line::default() });
            }
            if let Some(last) = lines.last_mut().filter(|_| !line.is_empty()) {
                last.parts.push(Part::Text(line.to_owned()));
            }
        }
    }
    let is_blank = |part: &Part| matches!(part, Part::Text(text) if text.trim().is_empty());
    lines.retain(|line| !line.parts.iter().all(is_blank));
    lines
}
