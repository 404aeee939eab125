//! Stage two of the JSON reader: the grammar of RFC 8259, over the structural index.

use crate::json::index::{JsonError, JsonFault, offset};

/// Token of one value: positions in the text of the key's opening quote, of the key's end, of the
/// value's start and of its end. Without a key, both of its positions are 0.
pub(crate) type Token = [u32; 4];

/// Writes a token for each value of `text`, whose structural bytes are in `index`, and the number
/// of the next token outside it. Returns the number of tokens. The rest of `tokens` and `after`,
/// which have room for all values, is undefined.
///
/// # Errors
/// If the text is not one JSON value.
pub(crate) fn tokens(
    text: &[u8],
    index: &[u32],
    tokens: &mut [Token],
    after: &mut [u32],
) -> Result<usize, JsonError> {
    let mut walk = Walk { text, index, tokens, after, count: 0, within: OUTSIDE, entry: 0, at: 0 };
    walk.document()?;
    Ok(walk.count)
}

/// Largest number of values in a text: each is the outermost one, or follows an opening bracket or
/// a comma.
pub(crate) fn most_values(text: &[u8], index: &[u32]) -> usize {
    let leads = |&&at: &&u32| matches!(text.get(at as usize), Some(b'{' | b'[' | b','));
    index.iter().filter(leads).count() + 1
}

struct Walk<'a> {
    text: &'a [u8],
    index: &'a [u32],
    tokens: &'a mut [Token],
    after: &'a mut [u32],
    /// Number of values so far.
    count: usize,
    /// The innermost container.
    within: Open,
    /// The next entry of the index.
    entry: usize,
    /// The first unread byte.
    at: usize,
}

/// An open container: its token and its bracket.
#[derive(Clone, Copy)]
struct Open {
    token: u32,
    bracket: u8,
}

/// The text around the outermost value: nothing may follow there.
const OUTSIDE: Open = Open { token: 0, bracket: 0 };

/// A key's opening quote and the byte after it.
type Key = (u32, u32);

const NO_KEY: Key = (0, 0);

