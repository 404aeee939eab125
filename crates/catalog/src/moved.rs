//! Folders that a session's folder may have been moved to: looked for in a few places, and never
//! used unasked.

use std::path::{Path, PathBuf};

use session::Sorting as _;

use crate::error::MovedFolder;
use crate::open::bytes::bounded;
use crate::paths;
use crate::repository::working_trees;

/// The facts that a session records of the repository that it ran in.
#[derive(Clone, Debug, Default)]
pub struct RepositoryFacts {
    /// The address of its remote.
    pub remote: Option<String>,
    /// A commit of it.
    pub commit: Option<String>,
}

/// Greatest number of entries of a folder that are looked at.
const ENTRIES: usize = 1000;
/// Greatest length of a file of a repository that is read.
const LONGEST: u64 = 1 << 20;
/// Greatest number of folders that are suggested.
const MOST: usize = 3;

/// The folders that a folder which is gone may have been moved to: the repository that `here` is
/// in, and folders of its name in the nearest folder above it that is left, or one deeper. Those
/// that have the recorded remote or commit come first. The one of `here` must have it, or the name.
#[must_use]
pub fn moved(gone: &Path, here: Option<&Path>, facts: &RepositoryFacts) -> Vec<MovedFolder> {
    let name = gone.file_name();
    let is_named = |path: &Path| path.file_name().is_some() && path.file_name() == name;
    let mut candidates: Vec<PathBuf> = Vec::new();
    let mut add = |path: PathBuf| {
        let real = paths::real(&path).ok().filter(|path| path.is_dir());
        if let Some(real) = real.filter(|real| !candidates.contains(real)) {
            candidates.push(real);
        }
    };
    if let Some(here) = here {
        working_trees(here).into_iter().take(1).for_each(&mut add);
        add(here.to_path_buf());
    }
    let left = gone.ancestors().skip(1).find(|above| above.is_dir());
    if let Some((left, name)) = left.filter(|left| left.parent().is_some()).zip(name) {
        add(left.join(name));
        folders(left).into_iter().for_each(|folder| add(folder.join(name)));
    }
    let rank = |path: PathBuf| {
        let rank = match () {
            () if has_remote(&path, facts) => (0, "it has the same remote"),
            () if has_commit(&path, facts) => (1, "it has the commit of the session"),
            () if is_named(&path) => (2, "it has the same name"),
            () => return None,
        };
        // Another remote makes it another repository, whatever its name is.
        let is_other = rank.0 == 2 && facts.remote.is_some() && !remotes(&path).is_empty();
        (!is_other).then_some((rank, path))
    };
    let mut found: Vec<_> = candidates.into_iter().filter_map(rank).collect();
    found.in_order();
    let found = found.into_iter().take(MOST);
    found.map(|((_, why), path)| MovedFolder { path, why }).collect()
}

/// The folders in a folder, but hidden ones. Links are not followed.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = of.read_dir().into_iter().flatten().flatten().take(ENTRIES);
    let is_folder = |entry: &std::fs::DirEntry| {
        let hidden = entry.file_name().as_encoded_bytes().first() == Some(&b'.');
        !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let mut folders: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
    folders.in_order();
    folders
}

/// The addresses of the remotes that the configuration of a repository names. They are compared,
/// and nothing is done with them.
fn remotes(folder: &Path) -> Vec<String> {
    let bytes = bounded(&folder.join(".git/config"), LONGEST).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("url"));
    let urls = lines.filter_map(|rest| rest.trim_start().strip_prefix('='));
    urls.map(|url| address(url.trim())).collect()
}

fn has_remote(folder: &Path, facts: &RepositoryFacts) -> bool {
    facts.remote.as_deref().is_some_and(|remote| remotes(folder).contains(&address(remote)))
}

/// The host and the path of a repository's address: `git@host:a/b.git` and `https://host/a/b` are
/// one repository. The user, the port and a password are no part of it.
fn address(url: &str) -> String {
    let plain = url.split_once("://").map_or(url, |(_, rest)| rest);
    let plain = match plain.split_once('@') {
        Some((user, rest)) if !user.contains('/') => rest,
        _ => plain,
    };
    let plain = plain.trim_end_matches('/').trim_end_matches(".git").to_lowercase();
    let (host, path) = plain.split_once(['/', ':']).unwrap_or(("", &plain));
    let path = match path.split_once('/') {
        Some((port, rest)) if port.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => path,
    };
    format!("{host}/{}", path.trim_start_matches('/'))
}

/// Whether a repository has the commit: as an object of its own, or in the list of what its
/// branches were. A packed object is not looked for.
fn has_commit(folder: &Path, facts: &RepositoryFacts) -> bool {
    let is_hash = |hash: &&str| hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(hash) = facts.commit.as_deref().filter(is_hash) else { return false };
    let git = folder.join(".git");
    let (first, rest) = hash.split_at(2);
    let has = |name: &str| {
        let bytes = bounded(&git.join(name), LONGEST).unwrap_or_default();
        memchr::memmem::find(&bytes, hash.as_bytes()).is_some()
    };
    git.join("objects").join(first).join(rest).is_file() || has("logs/HEAD") || has("packed-refs")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn addresses_of_one_repository_are_equal() {
        for url in [
            "https://git.example.org/mira/tide-tables.git",
            "git@git.example.org:mira/tide-tables.git",
            "ssh://git@git.example.org:2222/mira/tide-tables",
            "https://user:word@git.example.org/Mira/tide-tables/",
        ] {
            assert_eq!(address(url), "git.example.org/mira/tide-tables", "{url}");
        }
    }

    #[test]
    fn a_moved_folder_is_found_by_its_remote_its_commit_or_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let repository = |name: &str, remote: &str| {
            let folder = top.join(name);
            fs::create_dir_all(folder.join(".git/logs")).unwrap();
            let config = format!("[remote \"origin\"]\n\turl = {remote}\n");
            fs::write(folder.join(".git/config"), config).unwrap();
            folder
        };
        let commit = "4be1d0c2a5f7e8899a0b1c2d3e4f5a6b7c8d9e0f";
        let named = repository("work/tides", "https://git.example.org/mira/tides.git");
        let other = repository("play/tides", "https://git.example.org/other/tides.git");
        let renamed = repository("tables", "https://git.example.org/new/tides");
        fs::write(renamed.join(".git/logs/HEAD"), format!("0 {commit} mira\n")).unwrap();
        let gone = top.join("old/tides");
        let facts = RepositoryFacts {
            remote: Some("git@git.example.org:mira/tides.git".into()),
            commit: Some(commit.into()),
        };
        let paths = |here: Option<&Path>, facts: &RepositoryFacts| -> Vec<PathBuf> {
            moved(&gone, here, facts).into_iter().map(|moved| moved.path).collect()
        };
        assert_eq!(paths(Some(&renamed), &facts), [named.clone(), renamed.clone()]);
        assert_eq!(paths(None, &facts), std::slice::from_ref(&named));
        let nothing = RepositoryFacts::default();
        assert_eq!(paths(Some(&renamed), &nothing), [other, named]);
        assert!(moved(&top.join("old/rivers"), Some(&renamed), &nothing).is_empty());
        assert!(moved(Path::new("/"), None, &facts).is_empty());
    }
}
