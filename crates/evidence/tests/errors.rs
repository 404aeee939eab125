//! An error has the place, the rule and the remedy.

use verbatim_evidence::Verdict;
use verbatim_evidence::schema::{ERRORS, RECORD, SIGNED_RECORD, Schema, Violations};
use verbatim_evidence::value::Encoding;

fn judge(json: &str) -> Verdict<Violations> {
    Schema::record().validate(RECORD, json.as_bytes(), Encoding::Json)
}

fn record(session: &str) -> String {
    format!(r#"{{"version":"3.0.0-draft","id":"r","session":{session}}}"#)
}

fn entries(entries: &str) -> String {
    let agent = r#"{"model-id":"m","model-provider":"p"}"#;
    record(&format!(r#"{{"session-id":"s","agent-meta":{agent},"entries":[{entries}]}}"#))
}

/// The path and rule of the only error.
fn only(json: &str) -> (String, String, String) {
    let verdict = judge(json);
    assert_eq!(verdict.errors().len(), 1, "{:#?}", verdict.errors());
    let error = &verdict.errors()[0];
    (error.path.clone(), error.rule.clone(), error.hint.clone())
}

#[test]
fn a_wrong_type_names_the_member_and_both_types() {
    let (path, rule, hint) = only(&entries(r#"{"type":"user","timestamp":-1}"#));
    assert_eq!(path, "$.session.entries[0].timestamp");
    assert_eq!(rule, "message: ? timestamp: time-stamp");
    assert_eq!(hint, "found the number -1; expected uint or tstr .regexp rfc3339");
}

#[test]
fn a_missing_key_is_named() {
    let (path, rule, hint) = only(&record(r#"{"session-id":"s","entries":[]}"#));
    assert_eq!(path, "$.session");
    assert_eq!(rule, "session-trace: agent-meta: agent");
    assert_eq!(hint, "missing: add `agent-meta: agent`");
}

#[test]
fn an_entry_is_judged_by_its_type() {
    let child = r#"{"type":"assistant","children":[{"type":"tool-call","name":"Bash"}]}"#;
    let (path, rule, _) = only(&entries(child));
    assert_eq!(path, "$.session.entries[0].children[0]");
    assert_eq!(rule, "tool-call: input: any");

    let (path, _, hint) = only(&entries(r#"{"type":"tool_use"}"#));
    assert_eq!(path, "$.session.entries[0].type");
    assert!(hint.contains(r#"found the text "tool_use"; expected "#), "{hint}");
    assert!(hint.contains(r#""user" or "assistant" or "tool-call""#), "{hint}");

    let (path, _, hint) = only(&entries(r#"{"role":"user"}"#));
    assert_eq!(path, "$.session.entries[0]");
    assert!(hint.starts_with(r#"add `type`, which is "user" or "#), "{hint}");
}

#[test]
fn a_closed_map_names_the_stranger() {
    let files = r#"{"files":[{"path":"a","conversations":[],"lines":3}]}"#;
    let json = entries("").replacen('{', &format!(r#"{{"file-attribution":{files},"#), 1);
    let (path, rule, hint) = only(&json);
    assert_eq!(path, "$.file-attribution.files[0].lines");
    assert_eq!(rule, "file");
    assert!(hint.contains("path: tstr; conversations: [* conversation]"), "{hint}");
}

#[test]
fn the_number_of_errors_is_bounded() {
    let many = vec![r#"{"type":"user","id":1}"#; ERRORS + 5].join(",");
    let verdict = judge(&entries(&many));
    assert_eq!(verdict.errors().len(), ERRORS);
    assert!(verdict.bad().is_some_and(|violations| violations.more));
    let exact = vec![r#"{"type":"user","id":1}"#; ERRORS].join(",");
    assert!(judge(&entries(&exact)).bad().is_some_and(|violations| !violations.more));
}

#[test]
fn what_is_no_json_says_where() {
    let (path, rule, hint) = only(r#"{"version":"3","id":"a","id":"b"}"#);
    assert_eq!((path.as_str(), rule.as_str()), ("$.id", "JSON (RFC 8259, RFC 7493)"));
    assert_eq!(hint, "the same key twice in one map");
    let (path, _, hint) = only(r#"{"version":["\ud800"]}"#);
    assert_eq!(path, "$.version[0]");
    assert!(hint.starts_with("half of a surrogate pair"), "{hint}");
}

#[test]
fn an_envelope_is_explained_down_to_its_headers() {
    // 18([<< {15: {1: 7, 2: "s"}} >>, {}, null, h''])
    let bytes = b"\xd2\x84\x48\xa1\x0f\xa2\x01\x07\x02\x61s\xa0\xf6\x40";
    let verdict = Schema::record().validate(SIGNED_RECORD, bytes, Encoding::Cbor);
    assert_eq!(verdict.errors().len(), 1, "{verdict:#?}");
    assert_eq!(verdict.errors()[0].path, "$#6.18[0]<<(15)(1)");
    assert_eq!(verdict.errors()[0].rule, "cwt-claims: &(iss: 1) ^ => tstr");
    assert_eq!(verdict.errors()[0].hint, "found the integer 7; expected tstr");
}

#[test]
fn what_can_not_be_decided_is_unknown() {
    let undecided = |verdict: Verdict<Violations>, why: &str| match verdict {
        Verdict::Unknown(reason) => assert!(reason.contains(why), "{reason}"),
        verdict => panic!("{verdict:?}"),
    };
    let deep = format!("{}{}", "[".repeat(1_000_001), "]".repeat(1_000_001));
    undecided(judge(&deep), "nested deeper than the limit");
    let verdict = Schema::record().validate("no-such-rule", b"{}", Encoding::Json);
    undecided(verdict, "no rule `no-such-rule`");
    assert!(Schema::record().rules().any(|rule| rule == RECORD));
}