impl Walk<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        let mut more = self.value(NO_KEY)?;
        while more {
            more = match self.within.bracket {
                b'{' => self.members()?,
                _ => self.value(NO_KEY)? || self.next()?,
            };
        }
        let rest = skip_space(self.text, self.at);
        if rest == self.text.len() { Ok(()) } else { Err(fault(rest, JsonFault::Trailing)) }
    }

    /// Reads members of an object until another container is the innermost one, or the whole value
    /// has ended (then false).
    ///
    /// The index has every colon and every opening quote outside strings. So a quote directly
    /// before a colon, without entries between, ends the string that begins at the previous entry.
    /// A quote or a bracket directly after a colon is the next entry. So the next four entries give
    /// a member without white space around it, as most are.
    fn members(&mut self) -> Result<bool, JsonError> {
        while let Some(four) = self.index.get(self.entry..).and_then(|rest| rest.first_chunk::<4>())
        {
            let [key, colon, next, behind] = four.map(|place| place as usize);
            let named = key == self.at && colon >= key + 2;
            if !named || self.byte(colon) != b':' || self.byte(colon - 1) != b'"' {
                break;
            }
            let start = colon + 1;
            self.entry += 2;
            let end = match self.byte(start) {
                b'"' if behind >= start + 2 && self.byte(behind - 1) == b'"' => {
                    self.entry += 1;
                    behind
                }
                byte if is_scalar_start(byte) && self.byte(next - 1) > b' ' => {
                    self.scalar(start, next)?;
                    next
                }
                _ => {
                    self.at = start;
                    return Ok(self.value((four[0], four[1]))? || self.next()?);
                }
            };
            self.push((four[0], four[1]), start, end, offset(self.count + 1));
            self.at = end;
            // The end is the next entry.
            if self.byte(end) != b',' {
                return self.next();
            }
            self.entry += 1;
            self.at = end + 1;
        }
        let key = self.key()?;
        Ok(self.value(key)? || self.next()?)
    }

    /// Reads a value, or opens a container that is not empty: then true.
    #[inline(always)]
    fn value(&mut self, key: Key) -> Result<bool, JsonError> {
        let start = skip_space(self.text, self.at);
        let end = match self.byte(start) {
            b'"' => {
                self.entry += 1;
                string_end(self.text, start, self.place(self.entry))?
            }
            bracket @ (b'{' | b'[') => {
                let inside = skip_space(self.text, start + 1);
                self.entry += 1;
                if self.byte(inside) != bracket + 2 {
                    self.open(key, start, bracket);
                    self.at = inside;
                    return Ok(true);
                }
                self.entry += 1;
                inside + 1
            }
            _ => {
                let end = trim_end(self.text, start, self.place(self.entry));
                self.scalar(start, end)?;
                end
            }
        };
        self.push(key, start, end, offset(self.count + 1));
        self.at = end;
        Ok(false)
    }

    /// Until it is closed, a container's token has its bracket in place of its end, and the
    /// surrounding container in place of the next token.
    #[inline(always)]
    fn open(&mut self, key: Key, start: usize, bracket: u8) {
        let inner = Open { token: offset(self.count), bracket };
        self.push(key, start, usize::from(self.within.bracket), self.within.token);
        self.within = inner;
    }

    #[inline(always)]
    fn push(&mut self, (key, key_end): Key, start: usize, end: usize, after: u32) {
        let places = (self.tokens.get_mut(self.count), self.after.get_mut(self.count));
        if let (Some(token), Some(behind)) = places {
            (*token, *behind) = ([key, key_end, offset(start), offset(end)], after);
        }
        self.count += 1;
    }

    fn key(&mut self) -> Result<Key, JsonError> {
        let start = skip_space(self.text, self.at);
        if self.byte(start) != b'"' {
            return Err(self.unexpected(start));
        }
        let colon = self.place(self.entry + 1);
        let end = string_end(self.text, start, colon)?;
        if self.byte(colon) != b':' {
            return Err(self.unexpected(colon));
        }
        self.entry += 2;
        self.at = colon + 1;
        Ok((offset(start), offset(end)))
    }

    /// Checks that a text is a number, `true`, `false` or `null`.
    #[inline(always)]
    fn scalar(&self, start: usize, end: usize) -> Result<(), JsonError> {
        if is_scalar_at(self.text, start, end) {
            return Ok(());
        }
        let why = match self.within.bracket {
            _ if start < self.text.len() => JsonFault::Scalar,
            0 => JsonFault::Empty,
            _ => JsonFault::CutOff,
        };
        Err(fault(start, why))
    }

    /// Closes the containers that end after a value. False if the whole value has ended.
    #[inline(always)]
    fn next(&mut self) -> Result<bool, JsonError> {
        while self.within.bracket != 0 {
            let place = self.place(self.entry);
            let from = skip_space(self.text, self.at);
            if from != place {
                return Err(self.unexpected(from));
            }
            self.at = place + 1;
            self.entry += 1;
            let byte = self.byte(place);
            if byte == b',' {
                return Ok(true);
            }
            if byte != self.within.bracket + 2 {
                return Err(self.unexpected(place));
            }
            let after = offset(self.count);
            let token = self.within.token as usize;
            let places = (self.tokens.get_mut(token), self.after.get_mut(token));
            let (Some([.., end]), Some(behind)) = places else { break };
            self.within = Open { token: *behind, bracket: *end as u8 };
            (*end, *behind) = (offset(place + 1), after);
        }
        Ok(false)
    }

    /// The byte at a position; 0 after the end of the text, which begins and ends nothing.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The position of an index entry; the end of the text after the last one.
    #[inline(always)]
    fn place(&self, entry: usize) -> usize {
        self.index.get(entry).map_or(self.text.len(), |&at| at as usize)
    }

    #[cold]
    fn unexpected(&self, at: usize) -> JsonError {
        unexpected(self.text, at)
    }
}

/// The end of the string at `start`, if only white space is between that and `behind`.
#[inline(always)]
fn string_end(text: &[u8], start: usize, behind: usize) -> Result<usize, JsonError> {
    let end = trim_end(text, start, behind);
    if end < start + 2 || text[end - 1] != b'"' {
        return Err(unexpected(text, end.min(text.len().saturating_sub(1))));
    }
    Ok(end)
}

