//! `verbatim-validate-1`: the verdicts on files.

use operations::validate::{self, Judged};
use serde::Serialize;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-validate-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Validation<'v> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The files, in the order in which they were named.
    pub files: Vec<ValidationFile<'v>>,
}

/// A file with its verdict.
#[derive(Debug, Serialize)]
pub struct ValidationFile<'v> {
    /// Its path, or `-` for standard input.
    pub path: &'v str,
    /// The detected type of the file, in words.
    pub what: &'v str,
    /// True if it breaks no rule.
    pub valid: bool,
    /// The rules that it breaks, and recommendations.
    pub problems: Vec<ValidationProblem<'v>>,
    /// True if there are more problems.
    pub more: bool,
}

/// A rule that is broken, or a recommendation.
#[derive(Debug, Serialize)]
pub struct ValidationProblem<'v> {
    /// The path of the value, or the line.
    pub place: &'v str,
    /// The byte, from 0.
    pub byte: u64,
    /// The rule.
    pub rule: &'v str,
    /// The value that was found, and a valid one.
    pub hint: &'v str,
    /// True for a recommendation: it breaks no rule.
    pub advice: bool,
}

impl<'v> Validation<'v> {
    /// The document of some verdicts, each with the path of its file.
    #[must_use]
    pub fn of(files: &'v [(String, Judged)]) -> Self {
        Self { schema: SCHEMA, files: files.iter().map(ValidationFile::of).collect() }
    }
}

impl<'v> ValidationFile<'v> {
    fn of((path, judged): &'v (String, Judged)) -> Self {
        Self {
            path,
            what: &judged.what,
            valid: judged.ok(),
            problems: judged.problems.iter().map(ValidationProblem::of).collect(),
            more: judged.more,
        }
    }
}

impl<'v> ValidationProblem<'v> {
    fn of(problem: &'v validate::Problem) -> Self {
        Self {
            place: &problem.place,
            byte: problem.byte,
            rule: &problem.rule,
            hint: &problem.hint,
            advice: problem.advice,
        }
    }
}
