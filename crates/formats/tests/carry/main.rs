//! Law 7 for conversion to other agents, over every sample and every real session: each field of
//! the source has one fate, the leaves of the target's files are those that the books name, a
//! carried value is equal, and the target's reader finds the conversation that crossed.

mod answered;
mod kept;
mod parts;
mod talk;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use catalog::{Root, Source};
use meaning::account::Fate;
use serde_json::Value;
use serde_json::value::RawValue;
use session::{Bundle, Hold, Injected, Member, Session, Standing, Stream, UtcTime};
use talk::{PICTURE, Talk, talk, text};
use verbatim_formats::{
    ClosedBooks, Format, LeafOrigin, Options, WriteError, by_name, stead, vac, write_with,
};

/// Every file that is a session of an agent.
fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.iter().map(|root: &PathBuf| Root::named(root)).collect();
    let mut sources = catalog::scan(verbatim_formats::ALL, &roots).sources;
    sources.retain(|source| ![vac::NAME, stead::NAME].contains(&source.format.name()));
    sources
}

/// The formats that can be written for a session of another agent.
fn targets() -> impl Iterator<Item = &'static dyn Format> {
    verbatim_formats::ALL.iter().copied().filter(|format| format.data().target.is_some())
}

/// The options of a file that was written then.
fn options() -> Options {
    Options { untimed: Some(UtcTime(1_780_000_000_000_000)), ..Options::default() }
}

/// The leaves of a JSON text, by another parser: scalars and empty containers.
fn leaves(json: &str, base: &str, found: &mut Vec<(usize, usize)>) {
    let at = |text: &str| text.as_ptr() as usize - base.as_ptr() as usize;
    let members: Vec<&RawValue> = match json.as_bytes()[0] {
        b'{' => {
            let map: BTreeMap<String, &RawValue> = serde_json::from_str(json).expect("an object");
            map.into_values().collect()
        }
        b'[' => serde_json::from_str(json).expect("an array"),
        _ => Vec::new(),
    };
    if members.is_empty() {
        return found.push((at(json), at(json) + json.len()));
    }
    members.into_iter().for_each(|member| leaves(member.get(), base, found));
}

/// The target's side: each leaf belongs to exactly one row, and each row has a leaf.
fn target_side(uid: &str, books: &ClosedBooks, files: &[(String, Vec<u8>)]) {
    assert_eq!(books.files.len(), files.len(), "{uid}");
    for (page, (name, bytes)) in books.files.iter().zip(files) {
        assert_eq!(&page.name, name);
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        let mut found = Vec::new();
        let stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        for value in stream {
            leaves(value.expect("JSON").get(), text, &mut found);
        }
        found.sort_unstable();
        let mut rows = page.leaves.iter().peekable();
        let mut met = 0;
        for (start, end) in found {
            while rows.next_if(|row| (row.span.end as usize) <= start).is_some() {
                assert!(met > 0, "{uid}: a row of {name} without a leaf, before byte {start}");
                met = 0;
            }
            let row = rows.peek().expect("a row");
            let holds = row.span.start as usize <= start && end <= row.span.end as usize;
            assert!(holds, "{uid}: byte {start} of {name} is in no row");
            met += 1;
        }
        assert!(rows.count() == 1 && met > 0, "{uid}: the last rows of {name}");
    }
}

fn value(raw: &[u8]) -> Value {
    serde_json::from_slice(raw).unwrap_or(Value::Null)
}

