//! Rules on native names: an agent's names stay in its folder, and there in tables.

use std::collections::BTreeSet;

use crate::prose::parts;
use crate::syntax::{Kind, Token};
use crate::{Report, Tree};

/// The folder of the agents' formats.
const AGENTS: &str = "crates/formats/src/agents";

/// The folder of the documents: formats of no agent, which any code may name.
const DOCUMENTS: &str = "crates/formats/src/documents";

/// The files outside the format folders that name every format.
const REGISTRY: &[&str] = &["crates/formats/src/agents/mod.rs", "crates/formats/src/registry.rs"];

/// The files of every format folder. A document has no `locate.rs`.
const NAMES: &[&str] = &["mod.rs", "map.rs", "locate.rs", "FORMAT.md", "samples"];

/// Names of `serde_json` that parse JSON into its own values.
const READS: &[&str] =
    &["Value", "Map", "json", "from_slice", "from_str", "from_reader", "Deserializer"];

/// The folders of formats in one of these folders.
fn folders<'t>(tree: &'t Tree, kind: &str) -> BTreeSet<&'t str> {
    let is_folder = |name: &&str| tree.has(&format!("{kind}/{name}/mod.rs"));
    tree.names_under(kind).into_iter().filter(is_folder).collect()
}

/// Every format folder has the same files.
pub(crate) fn format_files(tree: &Tree, report: &mut Report) {
    for kind in [AGENTS, DOCUMENTS] {
        for folder in folders(tree, kind) {
            let asked = |name: &&&str| kind == AGENTS || **name != "locate.rs";
            for name in NAMES.iter().filter(asked) {
                let path = format!("{kind}/{folder}/{name}");
                if !tree.has(&path) {
                    report.add(&path, 0, "missing: every format folder has the same files");
                }
            }
        }
    }
}

/// Code names an agent only in that agent's folder and in the registry. Documentation and tests may
/// name it. Code may use the word `cursor`, because it also means a position in a text.
pub(crate) fn agent_names(tree: &Tree, report: &mut Report) {
    let agents = folders(tree, AGENTS);
    let names: Vec<&str> =
        agents.iter().map(|folder| folder.split('_').next().unwrap_or(folder)).collect();
    for (file, tokens) in tree.code("crates/") {
        if REGISTRY.contains(&file.path.as_str()) || file.path.starts_with("crates/tidy/") {
            continue;
        }
        let home = file.path.strip_prefix(AGENTS).map_or("", |p| p.trim_start_matches('/'));
        let own = home.split(['_', '/']).next().unwrap_or_default();
        for (token, name) in tokens.iter().flat_map(|t| named(t, &names).map(move |n| (t, n))) {
            if name != own {
                report.add(&file.path, token.line, format!("names the agent `{name}`"));
            }
        }
    }
}

fn named<'n>(token: &Token, names: &[&'n str]) -> Option<&'n str> {
    let (text, in_code) = match &token.kind {
        Kind::Ident(name) => (name, true),
        Kind::Text(text) => (text, false),
        _ => return None,
    };
    let parts = parts(text);
    let says = |name: &&&str| parts.iter().any(|part| part == **name);
    names.iter().filter(|name| !(in_code && **name == "cursor")).find(says).copied()
}

/// Readers never look up a literal name, and never parse JSON into `serde_json`'s values.
pub(crate) fn lookups(tree: &Tree, report: &mut Report) {
    let readers = ["crates/session/src/", "crates/formats/src/"];
    for (file, tokens) in readers.into_iter().flat_map(|folder| tree.code(folder)) {
        for at in 0..tokens.len() {
            let rest = &tokens[at..];
            if let Some(what) = literal_lookup(rest).or_else(|| serde_value(rest)) {
                report.add(&file.path, rest[0].line, what);
            }
        }
    }
}

/// Finds the lookup of a literal name: `.get("name"`.
fn literal_lookup(tokens: &[&Token]) -> Option<String> {
    let [dot, get, open, key, ..] = tokens else { return None };
    let Kind::Text(key) = &key.kind else { return None };
    let is = dot.is('.') && get.ident() == Some("get") && open.is('(');
    is.then(|| format!("`.get({key}`: the name belongs in a table"))
}

/// Finds uses of `serde_json::Value`, also in a list of imports, and the functions that parse into
/// it. Another name for `serde_json` is found too, because it would hide them.
fn serde_value(tokens: &[&Token]) -> Option<String> {
    let [name, after, rest @ ..] = tokens else { return None };
    if name.ident() != Some("serde_json") {
        return None;
    }
    let renamed = after.ident() == Some("as");
    let [_, first, list @ ..] = rest else { return None };
    let reads = |token: &&&Token| token.ident().is_some_and(|word| READS.contains(&word));
    let found = match first.is('{') {
        true => list.iter().take_while(|token| token.kind != Kind::Mark(';')).find(reads),
        false => [first].into_iter().find(reads),
    };
    let what = found.and_then(|token| token.ident()).or(renamed.then_some("as"))?;
    Some(format!("`serde_json` .. `{what}`: read with the session's own labels"))
}
