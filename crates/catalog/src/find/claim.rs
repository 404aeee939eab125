//! Format detection: each format checks a file's name and its two ends. At most 64 KiB are read at
//! either end. Files that hold credentials are never opened.

use std::cell::OnceCell;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use formats::{Candidate, Detected, END_BYTES, Formats, Role, Tail, strangers};
use session::MEMBER_LIMIT;

use crate::find::environment::Root;
use crate::find::found::{Claimed, Claims, SkipReason};
use crate::find::{known_claim, rows};
use crate::open::content::with_head;
use crate::open::ends::Kept;
use crate::open::source::SourceFile;
use crate::open::{database, ends};
use crate::paths::shown;

/// Usual names of files that hold credentials. Files of these names, and of the names that a format
/// adds, are never opened.
const SEALED: &[&str] = &["credentials.json", "auth.json", "secrets.json", ".env"];

/// Whether a file's name says that it holds credentials.
pub fn is_sealed(formats: Formats<'_>, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_formats = formats.iter().map(|format| format.data().sealed);
    of_formats.chain([SEALED]).any(|names| names.contains(&&*name))
}

/// Probes a file with every format.
pub(crate) fn claim(
    formats: Formats<'_>,
    root: &Root,
    path: &Arc<Path>,
    kept: &Kept,
) -> Result<Claims, SkipReason> {
    if is_sealed(formats, path) {
        return Err(SkipReason::Sealed);
    }
    if database::is_beside(path) {
        return Err(SkipReason::Beside);
    }
    let is_empty = |meta: &Metadata| meta.len() == 0 && !database::has_log(path);
    let empty_or = |why: SkipReason| match std::fs::metadata(path) {
        Ok(meta) if is_empty(&meta) => SkipReason::Empty,
        _ => why,
    };
    // Formats check the parent folders, which a relative path may lack.
    let shown = shown(path);
    if let Some(agent) = strangers::placed(&shown) {
        return Err(empty_or(SkipReason::Foreign(agent)));
    }
    if let Some(claimed) = kept.known(path) {
        return Ok(Claims { files: vec![claimed], notes: Vec::new() });
    }
    if let Some((packed, meta)) = kept.index.as_ref().and_then(|index| index.of_file(path))
        && let Some(claims) = known_claim::unpack(formats, root, path, (&packed, &meta))
    {
        return claims;
    }
    // An empty file may be a database whose rows are in its log.
    let apart = |head: &[u8]| head.is_empty() || database::is_one(head) || database::is_log(head);
    let seen = with_head(path, kept.wanted(path), apart, |meta, begun, file| {
        if is_empty(meta) {
            return Err(SkipReason::Empty);
        }
        let tail = OnceCell::new();
        let head = &begun[..begun.len().min(END_BYTES)];
        let claims = claim_by(formats, root, (path, &shown), meta, (head, &tail));
        match file.filter(|_| kept.is_whole()) {
            Some(file) if is_part(&claims) => kept.put_whole(path, (file, meta), begun),
            Some(_) => {}
            None if !kept.is_whole() && is_wanted(&claims, meta.len()) => {
                kept.put(path, begun, tail.into_inner().filter(|(_, bytes)| !bytes.is_empty()));
            }
            None => {}
        }
        claims
    });
    seen.map_err(|error| empty_or(SkipReason::Unreadable(error.to_string())))?
}

/// The end of a file: its offset and its bytes. It is read when the first format requests it.
type End<'t> = &'t OnceCell<(u64, Vec<u8>)>;

/// Whether a file is a part of a session.
fn is_part(claims: &Result<Claims, SkipReason>) -> bool {
    claims.as_ref().is_ok_and(|claims| !claims.files.is_empty())
}

/// Whether a list may read this file again: a session's file, or a small file beside one.
fn is_wanted(claims: &Result<Claims, SkipReason>, length: u64) -> bool {
    match claims {
        Ok(claims) => claims.files.iter().any(|claimed| {
            claimed.file.rows.is_none() && !matches!(claimed.file.role, Role::Beside(Some(_)))
        }),
        Err(why) => matches!(why, SkipReason::NoSession(..)) && length <= SMALL,
    }
}

/// Maximum length in bytes of a file that is not a session but may describe one.
const SMALL: u64 = 4096;

/// Probes every format with the beginning of a file, and on request its end.
fn claim_by(
    formats: Formats<'_>,
    root: &Root,
    (path, shown): (&Arc<Path>, &str),
    meta: &Metadata,
    (head, end): (&[u8], End<'_>),
) -> Result<Claims, SkipReason> {
    if let Some(claims) = rows::claims(formats, path, meta, head)? {
        return Ok(claims);
    }
    let length = meta.len();
    let tail = || end.get_or_init(|| ends::end(path, length).unwrap_or_default()).1.clone();
    let candidate = Candidate { path: shown, head, tail: Tail::Later(&tail), length };
    let (format, group, role) = match formats::detect(formats, root.format, &candidate) {
        Detected::Part { format, group, role } => (format, group, role),
        Detected::Unknown if database::is_one(head) => return Err(SkipReason::Database),
        other => return Err(SkipReason::of(&other)),
    };
    if length > MEMBER_LIMIT as u64 {
        return Err(SkipReason::Long(length));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (path, modified) = (Arc::clone(path), meta.modified().ok());
    let above = (format.data().above)(&candidate);
    let (rows, archived) = (None, None);
    let file = SourceFile { path, name, role, length, modified, rows, archived };
    Ok(Claims { files: vec![Claimed { format, group, above, file }], notes: Vec::new() })
}
