//! Access rules of a crate: other crates, the machine, raw memory.

use std::collections::BTreeMap;

use crate::{Report, Tree};

/// The only crate that may contain unsafe code, in one file.
const UNSAFE: &str = "session";

/// The crates without access to the machine, and the line that denies it.
const BLIND: &[&str] =
    &["session", "meaning", "replay", "formats", "redact", "evidence", "receipt", "sign", "views"];
const BINDING: &str =
    "#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]";

/// The crates of the workspace that each crate may depend on. A crate without a row, such as the
/// command line, may depend on all.
const DIRECTION: &[(&str, &[&str])] = &[
    ("session", &[]),
    ("meaning", &["session"]),
    ("replay", &["session"]),
    ("formats", &["session", "meaning", "replay"]),
    ("redact", &["session", "meaning"]),
    ("evidence", &["session"]),
    ("receipt", &["session", "meaning", "formats"]),
    ("sign", &[]),
    ("catalog", &["session", "meaning", "formats", "evidence"]),
    ("views", &["session", "meaning", "replay", "formats", "redact"]),
    ("store", &[]),
    ("archive", &["session", "formats", "catalog", "store"]),
    ("index", &["session", "formats", "catalog", "store"]),
    (
        "operations",
        &[
            "session", "meaning", "replay", "formats", "redact", "evidence", "receipt", "sign",
            "catalog", "views", "store", "archive", "index",
        ],
    ),
    (
        "api",
        &[
            "session",
            "meaning",
            "replay",
            "formats",
            "redact",
            "catalog",
            "views",
            "archive",
            "operations",
        ],
    ),
    (
        "serve",
        &[
            "session",
            "meaning",
            "formats",
            "redact",
            "receipt",
            "catalog",
            "views",
            "store",
            "archive",
            "index",
            "operations",
            "api",
        ],
    ),
    ("sessions", &["session", "meaning", "formats", "views"]),
];

/// The name of the crate that contains a file.
fn krate(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split('/').next()
}

/// Every crate but one forbids unsafe code. The exception has it in a single file.
pub(crate) fn unsafe_code(tree: &Tree, report: &mut Report) {
    let mut inside: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &tree.files {
        let Some(syntax) = &file.syntax else { continue };
        let here = krate(&file.path);
        let root = ["/src/lib.rs", "/src/main.rs"].iter().any(|end| file.path.ends_with(end));
        if root && here != Some(UNSAFE) && !file.text.contains("#![forbid(unsafe_code)]") {
            report.add(&file.path, 0, "say `#![forbid(unsafe_code)]`");
        }
        let Some(token) = syntax.tokens.iter().find(|t| t.ident() == Some("unsafe")) else {
            continue;
        };
        if here == Some(UNSAFE) && !tree.is_test(&file.path) {
            inside.insert(&file.path, token.line);
        } else {
            report.add(&file.path, token.line, format!("unsafe code outside `{UNSAFE}`"));
        }
    }
    for (path, line) in inside.iter().skip(1) {
        report.add(path, *line, "a second file with unsafe code: keep it in one");
    }
}

/// The crates below the catalog deny the methods and types listed in `clippy.toml`.
pub(crate) fn knows_nothing(tree: &Tree, report: &mut Report) {
    for name in BLIND {
        let path = format!("crates/{name}/src/lib.rs");
        if !tree.text(&path).is_some_and(|text| text.lines().any(|line| line == BINDING)) {
            report.add(&path, 0, format!("say `{BINDING}`"));
        }
    }
}

/// The only file that makes the flag of unredacted exports, of what the user typed.
const FLAGS: [&str; 2] = ["crates/cli/src/export.rs", "crates/cli/src/rows.rs"];

/// No other code says that the user asked for a session as it is.
pub(crate) fn typed_flag(tree: &Tree, report: &mut Report) {
    for (file, tokens) in tree.code("crates/") {
        if FLAGS.contains(&&*file.path) {
            continue;
        }
        for words in tokens.windows(4) {
            let makes = words[0].ident() == Some("UnredactedFlag")
                && words[1].is(':')
                && words[2].is(':')
                && words[3].ident() == Some("typed");
            if makes {
                report.add(
                    &file.path,
                    words[0].line,
                    format!("only {} read the flag", FLAGS.join(" and ")),
                );
            }
        }
    }
}

/// Dependencies point one way. Dev-dependencies of tests are free.
pub(crate) fn direction(tree: &Tree, report: &mut Report) {
    for (name, may) in DIRECTION {
        let path = format!("crates/{name}/Cargo.toml");
        let Some(text) = tree.text(&path) else { continue };
        let mut section = "";
        for (number, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                section = line;
            }
            let key = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let ours = tree.has(&format!("crates/{key}/Cargo.toml")) && !key.is_empty();
            if section == "[dependencies]" && ours && !may.contains(&key) {
                report.add(&path, number + 1, format!("`{name}` may not depend on `{key}`"));
            }
        }
    }
}

/// The crates whose public types other programs and the commands use by name.
const LIBRARIES: &[&str] = &[
    "session",
    "meaning",
    "replay",
    "formats",
    "redact",
    "evidence",
    "catalog",
    "views",
    "store",
    "archive",
    "index",
    "operations",
];
/// Type name that each crate may use for a type of its own, by convention.
const PER_CRATE: &str = "Error";

/// A name of a public type has one meaning in all libraries.
pub(crate) fn type_names(tree: &Tree, report: &mut Report) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for library in LIBRARIES {
        for (file, tokens) in tree.code(&format!("crates/{library}/src/")) {
            for words in tokens.windows(3) {
                let [Some("pub"), Some(what), Some(name)] = [0, 1, 2].map(|at| words[at].ident())
                else {
                    continue;
                };
                if !["struct", "enum", "trait", "type"].contains(&what) || name == PER_CRATE {
                    continue;
                }
                if let Some(other) = first.insert(name, &file.path) {
                    let what = format!("`{name}` is a public type of {other} too: rename one");
                    report.add(&file.path, words[2].line, what);
                }
            }
        }
    }
}
