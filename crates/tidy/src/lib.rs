//! The habits of the project that a test can hold.
//!
//! A rule is a function from the repository's files to findings; `RULES` lists them all. What
//! breaks a rule for a good reason stands in `exceptions.txt` with that reason, and an exception
//! that nothing needs any more is itself a finding. Nothing here changes a file, and no other
//! crate depends on this one.
#![forbid(unsafe_code)]

mod architecture;
mod exceptions;
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

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the workspace's root, with `/` between folders.
    pub path: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// The name of the rule, as it stands in [`RULES`].
    pub rule: &'static str,
    /// What is wrong there and what to do.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// A habit: its name and the function that finds what breaks it.
pub struct Rule {
    /// The name by which findings and exceptions call it.
    pub name: &'static str,
    /// Reports each place of a tree that breaks it.
    pub check: fn(&Tree, &mut Report),
}

/// Where a rule puts what it finds.
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
];

/// What one rule finds, in the order of the files.
pub fn check(rule: &Rule, tree: &Tree) -> Vec<Finding> {
    let mut report = Report { rule: rule.name, findings: Vec::new() };
    (rule.check)(tree, &mut report);
    report.findings.sort();
    report.findings
}

/// What all rules find.
pub fn check_all(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| check(rule, tree)).collect()
}
