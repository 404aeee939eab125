//! Patterns of what is left out, as gitignore has them: `*` and `?` are within a name, `**` is any
//! number of folders, `[a-z]` is one of these characters.
//!
//! A pattern without a slash is a name of any file or folder. One with a slash is a path, below the
//! home folder unless it begins with `/`; `~/` is the home folder too. What is below a folder that
//! a pattern means is left out with it.

use std::cell::Cell;
use std::path::Path;

/// The patterns of an archive.
pub(crate) struct Excluded {
    patterns: Vec<Pattern>,
}

/// A pattern.
struct Pattern {
    /// As the user wrote it.
    text: String,
    /// The names of its path, or the one name.
    parts: Vec<Vec<char>>,
    /// Whether it is a path, and no name.
    is_path: bool,
    /// Whether something was left out for it.
    has_met: Cell<bool>,
}

/// The part of a pattern that is any number of folders.
const ANY: [char; 2] = ['*', '*'];

impl Excluded {
    /// These patterns. A relative path is below `home`.
    pub(crate) fn of(patterns: Vec<String>, home: Option<&Path>) -> Self {
        let patterns = patterns.into_iter().filter_map(|text| Pattern::of(text, home));
        Self { patterns: patterns.collect() }
    }

    /// Whether a path is left out. Each pattern that means it is noted.
    pub(crate) fn has(&self, path: &Path) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let path = split(&path.to_string_lossy());
        self.patterns.iter().filter(|pattern| pattern.has(&path)).count() > 0
    }

    /// Those of these patterns for which nothing was left out.
    pub(crate) fn unmet(&self, patterns: &[String]) -> Vec<String> {
        let has_met = |text: &String| {
            self.patterns.iter().any(|pattern| pattern.text == *text && pattern.has_met.get())
        };
        patterns.iter().filter(|text| !has_met(text)).cloned().collect()
    }
}

impl Pattern {
    /// A pattern; `None` if it means nothing.
    fn of(text: String, home: Option<&Path>) -> Option<Self> {
        let spelled = slashed(text.trim_end());
        let bare = spelled.trim_end_matches('/');
        let home = home.map(|home| slashed(&home.to_string_lossy()));
        let below = |rest: &str| {
            let home = home.as_deref().unwrap_or_default().trim_end_matches('/');
            format!("{home}/{}", rest.trim_start_matches("./"))
        };
        let whole = match bare {
            "" => return None,
            "~" => below(""),
            _ if bare.starts_with("~/") => below(&bare[2..]),
            _ if bare.starts_with("**/") || is_absolute(bare) => bare.to_owned(),
            _ if bare.contains('/') => below(bare),
            name => name.to_owned(),
        };
        let is_path = whole.contains('/');
        let parts = split(&whole);
        let has_met = Cell::new(false);
        (!parts.is_empty()).then_some(Self { text, parts, is_path, has_met })
    }

    /// Whether it means a path, or a folder above it.
    fn has(&self, path: &[Vec<char>]) -> bool {
        let has = match self.is_path {
            true => (1..=path.len()).any(|length| is_path(&self.parts, &path[..length])),
            false => path.iter().any(|name| fits(&self.parts[0], name)),
        };
        self.has_met.set(has || self.has_met.get());
        has
    }
}

/// Whether the pattern is a whole path on some system.
fn is_absolute(text: &str) -> bool {
    text.starts_with('/') || text.get(1..3) == Some(":/")
}

/// A text with the separators of this system's paths as slashes.
fn slashed(text: &str) -> String {
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.to_owned() }
}

/// The names of a path.
fn split(path: &str) -> Vec<Vec<char>> {
    let path = slashed(path);
    let names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
    names.map(|name| name.chars().collect()).collect()
}

