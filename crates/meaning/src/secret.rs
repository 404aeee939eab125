//! Secrets: values that give access to something, and a session without them. The replacement has
//! the same length, so all positions stay valid and nothing is read again.

mod unread;

use std::collections::BTreeMap;
use std::sync::Arc;

use session::{Bundle, EventRef, Field, Hold, Kind, Member, Session, Slot, Span, value};

/// A value that gives access to something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The path of names to it in its event, joined by `/`.
    pub path: String,
    /// Its member of the bundle.
    pub member: u32,
    /// Its bytes; for an address with a password, only the password.
    pub span: Span,
    /// Whether it is a whole value, not a part of one.
    whole: bool,
    /// Its record and the white space behind it.
    around: Span,
}

impl Secret {
    /// Whether it is a whole value, not a part of one.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.whole
    }
}

/// Names of HTTP headers whose values give access to something, in lower case.
const HEADERS: &[(&str, Slot)] = &[
    ("authorization", Slot::Secret),
    ("proxy-authorization", Slot::Secret),
    ("cookie", Slot::Secret),
    ("set-cookie", Slot::Secret),
    ("api-key", Slot::Secret),
    ("x-api-key", Slot::Secret),
    ("x-goog-api-key", Slot::Secret),
    ("x-auth-token", Slot::Secret),
    ("x-access-token", Slot::Secret),
    ("x-amz-security-token", Slot::Secret),
];

/// The names that lead to values which give access to something, each with its slot
/// ([`Slot::Secret`] or [`Slot::Repository`]): for records that no table can read.
pub type Names<'n> = &'n [(&'n str, Slot)];

/// The secrets of a session without duplicates, in the order of its bytes. In a damaged record
/// they are the values behind one of `names`.
#[must_use]
pub fn secrets(session: &Session, names: Names<'_>) -> Vec<Secret> {
    let mut found = BTreeMap::new();
    for event in session.events() {
        let (member, record) = (event.origin.member, event.origin.record);
        for (at, &field) in event.fields().iter().enumerate() {
            if let Some(span) = span(event, field) {
                let whole = span == field.value;
                let named = || (path(event, at), whole, record);
                found.entry((member, span)).or_insert_with(named);
            }
            for (name, span) in headers(event, field) {
                let named = || (format!("{}/{name}", path(event, at)), false, record);
                found.entry((member, span)).or_insert_with(named);
            }
        }
        if event.kind == Kind::Opaque {
            let names: Vec<(&str, Slot)> = names.iter().chain(HEADERS).copied().collect();
            for (name, span) in unread::named(event.bytes(), &names) {
                let span = behind(event.span, span);
                found.entry((member, span)).or_insert((name, false, record));
            }
        }
    }
    let secret = |((member, span), (path, whole, record))| {
        let around = around(session, record);
        Secret { path, member, span, whole, around }
    };
    found.into_iter().map(secret).collect()
}

/// A record with the white space behind it, as documents write it.
fn around(session: &Session, record: u32) -> Span {
    let Some(record) = session.records.get(record as usize) else { return Span::NONE };
    let Span { start, end } = record.span;
    let behind = session.bundle.bytes(record.member).get(end as usize..).unwrap_or_default();
    let space = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    Span::new(start, end + space as u32)
}

/// The HTTP headers that give access to something, in a value that is kept whole.
fn headers(event: EventRef<'_>, field: Field) -> Vec<(String, Span)> {
    let raw = event.value(field);
    let is_kept = (field.slot, field.hold) == (Slot::Native, Hold::Own);
    let may_have = is_kept && matches!(raw, [b'{' | b'[', ..]);
    if !may_have || memchr::memmem::find(raw, b"eaders").is_none() {
        return Vec::new();
    }
    let found = unread::named(raw, HEADERS).into_iter();
    found.map(|(name, span)| (name, behind(field.value, span))).collect()
}

/// The span relative to the start of another, as a span of the member.
fn behind(start: Span, span: Span) -> Span {
    Span::new(start.start + span.start, start.start + span.end)
}

/// The session with its secrets replaced by other bytes of the same length, and the secrets; `None`
/// if it has none.
#[must_use]
pub fn withheld(session: &Session, names: Names<'_>) -> Option<(Session, Vec<Secret>)> {
    let secrets = secrets(session, names);
    if secrets.is_empty() {
        return None;
    }
    let mut members: Vec<Member> = session.bundle.members.clone();
    for Secret { member, span, whole, around, .. } in &secrets {
        let change = |bytes: &mut [u8]| if *whole { cover(bytes) } else { bytes.fill(b'*') };
        if let Some(member) = members.get_mut(*member as usize) {
            member.cover(*span, *around, change);
        }
    }
    let mut covered = session.clone();
    covered.bundle = Arc::new(Bundle { members });
    Some((covered, secrets))
}

/// The bytes of a field that give access to something.
fn span(event: EventRef<'_>, field: Field) -> Option<Span> {
    let raw = event.value(field);
    match field.slot {
        Slot::Secret if gives(raw) => Some(field.value),
        Slot::Native if is_header(event.name(field)) && gives(raw) => Some(field.value),
        Slot::Repository => match password(raw).filter(|_| !raw.contains(&b'\\')) {
            Some((from, to)) => {
                let start = field.value.start;
                Some(Span::new(start + from as u32, start + to as u32))
            }
            None => value::text(raw).filter(|text| gives_access(text)).map(|_| field.value),
        },
        _ => None,
    }
}

/// Whether this is the name of a header that gives access to something.
fn is_header(name: &[u8]) -> bool {
    HEADERS.iter().any(|(header, _)| name.eq_ignore_ascii_case(header.as_bytes()))
}

/// Whether a value can give access to anything.
fn gives(raw: &[u8]) -> bool {
    !matches!(raw, b"null" | b"true" | b"false" | b"\"\"")
}

/// Whether an address may give access without a marked secret: it has a user and a password before
/// a host, in any spelling, or a query.
fn gives_access(address: &str) -> bool {
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    password(address.as_bytes()).is_some()
        || rest.rsplit_once('@').is_some_and(|(who, _)| who.contains(':'))
        || rest.split_once('?').is_some_and(|(_, query)| query.contains('='))
}

/// The user part of an address (RFC 3986, section 3.2.1), if it may be more than a name.
fn password(raw: &[u8]) -> Option<(usize, usize)> {
    let scheme = memchr::memmem::find(raw, b"://")?;
    let from = scheme + 3;
    let rest = raw.get(from..)?;
    let host = rest.iter().position(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'"'));
    let to = memchr::memrchr(b'@', &rest[..host.unwrap_or(rest.len())])?;
    let web = raw[..scheme].ends_with(b"http") || raw[..scheme].ends_with(b"https");
    (to > 0 && (web || rest[..to].contains(&b':'))).then_some((from, from + to))
}

/// The path of names to a field of an event.
fn path(event: EventRef<'_>, at: usize) -> String {
    let fields = event.fields();
    let mut names = Vec::new();
    let mut depth = None;
    for field in fields[..=at].iter().rev() {
        let encloses = depth.is_none_or(|below| field.depth < below && field.hold == Hold::Open);
        if encloses {
            depth = Some(field.depth);
            names.push(value::unescape(event.name(*field)));
        }
    }
    names.reverse();
    names.join("/")
}

/// Covers a value. A string stays a string, a number a number.
fn cover(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let named = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                if named != Some(&b':') {
                    bytes[at + 1..end - 1].fill(b'*');
                }
                at = end;
                continue;
            }
            b'0'..=b'9' => bytes[at] = b'1',
            _ => {}
        }
        at += 1;
    }
}

