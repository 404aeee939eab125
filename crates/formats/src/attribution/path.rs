//! Normalized paths, compared as text: links are not followed.

/// A path in normal form: absolute if `folder` or the path itself is, with `/` between its parts,
/// without `.`, `..` and repeated separators.
pub(super) fn absolute(path: &str, folder: Option<&str>) -> String {
    let windows = is_windows(path) || (path.contains('\\') && folder.is_some_and(is_windows));
    let path = if windows { path.replace('\\', "/") } else { path.to_owned() };
    match folder {
        Some(folder) if !is_absolute(&path) => clean(&format!("{}/{path}", absolute(folder, None))),
        _ => clean(&path),
    }
}

/// The path relative to `folder`, if it is in there; both as [`absolute`] writes them.
pub(super) fn relative<'p>(path: &'p str, folder: Option<&str>) -> &'p str {
    let Some(folder) = folder else { return path };
    let same = match is_windows(folder) {
        true => path.get(..folder.len()).is_some_and(|head| head.eq_ignore_ascii_case(folder)),
        false => path.starts_with(folder),
    };
    let rest = if same { path.get(folder.len()..) } else { None };
    let rest = rest.and_then(|rest| match folder.ends_with('/') {
        true => Some(rest),
        false => rest.strip_prefix('/'),
    });
    rest.filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// Whether a path begins with a drive (`C:\`) or a share (`\\host\`).
fn is_windows(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
        || path.starts_with("\\\\")
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path == "~" || path.starts_with("~/") || is_windows(path)
}

fn clean(path: &str) -> String {
    let root = match path {
        _ if path.starts_with("//") && !path.starts_with("///") => "//",
        _ if path.starts_with('/') => "/",
        _ => "",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // The root has no parent.
            ".." if parts.last().is_none_or(|last| *last == "..") => {
                if root.is_empty() {
                    parts.push(part);
                }
            }
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_are_one_path() {
        let folder = Some("/home/ana/shop");
        for path in [
            "/home/ana/shop/src/a.rs",
            "src/a.rs",
            "./src/a.rs",
            "src//x/../a.rs",
            "/home/ana/shop/../shop/src/./a.rs",
        ] {
            let absolute = absolute(path, folder);
            assert_eq!(absolute, "/home/ana/shop/src/a.rs");
            assert_eq!(relative(&absolute, folder), "src/a.rs");
        }
    }

    #[test]
    fn what_lies_elsewhere_stays_absolute() {
        let folder = Some("/home/ana/shop");
        for path in ["/home/ana/shopping/a", "/tmp/a", "/home/ana/shop", "~/a"] {
            assert_eq!(relative(&absolute(path, folder), folder), path);
        }
        assert_eq!(absolute("../../../../../etc/a", folder), "/etc/a");
        assert_eq!(absolute("../a", None), "../a");
        assert_eq!(relative("/a", Some("/")), "a");
        // Elsewhere a backslash is an ordinary character.
        assert_eq!(absolute("a\\b", folder), "/home/ana/shop/a\\b");
    }

    #[test]
    fn windows_has_drives_and_two_separators() {
        let folder = absolute("c:\\Users\\ana\\shop", None);
        for path in ["C:\\Users\\ana\\shop\\src\\a.rs", "src\\a.rs", "C:/Users/ana/shop/src/a.rs"] {
            let path = absolute(path, Some(&folder));
            assert_eq!(relative(&path, Some(&folder)), "src/a.rs");
        }
        assert_eq!(absolute("\\\\host\\share\\a", None), "//host/share/a");
    }
}
