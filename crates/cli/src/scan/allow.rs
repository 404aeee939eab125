//! The list of accepted findings: a text file, a finding a line, that people read and edit.
//!
//! ```text
//! # RULE PLACE -- REASON
//! github-pat docs/setup.md:12 -- the example of the provider's manual
//! password tests/data/* -- made-up values
//! jwt tag:K3J5QZ7RMA -- revoked in March
//! not-read assets/fonts.zip -- only fonts
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use api::redact::FindingRow;
use api::values::ranges;
use session::Sorting as _;

use crate::exit::Failure;
use crate::input;

/// The name of the list.
pub(super) const NAME: &str = ".verbatim-allow";
/// In the place of a rule: any rule.
const ANY: &str = "*";
/// In the place of a rule: a file that can't be looked through.
const NOT_READ: &str = "not-read";
const REASON: &str = " -- ";
const HEAD: &str = "# Findings of `verbatim scan` that are accepted: RULE PLACE -- REASON\n";

/// The greatest length of a list.
const LONGEST: u64 = 1 << 24;

/// The list.
pub(super) struct AllowList {
    path: PathBuf,
    /// The folder below which it accepts; `None` if the user named the list, which then accepts
    /// everywhere. A list that is only found may be anybody's, as that of a cloned repository.
    folder: Option<Folder>,
    text: String,
    entries: Vec<Entry>,
}

/// The folder of a list that nobody named.
pub(super) struct Folder {
    /// Its path without links.
    real: PathBuf,
    /// Whether the scan is of the content that Git holds for this folder: its paths are those of
    /// the repository, and nothing has to be on the disk.
    staged: bool,
}

impl Folder {
    /// The folder at a path.
    pub(super) fn of(path: &Path, staged: bool) -> Self {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Self { real, staged }
    }

    /// Whether a file is below it. A link within the folder may lead to a file elsewhere, and what
    /// came through standard input is nowhere.
    pub(super) fn holds(&self, file: &Path) -> bool {
        self.staged || file.canonicalize().is_ok_and(|file| file.starts_with(&self.real))
    }
}

struct Entry {
    rule: String,
    place: Place,
}

enum Place {
    /// The tag of a value.
    Tag(String),
    /// A file, with `*` for any characters, and perhaps a line and a pointer.
    File { path: String, lines: Option<Lines> },
}

/// Lines of a file, and perhaps a pointer into each.
struct Lines {
    first: u32,
    last: u32,
    pointer: String,
}