/// The end of the string that begins at `start`, its quote included.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{cover, gives_access, password};

    #[test]
    fn an_address_that_may_give_access_is_told_however_it_is_written() {
        for address in [
            "https://u:a/word@host/r",
            "//u:word@host/r",
            "u:word@host:r.git",
            "https://host/r?access_token=word",
            "https://word@host/r",
        ] {
            assert!(gives_access(address), "{address}");
        }
        for address in ["git@host:group/r.git", "https://host:8443/r", "ssh://git@host:22/r", "/r"]
        {
            assert!(!gives_access(address), "{address}");
        }
    }

    #[test]
    fn what_is_covered_keeps_its_shape_and_length() {
        for (value, covered) in [
            (r#""a\"bé""#, r#""******""#),
            ("-12.5e7", "-11.1e1"),
            (r#"{"k": ["x", 9, null]}"#, r#"{"k": ["*", 1, null]}"#),
        ] {
            let mut bytes = value.as_bytes().to_vec();
            cover(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), covered);
        }
    }

    #[test]
    fn an_address_says_who_asks_before_its_host() {
        let found = |raw: &'static str| password(raw.as_bytes()).map(|(a, b)| &raw[a..b]);
        assert_eq!(found(r#""https://x:abc@host.test/a@b""#), Some("x:abc"));
        assert_eq!(found(r#""https://abc@host.test""#), Some("abc"));
        assert_eq!(found(r#""ssh://git@host.test/a""#), None);
        assert_eq!(found(r#""ssh://u:p@host.test/a""#), Some("u:p"));
        assert_eq!(found(r#""git@host.test:a/b""#), None);
        assert_eq!(found(r#""https://host.test/a@b""#), None);
    }
}
