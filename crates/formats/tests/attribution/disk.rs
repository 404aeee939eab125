//! Files on disk that are edited, and the author of each line. The authors are recorded line by
//! line as the edits are made, without any knowledge of sessions, patches or differences.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The line existed when the session began.
    Start,
    /// Somebody else, meanwhile.
    Other,
    /// The edit with this number.
    Edit(usize),
}

/// Replacement of lines: `gone` lines from `at` on (0-based) become `new`.
#[derive(Clone, Debug)]
pub(crate) struct Splice {
    pub at: usize,
    pub gone: usize,
    pub new: Vec<String>,
}

/// A folder of files. All lines are different.
pub(crate) struct Disk {
    pub folder: tempfile::TempDir,
    lines: BTreeMap<String, Vec<(String, By)>>,
    start: BTreeMap<String, String>,
    told: usize,
    state: u64,
}

impl Disk {
    pub(crate) fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (lines, start) = (BTreeMap::new(), BTreeMap::new());
        Self { folder, lines, start, told: 0, state: seed }
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.state >> 33) as usize % limit.max(1)
    }

    /// New lines, some of them indented with tabs, some with spaces.
    pub(crate) fn fresh(&mut self, count: usize) -> Vec<String> {
        let line = |_| {
            self.told += 1;
            let indent = ["", "\t", "    ", "\t\t"][self.told % 4];
            format!("{indent}say(\"line {} – ü\"); // tag{}.", self.told, self.told * 7919 % 9)
        };
        (0..count).map(line).collect()
    }

    /// Adds a file that exists when the session begins.
    pub(crate) fn begin(&mut self, path: &str, count: usize) {
        let lines = self.fresh(count).into_iter().map(|line| (line, By::Start)).collect();
        self.lines.insert(path.to_owned(), lines);
        let text = self.save(path);
        self.start.insert(path.to_owned(), text);
    }

    /// Path of a file.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Content of a file, read from the disk.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).expect("a file")
    }

    /// Its content when the session began; empty for a new file.
    pub(crate) fn began(&self, path: &str) -> &str {
        self.start.get(path).map_or("", String::as_str)
    }

    /// Number of its lines.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.lines[path].len()
    }

    /// The text of its line.
    pub(crate) fn line(&self, path: &str, at: usize) -> &str {
        &self.lines[path][at].0
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.lines.keys().cloned().collect()
    }

    /// Replaces lines.
    pub(crate) fn splice(&mut self, path: &str, splice: &Splice, by: By) {
        let lines = self.lines.entry(path.to_owned()).or_default();
        let new = splice.new.iter().map(|line| (line.clone(), by));
        lines.splice(splice.at..splice.at + splice.gone, new);
        self.save(path);
    }

    /// Replaces a text wherever it occurs within lines.
    pub(crate) fn rename(&mut self, path: &str, from: &str, to: &str, by: By) {
        for (line, owner) in self.lines.get_mut(path).into_iter().flatten() {
            if line.contains(from) {
                (*line, *owner) = (line.replace(from, to), by);
            }
        }
        self.save(path);
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.lines.remove(path);
        std::fs::remove_file(self.path(path)).expect("a file");
    }

    fn save(&self, path: &str) -> String {
        let text: String = self.lines[path].iter().flat_map(|(line, _)| [line, "\n"]).collect();
        let target = self.path(path);
        std::fs::create_dir_all(target.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(target, &text).expect("written");
        text
    }

    /// The author of each line of a file.
    pub(crate) fn owners(&self, path: &str) -> Vec<By> {
        self.lines.get(path).into_iter().flatten().map(|(_, by)| *by).collect()
    }
}
