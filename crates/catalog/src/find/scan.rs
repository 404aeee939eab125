//! Scan for sessions: every file below the roots is offered to the formats. Files of one session
//! become one [`Source`]. All other files are in [`Found::skipped`], with the reason.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use foldhash::fast::RandomState;
use formats::{Formats, Role};
use session::Sorting as _;

use crate::find::claim::claim;
use crate::find::environment::Root;
use crate::find::found::{Claimed, Claims, Found, SkipReason, Skipped};
use crate::find::group::{Groups, shared};
use crate::find::walk::{Met, Seen, walk};
use crate::open::beginning::begins;
use crate::open::database::DUMP;
use crate::open::ends::Kept;
use crate::open::source::{Source, SourceFile};
use crate::open::unpack::is_zstd;
use crate::parallel::parallel;
use crate::paths::relative;

/// Finds the sessions below `roots`.
#[must_use]
pub fn scan(formats: Formats<'_>, roots: &[Root]) -> Found {
    scan_for(formats, roots, &Kept::nothing())
}

/// The same scan, which keeps the ends of files in `kept` for callers that read them again.
pub fn scan_for(formats: Formats<'_>, roots: &[Root], kept: &Kept) -> Found {
    scan_with(formats, roots, kept, &|_| {})
}

/// The same scan. `glance` receives each claim to a file that is probably a whole session, on the
/// thread that has just read the file's beginning.
pub(crate) fn scan_with(
    formats: Formats<'_>,
    roots: &[Root],
    kept: &Kept,
    glance: Glance<'_>,
) -> Found {
    let mut scan = Scan::default();
    scan.gather_with(formats, met(roots), kept, glance);
    scan.finish()
}

/// A look at a file that is probably a whole session.
pub(crate) type Glance<'g> = &'g (dyn Fn(&Claimed) + Sync);

/// All entries below `roots`.
pub(crate) fn met(roots: &[Root]) -> Vec<(&Root, Met)> {
    let (mut met, mut seen) = (Vec::new(), Seen::default());
    for root in roots {
        let closed = root.format.map(|format| format.data().closed).unwrap_or_default();
        seen.stay_in(Some(&*root.path).filter(|_| root.bound));
        walk(&root.path, closed, &mut seen, &mut |each| met.push((root, each)));
    }
    met
}

/// An entry, with the formats' claims to it.
pub(crate) struct Asked {
    /// Path of the entry.
    pub path: Arc<Path>,
    /// Claims to it, one for each session.
    pub claims: Vec<Claimed>,
    /// Notes on the entry.
    pub notes: Vec<SkipReason>,
}

/// Probes all files on all cores. The answers have the order of the entries.
pub(crate) fn ask(formats: Formats<'_>, met: Vec<(&Root, Met)>, kept: &Kept) -> Vec<Asked> {
    ask_with(formats, met, kept, &|_| {}).map(|(_, asked)| asked).collect()
}

/// Whether a claimed file is probably a whole session: it has no folder beside it.
fn is_whole(claims: &Claims, folders: &HashSet<&[u8], RandomState>) -> bool {
    let [Claimed { file, .. }] = &*claims.files else { return false };
    file.role == Role::Main && file.rows.is_none() && {
        // The path without the extension: a folder of this name has more of the session.
        let ending = file.path.extension().map_or(0, |ending| ending.len() + 1);
        let path = file.path.as_os_str().as_encoded_bytes();
        let name = &path[..path.len() - ending];
        !folders.contains(name)
    }
}

