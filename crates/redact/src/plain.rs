//! Plain texts: a text that is no agent's session, as one of a single record, or of one for each
//! line of JSON.

use std::sync::Arc;

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

/// Nothing is known of its records.
fn unknown(_: Node<'_>) -> Option<&'static Case> {
    None
}
