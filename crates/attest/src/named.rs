//! Names of keys and issuers, as far as they are accepted.

use sign::PublicKey;

use crate::error::{Error, refused};
use crate::trust::{KnownKey, Standing};

/// Greatest length of an issuer.
const ISSUER: usize = 500;

/// Greatest length of a name.
const NAME: usize = 64;

/// A key with its name and its issuer: a URI without spaces, or the name that the key gives itself.
///
/// # Errors
/// The name is no plain word, or the issuer no URI.
pub(crate) fn known(
    name: &str,
    key: PublicKey,
    issuer: Option<&str>,
    standing: Standing,
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

/// Whether a text is a plain word, which is safe as the name of a file.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    let first = name.bytes().next().is_some_and(|it| it.is_ascii_alphanumeric());
    first && name.len() <= NAME && name.bytes().all(is_plain)
}

/// Whether a text can be an issuer: a URI has a scheme, and no space.
pub(crate) fn is_issuer(issuer: &str) -> bool {
    let scheme = issuer.split_once(':').map(|(scheme, _)| scheme).unwrap_or_default();
    let is_scheme = scheme.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
        && scheme.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it));
    is_scheme && issuer.len() <= ISSUER && issuer.bytes().all(|it| it.is_ascii_graphic())
}
