//! Says which beginnings of credentials public lists have and these rules do not:
//! `cargo run -p verbatim-redact --example newer_beginnings -- LIST...`.
//!
//! A list is a file of rules in the form of gitleaks and betterleaks (`.toml`), or lines that each
//! begin with one beginning. Fetch the newest ones first; nothing here uses the network. For each
//! beginning that is really new, add a rule to `rules/vendors.rules` with the provider's own
//! document as its source; `UPDATE=1 cargo test -p verbatim-redact --test beginnings` then renews
//! `rules/beginnings.list`.

#[path = "../tests/beginnings/extract.rs"]
mod extract;

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;

use extract::beginnings;
use toml::Table;

const OURS: &str = include_str!("../rules/beginnings.list");

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        return Err("name files with public lists of rules".into());
    }
    let ours: Vec<&str> = OURS.lines().filter(|line| !line.starts_with('#')).collect();
    let ours: Vec<&str> = ours.iter().filter_map(|line| line.split(' ').next()).collect();
    let mut out = std::io::stdout().lock();
    for path in &paths {
        let theirs = list(path, &std::fs::read_to_string(path)?)?;
        let is_ours = |one: &str| ours.iter().any(|of| one.starts_with(of) || of.starts_with(one));
        let newer: Vec<_> = theirs.iter().filter(|(_, one)| !is_ours(one)).collect();
        for (rule, one) in &newer {
            writeln!(out, "{one} ({rule})")?;
        }
        writeln!(out, "{path}: {} of {} beginnings are new\n", newer.len(), theirs.len())?;
    }
    Ok(())
}

/// The beginnings of a list, each with the name of its rule.
fn list(path: &str, text: &str) -> Result<BTreeSet<(String, String)>, Box<dyn Error>> {
    if !path.ends_with(".toml") {
        let words = text.lines().filter_map(|line| line.split_whitespace().next());
        let words = words.filter(|word| word.len() > 2 && !word.starts_with('#'));
        return Ok(words.map(|word| ("a line".to_owned(), word.to_owned())).collect());
    }
    let table: Table = text.parse()?;
    let rules = table.get("rules").and_then(|rules| rules.as_array());
    let rules = rules.ok_or("the file has no rules in the form of gitleaks")?;
    let word = |rule: &toml::Value, name: &str| {
        rule.get(name).and_then(|word| word.as_str()).unwrap_or_default().to_owned()
    };
    let all = rules.iter().flat_map(|rule| {
        let found = beginnings(&word(rule, "regex"));
        found.into_iter().map(|(one, _)| (word(rule, "id"), one)).collect::<Vec<_>>()
    });
    Ok(all.collect())
}
