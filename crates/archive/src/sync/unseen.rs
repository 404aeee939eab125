//! Links that are not followed, and folders and files that can't be read.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use catalog::{SkipReason, Skipped};

use super::{Sources, SyncReport};

/// Names those that the search has met.
pub(super) fn note(sources: &Sources, report: &mut SyncReport) {
    let files = sources.found.sources.iter().flat_map(|source| &source.files);
    let beside = sources.beside.files.iter().map(|file| &*file.path);
    let kept: HashSet<&Path> = files.map(|file| &*file.path).chain(beside).collect();
    let mut links: BTreeMap<PathBuf, String> = BTreeMap::new();
    for Skipped { path, why } in &sources.found.skipped {
        let why = match why {
            why if why.is_failure() => {
                report.unread.push((path.clone(), why.to_string()));
                continue;
            }
            SkipReason::Outside => "a link out of the folder of its agent, which is not followed",
            SkipReason::Dangling => "a link to nothing",
            // What a link leads to is kept under its own name.
            SkipReason::Again if !is_kept(path, &kept) => {
                "a link to what is no session under its own name"
            }
            _ => continue,
        };
        links.insert(path.clone(), why.into());
    }
    for path in &sources.beside.links {
        links.entry(path.clone()).or_insert_with(|| "a link, which is not followed".into());
    }
    report.links.extend(links);
    let known: HashSet<PathBuf> = report.unread.iter().map(|(path, _)| path.clone()).collect();
    let beside = sources.beside.unread.iter().filter(|(path, _)| !known.contains(path));
    report.unread.extend(beside.cloned());
}

/// Whether the target of a link is one of these files, or a folder with one of them. Another name
/// of a file that is no link was named already.
fn is_kept(path: &Path, kept: &HashSet<&Path>) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    !path.is_symlink()
        || kept.iter().any(|kept| {
            kept.starts_with(&real) || kept.canonicalize().is_ok_and(|kept| kept.starts_with(&real))
        })
}
