//! The proof of a conversion holds for every sample and every writer, and it can fail.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use catalog::{Root, Source, bundle, scan};
use formats::{
    ClosedBooks, Content, Format, Inverse, LeafOrigin, Options, TargetLeaf, WriteError, Written,
};
use session::{Session, UtcTime};
use verbatim_operations::prove_conversion;

mod texts;

fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpora().into_iter().flatten());
    let roots: Vec<Root> = roots.into_iter().map(Root::named).collect();
    scan(formats::ALL, &roots).sources
}

fn targets() -> impl Iterator<Item = &'static dyn Format> {
    formats::ALL.iter().copied().filter(|format| format.data().target.is_some())
}

/// The options of a file that was written then.
fn options() -> Options {
    Options { untimed: Some(UtcTime(1_780_000_000_000_000)), ..Options::default() }
}

#[test]
fn every_conversion_is_proven() {
    let (mut proven, mut faults) = (0, Vec::new());
    for source in sources() {
        let sessions: Vec<Session> = source.format.read(Arc::new(bundle(&source).0));
        for session in sessions.iter().filter(|session| !session.remainder) {
            for target in targets().filter(|target| target.name() != session.format) {
                let written = match formats::write_with(target, session, &options()) {
                    Ok(written) => written,
                    Err(WriteError::NoPrompt { .. }) => continue,
                    Err(error) => panic!("{}: {error}", session.uid()),
                };
                let proof = prove_conversion(session, target, &written);
                let way = format!("{} -> {}", session.uid(), target.name());
                faults.extend(proof.faults.iter().take(3).map(|fault| format!("{way}: {fault}")));
                assert!(proof.leaves > 0, "{way}");
                proven += 1;
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults of {proven}: {:#?}",
        faults.len(),
        &faults[..faults.len().min(40)]
    );
    assert!(proven > 500, "{proven}");
}

/// A change to the books, or to the bytes of the file.
type Harm = fn(&mut ClosedBooks, &mut Vec<u8>);

#[test]
fn the_proof_can_fail() {
    fn carried(books: &ClosedBooks) -> usize {
        let leaves = &books.files[0].leaves;
        let of = |leaf: &TargetLeaf| match leaf.origin {
            LeafOrigin::Carried(field) => Some(field),
            _ => None,
        };
        // Of a field that is in one place only.
        let alone = |at: &usize| {
            let field = of(&leaves[*at]);
            field.is_some() && leaves.iter().filter(|leaf| of(leaf) == field).count() == 1
        };
        (0..leaves.len()).filter(alone).nth(4).unwrap()
    }
    let harms: [(&str, Harm); 6] = [
        ("none", |_, _| ()),
        ("a row is forgotten", |books, _| {
            let at = carried(books);
            books.files[0].leaves.remove(at);
        }),
        ("a row is doubled", |books, _| {
            let row = books.files[0].leaves[carried(books)].clone();
            let at = carried(books);
            books.files[0].leaves.insert(at, row);
        }),
        ("a value is said to be made", |books, _| {
            let at = carried(books);
            books.files[0].leaves[at].origin = LeafOrigin::Made(meaning::account::Cause::Frame);
        }),
        ("a byte is changed", |books, bytes| {
            let at = books.files[0].leaves[carried(books)].span.start as usize;
            bytes[at + 1] ^= 1;
        }),
        ("a value is added that no row has", |_, bytes| {
            bytes.extend_from_slice(b"{\"more\":1}\n");
        }),
    ];
    let edits = samples::workspace().join("crates/formats/src/agents/claude_code/samples/edits");
    let source = scan(formats::ALL, &[Root::named(edits)]).sources.remove(0);
    let session = source.format.read(Arc::new(bundle(&source).0)).remove(0);
    let codex = formats::by_name("codex").unwrap();
    for (what, harm) in harms {
        let written = formats::write_with(codex, &session, &options()).unwrap();
        let (name, bytes) = (written.files[0].0.clone(), written.files[0].1.to_vec());
        let mut books = Arc::try_unwrap(written.books.unwrap()).unwrap();
        let mut bytes = bytes;
        harm(&mut books, &mut bytes);
        let files = vec![(name, Content::from(bytes))];
        let written = Written { files, books: Some(Arc::new(books)), ..Written::default() };
        let proof = prove_conversion(&session, codex, &written);
        assert_eq!(proof.is_good(), what == "none", "{what}: {:?}", proof.faults);
    }
}

/// Writes another value in place of a leaf's, and moves the leaves behind it.
fn rewrite(books: &mut ClosedBooks, bytes: &mut Vec<u8>, leaf: usize, json: &[u8]) {
    let leaves = &mut books.files[0].leaves;
    let span = leaves[leaf].span;
    bytes.splice(span.start as usize..span.end as usize, json.iter().copied());
    let moved = |at: u32| at + json.len() as u32 - (span.end - span.start);
    leaves[leaf].span.end = moved(span.end);
    for leaf in &mut leaves[leaf + 1..] {
        (leaf.span.start, leaf.span.end) = (moved(leaf.span.start), moved(leaf.span.end));
    }
}

/// Another value for a leaf; `None` if there is no such one.
type Changed<'c> = dyn Fn(&[TargetLeaf], &[u8]) -> Option<Vec<u8>> + 'c;

/// The text of a leaf.
fn text(leaf: &TargetLeaf, bytes: &[u8]) -> Option<String> {
    serde_json::from_slice(leaf.span.of(bytes)).ok()
}

/// The proof of a conversion in which one mapped value was changed.
fn harmed(
    session: &Session,
    target: &dyn Format,
    leaf: usize,
    change: impl FnOnce(&[TargetLeaf], &[u8]) -> Option<Vec<u8>>,
) -> Option<bool> {
    let written = formats::write_with(target, session, &options()).unwrap();
    let (name, mut bytes) = (written.files[0].0.clone(), written.files[0].1.to_vec());
    let mut books = Arc::try_unwrap(written.books.unwrap()).unwrap();
    let json = change(&books.files[0].leaves, &bytes)?;
    if json == leaf_bytes(&books, leaf, &bytes) {
        return None;
    }
    rewrite(&mut books, &mut bytes, leaf, &json);
    let mut files = vec![(name, Content::from(bytes))];
    files.extend(written.files.into_iter().skip(1));
    let written = Written { files, books: Some(Arc::new(books)), ..Written::default() };
    Some(prove_conversion(session, target, &written).is_good())
}

fn leaf_bytes(books: &ClosedBooks, leaf: usize, bytes: &[u8]) -> Vec<u8> {
    books.files[0].leaves[leaf].span.of(bytes).to_vec()
}

/// Each mapped value of a conversion that is shortened, emptied, spaced anew, or swapped with the
/// next one breaks the proof.
#[test]
fn harm_to_a_mapped_value_is_found() {
    let samples = samples::workspace().join("crates/formats/src/agents/claude_code/samples");
    let roots: Vec<Root> = ["edits", "compacted", "plain", "requests"]
        .iter()
        .map(|name| Root::named(samples.join(name)))
        .collect();
    let (mut done, mut kinds) = ([0; 4], std::collections::BTreeSet::new());
    for source in scan(formats::ALL, &roots).sources.into_iter().take(4) {
        let session = source.format.read(Arc::new(bundle(&source).0)).remove(0);
        for target in targets().filter(|target| target.name() != session.format) {
            let Ok(written) = formats::write_with(target, &session, &options()) else { continue };
            let books = written.books.unwrap();
            let leaves = books.files[0].leaves.iter().enumerate();
            let mapped: Vec<usize> = leaves
                .filter(|(_, leaf)| matches!(leaf.origin, LeafOrigin::Mapped(..)))
                .map(|(at, _)| at)
                .collect();
            for (nth, &at) in mapped.iter().enumerate() {
                kinds.extend(books.files[0].leaves[at].origin.mappings().iter().map(kind));
                let quoted = |text: String| serde_json::to_vec(&text).ok();
                let other = mapped.get(nth + 1).copied();
                let harms: [&Changed<'_>; 4] = [
                    &|leaves, bytes| {
                        let mut text = text(&leaves[at], bytes)?;
                        text.pop()?;
                        quoted(text)
                    },
                    &|_, _| Some(b"\"\"".to_vec()),
                    &|leaves, bytes| {
                        let text = text(&leaves[at], bytes)?;
                        let space = text.trim().find([' ', '\n'])?;
                        quoted(format!("{}  {}", &text[..space], &text[space + 1..]))
                    },
                    &|leaves, bytes| {
                        let next = leaves[other?].span.of(bytes).to_vec();
                        // Two equal instants, or the same words: nothing is swapped.
                        let twice = leaves[at].origin == leaves[other?].origin;
                        (!twice).then_some(next)
                    },
                ];
                for (which, harm) in harms.iter().enumerate() {
                    let Some(good) = harmed(&session, target, at, |l, b| harm(l, b)) else {
                        continue;
                    };
                    let way = format!("{} -> {}", session.uid(), target.name());
                    let leaf = &books.files[0].leaves[at];
                    assert!(!good, "{way}: harm {which} to {leaf:?} is not found");
                    done[which] += 1;
                }
            }
        }
    }
    assert!(done.iter().all(|count| *count > 10), "{done:?}");
    assert!(kinds.len() > 3, "{kinds:?}");
}

fn kind(mapping: &formats::Mapping) -> &'static str {
    mapping.inverse.word()
}

/// A value that has no inverse can't be called mapped.
#[test]
fn a_value_in_part_is_not_mapped() {
    let edits = samples::workspace().join("crates/formats/src/agents/claude_code/samples/edits");
    let source = scan(formats::ALL, &[Root::named(edits)]).sources.remove(0);
    let session = source.format.read(Arc::new(bundle(&source).0)).remove(0);
    let codex = formats::by_name("codex").unwrap();
    let written = formats::write_with(codex, &session, &options()).unwrap();
    let mut books = Arc::try_unwrap(written.books.unwrap()).unwrap();
    let leaves = &mut books.files[0].leaves;
    let at = leaves.iter().position(|leaf| matches!(leaf.origin, LeafOrigin::Mapped(..))).unwrap();
    if let LeafOrigin::Mapped(of, _) = &mut leaves[at].origin {
        of.iter_mut().for_each(|one| one.inverse = Inverse::None);
    }
    let written = Written { books: Some(Arc::new(books)), ..written };
    let proof = prove_conversion(&session, codex, &written);
    assert!(!proof.is_good());
}

/// Thoughts are compared wherever the target has a place for them: the books alone do not see that
/// its reader finds none.
#[test]
fn lost_thoughts_are_found() {
    let line = |at: u8, role: &str, content: &str| {
        let ids = format!(r#""uuid":"u{at}","parentUuid":"u{}","sessionId":"s""#, at - 1);
        let message = format!(r#"{{"role":"{role}","content":{content}}}"#);
        let head = r#""timestamp":"2026-02-03T07:00:00Z","cwd":"/srv/quay""#;
        format!("{{\"type\":\"{role}\",{ids},{head},\"message\":{message}}}\n")
    };
    let text = line(1, "user", r#""Where is the buoy?""#)
        + &line(2, "assistant", r#"[{"type":"thinking","thinking":"I look at the chart."}]"#)
        + &line(3, "assistant", r#"[{"type":"text","text":"At the pier."}]"#);
    let member = session::Member::new("s.jsonl", session::Stream::Main, text.into_bytes());
    let members = member.into_iter().collect();
    let claude = formats::by_name("claude-code").unwrap();
    let session = claude.read(Arc::new(session::Bundle { members })).remove(0);
    let codex = formats::by_name("codex").unwrap();
    for (harm, good) in [("agent_reasoning", true), ("agent_reas0ning", false)] {
        let mut written = formats::write_with(codex, &session, &options()).unwrap();
        let text = String::from_utf8(written.files[0].1.to_vec()).unwrap();
        assert!(text.contains("agent_reasoning"));
        written.files[0].1 = Content::from(text.replace("agent_reasoning", harm).into_bytes());
        let proof = prove_conversion(&session, codex, &written);
        assert_eq!(proof.is_good(), good, "{harm}: {:?}", proof.faults);
    }
}
