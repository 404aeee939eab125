//! The text form of rules: lines of a word and a value. `rule` begins one, `#` a comment.

use super::behind::Behind;
use super::check::RuleCheck;
use super::class::Class;
use super::fault::RulesError;

/// The number of bytes before and behind a keyword to which a rule is applied.
const WINDOW: (usize, usize) = (160, 700);

/// A rule as written.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) id: String,
    pub(super) class: Class,
    pub(super) is_generic: bool,
    pub(super) keywords: Vec<String>,
    pub(super) find: String,
    /// The least entropy of a value, in bits a byte.
    pub(super) entropy: f64,
    /// Patterns that the value may not match.
    pub(super) not: Vec<String>,
    /// Patterns that all of the match may not match.
    pub(super) not_match: Vec<String>,
    /// Patterns that the value must match.
    pub(super) must: Vec<String>,
    /// Words that the value may not contain, in lower case.
    pub(super) stop: Vec<String>,
    pub(super) checks: Vec<RuleCheck>,
    pub(super) window: (usize, usize),
    /// Whether what is found is a word of the header of a key, and the value is the key.
    pub(super) is_pem: bool,
    /// The length of a word with a digit that a window must have; 0 if it may have any.
    pub(super) run: usize,
    /// The least length of a word with a digit to which the pattern is applied wherever it is; 0 if
    /// it is applied around keywords.
    pub(super) word: usize,
    /// Whether its keywords are parts of names whose values are in the same row or column.
    pub(super) is_rows: bool,
    /// It takes each value of the data of the document whose kind the keyword says.
    pub(super) is_data: bool,
    /// Conditions on the text behind a keyword.
    pub(super) behind: Vec<Behind>,
}

impl Source {
    /// The beginning of a keyword that is partly behind a place: a value that ends there has the
    /// first letters of what comes next.
    pub(super) fn keyword_over(&self, text: &[u8], from: usize, at: usize) -> Option<usize> {
        let begins = |keyword: &String, start: usize| {
            let range = start..start + keyword.len();
            text.get(range).is_some_and(|text| text.eq_ignore_ascii_case(keyword.as_bytes()))
        };
        let first = |keyword: &String| {
            let start = (at + 1).saturating_sub(keyword.len()).max(from);
            (start..at).find(|&start| begins(keyword, start))
        };
        self.keywords.iter().filter_map(first).min()
    }
}

/// A file of rules.
#[derive(Debug, Default)]
pub(super) struct RuleFile {
    pub(super) rules: Vec<Source>,
    /// Patterns of values that are none, whatever the rule.
    pub(super) never: Vec<String>,
    /// Patterns of parts of values which say that the value is an example.
    pub(super) examples: Vec<String>,
}

/// Parses a file of rules.
pub(super) fn file(name: &str, text: &str) -> Result<RuleFile, RulesError> {
    let mut file = RuleFile::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, value) = line.split_once(' ').unwrap_or((line, ""));
        put(&mut file, word, value).map_err(|why| RulesError::Line {
            file: name.to_owned(),
            line: number,
            why,
        })?;
    }
    let is_broken = |rule: &&Source| {
        let has_place = !rule.keywords.is_empty() || rule.word > 0;
        !has_place || (rule.find.is_empty() && !rule.is_rows)
    };
    let broken = file.rules.iter().find(is_broken);
    match broken {
        None => Ok(file),
        Some(rule) => Err(RulesError::Pattern {
            rule: rule.id.clone(),
            why: "it needs `keys` and `find`".into(),
        }),
    }
}

fn put(file: &mut RuleFile, word: &str, value: &str) -> Result<(), String> {
    if word == "never" {
        file.never.push(value.to_owned());
        return Ok(());
    }
    if word == "example" {
        file.examples.push(value.to_owned());
        return Ok(());
    }
    if word == "rule" {
        file.rules.push(Source::named(value));
        return Ok(());
    }
    let rule = file.rules.last_mut().ok_or("a rule begins with `rule NAME`")?;
    let words = || value.split_whitespace().map(str::to_owned);
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
    match word {
        "class" => rule.class = Class::named(value).ok_or(format!("no class is `{value}`"))?,
        "keys" => rule.keywords.extend(words().map(|word| word.replace("\\s", " "))),
        "find" => value.clone_into(&mut rule.find),
        "entropy" => rule.entropy = value.parse().map_err(|_| format!("`{value}` is no number"))?,
        "not" => rule.not.push(value.to_owned()),
        "not-match" => rule.not_match.push(value.to_owned()),
        "must" => rule.must.push(value.to_owned()),
        "stop" => rule.stop.extend(words()),
        "check" => {
            rule.checks.push(RuleCheck::named(value).ok_or(format!("no check is `{value}`"))?)
        }
        "generic" => rule.is_generic = true,
        "pem" => rule.is_pem = true,
        "run" => rule.run = number(value)?,
        "word" => rule.word = number(value)?,
        "rows" => rule.is_rows = true,
        "data" => (rule.is_rows, rule.is_data) = (true, true),
        // The document in which a provider describes the form.
        "source" => {}
        "sign" => {
            let (within, signs) = value.split_once(' ').ok_or("`sign` has a number and signs")?;
            rule.behind.push(Behind::Sign(number(within)?, signs.as_bytes().to_vec()));
        }
        "near" => {
            let (within, least) = value.split_once(' ').ok_or("`near` has two numbers")?;
            rule.behind.push(Behind::Word(number(within)?, number(least)?));
        }
        "window" => {
            let (before, after) = value.split_once(' ').ok_or("a window has two numbers")?;
            rule.window = (number(before)?, number(after)?);
        }
        _ => return Err(format!("`{word}` is no word of a rule")),
    }
    Ok(())
}

impl Source {
    fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            class: Class::Generic,
            is_generic: false,
            keywords: Vec::new(),
            find: String::new(),
            entropy: 0.0,
            not: Vec::new(),
            not_match: Vec::new(),
            must: Vec::new(),
            stop: Vec::new(),
            checks: Vec::new(),
            window: WINDOW,
            is_pem: false,
            run: 0,
            word: 0,
            is_rows: false,
            is_data: false,
            behind: Vec::new(),
        }
    }
}
