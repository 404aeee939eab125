//! Every screen fits into its terminal, and no word is broken: of the samples of each agent, and of
//! real sessions where they are. The judge counts columns by a table of its own crate, and knows a
//! word from the same screen on a terminal that is wide enough for everything.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use unicode_width::UnicodeWidthStr;

mod common;
use common::{ID, Place, put, ran_on_terminal, talk};

const WIDTHS: [usize; 4] = [60, 80, 100, 200];

/// Greatest number of columns that a transcript leaves free at its right.
const FREE: usize = 8;

/// Commands that show the sessions of a folder.
const OF_ALL: [&str; 15] = [
    "list FOLDER",
    "list FOLDER -n all --all -v --dates",
    "list FOLDER --turns --sort project",
    "search -C FOLDER e",
    "search -C FOLDER e --only outputs",
    "search -C FOLDER --regex [a-z]+ --only errors,answers",
    "usage FOLDER",
    "usage FOLDER --by session",
    "usage FOLDER --by project",
    "usage FOLDER --by model",
    "usage FOLDER --by day --chart",
    "check FOLDER",
    "validate FOLDER",
    "fidelity",
    "list no-such-session",
];

/// Commands that show one session. A receipt is a document: only what is said beside it is a
/// screen.
const OF_ONE: [&str; 8] = [
    "show FILE",
    "show FILE --all",
    "show FILE --only prompts,tools",
    "attribution FILE",
    "check FILE",
    "validate FILE",
    "fidelity FILE",
    "receipt FILE -o OUT/receipt.json --force",
];

/// The lines of a command on a terminal, without colours.
fn lines(place: &Place, words: &[String], width: usize) -> Vec<String> {
    let args: Vec<&str> = words.iter().map(String::as_str).chain(["--color", "never"]).collect();
    let (_, out, err) = ran_on_terminal(place, &args, width, &[]);
    out.lines().chain(err.lines()).map(str::to_owned).collect()
}

/// The words of lines, without the mark of a cut.
fn words(lines: &[String]) -> BTreeSet<String> {
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    words.map(str::to_owned).collect()
}

/// Faults of a screen: a line is too wide, or the end of a line and the beginning of the
/// next are one word that had room in a line.
fn faults(narrow: &[String], wide: &BTreeSet<String>, width: usize) -> Vec<String> {
    let too_wide = narrow.iter().filter(|line| line.width() > width && !is_one_word(line));
    let mut faults: Vec<String> =
        too_wide.map(|line| format!("{} columns: {line}", line.width())).collect();
    for lines in narrow.windows(2) {
        let last = lines[0].split_whitespace().next_back();
        let first = lines[1].split([' ', '│', '▌']).find(|word| !word.is_empty());
        let (Some(last), Some(first)) = (last, first) else { continue };
        let are_words = wide.contains(last) && wide.contains(first);
        let joined = format!("{last}{first}");
        let is_within = last.ends_with(char::is_alphanumeric)
            && first.starts_with(char::is_alphanumeric)
            && last.len().min(first.len()) > 1;
        // A word that is longer than the room beside the margin has to be broken. A transcript
        // leaves a few columns free.
        let margin = lines[1].len() - lines[1].trim_start().len() + FREE;
        let had_room = |word: &&String| word.contains(&joined) && word.width() + margin <= width;
        if is_within && !are_words && wide.iter().any(|word| had_room(&word)) {
            faults.push(format!("a word is broken: {joined}:\n{}\n{}", lines[0], lines[1]));
        }
    }
    faults
}

/// Whether a line is too wide because of one word of a command, which can't be broken.
fn is_one_word(line: &str) -> bool {
    let words = line.trim().trim_end_matches(" \\");
    let quoted = words.starts_with('\'') && words.matches('\'').count() == 2;
    quoted || !words.contains(' ')
}

