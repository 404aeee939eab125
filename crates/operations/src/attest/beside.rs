//! Files of signatures: each is beside the file that it signs, and has its name and `.cose`.

use std::path::{Path, PathBuf};

/// The ending of a signature's file.
const ENDING: &str = "cose";

/// The file of the signature of a file.
#[must_use]
pub fn companion(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    name.into()
}

/// The file of the receipt that a log has a file.
#[must_use]
pub fn receipt_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".receipt");
    name.into()
}

/// The signature that is beside a file, if there is one.
#[must_use]
pub fn signature_of(path: &Path) -> Option<PathBuf> {
    Some(companion(path)).filter(|signature| signature.is_file())
}

/// The file that a signature's file is of, by its name.
pub(crate) fn signed_by(signature: &Path) -> Option<PathBuf> {
    let is_signature = signature.extension().is_some_and(|ending| ending == ENDING);
    is_signature.then(|| signature.with_extension(""))
}
