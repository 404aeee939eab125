//! Files that we write: complete or not at all, never in the place of what is not ours, and never
//! where a session's own words lead.

use std::path::{Component, Path, PathBuf};

use catalog::Catalog;
use formats::Content;

use crate::world::Failure;

mod save;

pub(crate) use save::save;

/// A file that was written.
pub(crate) struct Saved {
    pub path: PathBuf,
    pub bytes: u64,
}

/// Writes one file to `path`, or several into the folder `path`. What is there stays, unless it is
/// to be `replace`d and is a plain file that no agent wrote.
pub(crate) fn write(
    files: &[(String, Content)],
    path: &Path,
    replace: bool,
    catalog: &Catalog<'_>,
) -> Result<Vec<Saved>, Failure> {
    let folder = path.is_dir() || is_named_as_folder(path);
    let targets: Vec<(PathBuf, &[u8])> = match files {
        [(name, bytes)] if folder => vec![(path.join(relative(name)), bytes)],
        [(_, bytes)] => vec![(path.to_path_buf(), bytes)],
        // A file's name, as it seems, becomes no folder.
        _ if !folder && (path.exists() || path.extension().is_some()) => {
            return Err(Failure::Usage(
                format!("the session is {} files, and {} is one", files.len(), path.display()),
                format!("name a folder, as `-o {}/`", path.with_extension("").display()),
            ));
        }
        _ => files.iter().map(|(name, bytes)| (path.join(relative(name)), &**bytes)).collect(),
    };
    for (target, _) in &targets {
        may_write(target, replace, catalog)?;
    }
    let save = |(path, bytes): (PathBuf, &[u8])| match save(&path, bytes, replace) {
        Ok(()) => Ok(Saved { path, bytes: bytes.len() as u64 }),
        Err(error) => Err(Failure::File(path, error)),
    };
    targets.into_iter().map(save).collect()
}

/// Refuses what is there already: what is no plain file and what an agent wrote always, another
/// file unless it is to be replaced.
fn may_write(target: &Path, replace: bool, catalog: &Catalog<'_>) -> Result<(), Failure> {
    let refuse = |what: &str, hint: &str| {
        Err(Failure::Usage(format!("{} {what}", target.display()), hint.into()))
    };
    let Ok(meta) = target.symlink_metadata() else { return Ok(()) };
    if !meta.is_file() {
        return refuse(
            "is there and no plain file, but a link, a folder, a pipe or a device",
            "name another file; `-o -` writes to standard output",
        );
    }
    if let Some(agent) = catalog.owner(target) {
        return refuse(
            &format!("is a file of an agent ({agent})"),
            "name another file; verbatim never changes what an agent wrote",
        );
    }
    match replace {
        true => Ok(()),
        false => refuse("is there already", "name another file, or replace it with `--force`"),
    }
}

/// True for a path that ends in `/`: a folder, though it may not be there yet.
fn is_named_as_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(std::path::is_separator))
}

/// A member's name as a path that stays below the folder it is joined to.
pub(crate) fn relative(name: &str) -> PathBuf {
    let parts: PathBuf = name.split('/').filter(|part| !part.is_empty()).map(file_name).collect();
    debug_assert!(parts.components().all(|part| matches!(part, Component::Normal(_))));
    if parts.as_os_str().is_empty() { file_name("").into() } else { parts }
}

/// The longest name of a file, in bytes.
const LONGEST: usize = 120;

/// A name for a file that every system takes and that leads nowhere: of letters, digits, `.`, `_`
/// and `-`. Where that changes the name, its digest stands behind it, so that two names stay two.
pub(crate) fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut safe = String::with_capacity(name.len());
    for c in name.chars() {
        // Two points lead upwards.
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
    // What says what the file is stays at the end.
    let (safe, ending) = safe.split_at(safe.len() - ending(&safe).len());
    let trimmed = safe.trim_matches(|c| matches!(c, '.' | '-' | '_'));
    let (first, rest) = (if device { "_" } else { "" }, digest(name));
    match trimmed.is_empty() {
        true => format!("unnamed-{rest:016x}{ending}"),
        false => format!("{first}{trimmed}-{rest:016x}{ending}"),
    }
}

/// The ending of a file's name: `.json`, `.vac.json`, `.jsonl.zst`.
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

    #[test]
    fn a_file_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("new/file");
        save(&path, b"one", false).unwrap();
        save(&path, b"other", false).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        save(&path, b"two", true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(temp.path().join("new")).unwrap().count(), 1);
    }
}
