//! One session out of a file with several: its own records, and no others.

use std::sync::Arc;

use catalog::{Catalog, Error};
use session::{Bundle, Kind, Member, Record, Session};

/// The session over a bundle of its own, which has only its records. `None` if the form of its
/// files does not allow it: without the other records, it would not be read as the same one.
///
/// # Errors
/// No format has the session's name.
pub fn cut_out(catalog: &Catalog<'_>, session: &Session) -> Result<Option<Session>, Error> {
    if !session.shared {
        return Ok(Some(session.clone()));
    }
    let Some(bundle) = own_records(session) else { return Ok(None) };
    let read = catalog.format(session.format)?.read(Arc::new(bundle));
    let kinds =
        |session: &Session| -> Vec<Kind> { session.events().map(|event| event.kind).collect() };
    let [cut] = &*read else { return Ok(None) };
    let is_same = cut.id == session.id && kinds(cut) == kinds(session);
    let mut cut = cut.clone();
    cut.beside = session.beside.clone();
    Ok(is_same.then_some(cut))
}

/// The members of a session with its records alone; `None` if they can't be separated from others.
fn own_records(session: &Session) -> Option<Bundle> {
    let mut members = Vec::new();
    for (at, member) in (0u32..).zip(&session.bundle.members) {
        let own = || session.records.iter().filter(|record| record.member == at);
        if own().next().is_none() {
            // A file without any session's records may be about all of them.
            continue;
        }
        let mut bytes = Vec::new();
        for record in own() {
            bytes.extend_from_slice(line(member, record)?);
            bytes.push(b'\n');
        }
        members.push(Member::new(&*member.name, member.stream.clone(), bytes)?);
    }
    (!members.is_empty()).then_some(Bundle { members })
}

/// The bytes of a record that is a line, or several.
fn line<'m>(member: &'m Member, record: &Record) -> Option<&'m [u8]> {
    let bytes = member.bytes();
    let (start, end) = (record.span.start as usize, record.span.end as usize);
    let begins = start == 0 || bytes.get(start - 1) == Some(&b'\n');
    let is_whole = matches!(bytes.get(end), None | Some(b'\n' | b'\r'));
    let ends = is_whole || bytes.get(..end)?.ends_with(b"\n");
    let text = bytes.get(start..end)?;
    (begins && ends).then(|| text.trim_ascii_end())
}
