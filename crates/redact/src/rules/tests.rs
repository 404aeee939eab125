//! Tests of the rules' engine.

use super::*;

fn rules(text: &str) -> Rules {
    Rules::load(&[("test.rules", text)]).expect("valid")
}

fn found(rules: &Rules, text: &str) -> Vec<(String, String)> {
    let mut hits = Vec::new();
    rules.find(text.as_bytes(), &mut hits).expect("patterns");
    let hit =
        |hit: &Hit| (rules.rule(hit.rule).id.to_string(), text[hit.start..hit.end].to_owned());
    hits.iter().map(hit).collect()
}

fn windows(rules: &Rules, text: &[u8]) -> BTreeMap<RuleIx, Vec<Range<usize>>> {
    let mut keywords = Vec::new();
    rules.keywords(text, &mut keywords);
    rules.windows(text, &keywords, &|_| true)
}

const ONE: &str = "\
rule one
class password
keys word
find word=(\\w+)(!?)
entropy 1
not ^no
stop stop
";

#[test]
fn the_conditions_of_a_rule_hold() {
    let rules = rules(ONE);
    let text = "word=abc word=nothing WORD=x word=aaaa word=unstopped word=def!";
    let texts: Vec<String> = found(&rules, text).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["abc", "def"]);
}

#[test]
fn a_damaged_file_is_refused_with_its_line() {
    for (text, why) in [
        ("class password", "test.rules: line 1: a rule begins with `rule NAME`"),
        ("rule a\nclass x", "test.rules: line 2: no class is `x`"),
        ("rule a\nbroken", "test.rules: line 2: `broken` is no word of a rule"),
        ("rule a\nentropy x", "test.rules: line 2: `x` is no number"),
        ("rule a\nkeys k", "rule a: it needs `keys` and `find`"),
    ] {
        let error = Rules::load(&[("test.rules", text)]).expect_err("damaged");
        assert_eq!(error.to_string(), why);
    }
    let rules = rules("rule a\nkeys k\nfind (");
    let error = rules.find(b"k", &mut Vec::new()).expect_err("no pattern");
    assert!(error.to_string().starts_with("rule a: "), "{error}");
}

#[test]
fn windows_of_a_rule_are_merged() {
    let rules = rules("rule a\nkeys ab\nfind ab\nwindow 2 3");
    let windows = windows(&rules, b"..ab...ab..............ab");
    let windows: Vec<_> = windows.into_values().collect();
    assert_eq!(windows, [vec![0..12, 21..25]]);
    assert_eq!(found(&rules, "abab ab").len(), 3);
}

#[test]
fn every_shipped_pattern_can_be_used() {
    let rules = Rules::shipped().expect("shipped");
    for rule in rules.iter() {
        rule.compiled().unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(rules.never.holds(b"null").expect("patterns"));
    assert_eq!(rules.version().len(), 16);
}

#[test]
fn capitals_of_a_keyword_count_where_those_of_the_pattern_do() {
    let exact = rules("rule one\nclass password\nkeys AK\nfind AK[0-9]{4}\n");
    assert_eq!(found(&exact, "AK1234 ak1234").len(), 1);
    assert!(windows(&exact, b"ak1234").is_empty());
    let any = rules("rule one\nclass password\nkeys AK\nfind (?i)AK[0-9]{4}\n");
    assert_eq!(found(&any, "AK1234 .. ak1234").len(), 2);
}

#[test]
fn a_rule_that_needs_a_word_looks_where_one_is() {
    let text =
        "rule one\nclass password\nkeys word\nfind word ([a-z0-9]{8,})\nrun 8\nwindow 4 20\n";
    let rules = rules(text);
    assert_eq!(found(&rules, "word abcdefg1").len(), 1);
    assert!(windows(&rules, b"word abcdefgh and 1234567 more").is_empty());
}

#[test]
fn a_rule_looks_where_its_signs_and_values_are() {
    let signs = rules("rule one\nclass password\nkeys word word=\nfind word=([a-z]+)\nsign 2 =\n");
    assert_eq!(found(&signs, "word=abc").len(), 1);
    assert!(windows(&signs, b"a word and more = 1").is_empty());
    let near = rules("rule one\nclass password\nkeys word\nfind word ([a-z]{8,})\nnear 4 8\n");
    assert_eq!(found(&near, "word abcdefgh").len(), 1);
    assert!(windows(&near, b"a word of the many abcdefgh").is_empty());
    assert!(Rules::load(&[("test.rules", "rule one\nkeys a\nfind a\nsign 2\n")]).is_err());
}