impl AllowList {
    /// Reads a list. Without a folder somebody named it, and it has to exist.
    pub(super) fn read(path: &Path, folder: Option<Folder>) -> Result<Self, Failure> {
        let path = path.to_path_buf();
        let text = match input::named_text(&path, LONGEST, "a list of accepted findings") {
            Err(Failure::File(_, error))
                if folder.is_some() && error.kind() == std::io::ErrorKind::NotFound =>
            {
                String::new()
            }
            read => read?,
        };
        let mut entries = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = Entry::of(line).ok_or_else(|| {
                let what = format!("{}: line {number} accepts nothing", path.display());
                Failure::Usage(what, format!("a line is: RULE PLACE{REASON}REASON"))
            })?;
            entries.push(entry);
        }
        Ok(Self { path, folder, text, entries })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has a line that accepts something.
    pub(super) const fn is_used(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Whether it may say something of a file.
    pub(super) fn is_about(&self, file: &Path) -> bool {
        self.folder.as_ref().is_none_or(|folder| folder.holds(file))
    }

    /// Whether a finding is accepted.
    pub(super) fn has(&self, row: &FindingRow<'_>) -> bool {
        self.entries.iter().any(|entry| entry.accepts(row)) && self.is_about(Path::new(&*row.file))
    }

    /// Whether it is accepted that a file, which has this name here, is not looked through.
    pub(super) fn has_unread(&self, file: &Path, name: &str) -> bool {
        let accepts = |entry: &Entry| match &entry.place {
            Place::File { path, lines: None } => entry.rule == NOT_READ && fits(path, &plain(name)),
            _ => false,
        };
        self.entries.iter().any(accepts) && self.is_about(file)
    }

    /// Whether lines name tags, and the tags of this run are others.
    pub(super) fn has_foreign_tags(&self, by_tag: bool) -> bool {
        !by_tag && self.entries.iter().any(|entry| matches!(entry.place, Place::Tag(_)))
    }

    /// Adds a line for each of these findings; returns the lines.
    pub(super) fn add<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r FindingRow<'r>>,
        reason: &str,
        by_tag: bool,
    ) -> Result<Vec<String>, Failure> {
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        if reason.is_empty() || reason.contains(REASON.trim()) {
            let what = "the reason is empty, or has `--` in it".to_owned();
            return Err(Failure::Usage(what, "say why: `--accept \"an example\"`".into()));
        }
        let mut places: BTreeMap<(String, String, String), Vec<u32>> = BTreeMap::new();
        for row in rows {
            let (rule, tag) = (row.rule.to_owned(), format!("tag:{}", row.entry.tag));
            let key = match by_tag {
                true => (rule, tag, String::new()),
                false => (rule, plain(&row.path), plain(&row.entry.text.pointer)),
            };
            places.entry(key).or_default().push(row.entry.line);
        }
        let mut lines: Vec<String> = Vec::new();
        for ((rule, place, pointer), mut at) in places {
            at.in_order();
            let mut add = |place: &str| lines.push(format!("{rule} {place}{REASON}{reason}"));
            match by_tag {
                true => add(&place),
                false => ranges(at).iter().for_each(|at| add(&format!("{place}:{at}{pointer}"))),
            }
        }
        if self.text.is_empty() {
            self.text.push_str(HEAD);
        } else if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        lines.iter().for_each(|line| self.text.extend([line, "\n"]));
        Ok(lines)
    }

    /// Writes the list, whole.
    pub(super) fn write(&self) -> Result<(), Failure> {
        store::save(&self.path, self.text.as_bytes(), true)?;
        Ok(())
    }
}

impl Entry {
    fn of(line: &str) -> Option<Self> {
        let (what, reason) = line.rsplit_once(REASON)?;
        let (rule, place) = what.split_once(char::is_whitespace)?;
        let place = place.trim();
        if place.is_empty() || reason.trim().is_empty() {
            return None;
        }
        let place = match place.strip_prefix("tag:") {
            Some(tag) => Place::Tag(tag.to_owned()),
            None => Place::of(place),
        };
        Some(Self { rule: rule.to_owned(), place })
    }

    fn accepts(&self, row: &FindingRow<'_>) -> bool {
        let of_rule = self.rule == ANY || self.rule == row.rule;
        of_rule
            && match &self.place {
                Place::Tag(tag) => tag == row.entry.tag.as_str(),
                Place::File { path, lines } => {
                    let there = |Lines { first, last, pointer }: &Lines| {
                        (*first..=*last).contains(&row.entry.line)
                            && (pointer.is_empty() || *pointer == plain(&row.entry.text.pointer))
                    };
                    lines.as_ref().is_none_or(there) && fits(path, &plain(&row.path))
                }
            }
    }
}

impl Place {
    /// `FILE`, `FILE:LINE`, `FILE:LINE-LINE`, or one of them with a pointer: `FILE:LINE/POINTER`.
    fn of(place: &str) -> Self {
        let colons = place.rmatch_indices(':');
        let mut split = colons.filter_map(|(at, _)| Some((at, Lines::of(&place[at + 1..])?)));
        match split.next_back() {
            Some((at, lines)) => Self::File { path: place[..at].to_owned(), lines: Some(lines) },
            None => Self::File { path: place.to_owned(), lines: None },
        }
    }
}

