//! Names of keys and issuers, as far as they are accepted.

/// Greatest length of an issuer.
const ISSUER: usize = 500;

/// Greatest length of a name.
const NAME: usize = 64;

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
