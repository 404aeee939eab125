//! Texts and numbers that are hard to represent (SAFETY C5, C7), in the samples of every agent.
//! Both documents restore their bytes and spellings, each view shows the session, and no counter
//! overflows.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::{Catalog, Source, Unread, bundle, summaries};
use formats::{Options, stead, vac};
use session::{Bundle, Kind, Member, Session, Slot, Transport, proof};
use verbatim_operations::usage::usage;
use views::transcript::{Body, Detail, Transcript};

/// The slots of token counters.
const COUNTERS: [Slot; 7] = [
    Slot::TokensIn,
    Slot::TokensOut,
    Slot::CacheRead,
    Slot::CacheWrite,
    Slot::TokensReasoning,
    Slot::TokensTool,
    Slot::TokensTotal,
];

/// The agents' samples that are plain files.
fn sources() -> Vec<Source> {
    let folder = samples::workspace().join("crates/formats/src");
    let mut sources = Catalog::here().find(&[folder]).sources;
    sources.retain(|source| {
        let is_document = [vac::NAME, stead::NAME].contains(&source.format.name());
        let is_plain = |member: &Member| matches!(member.transport(), Transport::Plain);
        !is_document
            && source.files.iter().all(|file| file.rows.is_none())
            && bundle(source).0.members.iter().all(is_plain)
    });
    sources
}

/// The source with each file changed, in a folder of its own.
fn saved(source: &Source, change: impl Fn(u32, Vec<u8>) -> Vec<u8>) -> (tempfile::TempDir, Source) {
    let (folder, mut source) = (tempfile::tempdir().unwrap(), source.clone());
    for (at, file) in (0..).zip(&mut source.files) {
        let own = folder.path().join(at.to_string());
        std::fs::create_dir(&own).unwrap();
        let path = own.join(file.path.file_name().unwrap());
        std::fs::write(&path, change(at, std::fs::read(&file.path).unwrap())).unwrap();
        file.path = path.into();
    }
    (folder, source)
}