/// Whether the names of a path fit those of a pattern.
fn is_path(pattern: &[Vec<char>], path: &[Vec<char>]) -> bool {
    // Where the last `**` was, and how many names it has taken.
    let (mut at, mut name, mut back) = (0, 0, None);
    while name < path.len() {
        match pattern.get(at) {
            Some(part) if **part == ANY => {
                back = Some((at, name));
                at += 1;
            }
            Some(part) if fits(part, &path[name]) => (at, name) = (at + 1, name + 1),
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (at, name) = (star + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|part| **part == ANY)
}

/// Whether a name fits a pattern.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut char, mut back) = (0, 0, None);
    while char < name.len() {
        let one = pattern.get(at).and_then(|_| one(&pattern[at..], name[char]));
        match (pattern.get(at), one) {
            (Some('*'), _) => {
                back = Some((at, char));
                at += 1;
            }
            (_, Some(length)) => (at, char) = (at + length, char + 1),
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (at, char) = (star + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

/// The length of the beginning of a pattern that means one character, if it means this one.
fn one(pattern: &[char], char: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', plain, ..] => (*plain == char).then_some(2),
        ['[', set @ ..] => {
            // A `]` that comes first is a character of the set; without an end there is no set.
            let is_not = usize::from(matches!(set.first(), Some('!' | '^')));
            let end = set.iter().skip(is_not + 1).position(|char| *char == ']');
            let Some(end) = end.map(|end| end + is_not + 1) else {
                return (char == '[').then_some(1);
            };
            (is_in(&set[is_not..end], char) == (is_not == 0)).then_some(end + 2)
        }
        [plain, ..] => (*plain == char).then_some(1),
        [] => None,
    }
}

/// Whether a character is one of a set, which may have ranges.
fn is_in(mut set: &[char], char: char) -> bool {
    while let [first, rest @ ..] = set {
        match rest {
            ['-', last, behind @ ..] => {
                if (*first..=*last).contains(&char) {
                    return true;
                }
                set = behind;
            }
            _ if *first == char => return true,
            _ => set = rest,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pattern: &str, path: &str) -> bool {
        Excluded::of(vec![pattern.into()], Some(Path::new("/home/ana"))).has(Path::new(path))
    }

    #[test]
    fn a_pattern_is_a_name_or_a_path() {
        let path = "/home/ana/.quill/projects/-srv-clinic/a7.jsonl";
        for pattern in [
            "/home/ana/.quill/projects/-srv-clinic/",
            "~/.quill/projects/-srv-clinic",
            ".quill/projects/-srv-clinic",
            "./.quill/projects/",
            ".quill/*/-srv-clinic",
            ".quill/**/*.jsonl",
            "/home/**",
            "**/projects/*",
            "**/a7.jsonl",
            "/home/ana/**/**/a?.jsonl",
            "~",
            "*-clinic",
            "-srv-*",
            "a[0-9].jsonl",
            "a[!b-z].*",
            "a7.jsonl",
            "*",
        ] {
            assert!(has(pattern, path), "{pattern}");
        }
        for pattern in [
            "clinic",
            "projects/-srv-clinic",
            "/.quill",
            "/home/ana/.quill/projects/-srv",
            "/home/*/projects",
            "~/*/-srv-clinic",
            "*.json",
            "a*a.jsonl",
            "a[!0-9].jsonl",
            "a??.jsonl",
            "~bob",
            "",
            "/",
        ] {
            assert!(!has(pattern, path), "{pattern}");
        }
        assert!(has("[x", "/a/[x") && has("a\\*", "/a*") && !has("a\\*", "/ab"));
        assert!(has("[]-]z", "/]z") && has("~/*.md", "/home/ana/a.md"));
    }

    #[test]
    fn a_pattern_costs_little_whatever_it_is() {
        let (pattern, path) = ("a*".repeat(400), format!("/{}", "a".repeat(4000)));
        assert!(!has(&format!("{pattern}b"), &path));
        assert!(!has(&format!("/{}b", "**/a/".repeat(200)), &"/a".repeat(1000)));
    }

    #[test]
    fn a_pattern_that_meant_nothing_is_named() {
        let both = ["*.md".to_owned(), "clinic".to_owned()];
        let excluded = Excluded::of(both.to_vec(), None);
        assert!(excluded.has(Path::new("/srv/clinic/notes.md")));
        assert!(excluded.unmet(&both).is_empty());
        let excluded = Excluded::of(both.to_vec(), None);
        assert!(!excluded.has(Path::new("/srv/tide")));
        assert!(excluded.has(Path::new("/srv/tide/a.md")));
        assert_eq!(excluded.unmet(&both), ["clinic"]);
    }
}
