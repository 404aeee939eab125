//! Source: the files that make up one session.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use formats::{Format, Role};
use session::Bundle;

use crate::open::archived::{ArchivedFile, SourceLabels};
use crate::open::database::Selection;

/// Files that make up one session, or several sessions that can't be read separately.
#[derive(Clone, Debug)]
pub struct Source {
    /// The format that claims them.
    pub format: &'static dyn Format,
    /// Name of its group in the format, mostly the session's id.
    pub group: String,
    /// The files, in the order in which they are read.
    pub files: Vec<SourceFile>,
}

impl Source {
    /// The paths of the members of its bundle, in their order.
    pub fn paths(&self, bundle: &Bundle) -> Vec<PathBuf> {
        let mut by_name: HashMap<&str, &Path> = HashMap::new();
        for file in &self.files {
            by_name.entry(&file.name).or_insert(&file.path);
        }
        let known = |name: &str| by_name.get(name).map(|path| path.to_path_buf());
        let paths = bundle.members.iter().map(|member| &member.name);
        paths.map(|name| known(name).unwrap_or_else(|| PathBuf::from(name))).collect()
    }

    /// Size of its files in bytes, as stored.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// Whether it comes from an archive.
    #[must_use]
    pub fn is_archived(&self) -> bool {
        self.files.iter().any(|file| file.archived.is_some())
    }

    /// The labels of the run that kept it; none if it comes from no archive.
    #[must_use]
    pub fn labels(&self) -> SourceLabels {
        let mut kept = self.files.iter().filter_map(|file| file.archived.as_ref());
        kept.next().map(|archived| SourceLabels::clone(&archived.labels)).unwrap_or_default()
    }
}

/// A file of a session.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path of the file.
    pub path: Arc<Path>,
    /// Its name in the bundle: relative to the session's own folder, `/` between parts.
    pub name: String,
    /// Role of the file in the session.
    pub role: Role,
    /// Its length in bytes, as stored, when it was found.
    pub length: u64,
    /// The time of its last change.
    pub modified: Option<SystemTime>,
    /// The selected rows, if the file is a database.
    pub rows: Option<Selection>,
    /// Its bytes, if they are in an archive and not at its path.
    pub archived: Option<ArchivedFile>,
}

impl SourceFile {
    /// Whether it is the rows of a session in a database.
    #[must_use]
    pub fn is_dump(&self) -> bool {
        self.rows.is_some() || self.archived.as_ref().is_some_and(|archived| archived.is_dump)
    }
}

/// A file that a format has claimed.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The format.
    pub format: &'static dyn Format,
    /// The group (session) to which it belongs, as the format names it.
    pub group: String,
    /// The parent group of this group, if the file records one.
    pub above: Option<String>,
    /// The file. Its name is not yet relative to the session's folder.
    pub file: SourceFile,
}

#[cfg(test)]
mod tests {
    use session::{Member, Stream};

    use super::*;

    /// Looking up each name in the whole list would take minutes.
    #[test]
    fn paths_of_very_many_files_are_found_in_linear_time() {
        samples::assert_linear(12_500, found);
    }

    fn found(count: usize) {
        let name = |at: usize| format!("subagents/agent-{at:06}.jsonl");
        let file = |at: usize| SourceFile {
            path: Path::new("/srv").join(name(at)).into(),
            name: name(at),
            role: Role::Main,
            length: 0,
            modified: None,
            rows: None,
            archived: None,
        };
        let member = |at| Member::new(name(at), Stream::Main, Vec::new());
        let members = (0..count).rev().filter_map(member).collect();
        let files = (0..count).map(file).collect();
        let source = Source { format: formats::ALL[0], group: String::new(), files };
        let paths = source.paths(&Bundle { members });
        assert_eq!(paths.len(), count);
        assert_eq!(paths[0], PathBuf::from(format!("/srv/{}", name(count - 1))));
    }
}
