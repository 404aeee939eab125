//! The working trees of a Git repository, read from its own small files.
//!
//! No program is started, and nothing that a repository configures is obeyed: a folder may be
//! anybody's clone. A working tree belongs to a repository only if each names the other, so that no
//! file of a clone can make another folder a part of it.

use std::path::{Path, PathBuf};

use session::Sorting as _;

use crate::open::bytes::bounded;
use crate::paths;

/// Greatest length of a file that holds one path.
const LONGEST: u64 = 16 * 1024;

/// Greatest number of linked working trees that are looked at.
const MOST: usize = 1000;

/// The working trees of the repository that a folder is in: the one with the folder first. Empty
/// outside of a repository.
#[must_use]
pub fn working_trees(folder: &Path) -> Vec<PathBuf> {
    let Some(own) = folder.ancestors().find(|folder| folder.join(".git").exists()) else {
        return Vec::new();
    };
    let mut trees = vec![own.to_path_buf()];
    let Some(common) = common(own) else { return trees };
    // The folder of a repository is `.git` in its main working tree, or a bare one has none.
    let main = common.parent().filter(|_| common.ends_with(".git"));
    let mut more = |tree: &Path| {
        if !trees.iter().any(|known| known == tree) {
            trees.push(tree.to_path_buf());
        }
    };
    if let Some(main) = main.filter(|main| main.join(".git").is_dir()) {
        more(main);
    }
    let linked = common.join("worktrees").read_dir().into_iter().flatten().flatten();
    let mut linked: Vec<PathBuf> = linked.take(MOST).map(|entry| entry.path()).collect();
    linked.in_order();
    linked.iter().filter_map(|about| tree_of(about)).for_each(|tree| more(&tree));
    trees
}

/// The commit that a working tree is at, and where its objects are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryHead {
    /// The folder of the working tree.
    pub tree: PathBuf,
    /// The folder of the objects.
    pub objects: PathBuf,
    /// The commit, in hexadecimal digits.
    pub commit: String,
    /// The commits whose parents a shallow clone does not have, as the repository lists them.
    pub shallow: Option<Vec<u8>>,
}

/// Greatest length of the list of packed references, and of that of a shallow clone's commits.
const LIST: u64 = 64 << 20;

/// The commit of the working tree that a folder is in. `None` outside of a repository, in one
/// without a commit, and where references are stored in another form than files.
#[must_use]
pub fn head(folder: &Path) -> Option<RepositoryHead> {
    let tree = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    let git = tree.join(".git");
    let (own, common) = match git.is_dir() {
        true => (git.clone(), git.canonicalize().ok()?),
        false => {
            let about = named(&git, Some("gitdir:"))?.canonicalize().ok()?;
            // A linked working tree shares the objects; a repository within another has its own.
            let common = common(tree).unwrap_or_else(|| about.clone());
            (about, common)
        }
    };
    let objects = common.join("objects");
    let head = String::from_utf8(bounded(&own.join("HEAD"), LONGEST).ok()?).ok()?;
    let commit = match head.trim_end().strip_prefix("ref: ") {
        Some(name) => reference(&own, name).or_else(|| reference(&common, name))?,
        None => head.trim_end().to_owned(),
    };
    let shallow = bounded(&common.join("shallow"), LIST).ok();
    let tree = tree.to_path_buf();
    (is_object(&commit) && objects.is_dir()).then_some(RepositoryHead {
        tree,
        objects,
        commit,
        shallow,
    })
}

/// The commit of a reference, by its own file or the list of packed ones.
fn reference(git: &Path, name: &str) -> Option<String> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    if !name.starts_with("refs/") || !name.split('/').all(is_plain) {
        return None;
    }
    if let Ok(bytes) = bounded(&git.join(name), LONGEST) {
        return Some(String::from_utf8(bytes).ok()?.trim_end().to_owned());
    }
    let packed = bounded(&git.join("packed-refs"), LIST).ok()?;
    let packed = String::from_utf8_lossy(&packed);
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, known)| *known == name).map(|(commit, _)| commit.to_owned())
}

