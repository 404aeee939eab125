//! Patterns: words, expressions, the bytes before parsing.

use super::*;

fn words(all: &[&str]) -> Pattern {
    Pattern::words(&all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn words_and_phrases_are_found_in_text() {
    let pattern = words(&["paint", "green door"]);
    assert!(pattern.is_in("The Green\n  door: PAINT it"));
    assert_eq!(pattern.first("The Green\n  door: PAINT it"), Some(4));
    assert_eq!(pattern.first("The green door"), None);
    assert_eq!(pattern.marks("a green door").first(), Some(&(2..12)));
    assert!(!words(&["Paint"]).is_in("paint"), "a capital letter makes case count");
    assert!(!words(&["a.b"]).is_in("axb"));
    assert!(Pattern::words(&[" ".into()]).is_err());
}

#[test]
fn escaped_text_passes_the_sieve() {
    for (word, raw) in [
        ("für", r#"{"text":"f\u00fcr"}"#),
        ("FÜR", r#"{"text":"F\u00DCR"}"#),
        ("für", r#"{"arguments":"{\"a\":\"f\\u00fcr\"}"}"#),
        ("für", r#"{"text":"FÜR"}"#),
        ("say \"hi\"", r#"{"arguments":"{\"a\":\"say \\\"hi\\\"\"}"}"#),
        ("two words", r#"{"text":"two\n\twords"}"#),
        ("a/b", r#"{"text":"a\/b"}"#),
        (r"a\b", r#"{"text":"a\\b"}"#),
        ("<b>", r#"{"text":"\u003cb\u003E"}"#),
        ("😀", r#"{"text":"\ud83d\uDE00"}"#),
        ("door", r#"{"text":"d\u006for"}"#),
    ] {
        assert!(words(&[word]).may_be_in(raw.as_bytes()), "{word} in {raw}");
    }
    assert!(!words(&["door"]).may_be_in(br#"{"text":"\u003cdor \u001b"}"#));
    assert!(!words(&["door", "green"]).may_be_in(b"door"));
}

#[test]
fn a_letter_and_its_marks_are_found_as_one_character_and_as_several() {
    let (one, two) = ("Le Caf\u{e9} noir", "Le Cafe\u{301} noir");
    for typed in ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9} no"] {
        let pattern = words(&[typed]);
        assert_eq!(pattern.first(one), Some(3), "{typed}");
        assert_eq!(pattern.first(two), Some(3), "{typed}");
        for text in [one, two] {
            assert!(pattern.may_be_in(text.as_bytes()), "{typed} in {text}");
        }
        for raw in [r"Caf\u00e9 no", r"Cafe\u0301 no", r"Cafe\\u0301 no"] {
            assert!(pattern.may_be_in(raw.as_bytes()), "{typed} in {raw}");
        }
        assert!(!pattern.may_be_in("a cafe noir".as_bytes()), "{typed}");
    }
    let mark = words(&["caf\u{e9}"]).marks(two)[0].clone();
    assert_eq!(&two[mark], "Cafe\u{301}");
    let pattern = Pattern::expression("caf[\u{e9}\u{e8}]").unwrap();
    assert!(pattern.is_in(two) && pattern.may_be_in(two.as_bytes()));
    // What was found before is found as before: a letter without its mark.
    assert!(words(&["cafe"]).is_in(two) && !words(&["cafe"]).is_in(one));
    let both = words(&["caf\u{e9}", "noir"]);
    assert!(both.is_in(two) && !both.is_in("Cafe\u{301}"));
}

#[test]
fn an_expression_has_a_literal_that_it_requires() {
    assert_eq!(literal(r"fix(ed)?\s+parser\d*").as_deref(), Some("parser"));
    assert_eq!(literal(r"(a|b)+"), None);
    assert_eq!(literal(r"colou?r"), Some("colo".into()));
    let fault = |text| Pattern::expression(text).unwrap_err();
    assert_eq!(fault("ab(c"), "unclosed group, at character 3");
    assert_eq!(fault("a{2"), "unclosed counted repetition, at character 2");
    assert_eq!(fault(r"\p{No}\p{Nope}"), "Unicode property not found, at character 7");
    let pattern = Pattern::expression(r"err\w+ \d+").unwrap();
    assert!(pattern.is_in("ERROR 42") && !pattern.may_be_in(b"nothing"));
    assert!(Pattern::expression(r"\W").unwrap().may_be_in(b""));
}

#[test]
fn any_character_may_be_written_as_an_escape() {
    let words = |word: &str| Pattern::words(&[word.to_owned()]).unwrap();
    for (word, raw) in [
        ("a=b", r"a\u003db"),
        ("a=b", r"a\u003Db"),
        ("x<y", r"x\u003Cy"),
        ("p/q", r"p\u002fq"),
        ("one-two", r"one\\u002Dtwo"),
        ("f(x)", r"f\u0028x\u0029"),
    ] {
        assert!(words(word).may_be_in(raw.as_bytes()), "{word}: {raw}");
        assert!(!words(word).may_be_in(b"something else"), "{word}");
    }
    let many: Vec<String> = (0..=WORDS).map(|number| number.to_string()).collect();
    assert!(Pattern::words(&many).is_err() && Pattern::words(&many[1..]).is_ok());
    assert!(Pattern::words(&["x".repeat(LENGTH + 1)]).is_err());
}

/// A text of equal letters costs its length, not that times the words: with expressions alone,
/// this test takes minutes.
#[test]
fn long_and_repeated_words_cost_the_length_of_the_text() {
    let text = "a".repeat(500_000);
    let long = "a".repeat(LENGTH);
    let pattern = words(&[&long]);
    assert_eq!((pattern.first(&text), pattern.marks(&text).len()), (Some(0), 50));
    assert!(pattern.may_be_in(text.as_bytes()));
    let almost = words(&[&format!("{}b", "a".repeat(LENGTH - 1))]);
    assert_eq!((almost.first(&text), almost.may_be_in(b"{}")), (None, false));
    let many: Vec<String> = (1..=90).map(|count| "a".repeat(count)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain(["a"; 10]).collect();
    assert_eq!(words(&many).first(&text), Some(0));
    assert_eq!(words(&["a", "a"]).marks("a a").len(), 2, "each place is marked once");
}

/// A word is longer than what two pieces of a file have in common.
#[test]
fn a_long_word_passes_the_sieve_wherever_a_piece_ends() {
    let word = "keel".repeat(LENGTH / 4);
    let pattern = words(&[&word]);
    let raw = format!("{{\"text\":\"{word}\"}}");
    for end in [20, 500, 5000] {
        let mut sieve = pattern.sieve();
        let (first, begin) = (&raw.as_bytes()[..end], end.saturating_sub(OVERLAP));
        sieve.feed(first);
        sieve.feed(&raw.as_bytes()[begin..begin + 6000]);
        assert!(sieve.passes(), "{end}");
    }
}
