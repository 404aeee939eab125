//! Keys that signatures are verified with, and the lines that they are written in: a text file
//! that a person can read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sign::PublicKey;

use crate::attest::error::{Error, refused};
use crate::attest::named::{is_issuer, is_name};

/// Why a key is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStanding {
    /// It is named for this verification.
    Given,
    /// It is the user's own, in a file.
    Own,
    /// The user's ssh agent holds it.
    Agent,
    /// The user trusts it.
    Trusted,
}

impl KeyStanding {
    /// The standing in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Own => "own",
            Self::Agent => "agent",
            Self::Trusted => "trusted",
        }
    }
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
    pub standing: KeyStanding,
}

impl KnownKey {
    /// Whether a word means this key: its name, or its fingerprint.
    #[must_use]
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || word == self.key.fingerprint()
    }
}

/// A key with its name and its issuer: a URI without spaces, or the name that the key gives itself.
///
/// # Errors
/// The name is no plain word, or the issuer no URI.
pub(crate) fn known(
    name: &str,
    key: PublicKey,
    issuer: Option<&str>,
    standing: KeyStanding,
) -> Result<KnownKey, Error> {
    if !is_name(name) {
        return refused(
            "the name of a key is a word of letters, digits, `-`, `_` and `.`",
            "choose another, as `work`",
        );
    }
    let issuer = issuer.map_or_else(|| key.uri(), str::to_owned);
    if !is_issuer(&issuer) {
        return refused("the issuer is no URI", "name one, as `https://example.org/ana`");
    }
    Ok(KnownKey { name: name.into(), key, issuer, standing })
}

/// The line of a key: its type, itself in base64 (DER), its issuer, and its name.
pub(crate) fn line(known: &KnownKey) -> String {
    let (kind, key) = (known.key.key_type().name(), STANDARD.encode(known.key.der()));
    format!("{kind} {key} {} {}\n", known.issuer, known.name)
}

/// The key of a line; `None` for a comment or an empty line.
///
/// # Errors
/// The fault of the line, in words for people.
pub(crate) fn parse(line: &str, standing: KeyStanding) -> Result<Option<KnownKey>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [kind, key, issuer, name] = *words else {
        return Err("it has not four words: type, key, issuer, name");
    };
    let der = STANDARD.decode(key).map_err(|_| "its key is not base64")?;
    let key = PublicKey::read(&der).map_err(|_| "its key is neither of Ed25519 nor of P-256")?;
    if key.key_type().name() != kind {
        return Err("its key is of another type");
    }
    if !is_name(name) {
        return Err("its name is no plain word");
    }
    if !is_issuer(issuer) {
        return Err("its issuer is no URI");
    }
    Ok(Some(KnownKey { name: name.into(), key, issuer: issuer.into(), standing }))
}
