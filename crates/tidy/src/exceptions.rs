//! Exceptions from the rules, with reasons: the list in `exceptions.txt`.

use crate::{Finding, RULES};

/// Path of the list, relative to the workspace's root.
pub const EXCEPTIONS: &str = "crates/tidy/exceptions.txt";

struct Exception<'t> {
    line: usize,
    path: &'t str,
    rule: &'t str,
}

impl Exception<'_> {
    fn covers(&self, finding: &Finding) -> bool {
        let path = match self.path.ends_with('/') {
            true => finding.path.starts_with(self.path),
            false => finding.path == self.path,
        };
        path && finding.rule == self.rule
    }
}

/// The findings that no line of the list covers, and the faults of the list. A fault is a line
/// without path, rule and reason, an unknown rule, or an exception that is not needed.
///
/// A line is `path rule reason`. A path that ends with `/` means all files under it. `#` is a
/// comment.
pub fn without_exceptions(findings: Vec<Finding>, list: &str) -> Vec<Finding> {
    let fault = |line: usize, what: String| Finding {
        path: EXCEPTIONS.to_owned(),
        line,
        rule: "exceptions",
        what,
    };
    let mut faults = Vec::new();
    let mut exceptions = Vec::new();
    let rows = list.lines().enumerate().map(|(at, row)| (at + 1, row.trim()));
    for (line, row) in rows.filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let mut words = row.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(path), Some(rule), Some(_)) if RULES.iter().any(|r| r.name == rule) => {
                exceptions.push(Exception { line, path, rule });
            }
            (_, Some(rule), Some(_)) => faults.push(fault(line, format!("no rule `{rule}`"))),
            _ => faults.push(fault(line, "give path, rule and reason".to_owned())),
        }
    }
    for unused in exceptions.iter().filter(|e| !findings.iter().any(|f| e.covers(f))) {
        let what = format!("nothing needs it: {} {}; take it out", unused.path, unused.rule);
        faults.push(fault(unused.line, what));
    }
    let open = findings.into_iter().filter(|f| !exceptions.iter().any(|e| e.covers(f)));
    open.chain(faults).collect()
}
