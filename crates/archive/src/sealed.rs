//! Files of credentials, which are never kept: by their names, and by what a name leads to.

use std::collections::HashSet;
use std::path::Path;

use catalog::Catalog;

/// Parts of names of files that hold credentials.
const NAMES: &[&str] =
    &["credential", "auth.", "auth_", "oauth", "token", "secret", "apikey", "api_key", "api-key"];

/// Beginnings of names of files that hold keys and passwords.
const KEYS: &[&str] = &["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".npmrc"];

/// Endings of such names.
const KEY_ENDINGS: &[&str] = &[".key", ".pem", ".p12", ".pfx", ".env"];

/// Words in names of files that hold credentials, beside sessions and of agents that are not read.
const WORDS: &[&str] =
    &["auth", "oauth", "token", "credential", "secret", "service-account", "cookies"];

/// The names and the files themselves that are never kept.
pub(crate) struct Sealed {
    names: Vec<String>,
    /// Numbers of such files in their file systems: a hard link has another name.
    files: HashSet<(u64, u64)>,
}

impl Sealed {
    /// Those of all agents of this machine.
    pub(crate) fn of(catalog: &Catalog<'_>) -> Self {
        let mut sealed = Self { names: Vec::new(), files: HashSet::new() };
        for format in catalog.formats {
            sealed.names.extend(format.data().sealed.iter().map(|name| name.to_lowercase()));
        }
        let folders: HashSet<_> =
            catalog.formats.iter().flat_map(|format| catalog.machine.homes(*format)).collect();
        for entry in folders.iter().flat_map(|home| home.read_dir()).flatten().flatten() {
            if sealed.is_named(&entry.path()) {
                sealed.files.extend(number(&entry.path()));
            }
        }
        sealed
    }

    fn is_named(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let begins = |known: &String| name.starts_with(&**known);
        let is_key = KEYS.iter().any(|known| name.starts_with(known))
            || KEY_ENDINGS.iter().any(|ending| name.ends_with(ending));
        is_key || name.starts_with(".env.") || self.names.iter().any(begins) || is_suspect(&name)
    }

    /// Whether a file holds credentials, by its name or by what it is.
    pub(crate) fn has(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        self.is_named(path)
            || real.is_ok_and(|real| self.is_named(&real))
            || number(path).is_some_and(|number| self.files.contains(&number))
    }
}

/// Whether the name of a file of JSON, which is no session, has a word for credentials.
pub(crate) fn is_credentials(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.ends_with(".json") && WORDS.iter().any(|word| name.contains(word))
}

/// Endings of texts that people and agents write about anything.
const TEXTS: &[&str] = &[".jsonl", ".md", ".png", ".jpg"];

/// Whether a name in lower case looks like that of a file of credentials.
fn is_suspect(name: &str) -> bool {
    !TEXTS.iter().any(|ending| name.ends_with(ending))
        && NAMES.iter().any(|part| name.starts_with(part) || name.starts_with(&format!(".{part}")))
}

#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}