/// Carried values are equal; a field that a row names is not dropped, and one that none names is.
fn pairs(session: &Session, books: &ClosedBooks, files: &[(String, Vec<u8>)]) {
    let uid = session.uid();
    let fields: Vec<_> =
        session.events().flat_map(|e| e.fields().iter().map(move |f| (e, f))).collect();
    let mut named = vec![false; fields.len()];
    for (page, (name, bytes)) in books.files.iter().zip(files) {
        for leaf in &page.leaves {
            let written = &bytes[leaf.span.start as usize..leaf.span.end as usize];
            match &leaf.origin {
                LeafOrigin::Carried(field) => {
                    named[*field] = true;
                    let (event, field) = fields[*field];
                    let own = value(event.value(*field));
                    assert_eq!(own, value(written), "{uid}: {} of {name}", leaf.name);
                }
                LeafOrigin::Mapped(of, _) | LeafOrigin::InPart(of, _) => {
                    of.iter().for_each(|one| named[one.field] = true);
                }
                _ => {}
            }
        }
    }
    let mut fates = books.ledger.fates(session);
    for ((event, field), named) in
        fields.iter().zip(&named).filter(|((_, f), _)| f.hold == Hold::Own)
    {
        let (_, known, fate) = fates.next().expect("a fate for each field");
        assert_eq!(known, **field);
        let whole = matches!(fate, Fate::Carried | Fate::Mapped(_) | Fate::InPart(_));
        let name = String::from_utf8_lossy(event.name(**field));
        assert!(!whole || *named, "{uid}:{} {name} is said to cross", event.origin.line);
        assert!(!named || whole, "{uid}:{} {name}", event.origin.line);
    }
    assert!(fates.next().is_none());
}

/// The session in written files.
fn read(target: &dyn Format, files: &[(String, Vec<u8>)]) -> Session {
    let member = |(name, bytes): &(String, Vec<u8>)| {
        let member = Member::new(name.as_str(), Stream::Main, bytes.clone()).expect("short");
        target.decode(member)
    };
    let members = files.iter().map(member).collect();
    target.read(Arc::new(Bundle { members })).into_iter().next().expect("a session")
}

/// Reading back gives the conversation that crossed.
fn read_back(uid: &str, target: &dyn Format, files: &[(String, Vec<u8>)], source: &Talk) {
    let again = talk(&read(target, files), true);
    let to = target.name();
    let differ = |(a, b): &(&(bool, String), &(bool, String))| a != b;
    if let Some((a, b)) = again.said.iter().zip(&source.said).find(differ) {
        let same = a.1.bytes().zip(b.1.bytes()).take_while(|(a, b)| a == b).count();
        let from = |text: &str| {
            String::from_utf8_lossy(&text.as_bytes()[same.min(text.len())..])
                .chars()
                .take(200)
                .collect::<String>()
        };
        panic!("{uid} -> {to}: `{}` is not `{}`", from(&a.1), from(&b.1));
    }
    assert_eq!(again.said.len(), source.said.len(), "{uid} -> {to}");
    assert_eq!(again.calls, source.calls, "{uid} -> {to}");
    // These have only the text of a result in its place.
    let texts_only = ["codewhale", "cursor", "sage"].contains(&to);
    let seen = |text: &String| match text.find(PICTURE).filter(|_| texts_only) {
        Some(at) => text[..at].trim_end().to_owned(),
        None => text.clone(),
    };
    let mut results: Vec<_> = source.results.iter().map(seen).collect();
    results.retain(|text| !text.is_empty());
    assert_eq!(again.results, results, "{uid} -> {to}");
    assert_eq!(again.failed, source.failed, "{uid} -> {to}: the failed calls");
}

fn holds(session: &Session, target: &dyn Format, all: bool) -> bool {
    let options = Options { all, ..options() };
    let uid = session.uid();
    let written = match write_with(target, session, &options) {
        Ok(written) => written,
        Err(WriteError::NoPrompt { .. }) => return false,
        Err(error) => panic!("{uid}: {error}"),
    };
    let files: Vec<(String, Vec<u8>)> =
        written.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    let books = written.books.as_ref().expect("books");
    target_side(&uid, books, &files);
    pairs(session, books, &files);
    let again = write_with(target, session, &options).expect("the same again");
    assert!(again.files.iter().map(|(_, b)| b.to_vec()).eq(files.iter().map(|(_, b)| b.clone())));
    let sealed = session.events().any(|e| {
        let live = matches!(e.standing(), Standing::Live | Standing::Copied);
        live && e.injected == Some(Injected::Summary) && text(e).is_empty()
    });
    read_back(&uid, target, &files, &talk(session, all || sealed));
    true
}

