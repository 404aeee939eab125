//! Base64 and base64url (RFC 4648), with or without padding, over several lines.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::run_lines::{BASE64, gap, is_digit};

const fn config() -> GeneralPurposeConfig {
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
}

pub(crate) const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, config());
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, config());

/// The digits of a run of Base64, without what is between its lines.
pub(crate) fn digits(run: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(run.len()), 0);
    while at < run.len() {
        let line = run[at..].iter().take_while(|&&byte| is_digit(byte) || byte == b'=').count();
        out.extend_from_slice(&run[at..at + line]);
        at += line;
        at += gap(&run[at..], BASE64).unwrap_or(1);
    }
    out
}

/// The bytes of whole groups of digits, in either alphabet.
pub(crate) fn plain(digits: &[u8]) -> Option<Vec<u8>> {
    let one = || PLAIN.decode(digits).or_else(|_| URL.decode(digits)).ok();
    // What follows a run may have the digits of the other alphabet.
    let of = |byte: &u8| {
        if let Some(at) = b"-_".iter().position(|of| of == byte) { b"+/"[at] } else { *byte }
    };
    one().or_else(|| PLAIN.decode(digits.iter().map(of).collect::<Vec<u8>>()).ok())
}

/// The bytes of a run of Base64.
pub(crate) fn base64_bytes(run: &[u8]) -> Option<Vec<u8>> {
    let digits = digits(run);
    let padding = digits.iter().position(|&byte| byte == b'=').unwrap_or(digits.len());
    if digits[padding..].iter().any(|&byte| byte != b'=') {
        // Each word of the head of a mail is padded by itself.
        let parts = digits.split(|&byte| byte == b'=').filter(|part| !part.is_empty());
        return parts.map(plain).collect::<Option<Vec<_>>>().map(|parts| parts.concat());
    }
    // What cuts a text may leave a digit too many.
    plain(&digits).or_else(|| plain(&digits[..digits.len() / 4 * 4]))
}
