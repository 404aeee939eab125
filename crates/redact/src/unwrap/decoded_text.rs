//! Are decoded bytes a text? In UTF-8, or in UTF-16.

/// Whether at least 95 % of the first bytes can be those of a text. What a terminal acts on, and
/// what nobody sees, are parts of one.
pub(crate) fn is_text(bytes: &[u8], first: usize) -> bool {
    let bytes = &bytes[..first.min(bytes.len())];
    let is_odd = |byte: u8| byte < 0x20 && !byte.is_ascii_whitespace() && !is_acting(byte);
    let odd = bytes.iter().filter(|&&byte| is_odd(byte)).count();
    let acting = bytes.iter().filter(|&&byte| is_acting(byte)).count();
    let high = bytes.iter().filter(|&&byte| byte >= 0x7f).count();
    let odd = odd + if high == 0 || is_utf8(bytes) { 0 } else { high };
    !bytes.is_empty() && odd * 20 <= bytes.len() && acting * 2 <= bytes.len()
}

/// The beginning of a control sequence, and the step back.
const fn is_acting(byte: u8) -> bool {
    matches!(byte, 0x1b | 0x08)
}

/// Whether bytes are UTF-8; the last character may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The text of bytes in UTF-16, by its mark or its many zeros.
pub(crate) fn utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let pairs = || bytes.chunks_exact(2);
    let zeros = |at: usize| pairs().filter(|pair| pair[at] == 0).count() * 10 >= pairs().len() * 7;
    let little = bytes.starts_with(b"\xff\xfe") || (bytes.len() >= 8 && zeros(1));
    let big = bytes.starts_with(b"\xfe\xff") || (bytes.len() >= 8 && zeros(0));
    let unit = |pair: &[u8]| {
        if little {
            u16::from_le_bytes([pair[0], pair[1]])
        } else {
            u16::from_be_bytes([pair[0], pair[1]])
        }
    };
    (little != big).then(|| {
        let units = char::decode_utf16(pairs().map(unit));
        units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into()
    })
}

/// Whether all bytes are those of a text: digests in hexadecimal digits are none.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let may = |&byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    bytes.iter().all(|byte| may(byte) || is_acting(*byte)) && is_utf8(bytes)
}
