//! Paths in the form that formats expect: absolute, with `/` between their parts.

use std::borrow::Cow;
use std::io;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

use crate::system::System;

/// A path in the form that formats expect: absolute, with `/` between its parts.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    plain(path).map_or_else(|| slashed(&absolute(path)).into(), Cow::Borrowed)
}

/// The text of a path that already has this form. Nearly all paths have it, and every file is
/// tested.
fn plain(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|_| MAIN_SEPARATOR == '/')?;
    let mut parts = text.strip_prefix('/')?.split('/');
    parts.all(|part| !matches!(part, "" | "." | "..")).then_some(text)
}

/// The absolute path, without `.` and `..`.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    if plain(path).is_some() {
        return path.to_path_buf();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let whole: PathBuf = whole.components().collect();
    let turns = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    if !turns(&whole) {
        return whole;
    }
    // Of the folders that exist, one may be a link: only the system knows where it leads.
    let there = whole.ancestors().find_map(|above| Some((above, real(above).ok()?)));
    let Some((above, mut whole_real)) = there else { return whole };
    for part in whole.strip_prefix(above).unwrap_or(Path::new("")).components() {
        match part {
            Component::ParentDir => drop(whole_real.pop()),
            part => whole_real.push(part),
        }
    }
    whole_real
}

/// The path of a file or folder that exists, without links, in the form in which programs of this
/// system write it.
///
/// # Errors
/// The system's error if there is nothing at the path.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    Ok(match real.to_str().and_then(|text| without_prefix(text, System::here())) {
        Some(text) => text.into(),
        None => real,
    })
}

/// The usual form of a path that Windows wrote in its longest form, `\\?\C:\shop`, which most
/// programs neither write nor take: `C:\shop`. `None` if the path has not the longest form, or must
/// have it: it is long, or has a name that the usual form can't have.
#[must_use]
pub fn without_prefix(path: &str, system: System) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\").filter(|_| system == System::Windows)?;
    let usual = match rest.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => {
            let drive = rest.as_bytes();
            let has_drive = drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':';
            (has_drive && drive[2] == b'\\').then(|| rest.to_owned())?
        }
    };
    let names = rest.split('\\').skip(1);
    let is_usual = usual.encode_utf16().count() < MAX_PATH && names.clone().all(is_usual_name);
    is_usual.then_some(usual)
}

/// The length of a path from which on Windows takes only the longest form, in UTF-16 units (Windows
/// API, "Maximum Path Length Limitation").
const MAX_PATH: usize = 260;

/// Names of devices, with whatever ending, are no names of files for Windows, and it drops dots and
/// spaces at the end of a name (Windows API, "Naming Files, Paths, and Namespaces").
fn is_usual_name(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|number| {
        matches!(number, "\u{b9}" | "\u{b2}" | "\u{b3}")
            || matches!(number.as_bytes(), [b'0'..=b'9'])
    });
    !is_port && !DEVICES.contains(&&*stem) && !name.ends_with(['.', ' '])
}

/// A path with `/` between its parts, whatever the system writes.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// The path relative to a folder, as a bundle names its members.
pub fn relative(path: &Path, base: &Path) -> String {
    // Fast way: nearly all paths begin with exactly the text of their folder.
    if MAIN_SEPARATOR == '/'
        && let (Some(path), Some(base)) = (path.to_str(), base.to_str())
        && let Some(rest) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
        && !rest.starts_with(['/', '.'])
    {
        return rest.to_owned();
    }
    slashed(path.strip_prefix(base).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_windows_has_its_usual_form() {
        let long = format!(r"\\?\C:\{}", "mill\\".repeat(60));
        for (path, usual) in [
            (r"\\?\C:\Users\ana\my shop", Some(r"C:\Users\ana\my shop")),
            (r"\\?\d:\", Some(r"d:\")),
            (r"\\?\C:\Müllerei\日本", Some(r"C:\Müllerei\日本")),
            (r"\\?\UNC\server\share\shop", Some(r"\\server\share\shop")),
            (r"\\?\UNC\wsl.localhost\Debian\home", Some(r"\\wsl.localhost\Debian\home")),
            // Without a prefix, or with one that has no usual form.
            (r"C:\Users\ana", None),
            (r"\\server\share", None),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\shop", None),
            (r"\\?\C:", None),
            (r"\\.\COM1", None),
            // Names that the usual form would change, or take for a device.
            (r"\\?\C:\shop\con", None),
            (r"\\?\C:\shop\Aux.txt", None),
            (r"\\?\C:\com7\shop", None),
            (r"\\?\C:\COM\shop", Some(r"C:\COM\shop")),
            (r"\\?\C:\console\shop", Some(r"C:\console\shop")),
            (r"\\?\C:\shop.\till", None),
            (r"\\?\C:\shop \till", None),
            (&long, None),
        ] {
            assert_eq!(without_prefix(path, System::Windows).as_deref(), usual, "{path}");
            assert_eq!(without_prefix(path, System::Linux), None, "{path}");
            assert_eq!(without_prefix(path, System::Mac), None, "{path}");
        }
    }
}