/// Whether a text is the name of an object.
fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The folder of the repository of a working tree, if it names the tree in turn.
fn common(tree: &Path) -> Option<PathBuf> {
    let git = tree.join(".git");
    if git.is_dir() {
        return paths::real(&git).ok();
    }
    let about = paths::real(&named(&git, Some("gitdir:"))?).ok()?;
    // A repository within another one keeps its own folder elsewhere, and has no other trees.
    let common = paths::real(&named(&about.join("commondir"), None)?).ok()?;
    let is_listed = about.parent() == Some(&common.join("worktrees"));
    let is_mutual = tree_of(&about).is_some_and(|named| is_one(&named, tree));
    (is_listed && is_mutual).then_some(common)
}

/// The linked working tree that a folder below `worktrees` is about, if it names this folder.
fn tree_of(about: &Path) -> Option<PathBuf> {
    let git = named(&about.join("gitdir"), None)?;
    let back = named(&git, Some("gitdir:"))?;
    let tree = git.parent().filter(|_| git.ends_with(".git"))?;
    is_one(&back, about).then(|| paths::real(tree).ok()).flatten()
}

/// Whether two paths lead to one folder.
fn is_one(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The path in a file, behind a word. A relative one is from the folder of the file.
fn named(file: &Path, behind: Option<&str>) -> Option<PathBuf> {
    let text = String::from_utf8(bounded(file, LONGEST).ok()?).ok()?;
    let text = behind.map_or(Some(&*text), |word| text.strip_prefix(word))?;
    Some(file.parent()?.join(text.trim_matches(['\n', '\r', ' '])))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A repository `main`, and a tree `side` of it, as Git writes them.
    fn repository(top: &Path, relative: bool) {
        fs::create_dir_all(top.join("main/.git/worktrees/side")).unwrap();
        fs::create_dir_all(top.join("main/src")).unwrap();
        let about = top.join("main/.git/worktrees/side");
        let text = |path: &str| match relative {
            true => path.to_owned(),
            false => top.join(path.rsplit("../").next().unwrap()).display().to_string(),
        };
        let git = format!("gitdir: {}\n", text("../main/.git/worktrees/side"));
        put(&top.join("side/.git"), &git);
        put(&about.join("gitdir"), &format!("{}\n", text("../../../../side/.git")));
        put(&about.join("commondir"), "../..\n");
    }

    #[test]
    fn a_folder_is_in_all_trees_of_its_repository() {
        for relative in [false, true] {
            let temp = tempfile::tempdir().unwrap();
            let top = temp.path().canonicalize().unwrap();
            repository(&top, relative);
            let (main, side) = (top.join("main"), top.join("side"));
            assert_eq!(working_trees(&main.join("src")), [main.clone(), side.clone()]);
            assert_eq!(working_trees(&side), [side.clone(), main.clone()], "{relative}");
            assert!(working_trees(&top).is_empty());
        }
    }

    #[test]
    fn a_folder_that_does_not_name_the_repository_is_no_part_of_it() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        repository(&top, false);
        let (main, other) = (top.join("main"), top.join("other"));
        fs::create_dir_all(other.join(".git")).unwrap();
        // A clone names another folder, whose repository is its own.
        let about = main.join(".git/worktrees/other");
        put(&about.join("gitdir"), &format!("{}\n", other.join(".git").display()));
        put(&about.join("commondir"), "../..\n");
        assert_eq!(working_trees(&main), [main.clone(), top.join("side")]);
        // A folder names a repository that does not name it.
        let false_tree = top.join("false");
        put(&false_tree.join(".git"), &format!("gitdir: {}/.git\n", main.display()));
        assert_eq!(working_trees(&false_tree), std::slice::from_ref(&false_tree));
        let claimed = format!("gitdir: {}/.git/worktrees/side\n", main.display());
        put(&false_tree.join(".git"), &claimed);
        assert_eq!(working_trees(&false_tree), [false_tree]);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_a_device_is_no_repository() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/dev/zero", top.join(".git")).unwrap();
        assert_eq!(working_trees(&top), [top]);
    }
}
