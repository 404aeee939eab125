//! Signed files as the source of another one: what becomes of the signature.

use std::path::Path;

use catalog::Opened;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::notes::say;
use crate::terminal::Plain;

/// The bytes that are written, beside those of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// They are written as they are.
    Same,
    /// Others are written.
    Other,
}

/// Says what becomes of the signatures of a session's files.
pub(crate) fn tell(
    opened: &Opened,
    bytes: Bytes,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    for path in &opened.paths {
        let Some(signature) = operations::attest::signature_of(path) else { continue };
        let (path, signature) = (path.display(), signature.display());
        let text = match bytes {
            Bytes::Same => format!(
                "{path} has a signature beside it, not verified here: if {signature} is of it, it \
                 is of its copy too; `verbatim verify {path}`"
            ),
            Bytes::Other => format!(
                "{path} has a signature beside it, not verified here, and what is written has \
                 none: it has other bytes; `verbatim sign FILE` signs it"
            ),
        };
        say(Plain::line(&format!("note: {text}")), env)?;
    }
    Ok(())
}

/// Says of each file that was written if a signature from before is beside it.
pub(crate) fn stale<'p>(
    files: impl IntoIterator<Item = &'p Path>,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    for file in files {
        let Some(signature) = operations::attest::signature_of(file) else { continue };
        let (file, signature) = (file.display(), signature.display());
        let text = format!(
            "{signature} was there before, and need not be of what is written now: \
             `verbatim verify {file}` tells; `verbatim sign {file} --force` makes another"
        );
        say(Plain::line(&format!("note: {text}")), env)?;
    }
    Ok(())
}
