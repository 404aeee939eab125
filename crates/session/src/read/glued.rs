//! Objects on one line that a write error glued together: whole ones, and beginnings of ones whose
//! writing was cut off.

use crate::json::grammar::{skip_space, trim_end};
use crate::json::index::{JsonError, JsonFault, offset};
use crate::json::outline;
use crate::json::span::Span;

/// A part of a text: an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its bytes in the text.
    pub span: Span,
    /// The place in the text at which it breaks off, if only its beginning was written.
    pub cut: Option<u32>,
}

/// Largest number of objects that are read although they are glued together. No write error glues
/// as many.
const GLUED: usize = 1 << 16;

/// Largest number of beginnings in a text that are passed over.
const CUT: usize = 64;

/// The parts of a text that consists of several objects, at least one of them whole; none for any
/// other text. Linear.
///
/// `is_record` says whether the format knows an object as a record. It decides only where an object
/// could be a value of the one before it.
pub(crate) fn parts(text: &[u8], is_record: &mut dyn FnMut(&[u8]) -> bool) -> Vec<Part> {
    let (mut parts, mut from, mut cuts) = (Vec::new(), 0, 0);
    while from < text.len() {
        let rest = &text[from..];
        if rest.first() != Some(&b'{') || parts.len() > GLUED {
            return Vec::new();
        }
        let (length, cut) = match outline::fault(rest) {
            None => (rest.len(), None),
            Some((JsonError { at, why: JsonFault::Trailing }, _)) => {
                (trim_end(rest, 0, at as usize), None)
            }
            Some((fault, closed)) => {
                cuts += 1;
                let next = next_object(rest, fault, closed, is_record).filter(|_| cuts <= CUT);
                match next {
                    Some(next) => (next, Some(next)),
                    None if is_end(rest, fault) => (rest.len(), Some(rest.len())),
                    None => return Vec::new(),
                }
            }
        };
        let place = |at: usize| offset(from + at);
        let span = Span::new(place(0), place(length));
        parts.push(Part { span, cut: cut.map(place) });
        from = skip_space(text, from + length);
    }
    let whole = parts.iter().any(|part| part.cut.is_none());
    if whole && parts.len() > 1 { parts } else { Vec::new() }
}

/// The beginning of the object that follows one whose writing was cut off. `fault` is the place at
/// which the text stops being JSON.
///
/// Mostly the first quote of the next object ends a string of the one before, so that the fault is
/// at the first letter behind it: then the next object begins at the last bracket before the fault.
fn next_object(
    text: &[u8],
    fault: JsonError,
    (start, end): (usize, usize),
    is_record: &mut dyn FnMut(&[u8]) -> bool,
) -> Option<usize> {
    let at = fault.at as usize;
    let found = match fault.why {
        // It is at the place of a value, so only its own form shows that it is not one.
        JsonFault::CutOff => {
            let object = text.get(start..end)?;
            let is_last = end == text.len() && object.first() == Some(&b'{');
            let is_next = is_last && name(object) == name(text) && is_record(object);
            is_next.then_some(start)
        }
        // Within a word, a number or an escape.
        JsonFault::Scalar | JsonFault::Escape => {
            let near = text.get(at..text.len().min(at + REACH))?;
            near.iter().position(|&byte| byte == b'{').map(|behind| at + behind)
        }
        // What a write lost is NUL bytes on disk.
        JsonFault::Control => {
            let lost = text.get(at..)?.iter().take_while(|&&byte| byte == 0).count();
            (lost > 0 && text.get(at + lost) == Some(&b'{')).then_some(at + lost)
        }
        _ => memchr::memrchr(b'{', text.get(..=at)?),
    };
    found.filter(|&found| found > 0)
}

/// Whether a text stops being JSON because it ends: perhaps within a word, a number or an escape.
fn is_end(text: &[u8], JsonError { at, why }: JsonError) -> bool {
    let rest = text.get(at as usize..).unwrap_or_default();
    let within = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    match why {
        JsonFault::CutOff => true,
        JsonFault::Scalar | JsonFault::Escape => rest.len() < REACH && rest.iter().all(within),
        _ => false,
    }
}

/// Length of the longest beginning of a number's rest, a word or an escape that is searched for the
/// next object, in bytes.
const REACH: usize = 32;

/// The first name of an object.
fn name(object: &[u8]) -> Option<&[u8]> {
    let quote = skip_space(object, 1);
    let name = object.get(quote..)?.strip_prefix(b"\"")?;
    name.get(..memchr::memchr(b'"', name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"id":"q7","text":"tar: {\"a\":[1]} \\","n":-12.5e3,"ok":true,"in":[{"k":[]}]}"#;

    fn found(text: &[u8]) -> Vec<(&[u8], bool)> {
        let parts = parts(text, &mut |object| object.starts_with(b"{\"id\":"));
        parts.iter().map(|part| (part.span.of(text), part.cut.is_none())).collect()
    }

    /// Wherever the writing of an object was cut off, the whole one behind it is found, and so is
    /// the whole one before it.
    #[test]
    fn an_object_is_found_beside_any_beginning_of_one() {
        for end in 1..LINE.len() {
            let begun = &LINE.as_bytes()[..end];
            let mut behind = begun.to_vec();
            behind.extend(LINE.as_bytes());
            assert_eq!(found(&behind), [(begun, false), (LINE.as_bytes(), true)], "{end}");
            let before = [LINE.as_bytes(), begun].concat();
            assert_eq!(found(&before), [(LINE.as_bytes(), true), (begun, false)], "{end}");
            let lost = [begun, &[0; 9], LINE.as_bytes()].concat();
            let whole = found(&lost).last().is_some_and(|last| *last == (LINE.as_bytes(), true));
            let in_string = begun.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
            assert!(whole || !in_string || begun.ends_with(b"\\"), "{end}");
        }
    }

    #[test]
    fn other_texts_have_no_parts() {
        for text in [
            r#"{"a":{"id":"b"}"#,
            r#"{"id":{"a":1}"#,
            r#"{"a":"b" oops {"id":1}"#,
            r#"{"id":1} oops"#,
            r#"{"id":"cut"#,
            r#"[{"id":1}]{"id":1}"#,
            r#"{"id":1}"#,
            "",
        ] {
            assert_eq!(found(text.as_bytes()), [], "{text}");
        }
    }

    #[test]
    fn many_beginnings_cost_linear_time() {
        let text = "{\"id\":\"x".repeat(100_000) + "{}";
        assert_eq!(found(text.as_bytes()), []);
        let text = "{\"id\":".repeat(100_000);
        assert_eq!(found(text.as_bytes()), []);
    }
}