impl Lines {
    fn of(text: &str) -> Option<Self> {
        let (lines, pointer) = text.split_at(text.find('/').unwrap_or(text.len()));
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        Some(Self { first, last, pointer: pointer.to_owned() })
    }
}

/// A path or a pointer on one line: control characters and `%` as `%XX`.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => plain.push_str("%25"),
            c if c.is_control() => plain.push_str(&format!("%{:02X}", u32::from(c))),
            c => plain.push(c),
        }
    }
    plain
}

/// Whether a path fits a pattern in which `*` is any characters.
fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use api::redact::Fingerprint;
    use redact::rules::Class;
    use redact::{ReportEntry, ReportText, Tag, TagKey};

    use super::*;

    fn tag() -> Tag {
        TagKey::new([1; 32]).tag(Class::Password, b"value")
    }

    fn row<'r>(rule: &'r str, path: &str, line: u32, pointer: &str) -> FindingRow<'r> {
        let entry = ReportEntry {
            member: 0,
            line,
            bytes: (0, 9),
            text: Arc::new(ReportText { file: path.into(), pointer: pointer.into() }),
            wrappings: Box::new([]),
            rule: rule.into(),
            tag: tag(),
            class: Class::Password,
            is_dropped: false,
        };
        let (file, path) = (path.into(), path.into());
        let (entry, fingerprint) = (Box::leak(Box::new(entry)), Fingerprint::default());
        FindingRow { entry, rule, file, path, fingerprint }
    }

    fn list(text: &str) -> AllowList {
        let entries = text.lines().map(|line| Entry::of(line).expect("a line")).collect();
        AllowList { path: NAME.into(), folder: None, text: text.into(), entries }
    }

    #[test]
    fn a_line_accepts_its_place_and_nothing_else() {
        let tag = tag();
        let lines = format!("jwt a b/c:d.txt:7 -- one\npw t/*.env -- two\nx tag:{tag} -- three\n");
        let list = list(&lines);
        assert!(list.has(&row("jwt", "a b/c:d.txt", 7, "")));
        assert!(list.has(&row("jwt", "a b/c:d.txt", 7, "/text")), "any pointer of the line");
        assert!(list.has(&row("pw", "t/x/y.env", 3, "/a")) && list.has(&row("x", "q", 1, "")));
        for (rule, path, line) in [
            ("pw", "a b/c:d.txt", 7),
            ("jwt", "a b/c:d.txt", 8),
            ("jwt", "z/a b/c:d.txt", 7),
            ("pw", "t/x.env.txt", 3),
        ] {
            assert!(!list.has(&row(rule, path, line, "")), "{rule} {path} {line}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for row in [
            row("jwt", "a\nb -x.txt", 3, ""),
            row("jwt", "s.jsonl", 12, "/message/content/0/te:5/xt"),
            row("jwt", "100%/a*b:9", 1, ""),
        ] {
            let mut list = list("");
            let lines = list.add([&row].into_iter(), "because", false).expect("lines");
            let entry = Entry::of(&lines[0]).expect("a line");
            assert!(entry.accepts(&row), "{}", lines[0]);
        }
    }

    #[test]
    fn neighbouring_lines_are_one_range() {
        let rows = [4, 5, 6, 9].map(|line| row("jwt", "a.txt", line, ""));
        let mut list = list("");
        let lines = list.add(rows.iter(), "because", false).expect("lines");
        assert_eq!(lines, ["jwt a.txt:4-6 -- because", "jwt a.txt:9 -- because"]);
        let entry = Entry::of(&lines[0]).expect("a line");
        let accepted = (3..8).map(|line| entry.accepts(&row("jwt", "a.txt", line, "")));
        assert_eq!(accepted.collect::<Vec<_>>(), [false, true, true, true, false]);
    }

    #[test]
    fn a_line_without_a_reason_is_none() {
        for line in ["jwt a.txt", "jwt a.txt -- ", "jwt -- why", "jwt"] {
            assert!(Entry::of(line).is_none(), "{line}");
        }
    }
}
