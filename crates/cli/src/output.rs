//! Files that we write: complete or not at all, and never where a session's own words lead.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use formats::Content;

use crate::world::Failure;

/// A file that was written.
pub(crate) struct Saved {
    pub path: PathBuf,
    pub bytes: u64,
}

/// Writes one file to `path`, or several into the folder `path`. None of `sources` is overwritten.
pub(crate) fn write(
    files: &[(String, Content)],
    path: &Path,
    sources: &[PathBuf],
) -> Result<Vec<Saved>, Failure> {
    let targets: Vec<(PathBuf, &[u8])> = match files {
        [(name, bytes)] if path.is_dir() || is_named_as_folder(path) => {
            vec![(path.join(relative(name)), bytes)]
        }
        [(_, bytes)] => vec![(path.to_path_buf(), bytes)],
        _ if path.is_file() => {
            return Err(Failure::Usage(
                format!("the session is {} files, and {} is one", files.len(), path.display()),
                "name a folder".into(),
            ));
        }
        _ => files.iter().map(|(name, bytes)| (path.join(relative(name)), &**bytes)).collect(),
    };
    let real = |path: &Path| path.canonicalize().ok();
    for (target, _) in &targets {
        if real(target).is_some_and(|to| sources.iter().any(|from| real(from) == Some(to.clone())))
        {
            return Err(Failure::Usage(
                format!("{} is the session itself", target.display()),
                "name another file; verbatim never changes what an agent wrote".into(),
            ));
        }
    }
    let save = |(path, bytes): (PathBuf, &[u8])| match save(&path, bytes) {
        Ok(()) => Ok(Saved { path, bytes: bytes.len() as u64 }),
        Err(error) => Err(Failure::File(path, error)),
    };
    targets.into_iter().map(save).collect()
}

/// True for a path that ends in `/`: a folder, though it may not be there yet.
fn is_named_as_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(std::path::is_separator))
}

/// Writes a file beside its place, waits until the disk has it, and moves it there.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".verbatim-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
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
    safe.truncate(LONGEST);
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = matches!(&*stem, "con" | "prn" | "aux" | "nul" | "clock$")
        || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")));
    let bad = safe.starts_with('.') || safe.starts_with('-') || safe.ends_with('.') || device;
    if safe == name && !bad && !safe.is_empty() {
        return safe;
    }
    let trimmed = safe.trim_matches(|c| matches!(c, '.' | '-' | '_'));
    let (first, rest) = (if device { "_" } else { "" }, digest(name));
    match trimmed.is_empty() {
        true => format!("unnamed-{rest:016x}"),
        false => format!("{first}{trimmed}-{rest:016x}"),
    }
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
    fn a_file_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("new/file");
        save(&path, b"one").unwrap();
        save(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(temp.path().join("new")).unwrap().count(), 1);
    }
}
