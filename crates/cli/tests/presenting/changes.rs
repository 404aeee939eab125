//! Pages that were changed by hand.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::value::RawValue;
use sign::{Claims, Envelope, KeyType, PublicKey, SecretKey, signature_input};

/// The beginning of what a page carries, and its end.
const CARRIER: &str = "id=\"presentation\" data-key=\"";
const CARRIER_END: &str = "</script>";

/// The text before the carried presentation, that itself, and the text behind it.
pub(crate) fn around(page: &str) -> (&str, &str, &str) {
    let start = page.find(CARRIER).unwrap() + CARRIER.len();
    let start = start + page[start..].find("\">").unwrap() + 2;
    let end = start + page[start..].find(CARRIER_END).unwrap();
    (&page[..start], &page[start..end], &page[end..])
}

fn visible_changed(page: &str, one: &str, other: &str) -> String {
    let (before, carried, behind) = around(page);
    assert!(before.contains(one), "{one}");
    [&before.replacen(one, other, 1), carried, behind].concat()
}

fn carried_changed(page: &str, one: &str, other: &str) -> String {
    let (before, carried, behind) = around(page);
    assert!(carried.contains(one), "{one}: {carried}");
    [before, &carried.replace(one, other), behind].concat()
}

/// The elements of the list that begins at a place of a text, as they are written.
fn list(text: &str, at: usize) -> Vec<String> {
    let mut lists = serde_json::Deserializer::from_str(&text[at..]).into_iter();
    let list: Vec<&RawValue> = lists.next().unwrap().unwrap();
    list.iter().map(|it| it.get().to_owned()).collect()
}

/// The page with other entries, and their proofs and sections changed in the same way.
fn entries_changed(page: &str, change: impl Fn(&mut Vec<String>)) -> String {
    let (before, carried, behind) = around(page);
    let name = "\"entries\":";
    let first = carried.find(name).unwrap() + name.len();
    let last = carried.rfind(name).unwrap() + name.len();
    let mut text = carried.to_owned();
    for at in [last, first] {
        let mut list = list(carried, at);
        let old = format!("[{}]", list.join(","));
        assert!(text[at..].starts_with(&old));
        change(&mut list);
        text.replace_range(at..at + old.len(), &format!("[{}]", list.join(",")));
    }
    let sections =
        before.find("<section id=\"e1\"").or(before.find("<section class=\"away\" id=\"e1\""));
    let (start, end) = (sections.unwrap(), before.find("</main>").unwrap());
    let mut list: Vec<String> =
        before[start..end].split_inclusive("</section>\n").map(str::to_owned).collect();
    change(&mut list);
    [&before[..start], &list.concat(), &before[end..], &text, behind].concat()
}

/// The skeleton that a page carries, which is what is signed.
fn skeleton(page: &str) -> String {
    let carried = around(page).1;
    let at = carried.find("\"skeleton\":").unwrap() + "\"skeleton\":".len();
    let mut texts = serde_json::Deserializer::from_str(&carried[at..]).into_iter();
    texts.next().unwrap().unwrap()
}

/// The page with another envelope, and perhaps another key.
fn with_envelope(page: &str, envelope: &[u8], key: Option<&PublicKey>) -> String {
    let (before, carried, behind) = around(page);
    let at = carried.rfind("\"signature\":\"").unwrap() + "\"signature\":\"".len();
    let end = at + carried[at..].find('"').unwrap();
    let carried = [&carried[..at], &URL_SAFE_NO_PAD.encode(envelope), &carried[end..]].concat();
    let start = before.find(CARRIER).unwrap() + CARRIER.len();
    let before = match key {
        Some(key) => [&before[..start], &STANDARD.encode(key.der()), "\">"].concat(),
        None => before.to_owned(),
    };
    [&before, &carried, behind].concat()
}

/// The page with a signature of the same skeleton by another key; with its key too, if `named`.
fn signed_by_another(page: &str, named: bool) -> String {
    let secret = SecretKey::new(KeyType::Ed25519, &[9; 32]).unwrap();
    let key = secret.public();
    let protected = Envelope::protected(&key, "application/json", &Claims::default()).unwrap();
    let signature = secret.sign(&signature_input(&protected, &[], skeleton(page).as_bytes()));
    let envelope = Envelope::write(&protected, &signature).unwrap();
    with_envelope(page, &envelope, named.then_some(&key))
}

