//! Rules: how a value that gives access to something, or tells who somebody is, is recognised in a
//! plain text. They are data, with source and licence, in `rules/` of this crate.
//!
//! One search looks for the keywords of all rules. A rule's pattern is applied only around its
//! keywords, so that a text costs the same whatever the number of rules.

mod behind;
mod beside;
mod check;
mod class;
mod columns;
mod fault;
mod keywords;
pub(crate) mod naming;
mod never;
mod parse;
mod pem;
mod random;
mod rows;
mod secret_data;
mod special;
mod words;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder};
use sha2::{Digest as _, Sha256};

use crate::unwrap::changes::Changes;
use behind::Words;
pub use check::RuleCheck;
pub use class::Class;
pub use fault::RulesError;
use keywords::Keywords;
pub(crate) use keywords::Seen;
use never::Never;
use parse::Source;
pub(crate) use random::{entropy, is_random};
pub(crate) use words::is_made;

/// The number of a rule.
pub type RuleIx = u32;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub id: Arc<str>,
    /// The class of its values.
    pub class: Class,
    /// Whether it goes by the name that a value is assigned to, not by a shape of the value.
    pub is_generic: bool,
    source: Source,
    compiled: OnceLock<Result<Compiled, regex::Error>>,
}

/// The patterns of a rule.
#[derive(Debug)]
struct Compiled {
    find: Regex,
    not: Vec<Regex>,
    not_match: Vec<Regex>,
    must: Vec<Regex>,
}

/// A value that a rule found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: RuleIx,
    /// The first byte of the value.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// A set of rules.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    keywords: Keywords,
    /// The rules of each keyword.
    of: Vec<Vec<RuleIx>>,
    /// The least length of a word that a rule asks of a window.
    least_run: usize,
    /// The rules that look at each long word with a digit, and the least length of such a word.
    of_words: Vec<RuleIx>,
    least_word: Option<usize>,
    never: Never,
    version: String,
}

/// The shipped files: their names and texts.
const SHIPPED: &[(&str, &str)] = &[
    ("providers.rules", include_str!("../../rules/providers.rules")),
    ("agents.rules", include_str!("../../rules/agents.rules")),
    ("vendors.rules", include_str!("../../rules/vendors.rules")),
];

/// The revision of the scan, raised when the same rules find more: findings that were kept are then
/// of another version.
const REVISION: &[u8] = b"scan 3\n";

