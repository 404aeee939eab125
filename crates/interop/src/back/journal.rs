//! The journal's entries as the version before wrote them: without a home and a state, and named by
//! the session's id alone.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The entries that were rewritten: their names and bytes before, and the names that they got.
pub(crate) struct Kept(Vec<(PathBuf, Vec<u8>, PathBuf)>);

/// Rewrites the entries of a home's journal.
pub(crate) fn as_before(home: &Path) -> Result<Kept, String> {
    let failed = |error: std::io::Error| format!("the journal: {error}");
    let folder = home.join(".local/state/verbatim/placements");
    let mut kept = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let bytes = fs::read(&path).map_err(failed)?;
        let mut value: Value =
            serde_json::from_slice(&bytes).map_err(|error| format!("the journal: {error}"))?;
        for name in ["home", "state", "turns"] {
            value.as_object_mut().and_then(|entry| entry.remove(name));
        }
        let of = |name: &str| value[name].as_str().unwrap_or_default();
        let digest = digest(&format!("{}\0{}", of("agent"), of("id"))).map_err(failed)?;
        let old = folder.join(format!("{}-{}.json", of("agent"), &digest[..16]));
        fs::write(&old, format!("{value:#}")).map_err(failed)?;
        fs::remove_file(&path).map_err(failed)?;
        kept.push((path, bytes, old));
    }
    match kept.is_empty() {
        true => Err("the journal has no entry".to_owned()),
        false => Ok(Kept(kept)),
    }
}

/// The SHA-256 digest of a text, by a program of the system.
fn digest(text: &str) -> std::io::Result<String> {
    let mut program = Command::new("sha256sum");
    let mut run = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    run.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes()))?;
    let said = String::from_utf8_lossy(&run.wait_with_output()?.stdout).into_owned();
    match said.len() >= 64 {
        true => Ok(said),
        false => Err(std::io::Error::other("sha256sum gives no digest")),
    }
}

/// Gives the entries their present form again.
pub(crate) fn restore(Kept(kept): Kept) -> Result<(), String> {
    for (path, bytes, old) in kept {
        let _ = fs::remove_file(old);
        fs::write(path, bytes).map_err(|error| format!("the journal: {error}"))?;
    }
    Ok(())
}