/// Judges each screen at each width.
fn judge(place: &Place, commands: &[&str], folder: &Path, file: &Path) -> Vec<String> {
    let mut faults_of_all = Vec::new();
    for command in commands {
        let word = |word: &str| match word {
            "FILE" => file.to_string_lossy().into_owned(),
            _ => word
                .replace("OUT", &place.path().join("out").to_string_lossy())
                .replace("FOLDER", &folder.to_string_lossy()),
        };
        let args: Vec<String> = command.split(' ').map(word).collect();
        let wide = words(&lines(place, &args, 100_000));
        for width in WIDTHS {
            let found = faults(&lines(place, &args, width), &wide, width);
            let found = found.into_iter().take(3);
            let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            faults_of_all.extend(found.map(|what| format!("{command} ({of}) at {width}: {what}")));
        }
    }
    faults_of_all
}

/// The files below a folder that are short enough, in their order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|kind| kind == "jsonl" || kind == "json")
            && std::fs::metadata(&path).unwrap().len() < 300_000
        {
            all.push(path);
        }
    }
    all
}

fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn screens_of_samples_fit() {
    let place = Place::new();
    let mut faults = Vec::new();
    for format in samples::formats() {
        let folder = format.join("samples");
        if !folder.is_dir() {
            continue;
        }
        faults.extend(judge(&place, &OF_ALL, &folder, Path::new("")));
        for file in files(&folder).iter().take(2) {
            faults.extend(judge(&place, &OF_ONE, &folder, file));
        }
    }
    assert_none(&faults);
}

#[test]
fn screens_of_real_sessions_fit() {
    let Some(corpus) = samples::corpus() else { return };
    let place = Place::new();
    let mut faults = Vec::new();
    for agent in ["claude-code", "codex", "cursor", "gemini", "opencode"] {
        let all = files(&corpus.join(agent));
        for (at, file) in all.iter().step_by((all.len() / 3).max(1)).take(3).enumerate() {
            let folder = file.parent().unwrap();
            faults.extend(judge(&place, &OF_ONE, folder, file));
            if at == 0 {
                faults.extend(judge(&place, &OF_ALL, folder, Path::new("")));
            }
        }
    }
    assert_none(&faults);
}

/// Wide characters, long words, and no space to break at.
#[test]
fn screens_of_hard_texts_fit() {
    let place = Place::new();
    let long = "x".repeat(300);
    let prompt = format!(
        "漢字は二つの列を取る。{} {long} /srv/{}/file.rs and then some words, \
         **bold** `code` and \\u0301 marks",
        "とても長い文".repeat(30),
        "folder/".repeat(30)
    );
    let text = talk(ID, &prompt, "2026-03-01T10:0").replace("ls doors", &format!("ls {long}"));
    let folder = place.path().join("hard");
    put(&folder.join(format!("{ID}.jsonl")), &text);
    let file = folder.join(format!("{ID}.jsonl"));
    let mut faults = Vec::new();
    for command in OF_ALL.iter().chain(&OF_ONE) {
        let word = |word: &str| match word {
            "FILE" => file.to_string_lossy().into_owned(),
            _ => word
                .replace("OUT", &place.path().join("out").to_string_lossy())
                .replace("FOLDER", &folder.to_string_lossy()),
        };
        let args: Vec<String> = command.split(' ').map(word).collect();
        for width in WIDTHS {
            let lines = lines(&place, &args, width);
            let wide = lines.iter().filter(|line| line.width() > width);
            let wide = wide.filter(|line| !is_one_word(line));
            faults.extend(wide.map(|line| format!("{command} at {width}: {line}")));
        }
    }
    assert_none(&faults);
}

/// The judge finds what it is for.
#[test]
fn a_wide_line_and_a_broken_word_are_faults() {
    let wide = words(&["fold between words".into()]);
    let judged = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        faults(&lines, &wide, 20).len()
    };
    assert_eq!(judged(&["fold between", "words"]), 0);
    assert_eq!(judged(&["fold between words and"]), 1);
    assert_eq!(judged(&["fold bet", "ween words"]), 1);
}
