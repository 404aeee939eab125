//! Patterns of what is left out: a path, or the name of a file or folder, with `*` for any text.

use std::path::Path;

/// The patterns of an archive.
pub(crate) struct Excluded {
    patterns: Vec<String>,
}

impl Excluded {
    pub(crate) fn of(patterns: Vec<String>) -> Self {
        let patterns = patterns.into_iter().map(|p| p.trim_end_matches('/').to_owned());
        Self { patterns: patterns.filter(|pattern| !pattern.is_empty()).collect() }
    }

    /// Whether a path is left out: a pattern is this path or a folder above it, or the name of one
    /// of its parts.
    pub(crate) fn has(&self, path: &Path) -> bool {
        let is_one = |pattern: &String| {
            path.ancestors().any(|part| {
                let name = part.file_name().unwrap_or_default().to_string_lossy();
                fits(pattern, &part.to_string_lossy()) || fits(pattern, &name)
            })
        };
        self.patterns.iter().any(is_one)
    }
}

/// Whether a text fits a pattern in which `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = pattern.contains('*').then(|| parts.next_back()).flatten() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_path_or_a_name() {
        let excluded = |pattern: &str| Excluded::of(vec![pattern.into()]);
        let path = Path::new("/home/ana/.quill/projects/-srv-clinic/a.jsonl");
        for pattern in ["/home/ana/.quill/projects/-srv-clinic/", "*-clinic", "-srv-*", "a.jsonl"] {
            assert!(excluded(pattern).has(path), "{pattern}");
        }
        for pattern in ["clinic", "/home/ana/.quill/projects/-srv", "*.json", "", "a*a.jsonl"] {
            assert!(!excluded(pattern).has(path), "{pattern}");
        }
        assert!(fits("a*b*c", "a1b2c") && !fits("a*b*c", "a1c2b") && !fits("ab*bc", "abc"));
    }
}