/// The same, one answer after the other, each with the root of its entry: a scan may meet very many
/// files, and what is known of each is needed once.
fn ask_with<'r>(
    formats: Formats<'_>,
    met: Vec<(&'r Root, Met)>,
    kept: &Kept,
    glance: Glance<'_>,
) -> impl Iterator<Item = (&'r Root, Asked)> {
    // A session with further files has them in a folder of its name, itself or one level deeper.
    let files = met.iter().filter_map(|(_, met)| match met {
        Met::File(path) => path.parent(),
        _ => None,
    });
    let mut folders: HashSet<&[u8], RandomState> = HashSet::default();
    let mut last = Path::new("");
    for folder in files {
        if folder.as_os_str() != last.as_os_str() {
            let both = folder.ancestors().take(2);
            folders.extend(both.map(|folder| folder.as_os_str().as_encoded_bytes()));
            last = folder;
        }
    }
    let claimed = parallel(
        &met,
        |_| 0,
        |(root, met)| match met {
            Met::File(path) => {
                let claims = claim(formats, root, path, kept);
                match &claims {
                    Ok(all) if is_whole(all, &folders) => all.files.iter().for_each(glance),
                    _ => {}
                }
                claims
            }
            _ => Err(SkipReason::Unknown),
        },
    );
    let answer = |((root, met), claimed): ((&'r Root, Met), Result<Claims, SkipReason>)| {
        let (path, why) = match met {
            Met::File(path) => {
                let claimed = claimed.map(|claims| (claims.files, claims.notes));
                let (claims, notes) = claimed.unwrap_or_else(|why| (Vec::new(), vec![why]));
                return (root, Asked { path, claims, notes });
            }
            Met::Again(path) => (path, SkipReason::Again),
            Met::Special(path) => (path, SkipReason::Special),
            Met::Closed(path) => (path, SkipReason::Closed),
            Met::Outside(path) => (path, SkipReason::Outside),
            Met::Dangling(path) => (path, SkipReason::Dangling),
            Met::System(path) => (path, SkipReason::System),
            Met::Fault(path, error) => match root.variable {
                Some(name) if path == root.path => {
                    (path, SkipReason::Unreadable(format!("${name} names it: {error}")))
                }
                _ => (path, SkipReason::Unreadable(error.to_string())),
            },
        };
        (root, Asked { path: path.into(), claims: Vec::new(), notes: vec![why] })
    };
    met.into_iter().zip(claimed).map(answer)
}

#[derive(Default)]
pub(crate) struct Scan {
    pub groups: Groups,
    skipped: Vec<Skipped>,
}

impl Scan {
    /// Probes all files, and groups them into sources.
    pub(crate) fn gather(&mut self, formats: Formats<'_>, met: Vec<(&Root, Met)>, kept: &Kept) {
        self.gather_with(formats, met, kept, &|_| {});
    }

    fn gather_with(
        &mut self,
        formats: Formats<'_>,
        met: Vec<(&Root, Met)>,
        kept: &Kept,
        glance: Glance<'_>,
    ) {
        for (root, Asked { path, claims, notes }) in ask_with(formats, met, kept, glance) {
            claims.into_iter().for_each(|claimed| self.groups.add(root, claimed));
            let skipped = |why| Skipped { path: path.to_path_buf(), why };
            self.skipped.extend(notes.into_iter().map(skipped));
        }
    }

    /// The complete result of the scan.
    pub(crate) fn finish(self) -> Found {
        let mut found = Found { sources: self.groups.finish(), skipped: self.skipped };
        let copies: Vec<Source> = found.sources.iter_mut().flat_map(copies).collect();
        found.sources.extend(copies);
        for source in &mut found.sources {
            if source.files.iter().any(|file| is_zstd(&file.path)) {
                let paths: HashSet<Arc<Path>> =
                    source.files.iter().map(|file| file.path.clone()).collect();
                let doubled = |file: &mut SourceFile| {
                    is_zstd(&file.path) && paths.contains(&*file.path.with_extension(""))
                };
                let skipped = source.files.extract_if(.., doubled);
                let skipped = skipped.map(|file| Skipped {
                    path: file.path.to_path_buf(),
                    why: SkipReason::Compressed,
                });
                found.skipped.extend(skipped);
            }
            name(source);
        }
        found
    }
}

/// Maximum number of main files in a source that are compared with each other.
const COMPARED: usize = 64;

/// Takes copies out of a source: main files that are equal to another main file in their folder, or
/// to its beginning. Copies have the same id and so are in one group; each of their events would be
/// in the session twice. Files in different folders are not compared, because an agent may keep one
/// session in two of its own folders.
fn copies(source: &mut Source) -> Vec<Source> {
    let is_main =
        |file: &&SourceFile| file.role == Role::Main && file.rows.is_none() && !is_zstd(&file.path);
    // Most sessions are one file.
    if !(2..=COMPARED).contains(&source.files.iter().filter(is_main).count()) {
        return Vec::new();
    }
    let mut mains: Vec<SourceFile> = source.files.iter().filter(is_main).cloned().collect();
    // The longest file first. Of equally long files, the one whose name is the session's id comes
    // first.
    let named =
        |file: &SourceFile| file.path.file_stem().is_some_and(|stem| *stem == *source.group);
    let rank = |file: &SourceFile| (Reverse(file.length), !named(file), file.path.clone());
    mains.sort_by_cached_key(rank);
    let (mut kept, mut copies) = (Vec::<SourceFile>::new(), Vec::new());
    for file in mains {
        let is_copy = |other: &SourceFile| {
            file.path.parent() == other.path.parent()
                && begins(&file.path, &other.path).unwrap_or(false)
        };
        match kept.iter().any(is_copy) {
            true => copies.push(file),
            false => kept.push(file),
        }
    }
    source.files.retain(|file| copies.iter().all(|copy| copy.path != file.path));
    let (format, group) = (source.format, &source.group);
    let alone = |file| Source { format, group: group.clone(), files: vec![file] };
    copies.into_iter().map(alone).collect()
}

/// Names a source's files relative to their common folder, and sorts them: main files, files beside
/// them, then each sub-agent's. If no such name contains the group's name, the names are relative
/// to a higher folder, so that one does. Some agents record the id in a folder's name only.
pub(crate) fn name(source: &mut Source) {
    // Most sessions are one file that is named after them.
    if let [file] = &mut *source.files
        && file.rows.is_none()
        && let Some(name) = file.path.file_name().and_then(|name| name.to_str())
        && (source.group.is_empty() || name.starts_with(&source.group))
    {
        name.clone_into(&mut file.name);
        return;
    }
    let Some(shared) = shared(&source.files) else { return };
    let last = source.group.rsplit('/').next().unwrap_or_default();
    let names = |base: &Path| -> Vec<String> {
        source.files.iter().map(|file| relative(&file.path, base)).collect()
    };
    let says = |names: &Vec<String>| names.iter().any(|name| name.contains(last));
    let mut named = names(&shared);
    if !last.is_empty() && !says(&named) {
        named = shared.ancestors().skip(1).map(names).find(says).unwrap_or(named);
    }
    for (file, mut name) in source.files.iter_mut().zip(named) {
        if file.rows.is_some() {
            name.push_str(DUMP);
        }
        file.name = name;
    }
    source.files.in_order_by(|a, b| (rank(&a.role), &a.name).cmp(&(rank(&b.role), &b.name)));
}

fn rank(role: &Role) -> (u8, &str, u8) {
    match role {
        Role::Main => (0, "", 0),
        Role::Beside(None) => (0, "", 1),
        Role::Sub(stem) => (1, stem, 0),
        Role::Beside(Some(stem)) => (1, stem, 1),
    }
}
