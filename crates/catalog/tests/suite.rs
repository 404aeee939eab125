//! The conformance suite through the front door: what a file is is found out, and the verdict is
//! that of the suite, by our schema and by the draft's text.

use catalog::recipe::Catalog;
use catalog::validate::{Wanted, validate};
use serde_json::Value;

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
                let verdict = validate(&catalog, name, bytes.clone(), wanted);
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
