//! Signed files as the source of another one: what becomes of the signature.

use catalog::Opened;

use crate::environment::Environment;
use crate::exit::Failure;
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
            Bytes::Same => format!("{path} is signed: {signature} is of its copy too"),
            Bytes::Other => format!(
                "{path} is signed, and what is written is not: it has other bytes; \
                 `verbatim sign FILE` signs it"
            ),
        };
        writeln!(env.err, "note: {}", Plain::line(&text))?;
    }
    Ok(())
}