/// The version of the rules in files.
fn version(files: &[(&str, &str)]) -> String {
    let mut digest = Sha256::new_with_prefix(REVISION);
    files.iter().for_each(|(_, text)| digest.update(text.as_bytes()));
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl Rules {
    /// The rules that are part of the program.
    ///
    /// # Errors
    /// A [`RulesError`]: the program was built from a damaged file.
    pub fn shipped() -> Result<Self, RulesError> {
        Self::load(SHIPPED)
    }

    /// The version of the rules that are part of the program, which are not read for it.
    #[must_use]
    pub fn shipped_version() -> String {
        version(SHIPPED)
    }

    /// The rules of files, by their names and texts. A pattern is compiled when it is first used.
    ///
    /// # Errors
    /// The first [`RulesError`].
    pub fn load(files: &[(&str, &str)]) -> Result<Self, RulesError> {
        let (mut rules, mut never) = (Vec::new(), Never::default());
        for (name, text) in files {
            let file = parse::file(name, text)?;
            rules.extend(file.rules.into_iter().map(Rule::new));
            never.add(file.never, file.examples);
        }
        let (keywords, of) = keywords(&rules);
        let runs = rules.iter().map(|rule| rule.source.run).filter(|&run| run > 0);
        let least_run = runs.min().unwrap_or(usize::MAX);
        let (of_words, least_word) = special::words(&rules);
        let version = version(files);
        Ok(Self { rules, keywords, of, least_run, of_words, least_word, never, version })
    }

    /// The rules of some classes. The version stays: it is that of the files.
    #[must_use]
    pub fn only(mut self, takes: impl Fn(Class) -> bool) -> Self {
        self.rules.retain(|rule| takes(rule.class));
        (self.keywords, self.of) = keywords(&self.rules);
        (self.of_words, self.least_word) = special::words(&self.rules);
        self
    }

    /// The version of the rules: the first 16 hexadecimal digits of the SHA-256 digest of the
    /// revision of the scan and their files.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// All rules.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The rule with a number that a [`Hit`] has.
    #[must_use]
    pub fn rule(&self, number: RuleIx) -> &Rule {
        &self.rules[number as usize]
    }

    /// Adds the values that the rules find in a plain text, rule by rule.
    ///
    /// # Errors
    /// A pattern of a rule can't be used.
    pub fn find(&self, text: &[u8], found: &mut Vec<Hit>) -> Result<(), RulesError> {
        let mut keywords = Vec::new();
        self.keywords(text, &mut keywords);
        self.find_around(text, &keywords, &|_| true, found)
    }

    /// Adds the keywords in a text, in the order of their beginnings.
    pub(crate) fn keywords(&self, text: &[u8], found: &mut Vec<Seen>) {
        self.keywords.find(text, found);
    }

    /// Adds the keywords in a text that was made of a range of another one, whose keywords are
    /// known, in the order of their beginnings.
    pub(crate) fn keywords_again(
        &self,
        text: &[u8],
        changes: &Changes,
        before: &[Seen],
        range: &Range<usize>,
        found: &mut Vec<Seen>,
    ) {
        self.keywords.find_again(text, changes, before, range, found);
    }

    /// Adds the values that the rules find around keywords of a plain text, rule by rule, where a
    /// range of the text is new.
    pub(crate) fn find_around(
        &self,
        text: &[u8],
        keywords: &[Seen],
        is_new: &dyn Fn(&Range<usize>) -> bool,
        found: &mut Vec<Hit>,
    ) -> Result<(), RulesError> {
        self.find_words(text, is_new, found)?;
        if keywords.is_empty() {
            return Ok(());
        }
        self.find_rows(text, keywords, is_new, found)?;
        for (number, windows) in self.windows(text, keywords, is_new) {
            let rule = self.rule(number);
            let compiled = rule.compiled()?;
            for window in windows {
                self.within(number, compiled, text, &window, found)?;
            }
        }
        Ok(())
    }

    /// Adds the values that a rule finds in a window.
    fn within(
        &self,
        number: RuleIx,
        compiled: &Compiled,
        text: &[u8],
        window: &Range<usize>,
        found: &mut Vec<Hit>,
    ) -> Result<(), RulesError> {
        let (inner, mut at) = (&text[window.clone()], 0);
        while let Some(captures) = compiled.find.captures_at(inner, at) {
            let Some(all) = captures.get(0) else { break };
            // What ends one value begins the next.
            let group = captures.iter().skip(1).flatten().find(|group| !group.is_empty());
            at = group.map_or(all.end(), |group| group.end()).max(all.start() + 1);
            let next = self.rule(number).source.keyword_over(inner, all.start() + 1, at);
            at = next.unwrap_or(at);
            if let Some(range) = self.value(self.rule(number), compiled, text, window, &captures)? {
                found.push(Hit { rule: number, start: range.start, end: range.end });
            }
            if at > inner.len() {
                break;
            }
        }
        Ok(())
    }

    /// The windows of each rule: the text around its keywords, where its conditions hold.
    fn windows(
        &self,
        text: &[u8],
        keywords: &[Seen],
        is_new: &dyn Fn(&Range<usize>) -> bool,
    ) -> BTreeMap<RuleIx, Vec<Range<usize>>> {
        let mut windows: BTreeMap<RuleIx, Vec<Range<usize>>> = BTreeMap::new();
        let words = LazyCell::new(|| Words::of(text, self.least_run));
        for seen in keywords {
            for &number in &self.of[seen.keyword as usize] {
                let source = &self.rule(number).source;
                if source.is_rows {
                    continue;
                }
                let (before, after) = source.window;
                let window = seen.start.saturating_sub(before)..(seen.end + after).min(text.len());
                if !source.behind.iter().all(|behind| behind.holds(text, seen.end)) {
                    continue;
                }
                // A key is longer than what is around its header.
                if !source.is_pem && !is_new(&window) {
                    continue;
                }
                if source.run > 0 && !words.within(&window, source.run) {
                    continue;
                }
                let windows = windows.entry(number).or_default();
                match windows.last_mut() {
                    Some(last) if last.end >= window.start => last.end = last.end.max(window.end),
                    _ => windows.push(window),
                }
            }
        }
        windows
    }

    /// The value of a match, if it is one: the first group, or else all of it.
    fn value(
        &self,
        rule: &Rule,
        compiled: &Compiled,
        text: &[u8],
        window: &Range<usize>,
        captures: &Captures<'_>,
    ) -> Result<Option<Range<usize>>, RulesError> {
        let group = captures.iter().skip(1).flatten().find(|group| !group.is_empty());
        let Some(all) = captures.get(0) else { return Ok(None) };
        let secret = group.unwrap_or(all);
        let range = window.start + secret.start()..window.start + secret.end();
        let range = if rule.source.is_pem { pem::extent(text, &range) } else { Some(range) };
        let Some(range) = range else { return Ok(None) };
        let is_value = self.is_value(rule, compiled, text, &range, all.as_bytes())?;
        Ok(is_value.then_some(range))
    }

    /// Whether a range of a text is a value by the conditions of a rule. `all` is the whole match.
    fn is_value(
        &self,
        rule: &Rule,
        compiled: &Compiled,
        text: &[u8],
        range: &Range<usize>,
        all: &[u8],
    ) -> Result<bool, RulesError> {
        let value = &text[range.clone()];
        let matches = |patterns: &[Regex], value: &[u8]| {
            patterns.iter().any(|pattern| pattern.is_match(value))
        };
        let source = &rule.source;
        // A key of several lines has whatever is between them, such as times.
        let has_lines = source.is_pem
            || (rule.class == Class::PrivateKey && memchr::memchr(b'\n', value).is_some());
        let is_none = value.is_empty()
            || entropy(value) < source.entropy
            || (!compiled.must.is_empty()
                && !compiled.must.iter().all(|must| must.is_match(value)))
            || matches(&compiled.not, value)
            || matches(&compiled.not_match, all)
            || (!has_lines && self.never.holds(value)?)
            || check::has_stop_word(value, &source.stop)
            || !source.checks.iter().all(|check| check.holds(text, range));
        Ok(!is_none)
    }
}

/// The index of the rules' keywords, and the rules of each keyword.
fn keywords(rules: &[Rule]) -> (Keywords, Vec<Vec<RuleIx>>) {
    let mut by_keyword: BTreeMap<(String, bool), Vec<RuleIx>> = BTreeMap::new();
    for (number, rule) in (0u32..).zip(rules) {
        for keyword in &rule.source.keywords {
            // Where the pattern tells capitals from small letters, its keyword does.
            let has_capital = keyword.bytes().any(|byte| byte.is_ascii_uppercase());
            let is_exact = has_capital && !rule.source.find.contains("(?i");
            let text = if is_exact { keyword.clone() } else { keyword.to_ascii_lowercase() };
            by_keyword.entry((text, is_exact)).or_default().push(number);
        }
    }
    (Keywords::of(by_keyword.keys().cloned()), by_keyword.into_values().collect())
}

impl Rule {
    fn new(source: Source) -> Self {
        let (id, class, is_generic) = (Arc::from(&*source.id), source.class, source.is_generic);
        Self { id, class, is_generic, source, compiled: OnceLock::new() }
    }

    /// Whether its values are tokens that a program made, without spaces and marks.
    pub(crate) const fn is_token(&self) -> bool {
        matches!(self.class, Class::ProviderToken | Class::Webhook | Class::Jwt)
    }

    /// Whether it looks at each long word, without a keyword that says what it is.
    pub(crate) const fn is_of_words(&self) -> bool {
        self.source.word > 0
    }

    fn compiled(&self) -> Result<&Compiled, RulesError> {
        let compiled = self.compiled.get_or_init(|| Compiled::of(&self.source));
        compiled.as_ref().map_err(|error| RulesError::Pattern {
            rule: self.id.to_string(),
            why: error.to_string(),
        })
    }
}

impl Compiled {
    fn of(source: &Source) -> Result<Self, regex::Error> {
        let all = |patterns: &[String]| -> Result<Vec<Regex>, regex::Error> {
            patterns.iter().map(|pattern| regex(pattern)).collect()
        };
        Ok(Self {
            find: regex(&source.find)?,
            not: all(&source.not)?,
            not_match: all(&source.not_match)?,
            must: all(&source.must)?,
        })
    }
}

/// A pattern over bytes: tables of Unicode make it slow, and credentials are ASCII.
fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).build()
}

#[cfg(test)]
mod tests;
