//! The JSON reader against the conformance suite, an independent parser, and hostile nesting.

use verbatim_session::{JsonFault, Scan, Shape};

fn accepts(text: &[u8]) -> bool {
    Scan::new().read(text, 0).is_ok()
}

#[test]
fn nesting_overflows_nothing() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let text = open.repeat(100_000) + "1" + &close.repeat(100_000);
        assert!(accepts(text.as_bytes()));
        let cut = open.repeat(100_000);
        assert_eq!(
            Scan::new().read(cut.as_bytes(), 0).err().map(|f| f.why),
            Some(JsonFault::CutOff)
        );
    }
}

/// A million levels without an end: the fault names the place, in linear time, also on a stack of
/// 256 KiB.
#[test]
fn endless_nesting_is_refused_at_its_place_on_a_small_stack() {
    let read = || {
        for open in ["[", "{\"a\":"] {
            samples::assert_linear(125_000, |levels| {
                let text = open.repeat(levels);
                let fault = Scan::new().read(text.as_bytes(), 0).err();
                let (why, at) = fault.map(|fault| (fault.why, fault.at as usize)).unzip();
                assert_eq!((why, at), (Some(JsonFault::CutOff), Some(text.len())));
            });
        }
    };
    let small = std::thread::Builder::new().stack_size(256 << 10).spawn(read);
    assert!(small.is_ok_and(|thread| thread.join().is_ok()));
    read();
}

const INVALID: &[&str] = &[
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\"a",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{1:2}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "[\"a\"b]",
    "[\"a\" true]",
    "[true\"a\"]",
    "{\"a\"x:1}",
    "{x\"a\":1}",
    "[1]x",
    "x[1]",
    "[1]]",
    "[1}",
    "{\"a\":1]",
    "[\"\\x\"]",
    "[\"\\u12g4\"]",
    "[\"\\",
    "[\"\\\"]",
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "+1",
    "0x1",
    "nul",
    "truee",
    "[\"a\u{1}\"]",
    "\u{c}[]",
    "[\u{1a}]",
    "[1\u{c}]",
    "{\"a\":1\u{c}}",
    "\\\"a\"",
    "[\"a\\\"]",
    "{\"a\":1,\"b\"}",
    "{,}",
    "{:1}",
    "[:]",
    "{\"a\"::1}",
    "{\"a\":1:2}",
    "[1:2]",
    "[1,,2]",
];

#[test]
fn what_is_no_value_is_refused() {
    for text in INVALID {
        assert!(!accepts(text.as_bytes()), "{text:?}");
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text:?}");
    }
}

/// Mutated documents: the verdict equals the independent parser's.
#[test]
fn agrees_with_an_independent_parser_on_mutations() {
    let seeds = [
        r#"{"type":"user","n":[1,-2.5e+3,0,true,null],"s":"a\n\u00e9\"\\/","o":{"k":{}},"e":[]}"#,
        r#" [ { "a" : [ "x" , "y\\" ] , "b" : "" } , 12 , "z" ] "#,
    ];
    let mut state = 42u64;
    let mut next = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let alphabet = b"{}[]:,\"\\ \n0123456789.eE+-tfnu\x01\x0c\x1aab";
    let mut accepted = 0;
    for round in 0..200_000 {
        let mut text = seeds[round % 2].as_bytes().to_vec();
        for _ in 0..=next(3) {
            let at = next(text.len());
            match next(3) {
                0 => text[at] = alphabet[next(alphabet.len())],
                1 => drop(text.remove(at)),
                _ => text.insert(at, alphabet[next(alphabet.len())]),
            }
        }
        let theirs = match serde_json::from_slice::<&serde_json::value::RawValue>(&text) {
            Ok(_) => true,
            Err(error) if error.to_string().contains("surrogate") => continue,
            Err(_) => false,
        };
        let ours = accepts(&text);
        accepted += usize::from(ours);
        assert_eq!(ours, theirs, "{:?}", String::from_utf8_lossy(&text));
    }
    assert!(accepted > 10_000, "the mutations must leave some documents valid: {accepted}");
}

#[test]
fn a_walk_sees_every_member_as_written() {
    let text =
        br#" { "a" : 1.50 , "a":"\ud800" , "": [ ] , "o":{ } , "l" : [ 1 , [2] , {"x":"y"} ] } "#;
    let mut scan = Scan::new();
    let doc = scan.read(text, 100).expect("valid");
    let root = doc.root();
    let seen: Vec<_> = root
        .members()
        .map(|member| {
            let value = String::from_utf8_lossy(member.value.raw()).into_owned();
            (String::from_utf8_lossy(member.name).into_owned(), value)
        })
        .collect();
    let expected = [
        ("a", "1.50"),
        ("a", "\"\\ud800\""),
        ("", "[ ]"),
        ("o", "{ }"),
        ("l", "[ 1 , [2] , {\"x\":\"y\"} ]"),
    ];
    let seen: Vec<_> = seen.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(seen, expected);
    let list = root.at(&["l"]).expect("a member");
    let elements: Vec<_> = list.elements().map(|node| (node.shape(), node.raw())).collect();
    assert_eq!(elements[0], (Shape::Number, &b"1"[..]));
    assert_eq!(elements[1], (Shape::Array, &b"[2]"[..]));
    assert_eq!(elements[2].0, Shape::Object);
    assert_eq!(root.at(&["l"]).map(|node| node.span().start), Some(100 + 57));
}

/// The values of a large text are counted before they are read, by what may come before them.
#[test]
fn a_reader_has_room_for_large_texts_of_any_kind() {
    let mut scan = Scan::new();
    for (element, values) in [("[]", 1), ("{}", 1), ("0", 1), (r#"{"a":[{}],"b":"c"}"#, 4)] {
        for count in [400_000, 1_200_000] {
            let text = format!("[{}{element}]", format!("{element} ,").repeat(count - 1));
            let doc = scan.read(text.as_bytes(), 0).unwrap();
            assert_eq!(doc.size(), 1 + count * values, "{element}");
            assert_eq!(doc.root().elements().last().unwrap().raw(), element.as_bytes());
        }
    }
}
