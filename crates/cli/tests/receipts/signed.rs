//! Receipts that are signed: of this version, and of version 0.

use crate::common::{self, ID, Place, Ran};

/// A signed receipt of either version verifies, and still says what its turn is; one number that is
/// another one is found by the signature, and by the check.
#[test]
fn receipts_of_both_versions_are_signed_and_checked() {
    let place = Place::with_sessions();
    let good = |ran: &Ran| assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    good(&place.run(&["key", "new", "work"]));
    let receipt = place.run(&["receipt", ID, "--turn", "1", "--unfinished"]);
    good(&receipt);
    let workspace = samples::workspace();
    let first = workspace.join("schemas/receipts/v0/session-claude-code.json");
    let folder = workspace.join("crates/formats/src/agents/claude_code/samples/agents");
    let folder = folder.to_str().unwrap();
    let first = std::fs::read_to_string(first).unwrap();
    for (name, text, version) in [("now.json", &receipt.out, "v1"), ("first.json", &first, "v0")] {
        assert!(text.contains(&format!("\"verbatim.turn-receipt/{version}\"")), "{name}");
        common::put(&place.path().join(name), text);
        good(&place.run(&["sign", name]));
        let verify = || place.run(&["verify", name]);
        let ran = verify();
        assert!(ran.code == 0 && ran.out.contains("schema"), "{}{}", ran.out, ran.err);
        assert_eq!(std::fs::read_to_string(place.path().join(name)).unwrap(), **text);
        let check = ["receipt", "--check", name];
        let more: &[&str] = if version == "v0" { &["--in", folder] } else { &[] };
        let check = || place.run(&[&check, more].concat());
        let ran = check();
        assert!(ran.code == 0 && ran.out.contains("the turn is unchanged"), "{}", ran.out);
        let at = text.find("\"tool_call_count\": ").unwrap() + 19;
        let other = format!("{}7{}", &text[..at], &text[at..]);
        common::put(&place.path().join(name), &other);
        let ran = verify();
        assert!(ran.code == 1 && ran.out.contains("did not sign these bytes"), "{}", ran.out);
        assert_eq!(check().code, 1, "{name}");
    }
}
