//! Files that another program has open. Where the system lists them (`/proc` of Linux, for the
//! programs of this user), a file is not deleted under a program that may still write to it.

use std::path::Path;

/// Whether another program has a file open, as far as the system tells.
#[cfg(target_os = "linux")]
pub(crate) fn is_open_elsewhere(path: &Path) -> bool {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    let Ok(wanted) = path.symlink_metadata().map(|meta| (meta.dev(), meta.ino())) else {
        return false;
    };
    let own = std::process::id().to_string();
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let programs = entries(Path::new("/proc")).filter(|entry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        name.iter().all(u8::is_ascii_digit) && name != own.as_bytes()
    });
    // What `fd` has are links: they are followed, to compare the files themselves.
    let has = |open: fs::DirEntry| {
        fs::metadata(open.path()).is_ok_and(|meta| (meta.dev(), meta.ino()) == wanted)
    };
    programs.into_iter().any(|program| entries(&program.path().join("fd")).any(has))
}

/// Other systems do not say it without privileges.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_open_elsewhere(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_has_open_is_found() {
        let temp = tempfile::tempdir().unwrap();
        let [path, other] = ["one", "two"].map(|name| temp.path().join(name));
        std::fs::write(&path, "pier\n").unwrap();
        std::fs::write(&other, "pier\n").unwrap();
        let _own = std::fs::File::open(&other).unwrap();
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").stdout(file).spawn().unwrap();
        assert!(is_open_elsewhere(&path));
        assert!(!is_open_elsewhere(&other), "only this program has it open");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_open_elsewhere(&path) && !is_open_elsewhere(&temp.path().join("none")));
    }
}
