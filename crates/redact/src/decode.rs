//! Decoders: the text behind one wrapping (JSON escapes, percent encoding, base64, ...), and from
//! which bytes of the wrapped text each part of it came.

use std::ops::Range;

/// A way in which a text is wrapped in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Wrapping {
    /// Escapes of JSON (RFC 8259, section 7).
    Json,
    /// Percent encoding (RFC 3986, section 2.1).
    Percent,
    /// Percent encoding with `+` for a space, as forms are sent.
    Form,
    /// Colours and other control sequences of a terminal (ECMA-48).
    Ansi,
    /// A prefix of each line: its number, a path, the mark of a diff or a quotation.
    Prefixes,
    /// Lines that were cut at a width.
    Wrapped,
    /// Base64 or base64url (RFC 4648), and in it also Gzip (RFC 1952) or UTF-16.
    Base64,
    /// Base32 (RFC 4648).
    Base32,
    /// Hexadecimal digits.
    Hex,
    /// Bytes as numbers: a dump in hexadecimal digits, or a list of them; or with a head that
    /// names their encoding.
    Dump,
    /// References of HTML (`&#103;`).
    Entities,
    /// Characters that nobody sees: NUL, spaces and joiners without a width.
    Invisible,
    /// Quoted-printable (RFC 2045, section 6.7).
    Quoted,
    /// Strings put together, and words with tags or quotes within.
    Joined,
    /// Pieces of a stream: texts of several records, joined.
    Stream,
}

impl Wrapping {
    /// Whether no part of the wrapped text can be replaced alone.
    pub(super) const fn is_whole(self) -> bool {
        matches!(self, Self::Base64 | Self::Base32 | Self::Hex | Self::Dump)
    }

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Percent => "percent",
            Self::Form => "form",
            Self::Ansi => "ansi",
            Self::Prefixes => "prefixes",
            Self::Wrapped => "wrapped",
            Self::Base64 => "base64",
            Self::Base32 => "base32",
            Self::Hex => "hex",
            Self::Dump => "dump",
            Self::Entities => "entities",
            Self::Invisible => "invisible",
            Self::Quoted => "quoted-printable",
            Self::Joined => "joined",
            Self::Stream => "stream",
        }
    }
}

/// Parts of a decoded text that follow each other: they begin at `at`, and came from the range from
/// `from` to `to` of the wrapped text, `unit.1` bytes for each `unit.0`.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: u32,
    from: u32,
    to: u32,
    unit: (u32, u32),
}

/// The receiver of a text while it is decoded.
pub(super) trait Sink {
    /// `bytes` came from the range `from`.
    fn put(&mut self, bytes: &[u8], from: Range<usize>);
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8], _: Range<usize>) {
        self.extend_from_slice(bytes);
    }
}

/// The parts of a decoded text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    length: usize,
}

impl Sink for Parts {
    fn put(&mut self, bytes: &[u8], from: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        let even = bytes.len() == from.len();
        let unit = if even { (1, 1) } else { (bytes.len() as u32, from.len() as u32) };
        let (start, end, at) = (from.start as u32, from.end as u32, self.length as u32);
        self.length += bytes.len();
        match self.parts.last_mut() {
            // A run of equal escapes is one part: memory is that of the text at most.
            Some(last) if last.unit == unit && last.to == start => last.to = end,
            _ => self.parts.push(Part { at, from: start, to: end, unit }),
        }
    }
}

impl Parts {
    /// The range of the wrapped text from which a range of the decoded one came; a part that does
    /// not correspond byte by byte counts whole. `None` for an empty range, and beyond the end.
    pub(super) fn from(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.is_empty() || range.end > self.length {
            return None;
        }
        let (start, end) = (range.start as u32, range.end as u32);
        let first = self.parts.partition_point(|part| part.at <= start).checked_sub(1)?;
        let last = self.parts.partition_point(|part| part.at < end).checked_sub(1)?;
        let (first, last) = (self.parts[first], self.parts[last]);
        let start = first.from + (start - first.at) / first.unit.0 * first.unit.1;
        let end = last.from + (end - last.at).div_ceil(last.unit.0) * last.unit.1;
        Some(start as usize..end as usize)
    }
}

