//! Safe file names from untrusted names: every system accepts them, and none leads out of its
//! folder.

use std::path::{Component, PathBuf};

/// A member's name as a path that stays in the folder to which it is joined.
pub fn relative(name: &str) -> PathBuf {
    let parts: PathBuf = name.split('/').filter(|part| !part.is_empty()).map(file_name).collect();
    debug_assert!(parts.components().all(|part| matches!(part, Component::Normal(_))));
    if parts.as_os_str().is_empty() { file_name("").into() } else { parts }
}

/// Maximum length of a file's name in bytes, without the added digest.
const LONGEST: usize = 120;

/// A file name that every system accepts and that leads into no other folder: letters, digits, `.`,
/// `_` and `-`. If a name has to be changed, its digest is added, so that different names stay
/// different.
pub fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut safe = String::with_capacity(name.len());
    for c in name.chars() {
        // `..` is the parent folder.
        let point = c == '.' && safe.ends_with('.');
        safe.push(if kept(c) && !point { c } else { '_' });
    }
    if safe.len() > LONGEST {
        let ending = ending(&safe).to_owned();
        safe.truncate(LONGEST - ending.len());
        safe.push_str(&ending);
    }
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = matches!(&*stem, "con" | "prn" | "aux" | "nul" | "clock$")
        || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")));
    let bad = safe.starts_with('.') || safe.starts_with('-') || safe.ends_with('.') || device;
    if safe == name && !bad && !safe.is_empty() {
        return safe;
    }
    // The extension stays at the end.
    let (safe, ending) = safe.split_at(safe.len() - ending(&safe).len());
    let trimmed = safe.trim_matches(|c| matches!(c, '.' | '-' | '_'));
    let (first, rest) = (if device { "_" } else { "" }, digest(name));
    match trimmed.is_empty() {
        true => format!("unnamed-{rest:016x}{ending}"),
        false => format!("{first}{trimmed}-{rest:016x}{ending}"),
    }
}

/// The extensions of a file's name, at most two: `.json`, `.vac.json`, `.jsonl.zst`.
fn ending(name: &str) -> &str {
    let is_word = |part: &str| {
        (1..=5).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut at = name.len();
    for part in name.rsplit('.').take(2).take_while(|part| is_word(part)) {
        match (at - part.len()).checked_sub(1) {
            Some(before) if before > 0 => at = before,
            _ => break,
        }
    }
    &name[at..]
}

/// FNV-1a, 64 bits.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn plain_names_stay() {
        for name in ["a.jsonl", "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e10.jsonl", "x_y-1.json"] {
            assert_eq!(file_name(name), name);
        }
        assert_eq!(relative("a/b.jsonl"), Path::new("a/b.jsonl"));
    }

    #[test]
    fn hostile_names_are_no_paths() {
        let Some(path) = samples::shared("vectors/hostile/session-ids.json") else { return };
        let text = std::fs::read_to_string(path).unwrap();
        let ids: Vec<String> = serde_json::from_str(&text).unwrap();
        let mut seen = HashSet::new();
        for id in &ids {
            let name = file_name(id);
            assert!(!name.is_empty() && name.len() <= LONGEST + 18, "{name}");
            assert!(!name.contains(['/', '\\', ':', '\0', '~']) && !name.contains(".."), "{name}");
            assert!(!name.starts_with(['.', '-']) && !name.ends_with(['.', ' ']), "{name}");
            assert!(seen.insert(name.to_ascii_lowercase()), "two ids have the name {name}");
            let path = relative(id);
            assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{path:?}");
        }
        assert!(ids.len() > 30);
    }

    #[test]
    fn what_a_file_is_stays_at_the_end_of_its_name() {
        for (name, start, end) in [
            ("-home-ana-tide-.vac.json", "home-ana-tide-", ".vac.json"),
            ("a:b.jsonl.zst", "a_b-", ".jsonl.zst"),
            (&*format!("{}.json", "x".repeat(300)), "xxx", ".json"),
            (".hidden", "hidden-", ""),
            ("con.json", "_con-", ".json"),
        ] {
            let made = file_name(name);
            assert!(made.starts_with(start) && made.ends_with(end), "{made}");
            assert!(made.len() <= LONGEST + 18, "{made}");
        }
    }
}