/// There and back: the agent's own writer gives the same conversation, in the same order and with
/// the same pairs, as after one conversion.
#[test]
fn a_conversation_comes_back_as_it_went() {
    let convert = |session: &Session, to: &dyn Format| {
        let written = write_with(to, session, &options()).expect("written");
        let files: Vec<_> =
            written.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
        read(to, &files)
    };
    let roots = [Root::named(samples::workspace().join("crates/formats/src"))];
    let mut sources = catalog::scan(verbatim_formats::ALL, &roots).sources;
    sources.retain(|source| source.format.data().target.is_some());
    let mut ways = 0;
    for source in sources {
        let home = source.format;
        for session in home.read(Arc::new(catalog::bundle(&source).0)) {
            // A summary becomes a prompt elsewhere, which its own agent knows by its words.
            if session.events().any(talk::sums_up) {
                continue;
            }
            for away in targets().filter(|away| away.name() != home.name()) {
                let Ok(_) = write_with(away, &session, &options()) else { continue };
                let there = convert(&session, away);
                let back = convert(&there, home);
                let (went, came) = (talk(&there, true), talk(&back, true));
                let way = format!("{} -> {} and back", session.uid(), away.name());
                assert_eq!(came.said, went.said, "{way}");
                assert_eq!((came.calls, &came.results), (went.calls, &went.results), "{way}");
                assert_eq!(came.failed, went.failed, "{way}");
                ways += 1;
            }
        }
    }
    assert!(ways > 200, "{ways}");
}

#[test]
fn the_books_of_a_conversion_are_complete_and_true() {
    let mut crossed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for source in sources() {
        let bundle = catalog::bundle(&source).0;
        for session in source.format.read(Arc::new(bundle)).iter().filter(|s| !s.remainder) {
            let compacted = session.events().any(|e| e.standing().is_compacted());
            for target in targets().filter(|target| target.name() != session.format) {
                for all in [false, true].into_iter().take(1 + usize::from(compacted)) {
                    let done = usize::from(holds(session, target, all));
                    *crossed.entry((session.format, target.name())).or_default() += done;
                }
            }
        }
    }
    for format in verbatim_formats::ALL.iter().filter(|format| !format.is_document()) {
        for target in targets().filter(|target| target.name() != format.name()) {
            let count = crossed.get(&(format.name(), target.name())).copied().unwrap_or_default();
            assert!(count > 0, "{} -> {}", format.name(), target.name());
        }
    }
    assert!(by_name("claude-code").is_some());
}

/// The session of a sample, and its conversion.
fn sample() -> (Session, ClosedBooks, Vec<(String, Vec<u8>)>) {
    let edits = samples::workspace().join("crates/formats/src/agents/claude_code/samples/edits");
    let source = catalog::scan(verbatim_formats::ALL, &[Root::named(&edits)]).sources.remove(0);
    let bundle = catalog::bundle(&source).0;
    let session = source.format.read(Arc::new(bundle)).remove(0);
    let codex = by_name("codex").expect("a format");
    let written = write_with(codex, &session, &options()).expect("written");
    let files = written.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    let books = Arc::try_unwrap(written.books.expect("books")).expect("the only owner");
    (session, books, files)
}

/// A change to the books or the files of a conversion.
type Harm = fn(&mut ClosedBooks, &mut Vec<(String, Vec<u8>)>);

