//! The repository's files for the rules: path and text, from the disk or from a test.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use crate::syntax::{Syntax, Token};

/// One file. If its bytes are not UTF-8, the text is empty, because no rule checks it.
#[derive(Debug)]
pub struct File {
    /// Its path, relative to the root, with `/` between folders.
    pub path: String,
    /// Its whole text.
    pub text: String,
    /// Its tokens, if it parses as Rust.
    pub syntax: Option<Syntax>,
}

impl File {
    fn new(path: String, text: String) -> File {
        let syntax = path.ends_with(".rs").then(|| Syntax::read(&text)).flatten();
        File { path, text, syntax }
    }

    /// Its extension, or an empty string.
    pub fn extension(&self) -> &str {
        self.path.rsplit('/').next().and_then(|n| n.rsplit_once('.')).map_or("", |(_, e)| e)
    }
}

/// All files, and the absolute paths of this machine that no file may name.
#[derive(Debug)]
pub struct Tree {
    /// The files, sorted by path.
    pub files: Vec<File>,
    /// Absolute paths without a trailing slash.
    pub places: Vec<String>,
    tests: BTreeSet<String>,
}

impl Tree {
    /// The files under `root`, without those that a line `/name` of `.gitignore` excludes.
    ///
    /// # Errors
    /// A folder or file that can't be read.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let ignored = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let mut left_out: Vec<&str> = ignored.lines().filter_map(|l| l.strip_prefix('/')).collect();
        left_out.push(".git");
        let mut files = Vec::new();
        walk(root, "", &left_out, &mut files)?;
        Ok(Tree::new(files))
    }

    /// A tree from a test's paths and texts.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        Tree::new(files.iter().map(|(p, t)| File::new((*p).to_owned(), (*t).to_owned())).collect())
    }

    fn new(mut files: Vec<File>) -> Tree {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let tests = files.iter().flat_map(test_modules).collect();
        Tree { files, places: Vec::new(), tests }
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|f| f.path == path).map(|f| f.text.as_str())
    }

    /// Whether a file or folder exists.
    pub fn has(&self, path: &str) -> bool {
        let within = |f: &File| f.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        path.is_empty() || self.files.iter().any(|f| f.path == path || within(f))
    }

    /// The names directly under a folder, without duplicates, sorted.
    pub fn names_under(&self, folder: &str) -> BTreeSet<&str> {
        let under =
            self.files.iter().filter_map(|f| f.path.strip_prefix(folder)?.strip_prefix('/'));
        under.filter_map(|rest| rest.split('/').next()).collect()
    }

    /// The Rust files under `folder` and their tokens outside tests.
    pub fn code<'t>(&'t self, folder: &str) -> impl Iterator<Item = (&'t File, Vec<&'t Token>)> {
        self.files.iter().filter(move |f| f.path.starts_with(folder)).filter_map(|file| {
            if self.is_test(&file.path) {
                return None;
            }
            let tokens = &file.syntax.as_ref()?.tokens;
            Some((file, tokens.iter().filter(|t| !t.test).collect()))
        })
    }

    /// Whether a file contains tests or benchmarks only.
    pub fn is_test(&self, path: &str) -> bool {
        let folder = |name: &str| path.split('/').any(|part| part == name);
        let declared = |t: &String| path.strip_prefix(t.as_str()).is_some_and(starts_module);
        folder("tests") || folder("benches") || self.tests.iter().any(declared)
    }
}

/// Whether the rest of a path, after a module's name, is the module's own file or a file below it.
fn starts_module(rest: &str) -> bool {
    rest == ".rs" || rest.starts_with('/')
}

/// The paths, without `.rs`, of the modules that a file declares under `#[cfg(test)]`.
fn test_modules(file: &File) -> Vec<String> {
    let Some(syntax) = &file.syntax else { return Vec::new() };
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let base = match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", name.trim_end_matches(".rs")),
    };
    syntax.test_modules.iter().map(|module| format!("{base}/{module}")).collect()
}

fn walk(root: &Path, under: &str, left_out: &[&str], files: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(under))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if under.is_empty() && left_out.contains(&name.as_str()) {
            continue;
        }
        let path = if under.is_empty() { name } else { format!("{under}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(root, &path, left_out, files)?;
        } else if kind.is_file() {
            let text = String::from_utf8(fs::read(entry.path())?).unwrap_or_default();
            files.push(File::new(path, text));
        }
    }
    Ok(())
}
