//! Claims to a database: the rows of each session in it are one file of that session.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use formats::{Formats, Role};

use crate::find::found::{Claimed, Claims, SkipReason};
use crate::open::database::{
    DatabaseError, Owned, OwnedSessions, Selection, Store, is_log, is_one,
};
use crate::open::source::SourceFile;

const ALONE: &str = "a write-ahead log without its database: the log alone can't be read";

/// The claims to a file by its first bytes. `None` if it is not a database that a format knows.
pub(crate) fn claims(
    formats: Formats<'_>,
    path: &Arc<Path>,
    meta: &Metadata,
    head: &[u8],
) -> Result<Option<Claims>, SkipReason> {
    if !(meta.len() == 0 || is_log(head) || is_one(head)) {
        return Ok(None);
    }
    let unreadable = |fault: DatabaseError| match fault {
        // A note, not a failure: without the missing database, its WAL has no readable rows.
        DatabaseError::Alone => SkipReason::Note(ALONE),
        fault => SkipReason::Unreadable(fault.to_string()),
    };
    let Some(store) = Store::open(formats, path).map_err(unreadable)?.map(Arc::new) else {
        // A format may still know the file by its name.
        return Ok(None);
    };
    let (format, note) = (store.format, store.note().map(SkipReason::Note));
    let OwnedSessions { owned, unread } = &store.listing;
    let bare = owned.is_empty().then(|| SkipReason::Bare(Arc::clone(&store)));
    let unread = (!unread.is_empty()).then(|| SkipReason::Unreadable(unread.join("; ")));
    let mut files = Vec::new();
    for Owned { id, length } in owned {
        let group = if id.is_empty() { store.group().map_err(unreadable)? } else { id.clone() };
        let rows = Some(Selection { store: Arc::clone(&store), session: id.clone() });
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (role, modified) = (Role::Main, meta.modified().ok());
        let (path, length, archived) = (Arc::clone(path), *length, None);
        let file = SourceFile { path, name, role, length, modified, rows, archived };
        files.push(Claimed { format, group, above: None, file });
    }
    let notes = note.into_iter().chain(bare).chain(unread).collect();
    Ok(Some(Claims { files, notes }))
}
