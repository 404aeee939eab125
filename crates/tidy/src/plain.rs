//! Plain words: comments and documents use the field's standard terms and name their subject.
//!
//! The section "Plain words" in `GLOSSARY.md` has the rules. A test can check only two of them: no
//! doc comment begins with a headless relative, and no text contains a word of [`BANNED`].

use crate::syntax::Kind;
use crate::{Report, Tree};

/// Openings of a doc comment that hide the noun: "What a call cost" instead of "Cost of a call".
const HEADLESS: &[&str] = &["What", "Where", "Whose", "Who", "How", "True for what"];

/// Words that have a standard term, with that term.
const BANNED: &[(&str, &str)] = &[
    ("stands", "is, is stored, is at, means"),
    ("stand", "be, be stored, mean"),
    ("lies", "is located, is"),
    ("goes on from", "continues, is based on"),
    ("go on from", "continue, be based on"),
    ("ours", "the `verbatim` object, or verbatim's"),
    ("is asked", "is probed, is checked, is prompted"),
    ("are asked", "are probed, are checked, are prompted"),
    ("told", "reported, recorded, identified"),
    ("is none", "does not exist, is not one"),
    ("no matter", "whatever, regardless of"),
    ("aside", "skipped, separately"),
];

/// Folders of tools for those who build verbatim: nobody else reads what they print.
const TOOLS: &[&str] = &["crates/interop/", "crates/tidy/"];

/// Comments of Rust files, and documents, use the field's words.
pub(crate) fn comments(tree: &Tree, report: &mut Report) {
    for file in &tree.files {
        match file.extension() {
            "rs" => rust(&file.path, &file.text, report),
            "md" => document(&file.path, &file.text, report),
            _ => {}
        }
    }
    strings(tree, report);
}

/// Strings of the program, which it may print. One word alone may be a name in a document.
fn strings(tree: &Tree, report: &mut Report) {
    for (file, tokens) in tree.code("crates/") {
        if TOOLS.iter().any(|tool| file.path.starts_with(tool)) {
            continue;
        }
        for token in tokens {
            if let Kind::Text(text) = &token.kind
                && text.trim().contains(' ')
            {
                banned(&file.path, token.line, &without_values(text), report);
            }
        }
    }
}

/// A format string without the names of its values.
fn without_values(text: &str) -> String {
    let mut parts = text.split('{');
    let mut prose = parts.next().unwrap_or_default().to_owned();
    prose.extend(parts.map(|part| part.split_once('}').map_or(part, |(_, behind)| behind)));
    prose
}

fn rust(path: &str, text: &str, report: &mut Report) {
    let mut within = "";
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let mark = ["///", "//!", "//"].into_iter().find(|mark| line.starts_with(mark));
        let Some(mark) = mark else {
            within = "";
            continue;
        };
        let said = line[mark.len()..].trim();
        let first = mark != "//" && within != mark;
        if let Some(opening) = HEADLESS.iter().find(|opening| first && opens(said, opening)) {
            report.add(path, number, format!("begins with `{opening}`: begin with the noun"));
        }
        banned(path, number, said, report);
        within = mark;
    }
}

/// The lines outside fenced blocks; code in backticks is not prose.
fn document(path: &str, text: &str, report: &mut Report) {
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            banned(path, number, line, report);
        }
    }
}

fn opens(text: &str, opening: &str) -> bool {
    text.strip_prefix(opening).is_some_and(|rest| rest.starts_with(' '))
}

fn banned(path: &str, number: usize, text: &str, report: &mut Report) {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`").to_lowercase();
    for (word, better) in BANNED {
        if has_word(&prose, word) {
            report.add(path, number, format!("says `{word}`: say {better}"));
        }
    }
}

/// Whether the word or phrase occurs in the text, not as a part of a longer word.
fn has_word(text: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}