/// The source with a new value in these slots, and the number of replaced values.
fn replaced(
    source: &Source,
    slots: &[Slot],
    kind: Option<Kind>,
    new: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> (tempfile::TempDir, Source, usize) {
    let members = Arc::new(bundle(source).0);
    let mut places: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
    for session in source.format.read(Arc::clone(&members)) {
        for event in session.events().filter(|event| kind.is_none_or(|kind| event.kind == kind)) {
            let name = &members.members[event.origin.member as usize].name;
            for field in event.fields().iter().filter(|field| slots.contains(&field.slot)) {
                if new(event.value(*field)).is_some() {
                    places.entry(name.clone()).or_default().insert(field.value);
                }
            }
        }
    }
    let count = places.values().map(BTreeSet::len).sum();
    let (folder, source) = saved(source, |at, mut bytes| {
        let spans = places.get(&*source.files[at as usize].name);
        for span in spans.into_iter().flatten().rev() {
            let value = new(span.of(&bytes)).unwrap();
            bytes.splice(span.start as usize..span.end as usize, value);
        }
        bytes
    });
    (folder, source, count)
}

fn occurrences(bundle: &Bundle, needle: &[u8]) -> usize {
    let windows =
        |member: &Member| member.bytes().windows(needle.len()).filter(|w| *w == needle).count();
    bundle.members.iter().map(windows).sum()
}

/// Checks that the proof holds, that both documents restore each spelling, and that each view has
/// the session.
fn holds(source: &Source, spelling: &[u8], what: &str) -> Vec<Session> {
    let (members, unread) = bundle(source);
    assert!(unread.is_empty(), "{what}: {unread:?}");
    let sessions = source.format.read(Arc::new(members));
    assert_eq!(proof::check(&sessions, 3), [], "{what}");
    let whole = Options { embed: true, secrets: true, ..Options::default() };
    let plain = Options { secrets: true, ..Options::default() };
    for session in &sessions {
        let what = format!("{} {what}", session.uid());
        let own = session.bundle.members.iter().map(Member::bytes);
        let restored = vac::restore(&vac::record(session, &whole)).unwrap().bundle;
        assert!(own.eq(restored.members.iter().map(Member::bytes)), "{what}: embedded");
        let mut document = Vec::new();
        stead::write_document(session, &plain, &mut document).unwrap();
        let restored = [
            vac::restore(&vac::record(session, &plain)).unwrap().bundle,
            stead::restore(&document).unwrap().bundle,
        ];
        let expected: usize = session
            .records
            .iter()
            .map(|record| session.record_bytes(record))
            .map(|record| record.windows(spelling.len()).filter(|w| *w == spelling).count())
            .sum();
        // White space between records may or may not be restored.
        let most = occurrences(&session.bundle, spelling);
        for bundle in &restored {
            let found = occurrences(bundle, spelling);
            assert!((expected..=most.max(expected)).contains(&found), "{what}: {found}");
        }
        let items = Transcript::of(session, Detail::Whole).count();
        assert!(items <= session.len(), "{what}");
    }
    assert!(!summaries(source).unwrap().is_empty(), "{what}");
    // A counter that is not a number of tokens is reported. Nothing else is left unread.
    let counted = usage(&source.clone().into());
    let told = |unread: &Unread| unread.why.contains("is not a number of tokens");
    assert!(counted.unread().all(told), "{what}");
    sessions
}

/// Whether a transcript shows U+FFFD.
fn shows_replacement(session: &Session) -> bool {
    Transcript::of(session, Detail::Whole).any(|item| match item.body {
        Body::Prompt(said) | Body::Injected(said) | Body::Answer(said) => {
            said.text.contains('\u{fffd}')
        }
        Body::Notice(notice) => notice.lines().iter().any(|line| line.contains('\u{fffd}')),
        _ => false,
    })
}

#[test]
fn texts_that_are_no_unicode_are_kept_and_shown() {
    let spellings: [(&[u8], bool); 7] = [
        (b"\xff\xfe", true),
        (b"\xc3(", true),
        (b"\xed\xa0\x80", true),
        (b"\\ud800", true),
        (b"\\udc00\\ud800", true),
        (b"\\u0000", false),
        (b"\xef\xbb\xbf", false),
    ];
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources() {
        for (spelling, is_replaced) in spellings {
            let new = |raw: &[u8]| {
                let text = raw.strip_prefix(b"\"")?;
                Some([b"\"", spelling, text].concat())
            };
            let (_folder, source, count) =
                replaced(&source, &[Slot::Content], Some(Kind::User), &new);
            let name = source.format.name();
            let what = format!("{name} {:?} {}", source.files[0].name, spelling.escape_ascii());
            let sessions = holds(&source, spelling, &what);
            if is_replaced && count > 0 {
                assert!(sessions.iter().any(shows_replacement), "{what}: not shown");
                *shown.entry(name).or_default() += 1;
            }
        }
    }
    assert!(shown.len() >= 7, "{shown:?}");
}

/// Files with a byte order mark, or in UTF-16: each is a session, or is refused with the reason.
#[test]
fn files_in_another_encoding_are_kept_or_refused() {
    let mut kept = BTreeSet::new();
    for source in sources() {
        let wide = |text: &[u8], of: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let text = format!("\u{feff}{}", String::from_utf8_lossy(text));
            text.encode_utf16().flat_map(of).collect()
        };
        type Change<'c> = &'c dyn Fn(Vec<u8>) -> Vec<u8>;
        let changes: [(&str, Change<'_>); 3] = [
            ("BOM", &|text| [b"\xef\xbb\xbf", &*text].concat()),
            ("UTF-16LE", &|text| wide(&text, u16::to_le_bytes)),
            ("UTF-16BE", &|text| wide(&text, u16::to_be_bytes)),
        ];
        for (what, change) in changes {
            let (folder, source) = saved(&source, |_, bytes| change(bytes));
            let name = source.format.name();
            let what = format!("{name} {:?} {what}", source.files[0].name);
            // The file is read without detection. Everything that is read is kept.
            let sessions = source.format.read(Arc::new(bundle(&source).0));
            assert_eq!(proof::check(&sessions, 3), [], "{what}");
            let found = Catalog::here().find(&[folder.path().to_owned()]);
            let told = found.sources.iter().map(|source| source.files.len()).sum::<usize>();
            assert!(told + found.skipped.len() >= 1, "{what}: {:?}", found.skipped.len());
            for source in &found.sources {
                kept.insert(name);
                holds(source, b"\xef\xbb\xbf", &what);
            }
        }
    }
    assert!(kept.len() >= 5, "{kept:?}");
}

#[test]
fn numbers_keep_their_spelling_and_counters_never_wrap() {
    let long = "9".repeat(10_000);
    let spellings = [
        "1e400",
        "-1e400",
        "9007199254740993",
        "-0",
        "18446744073709551615",
        "18446744073709551616",
        &long,
    ];
    let mut changed: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources() {
        for spelling in spellings {
            let new = |raw: &[u8]| raw[0].is_ascii_digit().then(|| spelling.into());
            let slots = [&COUNTERS[..], &[Slot::Cost]].concat();
            let (_folder, source, count) = replaced(&source, &slots, None, &new);
            let name = source.format.name();
            *changed.entry(name).or_default() += count;
            let cut = &spelling[..spelling.len().min(24)];
            let what = format!("{name} {:?} {cut}", source.files[0].name);
            if count > 0 {
                holds(&source, spelling.as_bytes(), &what);
            }
        }
    }
    assert!(changed.values().filter(|count| **count > 0).count() >= 5, "{changed:?}");
}
