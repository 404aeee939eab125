//! The beginnings of credentials that a glance goes by are those of the rules' patterns:
//! `UPDATE=1` renews the list.

#[path = "beginnings/extract.rs"]
mod extract;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use extract::beginnings;

const HEAD: &str = "\
# The beginnings of providers' credentials and the least length of a whole one, of the patterns in
# providers.rules, agents.rules and vendors.rules, by tests/beginnings.rs.
";

/// Whether a beginning tells a credential to a glance, which has no other condition: `prod-` and
/// `ak_` begin other words too.
fn is_telling(beginning: &str) -> bool {
    let is_sign = |byte: u8| byte == b'_' || byte.is_ascii_digit();
    beginning.len() >= 8 || (beginning.len() >= 4 && beginning.bytes().any(is_sign))
}

#[test]
fn the_list_is_that_of_the_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
    for file in ["providers.rules", "agents.rules", "vendors.rules"] {
        let text = std::fs::read_to_string(folder.join(file)).expect(file);
        for rule in text.split("\nrule ").skip(1) {
            let line = |word: &str| rule.lines().find_map(|line| line.strip_prefix(word));
            let is_shape = line("generic").is_none() && line("class provider-token").is_some();
            for (beginning, length) in
                line("find ").filter(|_| is_shape).iter().flat_map(|find| beginnings(find))
            {
                if file == "vendors.rules" && !is_telling(&beginning) {
                    continue;
                }
                let least = lengths.entry(beginning).or_insert(length);
                *least = (*least).min(length);
            }
        }
    }
    let mut list = HEAD.to_owned();
    for (beginning, length) in &lengths {
        writeln!(list, "{beginning} {length}").expect("a text");
    }
    let path = folder.join("beginnings.list");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &list).expect("written");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), list, "`UPDATE=1` renews it");
    assert!(lengths.len() > 100 && lengths.contains_key("ghp_"), "{}", lengths.len());
}
