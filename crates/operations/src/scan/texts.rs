//! Files that are no session, for a scan for secrets: which of them are looked through as texts,
//! which have nothing to look through, and which can't be looked through.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use catalog::Catalog;
use catalog::find::environment::Root;
use catalog::find::found::{Found, SkipReason, Skipped};
use catalog::find::group::files;
use catalog::find::scan::scan_for;
use catalog::open::ends::Kept;

use crate::scan::SkippedFile;

/// The files beside the sessions of a scan.
#[derive(Default)]
pub(super) struct Beside {
    /// Those that are looked through as texts.
    pub(super) texts: Vec<PathBuf>,
    /// Those that are not, with the reasons.
    pub(super) skipped: Vec<SkippedFile>,
}

/// The files of a search that are no session.
pub(super) fn beside(catalog: &Catalog<'_>, found: &Found) -> Beside {
    let mut beside = Beside::default();
    let (mut homes, mut stores) = (None, BTreeSet::new());
    for Skipped { path, why } in &found.skipped {
        if let Some(store) = store(path) {
            stores.insert(store);
            continue;
        }
        let is_own = || is_housed(catalog, path, &mut homes);
        match treatment(why, is_own) {
            Treatment::Text => beside.texts.push(path.clone()),
            Treatment::Nothing => {}
            Treatment::Skip { open } => {
                let (path, why) = (path.clone(), why.to_string());
                beside.skipped.push(SkippedFile { path, why, open });
            }
        }
    }
    let skipped = |store: &Path| {
        let why = "the store of Git: what is checked out or staged is scanned".into();
        SkippedFile { path: store.to_path_buf(), why, open: false }
    };
    beside.skipped.extend(stores.into_iter().map(skipped));
    beside
}

/// Adds to a search what belongs to the sessions and is no session: of single sessions the
/// files in the folder that is named after each, of this machine's the prompt histories and
/// other files directly in the agents' own folders.
pub fn add_side_files(catalog: &Catalog<'_>, found: &mut Found, is_machine: bool) {
    let mut known: HashSet<PathBuf> =
        found.skipped.iter().map(|skipped| skipped.path.clone()).collect();
    let sessions = found.sources.iter().flat_map(|source| &source.files);
    known.extend(sessions.map(|file| file.path.to_path_buf()));
    let mut add = |paths: Vec<PathBuf>| {
        let roots: Vec<Root> = paths.into_iter().map(Root::named).collect();
        let below = scan_for(catalog.formats, &roots, &Kept::nothing());
        let new = below.skipped.into_iter().filter(|skipped| known.insert(skipped.path.clone()));
        found.skipped.extend(new);
    };
    if is_machine {
        let homes = catalog.formats.iter().flat_map(|format| catalog.machine.homes(*format));
        let homes: BTreeSet<PathBuf> = homes.collect();
        return add(homes.iter().flat_map(|home| files(home)).collect());
    }
    let folder = |path: &Path| Some(path.with_extension("")).filter(|at| at.is_dir());
    let main = found.sources.iter().flat_map(|source| &source.files);
    let folders: BTreeSet<PathBuf> = main.filter_map(|file| folder(&file.path)).collect();
    add(folders.into_iter().collect());
}

/// Whether a file is in a folder that an agent of this machine keeps for itself.
fn is_housed(catalog: &Catalog<'_>, path: &Path, homes: &mut Option<Vec<PathBuf>>) -> bool {
    let homes = homes.get_or_insert_with(|| {
        let homes = catalog.formats.iter().flat_map(|format| catalog.machine.homes(*format));
        homes.filter_map(|home| home.canonicalize().ok()).collect()
    });
    path.canonicalize().is_ok_and(|real| homes.iter().any(|home| real.starts_with(home)))
}

/// The store of Git that a file is in: its packed objects show no text.
fn store(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.file_name().is_some_and(|name| name == ".git"))
}

/// Treatment of a file that is no session.
enum Treatment {
    /// Looked through as a text.
    Text,
    /// There is nothing in it, or it is looked through under another name.
    Nothing,
    /// Listed only; `open` if it could have values that nobody looked for.
    Skip { open: bool },
}

fn treatment(why: &SkipReason, is_own: impl FnOnce() -> bool) -> Treatment {
    use SkipReason as Why;
    match why {
        Why::NoSession(..) | Why::Unknown | Why::Foreign(_) | Why::Compressed => Treatment::Text,
        Why::Empty | Why::Again | Why::Beside | Why::Note(_) => Treatment::Nothing,
        // An agent's own store of credentials is nothing that is shared with a session.
        Why::Sealed => match is_own() {
            true => Treatment::Skip { open: false },
            false => Treatment::Text,
        },
        Why::Database => Treatment::Skip { open: !is_own() },
        Why::Bare(_) | Why::Closed | Why::Special | Why::Dangling => {
            Treatment::Skip { open: false }
        }
        Why::Outside | Why::System | Why::Long(_) | Why::Unreadable(_) => {
            Treatment::Skip { open: true }
        }
    }
}

/// Beginnings of files that pack others, and the names of these forms.
const PACKED: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "Gzip"),
    (b"PK\x03\x04", "Zip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\xfd7zXZ\0", "XZ"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"%PDF-", "PDF"),
    (b"SQLite format 3\0", "SQLite"),
];

/// The form of a file that packs its texts, so that its bytes do not show them.
pub(super) fn packed(bytes: &[u8]) -> Option<&'static str> {
    let form = PACKED.iter().find(|(begin, _)| bytes.starts_with(begin));
    form.map(|(_, name)| *name)
}

/// A text in UTF-16 as UTF-8, if its first bytes say that it is in UTF-16.
pub(super) fn plain(bytes: Vec<u8>) -> Vec<u8> {
    let units = |of: fn([u8; 2]) -> u16| -> Vec<u8> {
        let units = bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect::<String>().into()
    };
    match &*bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => bytes,
    }
}
