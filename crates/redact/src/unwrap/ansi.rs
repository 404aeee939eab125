//! Colours and other control sequences of a terminal.

use super::source_map::Sink;

/// Removes control sequences of a terminal; also where their escape character is spelled out
/// (`\x1b[`, `\033[`, `\e[`).
pub(crate) fn ansi(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    let mut from = 0;
    while let Some(found) = text[at..].iter().position(|byte| b"\x1b\\^\xc2".contains(byte)) {
        let start = at + found;
        match sequence(&text[start..]) {
            Some(length) => {
                if start > from {
                    out.put(&text[from..start], from..start);
                }
                at = start + length;
                from = at;
            }
            None => at = start + 1,
        }
    }
    if from < text.len() {
        out.put(&text[from..], from..text.len());
    }
}

/// The length of a control sequence at the beginning of a text.
fn sequence(text: &[u8]) -> Option<usize> {
    let spelled = [&b"\x1b"[..], b"\\x1b", b"\\x1B", b"\\033", b"\\e", b"^["];
    // One byte is both the escape character and the bracket.
    let head = match text.starts_with(b"\xc2\x9b") {
        true => 1,
        false => spelled.iter().find(|head| text.starts_with(head))?.len(),
    };
    match text.get(head)? {
        0x9b => parameters(&text[head + 1..]).map(|length| head + 1 + length),
        b'[' => parameters(&text[head + 1..]).map(|length| head + 1 + length),
        b']' if head == 1 => {
            let rest = &text[head + 1..];
            let end = memchr::memchr2(0x07, 0x1b, rest).filter(|&end| end < 4096)?;
            let closing = if rest[end] == 0x07 { 1 } else { 2 };
            Some((head + 1 + end + closing).min(text.len()))
        }
        // A set of characters is named by one more.
        0x20..=0x2f if head == 1 => Some(3.min(text.len())),
        0x30..=0x7e if head == 1 => Some(2),
        _ => None,
    }
}

/// The length of the parameters of a control sequence with its last byte.
fn parameters(text: &[u8]) -> Option<usize> {
    let is_inner = |(at, byte): (usize, &u8)| {
        matches!(byte, 0x20..=0x3b) || (at == 0 && matches!(byte, 0x3c..=0x3f))
    };
    let end = text.iter().enumerate().position(|inner| !is_inner(inner))?;
    matches!(text[end], 0x40..=0x7e).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwrap::source_map::Parts;

    #[test]
    fn colours_are_removed_and_traced() {
        let text = b"a\x1b[1;31mbc\x1b[0md\x1b]8;;u\x07e\\e[0mf\\x1b[3mg\\n";
        let (mut decoded, mut parts) = (Vec::new(), Parts::default());
        ansi(text, &mut decoded);
        ansi(text, &mut parts);
        assert_eq!(decoded, b"abcdefg\\n");
        let from = parts.from(&(2..4)).expect("a place");
        assert_eq!(&text[from], b"c\x1b[0md");
    }
}
