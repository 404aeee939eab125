//! Character references of HTML (`&#103;`, `&amp;`).

use super::source_map::Sink;

/// Whether a text may have references of HTML.
pub(crate) fn has_entities(text: &[u8]) -> bool {
    memchr::memchr_iter(b'&', text).any(|at| entity(&text[at..]).is_some())
}

/// Decodes references of HTML.
pub(crate) fn entities(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for at in memchr::memchr_iter(b'&', text) {
        let Some((length, letter)) = entity(&text[at..]) else { continue };
        out.put(&text[from..at], from..at);
        out.put(letter.encode_utf8(&mut [0; 4]).as_bytes(), at..at + length);
        from = at + length;
    }
    out.put(&text[from..], from..text.len());
}

/// Names of references to characters of ASCII, and to those that nobody sees.
const NAMES: [(&str, char); 42] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("dash", '-'),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("lcub", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("rcub", '}'),
    ("shy", '\u{ad}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
];

const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The length of the reference at the beginning of a text, and its character.
fn entity(text: &[u8]) -> Option<(usize, char)> {
    closed(text).or_else(|| open(text))
}

/// `&#103` and `&#x67` without an end, as browsers read them too.
fn open(text: &[u8]) -> Option<(usize, char)> {
    let (head, radix) = match text.strip_prefix(b"&#")? {
        [b'x' | b'X', ..] => (3, 16),
        _ => (2, 10),
    };
    let digits = text[head..].iter().take(8).take_while(|b| char::from(**b).is_digit(radix));
    let end = head + digits.count();
    // A tag or a quote may cut the number.
    if matches!(text.get(end), Some(b'<' | b'"' | b'\'')) {
        return None;
    }
    let digits = std::str::from_utf8(&text[head..end]).ok()?;
    let point = u32::from_str_radix(digits, radix).ok()?;
    let letter = char::from_u32(point).filter(|_| matches!(point, 9 | 10 | 13 | 0x20..0x7f))?;
    Some((end, letter))
}

fn closed(text: &[u8]) -> Option<(usize, char)> {
    let end = text.iter().take(14).position(|&byte| byte == b';')?;
    // The end of a line may be within.
    let name: Vec<u8> = text[1..end].iter().copied().filter(|&byte| !is_break(byte)).collect();
    let name = std::str::from_utf8(&name).ok()?;
    let letter = match name.strip_prefix('#') {
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
        Some(digits) => {
            let point = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(point.ok()?)?
        }
    };
    Some((end + 1, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        let mut out = Vec::new();
        entities(b"a&#103;&#x68;&amp;&none; &#0000105;&#106&#x6b &#1; &", &mut out);
        assert_eq!(out, b"agh&&none; ijk \x01 &");
        out.clear();
        entities(b"a&lowbar;b&hyphen;c&colon;d&equals;e&period;f&copy;", &mut out);
        assert_eq!(out, b"a_b-c:d=e.f&copy;");
        assert!(!has_entities(b"a && b;"));
    }
}
