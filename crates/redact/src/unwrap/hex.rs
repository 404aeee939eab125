//! Hexadecimal digits.

/// The byte of two hexadecimal digits.
pub(crate) fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
}

/// The bytes in hexadecimal digits.
pub(crate) fn hex_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    digits.chunks_exact(2).map(hex_byte).collect()
}
