//! The project's conventions that a test can check.
//!
//! A rule is a function from the repository's files to findings;
//! `RULES` lists all rules. `exceptions.txt` lists the permitted violations with their reasons. An
//! exception that nothing needs is itself a finding. This crate changes no file, and no other crate
//! depends on it.
#![forbid(unsafe_code)]

mod architecture;
mod evidence;
mod exceptions;
mod layers;
mod native;
mod plain;
mod prose;
mod size;
mod syntax;
mod tree;

use std::fmt;

pub use exceptions::{EXCEPTIONS, without_exceptions};
pub use syntax::{Function, Kind, Syntax, Token};
pub use tree::{File, Tree};

/// One violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file's path, relative to the workspace's root, with `/` between folders.
    pub path: String,
    /// The line, from 1; 0 means the whole file.
    pub line: usize,
    /// The rule's name, as in [`RULES`].
    pub rule: &'static str,
    /// The fault and its remedy.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// A convention: its name and the function that finds violations.
#[derive(Debug)]
pub struct Rule {
    /// Its name in findings and exceptions.
    pub name: &'static str,
    /// Reports each violation in a tree.
    pub check: fn(&Tree, &mut Report),
}

/// Collector of a rule's findings.
#[derive(Debug)]
pub struct Report {
    rule: &'static str,
    findings: Vec<Finding>,
}

impl Report {
    fn add(&mut self, path: &str, line: usize, what: impl Into<String>) {
        let (path, what) = (path.to_owned(), what.into());
        self.findings.push(Finding { path, line, rule: self.rule, what });
    }
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule { name: "file-length", check: size::files },
    Rule { name: "function-length", check: size::functions },
    Rule { name: "line-length", check: size::lines },
    Rule { name: "module-head", check: prose::heads },
    Rule { name: "words", check: prose::words },
    Rule { name: "nouns", check: prose::nouns },
    Rule { name: "plain-words", check: plain::comments },
    Rule { name: "links", check: prose::links },
    Rule { name: "readme", check: prose::readme },
    Rule { name: "format-files", check: native::format_files },
    Rule { name: "agent-names", check: native::agent_names },
    Rule { name: "native-lookup", check: native::lookups },
    Rule { name: "unsafe", check: architecture::unsafe_code },
    Rule { name: "knows-nothing", check: architecture::knows_nothing },
    Rule { name: "direction", check: architecture::direction },
    Rule { name: "typed-flag", check: architecture::typed_flag },
    Rule { name: "type-names", check: architecture::type_names },
    Rule { name: "layers", check: layers::layers },
    Rule { name: "evidence", check: evidence::evidence },
];

/// The findings of one rule, in the order of the files.
pub fn check(rule: &Rule, tree: &Tree) -> Vec<Finding> {
    let mut report = Report { rule: rule.name, findings: Vec::new() };
    (rule.check)(tree, &mut report);
    report.findings.sort();
    report.findings
}

/// The findings of all rules.
pub fn check_all(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| check(rule, tree)).collect()
}