/// Decodes escapes of JSON, and those of programs and shells that JSON does not have (`\xNN`,
/// `\NNN`, `\u{N}`). Other backslashes are kept, so that any text can be decoded.
pub(super) fn json(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        let escape = at + found;
        if let Some((length, letters)) = points(&text[escape..]) {
            out.put(&text[at..escape], at..escape);
            out.put(letters.as_bytes(), escape..escape + length);
            at = escape + length;
            continue;
        }
        let Some((length, decoded)) = escaped(&text[escape..]) else {
            out.put(&text[at..=escape], at..escape + 1);
            at = escape + 1;
            continue;
        };
        if escape > at {
            out.put(&text[at..escape], at..escape);
        }
        let mut buffer = [0; 4];
        out.put(decoded.encode_utf8(&mut buffer).as_bytes(), escape..escape + length);
        at = escape + length;
    }
    if at < text.len() {
        out.put(&text[at..], at..text.len());
    }
}

/// The length of the escape at the beginning of a text, and its character.
fn escaped(text: &[u8]) -> Option<(usize, char)> {
    let short = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        // Shells and Markdown escape any sign, and shells a space.
        &byte if byte.is_ascii_punctuation() || byte == b' ' => char::from(byte),
        b'U' => return long(text),
        b'u' if text.get(2) == Some(&b'{') => return braced(text),
        b'u' => return unicode(text),
        b'x' => return Some((4, ascii(u32::from(hex_byte(text.get(2..4)?)?))?)),
        b'0'..=b'7' => return octal(text),
        _ => return None,
    };
    Some((2, short))
}

/// `\U00000067`.
fn long(text: &[u8]) -> Option<(usize, char)> {
    let digits = text.get(2..10).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let point = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((10, char::from_u32(point)?))
}

fn ascii(point: u32) -> Option<char> {
    char::from_u32(point).filter(char::is_ascii)
}

/// `\u{67}`.
fn braced(text: &[u8]) -> Option<(usize, char)> {
    let digits = text.get(3..text.len().min(10))?.split(|&byte| byte == b'}').next()?;
    let closed = text.get(3 + digits.len()) == Some(&b'}');
    let point = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    closed.then_some((digits.len() + 4, char::from_u32(point)?))
}

/// The length of `\u{67 68}`, as Ruby has it, and its characters.
fn points(text: &[u8]) -> Option<(usize, String)> {
    let list = text.strip_prefix(b"\\u{")?;
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b' ' | b'\t');
    let end = list.iter().take_while(is_part).count();
    let is_list = list.get(end) == Some(&b'}') && list[..end].trim_ascii().contains(&b' ');
    let list = std::str::from_utf8(&list[..end]).ok().filter(|_| is_list)?;
    let point = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    Some((end + 4, list.split_ascii_whitespace().map(point).collect::<Option<String>>()?))
}

/// `\147`, `\0147` of `printf`, and `\75`: fewer digits only where they are those of a letter, as
/// patterns have them too.
fn octal(text: &[u8]) -> Option<(usize, char)> {
    let digits = text[1..].iter().take(4).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let point = |count: usize| {
        let digits = text.get(1..1 + count).filter(|_| count <= digits)?;
        Some(digits.iter().fold(0, |sum, digit| sum << 3 | u32::from(digit - b'0')))
    };
    let is_letter = |point: &u32| (0x20..0x7f).contains(point) || matches!(point, 9 | 10 | 13);
    let long = (text[1] == b'0').then(|| point(4).filter(is_letter)).flatten();
    if let Some(point) = long.filter(|_| matches!(text[2], b'0' | b'1')) {
        return Some((5, ascii(point)?));
    }
    if let Some(point) = point(3).filter(|_| text[1] < b'4') {
        return Some((4, ascii(point)?));
    }
    Some((3, ascii(point(2).filter(is_letter)?)?))
}

fn unicode(text: &[u8]) -> Option<(usize, char)> {
    let unit = |at: usize| -> Option<u32> {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if let Some(one) = char::from_u32(first) {
        return Some((6, one));
    }
    let second = unit(6).filter(|second| (0xdc00..0xe000).contains(second));
    match second {
        Some(second) if first < 0xdc00 => {
            let point = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Some((12, char::from_u32(point)?))
        }
        _ => Some((6, char::REPLACEMENT_CHARACTER)),
    }
}

/// The letter of ASCII that `%u0067` is.
fn unit_of(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"%u00")?;
    digits.get(..2).and_then(hex_byte).filter(u8::is_ascii)
}

