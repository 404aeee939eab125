//! Subtle cases of the record, which no table of facts yields: spelling, patterns, nesting, syntax.

use verbatim_evidence::schema::RECORD as RULE;
use verbatim_evidence::value::Encoding;

use crate::suite::{Case, unhex};

/// `(name, JSON text, valid, why)`; the text replaces `@` in the template.
type Row = (&'static str, &'static str, bool, &'static str);

/// Values of `created`, as JSON.
const TIMES: &[Row] = &[
    ("utc", r#""2026-02-16T10:00:00Z""#, true, "RFC 3339"),
    ("offset", r#""2026-02-16T10:00:00-23:59""#, true, "RFC 3339"),
    ("leap-second", r#""2016-12-31T23:59:60Z""#, true, "the pattern has second 60"),
    ("february-30", r#""2026-02-30T00:00:00Z""#, true, "the pattern knows no calendar"),
    ("year-0", r#""0000-01-01T00:00:00Z""#, true, "four digits are a year"),
    ("nanoseconds", r#""2026-02-16T10:00:00.123456789Z""#, true, "any number of digits"),
    ("escaped", r#""2026-02-16T10:00:00\u005a""#, true, "an escape is its character"),
    ("lower-t", r#""2026-02-16t10:00:00Z""#, false, "the pattern has T"),
    ("lower-z", r#""2026-02-16T10:00:00z""#, false, "the pattern has Z"),
    ("no-zone", r#""2026-02-16T10:00:00""#, false, "the zone is missing"),
    ("blank", r#""2026-02-16 10:00:00Z""#, false, "the pattern has T"),
    ("date", r#""2026-02-16""#, false, "no time of day"),
    ("empty", r#""""#, false, "an empty text"),
    ("no-fraction", r#""2026-02-16T10:00:00.Z""#, false, "a point without digits"),
    ("comma", r#""2026-02-16T10:00:00,5Z""#, false, "the pattern has a point"),
    ("second-61", r#""2026-02-16T10:00:61Z""#, false, "seconds end at 60"),
    ("hour-24", r#""2026-02-16T24:00:00Z""#, false, "hours end at 23"),
    ("month-0", r#""2026-00-16T10:00:00Z""#, false, "months begin at 1"),
    ("month-13", r#""2026-13-16T10:00:00Z""#, false, "months end at 12"),
    ("day-0", r#""2026-02-00T10:00:00Z""#, false, "days begin at 1"),
    ("day-32", r#""2026-01-32T10:00:00Z""#, false, "days end at 31"),
    ("offset-24", r#""2026-02-16T10:00:00+24:00""#, false, "offsets end at 23:59"),
    ("offset-short", r#""2026-02-16T10:00:00+0100""#, false, "an offset has a colon"),
    ("year-5", r#""12026-02-16T10:00:00Z""#, false, "the pattern is anchored"),
    ("before", r#"" 2026-02-16T10:00:00Z""#, false, "the pattern is anchored"),
    ("behind", r#""2026-02-16T10:00:00Z ""#, false, "the pattern is anchored"),
    ("line-end", r#""2026-02-16T10:00:00Z\n""#, false, "the pattern is anchored"),
    ("wide-digits", r#""２026-02-16T10:00:00Z""#, false, "digits are ASCII"),
    ("epoch", "1771236000000", true, "milliseconds"),
    ("epoch-0", "0", true, "milliseconds"),
    ("epoch-most", "18446744073709551615", true, "64 bits"),
    ("epoch-more", "18446744073709551616", false, "uint ends at 64 bits"),
    ("epoch-negative", "-1", false, "uint is not negative"),
    ("epoch-fraction", "1771236000.5", false, "uint is whole"),
    ("epoch-text", r#""1771236000000""#, false, "a text is no uint"),
    ("whole-fraction", "1771236000000.0", true, "RFC 8610, appendix E: whole by value"),
    ("exponent", "1e12", true, "RFC 8610, appendix E: whole by value"),
    ("shifted", "1500e-2", true, "RFC 8610, appendix E: whole by value"),
    ("shifted-fraction", "1505e-2", false, "15.05 is not whole"),
    ("minus-0", "-0", true, "minus zero is zero"),
    ("huge-exponent", "1e400", false, "far more than 64 bits"),
    ("tiny-exponent", "1e-400", false, "not whole"),
];

/// Values of `token-usage.cost`, as JSON.
const COSTS: &[Row] = &[
    ("fraction", "0.0042", true, "a number"),
    ("integer", "3", true, "a number"),
    ("negative", "-0.5", true, "a number"),
    ("digits", "0.1000000000000000055511151231257827", true, "a number"),
    ("large", "1e308", true, "within binary64"),
    ("bignum", "18446744073709551616", true, "a binary64 holds it"),
    ("infinite", "1e400", false, "beyond binary64"),
    ("text", r#""0.5""#, false, "a text is no number"),
];

/// Values of `token-usage.input`, as JSON.
const COUNTS: &[Row] = &[
    ("most", "18446744073709551615", true, "64 bits"),
    ("more", "18446744073709551616", false, "uint ends at 64 bits"),
    ("whole-fraction", "12.0", true, "RFC 8610, appendix E: whole by value"),
    ("text", r#""12""#, false, "a text is no uint"),
];

/// Values of `url` of a conversation, as JSON.
const URLS: &[Row] = &[
    ("empty", r#""""#, true, "the pattern of RFC 3986 matches an empty text"),
    ("words", r#""not a url""#, true, "the pattern of RFC 3986 matches nearly all"),
    ("line-in-path", r#""a\nb""#, true, "any character but ? and #"),
    ("line-in-fragment", r##""a#b\nc""##, false, "a dot is no line end"),
    ("return-in-fragment", r##""a#b\rc""##, false, "a dot is no line end (XSD)"),
    ("separator-in-fragment", r##""a#b\u2028c""##, true, "only \\n and \\r are line ends"),
    ("two-fragments", r##""a#b#c""##, true, "a fragment may have #"),
];

/// Values of `entries`, as JSON.
const ENTRIES: &[Row] = &[
    ("null", "[null]", false, "an entry is a map"),
    ("text", r#"["hello"]"#, false, "an entry is a map"),
    ("array", "[[]]", false, "an entry is a map"),
    ("no-type", r#"[{"content":"hello"}]"#, false, "no kind of entry lacks a type"),
    ("role", r#"[{"role":"user","content":"hello"}]"#, false, "role is not type"),
    ("type-array", r#"[{"type":["user"]}]"#, false, "a type is a text"),
    ("native-type", r#"[{"type":"tool_use","name":"a","input":{}}]"#, false, "no such kind"),
    ("escaped-type", r#"[{"ty\u0070e":"us\u0065r"}]"#, true, "an escape is its character"),
    ("second-wrong", r#"[{"type":"user"},{"type":"users"}]"#, false, "every entry counts"),
    ("call-for-result", r#"[{"type":"tool-result","input":{}}]"#, false, "a result has output"),
    ("message-with-name", r#"[{"type":"user","name":5}]"#, true, "name is free in a message"),
    ("call-with-output", r#"[{"type":"tool-call","name":"a","input":1,"output":2}]"#, true, "open"),
    (
        "call-with-usage",
        r#"[{"type":"tool-call","name":"a","input":1,"token-usage":1}]"#,
        true,
        "token-usage has a type in messages only",
    ),
    (
        "call-with-parent",
        r#"[{"type":"tool-call","name":"a","input":1,"parent-id":null}]"#,
        true,
        "parent-id has a type in messages only",
    ),
    (
        "event-with-content",
        r#"[{"type":"system-event","event-type":"e","content":1}]"#,
        true,
        "content is free in an event",
    ),
    ("child-of-child", NESTED, true, "children have children"),
    ("wrong-great-grandchild", NESTED_WRONG, false, "children are judged at any depth"),
    (
        "child-in-content",
        r#"[{"type":"user","content":[{"type":"nothing"}]}]"#,
        true,
        "content may be anything",
    ),
    ("children-map", r#"[{"type":"user","children":{}}]"#, false, "children are an array"),
    ("children-of-text", r#"[{"type":"user","children":["a"]}]"#, false, "children are entries"),
    ("empty-key", r#"[{"type":"user","":1}]"#, true, "the empty text is a key"),
    ("upper-key", r#"[{"type":"user","Timestamp":1.5}]"#, true, "keys are case-sensitive"),
    ("cut", r#"[{"type":"user","timestamp":1.5}]"#, false, "`:` cuts: no way to the wildcard"),
    ("reserved", r#"[{"type":"user","verbatim":{"standing":"echo"}}]"#, true, "open"),
];

const NESTED: &str = concat!(
    r#"[{"type":"user","children":[{"type":"reasoning","content":"a","children":["#,
    r#"{"type":"tool-result","output":null,"children":[{"type":"assistant"}]}]}]}]"#,
);
const NESTED_WRONG: &str = concat!(
    r#"[{"type":"user","children":[{"type":"reasoning","content":"a","children":["#,
    r#"{"type":"tool-result","output":null,"children":[{"type":"assistant","id":1}]}]}]}]"#,
);

/// Whole documents.
const DOCUMENTS: &[Row] = &[
    ("space", " \t\r\n@ \n", true, "white space around"),
    ("array", "[@]", false, "a record is a map"),
    ("text", r#""record""#, false, "a record is a map"),
    ("null", "null", false, "a record is a map"),
    ("empty", "", false, "no JSON"),
    ("cut-off", r#"{"version":"3.0.0-draft""#, false, "no JSON"),
    ("two", "@@", false, "one document"),
    ("comment", "@ // end", false, "no JSON"),
    ("byte-order-mark", "\u{feff}@", false, "no JSON (RFC 8259, section 8.1)"),
    ("trailing-comma", r#"{"version":"3",}"#, false, "no JSON"),
    ("key-twice", r#"{"id":"a",@@"#, false, "a key twice: no valid map"),
    ("key-twice-escaped", r#"{"\u0069d":"a",@@"#, false, "a key twice: no valid map"),
    ("key-twice-within", r#"{"x":[{"a":1,"a":1}],@@"#, false, "also where anything may stand"),
    ("half-pair", r#"{"x":"\ud83d",@@"#, false, "half a character (RFC 7493, section 2.1)"),
    ("half-pair-key", r#"{"\udc00":1,@@"#, false, "half a character (RFC 7493, section 2.1)"),
    ("pair", r#"{"x":"\ud83d\ude00",@@"#, true, "a whole character"),
    ("nul", r#"{"x":"\u0000",@@"#, true, "a character like others"),
    ("deep", DEEP, true, "anything may be deep"),
    ("envelope", r#"[{},{},null,""]"#, false, "JSON has no tags"),
];

const DEEP: &str = concat!(
    r#"{"x":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["#,
    r#"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],@@"#,
);

const RECORD: &str = concat!(
    r#"{"version":"3.0.0-draft","id":"r","session":{"session-id":"s","agent-meta":"#,
    r#"{"model-id":"m","model-provider":"p"},"entries":[]}}"#,
);

pub(crate) fn cases() -> Vec<Case> {
    let tables = [
        ("time", TIMES, RECORD.replacen('{', r#"{"created":@,"#, 1)),
        ("cost", COSTS, in_entries(r#"{"type":"user","token-usage":{"cost":@}}"#)),
        ("count", COUNTS, in_entries(r#"{"type":"user","token-usage":{"input":@}}"#)),
        ("url", URLS, in_file(r#"{"url":@,"ranges":[]}"#)),
        ("entries", ENTRIES, RECORD.replace("[]", "@")),
        ("document", DOCUMENTS, "@".into()),
    ];
    let mut cases = Vec::new();
    for (table, rows, template) in tables {
        for (name, text, right, why) in rows {
            // `@@` in a document is the record without its opening brace, or the record twice.
            let text = match text.strip_suffix("@@") {
                Some(before) if !before.is_empty() => format!("{before}{}", &RECORD[1..]),
                _ => (*text).to_owned(),
            };
            let document = template.replace('@', &text).replace('@', RECORD);
            cases.push(case(
                &format!("{table}/{name}"),
                Encoding::Json,
                document.into(),
                *right,
                why,
            ));
        }
    }
    cases.extend(BYTES.iter().map(|(name, hex, right, why)| {
        let id = format!("cbor/{name}");
        case(&id, Encoding::Cbor, unhex(&hex.replace('@', BASE)), *right, why)
    }));
    cases
}

fn in_entries(entry: &str) -> String {
    RECORD.replace("[]", &format!("[{entry}]"))
}

fn in_file(conversation: &str) -> String {
    let file = format!(r#"{{"path":"a","conversations":[{conversation}]}}"#);
    RECORD.replacen('{', &format!(r#"{{"file-attribution":{{"files":[{file}]}},"#), 1)
}

fn case(id: &str, encoding: Encoding, document: Vec<u8>, right: bool, why: &str) -> Case {
    let why = why.to_owned();
    Case { id: id.into(), rule: RULE, encoding, document, draft: right, ours: right, why }
}

/// The members `id`, `version` and `session` of a minimal record, without the head of its map.
const BASE: &str = concat!(
    "62 6964 61 72 67 76657273696f6e 65 332e302e30 67 73657373696f6e a3 ",
    "67 656e7472696573 80 6a 73657373696f6e2d6964 61 73 6a 6167656e742d6d657461 a2 ",
    "68 6d6f64656c2d6964 61 6d 6e 6d6f64656c2d70726f7669646572 61 70 ",
);
/// `"created"`; `"x"`.
const BYTES: &[Row] = &[
    ("plain", "a3 @", true, "a minimal record"),
    ("indefinite-map", "bf @ ff", true, "lengths are no matter of types"),
    ("long-head", "b90003 @", true, "lengths are no matter of types"),
    ("trailing", "a3 @ 00", false, "one item"),
    ("cut-off", "a4 @", false, "no CBOR"),
    ("odd", "bf @ 6178 ff", false, "a key without a value"),
    ("self-described", "d9d9f7 a3 @", false, "a tag is not the map inside"),
    ("embedded", "41a0", false, "a byte string is no map"),
    ("integer-key", "a4 @ 01 02", false, "keys are texts"),
    ("bytes-key", "a4 @ 4178 02", false, "keys are texts"),
    ("null-key", "a4 @ f6 02", false, "keys are texts"),
    ("key-twice", "a5 @ 6178 01 6178 02", false, "a key twice: no valid map"),
    ("key-twice-chunked", "a5 @ 6178 01 7f6178ff 02", false, "a key twice: no valid map"),
    ("inner-integer-key", "a4 @ 6178 a1 01 02", true, "anything may have any key"),
    ("inner-key-twice", "a4 @ 6178 a2 01 02 01 03", false, "a key twice: no valid map"),
    ("inner-key-twice-long", "a4 @ 6178 a2 01 02 1801 03", false, "the same integer"),
    ("inner-keys-apart", "a4 @ 6178 a2 01 02 f93c00 03", true, "1 and 1.0 are two keys"),
    ("anything-undefined", "a4 @ 6178 f7", true, "anything"),
    ("anything-simple", "a4 @ 6178 f8ff", true, "anything"),
    ("anything-tagged", "a4 @ 6178 d8ff 40", true, "anything"),
    ("anything-nan", "a4 @ 6178 f97e00", true, "anything"),
    ("invalid-text", "a4 @ 6178 61ff", false, "a text is UTF-8"),
    (
        "time-chunked",
        "a4 @ 67 63726561746564 7f 6a 323032362d30322d3136 6a 5431303a30303a30305a ff",
        true,
        "chunks make one text",
    ),
    ("time-uint", "a4 @ 67 63726561746564 1b 0000019c6576b100", true, "milliseconds"),
    ("time-long-uint", "a4 @ 67 63726561746564 1b 0000000000000001", true, "no matter of types"),
    ("time-float", "a4 @ 67 63726561746564 f93c00", false, "a float is no uint, also if whole"),
    ("time-nint", "a4 @ 67 63726561746564 20", false, "uint is not negative"),
    ("time-bignum", "a4 @ 67 63726561746564 c2 4101", false, "a bignum is no uint"),
    (
        "time-tag-0",
        "a4 @ 67 63726561746564 c0 74 323032362d30322d31365431303a30303a30305a",
        false,
        "a tagged text is no text",
    ),
    ("time-tag-1", "a4 @ 67 63726561746564 c1 01", false, "a tagged integer is no uint"),
    (
        "time-bytes",
        "a4 @ 67 63726561746564 54 323032362d30322d31365431303a30303a30305a",
        false,
        "bytes are no text",
    ),
    ("claims-16-tb", "bb 00000fffffffffff", false, "no CBOR, and at no cost"),
];