#[cold]
fn unexpected(text: &[u8], at: usize) -> JsonError {
    fault(at, if at >= text.len() { JsonFault::CutOff } else { JsonFault::Unexpected })
}

#[cold]
const fn fault(at: usize, why: JsonFault) -> JsonError {
    JsonError { at: offset(at), why }
}

#[inline]
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The position of the first byte from `at` on that is not JSON white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], at: usize) -> usize {
    if text.get(at).is_some_and(|&byte| byte > b' ') { at } else { skip_more(text, at) }
}

#[inline(never)]
fn skip_more(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

/// `end` without the white space before it, but not before `start`.
#[inline]
pub(crate) fn trim_end(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && is_space(text[end - 1]) {
        end -= 1;
    }
    end
}

/// Whether a scalar may begin with this byte.
#[inline]
const fn is_scalar_start(byte: u8) -> bool {
    matches!(byte, b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

/// Whether a text is a number, `true`, `false` or `null`.
#[inline(always)]
pub(crate) fn is_scalar_at(text: &[u8], start: usize, end: usize) -> bool {
    is_count(text, start, end) || is_scalar(text.get(start..end).unwrap_or_default())
}

/// Whether a text is a whole number of up to eight digits without a sign. Most numbers are, and
/// this avoids a loop with an unpredictable end. False proves nothing.
#[inline(always)]
fn is_count(text: &[u8], start: usize, end: usize) -> bool {
    let length = end.wrapping_sub(start);
    let last = text.get(end.wrapping_sub(8)..end).and_then(<[u8]>::first_chunk::<8>);
    let (1..=8, Some(last)) = (length, last) else { return false };
    // Bytes before the number are shifted out.
    let others = 64 - 8 * length;
    are_digits(u64::from_le_bytes(*last) >> others, u64::MAX >> others)
        && (length == 1 || text[start] != b'0')
}

/// Whether the bytes of `eight` in `asked` are digits. A digit's high half is 3, and adding six
/// does not change that.
const fn are_digits(eight: u64, asked: u64) -> bool {
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const SIX: u64 = 0x0606_0606_0606_0606;
    const THREE: u64 = 0x3333_3333_3333_3333;
    let halves = (eight & HIGH) | ((eight.wrapping_add(SIX) & HIGH) >> 4);
    (halves ^ THREE) & asked == 0
}

/// A number, `true`, `false` or `null` (RFC 8259, sections 3 and 6).
fn is_scalar(text: &[u8]) -> bool {
    match text.first() {
        Some(b't') => text == b"true",
        Some(b'f') => text == b"false",
        Some(b'n') => text == b"null",
        Some(b'-') => is_number(&text[1..]),
        Some(_) => is_number(text),
        None => false,
    }
}

fn is_number(text: &[u8]) -> bool {
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some((b'.', fraction)) = rest.split_first() {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent = match exponent.split_first() {
            Some((b'+' | b'-', exponent)) => exponent,
            _ => exponent,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[inline]
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::{is_count, is_scalar};

    /// The fast check accepts only numbers, and every short whole number, whatever precedes it.
    #[test]
    fn counts_are_numbers() {
        const BYTES: &[u8] = b"/0123456789:-.eE\x00\xb0\xff ";
        let (mut counts, mut seed) = (0, 1u64);
        for _ in 0..200_000 {
            let mut next = || {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (seed >> 33) as usize
            };
            let length = next() % 10;
            let digits = next() % 2 == 0;
            let from = if digits { &BYTES[1..11] } else { BYTES };
            let text: Vec<u8> = (0..8 + length).map(|_| from[next() % from.len()]).collect();
            let value = &text[8..];
            let whole = value.iter().all(u8::is_ascii_digit) && value.len() <= 8;
            assert_eq!(is_count(&text, 8, text.len()), whole && is_scalar(value), "{value:?}");
            counts += usize::from(is_count(&text, 8, text.len()));
        }
        assert!(counts > 10_000, "{counts}");
        assert!(!is_count(b"1234567", 0, 7), "too near the beginning: nothing is said");
    }
}
