//! Conformance suite through the catalog: the type of each file is detected, and the verdict is
//! that of the suite, by the corrected schema and by the draft's text.

use catalog::Catalog;
use formats::{Candidate, Detected};
use serde_json::Value;
use verbatim_operations::validate::{Wanted, validate};

fn unhex(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[test]
fn every_case_gets_its_verdict_whatever_it_looks_like() {
    let catalog = Catalog::here();
    let folder = samples::workspace().join("schemas/conformance");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in ["record.jsonl", "subtle.jsonl", "envelope.jsonl"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("published");
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("a case");
            let (name, bytes) = match (case["json"].as_str(), case["cbor"].as_str()) {
                (Some(json), _) => ("case.json", json.as_bytes().to_vec()),
                (_, Some(hex)) => ("case.cbor", unhex(hex)),
                _ => panic!("neither JSON nor CBOR: {case}"),
            };
            for (draft, expected) in [(false, &case["default"]), (true, &case["draft"])] {
                let wanted = Wanted { draft, ..Wanted::default() };
                let verdict = validate(&catalog, name, bytes.clone().into(), wanted);
                count += 1;
                match verdict {
                    Ok(judged) if Some(judged.ok()) == expected.as_bool() => {}
                    Ok(judged) => wrong.push(format!("{}: {}", case["id"], judged.what)),
                    Err(error) => wrong.push(format!("{}: {error}", case["id"])),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each rule of an agent's own documentation is broken once: the verdict names the rule, and a
/// recommendation alone leaves the file valid.
#[test]
fn the_rules_that_an_agent_states_are_held() {
    let catalog = Catalog::here();
    let good = r#"{"role":"user","content":"x","timestamp":"2026-01-11T22:00:00Z"}"#;
    let cases = [
        (good.to_owned(), None, true),
        (good.replace("user", "tool"), Some("`role` is one of"), false),
        (good.replace("\"x\"", "\"\""), Some("`content` is a string that is not empty"), false),
        (good.replace("\"x\"", "null"), Some("`content` is a string that is not empty"), false),
        (good.replace("\"x\"", "[]"), Some("`content` is a string that is not empty"), false),
        (good.replace("2026-01-11T22", "yesterday"), Some("`timestamp` is an ISO 8601"), false),
        (r#"{"role":"user","content":"x"}"#.to_owned(), Some("`timestamp` is recommended"), true),
        (r#"{"said":"x"}"#.to_owned(), Some("a line is a message with"), false),
        (r#"{"role":"#.to_owned(), Some("a line is one JSON object"), false),
    ];
    for (line, rule, ok) in cases {
        let text = format!("{good}\n{line}\n").into_bytes();
        for format in [None, Some("sage")] {
            let wanted = Wanted { format, ..Wanted::default() };
            let judged =
                validate(&catalog, "-srv-/conversation.jsonl", text.clone().into(), wanted);
            let judged = judged.expect("a session");
            assert_eq!(judged.what, "a session of sage");
            assert_eq!(judged.ok(), ok, "{line}: {:?}", judged.problems);
            let said = judged.problems.iter().find(|problem| {
                problem.place == "line 2" && rule.is_some_and(|rule| problem.rule.starts_with(rule))
            });
            assert_eq!(said.is_some(), rule.is_some(), "{line}: {:?}", judged.problems);
        }
    }
}

/// Documents after a byte order mark: both are recognized and read, and neither is valid (RFC 8259,
/// section 8.1).
#[test]
fn a_document_behind_a_byte_order_mark_is_known_and_not_valid() {
    let catalog = Catalog::here();
    for name in ["vac", "stead"] {
        let golden = format!("crates/formats/goldens/sage/caller-1.{name}.json");
        let golden = std::fs::read(samples::workspace().join(golden)).unwrap();
        let marked = [b"\xef\xbb\xbf".as_slice(), &golden].concat();
        let file = Candidate::of("a.json", &marked);
        let detected = formats::detect(formats::ALL, None, &file);
        assert!(matches!(detected, Detected::Part { format, .. } if format.name() == name));
        let judged = validate(&catalog, "a.json", marked.into(), Wanted::default()).unwrap();
        assert!(!judged.ok(), "{name}");
        assert!(judged.problems[0].hint.contains("a byte order mark"), "{:?}", judged.problems);
    }
}
