//! The private file beside a signed record: the secret that its salts are made from. Whoever has
//! it and the record can show parts of it.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sign::{RecordSecret, hex};

use crate::attest::error::{Error, at, refused};
use crate::attest::rights::mode;

/// The schema of the file.
const SCHEMA: &str = "verbatim-record-secret-1";

/// Greatest length of the file.
const LIMIT: u64 = 1 << 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: String,
    /// The digest of the record that it belongs to.
    record: String,
    secret: String,
}

/// The file of the secret of a record.
#[must_use]
pub fn secret_file(record: &Path) -> PathBuf {
    beside(record, ".secret")
}

/// The file of the skeleton of a record.
#[must_use]
pub fn skeleton_file(record: &Path) -> PathBuf {
    beside(record, ".skeleton.json")
}

fn beside(record: &Path, ending: &str) -> PathBuf {
    let mut name = record.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The digest by which a secret names its record.
pub(crate) fn record_digest(record: &[u8]) -> String {
    hex(&Sha256::digest(record))
}

/// The text of the file for the record of a digest.
pub(crate) fn written(secret: &RecordSecret, record: &str) -> String {
    let document = Document {
        schema: SCHEMA.into(),
        record: record.into(),
        secret: STANDARD.encode(secret.bytes()),
    };
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}

/// The secret of a record of this digest; `None` if no file has it, or one of another record.
///
/// # Errors
/// The file can't be read, others can read it, or it is another file.
pub(crate) fn secret(record: &Path, digest: &str) -> Result<Option<RecordSecret>, Error> {
    let path = secret_file(record);
    let meta = match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        meta => meta.map_err(at(&path))?,
    };
    if !meta.is_file() || mode(&meta).is_some_and(|mode| mode & 0o077 != 0) {
        let what = format!("{}: others can read this secret, or it is no file", path.display());
        return refused(what, format!("close it: `chmod 600 {}`", path.display()));
    }
    let text = catalog::bounded(&path, LIMIT).map_err(at(&path))?;
    let document = serde_json::from_slice::<Document>(&text).ok();
    let document = document.filter(|document| document.schema == SCHEMA);
    let secret = document.as_ref().and_then(|document| {
        let secret = STANDARD.decode(&document.secret).ok()?;
        <[u8; 32]>::try_from(secret).ok()
    });
    let (Some(document), Some(secret)) = (document, secret) else {
        let what = format!("{} is no secret of a record", path.display());
        return refused(what, "put the file back that `verbatim sign` made, or sign again");
    };
    Ok((document.record == digest).then(|| RecordSecret::new(secret)))
}