/// Pages with other envelopes by the same key, each with a good signature of its headers: what they
/// are, the page, and whether the page and `verify` accept them.
pub(crate) fn enveloped(page: &str, secret: &SecretKey) -> Vec<(&'static str, String, bool)> {
    let rows: [(&str, &[u8], &[u8], bool); 16] = [
        ("EdDSA", b"\xa1\x01\x27", b"\xa0", true),
        ("Ed25519", b"\xa1\x01\x32", b"\xa0", true),
        ("a label that nobody signed", b"\xa1\x01\x27", b"\xa1\x18\x64\x01", true),
        ("no algorithm", b"\xa0", b"\xa0", false),
        ("an algorithm that nobody signed", b"\xa0", b"\xa1\x01\x27", false),
        ("the algorithm of another key", b"\xa1\x01\x26", b"\xa0", false),
        ("an unknown algorithm", b"\xa1\x01\x38\x22", b"\xa0", false),
        ("a label in both headers", b"\xa2\x01\x27\x04\x41\x31", b"\xa1\x04\x41\x31", false),
        ("a critical label", b"\xa3\x01\x27\x02\x81\x18\x64\x18\x64\x01", b"\xa0", false),
        ("a critical label that nobody signed", b"\xa1\x01\x27", b"\xa1\x02\x81\x04", false),
        ("a name twice", b"\xa2\x01\x27\x01\x27", b"\xa0", false),
        ("a number in a longer form", b"\xa1\x01\x38\x07", b"\xa0", false),
        ("a map without a length", b"\xbf\x01\x27\xff", b"\xa0", false),
        ("an array in the place of a header", b"\xa1\x01\x27", b"\x80", false),
        ("it has ended", b"\xa2\x01\x27\x0f\xa1\x04\x01", b"\xa0", false),
        ("it has not begun", b"\xa2\x01\x27\x0f\xa1\x05\x1b\0\0\x01\0\0\0\0\0", b"\xa0", false),
    ];
    let skeleton = skeleton(page);
    let made = |(what, protected, own, good): (&'static str, &[u8], &[u8], bool)| {
        let signature = secret.sign(&signature_input(protected, &[], skeleton.as_bytes()));
        let length = 0x40 | u8::try_from(protected.len()).unwrap();
        let head = [0xd2, 0x84, length];
        let envelope = [&head, protected, own, &[0xf6, 0x58, 0x40], &signature].concat();
        (what, with_envelope(page, &envelope, None), good)
    };
    rows.into_iter().map(made).collect()
}

/// It leads to another page after an hour.
const AWAY: &str = "<meta http-equiv=\"refresh\" content=\"3600;url=about:blank\">";

/// A page that was changed.
pub(crate) struct Changed {
    /// The change, in words.
    pub(crate) what: &'static str,
    pub(crate) page: String,
    /// The kind of what the page says of itself, and some words of it.
    pub(crate) says: (&'static str, &'static str),
    /// The exit code of `verify`.
    pub(crate) code: i32,
}

/// Pages that were changed, and one that was not.
pub(crate) fn changed(page: &str) -> Vec<Changed> {
    let (shown, signed) = ("what the page shows", "what it carries is not what was signed");
    let around = "the page around the entries was changed";
    let bad = |what, page, words| Changed { what, page, says: ("bad", words), code: 1 };
    let (word, other) = ("There is no paint.", "There is much paint.");
    let visible = |one: &str, other: &str| visible_changed(page, one, other);
    let carried = |one: &str, other: &str| carried_changed(page, one, other);
    let both = carried_changed(&visible(word, other), word, other);
    let (one, two) = ("\"first\":1,\"last\":1", "\"first\":1,\"last\":2");
    let without_nodes = {
        let nodes = page.find("\"nodes\":[").unwrap() + 9;
        let end = nodes + page[nodes..].find(']').unwrap();
        [&page[..nodes], &page[end..]].concat()
    };
    let form = page.replacen("presentation 1\"", "presentation 2\"", 1);
    let (another, lines) = (signed_by_another(page, true), page.replace('\n', "\r\n"));
    let cut = page[..page.find(CARRIER).unwrap() + 2000].to_owned();
    vec![
        bad("visible text", visible(word, other), shown),
        bad("a visible entry is gone", visible("</section>\n<section id=\"e5\">", ""), shown),
        bad("a visible name", visible("<dt>type</dt>", "<dt>kind</dt>"), shown),
        bad("hidden by an attribute", visible("id=\"e5\"", "id=\"e5\" hidden"), shown),
        bad("carried bytes", carried(word, other), signed),
        bad("both", both, signed),
        bad("the number of withheld entries", carried(one, two), "FAILED"),
        bad("a reordered entry", entries_changed(page, |list| list.swap(3, 4)), signed),
        bad("a truncated tree", entries_changed(page, |list| drop(list.pop())), signed),
        bad("an entry twice", entries_changed(page, |it| it.insert(3, it[3].clone())), signed),
        bad("no hash of a withheld range", without_nodes, "damaged"),
        bad("a signature by another key", signed_by_another(page, false), "did not sign"),
        bad("a placeholder", carried("\"[WITHHELD]\"", "\"[HIDDEN]\""), "damaged"),
        bad("a space", carried("\"session\":{", "\"session\": {"), "damaged"),
        bad("the first line", visible("A page can lie", "No page can lie"), around),
        bad("a green state", visible("id=\"state\"", "id=\"state\" class=\"good\""), around),
        bad("a word more", visible("</main>", "</main><p>VERIFIED</p>"), around),
        bad("a word behind the end", format!("{page}VERIFIED"), around),
        bad("the title", visible("<title>", "<title>VERIFIED "), around),
        // Its script is cut off too.
        Changed { what: "cut off", page: cut, says: ("", "UNCHECKED"), code: 1 },
        bad("another form", form, around),
        bad("drawn from right to left", visible("<html", "<html dir=\"rtl\""), around),
        bad("a hidden body", visible("<body>", "<body hidden=\"\">"), around),
        bad("a body that acts", visible("<body>", "<body onload=\"\">"), around),
        bad("a page that leads away", visible("<title>", &format!("{AWAY}<title>")), around),
        bad("a style more", visible("</head>", "<style>#e1{display:none}</style></head>"), around),
        bad("another policy", visible("default-src 'none'; ", ""), around),
        Changed { what: "line ends", page: lines, says: ("good", "CHECKED"), code: 1 },
        Changed { what: "another signer", page: another, says: ("warn", "UNKNOWN KEY"), code: 4 },
        Changed { what: "nothing", page: page.into(), says: ("good", "CHECKED"), code: 0 },
    ]
}
