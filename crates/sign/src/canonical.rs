//! The canonical form of JSON that the draft's verifier makes again before it verifies: names in
//! their order, no space, the shortest escapes (RFC 8785). Refused wherever two makers of it would
//! write different bytes, so that one signature is of one document.

use std::collections::BTreeMap;

use crate::number;

/// The reason why a text has no canonical form that everybody makes alike.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {what}")]
pub struct Uncanonical {
    /// Offset of the value.
    pub at: usize,
    /// The value, and what is wrong.
    pub what: String,
}

/// Greatest nesting of the JSON.
const DEPTH: usize = 512;

/// The canonical form of a JSON text.
///
/// # Errors
/// The value that would be changed: a number in another spelling, a name that is there twice, half
/// of a surrogate pair.
pub fn canonical(json: &[u8]) -> Result<Vec<u8>, Uncanonical> {
    let text = std::str::from_utf8(json)
        .map_err(|error| Uncanonical { at: error.valid_up_to(), what: "it is not UTF-8".into() })?;
    let mut reader = Reader { text, at: 0 };
    let mut out = Vec::with_capacity(json.len());
    reader.value(&mut out, 0)?;
    reader.space();
    match reader.at == text.len() {
        true => Ok(out),
        false => Err(reader.fault("there is more behind the end")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn fault(&self, what: &str) -> Uncanonical {
        Uncanonical { at: self.at, what: what.to_owned() }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Whether the next byte, behind space, is this one, which is then taken.
    fn next_is(&mut self, byte: u8) -> bool {
        self.space();
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, byte: u8) -> Result<(), Uncanonical> {
        match self.next_is(byte) {
            true => Ok(()),
            false => Err(self.fault("it is not JSON")),
        }
    }

    fn value(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), Uncanonical> {
        if depth > DEPTH {
            return Err(self.fault("it is nested too deeply"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(out, depth),
            Some(b'[') => self.array(out, depth),
            Some(b'"') => {
                let text = self.string()?;
                write(&text, out);
                Ok(())
            }
            Some(b'-' | b'0'..=b'9') => self.number(out),
            _ => {
                let word = ["true", "false", "null"];
                let word = word.into_iter().find(|word| self.rest().starts_with(word));
                let word = word.ok_or_else(|| self.fault("it is not JSON"))?;
                self.at += word.len();
                out.extend_from_slice(word.as_bytes());
                Ok(())
            }
        }
    }

    fn array(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), Uncanonical> {
        self.expect(b'[')?;
        out.push(b'[');
        if self.next_is(b']') {
            out.push(b']');
            return Ok(());
        }
        loop {
            self.value(out, depth + 1)?;
            if !self.next_is(b',') {
                break;
            }
            out.push(b',');
        }
        out.push(b']');
        self.expect(b']')
    }

    fn object(&mut self, out: &mut Vec<u8>, depth: usize) -> Result<(), Uncanonical> {
        self.expect(b'{')?;
        let mut members: BTreeMap<Vec<u16>, (String, Vec<u8>)> = BTreeMap::new();
        let mut empty = self.next_is(b'}');
        let closed = empty;
        while !empty {
            self.space();
            let at = self.at;
            let name = self.string()?;
            self.expect(b':')?;
            let mut value = Vec::new();
            self.value(&mut value, depth + 1)?;
            let units = name.encode_utf16().collect();
            if members.contains_key(&units) {
                return Err(Uncanonical { at, what: format!("the name {name:?} is there twice") });
            }
            members.insert(units, (name, value));
            empty = !self.next_is(b',');
        }
        if !closed {
            self.expect(b'}')?;
        }
        let names: Vec<&str> = members.values().map(|(name, _)| &**name).collect();
        if let Some([one, _]) = names.array_windows().find(|[one, next]| one > next) {
            let what = format!("the name {one:?} has another place by UTF-16 than by characters");
            return Err(Uncanonical { at: self.at, what });
        }
        out.push(b'{');
        for (number, (name, value)) in members.into_values().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            write(&name, out);
            out.push(b':');
            out.extend(value);
        }
        out.push(b'}');
        Ok(())
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Result<(), Uncanonical> {
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = self.rest().bytes().take_while(|byte| is_part(byte)).count();
        let text = self.rest().get(..length).unwrap_or_default();
        let digits = text.trim_start_matches('-');
        let led = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        if led || !number::is_stable(text) {
            let what = format!("the number {text} would be written otherwise");
            return Err(Uncanonical { at: self.at, what });
        }
        out.extend_from_slice(text.as_bytes());
        self.at += length;
        Ok(())
    }

    fn string(&mut self) -> Result<String, Uncanonical> {
        self.expect(b'"')?;
        let mut text = String::new();
        loop {
            let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
            let length = self.rest().bytes().take_while(|byte| is_plain(byte)).count();
            text.push_str(self.rest().get(..length).unwrap_or_default());
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(self.fault("a text does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Uncanonical> {
        self.at += 1;
        let sign = self.peek().ok_or_else(|| self.fault("a text does not end"))?;
        self.at += 1;
        Ok(match sign {
            b'"' | b'\\' | b'/' => char::from(sign),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unit(),
            _ => return Err(self.fault("an escape is unknown")),
        })
    }

    fn unit(&mut self) -> Result<char, Uncanonical> {
        let first = self.hex()?;
        let units = match first {
            0xd800..=0xdbff if self.rest().starts_with("\\u") => {
                self.at += 2;
                vec![first, self.hex()?]
            }
            _ => vec![first],
        };
        let mut chars = char::decode_utf16(units);
        match (chars.next(), chars.next()) {
            (Some(Ok(one)), None) => Ok(one),
            _ => Err(self.fault("half of a surrogate pair is alone")),
        }
    }

    fn hex(&mut self) -> Result<u16, Uncanonical> {
        let text = self.rest().get(..4).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = text.and_then(|text| u16::from_str_radix(text, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("an escape is no number"))?;
        self.at += 4;
        Ok(unit)
    }
}

/// Writes a text with the shortest escapes.
fn write(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\0'..='\u{1f}' => {
                out.extend(format!("\\u{:04x}", u32::from(character)).into_bytes());
            }
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}