/// A writer that forgets, doubles, swaps or changes a value breaks the law.
#[test]
fn the_law_can_fail() {
    fn carried(books: &ClosedBooks, nth: usize) -> usize {
        let leaves = &books.files[0].leaves;
        let carried = |at: &usize| matches!(leaves[*at].origin, LeafOrigin::Carried(_));
        (0..leaves.len()).filter(carried).nth(nth).expect("a carried value")
    }
    let harms: [(&str, Harm); 6] = [
        ("none", |_, _| ()),
        ("a row is forgotten", |books, _| {
            let at = carried(books, 2);
            books.files[0].leaves.remove(at);
        }),
        ("a row is doubled", |books, _| {
            let at = carried(books, 2);
            let row = books.files[0].leaves[at].clone();
            books.files[0].leaves.insert(at, row);
        }),
        ("two rows are swapped", |books, _| {
            let (a, b) = (carried(books, 2), carried(books, 6));
            let leaves = &mut books.files[0].leaves;
            let (from, to) = (leaves[a].origin.clone(), leaves[b].origin.clone());
            (leaves[a].origin, leaves[b].origin) = (to, from);
        }),
        ("a byte is changed", |books, files| {
            let at = books.files[0].leaves[carried(books, 3)].span.start as usize;
            files[0].1[at + 1] ^= 1;
        }),
        ("a value is added that no row has", |_, files| {
            files[0].1.extend_from_slice(b"{\"more\":1}\n");
        }),
    ];
    for (what, harm) in harms {
        let (session, mut books, mut files) = sample();
        harm(&mut books, &mut files);
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            target_side("sample", &books, &files);
            pairs(&session, &books, &files);
        }));
        assert_eq!(judged.is_ok(), what == "none", "{what}");
    }
}

/// Equal prompts and answers of one instant, or without any time, stay several.
#[test]
fn equal_messages_stay_several() {
    for time in [r#","timestamp":"2026-03-01T10:00:00.000Z""#, ""] {
        let line = |id: usize| {
            let (kind, said) =
                if id.is_multiple_of(2) { ("user", "go on") } else { ("assistant", "ok") };
            let parent = id.checked_sub(1).map_or("null".into(), |id| format!("\"u{id}\""));
            format!(
                r#"{{"type":"{kind}","uuid":"u{id}","parentUuid":{parent},"cwd":"/srv/quay",
                "sessionId":"5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11"{time},"message":
                {{"role":"{kind}","content":[{{"type":"text","text":"{said}"}}]}}}}"#
            )
            .replace('\n', "")
                + "\n"
        };
        let text: String = (0..6).map(line).collect();
        let claude = by_name("claude-code").expect("a format");
        let member = Member::new("a.jsonl", Stream::Main, text.into_bytes()).expect("short");
        let session = claude.read(Arc::new(Bundle { members: vec![member] })).remove(0);
        assert_eq!(talk(&session, false).said.len(), 6);
        for target in targets().filter(|target| target.name() != "claude-code") {
            assert!(holds(&session, target, false), "{}", target.name());
        }
    }
}

/// Agents skip a line, or the whole file, that their parser refuses.
#[test]
fn values_that_parsers_refuse_are_cleaned() {
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let said = r#"{"role":"user","content":"half \ud83d of a pair \u0000 \u001b[31m"}"#;
    let input = format!(r#"{{"a":1,"a":2,"b":{deep}}}"#);
    let call = format!(r#"{{"type":"tool_use","id":"c1","name":"odd.name!","input":{input}}}"#);
    let called = format!(r#"{{"id":"m1","role":"assistant","model":"m","content":[{call}]}}"#);
    let line = |kind: &str, id: u32, parent: &str, message: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"u{id}\",\"parentUuid\":{parent},\
             \"cwd\":\"/srv/quay\",\
             \"sessionId\":\"5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11\",\
             \"timestamp\":\"2026-03-01T10:00:0{id}.000Z\",\"message\":{message}}}\n"
        )
    };
    let text = line("user", 1, "null", said) + &line("assistant", 2, "\"u1\"", &called);
    let claude = by_name("claude-code").expect("a format");
    let member = Member::new("a.jsonl", Stream::Main, text.into_bytes()).expect("short");
    let sessions = claude.read(Arc::new(Bundle { members: vec![member] }));
    for target in targets().filter(|target| target.name() != "claude-code") {
        let written = write_with(target, &sessions[0], &options()).expect("written");
        let mut all = String::new();
        for (name, bytes) in &written.files {
            let stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
            let values: Vec<Value> = stream.map(|value| value.expect(name)).collect();
            all += &serde_json::to_string(&values).expect("text");
        }
        assert!(all.contains("half \u{fffd} of a pair"), "{}: {all}", target.name());
        assert!(all.contains("odd_name_"), "{}: {all}", target.name());
    }
}
