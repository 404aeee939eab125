//! Plain texts: a text that is no agent's session, as one of a single record, or of one for each
//! line of JSON.

use std::sync::Arc;

use crate::rules::is_random;
use session::{Bundle, Case, Member, Memory, Node, Reading, Scan, Session, Split, Stream};

/// The name of such a text among formats.
pub const NAME: &str = "text";

/// A text as a session; `None` if it is too long for one.
#[must_use]
pub fn session(name: &str, text: Vec<u8>) -> Option<Session> {
    let member = Member::new(name, Stream::Main, text)?;
    Some(again(&Bundle::of(member)))
}

/// The same of a bundle of such a text.
#[must_use]
pub fn again(bundle: &Bundle) -> Session {
    let bundle = Arc::new(bundle.clone());
    let mut memory = Memory::default();
    let mut reading = Reading::new(NAME, &bundle, &mut memory);
    let split = if is_lines(bundle.bytes(0)) { Split::Lines } else { Split::Whole };
    reading.member(0, split, unknown);
    let mut session = reading.finish();
    session.id = NAME.to_owned();
    session
}

/// Whether a text is lines of JSON, and not one value.
fn is_lines(text: &[u8]) -> bool {
    let mut scan = Scan::new();
    let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let whole = lines.clone().count() < 2;
    !whole
        && lines.all(|line| {
            matches!(line.trim_ascii_start(), [b'{' | b'[', ..]) && scan.read(line, 0).is_ok()
        })
}

/// Whether a value in such a text looks like one that gives access, where an agent's format has a
/// secret behind the same name: it has a word that was made by chance. Of an address, only one that
/// shares something does so.
#[must_use]
pub fn is_credential(value: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=".contains(byte);
    let has = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    if has(b"://") {
        return has(b"/share/") || has(b"/s/");
    }
    value.split(|byte| !is_token(byte)).any(is_random)
}

/// Nothing is known of its records.
fn unknown(_: Node<'_>) -> Option<&'static Case> {
    None
}
