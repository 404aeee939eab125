//! Whose a database is: the rows of each session in it are a file of that session.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use formats::Role;

use super::{Fault, Listing, Owned, Selection, Store, snapshot};
use crate::Formats;
use crate::claim::{Claimed, Claims};
use crate::scan::{File, Why};

/// The sessions of a file that begins so, if it is a database that a format knows.
pub(crate) fn claims(
    formats: Formats<'_>,
    path: &Path,
    meta: &Metadata,
    head: &[u8],
) -> Result<Option<Claims>, Why> {
    let is_log = snapshot::is_log(head);
    if !(meta.len() == 0 || is_log || head.starts_with(b"SQLite format 3\0")) {
        return Ok(None);
    }
    let unreadable = |fault: Fault| Why::Unreadable(fault.to_string());
    let Some(store) = Store::open(formats, path).map_err(unreadable)?.map(Arc::new) else {
        return Ok(None);
    };
    let (format, note) = (store.format, store.note().map(Why::Note));
    let Listing { owned, unread } = &store.listing;
    if owned.is_empty() && unread.is_empty() {
        return Err(Why::NoSession(format.name(), "a database without a conversation"));
    }
    let unread = (!unread.is_empty()).then(|| Why::Unreadable(unread.join("; ")));
    let mut files = Vec::new();
    for Owned { id, length } in owned {
        let group = if id.is_empty() { store.group().map_err(unreadable)? } else { id.clone() };
        let rows = Some(Selection { store: Arc::clone(&store), session: id.clone() });
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (role, modified) = (Role::Main, meta.modified().ok());
        let file = File { path: path.into(), name, role, length: *length, modified, rows };
        files.push(Claimed { format, group, above: None, file });
    }
    Ok(Some(Claims { files, notes: note.into_iter().chain(unread).collect() }))
}
