//! Layers of a crate: `crates/tidy/layers.md` declares them, and imports point downwards.
//!
//! A block of that document that begins with ```` ```layers NAME ```` lists the modules of the
//! crate, one layer per line, the lowest first. A module may use the layers below its own. An
//! unlisted module belongs to the nearest listed folder above it. If the files of a folder are
//! listed one by one, its head (`mod.rs`) is in the layer of the highest of them.

use std::collections::BTreeSet;

use crate::syntax::Token;
use crate::{Report, Tree};

/// The document that declares the layers.
const DOCUMENT: &str = "crates/tidy/layers.md";

/// The layers of one crate.
struct Layers<'t> {
    /// The name of its folder in `crates/`.
    krate: &'t str,
    /// The modules of each layer with their lines in the document, the lowest layer first.
    layers: Vec<Vec<(&'t str, usize)>>,
}

/// Position of a module: its layer, and its entry in the document.
#[derive(Clone, Copy, PartialEq)]
struct Place<'l> {
    layer: usize,
    entry: &'l str,
}

/// Every import of a crate with declared layers points downwards.
pub(crate) fn layers(tree: &Tree, report: &mut Report) {
    for declared in declared(tree.text(DOCUMENT).unwrap_or_default()) {
        declared.check(tree, report);
    }
}

/// The blocks of the document.
fn declared(text: &str) -> Vec<Layers<'_>> {
    let mut all: Vec<Layers<'_>> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(krate) = line.strip_prefix("```layers ") {
            all.push(Layers { krate: krate.trim(), layers: Vec::new() });
            inside = true;
        } else if line.starts_with("```") {
            inside = false;
        } else if let Some(last) = all.last_mut().filter(|_| inside) {
            let modules: Vec<_> = line.split_whitespace().map(|name| (name, number + 1)).collect();
            last.layers.extend((!modules.is_empty()).then_some(modules));
        }
    }
    all
}

impl Layers<'_> {
    fn check(&self, tree: &Tree, report: &mut Report) {
        let source = format!("crates/{}/src/", self.krate);
        let modules: BTreeSet<String> =
            tree.files.iter().filter_map(|file| module(file.path.strip_prefix(&source)?)).collect();
        for (entry, line) in self.layers.iter().flatten() {
            let is_below = |module: &String| is_in(module, entry);
            if !modules.iter().any(is_below) {
                report.add(DOCUMENT, *line, format!("{} has no module `{entry}`", self.krate));
            }
        }
        for (file, tokens) in tree.code(&source) {
            let Some(own) = file.path.strip_prefix(&source).and_then(module) else { continue };
            let Some(from) = self.place(&own) else {
                let what = format!("`{own}` is in no layer of {DOCUMENT}: say where it belongs");
                report.add(&file.path, 0, what);
                continue;
            };
            for (path, line) in paths(&tokens, &own) {
                if let Some(what) = self.fault(&own, from, &path, &modules) {
                    report.add(&file.path, line, what);
                }
            }
        }
    }

    /// The longest entry that contains a module; otherwise, for the head of a folder, the highest
    /// entry below it.
    fn place(&self, module: &str) -> Option<Place<'_>> {
        let layers = self.layers.iter().enumerate();
        let entries = layers
            .flat_map(|(layer, all)| all.iter().map(move |(entry, _)| Place { layer, entry }));
        let above = entries.clone().filter(|place| is_in(module, place.entry));
        let below = entries.filter(|place| is_in(place.entry, module));
        above.max_by_key(|place| place.entry.len()).or(below.max_by_key(|place| place.layer))
    }

    /// The rule that a path of a module violates.
    fn fault(
        &self,
        own: &str,
        from: Place<'_>,
        path: &[String],
        modules: &BTreeSet<String>,
    ) -> Option<String> {
        let prefixes = (1..=path.len()).rev().map(|count| path[..count].join("/"));
        let Some(target) = prefixes.into_iter().find(|module| modules.contains(module)) else {
            let item = path.join("::");
            return Some(format!("`crate::{item}` hides its module: name the module"));
        };
        let to = self.place(&target)?;
        if to == from || to.layer < from.layer || is_in(&target, own) {
            return None;
        }
        let relation = if to.layer == from.layer { "is beside it" } else { "is above it" };
        Some(format!("`{own}` uses `{target}`, which {relation} in the layers of {DOCUMENT}"))
    }
}

/// Whether a module is this one or in its folder.
fn is_in(module: &str, folder: &str) -> bool {
    module.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The module of a file: `a/b` for `a/b.rs` and `a/b/mod.rs`; `None` for the crate's root.
fn module(file: &str) -> Option<String> {
    let name = file.strip_suffix(".rs")?;
    let name = name.strip_suffix("/mod").unwrap_or(name);
    (!matches!(name, "lib" | "main")).then(|| name.to_owned())
}

/// The paths of a file that begin with `crate`, `self` or `super`, from the crate's root, each with
/// its line.
fn paths(tokens: &[&Token], module: &str) -> Vec<(Vec<String>, usize)> {
    let mut paths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        // `$crate` in a macro is not a path of this module.
        let inner = at > 0 && (tokens[at - 1].is(':') || tokens[at - 1].is('$'));
        let parts = || module.split('/').map(str::to_owned);
        let base: Vec<String> = match token.ident() {
            Some("crate") => Vec::new(),
            Some("self") => parts().collect(),
            Some("super") => parts().take(parts().count() - 1).collect(),
            _ => continue,
        };
        if !inner && is_separator(tokens, at + 1) {
            let mut found = Vec::new();
            branches(tokens, at + 3, base, &mut found);
            paths.extend(found.into_iter().map(|path| (path, token.line)));
        }
    }
    paths
}

/// Whether `::` begins here.
fn is_separator(tokens: &[&Token], at: usize) -> bool {
    tokens.get(at..at + 2).is_some_and(|pair| pair.iter().all(|token| token.is(':')))
}

/// The paths of a tree of imports that begins at `at`. Returns the position after it.
fn branches(
    tokens: &[&Token],
    mut at: usize,
    mut path: Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    while let Some(token) = tokens.get(at) {
        if token.is('{') {
            at += 1;
            while tokens.get(at).is_some_and(|token| token.kind != crate::Kind::Close) {
                at = branches(tokens, at, path.clone(), found);
                let ends = |token: &&Token| token.is(',') || token.kind == crate::Kind::Close;
                at += tokens[at..].iter().take_while(|token| !ends(token)).count();
                at += usize::from(tokens.get(at).is_some_and(|token| token.is(',')));
            }
            return at + 1;
        }
        match token.ident() {
            Some("super") => drop(path.pop()),
            Some("self") => {}
            Some(name) => path.push(name.to_owned()),
            None => break,
        }
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    found.push(path);
    at
}
