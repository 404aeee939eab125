//! The rules of providers' tokens are those of a public set, converted: `UPDATE=1` renews them.
//! Skipped, visibly, where the public set is not there.

use std::fmt::Write as _;

use regex::Regex;
use verbatim_redact::rules::Rules;

const HEAD: &str = "\
# Rules for tokens of providers, converted from betterleaks' config/betterleaks.toml (MIT, see
# LICENSE-betterleaks), commit 6381fa45ae946c588e2e1334d8396a15e5171ad6 of 2026-07-23, by
# tests/providers.rs. Left out: rules that only report a part of another finding (`skipReport`),
# rules by a file's name alone, the generic rules and the one for private keys (agents.rules has
# ours), and conditions on a file's path. Widened: the signs that may stand around a value.
";

/// Signs behind a value and before one, and those of texts that people write to each other, and of
/// programs.
const AROUND: [(&str, &str); 2] = [
    (r#"(?:\\?['"\x60]|[\s;]|\\[nr]|$)"#, r#"(?:\\?['"\x60]|[\s;,*)\]}<>|&+]|\.\s|\\[nr]|$)"#),
    (r#"[\x60'"\s=]{0,5}"#, r#"[\x60'"\s=(\[*]{0,6}"#),
];

/// Rules that agents.rules replaces.
const OURS: &[&str] = &[
    "box-api-access-token",
    "generic-api-key",
    "hashicorp-tf-password",
    "kubernetes-secret-yaml",
    "private-key",
];

/// Words of the global filter that would take too much.
fn never(filter: &str) -> Vec<String> {
    lists(filter, "matchesAny").into_iter().flat_map(|(_, _, items)| items).collect()
}

/// The lists of a filter's function: whether it is negated, what it looks at, and its items.
fn lists(filter: &str, function: &str) -> Vec<(bool, String, Vec<String>)> {
    let call = format!(
        concat!(
            r#"(?s)(!?)(?:filter\.)?{function}\(finding\["(\w+)"\],\s*\[(.*?)\]\s*\)"#,
            r#"(?:\s*\)|\s*\|\||\s*&&|\s*$)"#
        ),
        function = function
    );
    let call = Regex::new(&call).expect("a pattern");
    let item = Regex::new(r#"(?s)`([^`]*)`|"((?:[^"\\]|\\.)*)""#).expect("a pattern");
    let mut found = Vec::new();
    for list in call.captures_iter(filter) {
        let items = item.captures_iter(&list[3]).map(|item| {
            let plain = item.get(1).map(|text| text.as_str().to_owned());
            plain.unwrap_or_else(|| item[2].replace("\\\\", "\\").replace("\\\"", "\""))
        });
        found.push((&list[1] == "!", list[2].to_owned(), items.collect()));
    }
    found
}

/// A pattern in which a brace that begins no repetition is escaped: the other engine takes it as
/// it is.
fn portable(pattern: &str) -> String {
    let repetition = Regex::new(r"^\{[0-9]+(?:,[0-9]*)?\}").expect("a pattern");
    let mut out = String::new();
    let (mut escaped, mut in_class) = (false, false);
    for (at, letter) in pattern.char_indices() {
        let literal = letter == '{' && !escaped && !in_class;
        if literal && !repetition.is_match(&pattern[at..]) {
            out.push('\\');
        }
        in_class = !escaped && ((in_class && letter != ']') || (!in_class && letter == '['));
        escaped = !escaped && letter == '\\';
        out.push(letter);
    }
    out
}

fn class(id: &str) -> &'static str {
    let has = |word: &str| id.contains(word);
    match id {
        _ if has("jwt") => "jwt",
        _ if has("webhook") => "webhook",
        _ if has("connection-string") => "connection",
        _ if has("password") => "password",
        _ if has("curl-auth") => "header",
        _ if has("private-key") || has("secret-key") && has("age") => "private-key",
        _ => "provider-token",
    }
}

/// The least length of a value that is one word, if it is so long that it has a digit but for one
/// value in a thousand.
fn run(find: &str) -> Option<usize> {
    let groups = Regex::new(r"(?:^|[^\\])\([^?]").expect("one").find_iter(find).count();
    let word = r"\([A-Za-z0-9_-]*\[([A-Za-z0-9+/_=.~\\-]+)\]\{([0-9]+)(?:,[0-9]*)?\}={0,2}\)";
    let word = Regex::new(word).expect("one").captures(find).filter(|_| groups == 1)?;
    let length: usize = word[2].parse().expect("a number");
    let least = match word[1].replace("0-9", "") {
        letters if letters.len() == word[1].len() => return None,
        letters if ["a-f", "A-F", "a-fA-F", "A-Fa-f"].contains(&&*letters) => 20,
        letters if !letters.contains("A-Z") && !find.contains("(?i") => 24,
        _ => 40,
    };
    (length >= least).then_some(length)
}

fn rule(rule: &toml::Table, out: &mut String) {
    let text = |name: &str| rule.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let id = text("id");
    if OURS.contains(&id) || rule.contains_key("skipReport") || text("regex").is_empty() {
        return;
    }
    let keys = rule["keywords"].as_array().expect("keywords");
    // A space ends a word of the list.
    let keys = keys.iter().filter_map(|key| Some(key.as_str()?.replace(' ', "\\s")));
    let keys: Vec<String> = keys.collect();
    writeln!(out, "\nrule {id}\nclass {}\nkeys {}", class(id), keys.join(" ")).expect("memory");
    let find = AROUND.iter().fold(text("regex").to_owned(), |find, (of, to)| find.replace(of, to));
    writeln!(out, "find {find}").expect("memory");
    let filter = text("filter");
    let entropy = Regex::new(r#"entropy\(finding\["secret"\]\)\s*<=?\s*([0-9.]+)"#).expect("one");
    if let Some(least) = entropy.captures(filter) {
        writeln!(out, "entropy {}", &least[1]).expect("memory");
    }
    if let Some(least) = run(&find) {
        writeln!(out, "run {least}").expect("memory");
    }
    for (negated, of, items) in lists(filter, "matchesAny") {
        let word = match (negated, &*of) {
            (true, _) => "must",
            (false, "secret") => "not",
            (false, _) => "not-match",
        };
        for item in items {
            writeln!(out, "{word} {}", portable(&item)).expect("memory");
        }
    }
    for (_, _, items) in lists(filter, "containsAny") {
        let items: Vec<String> = items.iter().map(|item| item.to_lowercase()).collect();
        writeln!(out, "stop {}", items.join(" ")).expect("memory");
    }
}

#[test]
fn the_rules_of_providers_are_the_public_ones() {
    let source = samples::shared("vectors/secrets/rules/betterleaks.toml");
    let Some(source) = source.filter(|path| path.exists()) else { return };
    let source: toml::Table =
        std::fs::read_to_string(source).expect("readable").parse().expect("TOML");
    let mut text = HEAD.to_owned();
    for pattern in never(source["filter"].as_str().expect("a filter")) {
        writeln!(text, "never {}", portable(&pattern)).expect("memory");
    }
    for table in source["rules"].as_array().expect("rules") {
        rule(table.as_table().expect("a rule"), &mut text);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/providers.rules");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &text).expect("writable");
    }
    let shipped = std::fs::read_to_string(path).expect("there");
    assert!(text == shipped, "they differ: UPDATE=1 renews them");
    let rules = Rules::load(&[("providers.rules", &text)]).expect("valid");
    assert!(rules.iter().len() > 350, "{} rules", rules.iter().len());
}
