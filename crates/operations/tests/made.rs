//! Databases that are made for an agent: they are found and read as its own, and have the
//! conversation of the rows that they are made from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::{Catalog, Machine, Root, scan};
use formats::{Content, Options};
use rusqlite::Connection;
use session::{Bundle, EventRef, Kind, Member, Session, Slot, Standing, Stream};
use sha2::{Digest as _, Sha256};

type Written = Vec<(String, Content)>;

/// The agents whose databases can be made.
fn targets() -> impl Iterator<Item = &'static str> {
    let makes = |format: &&&'static dyn formats::Format| {
        format.data().databases.iter().any(|kind| kind.schema.is_some())
    };
    formats::ALL.iter().filter(makes).map(|format| format.name())
}

/// The sessions of all samples, and the real ones.
fn sessions() -> Vec<Session> {
    let mut roots = vec![samples::workspace().join("crates/formats/src")];
    roots.extend(samples::corpus());
    let roots: Vec<Root> = roots.iter().map(Root::named).collect();
    let read = |source: &catalog::Source| source.format.read(Arc::new(catalog::bundle(source).0));
    scan(formats::ALL, &roots).sources.iter().flat_map(read).collect()
}

fn write(catalog: &Catalog<'_>, session: &Session, to: &str, rows: bool) -> Option<Written> {
    let mut files = Written::new();
    let options = Options { rows, ..Options::default() };
    verbatim_operations::convert_to(catalog, session, to, &options, &mut files).ok()?;
    Some(files)
}

/// The conversation: the kind of each live event, with its texts, names and ids.
fn said(session: &Session) -> Vec<(Kind, Vec<String>)> {
    let live = |event: &EventRef<'_>| event.standing() == Standing::Live;
    let slots = [Slot::Content, Slot::Name, Slot::Call, Slot::Input, Slot::Output, Slot::Time];
    let raw = |event: EventRef<'_>| {
        let raw = slots.into_iter().filter_map(|slot| event.raw(slot));
        (event.kind, raw.map(|raw| String::from_utf8_lossy(raw).into_owned()).collect())
    };
    let whole = |event: EventRef<'_>| {
        std::iter::once(raw(event)).chain(event.children().map(raw)).collect::<Vec<_>>()
    };
    session.top().filter(live).filter(|event| event.kind != Kind::Notice).flat_map(whole).collect()
}

/// Puts the files into a folder, and reads them as the sessions of an agent.
fn found(folder: &Path, files: &Written) -> Vec<Session> {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, &**content).expect("written");
    }
    let found = scan(formats::ALL, &[Root::named(folder)]);
    assert_eq!(found.sources.len(), 1, "one session");
    let (bundle, unread) = catalog::bundle(&found.sources[0]);
    assert!(unread.is_empty(), "{unread:?}");
    found.sources[0].format.read(Arc::new(bundle))
}

/// The ids of the messages and turns in a root, by another reader of its bytes.
fn references(root: &[u8]) -> Vec<String> {
    let mut rest = root;
    let mut ids = Vec::new();
    while let [tag, 32, more @ ..] = rest {
        assert!([1 << 3 | 2, 8 << 3 | 2].contains(tag), "{tag}");
        let (id, more) = more.split_at(32);
        ids.push(id.iter().map(|byte| format!("{byte:02x}")).collect());
        rest = more;
    }
    assert!(rest.is_empty());
    ids
}

/// A store of blobs: each is named by its digest, and the root names only blobs that are there.
fn store_is_sound(path: &Path) {
    let store = Connection::open(path).expect("a database");
    let version: i64 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("one");
    assert_eq!(version, 1);
    let mut query = store.prepare("SELECT id, data FROM blobs").expect("a table");
    let blobs = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let blobs: Vec<(String, Vec<u8>)> = blobs.collect::<Result<_, _>>().expect("texts and bytes");
    for (id, data) in &blobs {
        let digest: String = Sha256::digest(data).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(*id, digest);
    }
    let known: BTreeSet<&str> = blobs.iter().map(|(id, _)| &**id).collect();
    let meta: String =
        store.query_row("SELECT value FROM meta", [], |row| row.get(0)).expect("one");
    let byte = |at: usize| u8::from_str_radix(&meta[at..at + 2], 16).expect("hexadecimal digits");
    let meta: Vec<u8> = (0..meta.len()).step_by(2).map(byte).collect();
    let meta: serde_json::Value = serde_json::from_slice(&meta).expect("JSON");
    let root = meta["latestRootBlobId"].as_str().expect("a root");
    let (_, root) = blobs.iter().find(|(id, _)| id == root).expect("the root");
    let references = references(root);
    assert!(!references.is_empty());
    assert!(references.iter().all(|id| known.contains(&**id)));
}

#[test]
fn a_made_database_is_read_as_its_rows_are() {
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    let (mut made, sessions) = (0, sessions());
    for to in targets() {
        let format = catalog.format(to).expect("a format");
        for session in sessions.iter().filter(|session| session.format != to) {
            let Some(files) = write(&catalog, session, to, false) else { continue };
            let rows = write(&catalog, session, to, true).expect("the same as rows");
            let again = write(&catalog, session, to, false).expect("the same again");
            assert!(
                files.iter().zip(&again).all(|(a, b)| a.0 == b.0 && *a.1 == *b.1),
                "same bytes"
            );
            let member = |(name, content): &(String, Content)| {
                Member::new(name.as_str(), Stream::Main, content.to_vec()).expect("short")
            };
            let members = rows.iter().map(member).collect();
            let of_rows = format.read(Arc::new(Bundle { members }));
            let folder = tempfile::tempdir().expect("a folder");
            let of_files = found(folder.path(), &files);
            assert_eq!(of_files.len(), 1);
            assert_eq!(of_files[0].id, of_rows[0].id);
            assert_eq!(said(&of_files[0]), said(&of_rows[0]), "{}", session.uid());
            let stores =
                files.iter().filter(|(_, content)| content.starts_with(b"SQLite format 3"));
            let stores: Vec<PathBuf> = stores.map(|(name, _)| folder.path().join(name)).collect();
            assert_eq!(stores.len(), 1);
            stores.iter().for_each(|path| store_is_sound(path));
            made += 1;
        }
    }
    assert!(made > 30, "{made}");
}