/// Decodes percent encoding.
pub(super) fn percent(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &text[at..]) {
        let escape = at + found;
        if let Some(letter) = text.get(escape..).and_then(unit_of) {
            out.put(&text[at..escape], at..escape);
            out.put(&[letter], escape..escape + 6);
            at = escape + 6;
            continue;
        }
        let byte = text.get(escape + 1..escape + 3).and_then(hex_byte);
        let end = escape + if byte.is_some() { 0 } else { 1 };
        if end > at {
            out.put(&text[at..end], at..end);
        }
        at = end;
        if let Some(byte) = byte {
            out.put(&[byte], escape..escape + 3);
            at = escape + 3;
        }
    }
    if at < text.len() {
        out.put(&text[at..], at..text.len());
    }
}

/// Decodes percent encoding in which `+` is a space.
pub(super) fn form(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    let mut put = |text: &[u8], at: usize| {
        let mut decoded = At(&mut *out, at);
        percent(text, &mut decoded);
    };
    for at in memchr::memchr_iter(b'+', text) {
        put(&text[from..at], from);
        put(b" ", at);
        from = at + 1;
    }
    put(&text[from..], from);
}

/// A sink of a part of a text that begins there.
struct At<'s, S>(&'s mut S, usize);

impl<S: Sink> Sink for At<'_, S> {
    fn put(&mut self, bytes: &[u8], from: Range<usize>) {
        self.0.put(bytes, from.start + self.1..from.end + self.1);
    }
}

pub(super) fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &[u8], decode: impl Fn(&[u8], &mut dyn Put)) -> (Vec<u8>, Parts) {
        let (mut bytes, mut parts) = (Vec::new(), Parts::default());
        decode(text, &mut bytes);
        decode(text, &mut parts);
        assert_eq!(bytes.len(), parts.length);
        (bytes, parts)
    }

    /// A sink as an object.
    trait Put {
        fn take(&mut self, bytes: &[u8], from: Range<usize>);
    }

    impl<S: Sink> Put for S {
        fn take(&mut self, bytes: &[u8], from: Range<usize>) {
            self.put(bytes, from);
        }
    }

    impl Sink for &mut dyn Put {
        fn put(&mut self, bytes: &[u8], from: Range<usize>) {
            (**self).take(bytes, from);
        }
    }

    fn origin<'t>(text: &'t [u8], parts: &Parts, decoded: &[u8], word: &str) -> &'t [u8] {
        let at = memchr::memmem::find(decoded, word.as_bytes()).expect("there");
        &text[parts.from(&(at..at + word.len())).expect("a place")]
    }

    #[test]
    fn escapes_of_json_are_decoded_and_traced() {
        let text = br#"a\n\"k\": \u0041\ud83d\ude00b\q \ud800 c\"#;
        let (decoded, parts) = both(text, |text, mut out| json(text, &mut out));
        assert_eq!(String::from_utf8_lossy(&decoded), "a\n\"k\": A\u{1f600}b\\q \u{fffd} c\\");
        assert_eq!(origin(text, &parts, &decoded, "A\u{1f600}"), br"\u0041\ud83d\ude00");
        assert_eq!(origin(text, &parts, &decoded, "k"), b"k");
        assert_eq!(parts.from(&(3..3)), None);
        assert_eq!(parts.from(&(3..300)), None);
    }

    #[test]
    fn a_list_of_points_is_one_part() {
        let text = br"x \u{61 62 a 1f600} \u{67} \u{61 62 \u{61 g}";
        let (decoded, parts) = both(text, |text, mut out| json(text, &mut out));
        let read = "x ab\n\u{1f600} g \\u{61 62 \\u{61 g}";
        assert_eq!(String::from_utf8_lossy(&decoded), read);
        assert_eq!(origin(text, &parts, &decoded, "b"), br"\u{61 62 a 1f600}");
    }

    #[test]
    fn percent_encoding_is_decoded_and_traced() {
        let text = b"x%41%42c%zz%4";
        let (decoded, parts) = both(text, |text, mut out| percent(text, &mut out));
        assert_eq!(decoded, b"xABc%zz%4");
        assert_eq!(origin(text, &parts, &decoded, "Bc"), b"%42c");
    }
}
