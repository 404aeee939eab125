//! The list of evidence: `docs/evidence.md` names commands, and each of them must exist.

use crate::{Report, Tree};

/// The document with the list.
const DOCUMENT: &str = "docs/evidence.md";

/// The beginning of the names of this workspace's packages. The rest is the folder in `crates/`.
const PACKAGE: &str = "verbatim-";

/// Every row of the list has a command, and every test, benchmark and program that it names exists.
pub(crate) fn evidence(tree: &Tree, report: &mut Report) {
    for (number, line) in tree.text(DOCUMENT).unwrap_or_default().lines().enumerate() {
        let is_row = line.starts_with("| ") && !line.starts_with("| Claim |");
        if !is_row {
            continue;
        }
        let commands = line.rsplit_once(" | ").map_or("", |(_, commands)| commands);
        if !commands.contains('`') && !commands.starts_with("the same") {
            report.add(DOCUMENT, number + 1, "this row names no command");
        }
        for command in commands.split('`').skip(1).step_by(2) {
            if let Some(what) = absent(tree, command) {
                report.add(DOCUMENT, number + 1, format!("`{command}`: {what}"));
            }
        }
    }
}

/// The part of a command that does not exist. Commands of other kinds are not looked at.
fn absent(tree: &Tree, command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let program = *words.first()?;
    if program.contains('/') {
        let program = program.trim_end_matches('/');
        let is_there = tree.has(program) || !tree.names_under(&format!("{program}/")).is_empty();
        return (!is_there).then(|| format!("there is no `{program}`"));
    }
    if program != "cargo" {
        return None;
    }
    let folder = after(&words, "-p").next()?.strip_prefix(PACKAGE)?;
    if !tree.has(&format!("crates/{folder}/Cargo.toml")) {
        return Some(format!("there is no crate `{folder}`"));
    }
    let named = [("--test", "tests"), ("--bench", "benches")];
    for (option, place) in named {
        for name in after(&words, option) {
            let file = format!("crates/{folder}/{place}/{name}.rs");
            let head = format!("crates/{folder}/{place}/{name}/main.rs");
            if !tree.has(&file) && !tree.has(&head) {
                return Some(format!("there is no `{file}`"));
            }
        }
    }
    None
}

/// The words that each follow an option.
fn after<'w>(words: &'w [&str], option: &'w str) -> impl Iterator<Item = &'w str> {
    words.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1])
}
