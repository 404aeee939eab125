//! The keys that a user trusts: a text file with a line for each, which a person can read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sign::PublicKey;

/// Why a key is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is named for this verification.
    Given,
    /// It is the user's own.
    Own,
    /// The user trusts it.
    Trusted,
}

/// A key that signatures are verified with.
#[derive(Clone, Debug)]
pub struct KnownKey {
    /// Its name.
    pub name: String,
    /// The key.
    pub key: PublicKey,
    /// The issuer that it signs for.
    pub issuer: String,
    /// Why it is known.
    pub standing: Standing,
}

/// The line of a key: its type, itself in base64 (DER), its issuer, and its name.
pub(crate) fn line(known: &KnownKey) -> String {
    let (kind, key) = (known.key.key_type().name(), STANDARD.encode(known.key.der()));
    format!("{kind} {key} {} {}\n", known.issuer, known.name)
}

/// The key of a line; `None` for a comment or an empty line.
///
/// # Errors
/// What is wrong.
pub(crate) fn parse(line: &str, standing: Standing) -> Result<Option<KnownKey>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(kind), Some(key), Some(issuer), Some(name), None) =
        (words.next(), words.next(), words.next(), words.next(), words.next())
    else {
        return Err("it has not four words: type, key, issuer, name");
    };
    let der = STANDARD.decode(key).map_err(|_| "its key is not base64")?;
    let key = PublicKey::read(&der).map_err(|_| "its key is none")?;
    if key.key_type().name() != kind {
        return Err("its key is of another type");
    }
    Ok(Some(KnownKey { name: name.into(), key, issuer: issuer.into(), standing }))
}
