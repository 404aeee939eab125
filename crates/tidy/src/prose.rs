//! Rules on the project's text: required and forbidden words.

use crate::syntax::Token;
use crate::{Report, Tree};

/// Package hosts. The project names packages only, because each builder chooses their source.
const HOSTS: &[&str] = &[
    "static.crates.io",
    "index.crates.io",
    "files.pythonhosted.org",
    "pypi.org",
    "registry.npmjs.org",
    "npmjs.com",
    "proxy.golang.org",
    "deb.debian.org",
    "huggingface.co",
];

/// Nouns that do not say what a thing does.
const EMPTY_NOUNS: &[&str] = &["helper", "util", "utils", "manager", "processor", "handler"];

/// The commands that the README lists and `.ci/run` runs.
const TEST: &str = "cargo test --workspace --locked";
const DEMO: &str = "cargo run --release --locked -- demo";

/// Every Rust file begins with a comment that describes it.
pub(crate) fn heads(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|f| f.extension() == "rs") {
        if !file.text.starts_with("//!") {
            report.add(&file.path, 1, "begin with `//!`: what this is, and what it may not do");
        }
    }
}

/// No file names a package host, or a path of the machine on which it was written.
pub(crate) fn words(tree: &Tree, report: &mut Report) {
    for file in &tree.files {
        for (number, line) in file.text.lines().enumerate() {
            for host in HOSTS.iter().filter(|host| line.contains(**host)) {
                report.add(&file.path, number + 1, format!("names the package host {host}"));
            }
            for place in tree.places.iter().filter(|place| names_place(line, place)) {
                report.add(
                    &file.path,
                    number + 1,
                    format!("names {place}, a place of one machine"),
                );
            }
        }
    }
}

/// Whether the line contains the absolute path or one below it, not as the tail of a longer path.
fn names_place(line: &str, place: &str) -> bool {
    let in_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~');
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + place.len()..].chars().next();
        !before.is_some_and(in_path) && after.is_none_or(|c| c == '/' || !in_path(c))
    })
}

/// No type, module, function or file has an empty noun as its name.
pub(crate) fn nouns(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|f| f.extension() == "rs") {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if let Some(noun) = empty_noun(name.trim_end_matches(".rs")) {
            report.add(&file.path, 0, format!("a file called `{noun}`: say what it holds"));
        }
        let Some(syntax) = &file.syntax else { continue };
        for pair in syntax.tokens.windows(2) {
            let [Some(keyword), Some(name)] = [&pair[0], &pair[1]].map(Token::ident) else {
                continue;
            };
            let declares = matches!(keyword, "struct" | "enum" | "trait" | "type" | "fn" | "mod");
            if let Some(noun) = empty_noun(name).filter(|_| declares) {
                let what = format!("`{name}` is called `{noun}`: find the field's own word");
                report.add(&file.path, pair[1].line, what);
            }
        }
    }
}

fn empty_noun(name: &str) -> Option<&'static str> {
    let parts = parts(name);
    EMPTY_NOUNS.iter().copied().find(|noun| parts.iter().any(|part| part == noun))
}

/// The words of an identifier or a text, in lower case: `ClaudeCode`, `claude_code` and
/// `claude-code` all become `claude`, `code`.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for c in text.chars() {
        let hump = c.is_uppercase() && lower;
        if (hump || !c.is_alphanumeric()) && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A relative link of a document leads to an existing file or folder.
pub(crate) fn links(tree: &Tree, report: &mut Report) {
    for file in tree.files.iter().filter(|f| f.extension() == "md") {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in file.text.lines().enumerate() {
            for target in link_targets(line) {
                if !tree.has(&resolve(folder, target)) {
                    report.add(&file.path, number + 1, format!("the link {target} leads nowhere"));
                }
            }
        }
    }
}

/// The `target` of each `](target)` that is a path within the repository, without its `#section`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.match_indices("](").map(|(at, open)| &line[at + open.len()..]);
    let targets = ends.filter_map(|rest| rest.split(')').next()?.split('#').next());
    targets.filter(|t| !t.is_empty() && !t.contains(':') && !t.contains(' '))
}

fn resolve(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = path.pop(),
            _ => path.push(part),
        }
    }
    path.join("/")
}

/// The README lists the commands in blocks, and `.ci/run` runs the same commands.
pub(crate) fn readme(tree: &Tree, report: &mut Report) {
    let demo = tree.has("crates/cli/src/demo.rs") || tree.has("crates/cli/src/demo");
    for command in [TEST].into_iter().chain(demo.then_some(DEMO)) {
        let given =
            tree.text("README.md").is_some_and(|text| block_lines(text).any(|l| l == command));
        if !given {
            report.add("README.md", 0, format!("no command block has the line `{command}`"));
        }
        if !tree.text(".ci/run").is_some_and(|text| text.contains(command)) {
            report.add(".ci/run", 0, format!("does not run `{command}`"));
        }
    }
}

/// The lines inside fenced blocks, without a prompt.
fn block_lines(text: &str) -> impl Iterator<Item = &str> {
    let fenced = text.split("```").skip(1).step_by(2);
    fenced.flat_map(|block| block.lines().skip(1)).map(|line| line.trim_start_matches("$ ").trim())
}
