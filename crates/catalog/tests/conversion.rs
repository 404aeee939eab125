//! The proof of a conversion holds for every sample and every writer, and it can fail.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use formats::{ClosedBooks, Content, Format, LeafOrigin, Options, WriteError, Written};
use session::Session;
use verbatim_catalog::{Root, Source, bundle, prove_conversion, scan};

fn sources() -> Vec<Source> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let roots: Vec<Root> = roots.into_iter().map(Root::named).collect();
    scan(formats::ALL, &roots).sources
}

fn targets() -> impl Iterator<Item = &'static dyn Format> {
    formats::ALL.iter().copied().filter(|format| format.target().is_some())
}

#[test]
fn every_conversion_is_proven() {
    let (mut proven, mut faults) = (0, Vec::new());
    for source in sources() {
        let sessions: Vec<Session> = source.format.read(Arc::new(bundle(&source).0));
        for session in sessions.iter().filter(|session| !session.remainder) {
            for target in targets().filter(|target| target.name() != session.format) {
                let written = match formats::write_with(target, session, &Options::default()) {
                    Ok(written) => written,
                    Err(WriteError::Silent { .. }) => continue,
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
        let of = |leaf: &formats::TargetLeaf| match leaf.origin {
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
            books.files[0].leaves[at].origin = LeafOrigin::Made(session::account::Cause::Frame);
        }),
        ("a byte is changed", |books, bytes| {
            let at = books.files[0].leaves[carried(books)].span.start as usize;
            bytes[at + 1] ^= 1;
        }),
        ("a value is added that no row has", |_, bytes| {
            bytes.extend_from_slice(b"{\"more\":1}\n");
        }),
    ];
    let edits = samples::workspace().join("crates/formats/src/claude_code/samples/edits");
    let source = scan(formats::ALL, &[Root::named(edits)]).sources.remove(0);
    let session = source.format.read(Arc::new(bundle(&source).0)).remove(0);
    let codex = formats::by_name("codex").unwrap();
    for (what, harm) in harms {
        let written = formats::write_with(codex, &session, &Options::default()).unwrap();
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
