//! Size limits of files, functions and lines.

use crate::{Report, Tree};

const FILE: usize = 400;
const FUNCTION: usize = 60;
const LINE: usize = 100;

/// Rust files have at most 400 lines.
pub(crate) fn files(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|f| f.extension() == "rs") {
        let lines = file.text.lines().count();
        if lines > FILE {
            report.add(
                &file.path,
                0,
                format!("{lines} lines, more than {FILE}: find its two halves"),
            );
        }
    }
}

/// Functions have at most 60 lines, from the word `fn` to the closing brace.
pub(crate) fn functions(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|f| f.extension() == "rs") {
        let Some(syntax) = &file.syntax else {
            report.add(&file.path, 0, "can't be read as Rust");
            continue;
        };
        for function in syntax.functions.iter().filter(|f| f.lines > FUNCTION) {
            let what =
                format!("`{}` has {} lines, more than {FUNCTION}", function.name, function.lines);
            report.add(&file.path, function.line, what);
        }
    }
}

/// Lines of code and configuration have at most 100 characters.
pub(crate) fn lines(tree: &Tree, report: &mut Report) {
    let written_by_hand = |path: &str, extension: &str| {
        matches!(extension, "rs" | "toml" | "sh" | "js" | "css") || path.starts_with(".ci/")
    };
    for file in tree.files.iter().filter(|f| written_by_hand(&f.path, f.extension())) {
        for (number, line) in file.text.lines().enumerate() {
            let width = line.chars().count();
            if width > LINE {
                report.add(&file.path, number + 1, format!("{width} characters, more than {LINE}"));
            }
        }
    }
}
